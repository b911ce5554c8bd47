// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Assigning to and deleting slices of lists.
//
// Items that are removed are copied aside first and released last, when the list is consistent again.

#include <string.h>

#include "vm/value/list.h"
#include "vm/value/seq_impl.h"

Value list_take(List *list, size_t index) {
    Value item = list->items[index];
    list->len--;
    memmove(list->items + index, list->items + index + 1, (list->len - index) * sizeof(Value));
    return item;
}

static void release_all(Vm *vm, Value *items, size_t count) {
    for (size_t i = 0; i < count; i++) release(vm, items[i]);
    mem_free(&vm->mem, items, count * sizeof *items);
}

// Returns a copy of `count` items, at least one (no new references); NULL when out of memory.
static Value *set_aside(Vm *vm, const Value *items, size_t count) {
    Value *copy = mem_alloc(&vm->mem, count * sizeof *copy);
    if (copy) memcpy(copy, items, count * sizeof *copy);
    return copy;
}

// Replaces `count` items at `start` by the `fresh_count` items of `fresh`.
static Status splice(Vm *vm, List *list, size_t start, size_t count, const Value *fresh,
                     size_t fresh_count) {
    if (count == 0 && fresh_count == 0) return ST_OK;
    Value *old = count ? set_aside(vm, list->items + start, count) : NULL;
    size_t len = list->len - count + fresh_count, tail = list->len - start - count;
    if ((count && !old) || !list_room(vm, list, len)) {
        mem_free(&vm->mem, old, count * sizeof *old);
        return vm_no_memory(vm);
    }
    Value *at = list->items + start;
    if (tail) memmove(at + fresh_count, at + count, tail * sizeof *at);
    for (size_t i = 0; i < fresh_count; i++) at[i] = retain(fresh[i]);
    list->len = len;
    release_all(vm, old, count);
    return ST_OK;
}

static Status set_stepped(Vm *vm, List *list, int64_t start, int64_t step, int64_t count,
                          const List *fresh) {
    if ((int64_t)fresh->len != count)
        return vm_raise(vm, EXC_ValueError,
                        "attempt to assign sequence of size %zu to extended slice of size %lld",
                        fresh->len, (long long)count);
    for (int64_t i = 0; i < count; i++)
        replace(vm, &list->items[start + i * step], retain(fresh->items[i]));
    return ST_OK;
}

// Converts the value to assign to a list of its own: never the list assigned to, nor one that can change.
static Status assigned_items(Vm *vm, Value value, bool extended, Value *out) {
    if (value.kind == K_LIST) return list_of(vm, value.list->items, value.list->len, out);
    Status st = op_to_list(vm, value, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_TypeError)) return st;
    return vm_raise(vm, EXC_TypeError, extended ? "must assign iterable to extended slice"
                                                : "can only assign an iterable");
}

Status list_setslice(Vm *vm, List *list, const Slice *slice, Value value) {
    int64_t start, stop, step, count;
    Status st = slice_resolve(vm, slice, (int64_t)list->len, &start, &stop, &step, &count);
    if (st != ST_OK) return st;
    Value items;
    st = assigned_items(vm, value, step != 1, &items);
    if (st != ST_OK) return st;
    if (step == 1)
        st = splice(vm, list, (size_t)start, (size_t)count, items.list->items, items.list->len);
    else
        st = set_stepped(vm, list, start, step, count, items.list);
    release(vm, items);
    return st;
}

// Deletes `count` items, each step-th from `start` on, the lowest, and closes the gaps; step > 0.
static Status delete_stepped(Vm *vm, List *list, size_t start, size_t step, size_t count) {
    Value *old = mem_alloc(&vm->mem, count * sizeof *old);
    if (!old) return vm_no_memory(vm);
    size_t put = start, next = start, taken = 0;
    for (size_t i = start; i < list->len; i++) {
        if (taken < count && i == next) {
            old[taken++] = list->items[i];
            next += step;
        } else {
            list->items[put++] = list->items[i];
        }
    }
    list->len = put;
    release_all(vm, old, count);
    return ST_OK;
}

Status list_delslice(Vm *vm, List *list, const Slice *slice) {
    int64_t start, stop, step, count;
    Status st = slice_resolve(vm, slice, (int64_t)list->len, &start, &stop, &step, &count);
    if (st != ST_OK || count == 0) return st;
    if (step == 1) return splice(vm, list, (size_t)start, (size_t)count, NULL, 0);
    if (step < 0) {
        start += (count - 1) * step;
        step = -step;
    }
    return delete_stepped(vm, list, (size_t)start, (size_t)step, (size_t)count);
}
