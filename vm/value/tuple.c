// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Tuples.

#include <string.h>

#include "vm/value/dict_impl.h"
#include "vm/value/object.h"
#include "vm/value/seq_dunders.h"
#include "vm/value/seq_impl.h"

// --- Making ------------------------------------------------------------------------------------

Tuple *tuple_new(Vm *vm, size_t len) {
    if (len == 0 && vm->empty_tuple) {
        vm->empty_tuple->gc.obj.refs++;
        return vm->empty_tuple;
    }
    if (len > (SIZE_MAX / 2 - sizeof(Tuple)) / sizeof(Value)) return NULL;
    Tuple *tuple = obj_new(vm, K_TUPLE, sizeof(Tuple) + len * sizeof(Value));
    if (tuple) tuple->len = len;
    return tuple;
}

Status tuple_of(Vm *vm, const Value *items, size_t len, Value *out) {
    Tuple *tuple = tuple_new(vm, len);
    if (!tuple) return vm_no_memory(vm);
    for (size_t i = 0; i < len; i++) tuple->items[i] = retain(items[i]);
    *out = v_obj(tuple);
    return ST_OK;
}

Status tuple_steal(Vm *vm, Value *items, size_t len, Value *out) {
    Tuple *tuple = tuple_new(vm, len);
    if (!tuple) {
        for (size_t i = 0; i < len; i++) clear(vm, &items[i]);
        return vm_no_memory(vm);
    }
    if (len > 0) memcpy(tuple->items, items, len * sizeof *items);
    for (size_t i = 0; i < len; i++) items[i] = V_UNDEF;
    *out = v_obj(tuple);
    return ST_OK;
}

// --- Memory ------------------------------------------------------------------------------------

static void tuple_visit(Obj *obj, Visitor *visitor) {
    Tuple *tuple = (Tuple *)obj;
    for (size_t i = 0; i < tuple->len; i++) visit_value(visitor, tuple->items[i]);
}

// Keeps the length, from which the block's size is computed.
static void tuple_drop(Vm *vm, Obj *obj) {
    Tuple *tuple = (Tuple *)obj;
    for (size_t i = 0; i < tuple->len; i++) clear(vm, &tuple->items[i]);
}

static size_t tuple_size(const Obj *obj) {
    return sizeof(Tuple) + ((const Tuple *)obj)->len * sizeof(Value);
}

// --- Operators ---------------------------------------------------------------------------------

static Status tuple_concat(Vm *vm, Tuple *a, Tuple *b, Value *out) {
    if (a->len == 0 || b->len == 0) {
        *out = retain(v_obj(a->len == 0 ? b : a));
        return ST_OK;
    }
    Tuple *all = tuple_new(vm, a->len + b->len);
    if (!all) return vm_no_memory(vm);
    for (size_t i = 0; i < a->len; i++) all->items[i] = retain(a->items[i]);
    for (size_t i = 0; i < b->len; i++) all->items[a->len + i] = retain(b->items[i]);
    *out = v_obj(all);
    return ST_OK;
}

static Status tuple_repeat(Vm *vm, Tuple *tuple, Value times, Value *out) {
    int64_t count;
    Status st = seq_repeat_count(vm, times, &count);
    if (st != ST_OK) return st;
    if (count == 1 || tuple->len == 0) {
        *out = retain(v_obj(tuple));
        return ST_OK;
    }
    size_t len;
    if (__builtin_mul_overflow(tuple->len, (size_t)count, &len)) return vm_no_memory(vm);
    Tuple *all = tuple_new(vm, len);
    if (!all) return vm_no_memory(vm);
    for (size_t i = 0, j = 0; i < len; i++) {
        all->items[i] = retain(tuple->items[j]);
        if (++j == tuple->len) j = 0;
        if (vm_poll_at(vm, i) != ST_OK) {
            release_obj(vm, all);
            return ST_ERROR;
        }
    }
    *out = v_obj(all);
    return ST_OK;
}

static Status tuple_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    (void)in_place;
    if (op == BIN_ADD && a.kind == K_TUPLE && b.kind == K_TUPLE)
        return tuple_concat(vm, a.tuple, b.tuple, out);
    if (op == BIN_MUL)
        return a.kind == K_TUPLE ? tuple_repeat(vm, a.tuple, b, out)
                                 : tuple_repeat(vm, b.tuple, a, out);
    return ST_NOTIMPL;
}

static Status tuple_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (b.kind != K_TUPLE) return ST_NOTIMPL;
    return seq_compare_items(vm, op, a.tuple->items, a.tuple->len, b.tuple->items, b.tuple->len,
                             out);
}

static Status tuple_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = self.tuple->len != 0;
    return ST_OK;
}

static Status hash_items(Vm *vm, const Tuple *tuple, int64_t *hashes, int64_t *out) {
    for (size_t i = 0; i < tuple->len; i++) {
        Status st = key_hash(vm, tuple->items[i], &hashes[i]);
        if (st != ST_OK) return st;
    }
    *out = hash_combine_items(hashes, tuple->len);
    return ST_OK;
}

static Status tuple_hash(Vm *vm, Value self, int64_t *out) {
    enum { FEW = 16 };
    int64_t few[FEW];
    size_t len = self.tuple->len;
    if (len <= FEW) return hash_items(vm, self.tuple, few, out);
    int64_t *hashes = mem_alloc(&vm->mem, len * sizeof *hashes);
    if (!hashes) return vm_no_memory(vm);
    Status st = hash_items(vm, self.tuple, hashes, out);
    mem_free(&vm->mem, hashes, len * sizeof *hashes);
    return st;
}

static Status tuple_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = (int64_t)self.tuple->len;
    return ST_OK;
}

// --- Items -------------------------------------------------------------------------------------

static Status tuple_getslice(Vm *vm, Tuple *tuple, const Slice *slice, Value *out) {
    int64_t start, stop, step, count;
    Status st = slice_resolve(vm, slice, (int64_t)tuple->len, &start, &stop, &step, &count);
    if (st != ST_OK) return st;
    if (step == 1 && count == (int64_t)tuple->len) {
        *out = retain(v_obj(tuple));
        return ST_OK;
    }
    Tuple *part = tuple_new(vm, (size_t)count);
    if (!part) return vm_no_memory(vm);
    for (int64_t i = 0; i < count; i++) part->items[i] = retain(tuple->items[start + i * step]);
    *out = v_obj(part);
    return ST_OK;
}

static Status tuple_getitem(Vm *vm, Value self, Value key, Value *out) {
    Tuple *tuple = self.tuple;
    if (key.kind == K_SLICE) return tuple_getslice(vm, tuple, key.slice, out);
    int64_t index;
    Status st = seq_key(vm, key, "tuple", &index);
    if (st == ST_OK) st = seq_index(vm, &index, (int64_t)tuple->len, "tuple");
    if (st == ST_OK) *out = retain(tuple->items[index]);
    return st;
}

static Status tuple_contains(Vm *vm, Value self, Value item, bool *out) {
    int64_t at;
    Status st = seq_find(vm, self.tuple->items, 0, self.tuple->len, item, &at);
    if (st == ST_OK) *out = at >= 0;
    return st;
}

static Status tuple_iter(Vm *vm, Value self, Value *out) {
    Iter *it = iter_new(vm, ITER_TUPLE, self);
    if (!it) return vm_no_memory(vm);
    *out = v_obj(it);
    return ST_OK;
}

static Status tuple_repr(Vm *vm, Value self, Buf *out, int depth) {
    if (!repr_enter(self.obj)) {
        buf_puts(out, "(...)");
        return ST_OK;
    }
    buf_putc(out, '(');
    Status st = seq_repr_items(vm, self.tuple->items, self.tuple->len, out, depth);
    buf_puts(out, self.tuple->len == 1 ? ",)" : ")");
    repr_leave(self.obj);
    return st;
}

// --- Class and methods -------------------------------------------------------------------------

static Status tuple_construct(Vm *vm, const Value *args, Value *out) {
    Value from = args[0], items;
    if (from.kind == K_TUPLE) {
        *out = retain(from);
        return ST_OK;
    }
    if (from.kind == K_LIST) return tuple_of(vm, from.list->items, from.list->len, out);
    if (from.kind == K_UNDEF) return tuple_of(vm, NULL, 0, out);
    Status st = op_to_list(vm, from, &items);
    if (st != ST_OK) return st;
    st = list_to_tuple(vm, items.list, out);
    release(vm, items);
    return st;
}

static Status tuple_index(Vm *vm, const Value *args, Value *out) {
    Tuple *tuple = unwrap(args[0]).tuple;
    int64_t from, to, at;
    Status st = seq_range_args(vm, args[2], args[3], BOUND_ONLY, (int64_t)tuple->len, &from, &to);
    if (st == ST_OK) st = seq_find(vm, tuple->items, (size_t)from, (size_t)to, args[1], &at);
    if (st != ST_OK) return st;
    if (at < 0) return vm_raise(vm, EXC_ValueError, "tuple.index(x): x not in tuple");
    *out = v_int(at);
    return ST_OK;
}

static Status tuple_count(Vm *vm, const Value *args, Value *out) {
    Tuple *tuple = unwrap(args[0]).tuple;
    int64_t count;
    Status st = seq_count(vm, tuple->items, tuple->len, args[1], &count);
    if (st == ST_OK) *out = v_int(count);
    return st;
}

static const NativeDef construct_row = {"tuple", "iterable=?, /", tuple_construct, "tuple_slow",
                                        PURE};

static const NativeDef methods[] = {
    {"index", "self, value, start=?, stop=?, /", tuple_index, "tuple_index_slow", PURE},
    {"count", "self, value, /", tuple_count, "seq_count_slow", PURE},
#define WITH_HASH
#define WITH_ORDER
#define DUNDER DUNDER_ROW
#include "vm/value/seq_dunders.def"
    {NULL, NULL, NULL, NULL, PURE},
};

const TypeSlots kind_TUPLE = {
    .visit = tuple_visit,
    .drop = tuple_drop,
    .size = tuple_size,
    .binary = tuple_binary,
    .compare = tuple_compare,
    .truth = tuple_truth,
    .hash = tuple_hash,
    .len = tuple_len,
    .getitem = tuple_getitem,
    .contains = tuple_contains,
    .iter = tuple_iter,
    .repr = tuple_repr,
    .construct = &construct_row,
    .methods = methods,
};
