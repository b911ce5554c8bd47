// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operators of sequences as methods: each calls the slot of self's kind.

#include "vm/value/seq_dunders.h"

#include "vm/value/class.h"
#include "vm/value/ops.h"
#include "vm/value/seq_impl.h"

static const TypeSlots *slots_of(Value self) {
    return kind_slots[self.kind];
}

// Returns NotImplemented if the other operand has to be asked.
static Status answered(Status st, Value *out) {
    if (st != ST_NOTIMPL) return st;
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static Status no_value(Status st, Value *out) {
    if (st == ST_OK) *out = V_NONE;
    return st;
}

Status dunder_len(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]);
    int64_t len;
    Status st = slots_of(self)->len(vm, self, &len);
    if (st == ST_OK) *out = v_int(len);
    return st;
}

Status dunder_hash(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]);
    int64_t hash;
    Status st = slots_of(self)->hash(vm, self, &hash);
    if (st == ST_OK) *out = v_int(hash);
    return st;
}

Status dunder_contains(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]);
    bool found;
    Status st = slots_of(self)->contains(vm, self, args[1], &found);
    if (st == ST_OK) *out = v_bool(found);
    return st;
}

Status dunder_iter(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]);
    return slots_of(self)->iter(vm, self, out);
}

Status dunder_repr(Vm *vm, const Value *args, Value *out) {
    return op_repr_value(vm, unwrap(args[0]), out);
}

Status dunder_str(Vm *vm, const Value *args, Value *out) {
    *out = retain(unwrap(args[0]));
    (void)vm;
    return ST_OK;
}

Status dunder_reversed(Vm *vm, const Value *args, Value *out) {
    return seq_reversed(vm, unwrap(args[0]), out);
}

// --- Items -------------------------------------------------------------------------------------

Status dunder_getitem(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]);
    return slots_of(self)->getitem(vm, self, args[1], out);
}

Status dunder_setitem(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]);
    return no_value(slots_of(self)->setitem(vm, self, args[1], args[2]), out);
}

Status dunder_delitem(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]);
    return no_value(slots_of(self)->delitem(vm, self, args[1]), out);
}

// --- Operators ---------------------------------------------------------------------------------

static Status compare(Vm *vm, CompareOp op, const Value *args, Value *out) {
    Value self = unwrap(args[0]), other = unwrap(args[1]);
    return answered(slots_of(self)->compare(vm, op, self, other, out), out);
}

static Status binary(Vm *vm, BinaryOp op, bool in_place, const Value *args, Value *out) {
    Value self = unwrap(args[0]), other = unwrap(args[1]);
    return answered(slots_of(self)->binary(vm, op, in_place, self, other, out), out);
}

Status dunder_eq(Vm *vm, const Value *args, Value *out) {
    return compare(vm, CMP_EQ, args, out);
}
Status dunder_ne(Vm *vm, const Value *args, Value *out) {
    return compare(vm, CMP_NE, args, out);
}
Status dunder_lt(Vm *vm, const Value *args, Value *out) {
    return compare(vm, CMP_LT, args, out);
}
Status dunder_le(Vm *vm, const Value *args, Value *out) {
    return compare(vm, CMP_LE, args, out);
}
Status dunder_gt(Vm *vm, const Value *args, Value *out) {
    return compare(vm, CMP_GT, args, out);
}
Status dunder_ge(Vm *vm, const Value *args, Value *out) {
    return compare(vm, CMP_GE, args, out);
}

// Unlike the others, these raise the operator's own error: there is nothing left to try.
Status dunder_add(Vm *vm, const Value *args, Value *out) {
    Status st = binary(vm, BIN_ADD, false, args, out);
    if (st != ST_OK || out->kind != K_NOTIMPLEMENTED) return st;
    return op_binary_error(vm, BIN_ADD, false, unwrap(args[0]), args[1]);
}
static Status repeat(Vm *vm, bool in_place, const Value *args, Value *out) {
    Status st = binary(vm, BIN_MUL, in_place, args, out);
    if (st != ST_OK || out->kind != K_NOTIMPLEMENTED) return st;
    return vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer",
                    type_name(vm, args[1]));
}
Status dunder_mul(Vm *vm, const Value *args, Value *out) {
    return repeat(vm, false, args, out);
}
Status dunder_rmul(Vm *vm, const Value *args, Value *out) {
    return repeat(vm, false, args, out);
}
Status dunder_mod(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]); // what is formatted keeps its class
    return answered(slots_of(self)->binary(vm, BIN_MOD, false, self, args[1], out), out);
}
Status dunder_iadd(Vm *vm, const Value *args, Value *out) {
    return binary(vm, BIN_ADD, true, args, out);
}
Status dunder_imul(Vm *vm, const Value *args, Value *out) {
    return repeat(vm, true, args, out);
}
