// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays in NumPy's file format: magic, version, length of the header, the header as a Python dictionary, elements.

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "npy.h"

static const struct {
    const char *dtype, *descr;
    size_t item;
} types[] = {
    {"bool", "|b1", 1},    {"int8", "|i1", 1},    {"int16", "<i2", 2},     {"int32", "<i4", 4},
    {"int64", "<i8", 8},   {"uint8", "|u1", 1},   {"uint16", "<u2", 2},    {"uint32", "<u4", 4},
    {"uint64", "<u8", 8},  {"float16", "<f2", 2}, {"float32", "<f4", 4},   {"float64", "<f8", 8},
    {"complex64", "<c8", 8}, {"complex128", "<c16", 16},
};
enum { TYPES = sizeof types / sizeof *types };

size_t npy_item(const char *dtype) {
    for (int i = 0; i < TYPES; i++)
        if (strcmp(types[i].dtype, dtype) == 0) return types[i].item;
    return 0;
}

static const char *descr_of(const char *dtype) {
    for (int i = 0; i < TYPES; i++)
        if (strcmp(types[i].dtype, dtype) == 0) return types[i].descr;
    return "|u1";
}

bool npy_write(const Npy *array, const char *path) {
    Text head = {0};
    text_printf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                descr_of(array->dtype));
    for (int d = 0; d < array->ndim; d++)
        text_printf(&head, "%s%lld", d ? ", " : "", (long long)array->shape[d]);
    text_puts(&head, array->ndim == 1 ? ",), }" : "), }");
    while ((10 + head.len + 1) % 64) text_puts(&head, " ");
    text_puts(&head, "\n");
    FILE *file = head.failed ? NULL : fopen(path, "wb");
    unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(head.len & 255),
                               (unsigned char)(head.len >> 8)};
    bool done = file && fwrite(start, 1, sizeof start, file) == sizeof start &&
                fwrite(head.bytes, 1, head.len, file) == head.len &&
                fwrite(array->data, 1, array->bytes, file) == array->bytes;
    if (file && fclose(file) != 0) done = false;
    text_free(&head);
    return done;
}

// Returns the value of a key in the header; NULL: the key is missing.
static const char *value_of(const char *head, const char *key) {
    const char *at = strstr(head, key);
    if (!at) return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at != ':') return NULL;
    return at + 1 + strspn(at + 1, " ");
}

static bool read_shape(const char *at, Npy *out) {
    __int128 count = 1;
    out->ndim = 0;
    if (*at++ != '(') return false;
    for (;;) {
        at += strspn(at, " ");
        if (*at == ')') break;
        int64_t extent = 0;
        if (*at < '0' || *at > '9' || out->ndim == NPY_DIMS) return false;
        for (; *at >= '0' && *at <= '9'; at++)
            if (__builtin_mul_overflow(extent, 10, &extent) ||
                __builtin_add_overflow(extent, *at - '0', &extent))
                return false;
        out->shape[out->ndim++] = extent;
        count *= extent;
        if (count > INT64_MAX) return false;
        at += strspn(at, " ");
        if (*at == ',') at++;
        else if (*at != ')') return false;
    }
    out->bytes = (size_t)count;
    return true;
}

static const char *parse(Text *text, Npy *out) {
    const unsigned char *bytes = (const unsigned char *)text->bytes;
    size_t at = 10, len;
    if (text->len < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return "is no .npy file";
    len = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1) {
        at = 12;
        len |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (len > text->len - at || len == 0) return "ends within its header";
    char *head = text->bytes + at;
    head[len - 1] = '\0'; // replaces a newline
    const char *descr = value_of(head, "'descr'"), *order = value_of(head, "'fortran_order'");
    const char *shape = value_of(head, "'shape'");
    if (!descr || !order || !shape) return "has a header without descr, fortran_order or shape";
    if (strncmp(order, "False", 5) != 0) return "is in Fortran's order, and C order is wanted";
    out->dtype = NULL;
    for (int i = 0; i < TYPES; i++) {
        size_t n = strlen(types[i].descr);
        if (*descr != '\'' || strncmp(descr + 1, types[i].descr, n) != 0 || descr[1 + n] != '\'')
            continue;
        out->dtype = types[i].dtype;
        out->item = types[i].item;
    }
    if (!out->dtype) return "has a dtype that is not known here";
    if (!read_shape(shape, out)) return "has no shape";
    if (__builtin_mul_overflow(out->bytes, out->item, &out->bytes) ||
        out->bytes != text->len - at - len)
        return "has another number of bytes than its shape says";
    out->data = head + len;
    return NULL;
}

const char *npy_read(const char *path, Text *text, Npy *out) {
    text_clear(text);
    if (!text_read_file(text, path)) return strerror(errno);
    return parse(text, out);
}
