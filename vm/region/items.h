// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parallel loops as kernels of a device: a work item for each iteration, or for each pair of an iteration and one of
// the inner loop (ParallelWithin). An item runs the loop's blocks with all their checks. If one would leave the
// region, it reports so, and the device's memory is restored. The host then repeats the iterations, up to the
// statement that leaves.

#ifndef NACRE_VM_REGION_ITEMS_H
#define NACRE_VM_REGION_ITEMS_H

#include "vm/region/parallel_run.h"

enum { ITEMS_GIVEN_UP = 8 }; // a loop that failed this often on a device or on ranks is not tried there again
// ITEMS_TAIL: number of last iterations whose variables the host receives.
enum { ITEMS_WORDS = 256, ITEMS_TAIL = 4, ITEMS_RESULTS = 512, ITEMS_ARRAYS = 16 };

// Words of 8 bytes that the items receive, in this order: the loop's iteration count; the most iterations of the inner
// loop (1: there is none); the head's parameters before the loop; for each array its first element's offset, its
// extents and strides; the value of each RG_INPUT of the region, in the order of its code. Floats are doubles.
//
// Words that the host receives: whether an item failed; for each of the last iterations, whether any iteration of the
// inner loop was run, and for each PARALLEL_LAST whether it was set, and its value.
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
    int number; // of the parallel loop in region->parallels
    ItemsKey *key;
    int64_t words[ITEMS_WORDS], results[ITEMS_RESULTS];
    int word_count, result_count;
    // Called with the results; updates the head's parameters. False: the device's memory has to be restored.
    bool (*accept)(struct RegionItems *items);
    // For each array that is read or written: the device's memory and its size in bytes.
    struct {
        void *memory;
        size_t bytes;
    } memories[REGION_ARRAYS];
} RegionItems;

// Returns whether a device can represent the loop.
bool items_may_run(const Region *region, const RegionParallel *loop);
// Size of a loop, by which the scheduler chooses between device and host: estimated instructions, and work items.
typedef struct ItemsSize {
    double work, items;
} ItemsSize;
ItemsSize items_size(const ParallelRun *run, const RegionSlot *state);
// Runs all iterations by `fn`, which runs the items and returns whether they succeeded. Returns how many iterations
// were run: all, with the head's parameters updated, or 0.
typedef bool (*ItemsFn)(void *context, RegionItems *items);
int64_t items_run(const ParallelRun *run, ItemsKey *key, char *const *bases, ItemsFn fn, void *context, RegionSlot *state);

// parallel_run.c. parallel_unset returns a value that variables hardly ever have, which marks them as unset;
// parallel_advanced returns a parameter's value after a number of iterations.
RegionSlot parallel_unset(DType type);
RegionSlot parallel_advanced(const RegionParallel *loop, const RegionSlot *state, int param, int64_t rounds);

#endif
