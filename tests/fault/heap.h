// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// An allocator that fails when told to, and keeps the books of what it gave out.

#ifndef NACRE_TESTS_FAULT_HEAP_H
#define NACRE_TESTS_FAULT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Heap {
    size_t blocks, bytes; // given out now
    uint64_t requests;    // since heap_arm
    uint64_t fail_at;     // the request that fails, counted from 1; 0: none
    bool sticky;          // … and all after it
    uint64_t refused;
    unsigned wrong_sizes; // blocks given back with another size than they were asked for
} Heap;

// Counts requests anew; `fail_at` 0 lets all succeed.
void heap_arm(Heap *heap, uint64_t fail_at, bool sticky);

// A NacreAllocFn; ctx is the Heap.
void *heap_alloc(void *ctx, void *block, size_t old_size, size_t new_size);

#endif
