// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parses a piece of the body of a Matrix Market file, on all threads. The piece is cut into parts at line ends. A first
// pass counts the entries of each part, so that in the second pass every part knows where its entries go.

#include <math.h>

#include "stdlib/sparse/mm.h"
#include "vm/value/float_text.h"

// What is wrong with a line. _files.ncr and _mmio.ncr have the messages.
typedef enum LineError { LINE_FINE, LINE_INTEGER, LINE_FLOAT, LINE_RANGE, LINE_ROW, LINE_COLUMN, LINE_TOO_MANY } LineError;

typedef struct Part {
    const char *begin, *end; // complete lines, except perhaps the last
    int64_t lines, entries;  // lines and entries of the part
    int64_t lines_before, first; // lines before the part; entries before it
    LineError error;
    int64_t error_line; // line of the error, counted from 0 in the part
} Part;

typedef struct ReadJob {
    const SparseCall *call;
    Part *parts;
    void *rows, *columns, *values; // or NULL
    DType index, type;
    int64_t extent[2]; // rows and columns of the matrix
    int64_t most;      // most entries that may still come
    int64_t from;      // where the first one goes in the arrays
} ReadJob;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

static const char *line_end(const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

// --- Numbers: scanners return the end of what they read, or NULL ------------------------------------

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Returns how many of the 8 bytes at `at`, from the first one, are digits. *value is their number.
static inline int leading_digits(const char *at, uint64_t *value) {
    uint64_t v;
    memcpy(&v, at, sizeof v);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    v ^= 0x3030303030303030u; // digits become 0 to 9; for other bytes the highest bit is set below
    uint64_t others = ((v + 0x7676767676767676u) | v) & 0x8080808080808080u;
    int count = others ? __builtin_ctzll(others) / 8 : 8;
    if (count == 0) {
        *value = 0;
        return 0;
    }
    v <<= 8 * (8 - count); // leading zeros
    v = v * 10 + (v >> 8); // pairs, then groups of four, are combined within a word
    *value = ((v & 0x000000ff000000ffu) * 0x000f424000000064u + ((v >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >> 32;
    return count;
}

static const uint64_t POW10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Scans digits. Sets *over if the value exceeds 64 bits.
static const char *scan_digits(const char *at, const char *end, uint64_t *value, bool *over) {
    const char *begin = at;
    uint64_t n = 0;
    if (end - at >= 8) {
        int count = leading_digits(at, &n);
        at += count;
        if (count < 8) {
            *value = n;
            return count ? at : NULL;
        }
    }
    for (; at < end && is_digit(*at); at++)
        *over |= __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n);
    *value = n;
    return at > begin ? at : NULL;
}

static const char *scan_whole(const char *at, const char *end, DType type, uint64_t *value, LineError *error) {
    bool negative = type != DT_UINT64 && at < end && *at == '-', over = false;
    *error = LINE_INTEGER;
    at = scan_digits(at + negative, end, value, &over);
    if (!at) return NULL;
    *error = LINE_RANGE;
    if (over || (type != DT_UINT64 && *value > (uint64_t)INT64_MAX + negative)) return NULL;
    if (negative) *value = 0 - *value;
    return at;
}

static const char *scan_word(const char *at, const char *end, const char *word) {
    for (; *word; word++, at++)
        if (at == end || (*at | 0x20) != *word) return NULL;
    return at;
}

static const char *scan_special(const char *at, const char *end, double *value) {
    const char *after = scan_word(at, end, "inf");
    if (after) {
        const char *longer = scan_word(after, end, "inity");
        *value = INFINITY;
        return longer ? longer : after;
    }
    *value = NAN;
    return scan_word(at, end, "nan");
}

static const char *scan_exponent(const char *at, const char *end, int64_t *exponent) {
    if (at == end || (*at | 0x20) != 'e') return at;
    const char *from = at + 1;
    const bool negative = from < end && *from == '-';
    from += from < end && (*from == '-' || *from == '+');
    if (from == end || !is_digit(*from)) return at; // no exponent
    int64_t e = 0;
    for (; from < end && is_digit(*from); from++)
        if (e < 1000000) e = e * 10 + (*from - '0');
    *exponent += negative ? -e : e;
    return from;
}

// The significant digits of a number. Up to 19 of them are held; with more, the text is scanned again (from_many).
typedef struct Significand {
    uint64_t digits;
    int count; // from the first nonzero digit on
} Significand;

static inline __attribute__((always_inline)) const char *take_digits(const char *at, const char *end, Significand *s) {
    while (s->count <= 11 && end - at >= 8) {
        uint64_t value;
        int count = leading_digits(at, &value);
        s->digits = s->digits * POW10[count] + value;
        s->count += s->digits != 0 ? count : 0; // may count leading zeros; then the slow path is taken early
        at += count;
        if (count < 8) return at;
    }
    for (; at < end && is_digit(*at); at++) {
        if (s->count < 19) s->digits = s->digits * 10 + (uint64_t)(*at - '0');
        s->count += s->digits != 0;
    }
    return at;
}

// Converts a number with more digits than a word holds, exactly.
static double from_many(const char *at, const char *end, int64_t exponent) {
    char digits[FLOAT_EXACT_DIGITS + 1];
    size_t count = 0;
    bool more = false;
    for (; at < end; at++) {
        if (!is_digit(*at) || (count == 0 && *at == '0')) continue;
        if (count < FLOAT_EXACT_DIGITS) {
            digits[count++] = *at;
            continue;
        }
        more |= *at != '0';
        exponent++;
    }
    if (more) { // a sticky digit: it has the effect on rounding of all digits that were cut off
        digits[count++] = '1';
        exponent--;
    }
    return float_from_decimal(digits, count, exponent);
}

static const char *scan_float(const char *at, const char *end, double *value) {
    bool negative = at < end && *at == '-';
    const char *begin = at += negative;
    Significand s = {0, 0};
    int64_t exponent = 0;
    at = take_digits(at, end, &s);
    int64_t taken = at - begin;
    if (at < end && *at == '.') {
        const char *point = ++at;
        at = take_digits(at, end, &s);
        exponent = point - at;
        taken += at - point;
    }
    const char *last = at;
    if (taken == 0) {
        at = scan_special(begin, end, value);
    } else {
        at = scan_exponent(at, end, &exponent);
        *value = s.count <= 19 ? float_from_whole(s.digits, exponent) : from_many(begin, last, exponent);
    }
    if (negative) *value = -*value;
    return at;
}

// --- Lines -----------------------------------------------------------------------------------------

// Reads a whole number from 1 to `extent`, and stores it, counted from 0, as element k.
static inline LineError read_index(const char **at, const char *end, int64_t extent, LineError outside, void *to, DType type, int64_t k) {
    const char *from = skip_blanks(*at, end);
    uint64_t n = 0;
    int count = end - from >= 8 ? leading_digits(from, &n) : 0;
    if (count > 0 && count < 8) { // the usual case
        *at = from + count;
    } else {
        LineError error;
        const char *after = scan_whole(from, end, DT_INT64, &n, &error);
        if (!after) return error;
        *at = after;
    }
    if ((int64_t)n < 1 || (int64_t)n > extent) return outside;
    if (type == DT_INT64) ((int64_t *)to)[k] = (int64_t)n - 1;
    else ((int32_t *)to)[k] = (int32_t)((int64_t)n - 1);
    return LINE_FINE;
}

static LineError read_value(const char **at, const char *end, void *to, DType type, int64_t k) {
    LineError error;
    const char *from = skip_blanks(*at, end);
    if (type == DT_INT64 || type == DT_UINT64) {
        *at = scan_whole(from, end, type, (uint64_t *)to + k, &error);
        return *at ? LINE_FINE : error;
    }
    int parts = type == DT_COMPLEX128 ? 2 : 1;
    for (int i = 0; i < parts; i++) {
        *at = scan_float(skip_blanks(from, end), end, (double *)to + k * parts + i);
        if (!*at) return LINE_FLOAT;
        from = *at;
    }
    return LINE_FINE;
}

// Reads one entry. The scanners stop at the line's end, as a newline is neither digit nor blank.
static LineError read_entry(const ReadJob *j, const char **at, const char *end, int64_t k) {
    LineError error = LINE_FINE;
    if (j->rows) {
        error = read_index(at, end, j->extent[0], LINE_ROW, j->rows, j->index, k);
        if (error == LINE_FINE) error = read_index(at, end, j->extent[1], LINE_COLUMN, j->columns, j->index, k);
    }
    if (error == LINE_FINE && j->values) error = read_value(at, end, j->values, j->type, k);
    return error;
}

enum { BLOCK = 240 }; // bytes: below 256, so that SIMD lanes of a byte can hold the counts

// Adds the number of line ends in a block to *ends, and to *odd the number of those that follow a blank or control
// character, and may end a blank line. at[-1] has to be readable.
static inline void count_block(const unsigned char *at, int64_t *ends, int64_t *odd) {
    uint8_t block_ends = 0, block_odd = 0;
    for (int k = 0; k < BLOCK; k++) {
        block_ends += at[k] == '\n';
        block_odd += (at[k] == '\n') & (at[k - 1] <= ' ');
    }
    *ends += block_ends;
    *odd += block_odd;
}

// Returns the number of line ends in the text, or -1 if a line may be blank.
static int64_t count_ends(const char *text, int64_t size) {
    const unsigned char *at = (const unsigned char *)text;
    int64_t i = 1, ends = 0, odd = size > 0 && at[0] <= ' ';
    for (; size - i >= BLOCK; i += BLOCK) count_block(at + i, &ends, &odd);
    for (; i < size; i++) {
        ends += at[i] == '\n';
        odd += at[i] == '\n' && at[i - 1] <= ' ';
    }
    return odd ? -1 : ends;
}

static void count_part(void *argument, int part, int worker) {
    ReadJob *j = argument;
    Part *p = &j->parts[part];
    const int64_t ends = count_ends(p->begin, p->end - p->begin);
    (void)worker;
    if (ends > 0 && p->end[-1] == '\n') {
        p->entries = p->lines = ends;
        return;
    }
    for (const char *at = p->begin; at < p->end;) {
        const char *end = line_end(at, p->end);
        p->entries += !is_blank(*at) ? at < end : skip_blanks(at, end) < end;
        p->lines++;
        at = end + 1;
    }
}

enum { ASK_LINES = 4096 };

static void read_part(void *argument, int part, int worker) {
    ReadJob *j = argument;
    Part *p = &j->parts[part];
    int64_t k = p->first, line = 0;
    (void)worker;
    for (const char *at = p->begin; at < p->end; line++) {
        at = skip_blanks(at, p->end);
        if (at < p->end && *at != '\n') {
            p->error = k < j->most ? read_entry(j, &at, p->end, j->from + k) : LINE_TOO_MANY;
            if (p->error != LINE_FINE) break;
            k++;
        }
        at = (at < p->end && *at == '\n' ? at : line_end(at, p->end)) + 1;
        if (line % ASK_LINES == 0 && j->call->host->stopped(j->call)) return;
    }
    p->error_line = line;
}

// Cuts the text into `count` parts that end at line ends.
static void cut(const char *text, int64_t size, Part *parts, int count) {
    const char *end = text + size, *at = text;
    for (int i = 0; i < count; i++) {
        const char *to = i + 1 < count ? text + part_begin(size, i + 1, count) : end;
        if (to < at) to = at;
        if (to < end && to > text && to[-1] != '\n') to = line_end(to, end) + 1;
        if (to > end) to = end;
        parts[i] = (Part){.begin = at, .end = to};
        at = to;
    }
}

static bool check_room(SparseCall *call, const SparseArg *args) {
    const SparseArg *rows = &args[1], *columns = &args[2], *values = &args[3];
    bool fine = args[0].kind == SPARSE_ARRAY && args[0].type == DT_UINT8 && (rows->kind == SPARSE_NONE) == (columns->kind == SPARSE_NONE);
    if (fine && rows->kind != SPARSE_NONE)
        fine = rows->kind == SPARSE_ARRAY && columns->kind == SPARSE_ARRAY && rows->type == columns->type && rows->count == columns->count &&
               (rows->type == DT_INT32 || rows->type == DT_INT64) &&
               (rows->type == DT_INT64 || (args[5].whole <= INT32_MAX && args[6].whole <= INT32_MAX));
    if (fine && values->kind != SPARSE_NONE)
        fine = values->kind == SPARSE_ARRAY && (rows->kind == SPARSE_NONE || rows->count == values->count) &&
               (values->type == DT_INT64 || values->type == DT_UINT64 || values->type == DT_FLOAT64 || values->type == DT_COMPLEX128);
    fine = fine && args[4].whole >= 0 && args[7].whole >= 0;
    if (!fine) SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "mm_read: arrays of other types or sizes are expected");
    return fine;
}

// Returns the size of the text up to its last line end; at the end of the file, all of it.
static int64_t whole_lines(const SparseArg *text, bool at_end) {
    int64_t size = text->count;
    if (at_end) return size;
    while (size > 0 && ((const char *)text->data)[size - 1] != '\n') size--;
    return size;
}

// mm_read(text, rows, columns, values, from, row_count, column_count, most, at_end): reads the entries in the complete
// lines of `text` into the arrays, from element `from` on. More than `most` entries are an error. rows and columns are
// None for files of dense arrays, values for patterns. Returns (entries, bytes read, lines read, error, its line
// counted from 1). If the arrays are too short, nothing is read (bytes read = 0); the caller makes them longer and
// calls again.
void op_mm_read(SparseCall *call) {
    const SparseArg *args = call->args;
    const SparseHost *host = call->host;
    if (!check_room(call, args)) return;
    int64_t size = whole_lines(&args[0], args[8].whole != 0), entries = 0, lines = 0;
    int count = parts_of(call, size, size);
    ReadJob j = {.call = call, .parts = host->scratch(call, (size_t)count * sizeof(Part)), .rows = args[1].data,
                 .columns = args[2].data, .values = args[3].data, .index = args[1].type, .type = args[3].type,
                 .extent = {args[5].whole, args[6].whole}, .most = args[7].whole, .from = args[4].whole};
    if (!j.parts) return;
    cut(args[0].data, size, j.parts, count);
    host->share(call, count_part, &j, count);
    for (int i = 0; i < count; i++) {
        j.parts[i].first = entries;
        j.parts[i].lines_before = lines;
        entries += j.parts[i].entries;
        lines += j.parts[i].lines;
    }
    const SparseArg *longest = args[3].kind != SPARSE_NONE ? &args[3] : &args[1];
    int64_t needed = entries < j.most ? entries : j.most, room = longest->kind != SPARSE_NONE ? longest->count - j.from : 0;
    LineError error = LINE_FINE;
    int64_t error_line = 0;
    if (needed <= room) {
        host->share(call, read_part, &j, count);
        for (int i = 0; i < count && error == LINE_FINE; i++) {
            error = j.parts[i].error;
            error_line = j.parts[i].lines_before + j.parts[i].error_line + 1;
        }
    }
    host->whole(call, needed);
    host->whole(call, needed <= room ? size : 0);
    host->whole(call, lines);
    host->whole(call, error);
    host->whole(call, error_line);
}
