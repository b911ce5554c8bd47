// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs the inner part of a single kernel while the messages of its operands travel. Most messages need the receiver's
// help: a large one is sent when its receiver has answered. So the inner part is run in slabs, and messages are advanced
// after each.

#include "vm/sched/overlap.h"

#include <string.h>

#include "vm/kernel/figures.h"
#include "vm/sched/collective.h"
#include "vm/sched/dry.h"
#include "vm/sched/reach.h"
#include "vm/sched/sched.h"
#include "vm/sched/split.h"

// The kernel that waits for an exchange.
typedef struct Overlap {
    bool begun;
    Extent inner[NDIM_MAX]; // the indices that need nothing that travels
    Kernel part;            // this rank's part, not simplified
} Overlap;

// --- Deciding --------------------------------------------------------------------------------------

bool overlap_pays(const Vm *vm, int64_t elements) {
    // A part that is worth being distributed among a few ranks.
    return elements * 4 * (int64_t)sizeof(double) >= link_of(vm)->split_least;
}

// Returns whether a kernel stores into an array that it also loads: its elements may be travelling.
static bool changes_operand(const Kernel *k) {
    for (int s = 0; s < k->store_count; s++)
        for (int i = 0; i < k->load_count; i++)
            if (k->loads[i].storage == k->stores[s].to.storage) return true;
    return false;
}

bool overlap_begin(Vm *vm, const Kernel *k, const Extent *inner) {
    Link *link = link_of(vm);
    double fraction = 1;
    if (!link->posted || k->reduction_count || k->split->is_empty || k->split->result_count || changes_operand(k)) return false;
    for (int d = 0; d < k->ndim; d++) {
        if (extent_is_empty(inner[d])) return false;
        fraction *= (double)(inner[d].high - inner[d].low) / (double)k->shape[d];
    }
    if (!overlap_pays(vm, (int64_t)(fraction * (double)kernel_elements(k)))) return false;
    if (link->dry) {
        dry_overlaps(vm, fraction);
        return false;
    }
    if (!link->overlap) link->overlap = mem_alloc(&vm->mem, sizeof *link->overlap);
    if (!link->overlap) return false; // it is run afterwards
    link->overlap->begun = true;
    memcpy(link->overlap->inner, inner, (size_t)k->ndim * sizeof *inner);
    link->overlap->part = *k;
    return true;
}

bool overlap_begin_rows(Vm *vm, const Kernel *k, int dim) {
    const Link *link = link_of(vm);
    Extent inner[NDIM_MAX], *rows = &inner[dim];
    for (int d = 0; d < k->ndim; d++) inner[d] = (Extent){0, k->shape[d]};
    for (int i = 0; i < k->load_count; i++) {
        const KernAccess *load = &k->loads[i];
        if (!is_cut(load->storage)) continue;
        const Extent block = block_of(load->storage->buffer.blocks->partition, link->rank), at = reach(space_of(k), load, dim);
        if (load->strides[dim] != 0) *rows = extent_meet(*rows, reach_indices_in(at, load->strides[dim], k->shape[dim], block));
        else if (!extent_has(block, at)) return false;
    }
    return overlap_begin(vm, k, inner);
}

bool overlap_has_begun(const Vm *vm) {
    const Link *link = link_of(vm);
    return link->overlap && link->overlap->begun;
}

// --- Running ---------------------------------------------------------------------------------------

// Runs the kernel at the indices `box`.
static Status run_box(Vm *vm, const Device *device, const Kernel *like, const Extent *box, uint32_t *flags) {
    Kernel k = link_of(vm)->overlap->part;
    for (int d = 0; d < k.ndim; d++)
        if (extent_is_empty(box[d])) return ST_OK;
    for (int d = 0; d < k.ndim; d++) kernel_slice(&k, d, box[d].low, box[d].high);
    kernel_simplify(&k);
    k.underflow = like->underflow;
    k.whole = like->whole;
    operands_find(device, &k);
    return flight_launch_here(vm, device, &k, flags) ? ST_OK : vm_no_memory(vm);
}

// Runs the inner part in slabs along its longest dimension.
static Status run_inner(Vm *vm, const Device *device, const Kernel *like, uint32_t *flags) {
    enum { SLAB = 1 << 17, SLABS_MOST = 8 }; // elements
    const Overlap *overlap = link_of(vm)->overlap;
    Extent box[NDIM_MAX];
    int64_t elements = 1, longest = 0;
    int along = 0;
    for (int d = 0; d < overlap->part.ndim; d++) {
        const int64_t n = overlap->inner[d].high - overlap->inner[d].low;
        box[d] = overlap->inner[d];
        elements *= n;
        if (n > longest) longest = n, along = d;
    }
    int64_t slabs = elements / SLAB < SLABS_MOST ? elements / SLAB : SLABS_MOST;
    if (slabs < 1) slabs = 1;
    Status st = ST_OK;
    for (int64_t i = 0; st == ST_OK && i < slabs; i++) {
        const int64_t low = overlap->inner[along].low;
        box[along] = (Extent){low + longest * i / slabs, low + longest * (i + 1) / slabs};
        st = run_box(vm, device, like, box, flags);
        link_poke(vm);
    }
    return st;
}

// Runs what surrounds the inner part: on both sides along each dimension, of the indices that are inner ones along the
// dimensions before it.
static Status run_edges(Vm *vm, const Device *device, const Kernel *like, uint32_t *flags) {
    const Overlap *overlap = link_of(vm)->overlap;
    const Kernel *part = &overlap->part;
    Extent box[NDIM_MAX];
    Status st = ST_OK;
    for (int d = 0; d < part->ndim; d++) box[d] = (Extent){0, part->shape[d]};
    for (int d = 0; st == ST_OK && d < part->ndim; d++) {
        box[d] = (Extent){0, overlap->inner[d].low};
        st = run_box(vm, device, like, box, flags);
        box[d] = (Extent){overlap->inner[d].high, part->shape[d]};
        if (st == ST_OK) st = run_box(vm, device, like, box, flags);
        box[d] = overlap->inner[d];
    }
    return st;
}

Status overlap_run(Vm *vm, const Device *device, const Kernel *kernel, uint32_t *flags) {
    struct Engine *engine = vm->engine;
    const uint64_t kernels = engine->stats.kernels;
    link_of(vm)->overlap->begun = false;
    Status st = run_inner(vm, device, kernel, flags);
    const Status finished = blocks_finish(vm);
    if (st == ST_OK) st = finished;
    if (st == ST_OK) st = run_edges(vm, device, kernel, flags);
    engine->stats.kernels = kernels; // the parts are one kernel, which the caller counts
    engine->stats.exchanges_overlapped++;
    return st;
}

void overlap_abandon(Vm *vm) {
    Link *link = link_of(vm);
    const Value error = vm->error;
    if (link->overlap) link->overlap->begun = false;
    if (!link->posted) return;
    vm->error = V_UNDEF;
    if (blocks_finish(vm) != ST_OK) release(vm, vm->error);
    vm->error = error;
}

void overlap_free(Vm *vm, Link *link) {
    mem_free(&vm->mem, link->overlap, sizeof *link->overlap);
    link->overlap = NULL;
}
