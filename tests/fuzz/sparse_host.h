// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A host for operations on sparse matrices outside the library: every array has memory of its own, of exactly its size, so
// that AddressSanitizer sees what goes beyond.

#ifndef NACRE_TESTS_FUZZ_SPARSE_HOST_H
#define NACRE_TESTS_FUZZ_SPARSE_HOST_H

#include <stdlib.h>

#include "stdlib/sparse/ops.h"

enum { FUZZ_KEPT = 64, FUZZ_MOST = 1 << 24 };

typedef struct FuzzCall {
    SparseCall call; // first: operations have a pointer to it
    void *kept[FUZZ_KEPT];
    int count;
    int64_t wholes[SPARSE_RESULTS];
    int wholes_count;
} FuzzCall;

static void *fuzz_scratch(SparseCall *call, size_t bytes) {
    FuzzCall *f = (FuzzCall *)call;
    void *made = bytes <= FUZZ_MOST && f->count < FUZZ_KEPT ? malloc(bytes ? bytes : 1) : NULL;
    if (made) f->kept[f->count++] = made;
    else call->error = SPARSE_NO_MEMORY;
    return made;
}

static void *fuzz_array(SparseCall *call, DType type, int64_t count) {
    size_t size = type == DT_BOOL || type == DT_UINT8 ? 1 : type == DT_INT32 ? 4 : 8;
    return fuzz_scratch(call, (size_t)count * size);
}

static void fuzz_whole(SparseCall *call, int64_t value) {
    FuzzCall *f = (FuzzCall *)call;
    if (f->wholes_count < SPARSE_RESULTS) f->wholes[f->wholes_count++] = value;
}

static void fuzz_number(SparseCall *call, double value) {
    fuzz_whole(call, (int64_t)value);
}

static void fuzz_share(SparseCall *call, SparsePartFn run, void *job, int parts) {
    for (int i = parts; i-- > 0;) run(job, i, i % call->threads); // in any order
}

static bool fuzz_stopped(const SparseCall *call) {
    (void)call;
    return false;
}

static const SparseHost fuzz_host = {.array = fuzz_array, .number = fuzz_number, .whole = fuzz_whole,
                                     .scratch = fuzz_scratch, .share = fuzz_share, .stopped = fuzz_stopped};

// Runs an operation on these arguments; 0 to 2^24 bytes each.
static void fuzz_run(FuzzCall *f, void (*op)(SparseCall *), const SparseArg *args, int count) {
    *f = (FuzzCall){.call = {.host = &fuzz_host, .args = args, .count = count, .threads = 3}};
    op(&f->call);
}

static void fuzz_free(FuzzCall *f) {
    while (f->count > 0) free(f->kept[--f->count]);
}

static SparseArg fuzz_number_arg(int64_t value) {
    return (SparseArg){.kind = SPARSE_NUMBER, .whole = value, .number = (double)value};
}

static SparseArg fuzz_array_arg(void *data, int64_t count, DType type) {
    return (SparseArg){.kind = SPARSE_ARRAY, .data = data, .count = count, .type = type};
}

#endif
