// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The methods of list.

#include "vm/value/list.h"
#include "vm/value/seq_dunders.h"
#include "vm/value/seq_impl.h"

static List *self_list(const Value *args) {
    return unwrap(args[0]).list;
}

static Status done(Value *out) {
    *out = V_NONE;
    return ST_OK;
}

// --- Adding ------------------------------------------------------------------------------------

static Status method_append(Vm *vm, const Value *args, Value *out) {
    Status st = list_append(vm, self_list(args), retain(args[1]));
    return st == ST_OK ? done(out) : st;
}

static Status method_extend(Vm *vm, const Value *args, Value *out) {
    Status st = list_extend(vm, self_list(args), args[1]);
    return st == ST_OK ? done(out) : st;
}

// Replaces the items by those of an iterable, or removes them.
static Status method_init(Vm *vm, const Value *args, Value *out) {
    List *list = self_list(args);
    if (args[1].kind == K_UNDEF) {
        list_clear(vm, list);
        return done(out);
    }
    Value items;
    Status st = op_to_list(vm, args[1], &items);
    if (st != ST_OK) return st;
    list_clear(vm, list);
    st = list_extend(vm, list, items);
    release(vm, items);
    return st == ST_OK ? done(out) : st;
}

static Status method_insert(Vm *vm, const Value *args, Value *out) {
    int64_t index;
    Status st = seq_size_arg(vm, args[1], &index);
    if (st == ST_OK) st = list_insert(vm, self_list(args), index, retain(args[2]));
    return st == ST_OK ? done(out) : st;
}

// --- Removing ----------------------------------------------------------------------------------

static Status method_pop(Vm *vm, const Value *args, Value *out) {
    List *list = self_list(args);
    int64_t index;
    Status st = seq_size_arg(vm, args[1], &index);
    if (st != ST_OK) return st;
    if (list->len == 0) return vm_raise(vm, EXC_IndexError, "pop from empty list");
    st = seq_index(vm, &index, (int64_t)list->len, "pop");
    if (st == ST_OK) *out = list_take(list, (size_t)index);
    return st;
}

static Status method_remove(Vm *vm, const Value *args, Value *out) {
    List *list = self_list(args);
    int64_t at;
    Status st = seq_find(vm, list->items, 0, list->len, args[1], &at);
    if (st != ST_OK) return st;
    if (at < 0) return vm_raise(vm, EXC_ValueError, "list.remove(x): x not in list");
    release(vm, list_take(list, (size_t)at));
    return done(out);
}

static Status method_clear(Vm *vm, const Value *args, Value *out) {
    list_clear(vm, self_list(args));
    return done(out);
}

// --- Searching ---------------------------------------------------------------------------------

static Status not_in_list(Vm *vm, Value v) {
    Value text;
    Status st = op_repr_value(vm, v, &text);
    if (st != ST_OK) return st;
    st = vm_raise(vm, EXC_ValueError, "%s is not in list", text.str->data);
    release(vm, text);
    return st;
}

static Status method_index(Vm *vm, const Value *args, Value *out) {
    List *list = self_list(args);
    int64_t from, to, at;
    Status st = seq_range_args(vm, args[2], args[3], BOUND_ONLY, (int64_t)list->len, &from, &to);
    if (st == ST_OK) st = seq_find(vm, list->items, (size_t)from, (size_t)to, args[1], &at);
    if (st != ST_OK) return st;
    if (at < 0) return not_in_list(vm, args[1]);
    *out = v_int(at);
    return ST_OK;
}

static Status method_count(Vm *vm, const Value *args, Value *out) {
    List *list = self_list(args);
    int64_t count;
    Status st = seq_count(vm, list->items, list->len, args[1], &count);
    if (st == ST_OK) *out = v_int(count);
    return st;
}

// --- Order and copies --------------------------------------------------------------------------

static Status method_reverse(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    List *list = self_list(args);
    for (size_t i = 0, j = list->len; i + 1 < j; i++) {
        Value last = list->items[--j];
        list->items[j] = list->items[i];
        list->items[i] = last;
    }
    return done(out);
}

static Status method_copy(Vm *vm, const Value *args, Value *out) {
    List *list = self_list(args);
    return list_of(vm, list->items, list->len, out);
}

static Status method_sort(Vm *vm, const Value *args, Value *out) {
    List *list = self_list(args);
    int64_t reverse;
    Status st = op_index(vm, args[2], &reverse);
    if (st == ST_OK && args[1].kind != K_NONE) st = ST_DEFER;
    if (st == ST_OK) st = seq_sort(vm, list->items, NULL, list->len, reverse != 0);
    return st == ST_OK ? done(out) : st;
}

const NativeDef list_method_rows[] = {
    {"append", "self, object, /", method_append, NULL, PURE},
    {"clear", "self, /", method_clear, NULL, PURE},
    {"copy", "self, /", method_copy, NULL, PURE},
    {"count", "self, value, /", method_count, "seq_count_slow", PURE},
    {"extend", "self, iterable, /", method_extend, "list_extend_slow", PURE},
    {"index", "self, value, start=?, stop=?, /", method_index, "list_index_slow", PURE},
    {"insert", "self, index, object, /", method_insert, "list_insert_slow", PURE},
    {"pop", "self, index=-1, /", method_pop, "list_pop_slow", PURE},
    {"remove", "self, value, /", method_remove, "list_remove_slow", PURE},
    {"reverse", "self, /", method_reverse, NULL, PURE},
    {"sort", "self, /, *, key=None, reverse=False", method_sort, "list_sort_slow", PURE},
    {"__init__", "self, iterable=?, /", method_init, "list_init_slow", PURE},
#define WITH_ORDER
#define WITH_CHANGE
#define WITH_REVERSED
#define DUNDER DUNDER_ROW
#include "vm/value/seq_dunders.def"
    {NULL, NULL, NULL, NULL, PURE},
};
