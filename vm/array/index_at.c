// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// ufunc.at: elements that meet an operand once for each time that they are named.

#include "vm/array/index.h"

// The type that elements of `own` meet an operand in.
static Status meeting_type(Vm *vm, OpId op, DType own, Value operand, DType *loop) {
    DType type = own, other = DT_NONE, result;
    if (operand.kind == K_ARRAY) other = operand.array->dtype;
    else if (is_numpy_scalar(operand)) other = scalar_dtype(operand);
    else if (operand.kind != K_UNDEF) other = dtype_with_weak(DT_NONE, strength_of(operand));
    if (operand.kind == K_ARRAY || is_numpy_scalar(operand)) type = dtype_promote(own, other);
    else if (operand.kind != K_UNDEF) type = dtype_with_weak(own, strength_of(operand));
    if (op_types(op, type, loop, &result)) return ST_OK;
    const LoopTypes types = {.types = {own, other}, .count = op_info[op].arity, .result = DT_NONE};
    return no_loop(vm, op, type, &types);
}

static Status meet_selected(Vm *vm, OpId op, DType loop, const Selection *s, Value operand) {
    Walk w;
    View dense;
    Value made;
    Status st = index_walk(vm, s, &w);
    if (st == ST_OK) st = array_new(vm, loop, w.result.ndim, w.result.shape, ROOM_ZEROED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    if (operand.kind != K_UNDEF) st = array_assign(vm, &dense, operand);
    if (st == ST_ERROR && operand.kind == K_ARRAY && vm_error_is(vm, EXC_ValueError))
        st = index_value_mismatch(vm, s, &w, operand);
    if (st == ST_OK) st = index_check(vm, s, &w);
    if (st == ST_OK) st = index_move(vm, s, &w, &dense, false, op);
    release(vm, made);
    return st;
}

// Without arrays in the key no element is named twice.
static Status meet_view(Vm *vm, OpId op, Value self, Value key, Value operand) {
    Value old, made;
    Status st = array_getitem(vm, self, key, &old);
    if (st != ST_OK) return st;
    const Value args[2] = {old, operand};
    const UfuncCall call = {.op = op, .args = args, .count = op_info[op].arity, .into = V_UNDEF,
                            .dtype = DT_NONE, .casting = CAST_UNSAFE};
    st = ufunc_apply(vm, &call, &made);
    release(vm, old);
    if (st != ST_OK) return st;
    st = array_setitem(vm, self, key, made);
    release(vm, made);
    return st;
}

Status array_at(Vm *vm, OpId op, Value a, Value key, Value operand) {
    Keys keys;
    Selection s;
    Value array;
    DType loop;
    Status st = ST_OK;
    if (is_array_like(operand)) st = array_from(vm, operand, DT_NONE, &array);
    else array = retain(operand);
    if (st != ST_OK) return st;
    st = meeting_type(vm, op, a.array->dtype, array, &loop);
    if (st != ST_OK) {
        release(vm, array);
        return st;
    }
    st = index_keys(vm, key, &keys);
    if (st == ST_OK) {
        st = index_select(vm, a.array, &keys, &s);
        if (st == ST_OK && a.array->readonly)
            st = vm_raise(vm, EXC_ValueError,
                          "operand array with iterator write flag set is read-only");
        if (st == ST_OK && s.advanced_count) st = meet_selected(vm, op, loop, &s, array);
        else if (st == ST_OK) st = meet_view(vm, op, a, key, array);
        index_selection_free(vm, &s);
    }
    index_keys_free(vm, &keys);
    release(vm, array);
    return st;
}
