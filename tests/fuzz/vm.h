// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the targets share that run programs in a VM: checks that end the run, and an allocator that counts.

#ifndef NACRE_TESTS_FUZZ_VM_H
#define NACRE_TESTS_FUZZ_VM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// A finding: libFuzzer keeps the input of a process that aborts.
static inline void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

// The bytes that a VM has got from count_bytes, whose context this is.
typedef struct Counted {
    size_t bytes, peak;
} Counted;

static inline void *count_bytes(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    Counted *counted = ctx;
    void *fresh = NULL;
    if (new_size) {
        fresh = realloc(ptr, new_size);
        if (!fresh) return NULL;
    } else {
        free(ptr);
    }
    counted->bytes += new_size - (ptr ? old_size : 0);
    if (counted->bytes > counted->peak) counted->peak = counted->bytes;
    return fresh;
}

#endif
