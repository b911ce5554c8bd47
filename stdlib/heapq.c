// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _heapq: binary heaps in lists (Williams's algorithm 232; a hole sinks to a leaf first, Knuth, The Art of
// Computer Programming 3, 5.2.3, exercise 18). Items are moved only after all comparisons of a sift, so that if a
// comparison needs a method of the program, the function can return ST_DEFER with the heap still intact, and
// stdlib/heapq.ncr does the work.

#include "stdlib/stdlib.h"
#include "vm/value/class.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

enum { PATH_MAX_LEN = 64, POLL_MASK = 0xfff };

static Status list_arg(Vm *vm, const char *name, bool one, Value v, List **list) {
    Value inner = unwrap(v);
    if (inner.kind != K_LIST)
        return vm_raise(vm, EXC_TypeError, "%s() argument%s must be list, not %s", name,
                        one ? "" : " 1", argument_type_name(vm, v));
    *list = inner.list;
    return ST_OK;
}

static Status less(Vm *vm, Value a, Value b, bool *out) {
    Value answer;
    if (a.kind == K_INT && b.kind == K_INT) {
        *out = a.i < b.i;
        return ST_OK;
    }
    Status st = op_compare(vm, CMP_LT, a, b, &answer);
    if (st != ST_OK) return st == ST_ERROR ? st : ST_DEFER;
    st = op_truth(vm, answer, out);
    release(vm, answer);
    return st;
}

// Sifts: moves the items on the path of smaller children below `start` up, overwriting the slot `start`,
// and puts `item` where it belongs on the path. Consumes a reference to `item` on success only.
static Status sink(Vm *vm, Value *items, size_t len, size_t start, Value item) {
    size_t path[PATH_MAX_LEN];
    int depth = 0;
    bool below;
    path[0] = start;
    for (size_t child; (child = 2 * path[depth] + 1) < len; path[++depth] = child) {
        if (child + 1 == len) continue;
        Status st = less(vm, items[child], items[child + 1], &below);
        if (st != ST_OK) return st;
        child += !below;
    }
    for (; depth > 0; depth--) {
        Status st = less(vm, item, items[path[depth]], &below);
        if (st != ST_OK) return st;
        if (!below) break;
    }
    for (int i = 0; i < depth; i++) items[path[i]] = items[path[i + 1]];
    items[path[depth]] = item;
    return ST_OK;
}

static Status fn_push(Vm *vm, const Value *args, Value *out) {
    List *heap = NULL;
    if (list_arg(vm, "heappush", false, args[0], &heap) != ST_OK) return ST_ERROR;
    size_t place = heap->len;
    while (place > 0) {
        bool above;
        Status st = less(vm, args[1], heap->items[(place - 1) / 2], &above);
        if (st != ST_OK) return st;
        if (!above) break;
        place = (place - 1) / 2;
    }
    if (list_append(vm, heap, retain(args[1])) != ST_OK) return ST_ERROR;
    for (size_t hole = heap->len - 1; hole != place; hole = (hole - 1) / 2)
        heap->items[hole] = heap->items[(hole - 1) / 2];
    heap->items[place] = args[1];
    *out = V_NONE;
    return ST_OK;
}

static Status empty(Vm *vm) {
    return vm_raise(vm, EXC_IndexError, "index out of range");
}

static Status fn_pop(Vm *vm, const Value *args, Value *out) {
    List *heap = NULL;
    if (list_arg(vm, "heappop", true, args[0], &heap) != ST_OK) return ST_ERROR;
    if (heap->len == 0) return empty(vm);
    size_t left = heap->len - 1;
    Value first = heap->items[0];
    if (left > 0) {
        Status st = sink(vm, heap->items, left, 0, heap->items[left]);
        if (st != ST_OK) return st;
    }
    heap->items[left] = V_UNDEF;
    heap->len = left;
    *out = first;
    return ST_OK;
}

// Pops the smallest item and pushes `item` in one step. *out: the popped item, owned.
static Status exchange(Vm *vm, List *heap, Value item, Value *out) {
    Value first = heap->items[0];
    Status st = sink(vm, heap->items, heap->len, 0, item);
    if (st != ST_OK) return st;
    retain(item);
    *out = first;
    return ST_OK;
}

static Status fn_replace(Vm *vm, const Value *args, Value *out) {
    List *heap = NULL;
    if (list_arg(vm, "heapreplace", false, args[0], &heap) != ST_OK) return ST_ERROR;
    return heap->len ? exchange(vm, heap, args[1], out) : empty(vm);
}

static Status fn_pushpop(Vm *vm, const Value *args, Value *out) {
    List *heap = NULL;
    bool above = false;
    if (list_arg(vm, "heappushpop", false, args[0], &heap) != ST_OK) return ST_ERROR;
    Status st = heap->len ? less(vm, heap->items[0], args[1], &above) : ST_OK;
    if (st != ST_OK) return st;
    if (above) return exchange(vm, heap, args[1], out);
    *out = retain(args[1]);
    return ST_OK;
}

static Status fn_heapify(Vm *vm, const Value *args, Value *out) {
    List *heap = NULL;
    if (list_arg(vm, "heapify", true, args[0], &heap) != ST_OK) return ST_ERROR;
    for (size_t place = heap->len / 2; place-- > 0;) {
        if ((place & POLL_MASK) == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
        Status st = sink(vm, heap->items, heap->len, place, heap->items[place]);
        if (st != ST_OK) return st; // the slow path heapifies the list from any state
    }
    *out = V_NONE;
    return ST_OK;
}

const NativeDef heapq_functions[] = {
    {"heappush", "heap, item, /", fn_push, "heap_push_slow", PURE},
    {"heappop", "heap, /", fn_pop, "heap_pop_slow", PURE},
    {"heapreplace", "heap, item, /", fn_replace, "heap_replace_slow", PURE},
    {"heappushpop", "heap, item, /", fn_pushpop, "heap_pushpop_slow", PURE},
    {"heapify", "heap, /", fn_heapify, "heap_heapify_slow", PURE},
    {0},
};
