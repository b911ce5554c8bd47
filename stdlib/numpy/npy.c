// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parses the header of a .npy file, versions 1 to 3: magic, version, length, and a Python dict literal
// such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. A pure function of the bytes.

#include <string.h>

#include "stdlib/numpy/numpy.h"

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static void skip_blanks(Cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')) c->at++;
}

static bool take(Cursor *c, char wanted) {
    skip_blanks(c);
    if (c->at >= c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

static bool take_word(Cursor *c, const char *word) {
    size_t len = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0) return false;
    c->at += len;
    return true;
}

static bool take_string(Cursor *c, const char **text, size_t *len) {
    skip_blanks(c);
    if (c->at >= c->end || (*c->at != '\'' && *c->at != '"')) return false;
    char quote = *c->at++;
    *text = c->at;
    while (c->at < c->end && *c->at != quote) {
        if (*c->at == '\\') return false;
        c->at++;
    }
    if (c->at >= c->end) return false;
    *len = (size_t)(c->at++ - *text);
    return true;
}

static bool take_int(Cursor *c, int64_t *out) {
    skip_blanks(c);
    const char *begin = c->at;
    int64_t value = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *c->at - '0', &value))
            return false;
    *out = value;
    return c->at > begin;
}

static bool take_shape(Cursor *c, NpyHeader *out) {
    if (!take(c, '(')) return false;
    while (!take(c, ')')) {
        if (out->ndim == NDIM_MAX || !take_int(c, &out->shape[out->ndim++])) return false;
        take(c, 'L'); // written by Python 2
        if (!take(c, ',')) return out->ndim > 1 && take(c, ')'); // (10) is no tuple
    }
    return true;
}

static bool take_order(Cursor *c, NpyHeader *out) {
    out->fortran_order = take_word(c, "True");
    return out->fortran_order || take_word(c, "False");
}

static NpyProblem take_descr(Cursor *c, NpyHeader *out) {
    bool swapped;
    if (!take_string(c, &out->descr, &out->descr_len)) return NPY_BAD_HEADER;
    if (out->descr_len == 2 && out->descr[1] == 'O') return NPY_OBJECTS;
    out->dtype = dtype_by_name(out->descr, out->descr_len, &swapped);
    if (out->dtype == DT_NONE) return NPY_BAD_DTYPE;
    return swapped ? NPY_SWAPPED : NPY_OK;
}

enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

static NpyProblem take_entry(Cursor *c, NpyHeader *out, int *seen) {
    const char *key;
    size_t len;
    if (!take_string(c, &key, &len) || !take(c, ':')) return NPY_BAD_HEADER;
    if (len == 5 && memcmp(key, "descr", 5) == 0) {
        *seen |= SEEN_DESCR;
        return take_descr(c, out);
    }
    if (len == 13 && memcmp(key, "fortran_order", 13) == 0) {
        *seen |= SEEN_ORDER;
        return take_order(c, out) ? NPY_OK : NPY_BAD_HEADER;
    }
    if (len == 5 && memcmp(key, "shape", 5) == 0 && !(*seen & SEEN_SHAPE)) {
        *seen |= SEEN_SHAPE;
        return take_shape(c, out) ? NPY_OK : NPY_BAD_HEADER;
    }
    return NPY_BAD_HEADER;
}

static NpyProblem take_dict(Cursor *c, NpyHeader *out) {
    int seen = 0;
    if (!take(c, '{')) return NPY_BAD_HEADER;
    while (!take(c, '}')) {
        NpyProblem problem = take_entry(c, out, &seen);
        if (problem != NPY_OK) return problem;
        if (!take(c, ',') && (c->at >= c->end || *c->at != '}')) return NPY_BAD_HEADER;
    }
    skip_blanks(c);
    return seen == SEEN_ALL && c->at == c->end ? NPY_OK : NPY_BAD_HEADER;
}

static NpyProblem check_data(size_t len, NpyHeader *out) {
    size_t wanted = dtype_size(out->dtype);
    for (int d = 0; d < out->ndim; d++)
        if (__builtin_mul_overflow(wanted, (size_t)out->shape[d], &wanted)) return NPY_TOO_LARGE;
    out->wanted = wanted;
    out->got = len - out->data_at;
    return out->got < wanted ? NPY_SHORT_DATA : NPY_OK;
}

NpyProblem npy_parse(const char *bytes, size_t len, NpyHeader *out) {
    memset(out, 0, sizeof *out);
    out->wanted = 8;
    out->got = len;
    if (len < 8) return NPY_SHORT_HEADER;
    if (memcmp(bytes, "\x93NUMPY", 6) != 0) return NPY_NO_MAGIC;
    out->version[0] = (unsigned char)bytes[6];
    out->version[1] = (unsigned char)bytes[7];
    if (out->version[0] < 1 || out->version[0] > 3 || out->version[1] != 0) return NPY_BAD_VERSION;
    size_t width = out->version[0] == 1 ? 2 : 4, header = 0;
    out->wanted = width;
    out->got = len - 8;
    if (len < 8 + width) return NPY_SHORT_HEADER;
    for (size_t i = 0; i < width; i++) header |= (size_t)(unsigned char)bytes[8 + i] << 8 * i;
    out->wanted = header;
    out->got = len - 8 - width;
    if (out->got < header) return NPY_SHORT_HEADER;
    Cursor c = {bytes + 8 + width, bytes + 8 + width + header};
    out->data_at = 8 + width + header;
    NpyProblem problem = take_dict(&c, out);
    return problem == NPY_OK ? check_data(len, out) : problem;
}
