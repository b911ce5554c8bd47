// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Extents and strides of the arrays of a running parallel loop, and values of affine sums. Private to the code that
// runs such loops. Sums are 128 bits wide, since nothing bounds their coefficients.

#ifndef NACRE_VM_REGION_PARALLEL_SLOTS_H
#define NACRE_VM_REGION_PARALLEL_SLOTS_H

#include "vm/graph/dtype.h"
#include "vm/region/parallel_run.h"

typedef __int128 Wide;

static inline int64_t slots_extent(const ParallelRun *run, const RegionArray *array, int dim) {
    return run->slots[array->slot + 1 + dim].i;
}

static inline int64_t slots_stride(const ParallelRun *run, const RegionArray *array, int dim) { // in bytes
    return run->slots[array->slot + 1 + array->ndim + dim].i;
}

static inline int64_t slots_size(const RegionArray *array) { // bytes of an element
    return (int64_t)dtype_size((DType)array->dtype);
}

static inline int64_t magnitude_of(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

// Returns a sum's value in an iteration in which all inner counters are 0.
static inline Wide slots_value(const ParallelRun *run, const ParallelSum *sum, int64_t round) {
    Wide value = sum->constant + (Wide)sum->step * round;
    for (int t = 0; t < sum->term_count; t++) value += (Wide)sum->terms[t].times * run->values[sum->terms[t].link];
    return value;
}

// Clamps an index to 0 … extent - 1.
static inline int64_t slots_within(Wide index, int64_t extent) {
    return index < 0 ? 0 : index >= extent ? extent - 1 : (int64_t)index;
}

#endif
