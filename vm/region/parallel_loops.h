// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The description of a parallel loop, for the code that distributes its iterations to threads, work items or ranks.

#ifndef NACRE_VM_REGION_PARALLEL_LOOPS_H
#define NACRE_VM_REGION_PARALLEL_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGION_DIMS = 6, REGION_ARRAYS = 32, REGION_BLOCKS = 512 };
enum { PARALLEL_PARAMS = 96, PARALLEL_WITHIN_PARAMS = 64, PARALLEL_WRITES = 8, PARALLEL_READS = 16,
       PARALLEL_CHECKS = 32, PARALLEL_LEVELS = 12, PARALLEL_INNER = 4, PARALLEL_TERMS = 3 };

// A number as compiled code passes it: laid out as Scalar, with narrow floats widened.
typedef union RegionSlot {
    int64_t i;
    double f;
    char *address;
} RegionSlot;

typedef struct RegionCalls RegionCalls;

// Runs iterations from the head's parameters `in` until the loop ends, and returns the final ones
// in `out`. False: a check failed and the effects must be discarded.
typedef int32_t (*RegionRoundsFn)(const RegionSlot *slots, const volatile size_t *stop,
                                  int64_t *went, const RegionCalls *calls, const RegionSlot *in,
                                  RegionSlot *out);
typedef void (*RegionPartFn)(void *job, int part, int worker);

// How a head parameter changes between iterations.
typedef enum ParallelParam {
    PARALLEL_SAME,
    PARALLEL_STEPS, // grows by a constant or an invariant parameter
    PARALLEL_COUNT, // counts the remaining iterations
    PARALLEL_LAST,  // assigned by each iteration, never read by one
    PARALLEL_FOLD,  // accumulator of a reduction (vm/region/parallel_fold.h)
} ParallelParam;

// How one parameter of a loop's head changes.
typedef struct ParallelChange {
    uint8_t kind, type, op; // ParallelParam, DType; for PARALLEL_FOLD also an OpId
    int16_t by;             // the parameter that a PARALLEL_STEPS grows by, or NO_VALUE
    int64_t step;
} ParallelChange;

// An affine sum: constant + step * iteration + links times coefficients.
typedef struct ParallelSum {
    bool known; // false: can be anything
    int64_t constant, step;
    int term_count;
    struct {
        int32_t link;
        int64_t times;
    } terms[PARALLEL_TERMS];
} ParallelSum;

// Array elements that an iteration reads or writes.
typedef struct ParallelAccess {
    int array;
    bool moves[REGION_DIMS]; // whether the index also depends on counters of inner loops
    ParallelSum index[REGION_DIMS];
    int64_t inner[REGION_DIMS][PARALLEL_INNER]; // coefficients of inner counters, by number in RegionParallel.inner
} ParallelAccess;

// An inner loop, with its instructions per iteration (`work`) and its iteration count.
typedef struct ParallelLevel {
    int32_t head, around; // head block (NO_VALUE: a dimension of a nest); enclosing level (0: the parallel loop)
    int64_t work;
    ParallelSum rounds;
    bool most; // `rounds` is an upper bound
    int64_t steps[PARALLEL_LEVELS]; // coefficients of this and the enclosing levels' counters
} ParallelLevel;

// A check of an iteration, which leaves the region unless the sum is in range.
typedef struct ParallelCheck {
    int array, dim; // the range is that of the indexes of this dimension; array NO_ARRAY: of int64
    ParallelSum sum;
    int64_t inner[PARALLEL_INNER]; // coefficients of inner counters
} ParallelCheck;
enum { NO_ARRAY = -1 };

// An inner loop whose iterations are independent, too, while the code around it has no effects: each pair of an outer
// and an inner iteration can be a work item of a device.
typedef struct ParallelWithin {
    int32_t head; // 0: there is none
    int level;    // number in RegionParallel.levels
    int param_count, count_param;
    ParallelChange params[PARALLEL_WITHIN_PARAMS];
    uint64_t blocks[REGION_BLOCKS / 64];
} ParallelWithin;

typedef struct RegionParallel {
    int32_t entry, head; // blocks: the start of an iteration, and the head that ends the loop. Both
                         // have the same parameters
    int32_t end;         // the block after the loop
    uint64_t blocks[REGION_BLOCKS / 64];
    uint32_t line;
    int param_count, write_count, level_count, link_count;
    ParallelChange params[PARALLEL_PARAMS];
    int count_param;        // the PARALLEL_COUNT parameter
    ParallelWithin within;
    uint32_t read, written; // sets of arrays, as bits
    uint32_t folded;        // written arrays that iterations only fold into
    uint8_t folds[REGION_ARRAYS];
    bool rounded;  // a fold is order-dependent in its last bits
    bool nests;    // the loop contains nests, which may need a scratch buffer
    bool declared; // the program declares the iterations independent
    bool views;    // a PARALLEL_LAST parameter may be an address
    int inner[PARALLEL_INNER]; // level of each inner counter that indexes depend on; 0: none
    int read_count;    // number of `reads`; 0 unless ParallelUse.reads
    uint32_t unlisted; // arrays (bits) that are also read by accesses not in `reads`
    ParallelAccess reads[PARALLEL_READS];
    bool checked;      // iterations leave only if a float flag is raised or one of `checks` fails
    int check_count;
    ParallelCheck checks[PARALLEL_CHECKS];
    ParallelAccess writes[PARALLEL_WRITES];
    ParallelLevel levels[PARALLEL_LEVELS];
} RegionParallel;
enum { PARALLEL_LOOPS = 16, PARALLEL_LINKS = 64 };

#endif
