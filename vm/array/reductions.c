// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reductions of arrays: by reduction ops of the table, and by any elementwise op.

#include "vm/array/reductions.h"

// --- Recording ---------------------------------------------------------------------------------

static Status empty_reduction(Vm *vm, OpId op) {
    return vm_raise(vm, EXC_ValueError, "zero-size array to reduction operation %s which has no "
                    "identity", op_info[op].name);
}

static bool reduces_nothing(const View *in, AxisSet axes) {
    for (int d = 0; d < in->ndim; d++)
        if (in->shape[d] == 0 && axes >> d & 1) return true;
    return false;
}

// Returns whether a reduction of a mask is recorded as COUNT_TRUE, which reads bytes of a mask in memory.
// A pending mask is rather fused with its reduction, and a distributed one reduced like other arrays.
static bool is_counted(Vm *vm, const Row *row, const View *in) {
    if (graph_is_distributed(vm, in->storage)) return false;
    bool asked = row->op == AOP_ANY || row->op == AOP_ALL || (row->op == AOP_SUM && row->loop == DT_INT64);
    return asked && !row->begun && in->dtype == DT_BOOL && row->axes == axes_below(in->ndim) && in->ndim > 0 &&
           !in->storage->producer && view_is_contiguous(in);
}

static OpId counted_by(OpId op) {
    return op == AOP_SUM ? AOP_NONE : op_info[op].combine;
}

Status record_row(Vm *vm, const Row *row, const View *in, const View *to) {
    bool counted = is_counted(vm, row, in);
    Node *node = graph_node_of(vm, counted ? AOP_COUNT_TRUE : row->op, row->loop, to, 1, &in);
    if (!node) return vm_no_memory(vm);
    node->attrs.axes = row->axes;
    node->attrs.combine = counted ? counted_by(row->op) : row->combine;
    node->attrs.begun = row->begun;
    node->attrs.quiet = row->quiet;
    node->attrs.called = row->called;
    return graph_record(vm, node);
}

// Makes the result with the operand's memory order of axes. *to: the result's view without reduced axes.
static Status new_reduced(Vm *vm, OpId op, const View *in, AxisSet axes, bool keepdims, DType dtype,
                          Value *out, View *to) {
    int64_t shape[NDIM_MAX];
    int order[NDIM_MAX], ndim = 0, place[NDIM_MAX];
    axes_of_operands(&(AxisLayout){in->shape, in->strides}, 1, in->ndim, order);
    if (op == AOP_ARGMAX || op == AOP_ARGMIN) axes_straight(in->ndim, false, order);
    for (int d = 0; d < in->ndim; d++) {
        bool reduced = axes >> d & 1;
        place[d] = reduced && !keepdims ? -1 : ndim;
        if (place[d] >= 0) shape[ndim++] = reduced ? 1 : in->shape[d];
    }
    int kept = 0;
    for (int d = 0; d < in->ndim; d++)
        if (place[order[d]] >= 0) order[kept++] = place[order[d]];
    Status st = array_new_arranged(vm, dtype, ndim, shape, order, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    array_view(out->array, to);
    if (!keepdims) return ST_OK;
    to->ndim = 0;
    for (int d = 0; d < ndim; d++) {
        if (axes >> d & 1) continue;
        to->shape[to->ndim] = to->shape[d];
        to->strides[to->ndim++] = to->strides[d];
    }
    return ST_OK;
}

Status array_reduce(Vm *vm, OpId op, Value a, AxisSet axes, bool keepdims, DType dtype,
                    Value *out) {
    View in, to;
    DType loop, result;
    array_view(a.array, &in);
    bool places = op == AOP_ARGMAX || op == AOP_ARGMIN;
    if (op_info[op].identity == IDENTITY_NONE && reduces_nothing(&in, axes)) {
        if (!places) return empty_reduction(vm, op_info[op].combine);
        return vm_raise(vm, EXC_ValueError, "attempt to get %s of an empty sequence",
                        op_info[op].name);
    }
    op_types(op, in.dtype, &loop, &result);
    if (dtype != DT_NONE) loop = result = dtype;
    Value made;
    Status st = new_reduced(vm, op, &in, axes, keepdims, result, &made, &to);
    if (st != ST_OK) return st;
    const Row row = {.op = op, .combine = AOP_NONE, .loop = loop, .axes = axes};
    st = record_row(vm, &row, &in, &to);
    if (st != ST_OK) {
        release(vm, made);
        return st;
    }
    *out = made;
    return array_to_scalar(vm, out);
}

Status array_sum_of(Vm *vm, const View *in, AxisSet axes, const char *called, Value *out) {
    Value made;
    View to;
    Row row = {.op = in->dtype == DT_BOOL ? AOP_ANY : AOP_SUM, .combine = AOP_NONE, .loop = in->dtype, .axes = axes,
               .called = called, .quiet = !called};
    Status st = new_reduced(vm, row.op, in, axes, false, in->dtype, &made, &to);
    if (st != ST_OK) return st;
    st = record_row(vm, &row, in, &to);
    if (st != ST_OK) {
        release(vm, made);
        return st;
    }
    *out = made;
    return ST_OK;
}

// --- By any op: what is reduced, and in which type ---------------------------------------------

// Returns whether elements may be combined in any order. Ops without an identity may then combine an
// element with itself, which must be harmless, as max(x, x) is x.
static bool is_reorderable(OpId op) {
    return op_info[op].commutative && op_info[op].dtype_rule != RULE_COMPARE;
}

Status reduction_type(Vm *vm, OpId op, DType own, DType given, Value into, DType *out) {
    DType type = own, result;
    DTypeRule rule = (DTypeRule)op_info[op].dtype_rule;
    OpId row = op_reduction(op);
    bool widens = op_info[row].dtype_rule == RULE_SUM;
    *out = DT_BOOL;
    if (rule == RULE_LOGICAL || (rule == RULE_COMPARE && (own == DT_BOOL || given == DT_BOOL)))
        return given == DT_NONE || given == DT_BOOL ? ST_OK : no_matching_loop(vm, op);
    if (rule == RULE_COMPARE) return no_matching_loop(vm, op);
    if (op == AOP_LDEXP && !dtype_can_cast(own, DT_INT64, CAST_SAFE))
        return given == DT_NONE ? no_loop(vm, op, own, NULL) : no_matching_loop(vm, op);
    if (given != DT_NONE) type = given;
    else if (into.kind == K_ARRAY) type = dtype_promote(own, into.array->dtype);
    else if (widens) op_types(row, own, out, &type);
    if (!op_types(op, type, out, &result)) {
        const LoopTypes types = {
            .types = {into.kind == K_ARRAY ? into.array->dtype : DT_NONE, own}, .count = 2,
            .result = DT_NONE};
        bool worded = given == DT_NONE || (given == DT_BOOL && op == AOP_SUBTRACT);
        return worded ? no_loop(vm, op, type, &types) : no_matching_loop(vm, op);
    }
    return given == DT_NONE || *out == given ? ST_OK : no_matching_loop(vm, op);
}

Status axis_set_from(Vm *vm, Array *array, Value axis, AxisSet *out) {
    bool lone = array->ndim == 0 && axis.kind == K_INT && (axis.i == 0 || axis.i == -1);
    return axes_from(vm, lone ? V_NONE : axis, array->ndim, out);
}

// --- Reducing ----------------------------------------------------------------------------------

// Replaces elements that where= excludes by the identity, or by the initial value.
static Status masked_operand(Vm *vm, const ReduceCall *call, DType type, bool has_initial,
                             Scalar initial, Value *array) {
    Value typed, filler, result;
    if (!has_initial && op_info[call->op].identity == IDENTITY_NONE)
        return vm_raise(vm, EXC_ValueError, "reduction operation '%s' does not have an identity, so "
                        "to use a where mask one has to specify 'initial'", op_info[call->op].name);
    bool by_truth = op_info[call->op].dtype_rule == RULE_LOGICAL;
    DType own = by_truth ? array->array->dtype : type;
    if (op_info[call->op].identity != IDENTITY_NONE) initial = op_identity(call->op, own);
    Status st = array_from(vm, *array, own, &typed);
    if (st != ST_OK) return st;
    st = scalar_out(vm, own, initial, &filler);
    if (st == ST_OK) {
        const Value args[3] = {call->where, typed, filler};
        st = array_apply(vm, AOP_WHERE, args, 3, V_UNDEF, DT_NONE, &result);
        release(vm, filler);
    }
    release(vm, typed);
    if (st != ST_OK) return st;
    release(vm, *array);
    *array = result;
    return result.kind == K_ARRAY ? ST_OK : array_from(vm, result, DT_NONE, array);
}

// Makes an array of a view's slice at `place` along an axis; of the whole view if axis < 0.
static Status slice_at(Vm *vm, Value owner, const View *whole, int axis, int64_t place, Value *out) {
    View view = *whole;
    if (axis >= 0) {
        view.offset += place * view.strides[axis];
        view.ndim--;
        for (int d = axis; d < view.ndim; d++) {
            view.shape[d] = view.shape[d + 1];
            view.strides[d] = view.strides[d + 1];
        }
    }
    return array_of_view(vm, &view, owner, out);
}

// Copies the first elements along an axis, or all elements if axis < 0.
static Status copy_slice(Vm *vm, const View *in, int axis, const View *to) {
    Value array;
    Status st = slice_at(vm, V_UNDEF, in, axis, 0, &array);
    if (st != ST_OK) return st;
    st = array_assign(vm, to, array);
    release(vm, array);
    return st;
}

// Initialises the result with the first elements along the axis, and drops them from the operand.
static Status begin_with_first(Vm *vm, View *in, int axis, const View *to) {
    Status st = copy_slice(vm, in, axis, to);
    in->offset += in->strides[axis];
    in->shape[axis]--;
    return st;
}

static Status begin_output(Vm *vm, const ReduceCall *call, Row *row, const Scalar *initial, View *in,
                           const View *to) {
    bool identity = op_info[call->op].identity != IDENTITY_NONE;
    const Scalar neutral = op_identity(call->op, row->loop);
    row->begun = true;
    if (initial) return array_fill(vm, to, row->loop, *initial);
    if (row->op != AOP_REDUCE || (!identity && is_reorderable(call->op))) {
        row->begun = false;
        return ST_OK;
    }
    if (identity) return array_fill(vm, to, row->loop, neutral);
    row->begun = row->axes != 0;
    return row->begun ? begin_with_first(vm, in, __builtin_ctzll(row->axes), to) : ST_OK;
}

static Status reduce_view(Vm *vm, const ReduceCall *call, DType type, AxisSet axes,
                          const Scalar *initial, View *in, Value *out) {
    View to;
    Value made;
    Row row = {.op = op_reduction(call->op), .combine = call->op, .loop = type, .axes = axes};
    Status st = new_reduced(vm, row.op, in, axes, call->keepdims, type, &made, &to);
    if (st != ST_OK) return st;
    st = begin_output(vm, call, &row, initial, in, &to);
    // with no reduced axis and no initial value, elements are just copied
    bool copied = row.op == AOP_REDUCE && !row.begun && !axes;
    if (st == ST_OK) st = copied ? copy_slice(vm, in, -1, &to) : record_row(vm, &row, in, &to);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

static Status select_mask(Vm *vm, Value where, const View *in, Value *mask, View *view) {
    int64_t shape[NDIM_MAX];
    int ndim;
    Status st = array_from(vm, where, DT_BOOL, mask);
    if (st != ST_OK) return st;
    array_view(mask->array, view);
    st = shapes_broadcast(vm, (const View *[]){in, view}, 2, shape, &ndim);
    if (st == ST_OK) view_broadcast(view, in->shape, in->ndim);
    else release(vm, *mask);
    return st;
}

// Reduces with where= by an op whose order matters. Such an op has no neutral element, so excluded
// elements are skipped, slice by slice.
static Status reduce_selected(Vm *vm, const ReduceCall *call, DType type, AxisSet axes, Scalar initial,
                              Value array, Value *out) {
    View in, to, chosen;
    Value made, mask, total = V_UNDEF;
    int axis = axes ? __builtin_ctzll(axes) : -1;
    array_view(array.array, &in);
    Status st = select_mask(vm, call->where, &in, &mask, &chosen);
    if (st != ST_OK) return st;
    st = new_reduced(vm, AOP_REDUCE, &in, axes, call->keepdims, type, &made, &to);
    if (st == ST_OK) {
        st = array_fill(vm, &to, type, initial);
        if (st == ST_OK) st = array_of_view(vm, &to, made, &total);
        int64_t count = axis < 0 ? 1 : in.shape[axis];
        for (int64_t i = 0; st == ST_OK && i < count; i++) {
            Value pair[2] = {total, V_UNDEF}, where, result;
            st = slice_at(vm, array, &in, axis, i, &pair[1]);
            if (st != ST_OK) break;
            st = slice_at(vm, mask, &chosen, axis, i, &where);
            const UfuncCall step = {.op = call->op, .args = pair, .count = 2, .into = total,
                                    .where = where, .dtype = type, .casting = CAST_UNSAFE};
            if (st == ST_OK) {
                st = ufunc_apply(vm, &step, &result);
                release(vm, where);
            }
            if (st == ST_OK) release(vm, result);
            release(vm, pair[1]);
        }
        release(vm, total);
        if (st == ST_OK) *out = made;
        else release(vm, made);
    }
    release(vm, mask);
    return st;
}

static Status reduce_array(Vm *vm, const ReduceCall *call, Value *array, Value *out) {
    View in;
    AxisSet axes;
    DType type;
    Scalar initial = {.re = 0, .im = 0};
    bool has_initial = call->initial.kind != K_UNDEF && call->initial.kind != K_NONE;
    bool masked = call->where.kind != K_UNDEF && !(call->where.kind == K_BOOL && call->where.i);
    Status st = axis_set_from(vm, array->array, call->axis, &axes);
    if (st == ST_OK)
        st = reduction_type(vm, call->op, array->array->dtype, call->dtype, call->into, &type);
    if (st == ST_OK && !is_reorderable(call->op) && axes & (axes - 1))
        return vm_raise(vm, EXC_ValueError, "reduction operation '%s' is not reorderable, so at most "
                        "one axis may be specified", op_info[call->op].name);
    if (st != ST_OK) return st;
    array_view(array->array, &in);
    st = check_reduced_output(vm, call, &in, axes);
    if (st != ST_OK) return st;
    if (type != DT_BOOL && warn_of_cast(vm, in.dtype, type) != ST_OK) return ST_ERROR;
    if (has_initial) st = element_from(vm, call->initial, type, &initial);
    bool slices = masked && has_initial && !is_reorderable(call->op);
    if (st == ST_OK && slices) {
        st = reduce_selected(vm, call, type, axes, initial, *array, out);
        return st == ST_OK && call->into.kind == K_ARRAY ? reduced_into(vm, call->into, out) : st;
    }
    if (st == ST_OK && masked) st = masked_operand(vm, call, type, has_initial, initial, array);
    if (st != ST_OK) return st;
    array_view(array->array, &in);
    bool begins = has_initial || (op_info[call->op].identity != IDENTITY_NONE &&
                                  call->initial.kind != K_NONE);
    if (!begins && reduces_nothing(&in, axes)) st = empty_reduction(vm, call->op);
    if (st == ST_OK) st = reduce_view(vm, call, type, axes, has_initial ? &initial : NULL, &in, out);
    return st == ST_OK && call->into.kind == K_ARRAY ? reduced_into(vm, call->into, out) : st;
}

// Reduces a value. Releases the operand before a scalar result is observed, so that a pending operand need not be
// stored.
Status ufunc_reduce(Vm *vm, const ReduceCall *call, Value a, Value *out) {
    Value array;
    Status st = array_from(vm, a, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = reduce_array(vm, call, &array, out);
    release(vm, array);
    if (call->slot) native_give_up(vm, call->slot);
    if (st != ST_OK || call->into.kind == K_ARRAY) return st;
    return call->called ? array_to_result(vm, call->called, out) : array_to_scalar(vm, out);
}
