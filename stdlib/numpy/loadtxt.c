// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parses the text of np.loadtxt, rows of columns, into an array. numpy/_files.ncr has checked the arguments.
// Elements are appended row by row, so that memory grows with the text.

#include <inttypes.h>
#include <string.h>

#include "stdlib/file_write.h"
#include "stdlib/numpy/numpy.h"
#include "stdlib/stdlib.h"
#include "vm/value/float_text.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { POLL_ROWS = 1024 };

typedef struct Field {
    const char *at;
    size_t len;
} Field;

typedef struct TextParser {
    Vm *vm;
    DType dtype;
    const Str *delimiter, *comment; // delimiter NULL: white space; comment NULL: none
    const Str *quote;               // NULL: none
    const Tuple *usecols;           // ints, or NULL: all
    int64_t columns;                // of a result row; -1 before the first row
    int64_t rows;
    bool rounded, warned;           // rounded: an int was written as a float; warned: the warning about it was issued
    Buf fields;                     // the current row's fields, as struct Field
    Buf unquoted;                   // if quotes are used: the fields' text without quotes
    Buf elements;                   // the result's elements
    List *texts;                    // for split(): a list of fields for each row, instead of elements
} TextParser;

// --- Single numbers -------------------------------------------------------------------------------

static bool int_field(NumText t, int64_t *value) {
    bool negative = t.at < t.end && *t.at == '-';
    uint64_t n = 0;
    if (t.at < t.end && (*t.at == '-' || *t.at == '+')) t.at++;
    if (t.at == t.end) return false;
    for (; t.at < t.end; t.at++)
        if (!is_decimal_digit(*t.at) || __builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*t.at - '0'), &n))
            return false;
    if (n > (uint64_t)INT64_MAX + negative) return false;
    *value = negative ? (int64_t)(0 - n) : (int64_t)n;
    return true;
}

// Reads a float. Refuses non-ASCII digits and underscores, which float() takes, except for float16, which NumPy reads
// by float().
static bool float_field(NumText t, DType dtype, double *value) {
    for (const char *c = t.at; c < t.end && dtype != DT_FLOAT16; c++)
        if (*c == '_' || (unsigned char)*c >= 0x80) return false;
    return float_scan(&t, value) && t.at == t.end;
}

static bool uint_field(NumText t, uint64_t *value) {
    *value = 0;
    if (t.at < t.end && *t.at == '+') t.at++;
    if (t.at == t.end) return false;
    for (; t.at < t.end; t.at++)
        if (!is_decimal_digit(*t.at) || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*t.at - '0'), value))
            return false;
    return true;
}

static bool fits(DType dtype, int64_t n) {
    int bits = 8 * (int)dtype_size(dtype);
    if (dtype_kind(dtype) == DK_UINT) return n >= 0 && (bits == 64 || n >> bits == 0);
    return bits == 64 || (n >= -(INT64_C(1) << (bits - 1)) && n < INT64_C(1) << (bits - 1));
}

static Status warn_of_float(TextParser *p) {
    p->warned = true;
    return vm_warn(p->vm, EXC_DeprecationWarning, "loadtxt(): Parsing an integer via a float is deprecated.");
}

// Reads a complex number as NumPy writes it, with or without parentheses: 1+2j, (1+2j), 2j, 1.
static bool complex_field(NumText t, Scalar *value) {
    for (const char *c = t.at; c < t.end; c++)
        if (*c == '_' || (unsigned char)*c >= 0x80) return false;
    bool inside = t.at < t.end && *t.at == '(';
    if (inside && t.end[-1] != ')') return false;
    if (inside) t = num_text(t.at + 1, (size_t)(t.end - t.at) - 2);
    *value = (Scalar){0};
    if (!float_scan(&t, &value->re)) return false;
    if (t.at < t.end && *t.at == 'j') {
        value->im = value->re;
        value->re = 0;
        t.at++;
    } else if (t.at < t.end) {
        if (*t.at == '+') t.at++;
        else if (*t.at != '-') return false;
        if (!float_scan(&t, &value->im) || t.at == t.end || *t.at++ != 'j') return false;
    }
    return t.at == t.end;
}

// Reads a field as an element of the array's type. Returns false if it is not a number of that type.
static bool element_of(TextParser *p, Field field, Scalar *out) {
    NumText t = num_text(field.at, field.len);
    int64_t n;
    double x;
    if (dtype_kind(p->dtype) == DK_COMPLEX) return complex_field(t, out);
    if (dtype_kind(p->dtype) != DK_FLOAT) {
        if (p->dtype == DT_UINT64 && uint_field(t, &out->u)) return true;
        if (int_field(t, &n) && (p->dtype == DT_BOOL || fits(p->dtype, n))) {
            out->i = p->dtype == DT_BOOL ? n != 0 : n;
            return true;
        }
        if (p->dtype == DT_BOOL) return false;
    }
    if (!float_field(t, p->dtype, &x)) return false;
    p->rounded |= dtype_kind(p->dtype) != DK_FLOAT;
    *out = dtype_convert(DT_FLOAT64, p->dtype, (Scalar){.f = x});
    return true;
}

static Status no_number(TextParser *p, Field field, int64_t column) {
    Buf shown;
    Str *text = str_new(p->vm, field.at, field.len);
    if (!text) return vm_no_memory(p->vm);
    buf_init(&shown, &p->vm->mem);
    Status st = op_repr(p->vm, v_obj(text), &shown);
    if (st == ST_OK && shown.failed) st = vm_no_memory(p->vm);
    if (st == ST_OK)
        st = vm_raise(p->vm, EXC_ValueError,
                      "could not convert string %.*s to %s at row %" PRId64 ", column %" PRId64 ".",
                      (int)(shown.len < 100 ? shown.len : 100), shown.data,
                      dtype_info[p->dtype].name, p->rows, column + 1);
    buf_free(&shown);
    release(p->vm, v_obj(text));
    return st;
}

// --- Rows -----------------------------------------------------------------------------------------

static const char *find(const char *at, const char *end, const Str *what) {
    for (; (size_t)(end - at) >= what->len; at++) {
        at = memchr(at, what->data[0], (size_t)(end - at));
        if (!at || (size_t)(end - at) < what->len) break;
        if (memcmp(at, what->data, what->len) == 0) return at;
    }
    return end;
}

static void add_field(TextParser *p, const char *at, const char *end) {
    const Field field = {at, (size_t)(end - at)};
    buf_put(&p->fields, (const char *)&field, sizeof field);
}

static const char *skip_blanks(const char *at, const char *end) {
    NumText t = {at, end};
    num_text_skip_space(&t);
    return t.at;
}

static bool may_be_blank(char c) {
    return (unsigned char)c <= ' ' || (unsigned char)c >= 0x80;
}

static void split_at_blanks(TextParser *p, const char *at, const char *end) {
    while ((at = skip_blanks(at, end)) < end) {
        const char *start = at;
        do at++;
        while (at < end && !(may_be_blank(*at) && skip_blanks(at, end) > at));
        add_field(p, start, at);
    }
}

static void split_at_delimiters(TextParser *p, const char *at, const char *end) {
    for (;;) {
        const char *next = find(at, end, p->delimiter);
        add_field(p, at, next);
        if (next == end) return;
        at = next + p->delimiter->len;
    }
}

// Returns the number of the field that is element i of the row, by usecols. Raises ValueError if the row has no such
// field.
static Status field_number(TextParser *p, int64_t i, int64_t count, int64_t *out) {
    *out = i;
    if (!p->usecols) return ST_OK;
    int64_t column = p->usecols->items[i].i;
    *out = column < 0 ? column + count : column;
    if (*out >= 0 && *out < count) return ST_OK;
    return vm_raise(p->vm, EXC_ValueError,
                    "invalid column index %" PRId64 " at row %" PRId64 " with %" PRId64 " columns",
                    column, p->rows + 1, count);
}

static Status take_texts(TextParser *p, const Field *fields, size_t count) {
    List *row = list_new(p->vm, count);
    Status st = vm_check(p->vm, row);
    for (size_t i = 0; st == ST_OK && i < count; i++) {
        Value text;
        st = str_out(p->vm, str_new(p->vm, fields[i].at, fields[i].len), &text);
        if (st == ST_OK) st = list_append(p->vm, row, text);
    }
    if (st == ST_OK) return list_append(p->vm, p->texts, v_obj(row));
    release_obj(p->vm, row);
    return st;
}

static Status take_row(TextParser *p) {
    const Field *fields = (const Field *)p->fields.data;
    int64_t count = (int64_t)(p->fields.len / sizeof *fields), number;
    if (p->texts) {
        p->rows++;
        return take_texts(p, fields, (size_t)count);
    }
    if (p->columns < 0) p->columns = count;
    if (!p->usecols && count != p->columns)
        return vm_raise(p->vm, EXC_ValueError,
                        "the number of columns changed from %" PRId64 " to %" PRId64
                        " at row %" PRId64 "; use `usecols` to select a subset and avoid this "
                        "error",
                        p->columns, count, p->rows + 1);
    for (int64_t i = 0; i < p->columns; i++) {
        Scalar s = {0};
        char bytes[sizeof s];
        if (field_number(p, i, count, &number) != ST_OK) return ST_ERROR;
        if (!element_of(p, fields[number], &s)) return no_number(p, fields[number], number);
        dtype_store(p->dtype, bytes, s);
        buf_put(&p->elements, bytes, dtype_size(p->dtype));
    }
    p->rows++;
    if (p->elements.failed) return vm_no_memory(p->vm);
    if (p->rounded && !p->warned && warn_of_float(p) != ST_OK) return ST_ERROR;
    return p->rows % POLL_ROWS ? ST_OK : vm_poll(p->vm);
}

// Parses a line. Lines that are empty except for a comment are not rows.
static Status take_line(TextParser *p, const char *at, const char *end) {
    if (p->comment) end = find(at, end, p->comment);
    if (at == end) return ST_OK;
    p->fields.len = 0;
    if (p->delimiter) split_at_delimiters(p, at, end);
    else split_at_blanks(p, at, end);
    if (p->fields.failed) return vm_no_memory(p->vm);
    return p->fields.len ? take_row(p) : ST_OK;
}

// --- Rows with quotes ------------------------------------------------------------------------------

static bool begins(const char *at, const char *end, const Str *what) {
    return what && (size_t)(end - at) >= what->len && memcmp(at, what->data, what->len) == 0;
}

static bool row_ends(const TextParser *p, const char *at, const char *end) {
    return at == end || *at == '\n' || begins(at, end, p->comment);
}

static bool field_ends(const TextParser *p, const char *at, const char *end) {
    if (row_ends(p, at, end)) return true;
    return p->delimiter ? begins(at, end, p->delimiter)
                        : may_be_blank(*at) && skip_blanks(at, end) > at;
}

// Copies a quoted text, which can only start at the start of a field. Two quotes in a row mean a quote.
// Returns where the quoted text ends.
static const char *take_quoted(TextParser *p, const char *at, const char *end) {
    for (;;) {
        at += p->quote->len;
        const char *stop = find(at, end, p->quote);
        buf_put(&p->unquoted, at, (size_t)(stop - at));
        at = stop == end ? end : stop + p->quote->len;
        if (!begins(at, end, p->quote)) return at;
        buf_put(&p->unquoted, p->quote->data, p->quote->len);
    }
}

// Copies a field to p->unquoted. Its address is an offset in that buffer, which may move, until the row is complete.
static const char *take_field(TextParser *p, const char *at, const char *end) {
    Field field = {(const char *)p->unquoted.len, 0};
    if (begins(at, end, p->quote)) at = take_quoted(p, at, end);
    while (!field_ends(p, at, end)) buf_putc(&p->unquoted, *at++);
    field.len = p->unquoted.len - (size_t)field.at;
    buf_put(&p->fields, (const char *)&field, sizeof field);
    return at;
}

// Skips the blanks before a field, if fields are separated by white space.
static const char *next_field(const TextParser *p, const char *at, const char *end) {
    while (!p->delimiter && !row_ends(p, at, end)) {
        const unsigned char lead = (unsigned char)*at;
        const char *next = at + (lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4);
        if (skip_blanks(at, next) == at) break;
        at = next;
    }
    return at;
}

static const char *split_with_quotes(TextParser *p, const char *at, const char *end) {
    p->fields.len = p->unquoted.len = 0;
    at = next_field(p, at, end);
    for (bool more = !row_ends(p, at, end); more;) {
        at = next_field(p, take_field(p, at, end), end);
        more = p->delimiter ? begins(at, end, p->delimiter) : !row_ends(p, at, end);
        if (p->delimiter && more) at += p->delimiter->len;
    }
    Field *fields = (Field *)p->fields.data;
    for (size_t i = 0; i < p->fields.len / sizeof *fields; i++)
        fields[i].at = p->unquoted.data ? p->unquoted.data + (size_t)fields[i].at : "";
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return stop ? stop + 1 : end;
}

static Status take_quoted_text(TextParser *p, const Str *text, int64_t most) {
    const char *at = text->data, *end = at + text->len;
    Status st = ST_OK;
    while (st == ST_OK && at < end && (most < 0 || p->rows < most)) {
        at = split_with_quotes(p, at, end);
        if (p->fields.failed || p->unquoted.failed) return vm_no_memory(p->vm);
        if (p->fields.len) st = take_row(p);
    }
    return st;
}

static Status take_text(TextParser *p, const Str *text, int64_t most) {
    const char *at = text->data, *end = at + text->len;
    Status st = ST_OK;
    if (p->quote) return take_quoted_text(p, text, most);
    while (st == ST_OK && at < end && (most < 0 || p->rows < most)) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        st = take_line(p, at, stop);
        at = stop < end ? stop + 1 : end;
    }
    return st;
}

static Status array_of(TextParser *p, Value *out) {
    int64_t shape[2] = {p->rows, p->columns < 0 ? 1 : p->columns};
    Status st = array_new(p->vm, p->dtype, 2, shape, ROOM_HOST, out);
    if (st != ST_OK || p->elements.len == 0) return st;
    memcpy(array_write(p->vm, out->array), p->elements.data, p->elements.len);
    return ST_OK;
}

static void set_marks(TextParser *p, const Value *marks) {
    if (marks[0].kind == K_STR) p->delimiter = marks[0].str;
    if (marks[1].kind == K_STR) p->comment = marks[1].str;
    if (marks[2].kind == K_STR && marks[2].str->len) p->quote = marks[2].str;
}

// split(text, delimiter, comment, quote, max_rows): returns a list of rows, each a list of str.
static Status fn_split(Vm *vm, const Value *args, Value *out) {
    TextParser p = {.vm = vm};
    int64_t most;
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a text is required");
    if (array_long(vm, args[4], &most) != ST_OK) return op_refused(vm);
    set_marks(&p, args + 1);
    if (!(p.texts = list_new(vm, 16))) return vm_no_memory(vm);
    buf_init(&p.fields, &vm->mem);
    buf_init(&p.unquoted, &vm->mem);
    Status st = take_text(&p, args[0].str, most);
    buf_free(&p.fields);
    buf_free(&p.unquoted);
    if (st == ST_OK) *out = v_obj(p.texts);
    else release_obj(vm, p.texts);
    return st;
}

// parse(text, dtype, delimiter, comment, quote, usecols, max_rows): returns an array of two dimensions.
static Status fn_parse(Vm *vm, const Value *args, Value *out) {
    TextParser p = {.vm = vm, .columns = -1};
    int64_t most;
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a text is required");
    if (dtype_from(vm, args[1], DT_FLOAT64, &p.dtype) != ST_OK ||
        array_long(vm, args[6], &most) != ST_OK)
        return op_refused(vm);
    set_marks(&p, args + 2);
    if (args[5].kind == K_TUPLE) {
        p.usecols = args[5].tuple;
        p.columns = (int64_t)p.usecols->len;
        for (size_t i = 0; i < p.usecols->len; i++)
            if (p.usecols->items[i].kind != K_INT)
                return vm_raise(vm, EXC_TypeError, "columns must be ints");
    }
    buf_init(&p.fields, &vm->mem);
    buf_init(&p.unquoted, &vm->mem);
    buf_init(&p.elements, &vm->mem);
    Status st = take_text(&p, args[0].str, most);
    if (st == ST_OK) st = array_of(&p, out);
    buf_free(&p.fields);
    buf_free(&p.unquoted);
    buf_free(&p.elements);
    return st;
}

// --- Other natives of _numpy_files ------------------------------------------------------------------

static Status fn_warn(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a text is required");
    *out = V_NONE;
    return vm_warn(vm, EXC_UserWarning, "%s", args[0].str->data);
}

// write(name, text): writes a file with this text. After an error there is no partial file.
static Status fn_write(Vm *vm, const Value *args, Value *out) {
    Buf name, bytes;
    if (args[1].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a text is required");
    if (os_path_bytes(vm, args[0], ACCESS_READ, &name) != ST_OK) return ST_ERROR;
    buf_init(&bytes, &vm->mem);
    Status st = os_output(vm, args[1].str->data, args[1].str->len);
    buf_put(&bytes, args[1].str->data, args[1].str->len);
    if (st == ST_OK) st = file_write_whole(vm, name.data, &bytes);
    buf_free(&bytes);
    buf_free(&name);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

const NativeDef numpy_files_functions[] = {
    {"parse", "text, dtype, delimiter, comment, quote, usecols, max_rows, /", fn_parse, NULL, PURE},
    {"split", "text, delimiter, comment, quote, max_rows, /", fn_split, NULL, PURE},
    {"scan", "text, dtype, separator, count, /", numpy_scan_text, NULL, PURE},
    {"warn", "text, /", fn_warn, NULL, PURE},
    {"write", "name, text, /", fn_write, NULL, FILESYSTEM},
    {0},
};
