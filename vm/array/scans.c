// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Scans of arrays, and reductions of segments of an axis (reduceat), by any elementwise op.

#include <inttypes.h>

#include "vm/array/reductions.h"

// --- Accumulating ------------------------------------------------------------------------------

static Status one_axis(Vm *vm, Value axis, int ndim, const char *what, int *out) {
    bool none = axis.kind == K_NONE || (axis.kind == K_TUPLE && axis.tuple->len == 0);
    bool first = axis.kind == K_INT && (axis.i == 0 || axis.i == -1);
    if (ndim == 0 && axis.kind == K_TUPLE && !none) axis = axis.tuple->items[0];
    else if (ndim == 0 && (none || first)) return vm_raise(vm, EXC_TypeError, "cannot %s on a scalar", what);
    if (axis.kind == K_TUPLE && axis.tuple->len == 1) axis = axis.tuple->items[0];
    if ((axis.kind == K_NONE && ndim > 1) || axis.kind == K_TUPLE)
        return vm_raise(vm, EXC_ValueError, "%s does not allow multiple axes", what);
    if (axis.kind == K_NONE) axis = v_int(0);
    AxisSet set;
    Status st = axes_from(vm, axis, ndim, &set);
    if (st == ST_OK) *out = __builtin_ctzll(set);
    return st;
}

// Raises an error for ldexp: it returns its first operand's type, which cannot be its second operand's, so it cannot
// scan.
static Status check_uniform(Vm *vm, OpId op, DType own, DType type, const char *what) {
    if (op != AOP_LDEXP) return ST_OK;
    DType exponent = dtype_can_cast(own, DT_INT32, CAST_SAFE) ? DT_INT32 : DT_INT64;
    const char *result = dtype_info[type].name;
    return vm_raise(vm, EXC_TypeError, "the resolved dtypes are not compatible with ldexp.%s. Resolved "
                    "(dtype('%s'), dtype('%s'), dtype('%s'))", what, result,
                    dtype_info[exponent].name, result);
}

// Records a scan. The result has the operand's memory order.
static Status record_scan(Vm *vm, const Row *row, const View *in, Value *out) {
    View to;
    int axes[NDIM_MAX];
    axes_of_operands(&(AxisLayout){in->shape, in->strides}, 1, in->ndim, axes);
    Status st = array_new_arranged(vm, row->loop, in->ndim, in->shape, axes, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    array_view(out->array, &to);
    st = record_row(vm, row, in, &to);
    if (st != ST_OK) release(vm, *out);
    return st;
}

static Status accumulate_array(Vm *vm, const ReduceCall *call, Array *array, Value *out) {
    View in;
    int axis;
    DType type;
    array_view(array, &in);
    Status st = one_axis(vm, call->axis, in.ndim, "accumulate", &axis);
    if (st != ST_OK) return st;
    st = reduction_type(vm, call->op, in.dtype, call->dtype, call->into, &type);
    if (st == ST_OK) st = check_uniform(vm, call->op, in.dtype, type, "accumulate");
    if (st == ST_OK) st = check_scan_output(vm, call, &in, &in, type);
    if (st == ST_STOP) {
        *out = retain(call->into);
        return ST_OK;
    }
    if (st != ST_OK) return st;
    if (type != DT_BOOL && warn_of_cast(vm, in.dtype, type) != ST_OK) return ST_ERROR;
    const Row row = {.op = op_scan(call->op), .combine = call->op, .loop = type,
                     .axes = axis_bit(axis)};
    st = record_scan(vm, &row, &in, out);
    return st == ST_OK ? reduced_into(vm, call->into, out) : st;
}

Status ufunc_accumulate(Vm *vm, const ReduceCall *call, Value a, Value *out) {
    Value array;
    Status st = array_from(vm, a, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = accumulate_array(vm, call, array.array, out);
    release(vm, array);
    return st;
}

// --- Pieces ------------------------------------------------------------------------------------

static Status check_places(Vm *vm, OpId op, Array *places, int64_t extent) {
    int64_t place;
    Status st = array_find_outside(vm, places, extent, &place);
    if (st == ST_STOP) return ST_OK;
    return st != ST_OK ? st : vm_raise(vm, EXC_IndexError, "index %" PRId64 " out-of-bounds in "
                                       "%s.reduceat [0, %" PRId64 ")", place, op_info[op].name, extent);
}

static Status record_pieces(Vm *vm, OpId op, Array *in, Array *places, int axis, Array *into) {
    Node *node = graph_node(vm, AOP_REDUCEAT);
    if (!node) return vm_no_memory(vm);
    node_input_array(node, in);
    node->attrs.loop = in->dtype;
    node_input_array(node, places);
    node_output_array(node, into);
    node->attrs.axes = axis_bit(axis);
    node->attrs.combine = op;
    return graph_record(vm, node);
}

static Status reduce_pieces(Vm *vm, const ReduceCall *call, Value array, Array *places, Value *out) {
    View in, shape;
    int axis;
    DType type;
    Value typed;
    array_view(array.array, &in);
    Status st = one_axis(vm, call->axis, in.ndim, "reduceat", &axis);
    if (st == ST_OK) st = check_places(vm, call->op, places, in.shape[axis]);
    if (st == ST_OK)
        st = reduction_type(vm, call->op, in.dtype, call->dtype, call->into, &type);
    if (st == ST_OK) st = check_uniform(vm, call->op, in.dtype, type, "reduceat");
    if (st != ST_OK) return st;
    shape = in;
    shape.shape[axis] = array_size(places);
    st = check_scan_output(vm, call, &shape, &in, type);
    if (st == ST_STOP) {
        *out = retain(call->into);
        return ST_OK;
    }
    if (st == ST_OK) st = array_new(vm, type, shape.ndim, shape.shape, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    st = array_from(vm, array, type, &typed);
    if (st == ST_OK) {
        st = record_pieces(vm, call->op, typed.array, places, axis, out->array);
        release(vm, typed);
    }
    if (st != ST_OK) {
        release(vm, *out);
        return st;
    }
    return reduced_into(vm, call->into, out);
}

Status places_from(Vm *vm, Value indices, Value *out) {
    int ndim = indices.kind == K_ARRAY ? indices.array->ndim : is_array_like(indices) ? 1 : 0;
    if (ndim == 0)
        return vm_raise(vm, EXC_ValueError, "object of too small depth for desired array");
    if (indices.kind == K_ARRAY && !dtype_can_cast(indices.array->dtype, DT_INT64, CAST_SAFE))
        return cannot_cast_array(vm, indices, DT_INT64, CAST_SAFE);
    Value typed;
    Status st = array_from(vm, indices, DT_INT64, &typed);
    if (st != ST_OK) return st;
    bool row = typed.array->ndim == 1;
    if (row) st = array_contiguous(vm, typed, out);
    release(vm, typed);
    return row ? st : exceeds_one_dimension(vm, indices);
}

Status ufunc_reduceat(Vm *vm, const ReduceCall *call, Value a, Value places, Value *out) {
    Value array;
    Status st = array_from(vm, a, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = reduce_pieces(vm, call, array, places.array, out);
    release(vm, array);
    return st;
}
