// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A loop of a region whose rounds may be made at the same time: what whoever shares them out to
// threads has to know.

#ifndef NACRE_VM_REGION_PARALLEL_LOOPS_H
#define NACRE_VM_REGION_PARALLEL_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGION_DIMS = 6, REGION_ARRAYS = 32, REGION_BLOCKS = 512 };
enum { PARALLEL_PARAMS = 96, PARALLEL_WRITES = 8, PARALLEL_LEVELS = 12, PARALLEL_TERMS = 3 };

// Numbers as code takes and gives them: as Scalar has them, narrower floats widened.
typedef union RegionSlot {
    int64_t i;
    double f;
    char *address;
} RegionSlot;

typedef struct RegionCalls RegionCalls;

// Makes rounds of a loop: from the parameters `in` of its head until it ends, which are then in
// `out`. False: something came up; nothing that it has done counts.
typedef int32_t (*RegionRoundsFn)(const RegionSlot *slots, const volatile size_t *stop,
                                  int64_t *went, const RegionCalls *calls, const RegionSlot *in,
                                  RegionSlot *out);
typedef void (*RegionPartFn)(void *job, int part, int worker);

// What a parameter of the head is in another round.
typedef enum ParallelParam {
    PARALLEL_SAME,
    PARALLEL_STEPS, // by a number more
    PARALLEL_COUNT, // how many rounds are left
    PARALLEL_LAST,  // what the last round has made of it; no round reads it
    PARALLEL_FOLD,  // all rounds add to it, or so (vm/region/parallel_fold.h)
} ParallelParam;

// constant + step * rounds made before + links times numbers.
typedef struct ParallelSum {
    bool known; // otherwise it is anything
    int64_t constant, step;
    int term_count;
    struct {
        int32_t link;
        int64_t times;
    } terms[PARALLEL_TERMS];
} ParallelSum;

// Elements of an array that a round writes.
typedef struct ParallelWrite {
    int array;
    ParallelSum index[REGION_DIMS];
} ParallelWrite;

// Instructions in a loop within, each of whose rounds they belong to.
typedef struct ParallelLevel {
    int32_t head, around; // block; the level that this one is in. Level 0 is the loop itself
    int64_t work;
    ParallelSum rounds;
    int64_t steps[PARALLEL_LEVELS]; // of its rounds, with those of levels around it
} ParallelLevel;

typedef struct RegionParallel {
    int32_t entry, head; // blocks: where rounds begin, which ends the loop. Same parameters
    int32_t end;         // behind it
    uint64_t blocks[REGION_BLOCKS / 64];
    uint32_t line;
    int param_count, write_count, level_count, link_count;
    struct {
        uint8_t kind, type, op; // ParallelParam, DType; of PARALLEL_FOLD an OpId
        int16_t by;             // NO_VALUE, or the parameter that a PARALLEL_STEPS grows by
        int64_t step;
    } params[PARALLEL_PARAMS];
    int count_param;        // which is PARALLEL_COUNT
    uint32_t read, written; // arrays, as bits
    uint32_t folded;        // of those written: rounds only add to elements, or so
    uint8_t folds[REGION_ARRAYS];
    bool rounded;  // a fold has other last bits in another order
    bool nests;    // there are some, for which there may have to be a scratch
    bool declared; // the program says that the rounds are independent
    ParallelWrite writes[PARALLEL_WRITES];
    ParallelLevel levels[PARALLEL_LEVELS];
} RegionParallel;
enum { PARALLEL_LOOPS = 16, PARALLEL_LINKS = 64 };

#endif
