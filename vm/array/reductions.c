// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reductions and scans of arrays: by rows of the op table, and by any elementwise op.

#include <inttypes.h>
#include <string.h>

#include "vm/array/array.h"

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

typedef struct Row {
    OpId op;      // REDUCTION, SCAN, or an argmax
    OpId combine; // where the op is none in particular
    DType loop;
    AxisSet axes;
    bool begun;
} Row;

static Status record_row(Vm *vm, const Row *row, const View *in, const View *to) {
    Node *node = graph_node(vm, row->op);
    if (!node) return vm_no_memory(vm);
    node_input_view(node, in);
    node_output(node, to);
    node->attrs.loop = row->loop;
    node->attrs.axes = row->axes;
    node->attrs.combine = row->combine;
    node->attrs.begun = row->begun;
    return graph_record(vm, node);
}

static int kept_shape(const View *in, AxisSet axes, int64_t *shape) {
    int kept = 0;
    for (int d = 0; d < in->ndim; d++)
        if (!(axes >> d & 1)) shape[kept++] = in->shape[d];
    return kept;
}

// An array for the result, with its axes in memory as the operand has them, and the view of it
// without the reduced ones.
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

// A scan's result lies in memory as its operand does.
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

// --- By any op: what is reduced, and in which type ---------------------------------------------

// Whether the order does not matter. Without an identity, an element may then meet itself too: the
// larger of x and x is x.
static bool is_reorderable(OpId op) {
    return op_info[op].commutative && op_info[op].dtype_rule != RULE_COMPARE;
}

// The type that elements meet in, and that the result has.
static Status reduction_type(Vm *vm, OpId op, DType own, DType given, Value into, DType *out) {
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

// --- out= --------------------------------------------------------------------------------------

static Status wrong_rank(Vm *vm, const ReduceCall *call, int found, int wanted) {
    return vm_raise(vm, EXC_ValueError, "output parameter for reduction operation %s has the wrong "
                    "number of dimensions: Found %d but expected %d%s", op_info[call->op].name, found,
                    wanted, call->keepdims ? " (must match the operand's when keepdims=True)" : "");
}

// As NumPy lists the axes of an output beside those of the operand: the reduced ones are new.
static Status wrong_extent(Vm *vm, const View *in, AxisSet axes, bool keepdims, Array *into) {
    Buf text;
    int first = 0, printed = 0;
    if (keepdims) axes = 0;
    while (first < in->ndim && axes >> first & 1) first++;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "operands could not be broadcast together with remapped shapes "
                    "[original->remapped]: ");
    shape_text_tight(array_shape(into), into->ndim, &text);
    buf_puts(&text, "->(");
    for (int d = first, kept = 0; d < in->ndim; d++) {
        if (printed++) buf_putc(&text, ',');
        if (axes >> d & 1) buf_puts(&text, "newaxis");
        else buf_printf(&text, "%" PRId64, array_shape(into)[kept++]);
    }
    buf_puts(&text, in->ndim == 1 ? ",) " : ") ");
    shape_text_tight(in->shape, in->ndim, &text);
    buf_puts(&text, " ");
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

// An axis where either the output or the operand has an extent of 1, and should not.
static Status stretched_output(Vm *vm, const ReduceCall *call, const View *in, AxisSet axes, int axis) {
    Array *into = call->into.array;
    int at = 0;
    for (int d = 0; d < axis; d++) at += call->keepdims || !(axes >> d & 1);
    int64_t extent = array_shape(into)[at];
    if (axes >> axis & 1)
        return vm_raise(vm, EXC_ValueError, "operand was set up as a reduction along axis %d, but the "
                        "length of the axis is %" PRId64 " (it has to be 1)", axis, extent);
    if (extent == 1)
        return vm_raise(vm, EXC_ValueError, "output operand requires a reduction along dimension %d, "
                        "but the reduction is not enabled. The dimension size of 1 does not match the "
                        "expected output shape.", at);
    int64_t shape[NDIM_MAX];
    Buf text;
    at = 0;
    for (int d = 0; d < in->ndim; d++) {
        bool taken = call->keepdims || !(axes >> d & 1);
        shape[d] = in->shape[d] == 1 && taken ? array_shape(into)[at] : in->shape[d];
        at += taken;
    }
    buf_init(&text, &vm->mem);
    buf_puts(&text, "non-broadcastable operand with shape ");
    shape_text_tight(in->shape, in->ndim, &text);
    buf_puts(&text, " doesn't match the broadcast shape ");
    shape_text_tight(shape, in->ndim, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

static Status check_output(Vm *vm, const ReduceCall *call, const View *in, AxisSet axes) {
    if (call->into.kind != K_ARRAY) return ST_OK;
    Array *into = call->into.array;
    if (array_check_writeable(vm, into, "output array") != ST_OK) return ST_ERROR;
    int64_t shape[NDIM_MAX];
    int kept = kept_shape(in, axes, shape), wanted = call->keepdims ? in->ndim : kept;
    if (into->ndim != wanted) return wrong_rank(vm, call, into->ndim, wanted);
    int stretched = -1;
    for (int d = 0, at = 0; d < in->ndim; d++) {
        bool reduced = axes >> d & 1;
        if (reduced && !call->keepdims) continue;
        int64_t extent = array_shape(into)[at++];
        if (extent != in->shape[d] && extent != 1 && in->shape[d] != 1)
            return wrong_extent(vm, in, axes, call->keepdims, into);
        if (extent != (reduced ? 1 : in->shape[d]) && stretched < 0) stretched = d;
    }
    return stretched < 0 ? ST_OK : stretched_output(vm, call, in, axes, stretched);
}

// The result in out=, cast to its type whatever that is.
static Status into_output(Vm *vm, Value into, Value *out) {
    View to;
    if (into.kind != K_ARRAY) return ST_OK;
    array_view(into.array, &to);
    // Axes beyond the result's own (see check_scan_output): their first elements.
    to.ndim = (*out).array->ndim;
    warn_of_cast(vm, (*out).array->dtype, to.dtype);
    Status st = array_assign(vm, &to, *out);
    release(vm, *out);
    if (st == ST_OK) *out = retain(into);
    return st;
}

// --- Reducing ----------------------------------------------------------------------------------

// What stands where where= is false: the identity, or else the value with which the reduction begins.
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

// The first elements along an axis begin, and the others follow.
static Status begin_with_first(Vm *vm, View *in, AxisSet axes, const View *to) {
    View first = *in;
    int axis = __builtin_ctzll(axes);
    Value array;
    first.ndim--;
    for (int d = axis; d < first.ndim; d++) {
        first.shape[d] = first.shape[d + 1];
        first.strides[d] = first.strides[d + 1];
    }
    Status st = array_of_view(vm, &first, V_UNDEF, &array);
    if (st != ST_OK) return st;
    st = array_assign(vm, to, array);
    release(vm, array);
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
    if (row->axes) return begin_with_first(vm, in, row->axes, to);
    row->begun = false;
    return ST_OK;
}

static Status reduce_view(Vm *vm, const ReduceCall *call, DType type, AxisSet axes,
                          const Scalar *initial, View *in, Value *out) {
    View to;
    Value made;
    Row row = {.op = op_reduction(call->op), .combine = call->op, .loop = type, .axes = axes};
    if (type != DT_BOOL) warn_of_cast(vm, in->dtype, type);
    Status st = new_reduced(vm, row.op, in, axes, call->keepdims, type, &made, &to);
    if (st != ST_OK) return st;
    st = begin_output(vm, call, &row, initial, in, &to);
    if (st == ST_OK) st = record_row(vm, &row, in, &to);
    if (st == ST_OK) *out = made;
    else release(vm, made);
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
    if (st == ST_OK && has_initial) st = scalar_from(vm, call->initial, type, &initial);
    if (st == ST_OK && masked) st = masked_operand(vm, call, type, has_initial, initial, array);
    if (st != ST_OK) return st;
    array_view(array->array, &in);
    if (!is_reorderable(call->op) && axes & (axes - 1))
        return vm_raise(vm, EXC_ValueError, "reduction operation '%s' is not reorderable, so at most "
                        "one axis may be specified", op_info[call->op].name);
    bool begins = has_initial || (op_info[call->op].identity != IDENTITY_NONE &&
                                  call->initial.kind != K_NONE);
    st = check_output(vm, call, &in, axes);
    if (st == ST_OK && !begins && reduces_nothing(&in, axes)) st = empty_reduction(vm, call->op);
    if (st == ST_OK) st = reduce_view(vm, call, type, axes, has_initial ? &initial : NULL, &in, out);
    if (st != ST_OK) return st;
    return call->into.kind == K_ARRAY ? into_output(vm, call->into, out) : array_to_scalar(vm, out);
}

Status ufunc_reduce(Vm *vm, const ReduceCall *call, Value a, Value *out) {
    Value array;
    Status st = array_from(vm, a, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = reduce_array(vm, call, &array, out);
    release(vm, array);
    return st;
}

// --- Accumulating ------------------------------------------------------------------------------

static Status one_axis(Vm *vm, Value axis, int ndim, const char *what, int *out) {
    if (axis.kind == K_TUPLE && axis.tuple->len == 1) axis = axis.tuple->items[0];
    if ((axis.kind == K_NONE && ndim > 1) || axis.kind == K_TUPLE)
        return vm_raise(vm, EXC_ValueError, "%s does not allow multiple axes", what);
    if (axis.kind == K_NONE) axis = v_int(0);
    bool lone = ndim == 0 && axis.kind == K_INT && (axis.i == 0 || axis.i == -1);
    *out = 0;
    if (lone) return ST_OK;
    AxisSet set;
    Status st = axes_from(vm, axis, ndim, &set);
    if (st == ST_OK) *out = __builtin_ctzll(set);
    return st;
}

static void remapped(const int64_t *shape, int ndim, int taken, Buf *text) {
    shape_text_tight(shape, ndim, text);
    buf_puts(text, "->");
    shape_text_tight(shape, taken, text);
    buf_putc(text, ' ');
}

static Status scan_output_error(Vm *vm, Array *into, const View *shape, const View *operand) {
    int64_t reversed[NDIM_MAX];
    int ndim = shape->ndim;
    bool narrow = true; // only too short where it has an extent of 1
    Buf text;
    if (into->ndim < ndim)
        return vm_raise(vm, EXC_ValueError, "Iterator input op_axes[0][%d] (==%d) is not a valid axis "
                        "of op[0], which has %d dimensions ", ndim - into->ndim - 1, into->ndim,
                        into->ndim);
    for (int d = 0; d < ndim; d++) {
        int64_t extent = array_shape(into)[d];
        narrow = narrow && (extent == 1 || extent == shape->shape[d]);
        reversed[ndim - 1 - d] = extent;
    }
    buf_init(&text, &vm->mem);
    if (narrow) {
        buf_puts(&text, "non-broadcastable output operand with shape ");
        shape_text_tight(array_shape(into), into->ndim, &text);
        buf_puts(&text, " [remapped to ");
        shape_text_tight(reversed, ndim, &text);
        buf_puts(&text, "] doesn't match the broadcast shape ");
        shape_text_tight(shape->shape, ndim, &text);
    } else {
        buf_puts(&text, "operands could not be broadcast together with remapped shapes "
                        "[original->remapped]: ");
        remapped(array_shape(into), into->ndim, ndim, &text);
        remapped(operand->shape, ndim, ndim, &text);
    }
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

static void bounds(const View *view, int64_t *low, int64_t *high) {
    *low = *high = view->offset;
    for (int d = 0; d < view->ndim; d++) {
        int64_t reach = (view->shape[d] - 1) * view->strides[d];
        if (reach < 0) *low += reach;
        else *high += reach;
    }
}

static bool may_overlap(const View *a, const View *b) {
    int64_t low_a, high_a, low_b, high_b;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] == 0) return false;
    for (int d = 0; d < b->ndim; d++)
        if (b->shape[d] == 0) return false;
    bounds(a, &low_a, &high_a);
    bounds(b, &low_b, &high_b);
    return a->storage == b->storage && low_a <= high_b && low_b <= high_a;
}

// ST_STOP: out= has no elements, and stays as it is.
static Status check_scan_output(Vm *vm, const ReduceCall *call, const View *shape,
                                const View *operand, DType type) {
    if (call->into.kind != K_ARRAY) return ST_OK;
    Array *into = call->into.array;
    if (array_check_writeable(vm, into, "output array") != ST_OK) return ST_ERROR;
    bool fits = into->ndim >= shape->ndim &&
                memcmp(array_shape(into), shape->shape, (size_t)shape->ndim * sizeof(int64_t)) == 0;
    if (fits && into->ndim == shape->ndim) return ST_OK;
    View view;
    array_view(into, &view);
    bool iterated = shape->ndim > 1 || into->dtype != type || operand->dtype != type ||
                    may_overlap(&view, operand);
    if (iterated && fits) return array_size(into) ? ST_OK : ST_STOP;
    if (iterated) return scan_output_error(vm, into, shape, operand);
    if (array_size(into) == 0) return ST_STOP;
    return vm_raise(vm, EXC_ValueError, "provided out is the wrong size for the accumulation.");
}

static Status accumulate_array(Vm *vm, const ReduceCall *call, Array *array, Value *out) {
    View in;
    int axis;
    DType type;
    array_view(array, &in);
    Status st = one_axis(vm, call->axis, in.ndim, "accumulate", &axis);
    if (st != ST_OK) return st;
    if (in.ndim == 0) return vm_raise(vm, EXC_TypeError, "cannot accumulate on a scalar");
    if (st == ST_OK) st = reduction_type(vm, call->op, in.dtype, call->dtype, call->into, &type);
    if (st == ST_OK) st = check_scan_output(vm, call, &in, &in, type);
    if (st == ST_STOP) {
        *out = retain(call->into);
        return ST_OK;
    }
    if (st != ST_OK) return st;
    if (type != DT_BOOL) warn_of_cast(vm, in.dtype, type);
    const Row row = {.op = op_scan(call->op), .combine = call->op, .loop = type,
                     .axes = axis_bit(axis)};
    st = record_scan(vm, &row, &in, out);
    return st == ST_OK ? into_output(vm, call->into, out) : st;
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
    View view;
    Node *node = graph_node(vm, AOP_REDUCEAT);
    if (!node) return vm_no_memory(vm);
    array_view(in, &view);
    node_input_view(node, &view);
    node->attrs.loop = view.dtype;
    array_view(places, &view);
    node_input_view(node, &view);
    array_view(into, &view);
    node_output(node, &view);
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
    if (st == ST_OK && in.ndim == 0)
        return vm_raise(vm, EXC_TypeError, "cannot reduceat on a scalar");
    if (st == ST_OK) st = check_places(vm, call->op, places, in.shape[axis]);
    if (st == ST_OK)
        st = reduction_type(vm, call->op, in.dtype, call->dtype, call->into, &type);
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
    return into_output(vm, call->into, out);
}

// A row of places. What is in a list may be of any type, an array has to hold integers.
static Status places_from(Vm *vm, Value indices, Value *out) {
    int ndim = indices.kind == K_ARRAY ? indices.array->ndim : is_array_like(indices) ? 1 : 0;
    if (ndim == 0)
        return vm_raise(vm, EXC_ValueError, "object of too small depth for desired array");
    if (indices.kind == K_ARRAY && !dtype_can_cast(indices.array->dtype, DT_INT64, CAST_SAFE))
        return cannot_cast_array(vm, indices, DT_INT64, CAST_SAFE);
    Status st = array_from(vm, indices, DT_INT64, out);
    if (st != ST_OK || (*out).array->ndim == 1) return st;
    release(vm, *out);
    return vm_raise(vm, EXC_ValueError, "object too deep for desired array");
}

Status ufunc_reduceat(Vm *vm, const ReduceCall *call, Value a, Value indices, Value *out) {
    Value array, typed, places;
    Status st = array_from(vm, a, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = places_from(vm, indices, &typed);
    if (st == ST_OK) {
        st = array_contiguous(vm, typed, &places);
        release(vm, typed);
    }
    if (st == ST_OK) {
        st = reduce_pieces(vm, call, array, places.array, out);
        release(vm, places);
    }
    release(vm, array);
    return st;
}
