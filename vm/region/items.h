// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parallel loops as kernels of a device: a work item for each iteration, or for each pair of iterations of the loop and
// of the one within (ParallelWithin). An item does what the loop's blocks say, with all their checks. One that would
// leave the region says so, and then memory is as it was before: the host makes the iterations again, up to the very
// statement.

#ifndef NACRE_VM_REGION_ITEMS_H
#define NACRE_VM_REGION_ITEMS_H

#include "vm/region/parallel_run.h"

// ITEMS_TAIL: iterations, the last ones, of which the host gets the variables that they set.
enum { ITEMS_GIVEN_UP = 8 }; // a loop that gave up so often is not tried any more
enum { ITEMS_WORDS = 256, ITEMS_TAIL = 4, ITEMS_RESULTS = 512, ITEMS_ARRAYS = 16 };

// Numbers that the items get, each 8 bytes, in this order: iterations of the loop; of the one within, at most (1: there
// is none); the head's parameters before the loop; of each array its first element's offset, its extents and
// strides; the value of each RG_INPUT of the region, in the order of its code. Floats are doubles.
// What the host gets, likewise: whether an item gave up; for each of the last iterations whether it made any iteration of the
// loop within, and for each PARALLEL_LAST whether it was set, and its value.
enum { ITEMS_ROUNDS, ITEMS_WIDTH, ITEMS_PARAMS };
static inline uint32_t items_arrays(const RegionParallel *loop) {
    return loop->read | loop->written;
}
static inline int items_array_words(const RegionArray *array) {
    return 1 + 2 * array->ndim;
}
static inline int items_lasts(const RegionParallel *loop) {
    int count = 0;
    for (int i = 0; i < loop->param_count; i++) count += loop->params[i].kind == PARALLEL_LAST;
    return count;
}
static inline int items_results(const RegionParallel *loop) {
    return 1 + ITEMS_TAIL * (1 + 2 * items_lasts(loop));
}

// A device's cache entry for a loop's code, kept from run to run; initially zeros.
typedef struct ItemsKey {
    bool known, refused;
    uint8_t hash[15];
} ItemsKey;

typedef struct RegionItems {
    const Region *region;
    int number; // of the parallel loop
    ItemsKey *key;
    int64_t words[ITEMS_WORDS], results[ITEMS_RESULTS];
    int word_count, result_count;
    // Asked once the results are there. False: memory is put back.
    bool (*accept)(struct RegionItems *items);
    // For each array that is read or written: the device's memory and its size in bytes.
    struct {
        void *memory;
        size_t bytes;
    } memories[REGION_ARRAYS];
} RegionItems;

// Returns whether a device can represent the loop.
bool items_may_run(const Region *region, const RegionParallel *loop);
// How much work there is (instructions), and work items: what decides about the device.
typedef struct ItemsSize {
    double work, items;
} ItemsSize;
ItemsSize items_size(const ParallelRun *run, const RegionSlot *state);
// Makes all iterations, on whatever runs the items: true if it did. Returns how many: all, with the head's parameters
// brought up to date, or none.
typedef bool (*ItemsFn)(void *context, RegionItems *items);
int64_t items_run(const ParallelRun *run, ItemsKey *key, char *const *bases, ItemsFn fn, void *context, RegionSlot *state);

// As in parallel_run.c: a value that variables hardly ever have; a parameter after a number of iterations.
RegionSlot parallel_unset(DType type);
RegionSlot parallel_advanced(const RegionParallel *loop, const RegionSlot *state, int param, int64_t rounds);

#endif
