// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writes lines of the body of a Matrix Market file, on all threads. Floats get the fewest digits that identify them
// (shortest round trip), or a given number of digits.

#include <math.h>

#include "stdlib/sparse/mm.h"
#include "vm/value/float_text.h"

enum { WHOLE_MOST = 21, SHORTEST_MOST = 32, PRECISION_MOST = 1000 };

typedef struct WriteJob {
    const SparseArg *rows, *columns, *values;
    int64_t from, end;
    int precision; // significant digits; negative: the shortest that round-trip
    int parts;
    size_t line_most;
    char *text;    // each part writes to its own range
    size_t *sizes; // bytes written, by part
} WriteJob;

// --- Numbers: writers return the end of what they wrote --------------------------------------------

static char *put_whole(char *to, uint64_t n, bool negative) {
    char digits[20];
    int at = (int)sizeof digits;
    if (negative) *to++ = '-';
    do digits[--at] = (char)('0' + n % 10);
    while (n /= 10);
    size_t count = sizeof digits - (size_t)at;
    memcpy(to, digits + at, count);
    return to + count;
}

static char *put_text(char *to, const char *text) {
    size_t size = strlen(text);
    memcpy(to, text, size);
    return to + size;
}

// Writes the shortest digits that identify the number, like 1.25E-7, 3 or 1E5.
static char *put_shortest(char *to, FloatParts parts) {
    Decimal d = float_shortest(parts);
    char *first = to + 1;
    char *end = put_whole(first, d.digits, false);
    int exponent = d.exponent + (int)(end - first) - 1;
    *to = *first;
    if (end - first > 1) *first = '.';
    else end = first;
    if (exponent == 0) return end;
    *end++ = 'E';
    return put_whole(end, (uint64_t)(exponent < 0 ? -exponent : exponent), exponent < 0);
}

// Writes `precision` significant digits, like 1.25e-07.
static char *put_digits(char *to, double d, int precision) {
    int count = precision > 0 ? precision : 1, exponent = 0;
    FloatDigits digits = {.count = 0};
    if (d != 0) {
        float_digits_significant(d, count, &digits);
        exponent = digits.point - 1;
    }
    for (int i = 0; i < count; i++) {
        *to++ = i < digits.count ? digits.text[i] : '0';
        if (i == 0 && count > 1) *to++ = '.';
    }
    to = put_text(to, exponent < 0 ? "e-" : "e+");
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent < 10) *to++ = '0';
    return put_whole(to, (uint64_t)exponent, false);
}

static char *put_float(char *to, double d, bool narrow, int precision) {
    if (isnan(d)) return put_text(to, precision < 0 ? "NaN" : "nan");
    if (signbit(d)) *to++ = '-';
    d = fabs(d);
    if (isinf(d)) return put_text(to, "Infinity");
    if (precision >= 0) return put_digits(to, d, precision);
    if (d == 0) return put_text(to, "0");
    return put_shortest(to, narrow ? float32_parts((float)d) : float_parts(d));
}

static char *put_value(char *to, const SparseArg *values, int64_t k, int precision) {
    const double *wide = values->data;
    const float *narrow = values->data;
    int64_t n;
    switch (values->type) {
    case DT_INT64:
        n = ((const int64_t *)values->data)[k];
        return put_whole(to, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, n < 0);
    case DT_UINT64: return put_whole(to, ((const uint64_t *)values->data)[k], false);
    case DT_FLOAT64: return put_float(to, wide[k], false, precision);
    case DT_FLOAT32: return put_float(to, (double)narrow[k], true, precision);
    case DT_COMPLEX128:
        to = put_float(to, wide[2 * k], false, precision);
        *to++ = ' ';
        return put_float(to, wide[2 * k + 1], false, precision);
    default: // complex64
        to = put_float(to, (double)narrow[2 * k], true, precision);
        *to++ = ' ';
        return put_float(to, (double)narrow[2 * k + 1], true, precision);
    }
}

// --- Lines -----------------------------------------------------------------------------------------

static char *stretch(const WriteJob *j, int part) {
    return j->text + (size_t)part_begin(j->end - j->from, part, j->parts) * j->line_most;
}

static void write_part(void *argument, int part, int worker) {
    WriteJob *j = argument;
    int64_t lines = j->end - j->from, k = j->from + part_begin(lines, part, j->parts);
    int64_t end = j->from + part_begin(lines, part + 1, j->parts);
    char *begin = stretch(j, part), *to = begin;
    (void)worker;
    for (; k < end; k++) {
        if (j->rows->kind != SPARSE_NONE) {
            to = put_whole(to, (uint64_t)index_at(j->rows, k) + 1, false);
            *to++ = ' ';
            to = put_whole(to, (uint64_t)index_at(j->columns, k) + 1, false);
            if (j->values->kind != SPARSE_NONE) *to++ = ' ';
        }
        if (j->values->kind != SPARSE_NONE) to = put_value(to, j->values, k, j->precision);
        *to++ = '\n';
    }
    j->sizes[part] = (size_t)(to - begin);
}

static bool is_written(DType type) {
    return type == DT_INT64 || type == DT_UINT64 || type == DT_FLOAT64 || type == DT_FLOAT32 || type == DT_COMPLEX128 || type == DT_COMPLEX64;
}

static bool is_index(const SparseArg *arg, int64_t least) {
    return arg->kind == SPARSE_ARRAY && (arg->type == DT_INT32 || arg->type == DT_INT64) && arg->count >= least;
}

static bool check_written(SparseCall *call, const WriteJob *j) {
    bool fine = j->from >= 0 && j->from <= j->end && (j->rows->kind != SPARSE_NONE || j->values->kind != SPARSE_NONE) &&
                (j->rows->kind == SPARSE_NONE) == (j->columns->kind == SPARSE_NONE) &&
                (j->rows->kind == SPARSE_NONE || (is_index(j->rows, j->end) && is_index(j->columns, j->end))) &&
                (j->values->kind == SPARSE_NONE ||
                 (j->values->kind == SPARSE_ARRAY && is_written(j->values->type) && j->values->count >= j->end));
    if (!fine) SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "mm_write: arrays of other types or sizes are expected");
    return fine;
}

// mm_write(rows, columns, values, from, end, precision): returns the lines of the entries [from, end) as an array of
// bytes. rows and columns are None for files of dense arrays, values for patterns. A negative precision means the
// shortest digits that identify a number.
void op_mm_write(SparseCall *call) {
    const SparseArg *args = call->args;
    const SparseHost *host = call->host;
    int64_t precision = args[5].whole < PRECISION_MOST ? args[5].whole : PRECISION_MOST;
    WriteJob j = {.rows = &args[0], .columns = &args[1], .values = &args[2], .from = args[3].whole, .end = args[4].whole,
                  .precision = precision < 0 ? -1 : (int)precision};
    if (!check_written(call, &j)) return;
    j.line_most = (size_t)(2 * WHOLE_MOST + 2 * (SHORTEST_MOST + (j.precision > 0 ? j.precision : 0)));
    j.parts = parts_of(call, (j.end - j.from) * 8, j.end - j.from);
    j.text = host->scratch(call, (size_t)(j.end - j.from) * j.line_most);
    j.sizes = host->scratch(call, (size_t)j.parts * sizeof *j.sizes);
    if (!j.text || !j.sizes) return;
    host->share(call, write_part, &j, j.parts);
    size_t size = 0;
    for (int i = 0; i < j.parts; i++) size += j.sizes[i];
    char *to = host->array(call, DT_UINT8, (int64_t)size);
    for (int i = 0; to && i < j.parts; i++) {
        memcpy(to, stretch(&j, i), j.sizes[i]);
        to += j.sizes[i];
    }
}
