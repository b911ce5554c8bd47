// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// ufunc.at: combines an operand into elements, once for each occurrence of an index.

#include <string.h>

#include "vm/array/index.h"

// Finds the loop type for elements of type `own` and the operand. Python numbers are not weak here.
static Status meeting_type(Vm *vm, OpId op, DType own, Value operand, DType *loop) {
    DType type = own, other = DT_NONE, result;
    if (operand.kind == K_ARRAY) other = operand.array->dtype;
    else if (is_numpy_scalar(operand)) other = scalar_dtype(operand);
    else if (operand.kind == K_BOOL) other = DT_BOOL;
    else if (operand.kind != K_UNDEF) other = dtype_with_weak(DT_NONE, strength_of(operand));
    if (operand.kind != K_UNDEF) type = dtype_promote(own, other);
    if (op_types(op, type, loop, &result)) return ST_OK;
    const LoopTypes types = {.types = {own, other}, .count = op_info[op].arity, .result = DT_NONE};
    return no_loop(vm, op, type, &types);
}

// Returns whether NumPy has a specialised loop, whose warnings name the operation; otherwise they
// name `at`.
static bool has_own_loop(OpId op, DType loop, const Array *a, const Selection *s) {
    DType type, result;
    bool has = op == AOP_ADD || op == AOP_SUBTRACT || op == AOP_MULTIPLY || op == AOP_DIVIDE ||
               (op == AOP_FLOOR_DIVIDE && dtype_kind(loop) != DK_COMPLEX);
    if (!op_types(op, loop, &type, &result)) return false;
    return has && a->dtype == type && type == result && a->ndim == 1 && s->view.ndim == s->advanced_count;
}

// Returns whether the values broadcast to the selection.
static bool fits(Array *values, const View *selected) {
    int more = selected->ndim - values->ndim;
    for (int d = 0; more >= 0 && d < values->ndim; d++) {
        int64_t extent = array_shape(values)[d];
        if (extent != 1 && extent != selected->shape[d + more]) return false;
    }
    return more >= 0;
}

// Combines the operand into the selected elements. Without index arrays, these are all elements of the
// view, once each.
static Status meet_selected(Vm *vm, OpId op, DType loop, const Array *a, const Selection *s, Value operand) {
    Walk w;
    View dense;
    Value made;
    DType type, result;
    Status st = index_walk(vm, s, &w);
    if (st == ST_OK) st = array_new(vm, loop, w.result.ndim, w.result.shape, ROOM_ZEROED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    if (operand.kind == K_ARRAY && !fits(operand.array, &w.result))
        st = vm_raise(vm, EXC_ValueError, "array is not broadcastable to correct shape");
    else if (operand.kind != K_UNDEF) st = array_assign(vm, &dense, operand);
    if (st == ST_OK && op_types(op, loop, &type, &result)) st = warn_of_cast(vm, result, a->dtype);
    if (st == ST_OK) st = index_check(vm, s, &w);
    const Meet meet = {op, !has_own_loop(op, loop, a, s)};
    if (st == ST_OK) st = index_move(vm, s, &w, &dense, false, &meet);
    release(vm, made);
    return st;
}

// Sets the node's second operand: an array with one element per index, or a Python number that fits
// the type exactly. False: not applicable.
static bool put_value(Node *node, Value operand, DType type, Array *indexes) {
    bool whole = operand.kind == K_INT || operand.kind == K_BOOL;
    if (operand.kind == K_ARRAY) {
        Array *values = operand.array;
        node_input_array(node, values);
        return values->dtype == type && values->ndim == indexes->ndim && array_is_contiguous(values) &&
               memcmp(array_shape(values), array_shape(indexes), (size_t)values->ndim * sizeof(int64_t)) == 0;
    }
    if (type == DT_FLOAT64) node_input_scalar(node, type, (Scalar){.f = whole ? (double)operand.i : operand.f});
    else node_input_scalar(node, type, (Scalar){.i = operand.i});
    return (type == DT_FLOAT64 && (whole || operand.kind == K_FLOAT)) || (type == DT_INT64 && whole);
}

// Combines into a few elements of a row by direct execution. False: not applicable, nothing has happened.
static bool combine_at_once(Vm *vm, OpId op, DType loop, Array *row, const Keys *keys, Value operand) {
    DType type, result;
    bool plain = op_info[op].arity == 2 && !op_info[op].may_raise;
    if (!plain || row->readonly || loop != row->dtype || !op_types(op, loop, &type, &result)) return false;
    Node *node = type == loop && result == loop ? index_row_node(vm, AOP_PUT, row, keys) : NULL;
    if (!node) return false;
    node_output_array(node, row);
    node->attrs.combine = op;
    if (put_value(node, operand, loop, keys->items[0].array)) return graph_try(vm, node);
    graph_discard(vm, node);
    return false;
}

static bool is_plain_number(Value v) {
    return v.kind == K_INT || v.kind == K_BOOL || v.kind == K_FLOAT || v.kind == K_COMPLEX || is_numpy_scalar(v);
}

Status array_at(Vm *vm, OpId op, Value a, Value key, Value operand) {
    Keys keys;
    Selection s;
    Value array;
    DType loop;
    Status st = ST_OK;
    if (operand.kind == K_UNDEF || is_plain_number(operand)) array = retain(operand);
    else st = array_from(vm, operand, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = meeting_type(vm, op, a.array->dtype, array, &loop);
    if (st != ST_OK) {
        release(vm, array);
        return st;
    }
    st = index_keys(vm, key, &keys);
    if (st == ST_OK && !combine_at_once(vm, op, loop, a.array, &keys, array)) {
        st = index_select(vm, a.array, &keys, &s);
        if (st == ST_OK && a.array->readonly)
            st = vm_raise(vm, EXC_ValueError,
                          "operand array with iterator write flag set is read-only");
        if (st == ST_OK) st = meet_selected(vm, op, loop, a.array, &s, array);
        index_selection_free(vm, &s);
    }
    index_keys_free(vm, &keys);
    release(vm, array);
    return st;
}
