// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Checks of index pointers and indices, and conversion between index pointers and the line of each entry.

#include "stdlib/sparse/ops.h"

bool check_index_type(SparseCall *call, const SparseArg *indices) {
    if (indices->kind == SPARSE_ARRAY && (indices->type == DT_INT32 || indices->type == DT_INT64)) return true;
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indices have to be an array of int32 or int64");
    return false;
}

typedef struct CopyJob {
    char *to;
    const char *from;
    size_t bytes;
    int parts;
} CopyJob;

static void copy_part(void *job, int part, int worker) {
    const CopyJob *j = job;
    size_t from = (size_t)part_begin((int64_t)j->bytes, part, j->parts);
    (void)worker;
    memcpy(j->to + from, j->from + from, (size_t)part_begin((int64_t)j->bytes, part + 1, j->parts) - from);
}

void copy_bytes(SparseCall *call, void *to, const void *from, size_t bytes) {
    CopyJob j = {to, from, bytes, parts_of(call, (int64_t)(bytes / 8), call->threads)};
    if (bytes > 0) call->host->share(call, copy_part, &j, j.parts);
}

bool check_indptr(SparseCall *call, const SparseArg *indptr, int64_t entries) {
    int64_t last = 0;
    if (indptr->kind != SPARSE_ARRAY || (indptr->type != DT_INT32 && indptr->type != DT_INT64) || indptr->count < 1) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "index pointer has to be an array of int32 or int64");
        return false;
    }
    if (index_at(indptr, 0) != 0) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "index pointer should start with 0");
        return false;
    }
    for (int64_t i = 1; i < indptr->count; i++) {
        int64_t next = index_at(indptr, i);
        if (next < last) {
            SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indptr values must not decrease with increasing index");
            return false;
        }
        last = next;
    }
    if (last <= entries) return true;
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "Last value of index pointer should be less than the size of index and data arrays");
    return false;
}

typedef struct IndicesJob {
    const SparseArg *indices;
    int64_t extent;
    int parts;
    bool *outside; // by part
} IndicesJob;

#define OUTSIDE(I)                                                                                       \
    static bool outside_##I(const I *at, int64_t n, int64_t extent) {                                    \
        bool any = false;                                                                                \
        for (int64_t i = 0; i < n; i++) any |= at[i] < 0 || at[i] >= extent;                             \
        return any;                                                                                      \
    }
OUTSIDE(int32_t)
OUTSIDE(int64_t)

static void indices_part(void *argument, int part, int worker) {
    IndicesJob *j = argument;
    int64_t from = part_begin(j->indices->count, part, j->parts), n = part_begin(j->indices->count, part + 1, j->parts) - from;
    (void)worker;
    j->outside[part] = j->indices->type == DT_INT64
                           ? outside_int64_t((const int64_t *)j->indices->data + from, n, j->extent)
                           : outside_int32_t((const int32_t *)j->indices->data + from, n, j->extent);
}

bool check_indices(SparseCall *call, const SparseArg *indices, int64_t extent) {
    if (!check_index_type(call, indices)) return false;
    IndicesJob j = {.indices = indices, .extent = extent, .parts = parts_of(call, indices->count, indices->count)};
    j.outside = call->host->scratch(call, (size_t)j.parts);
    if (!j.outside) return false;
    call->host->share(call, indices_part, &j, j.parts);
    bool any = false;
    for (int i = 0; i < j.parts; i++) any |= j.outside[i];
    if (any) SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indices must be >= 0 and < %lld", (long long)extent);
    return !any;
}

typedef struct ExpandJob {
    const SparseArg *indptr;
    void *to;
    int parts;
} ExpandJob;

#define EXPAND(I)                                                                          \
    static void expand_##I(const I *indptr, I *to, int64_t from, int64_t end) {            \
        for (int64_t line = from; line < end; line++)                                      \
            for (I k = indptr[line]; k < indptr[line + 1]; k++) to[k] = (I)line;           \
    }
EXPAND(int32_t)
EXPAND(int64_t)

static void expand_part(void *argument, int part, int worker) {
    ExpandJob *j = argument;
    int64_t lines = j->indptr->count - 1, from = part_begin(lines, part, j->parts), end = part_begin(lines, part + 1, j->parts);
    (void)worker;
    if (j->indptr->type == DT_INT64) expand_int64_t(j->indptr->data, j->to, from, end);
    else expand_int32_t(j->indptr->data, j->to, from, end);
}

// expand_indptr(indptr, entries): returns the line of each entry, in the type of indptr.
void op_expand_indptr(SparseCall *call) {
    const SparseArg *indptr = &call->args[0];
    if (!check_indptr(call, indptr, call->args[1].whole)) return;
    ExpandJob j = {.indptr = indptr};
    j.to = call->host->array(call, indptr->type, index_at(indptr, indptr->count - 1));
    if (!j.to) return;
    j.parts = parts_of(call, call->args[1].whole + indptr->count, indptr->count - 1);
    call->host->share(call, expand_part, &j, j.parts);
}

// count_lines(lines, first, count): returns the indptr of `count` lines from `first`. `lines` has the line of each
// entry and has to ascend.
void op_count_lines(SparseCall *call) {
    const SparseArg *a = call->args;
    const int64_t first = a[1].whole, count = a[2].whole;
    int64_t line = 0;
    if (!check_index_type(call, &a[0])) return;
    void *indptr = count >= 0 ? call->host->array(call, a[0].type, count + 1) : NULL;
    if (!indptr) return;
    set_index(indptr, a[0].type, 0, 0);
    for (int64_t k = 0; k < a[0].count; k++) {
        const int64_t at = index_at(&a[0], k) - first;
        if (at < line || at >= count) {
            SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "lines of entries have to ascend");
            return;
        }
        while (line < at) set_index(indptr, a[0].type, ++line, k);
    }
    while (line < count) set_index(indptr, a[0].type, ++line, a[0].count);
}
