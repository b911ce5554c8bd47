// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Collectives for modules in the language that let each rank compute its own part: an all-gather of numbers, and an
// all-to-all of elements.

#include <string.h>

#include "stdlib/ranks/parts.h"
#include "vm/array/array.h"
#include "vm/interp/interp.h"
#include "vm/sched/apart.h"
#include "vm/sched/collective.h"
#include "vm/sched/dry.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

enum { STEP_TELL = 'T', COUNTS = 5 };

// sharing(): returns (bytes from which on arrays are distributed, this rank), or None if work is not distributed now.
Status parts_sharing(Vm *vm, const Value *args, Value *out) {
    const Link *link = link_of(vm);
    (void)args;
    *out = V_NONE;
    if (!is_on_ranks(vm) || is_dry(vm)) return ST_OK;
    const Value items[] = {v_int(link->split_least), v_int(link->rank)};
    return tuple_of(vm, items, 2, out);
}

// uncounted(state): the collector and the loop compiler start when counts reach a limit, and these counts must be equal
// on all ranks. With None, disables both and returns the counts, so that work that differs between ranks can follow.
// With what was returned, restores the counts and enables both.
Status parts_uncounted(Vm *vm, const Value *args, Value *out) {
    const Value now[] = {v_int((int64_t)vm->gc_count), v_int((int64_t)vm->gc_made), v_bool(vm->gc_grown), v_bool(vm->gc_disabled),
                         v_int(vm->interp->rounds)};
    const Value *before = args[0].kind == K_TUPLE && args[0].tuple->len == COUNTS ? args[0].tuple->items : NULL;
    Status st = tuple_of(vm, now, COUNTS, out);
    if (st != ST_OK) return st;
    vm->gc_count = (size_t)(before ? before : now)[0].i;
    vm->gc_made = (size_t)(before ? before : now)[1].i;
    vm->gc_grown = before && before[2].i;
    vm->gc_disabled = !before || before[3].i;
    vm->interp->rounds = before ? (uint32_t)before[4].i : UINT32_MAX;
    safe_point_arm(vm);
    return ST_OK;
}

// Reads a list of `count` ints. Raises ValueError if it has another length.
static Status numbers_from(Vm *vm, Value list, size_t count, int64_t *numbers) {
    Status st = list.kind == K_LIST && list.list->len == count ? ST_OK : vm_raise(vm, EXC_ValueError, "a list of %zu ints", count);
    for (size_t i = 0; st == ST_OK && i < count; i++) st = op_index(vm, list.list->items[i], &numbers[i]);
    return st;
}

// tell(numbers): all-gathers a list of ints of the same length on each rank. Returns the tuple of all numbers in the
// order of ranks. Collective.
Status parts_tell(Vm *vm, const Value *args, Value *out) {
    const size_t count = args[0].kind == K_LIST ? args[0].list->len : 0, size = (size_t)link_of(vm)->size;
    const size_t bytes = count * (size + 1) * sizeof(int64_t);
    int64_t *own = mem_alloc(&vm->mem, bytes);
    Tuple *told = own ? tuple_new(vm, count * size) : NULL;
    Status st = told ? numbers_from(vm, args[0], count, own) : vm_no_memory(vm);
    if (st == ST_OK) st = link_gather(vm, (StepKey){.kind = STEP_TELL}, own, own + count, count * sizeof *own);
    for (size_t i = 0; told && i < count * size; i++) told->items[i] = st == ST_OK ? v_int(own[count + i]) : V_NONE;
    mem_free(&vm->mem, own, bytes);
    if (st == ST_OK) *out = v_obj(told);
    else if (told) release_obj(vm, told);
    return st;
}

typedef struct Delivery {
    const char *from; // this rank's elements
    char *to;
    const int64_t *first, *end, *counts; // first … end: sent to each rank; counts: received from each
    int64_t item;
} Delivery;

static bool list_all(Vm *vm, const Delivery *d) {
    const Link *link = link_of(vm);
    char *to = d->to;
    for (int r = 0; r < link->size; to += d->counts[r++] * d->item) {
        char *from = (char *)(uintptr_t)d->from + d->first[r] * d->item;
        const int64_t bytes = (d->end[r] - d->first[r]) * d->item;
        if (r != link->rank) {
            if (!blocks_list(vm, r, true, from, bytes) || !blocks_list(vm, r, false, to, d->counts[r] * d->item)) return false;
        } else if (bytes > 0) {
            memcpy(to, from, (size_t)bytes);
        }
    }
    return true;
}

static Status deliver_part(Vm *vm, const Value *args, View *part, int64_t *lists, Value *out) {
    const size_t size = (size_t)link_of(vm)->size;
    Delivery d = {.first = lists, .end = lists + size, .counts = lists + 2 * size, .item = (int64_t)dtype_size(part->dtype)};
    int64_t count = 0;
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < 3; i++) st = numbers_from(vm, args[1 + i], size, lists + i * size);
    for (size_t r = 0; st == ST_OK && r < size; r++) count += d.counts[r];
    const char *base = st == ST_OK ? parts_own_base(vm, part) : NULL;
    if (!base) return ST_ERROR;
    apart_begin(vm);
    st = array_new(vm, part->dtype, 1, &count, ROOM_HOST, out);
    apart_end(vm);
    if (st != ST_OK) return st;
    d.from = base + part->offset;
    d.to = out->array->storage->buffer.host;
    blocks_begin(vm);
    link_of(vm)->moves = args[4].i != 0;
    st = list_all(vm, &d) ? blocks_exchange(vm) : vm_no_memory(vm);
    if (st != ST_OK) clear(vm, out);
    return st;
}

// deliver(part, first, end, counts, moves): an all-to-all. `part` is a vector, either distributed or this rank's own.
// Sends rank r the elements first[r] … end[r] of this rank's part, and returns an array of the counts[r] elements that
// arrive from each rank r, in the order of ranks. `moves`, equal on all ranks: whether any rank sends to another. If
// so, the call is collective.
Status parts_deliver(Vm *vm, const Value *args, Value *out) {
    View part;
    const size_t bytes = 3 * (size_t)link_of(vm)->size * sizeof(int64_t);
    if (args[0].kind != K_ARRAY || args[0].array->ndim != 1 || !array_is_contiguous(args[0].array))
        return vm_raise(vm, EXC_ValueError, "a contiguous array of one dimension is needed");
    array_view(args[0].array, &part);
    int64_t *lists = mem_alloc(&vm->mem, bytes);
    Status st = lists ? deliver_part(vm, args, &part, lists, out) : vm_no_memory(vm);
    mem_free(&vm->mem, lists, bytes);
    return st;
}
