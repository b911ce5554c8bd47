// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parses the text of np.fromstring: numbers with a separator between them. Raises ValueError at anything
// else. Numbers are read like C's strtol, strtoul and strtod in base 10: an int ends before a decimal
// point, and one that is too large or too small becomes the largest one.

#include <string.h>

#include "stdlib/numpy/numpy.h"
#include "stdlib/stdlib.h"
#include "vm/value/float_text.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

enum { POLL_NUMBERS = 1024 };

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *skip_space(const char *at, const char *end) {
    while (at < end && is_space(*at)) at++;
    return at;
}

static const char *skip_digits(const char *at, const char *end) {
    while (at < end && is_decimal_digit(*at)) at++;
    return at;
}

static const char *skip_sign(const char *at, const char *end) {
    return at + (at < end && (*at == '+' || *at == '-'));
}

// --- Numbers: each function returns where the number ends, or NULL if there is none ------------------

static const char *scan_uint(const char *at, const char *end, uint64_t *value) {
    bool overflow = false;
    at = skip_space(at, end);
    const char *stop = skip_digits(at, end);
    for (*value = 0; at < stop; at++)
        overflow |= __builtin_mul_overflow(*value, 10, value) ||
                    __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value);
    if (overflow) *value = UINT64_MAX;
    return stop;
}

static const char *scan_int(const char *at, const char *end, int64_t *value) {
    uint64_t n;
    at = skip_space(at, end);
    bool negative = at < end && *at == '-';
    at = scan_uint(skip_sign(at, end), end, &n);
    if (n > (uint64_t)INT64_MAX + negative) *value = INT64_MAX; // with a minus sign, too
    else *value = (int64_t)(negative ? 0 - n : n);
    return at;
}

// Returns where the decimal number ends that strtod would read (digits, point, exponent); NULL if there are no digits.
static const char *decimal_end(const char *at, const char *end) {
    const char *start = at = skip_sign(at, end), *stop = skip_digits(at, end);
    size_t digits = (size_t)(stop - start);
    if (stop < end && *stop == '.') {
        at = stop + 1;
        stop = skip_digits(at, end);
        digits += (size_t)(stop - at);
    }
    if (digits == 0) return NULL;
    if (stop < end && (*stop == 'e' || *stop == 'E')) {
        at = skip_sign(stop + 1, end);
        const char *after = skip_digits(at, end);
        if (after > at) stop = after;
    }
    return stop;
}

static const char *scan_float(const char *at, const char *end, double *value) {
    at = skip_space(at, end);
    const char *stop = decimal_end(at, end), *word = skip_sign(at, end);
    if (!stop && (word == end || !strchr("nNiI", *word))) return NULL; // neither nan nor infinity
    NumText text = {at, stop ? stop : end};
    return float_scan(&text, value) ? text.at : NULL;
}

static const char *scan_complex(const char *at, const char *end, Scalar *value) {
    *value = (Scalar){0};
    const char *first = scan_float(at, end, &value->re), *second;
    if (!first || first == end) return first;
    if (*first == 'j') {
        value->im = value->re;
        value->re = 0;
        return first + 1;
    }
    if (*first != '+' && *first != '-') return first;
    second = scan_float(first, end, &value->im);
    if (second && second < end && *second == 'j') return second + 1;
    value->im = 0;
    return second ? second : first; // a second number without 'j' is skipped
}

static const char *scan_number(DType dtype, const char *at, const char *end, Scalar *value) {
    const char *stop;
    double x;
    switch (dtype_kind(dtype)) {
    case DK_COMPLEX: return scan_complex(at, end, value);
    case DK_UINT: stop = scan_uint(at, end, &value->u); break;
    case DK_INT: stop = scan_int(at, end, &value->i); break;
    default:
        stop = scan_float(at, end, &x);
        if (stop && dtype == DT_BOOL) value->i = x != 0;
        else if (stop) *value = dtype_convert(DT_FLOAT64, dtype, (Scalar){.f = x});
        return stop;
    }
    return stop > at && is_decimal_digit(stop[-1]) ? stop : NULL;
}

// --- Separators --------------------------------------------------------------------------------------

// Skips a separator. Returns where the next number may begin, or NULL if the text does not match. Any amount
// of white space matches where the separator has some, and around it.
static const char *skip_separator(const Str *separator, const char *at, const char *end) {
    const char *start = at, *wanted = separator->data, *last = wanted + separator->len;
    at = skip_space(at, end);
    for (; wanted < last && at < end; wanted++) {
        if (is_space(*wanted)) at = skip_space(at, end);
        else if (*at != *wanted) return NULL;
        else at++;
    }
    at = skip_space(at, end);
    return at > start || at == end ? at : NULL;
}

typedef struct Scan {
    Vm *vm;
    DType dtype;
    const Str *separator;
    int64_t most; // numbers to read; negative: all
    int64_t count;
    bool unmatched;
    Buf elements;
} Scan;

static Status scan_all(Scan *s, const Str *text) {
    const char *at = text->data, *end = at + text->len;
    if (skip_space(at, end) == end) return ST_OK;
    while (at < end && s->count != s->most) {
        Scalar value = {0};
        char bytes[DTYPE_SIZE_MAX];
        const char *stop = scan_number(s->dtype, at, end, &value);
        if (stop) {
            dtype_store(s->dtype, bytes, value);
            buf_put(&s->elements, bytes, dtype_size(s->dtype));
            s->count++;
        }
        at = stop ? skip_separator(s->separator, stop, end) : NULL;
        if (!at) {
            s->unmatched = !stop || s->count != s->most;
            break;
        }
        if (s->count % POLL_NUMBERS == 0 && vm_poll(s->vm) != ST_OK) return ST_ERROR;
    }
    return s->elements.failed ? vm_no_memory(s->vm) : ST_OK;
}

static Status scanned(Scan *s, Value *out) {
    if (s->most > s->count)
        return vm_raise(s->vm, EXC_ValueError, "string is smaller than requested size");
    if (s->unmatched)
        return vm_raise(s->vm, EXC_ValueError, "string or file could not be read to its end due to unmatched data");
    Status st = array_new(s->vm, s->dtype, 1, &s->count, ROOM_HOST, out);
    if (st == ST_OK && s->count)
        memcpy(array_write(s->vm, out->array), s->elements.data, s->elements.len);
    return st;
}

// scan(text, dtype, separator, count): returns the array of numbers in a text.
Status numpy_scan_text(Vm *vm, const Value *args, Value *out) {
    Scan s = {.vm = vm};
    if (args[0].kind != K_STR || args[2].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "a text and a separator are required");
    if (dtype_from(vm, args[1], DT_FLOAT64, &s.dtype) != ST_OK ||
        array_long(vm, args[3], &s.most) != ST_OK)
        return op_refused(vm);
    s.separator = args[2].str;
    buf_init(&s.elements, &vm->mem);
    Status st = scan_all(&s, args[0].str);
    if (st == ST_OK) st = scanned(&s, out);
    buf_free(&s.elements);
    return st;
}
