// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions argmax and argmin along the dimension that is cut. Each rank finds the indices of its part's extremes.
// Ranks gather these indices and the elements there. The same operation over the ranks' elements then chooses the rank.

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/operands.h"
#include "vm/sched/own.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// What one rank sends: flags, then an index for each element of the result, then the operand's elements there.
typedef struct Found {
    int64_t count;
    size_t item, indices, values, bytes;
} Found;

static Found found_of(const Kernel *k) {
    Found f = {.count = view_size(&k->result.view), .item = dtype_size(k->args[0].view.dtype), .indices = BUFFER_ALIGN};
    f.values = f.indices + aligned_bytes((size_t)f.count * sizeof(int64_t));
    f.bytes = f.values + aligned_bytes((size_t)f.count * f.item);
    return f;
}

// Returns the dimension of the space that the call's axis moves along.
static int dim_of_axis(const Kernel *k, const CallSpace *space) {
    int axis = 0;
    while (!(k->attrs.axes >> axis & 1)) axis++;
    for (int d = 0; d < space->loop.ndim; d++)
        if (space->dims[0][d] == axis) return d;
    return -1;
}

// Requires that the dimension has at least as many indices as there are ranks, that the operand is cut along it, and
// that the result is neither distributed nor in memory that others own.
bool split_extreme_fits(Vm *vm, const Kernel *k, const CallSpace *space) {
    const Link *link = link_of(vm);
    const Storage *to = k->result.view.storage;
    const int dim = dim_of_axis(k, space);
    if (dim < 0 || !is_cut(k->args[0].view.storage) || is_cut(to) || to->owner || view_size(&k->result.view) == 0)
        return false;
    return space->loop.shape[dim] >= link->size &&
           split_follows(link, &space->loop, &space->loop.loads[0], dim, link->ranges);
}

static void dense_view(View *view, Storage *storage, size_t offset, DType dtype, const View *like) {
    view_copy(view, like);
    view->storage = storage;
    view->offset = (int64_t)offset;
    view->dtype = dtype;
    view_fill_strides(view);
}

// Finds the indices of the part's extremes, and writes them and the elements there to the message.
static Status find_own(Vm *vm, const Kernel *k, int axis, Extent own, const Found *f, Storage *message) {
    Kernel part = *k;
    View *in = &part.args[0].view;
    char *base = message->buffer.host;
    uint32_t flags = 0;
    in->offset += own.low * in->strides[axis];
    in->shape[axis] = own.high - own.low;
    dense_view(&part.result.view, message, f->indices, DT_INT64, &k->result.view);
    operands_find(&vm->engine->host, &part);
    Status st = own_run(vm, &part, &flags);
    memcpy(base, &flags, sizeof flags);
    int64_t index[NDIM_MAX] = {0}, *places = (int64_t *)(void *)(base + f->indices);
    for (int64_t i = 0; st == ST_OK && !(flags & FLAG_INTERRUPTED) && i < f->count; i++) {
        int64_t at = in->offset + places[i] * in->strides[axis];
        for (int d = 0; d < in->ndim; d++) at += d == axis ? 0 : index[d] * in->strides[d];
        memcpy(base + f->values + (size_t)i * f->item, in->storage->buffer.host + at, f->item);
        places[i] += own.low;
        for (int d = in->ndim - 1; d >= 0; d--) { // the next index along the other dimensions
            if (d == axis) continue;
            if (++index[d] < in->shape[d]) break;
            index[d] = 0;
        }
    }
    return st;
}

// Raises an interrupt on all ranks if one rank's operation was interrupted.
static Status poll_all(Vm *vm, const Storage *all, const Found *f) {
    uint32_t flags = 0, one;
    for (int r = 0; r < link_of(vm)->size; r++) {
        memcpy(&one, all->buffer.host + (size_t)r * f->bytes, sizeof one);
        flags |= one;
    }
    if (!(flags & FLAG_INTERRUPTED)) return ST_OK;
    if (!vm_interrupted(vm)) atomic_store(&vm->interrupt, BREAK_INTERRUPT);
    return vm_poll(vm);
}

// Moves the messages of ranks that have a part next to each other. Returns how many there are.
static int64_t close_up(const Link *link, const Found *f, char *all) {
    int64_t parts = 0;
    for (int r = 0; r < link->size; r++) {
        if (extent_is_empty(link->ranges[r])) continue;
        if (parts < r) memcpy(all + (size_t)parts * f->bytes, all + (size_t)r * f->bytes, f->bytes);
        parts++;
    }
    return parts;
}

// Returns whether lower ranks have higher indices. The order matters since the first of equal extremes wins.
static bool is_backwards(const Link *link) {
    int64_t low = -1;
    for (int r = 0; r < link->size; r++) {
        if (extent_is_empty(link->ranges[r])) continue;
        if (low >= 0) return link->ranges[r].low < low;
        low = link->ranges[r].low;
    }
    return false;
}

// Finds, for each element of the result, the number of the part that has the extreme.
static Status choose_parts(Vm *vm, const Kernel *k, const Found *f, Storage *all, int64_t parts, Storage *chosen) {
    Kernel among = *k;
    View *in = &among.args[0].view, flat = {.ndim = 1, .shape = {f->count}};
    uint32_t flags = 0;
    const DType type = in->dtype;
    in->storage = all;
    in->offset = (int64_t)f->values;
    in->ndim = 2;
    in->shape[0] = parts;
    in->shape[1] = f->count;
    in->strides[0] = (int64_t)f->bytes;
    if (is_backwards(link_of(vm))) {
        in->offset += (parts - 1) * in->strides[0];
        in->strides[0] = -in->strides[0];
    }
    in->strides[1] = (int64_t)dtype_size(type);
    among.attrs.axes = axis_bit(0);
    dense_view(&among.result.view, chosen, 0, DT_INT64, &flat);
    operands_find(&vm->engine->host, &among);
    Status st = own_run(vm, &among, &flags);
    int64_t *part = (int64_t *)(void *)chosen->buffer.host;
    for (int64_t i = 0; st == ST_OK && is_backwards(link_of(vm)) && i < f->count; i++) part[i] = parts - 1 - part[i];
    return st == ST_OK && flags & FLAG_INTERRUPTED ? vm_poll(vm) : st;
}

static void store_chosen(const View *to, const Found *f, const char *all, const int64_t *chosen) {
    int64_t index[NDIM_MAX] = {0};
    for (int64_t i = 0; i < f->count; i++) {
        int64_t at = to->offset;
        for (int d = 0; d < to->ndim; d++) at += index[d] * to->strides[d];
        memcpy(to->storage->buffer.host + at,
               all + (size_t)chosen[i] * f->bytes + f->indices + (size_t)i * sizeof *chosen, sizeof *chosen);
        for (int d = to->ndim - 1; d >= 0 && ++index[d] == to->shape[d]; d--) index[d] = 0;
    }
}

static Status find_all(Vm *vm, Kernel *k, int axis, const Found *f, Storage *own, Storage *all, Storage *chosen) {
    Link *link = link_of(vm);
    const Extent part = link->ranges[link->rank];
    Status st = ST_OK;
    if (extent_is_empty(part)) memset(own->buffer.host, 0, f->bytes);
    else st = find_own(vm, k, axis, part, f, own);
    if (st == ST_OK)
        st = link_gather(vm, (StepKey){'e', f->bytes}, own->buffer.host, all->buffer.host, f->bytes);
    if (st == ST_OK) st = poll_all(vm, all, f);
    if (st == ST_OK) st = choose_parts(vm, k, f, all, close_up(link, f, all->buffer.host), chosen);
    if (st == ST_OK) st = memory_to_host(vm, k->result.view.storage, true);
    if (st == ST_OK)
        store_chosen(&k->result.view, f, all->buffer.host, (const int64_t *)(const void *)chosen->buffer.host);
    return st;
}

Status split_extreme(Vm *vm, Kernel *k, const CallSpace *space, Split *split) {
    const int dim = dim_of_axis(k, space), axis = space->dims[0][dim];
    const Found f = found_of(k);
    Storage *own = boxes_temp(vm, (int64_t)f.bytes);
    Storage *all = boxes_temp(vm, (int64_t)f.bytes * link_of(vm)->size);
    Storage *chosen = boxes_temp(vm, f.count * (int64_t)sizeof(int64_t));
    Status st = !own || !all || !chosen ? vm_no_memory(vm)
                : is_dry(vm) ? link_gather(vm, (StepKey){'e', f.bytes}, NULL, NULL, f.bytes)
                : find_all(vm, k, axis, &f, own, all, chosen);
    if (st != ST_OK) return st;
    // The result is complete, so no rank launches a part.
    split_begin(split, &space->loop);
    split->is_empty = true;
    split->flags = false;
    k->split = split;
    vm->engine->stats.kernels_shared++;
    return ST_OK;
}
