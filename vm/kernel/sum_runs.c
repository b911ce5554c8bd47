// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Order of float sums, as in NumPy since 2.3: its iterator passes chunks as large as possible to
// the loop, which sums each pairwise. Chunk size depends on the operand's layout and on whether it
// is cast (npyiter_find_buffering_setup).

#include <stdlib.h>

#include "vm/kernel/kernel.h"

bool node_sums_floats(const Node *node) {
    if (op_info[node->op].op_class != CLASS_REDUCTION || !dtype_is_inexact(node->attrs.loop)) return false;
    return (node->op == AOP_REDUCE ? node->attrs.combine : op_info[node->op].combine) == AOP_ADD;
}

typedef struct Dims {
    int count;
    int64_t shape[NDIM_MAX], strides[NDIM_MAX]; // innermost dimension first
} Dims;

// Sorts the dimensions by magnitude of stride, drops those of extent 1 and joins contiguous ones.
static void dims_of(const int64_t *shape, const int64_t *strides, int ndim, Dims *dims) {
    int order[NDIM_MAX], count = 0;
    for (int d = ndim - 1; d >= 0; d--) {
        int at = count++;
        for (; at > 0 && llabs(strides[order[at - 1]]) > llabs(strides[d]); at--) order[at] = order[at - 1];
        order[at] = d;
        if (shape[d] == 1) {
            count--;
            for (; at < count; at++) order[at] = order[at + 1];
        }
    }
    dims->count = 0;
    for (int i = 0; i < count; i++) {
        int d = order[i], last = dims->count - 1;
        if (last >= 0 && dims->strides[last] * dims->shape[last] == strides[d]) {
            dims->shape[last] *= shape[d];
            continue;
        }
        dims->shape[dims->count] = shape[d];
        dims->strides[dims->count++] = strides[d];
    }
}

void sum_runs(const Node *sum, SumRuns *runs) {
    const View *in = &sum->inputs[0].view;
    Dims dims;
    runs->buffered = in->dtype != sum->attrs.loop;
    dims_of(in->shape, in->strides, in->ndim, &dims);
    sum_runs_of(dims.shape, dims.count, runs);
}

static bool sums_floats(const Kernel *k) {
    for (int r = 0; r < k->reduction_count; r++)
        if (k->reductions[r].op == AOP_ADD && dtype_is_inexact(k->stores[r].to.dtype)) return true;
    return false;
}

void kernel_sum_runs(Kernel *k) {
    Dims dims;
    if (!sums_floats(k)) return;
    dims_of(k->shape, k->order, k->ndim, &dims);
    sum_runs_of(dims.shape, dims.count, &k->runs);
}
