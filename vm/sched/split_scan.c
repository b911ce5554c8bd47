// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions scans along the dimension that is cut. Each rank scans its part by itself. Ranks gather the last elements
// of all parts. Each rank combines those of the parts before its own, and applies the result to all elements of its
// part.

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/own.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// The last elements of a part along the scanned axis, packed.
typedef struct Last {
    int ndim;
    int64_t shape[NDIM_MAX]; // 1 along the axis
    KernAccess packed;       // an access of rank 0's elements; those of rank r are r * bytes further
    int64_t bytes;           // of one rank's elements
} Last;

static void last_of(const Split *split, DType type, Last *last) {
    int64_t stride = (int64_t)dtype_size(type);
    last->ndim = split->ndim;
    memcpy(last->shape, split->shape, (size_t)split->ndim * sizeof *last->shape);
    last->shape[split->dim] = 1;
    last->packed = (KernAccess){.dtype = type};
    for (int d = split->ndim - 1; d >= 0; stride *= last->shape[d--]) last->packed.strides[d] = stride;
    last->bytes = stride;
}

static KernAccess packed_at(const Last *last, Storage *all, int place) {
    KernAccess access = last->packed;
    access.storage = all;
    access.base = all->buffer.host;
    access.offset = place * last->bytes;
    return access;
}

// Returns whether a rank's part precedes this rank's. With a negative stride the last ranks have the first elements.
static bool is_before(const Link *link, int rank) {
    const Extent part = link->ranges[rank];
    return !extent_is_empty(part) && part.high <= link->ranges[link->rank].low;
}

// Combines the last elements of the parts before this rank's, in the order of ranks, which is possible for any order of
// parts since the op is commutative. The result replaces those of rank *place; -1: there are none.
static Status combine_before(Vm *vm, OpId op, const Last *last, Storage *all, int *place, uint32_t *flags) {
    const Link *link = link_of(vm);
    Status st = ST_OK;
    *place = -1;
    for (int r = 0; st == ST_OK && r < link->size; r++) {
        if (!is_before(link, r)) continue;
        if (*place < 0) {
            *place = r;
            continue;
        }
        const KernAccess before = packed_at(last, all, *place), next = packed_at(last, all, r);
        st = own_apply(vm, op, last->ndim, last->shape, &before, &next, &before, flags);
    }
    return st;
}

Status split_scan_finish(Vm *vm, const Kernel *k, uint32_t *flags) {
    const Link *link = link_of(vm);
    const Split *split = k->split;
    const View *part = &k->result.view;
    const OpId fixed = op_info[k->library].combine, op = fixed < AOP_COUNT ? fixed : k->attrs.combine;
    Last last;
    last_of(split, part->dtype, &last);
    if (link->dry) return link_gather(vm, (StepKey){'c', (uint64_t)last.bytes}, NULL, NULL, (size_t)last.bytes);
    Storage *all = boxes_temp(vm, last.bytes * (link->size + 1));
    if (!all) return vm_no_memory(vm);
    const KernAccess result = own_access(part);
    KernAccess end = result, own = packed_at(&last, all, link->size);
    Status st = ST_OK;
    end.offset += (part->shape[split->dim] - 1) * part->strides[split->dim];
    if (!split->is_empty) st = own_copy(vm, last.ndim, last.shape, &end, &own);
    if (st == ST_OK)
        st = link_gather(vm, (StepKey){'c', (uint64_t)last.bytes}, own.base + own.offset, all->buffer.host,
                         (size_t)last.bytes);
    int before;
    if (st == ST_OK) st = combine_before(vm, op, &last, all, &before, flags);
    if (st != ST_OK || split->is_empty || before < 0) return st;
    KernAccess carried = packed_at(&last, all, before);
    carried.strides[split->dim] = 0;
    return own_apply(vm, op, part->ndim, part->shape, &carried, &result, &result, flags);
}
