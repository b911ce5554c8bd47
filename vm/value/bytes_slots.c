// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Slots of bytes: operators, items, iteration.

#define _GNU_SOURCE
#include <string.h>

#include "vm/value/bytes_impl.h"
#include "vm/value/seq_dunders.h"
#include "vm/value/str.h"
#include "vm/value/str_search.h"

// --- Operators ---------------------------------------------------------------------------------

static Status concat(Vm *vm, Bytes *a, Bytes *b, Value *out) {
    if (a->len == 0) return bytes_same(vm, b, out);
    if (b->len == 0) return bytes_same(vm, a, out);
    Bytes *both = bytes_alloc(vm, a->len + b->len);
    if (both) memcpy(mempcpy(both->data, a->data, a->len), b->data, b->len);
    return bytes_out(vm, both, out);
}

static Status repeat(Vm *vm, Bytes *bytes, Value times, Value *out) {
    int64_t count;
    Status st = seq_repeat_count(vm, times, &count);
    if (st != ST_OK) return st;
    if (count == 1) return bytes_same(vm, bytes, out);
    if (count == 0 || bytes->len == 0) return bytes_run_out(vm, NULL, 0, out);
    if ((uint64_t)count > INT64_MAX / bytes->len)
        return vm_raise(vm, EXC_OverflowError, "repeated bytes are too long");
    Bytes *all = bytes_alloc(vm, bytes->len * (size_t)count);
    if (!all) return vm_no_memory(vm);
    memcpy(all->data, bytes->data, bytes->len);
    if (seq_fill(vm, all->data, bytes->len, all->len) != ST_OK) {
        release_obj(vm, all);
        return ST_ERROR;
    }
    return bytes_out(vm, all, out);
}

static Status bytes_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    (void)in_place;
    if (op == BIN_ADD && a.kind == K_BYTES && b.kind == K_BYTES)
        return concat(vm, a.bytes, b.bytes, out);
    if (op == BIN_ADD && a.kind == K_BYTES && b.kind == K_INSTANCE) {
        Value other;
        Status st = bytes_like(vm, b, &other);
        if (st != ST_OK) return st;
        st = concat(vm, a.bytes, other.bytes, out);
        release(vm, other);
        return st;
    }
    if (op == BIN_MUL)
        return a.kind == K_BYTES ? repeat(vm, a.bytes, b, out) : repeat(vm, b.bytes, a, out);
    if (op == BIN_MOD && a.kind == K_BYTES) return ST_DEFER; // bytes_percent_slow
    return ST_NOTIMPL;
}

static int order_of(const Bytes *a, const Bytes *b) {
    int order = memcmp(a->data, b->data, a->len < b->len ? a->len : b->len);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

static bool equal(const Bytes *a, const Bytes *b) {
    return a == b || (a->len == b->len && memcmp(a->data, b->data, a->len) == 0);
}

static bool order_holds(CompareOp op, int order) {
    switch (op) {
    case CMP_LT: return order < 0;
    case CMP_LE: return order <= 0;
    case CMP_GT: return order > 0;
    default: return order >= 0;
    }
}

static Status bytes_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    (void)vm;
    if (a.kind != K_BYTES || b.kind != K_BYTES) return ST_NOTIMPL;
    if (op == CMP_EQ || op == CMP_NE)
        *out = v_bool(equal(a.bytes, b.bytes) == (op == CMP_EQ));
    else
        *out = v_bool(order_holds(op, order_of(a.bytes, b.bytes)));
    return ST_OK;
}

static Status bytes_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = self.bytes->len != 0;
    return ST_OK;
}

// Computes the same hash as that of a str with the same bytes, as in CPython.
static Status bytes_hash_slot(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    Bytes *bytes = self.bytes;
    if (!bytes->hash) bytes->hash = bytes_hash(bytes->data, bytes->len);
    *out = bytes->hash;
    return ST_OK;
}

static Status bytes_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = (int64_t)self.bytes->len;
    return ST_OK;
}

// --- Items -------------------------------------------------------------------------------------

static Status bytes_getslice(Vm *vm, Bytes *bytes, const Slice *slice, Value *out) {
    int64_t start, stop, step, count;
    Status st = slice_resolve(vm, slice, (int64_t)bytes->len, &start, &stop, &step, &count);
    if (st != ST_OK) return st;
    if (step == 1 && count == (int64_t)bytes->len) return bytes_same(vm, bytes, out);
    if (step == 1) return bytes_run_out(vm, bytes->data + start, (size_t)count, out);
    Bytes *some = bytes_alloc(vm, (size_t)count);
    for (int64_t i = 0; some && i < count; i++) some->data[i] = bytes->data[start + i * step];
    return bytes_out(vm, some, out);
}

static Status bytes_getitem(Vm *vm, Value self, Value key, Value *out) {
    if (key.kind == K_SLICE) return bytes_getslice(vm, self.bytes, key.slice, out);
    int64_t index;
    Status st = seq_key(vm, key, "byte", &index);
    if (st != ST_OK) return st;
    if (index < 0) index += (int64_t)self.bytes->len;
    if (index < 0 || (size_t)index >= self.bytes->len)
        return vm_raise(vm, EXC_IndexError, "index out of range");
    *out = v_int((unsigned char)self.bytes->data[index]);
    return ST_OK;
}

// `item` is the value of a byte, or bytes that have to occur contiguously.
static Status bytes_contains(Vm *vm, Value self, Value item, bool *out) {
    char room;
    Run sub;
    Status st = bytes_arg_or_byte(vm, item, &room, &sub);
    if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
        return vm_raise(vm, EXC_TypeError, "a bytes-like object is required, not '%s'",
                        type_name(vm, item));
    if (st != ST_OK) return st;
    Run all = run_of(self.bytes);
    *out = bytes_find(all.at, all.at + all.len, sub.at, sub.len) != NULL;
    return ST_OK;
}

static Status bytes_iter(Vm *vm, Value self, Value *out) {
    Iter *it = iter_new(vm, ITER_BYTES, self);
    if (!it) return vm_no_memory(vm);
    *out = v_obj(it);
    return ST_OK;
}

// --- The kind ----------------------------------------------------------------------------------

static Status bytes_repr_slot(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    bytes_repr(self.bytes, out);
    return ST_OK;
}

static Status own_str(Vm *vm, const Value *args, Value *out) {
    return op_repr_value(vm, unwrap(args[0]), out);
}

static Status dunder_bytes(Vm *vm, const Value *args, Value *out) {
    return bytes_same(vm, self_bytes(args), out);
}

static const NativeDef methods[] = {
#define METHOD(name, signature, slow) {#name, signature, bytes_m_##name, slow, PURE},
#include "vm/value/bytes_methods.def"
#undef METHOD
#define WITH_HASH
#define WITH_ORDER
#define DUNDER DUNDER_ROW
#include "vm/value/seq_dunders.def"
    {"__mod__", "self, value, /", dunder_mod, "bytes_percent_slow", PURE},
    {"__str__", "self, /", own_str, NULL, PURE},
    {"__bytes__", "self, /", dunder_bytes, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

const TypeSlots kind_BYTES = {
    .size = bytes_block_size,
    .binary = bytes_binary,
    .compare = bytes_compare,
    .truth = bytes_truth,
    .hash = bytes_hash_slot,
    .len = bytes_len,
    .getitem = bytes_getitem,
    .contains = bytes_contains,
    .iter = bytes_iter,
    .repr = bytes_repr_slot,
    .construct = &bytes_construct_row,
    .methods = methods,
};
