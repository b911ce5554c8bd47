// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Submatrices of compressed matrices: chosen lines, slices, and chosen indices along the lines. One pass counts the
// entries of each line of the result, a second one writes them.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/select.h"

// --- The two passes ------------------------------------------------------------------------------

static void count_part(void *argument, int part, int worker) {
    Select *s = argument;
    int64_t end = part_begin(s->lines, part + 1, s->parts);
    (void)worker;
    for (int64_t line = part_begin(s->lines, part, s->parts); line < end; line++) {
        if (line % SELECT_POLLED == 0 && s->call->host->stopped(s->call)) return;
        s->counts[line] = s->count(s, line);
    }
}

static void fill_part(void *argument, int part, int worker) {
    Select *s = argument;
    int64_t end = part_begin(s->lines, part + 1, s->parts);
    (void)worker;
    for (int64_t line = part_begin(s->lines, part, s->parts); line < end; line++) {
        if (line % SELECT_POLLED == 0 && s->call->host->stopped(s->call)) return;
        int64_t to = s->wide ? ((int64_t *)s->to_indptr)[line] : ((int32_t *)s->to_indptr)[line];
        s->fill(s, line, to);
    }
}

// Allocates the result from the counts. False: no memory, an invalid line, or more entries than the index type can
// count; the call's error is set.
static bool make_result(Select *s, DType index, DType type) {
    const SparseHost *host = s->call->host;
    int64_t all = 0;
    s->to_indptr = host->array(s->call, index, s->lines + 1);
    if (!s->to_indptr) return false;
    for (int64_t i = 0; i <= s->lines; i++) {
        if (s->wide) ((int64_t *)s->to_indptr)[i] = all;
        else ((int32_t *)s->to_indptr)[i] = (int32_t)all;
        if (i < s->lines && s->counts[i] < 0) {
            select_broken(s->call);
            return false;
        }
        if (i < s->lines) all += s->counts[i];
        if (!s->wide && all > INT32_MAX) {
            SPARSE_FAIL(s->call, SPARSE_VALUE_ERROR, "more entries than int32 indices can count");
            return false;
        }
    }
    s->to_indices = host->array(s->call, index, all);
    s->to_data = s->to_indices ? host->array(s->call, type, all) : NULL;
    return s->to_data != NULL;
}

void select_broken(SparseCall *call) {
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "an index of a sparse array is outside its shape, or indptr is not ascending");
}

bool select_begin(SparseCall *call, Select *s, const SparseArg *of) {
    if (of[0].kind != SPARSE_ARRAY || of[0].count < 1 || (of[0].type != DT_INT32 && of[0].type != DT_INT64) || of[1].kind != SPARSE_ARRAY || of[1].type != of[0].type || of[2].kind != SPARSE_ARRAY || !entry_sizes[of[2].type]) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indptr and indices have to be of one type, and data of one for entries");
        return false;
    }
    s->call = call;
    s->indptr = of[0].data;
    s->indices = of[1].data;
    s->data = of[2].data;
    s->wide = of[0].type == DT_INT64;
    s->from_lines = of[0].count - 1;
    s->entries = of[1].count < of[2].count ? of[1].count : of[2].count;
    s->size = entry_sizes[of[2].type];
    return true;
}

void select_run(Select *s, int64_t work) {
    SparseCall *call = s->call;
    s->counts = call->host->scratch(call, sizeof *s->counts * (size_t)s->lines);
    if (!s->counts) return;
    s->parts = parts_of(call, work, s->lines);
    call->host->share(call, count_part, s, s->parts);
    if (call->host->stopped(call) || !make_result(s, call->args[0].type, call->args[2].type)) return;
    call->host->share(call, fill_part, s, s->parts);
}

// --- Lines ---------------------------------------------------------------------------------------

static int64_t source_line(const Select *s, int64_t line) {
    return s->chosen ? index_at(s->chosen, line) : s->first + line * s->step;
}

static int64_t count_lines(const Select *s, int64_t line) {
    SELECT_LINE(s, source_line(s, line), low, high, return -1);
    return high - low;
}

// Copies the entries of a line: of a short one, as most are, in a loop; of a long one by memcpy.
#define LINES(I, BYTES, E)                                                             \
    static void fill_lines_##I##_##BYTES(const Select *s, int64_t line, int64_t to) {  \
        enum { SHORT_LINE = 16 };                                                      \
        int64_t source = source_line(s, line), from = select_indptr(s, source), n = select_indptr(s, source + 1) - from; \
        const I *restrict at = (const I *)s->indices + from;                           \
        const E *restrict data = (const E *)s->data + from;                            \
        I *restrict to_at = (I *)s->to_indices + to;                                   \
        E *restrict to_data = (E *)s->to_data + to;                                    \
        if (n > SHORT_LINE) {                                                          \
            memcpy(to_at, at, (size_t)n * sizeof *at);                                 \
            memcpy(to_data, data, (size_t)n * sizeof *data);                           \
            return;                                                                    \
        }                                                                              \
        for (int64_t k = 0; k < n; k++) {                                              \
            to_at[k] = at[k];                                                          \
            to_data[k] = data[k];                                                      \
        }                                                                              \
    }
SPARSE_SIZES(LINES, int32_t)
SPARSE_SIZES(LINES, int64_t)
#define LINES_ROW(I, BYTES, E) fill_lines_##I##_##BYTES,
static void (*const line_fills[2][5])(const Select *s, int64_t line, int64_t to) = {{SPARSE_SIZES(LINES_ROW, int32_t)},
                                                                                    {SPARSE_SIZES(LINES_ROW, int64_t)}};

// gather_lines(indptr, indices, data, lines): returns the lines with those numbers, counted from 0.
void op_gather_lines(SparseCall *call) {
    Select s = {.chosen = &call->args[3], .lines = call->args[3].count};
    if (!select_begin(call, &s, call->args) || !check_places(call, s.chosen, s.from_lines)) return;
    s.count = count_lines;
    s.fill = line_fills[s.wide][size_place(s.size)];
    select_run(&s, s.lines * 8);
}

// --- Slices --------------------------------------------------------------------------------------

// Returns the index in the slice of an entry with index `at`, or -1 if the slice does not have it.
static inline int64_t index_in_slice(const Select *s, int64_t at) {
    int64_t steps = at - s->low;
    if (s->minor_step != 1) {
        if (steps % s->minor_step != 0) return -1;
        steps /= s->minor_step;
    }
    return steps >= 0 && steps < s->minor_count ? steps : -1;
}

#define SLICE(I)                                                                       \
    static int64_t count_slice_##I(const Select *s, int64_t line) {                    \
        SELECT_LINE(s, source_line(s, line), low, high, return -1);                    \
        const I *at = s->indices;                                                      \
        int64_t n = 0;                                                                 \
        for (int64_t k = low; k < high; k++)                                           \
            n += index_in_slice(s, at[k]) >= 0;                                        \
        return n;                                                                      \
    }                                                                                  \
    static void fill_slice_##I(const Select *s, int64_t line, int64_t to) {            \
        int64_t source = source_line(s, line), k = select_indptr(s, source), n = select_indptr(s, source + 1) - k; \
        const int64_t step = s->minor_step < 0 ? -1 : 1;                               \
        const I *at = s->indices;                                                      \
        I *to_at = s->to_indices;                                                      \
        if (step < 0) k += n - 1;                                                      \
        for (; n > 0; n--, k += step) {                                                \
            int64_t made = index_in_slice(s, at[k]);                                   \
            if (made < 0) continue;                                                    \
            to_at[to] = (I)made;                                                       \
            memcpy((char *)s->to_data + (size_t)to * s->size, (const char *)s->data + (size_t)k * s->size, s->size); \
            to++;                                                                      \
        }                                                                              \
    }
SLICE(int32_t)
SLICE(int64_t)

// slice(indptr, indices, data, first, lines, step, low, count, minor_step): returns the lines first, first + step, …
// (`lines` of them), and of these the indices low, low + minor_step, … (`count` of them). A negative `count` means
// whole lines.
void op_slice(SparseCall *call) {
    const SparseArg *args = call->args;
    Select s = {.first = args[3].whole, .lines = args[4].whole, .step = args[5].whole, .low = args[6].whole,
                .minor_count = args[7].whole, .minor_step = args[8].whole};
    if (!select_begin(call, &s, args)) return;
    const int64_t last = s.first + (s.lines - 1) * s.step;
    if (s.lines < 0 || s.minor_step == 0 || (s.lines > 0 && (s.first < 0 || s.first >= s.from_lines || last < 0 || last >= s.from_lines))) {
        SPARSE_FAIL(call, SPARSE_INDEX_ERROR, "slice is out of range");
        return;
    }
    s.count = s.minor_count < 0 ? count_lines : s.wide ? count_slice_int64_t : count_slice_int32_t;
    s.fill = s.minor_count < 0 ? line_fills[s.wide][size_place(s.size)] : s.wide ? fill_slice_int64_t : fill_slice_int32_t;
    select_run(&s, s.lines + (s.lines ? args[1].count / (s.from_lines / s.lines) : 0));
}

// --- Chosen indices along the lines --------------------------------------------------------------

// Returns whether an index is chosen. Usually few are, so a bit set, which stays in a near cache, answers for most.
static inline bool is_chosen(const Select *s, int64_t at) {
    return (s->chosen_bits[at / 64] >> (at % 64) & 1) != 0;
}

#define COUNT_MINOR(I)                                                                 \
    static int64_t count_minor_##I(const Select *s, int64_t line) {                    \
        SELECT_LINE(s, line, low, high, return -1);                                    \
        const I *at = s->indices;                                                      \
        int64_t n = 0;                                                                 \
        for (int64_t k = low; k < high; k++)                                           \
            if (is_chosen(s, at[k])) n += s->starts[at[k] + 1] - s->starts[at[k]];     \
        return n;                                                                      \
    }
COUNT_MINOR(int32_t)
COUNT_MINOR(int64_t)

#define FILL_MINOR(I, BYTES, E)                                                        \
    static void fill_minor_##I##_##BYTES(const Select *s, int64_t line, int64_t to) {  \
        const I *restrict at = s->indices;                                             \
        const E *restrict data = s->data;                                              \
        I *restrict to_at = s->to_indices;                                             \
        E *restrict to_data = s->to_data;                                              \
        for (int64_t k = select_indptr(s, line), end = select_indptr(s, line + 1); k < end; k++) { \
            if (!is_chosen(s, at[k])) continue;                                        \
            for (int64_t i = s->starts[at[k]]; i < s->starts[at[k] + 1]; i++, to++) {  \
                to_at[to] = (I)s->places[i];                                           \
                to_data[to] = data[k];                                                 \
            }                                                                          \
        }                                                                              \
    }
SPARSE_SIZES(FILL_MINOR, int32_t)
SPARSE_SIZES(FILL_MINOR, int64_t)
#define FILL_MINOR_ROW(I, BYTES, E) fill_minor_##I##_##BYTES,
static void (*const minor_fills[2][5])(const Select *s, int64_t line, int64_t to) = {{SPARSE_SIZES(FILL_MINOR_ROW, int32_t)},
                                                                                     {SPARSE_SIZES(FILL_MINOR_ROW, int64_t)}};

// Makes the inverse of `chosen`: index i is at places[starts[i]] … places[starts[i + 1] - 1] among the chosen ones.
// False: no memory; the call's error is set.
static bool invert(SparseCall *call, Select *s, const SparseArg *chosen, int64_t across) {
    const size_t words = (size_t)across / 64 + 1;
    int64_t *starts = call->host->scratch(call, ((size_t)across + 2 + (size_t)chosen->count) * sizeof *starts);
    uint64_t *bits = starts ? call->host->scratch(call, words * sizeof *bits) : NULL;
    if (!bits) return false;
    int64_t *places = starts + across + 2;
    memset(starts, 0, ((size_t)across + 2) * sizeof *starts);
    memset(bits, 0, words * sizeof *bits);
    for (int64_t i = 0; i < chosen->count; i++) {
        const int64_t at = index_at(chosen, i);
        starts[at + 2]++;
        bits[at / 64] |= (uint64_t)1 << (at % 64);
    }
    for (int64_t i = 2; i < across + 2; i++) starts[i] += starts[i - 1];
    for (int64_t i = 0; i < chosen->count; i++) places[starts[index_at(chosen, i) + 1]++] = i;
    s->starts = starts;
    s->places = places;
    s->chosen_bits = bits;
    return true;
}

// gather_minor(indptr, indices, data, chosen, across): returns each line's entries at the chosen indices; index i of
// the result is chosen[i] of the matrix. Entries stay in the order of their line, so that the result may be unsorted.
void op_gather_minor(SparseCall *call) {
    const SparseArg *chosen = &call->args[3];
    int64_t across = call->args[4].whole;
    Select s = {0};
    if (!select_begin(call, &s, call->args) || !check_places(call, chosen, across) || !check_indices(call, &call->args[1], across)) return;
    if (!invert(call, &s, chosen, across)) return;
    s.lines = s.from_lines;
    s.count = s.wide ? count_minor_int64_t : count_minor_int32_t;
    s.fill = minor_fills[s.wide][size_place(s.size)];
    select_run(&s, s.lines + call->args[1].count);
}
