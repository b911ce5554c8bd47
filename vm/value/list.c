// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lists: memory, growing, operators, items. Methods are in list_methods.c.

#include "vm/value/list.h"

#include <string.h>

#include "vm/value/deque.h"
#include "vm/value/object.h"
#include "vm/value/seq_impl.h"

// --- Making and growing ------------------------------------------------------------------------

List *list_new(Vm *vm, size_t capacity) {
    List *list = obj_new(vm, K_LIST, sizeof *list);
    if (!list || capacity == 0) return list;
    if (list_room(vm, list, capacity)) return list;
    release_obj(vm, list);
    return NULL;
}

bool list_room(Vm *vm, List *list, size_t need) {
    return mem_grow(&vm->mem, (void **)&list->items, &list->cap, need, sizeof(Value));
}

// One exact block, for lists that are not expected to grow.
static List *list_exact(Vm *vm, size_t len) {
    List *list = obj_new(vm, K_LIST, sizeof *list);
    if (!list || len == 0) return list;
    bool fits = len <= SIZE_MAX / 2 / sizeof(Value);
    list->items = fits ? mem_alloc(&vm->mem, len * sizeof(Value)) : NULL;
    if (list->items) {
        list->cap = len;
        return list;
    }
    release_obj(vm, list);
    return NULL;
}

// There is room for them. As far as it comes.
static Status put_items(Vm *vm, List *list, const Value *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        list->items[list->len++] = retain(items[i]);
        if (vm_poll_at(vm, i) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

Status list_of(Vm *vm, const Value *items, size_t len, Value *out) {
    List *list = list_exact(vm, len);
    if (!list) return vm_no_memory(vm);
    Status st = put_items(vm, list, items, len);
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(vm, list);
    return st;
}

Status list_steal(Vm *vm, Value *items, size_t len, Value *out) {
    List *list = list_exact(vm, len);
    if (!list) {
        for (size_t i = 0; i < len; i++) clear(vm, &items[i]);
        return vm_no_memory(vm);
    }
    if (len > 0) memcpy(list->items, items, len * sizeof *items);
    for (size_t i = 0; i < len; i++) items[i] = V_UNDEF;
    list->len = len;
    *out = v_obj(list);
    return ST_OK;
}

Status list_append(Vm *vm, List *list, Value owned) {
    if (list->len == list->cap && !list_room(vm, list, list->len + 1)) {
        release(vm, owned);
        return vm_no_memory(vm);
    }
    v_store(&list->items[list->len++], owned);
    return ST_OK;
}

Status list_insert(Vm *vm, List *list, int64_t index, Value owned) {
    size_t at = (size_t)seq_clamp(index, (int64_t)list->len);
    Status st = list_append(vm, list, owned);
    if (st != ST_OK) return st;
    memmove(list->items + at + 1, list->items + at, (list->len - 1 - at) * sizeof(Value));
    list->items[at] = owned;
    return ST_OK;
}

Status list_to_tuple(Vm *vm, List *list, Value *out) {
    return tuple_of(vm, list->items, list->len, out);
}

// --- Extending ---------------------------------------------------------------------------------

// Safe when `items` are the list's own (l.extend(l)).
static Status extend_items(Vm *vm, List *list, const List *own, const Value *items, size_t count) {
    if (!list_room(vm, list, list->len + count)) return vm_no_memory(vm);
    if (own == list) items = list->items;
    return put_items(vm, list, items, count);
}

static Status extend_range(Vm *vm, List *list, const Range *range) {
    if ((uint64_t)range->len > SIZE_MAX / 2 / sizeof(Value) - list->len ||
        !list_room(vm, list, list->len + (size_t)range->len))
        return vm_no_memory(vm);
    uint64_t value = (uint64_t)range->start;
    for (int64_t i = 0; i < range->len; i++, value += (uint64_t)range->step) {
        list->items[list->len++] = v_int((int64_t)value);
        if (vm_poll_at(vm, (size_t)i) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

Status list_extend(Vm *vm, List *list, Value iterable) {
    enum { POLL_MASK = 0xFFFF };
    if (iterable.kind == K_LIST)
        return extend_items(vm, list, iterable.list, iterable.list->items, iterable.list->len);
    if (iterable.kind == K_TUPLE)
        return extend_items(vm, list, NULL, iterable.tuple->items, iterable.tuple->len);
    if (iterable.kind == K_DEQUE)
        return extend_items(vm, list, NULL, deque_items(deque_of(iterable)), deque_of(iterable)->len);
    if (iterable.kind == K_RANGE && !range_is_big(iterable.range))
        return extend_range(vm, list, iterable.range);
    Value it, item;
    int64_t len;
    Status st = iterable.kind == K_RANGE ? op_len(vm, iterable, &len) : ST_OK; // no list has more items
    if (st == ST_OK) st = op_iter(vm, iterable, &it);
    if (st != ST_OK) return st;
    if (!iter_is_native(it)) st = ST_DEFER;
    for (size_t n = 1; st == ST_OK; n++) {
        st = op_next(vm, it, &item);
        if (st == ST_OK) st = list_append(vm, list, item);
        if (st == ST_OK && (n & POLL_MASK) == 0) st = vm_poll(vm);
    }
    release(vm, it);
    return st == ST_STOP ? ST_OK : st;
}

// --- Memory ------------------------------------------------------------------------------------

void list_clear(Vm *vm, List *list) {
    Value *items = list->items;
    size_t len = list->len, cap = list->cap;
    list->items = NULL;
    list->len = list->cap = 0;
    for (size_t i = 0; i < len; i++) release(vm, items[i]);
    mem_free(&vm->mem, items, cap * sizeof *items);
}

static void list_visit(Obj *obj, Visitor *visitor) {
    List *list = (List *)obj;
    for (size_t i = 0; i < list->len; i++) visit_value(visitor, list->items[i]);
}

static void list_drop(Vm *vm, Obj *obj) {
    list_clear(vm, (List *)obj);
}

static size_t list_size(const Obj *obj) {
    (void)obj;
    return sizeof(List);
}

// --- Operators ---------------------------------------------------------------------------------

static Status list_concat(Vm *vm, const List *a, const List *b, Value *out) {
    List *all = list_exact(vm, a->len + b->len);
    if (!all) return vm_no_memory(vm);
    Status st = put_items(vm, all, a->items, a->len);
    if (st == ST_OK) st = put_items(vm, all, b->items, b->len);
    if (st == ST_OK) *out = v_obj(all);
    else release_obj(vm, all);
    return st;
}

// Fills items[unit … total] with copies of the first `unit` items, as far as it comes.
static Status fill_repeated(Vm *vm, List *list, size_t unit, size_t total) {
    Value *items = list->items;
    list->len = unit;
    while (list->len < total) {
        size_t end = total - list->len < POLL_STEP ? total : list->len + POLL_STEP, i = list->len;
        if (unit == 1 && !is_heap(items[0]))
            for (; i < end; i++) items[i] = items[0];
        else
            for (; i < end; i++) items[i] = retain(items[i - unit]);
        list->len = end;
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

static Status list_repeat(Vm *vm, const List *list, Value times, Value *out) {
    int64_t count;
    size_t len;
    Status st = seq_repeat_count(vm, times, &count);
    if (st != ST_OK) return st;
    if (__builtin_mul_overflow(list->len, (size_t)count, &len)) return vm_no_memory(vm);
    List *all = list_exact(vm, len);
    if (!all) return vm_no_memory(vm);
    if (len > 0) {
        for (size_t i = 0; i < list->len; i++) all->items[i] = retain(list->items[i]);
        st = fill_repeated(vm, all, list->len, len);
    }
    if (st == ST_OK) *out = v_obj(all);
    else release_obj(vm, all);
    return st;
}

static Status repeat_in_place(Vm *vm, List *list, Value times) {
    int64_t count;
    size_t len;
    Status st = seq_repeat_count(vm, times, &count);
    if (st != ST_OK) return st;
    if (count == 0) {
        list_clear(vm, list);
        return ST_OK;
    }
    if (__builtin_mul_overflow(list->len, (size_t)count, &len) || !list_room(vm, list, len))
        return vm_no_memory(vm);
    return len > 0 ? fill_repeated(vm, list, list->len, len) : ST_OK;
}

static Status in_place_binary(Vm *vm, BinaryOp op, List *list, Value b, Value *out) {
    Status st = ST_NOTIMPL;
    if (op == BIN_ADD && b.kind != K_ARRAY && !is_numpy_scalar(b)) st = list_extend(vm, list, b);
    if (op == BIN_MUL) st = repeat_in_place(vm, list, b);
    if (st == ST_OK) *out = retain(v_obj(list));
    return st;
}

static Status list_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    if (in_place && a.kind == K_LIST) return in_place_binary(vm, op, a.list, b, out);
    if (op == BIN_ADD && a.kind == K_LIST && b.kind == K_LIST)
        return list_concat(vm, a.list, b.list, out);
    if (op == BIN_MUL)
        return a.kind == K_LIST ? list_repeat(vm, a.list, b, out) : list_repeat(vm, b.list, a, out);
    return ST_NOTIMPL;
}

static Status list_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (b.kind != K_LIST) return ST_NOTIMPL;
    return seq_compare_items(vm, op, a.list->items, a.list->len, b.list->items, b.list->len, out);
}

static Status list_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = self.list->len != 0;
    return ST_OK;
}

static Status list_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = (int64_t)self.list->len;
    return ST_OK;
}

// --- Items -------------------------------------------------------------------------------------

static Status list_getslice(Vm *vm, const List *list, const Slice *slice, Value *out) {
    int64_t start, stop, step, count;
    Status st = slice_resolve(vm, slice, (int64_t)list->len, &start, &stop, &step, &count);
    if (st != ST_OK) return st;
    if (step == 1) return list_of(vm, count ? &list->items[start] : NULL, (size_t)count, out);
    List *part = list_exact(vm, (size_t)count);
    if (!part) return vm_no_memory(vm);
    for (int64_t i = 0; i < count; i++) part->items[i] = retain(list->items[start + i * step]);
    part->len = (size_t)count;
    *out = v_obj(part);
    return ST_OK;
}

static Status list_getitem(Vm *vm, Value self, Value key, Value *out) {
    List *list = self.list;
    if (key.kind == K_SLICE) return list_getslice(vm, list, key.slice, out);
    int64_t index;
    Status st = seq_key(vm, key, "list", &index);
    if (st == ST_OK) st = seq_index(vm, &index, (int64_t)list->len, "list");
    if (st == ST_OK) *out = retain(list->items[index]);
    return st;
}

static Status list_setitem(Vm *vm, Value self, Value key, Value value) {
    List *list = self.list;
    if (key.kind == K_SLICE) return list_setslice(vm, list, key.slice, value);
    int64_t index;
    Status st = seq_key(vm, key, "list", &index);
    if (st == ST_OK) st = seq_index(vm, &index, (int64_t)list->len, "list assignment");
    if (st == ST_OK) replace(vm, &list->items[index], retain(value));
    return st;
}

static Status list_delitem(Vm *vm, Value self, Value key) {
    List *list = self.list;
    if (key.kind == K_SLICE) return list_delslice(vm, list, key.slice);
    int64_t index;
    Status st = seq_key(vm, key, "list", &index);
    if (st == ST_OK) st = seq_index(vm, &index, (int64_t)list->len, "list assignment");
    if (st == ST_OK) release(vm, list_take(list, (size_t)index));
    return st;
}

static Status list_contains(Vm *vm, Value self, Value item, bool *out) {
    int64_t at;
    Status st = seq_find(vm, self.list->items, 0, self.list->len, item, &at);
    if (st == ST_OK) *out = at >= 0;
    return st;
}

static Status list_iter(Vm *vm, Value self, Value *out) {
    Iter *it = iter_new(vm, ITER_LIST, self);
    if (!it) return vm_no_memory(vm);
    *out = v_obj(it);
    return ST_OK;
}

static Status list_repr(Vm *vm, Value self, Buf *out, int depth) {
    if (!repr_enter(self.obj)) {
        buf_puts(out, "[...]");
        return ST_OK;
    }
    buf_putc(out, '[');
    Status st = seq_repr_items(vm, self.list->items, self.list->len, out, depth);
    buf_putc(out, ']');
    repr_leave(self.obj);
    return st;
}

// --- The kind ----------------------------------------------------------------------------------

static Status list_construct(Vm *vm, const Value *args, Value *out) {
    Value from = args[0];
    if (from.kind == K_LIST) return list_of(vm, from.list->items, from.list->len, out);
    if (from.kind == K_TUPLE) return list_of(vm, from.tuple->items, from.tuple->len, out);
    List *list = list_new(vm, 0);
    if (!list) return vm_no_memory(vm);
    Status st = from.kind == K_UNDEF ? ST_OK : list_extend(vm, list, from);
    if (st == ST_OK)
        *out = v_obj(list);
    else
        release_obj(vm, list);
    return st;
}

static const NativeDef construct_row = {"list", "iterable=?, /", list_construct, "list_slow", PURE};

const TypeSlots kind_LIST = {
    .visit = list_visit,
    .drop = list_drop,
    .size = list_size,
    .binary = list_binary,
    .compare = list_compare,
    .truth = list_truth,
    .hash = seq_unhashable,
    .len = list_len,
    .getitem = list_getitem,
    .setitem = list_setitem,
    .delitem = list_delitem,
    .contains = list_contains,
    .iter = list_iter,
    .repr = list_repr,
    .construct = &construct_row,
    .methods = list_method_rows,
};
