// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Validates nodes that a host provides. Nodes of scripts are correct by construction; these may be anything, so all
// that backends rely on is checked here.

#include "vm/api/graph_check.h"

#include <string.h>

typedef const char *Problem; // NULL: none

// --- Names -------------------------------------------------------------------------------------

static bool find_op(const char *name, OpId *out) {
    *out = name ? op_named(name, strlen(name)) : AOP_NONE;
    return *out != AOP_NONE;
}

static bool find_dtype(const char *name, DType *out) {
    for (int t = 0; name && t < DT_COUNT; t++)
        if (strcmp(dtype_info[t].name, name) == 0) return *out = (DType)t, true;
    return false;
}

// --- Operands ----------------------------------------------------------------------------------

static size_t alignment_of(DType t) {
    return dtype_kind(t) == DK_COMPLEX ? dtype_size(t) / 2 : dtype_size(t);
}

// Requires that the lowest and the highest element lie in the storage.
static Problem check_reach(const View *view, size_t bytes) {
    __int128 low = view->offset, high = (__int128)view->offset + (int64_t)dtype_size(view->dtype),
             count = 1;
    for (int d = 0; d < view->ndim; d++) {
        count *= view->shape[d];
        if (count > INT64_MAX / DTYPE_SIZE_MAX) return "a view has too many elements";
        if (view->shape[d] == 0) return NULL;
        __int128 reach = (__int128)view->strides[d] * (view->shape[d] - 1);
        if (reach < 0) low += reach;
        else high += reach;
    }
    return low < 0 || high > (__int128)bytes ? "a view reaches beyond its storage" : NULL;
}

static Problem check_view(const NacreView *from, const NacreStorage *storages, int count,
                          View *to) {
    if (from->storage < 0 || from->storage >= count) return "there is no such storage";
    if (!find_dtype(from->dtype, &to->dtype)) return "there is no such dtype";
    if (from->ndim < 0 || from->ndim > NDIM_MAX) return "wrong number of dimensions";
    if (from->ndim > 0 && (!from->shape || !from->strides)) return "a view without shape";
    int64_t unit = (int64_t)alignment_of(to->dtype);
    size_t bytes = storages[from->storage].bytes;
    to->storage = NULL;
    to->offset = from->offset;
    to->ndim = from->ndim;
    if (from->offset < 0 || from->offset % unit) return "an offset that is no element's";
    if ((size_t)from->offset > bytes) return "a view reaches beyond its storage";
    for (int d = 0; d < from->ndim; d++) {
        if (from->shape[d] < 0) return "a negative extent";
        if (from->strides[d] % unit) return "a stride that leads to no element";
        to->shape[d] = from->shape[d];
        to->strides[d] = from->strides[d];
    }
    return check_reach(to, bytes);
}

static Problem check_scalar(const NacreOperand *from, NodeInput *to) {
    if (!find_dtype(from->view.dtype, &to->dtype)) return "there is no such dtype";
    int bits = 8 * (int)dtype_size(to->dtype);
    uint64_t beyond = (uint64_t)from->integer;
    switch (dtype_kind(to->dtype)) {
    case DK_BOOL: to->scalar.i = from->integer != 0; return NULL;
    case DK_INT:
        to->scalar.i = from->integer;
        beyond += bits < 64 ? (uint64_t)1 << (bits - 1) : 0;
        break;
    case DK_UINT: to->scalar.i = from->integer; break;
    case DK_FLOAT: to->scalar.f = from->real; return NULL;
    default:
        to->scalar.re = from->real;
        to->scalar.im = from->imaginary;
        return NULL;
    }
    return bits < 64 && beyond >> bits ? "a scalar that its dtype cannot hold" : NULL;
}

static Problem check_operands(const NacreNode *node, const NacreStorage *storages, int count,
                              CheckedNode *out) {
    Problem problem = NULL;
    for (int i = 0; !problem && i < node->operand_count; i++) {
        const NacreOperand *from = &node->operands[i];
        NodeInput *to = &out->inputs[i];
        to->is_scalar = from->is_scalar;
        out->storages[i] = from->is_scalar ? -1 : from->view.storage;
        if (from->is_scalar) {
            problem = check_scalar(from, to);
            continue;
        }
        problem = check_view(&from->view, storages, count, &to->view);
        to->dtype = to->view.dtype;
    }
    return problem;
}

// --- Classes -----------------------------------------------------------------------------------

static bool same_shape(const View *a, const View *b) {
    return a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

// Returns whether an op computes in the type `loop`. *result: the result's type.
static bool has_result(OpId op, DType loop, DType *result) {
    DType own;
    return op_has_loop(op, loop) && op_types(op, loop, &own, result) && own == loop;
}

static Problem check_elementwise(const CheckedNode *node) {
    DType result;
    for (int i = 0; i < op_info[node->op].arity; i++)
        if (!node->inputs[i].is_scalar && !same_shape(&node->inputs[i].view, &node->output))
            return "an operand is not of the result's shape";
    if (node->op == AOP_CAST) return NULL;
    if (!has_result(node->op, node->attrs.loop, &result))
        return "the operation is not made for this dtype";
    if (node->op != AOP_WRAP_INDEX) return NULL;
    const NodeInput *extent = &node->inputs[1];
    bool right = node->attrs.loop == DT_INT64 && node->output.dtype == DT_INT64 &&
                 extent->is_scalar && extent->dtype == DT_INT64 && extent->scalar.i >= 0;
    return right ? NULL : "indexes and extents are int64";
}

// Requires that an operation that combines elements has a result of the operands' type.
static Problem check_combine(OpId combine, DType loop) {
    DType result;
    if (combine >= AOP_COUNT || op_info[combine].op_class != CLASS_ELEMENTWISE ||
        op_info[combine].arity != 2 || combine == AOP_WRAP_INDEX)
        return "this is nothing that combines";
    return has_result(combine, loop, &result) && result == loop
               ? NULL
               : "the operation is not made for this dtype";
}

// Requires that the output has the operand's dimensions but for those in `axes`.
static Problem check_kept(const View *in, const View *out, AxisSet axes) {
    int kept = 0;
    for (int d = 0; d < in->ndim; d++) {
        if (axes >> d & 1) continue;
        if (kept >= out->ndim || out->shape[kept++] != in->shape[d])
            return "a result of another shape";
    }
    return kept == out->ndim ? NULL : "a result of another shape";
}

static int64_t extent_along(const View *view, AxisSet axes) {
    int64_t count = 1;
    for (int d = 0; d < view->ndim; d++)
        if (axes >> d & 1) count *= view->shape[d];
    return count;
}

static Problem check_reduction(const CheckedNode *node) {
    const View *in = &node->inputs[0].view;
    DType loop, result = node->attrs.loop;
    AxisSet axes = node->attrs.axes;
    if (node->inputs[0].is_scalar) return "a scalar is reduced";
    if (axes & ~axes_below(in->ndim)) return "there is no such axis";
    Problem problem = check_kept(in, &node->output, axes);
    if (problem) return problem;
    if (node->op == AOP_REDUCE) problem = check_combine(node->attrs.combine, node->attrs.loop);
    else if (!op_types(node->op, node->attrs.loop, &loop, &result) || loop != node->attrs.loop)
        problem = "the operation is not made for this dtype";
    else if (!op_has_loop(op_info[node->op].combine, result))
        problem = "the operation is not made for this dtype";
    if (problem) return problem;
    if (node->output.dtype != result) return "a result of another dtype";
    bool begins = node->attrs.begun || op_info[node->op].identity != IDENTITY_NONE;
    return begins || extent_along(in, axes) > 0 ? NULL
                                                : "nothing is reduced, and it has no identity";
}

static bool is_one_axis(AxisSet axes, int ndim) {
    return axes && !(axes & (axes - 1)) && !(axes & ~axes_below(ndim));
}

static Problem check_scan(const CheckedNode *node) {
    const View *in = &node->inputs[0].view;
    DType loop = node->attrs.loop;
    if (node->inputs[0].is_scalar || !same_shape(in, &node->output))
        return "a result of another shape";
    if (!is_one_axis(node->attrs.axes, in->ndim)) return "one axis is scanned";
    if (node->output.dtype != loop) return "a result of another dtype";
    return check_combine(
        node->op == AOP_ACCUMULATE ? node->attrs.combine : op_info[node->op].combine, loop);
}

static Problem check_sequence(const CheckedNode *node) {
    if (!node->inputs[0].is_scalar || !node->inputs[1].is_scalar)
        return "a sequence begins with two scalars";
    if (node->output.ndim != 1) return "a result of another shape";
    if (node->output.dtype != node->attrs.loop) return "a result of another dtype";
    bool long_bool = node->output.dtype == DT_BOOL && node->output.shape[0] > 2;
    return long_bool ? "a sequence of bool has two elements at most" : NULL;
}

static Problem check_matmul(const CheckedNode *node) {
    const View *a = &node->inputs[0].view, *b = &node->inputs[1].view, *c = &node->output;
    DType loop = node->attrs.loop;
    int last = c->ndim - 1;
    if (node->inputs[0].is_scalar || node->inputs[1].is_scalar) return "a scalar is no matrix";
    if (a->dtype != loop || b->dtype != loop || c->dtype != loop)
        return "matrices of several dtypes";
    if (c->ndim < 2 || a->ndim != c->ndim || b->ndim != c->ndim) return "matrices of several ranks";
    for (int d = 0; d < last - 1; d++)
        if (a->shape[d] != c->shape[d] || b->shape[d] != c->shape[d])
            return "stacks that do not fit";
    bool fits = a->shape[last - 1] == c->shape[last - 1] && b->shape[last] == c->shape[last] &&
                a->shape[last] == b->shape[last - 1];
    return fits ? NULL : "matrices that do not fit";
}

// Checks argmax, argmin, sort and argsort.
static Problem check_along(const CheckedNode *node) {
    const View *in = &node->inputs[0].view, *out = &node->output;
    bool finds = node->op == AOP_ARGMAX || node->op == AOP_ARGMIN;
    if (node->inputs[0].is_scalar) return "a scalar has no axis";
    if (!is_one_axis(node->attrs.axes, in->ndim)) return "one axis is worked along";
    if (in->dtype != node->attrs.loop) return "an operand of another dtype";
    if (out->dtype != (node->op == AOP_SORT ? in->dtype : DT_INT64))
        return "a result of another dtype";
    if (!finds) return same_shape(in, out) ? NULL : "a result of another shape";
    Problem problem = check_kept(in, out, node->attrs.axes);
    bool nothing = extent_along(in, node->attrs.axes) == 0 && view_size(out) > 0;
    return problem ? problem : nothing ? "nothing to be found in no elements" : NULL;
}

static Problem check_class(const CheckedNode *node) {
    switch ((OpClass)op_info[node->op].op_class) {
    case CLASS_ELEMENTWISE: return check_elementwise(node);
    case CLASS_REDUCTION: return check_reduction(node);
    case CLASS_SCAN: return check_scan(node);
    case CLASS_CREATION: return check_sequence(node);
    default: break;
    }
    switch (node->op) {
    case AOP_MATMUL: return check_matmul(node);
    case AOP_ARGMAX:
    case AOP_ARGMIN:
    case AOP_SORT:
    case AOP_ARGSORT: return check_along(node);
    default: return "operations of this name are run for scripts only";
    }
}

// --- All of it ---------------------------------------------------------------------------------

static Problem check_attributes(const NacreAttributes *from, NodeAttrs *to) {
    *to = (NodeAttrs){.axes = from->axes,
                      .combine = AOP_NONE,
                      .begun = from->begun,
                      .axis = from->axis,
                      .quiet = from->quiet,
                      .scalar = from->scalar};
    if (!find_dtype(from->loop, &to->loop)) return "there is no such dtype";
    if (from->combine && !find_op(from->combine, &to->combine)) return "there is no such operation";
    return NULL;
}

bool view_is_whole(const View *view, size_t bytes) {
    return (size_t)view_size(view) * dtype_size(view->dtype) == bytes && view_is_injective(view);
}

Problem graph_check(const NacreNode *node, const NacreStorage *storages, int count,
                    CheckedNode *out) {
    if (!find_op(node->operation, &out->op)) return "there is no such operation";
    if (node->operand_count != op_info[out->op].arity) return "wrong number of operands";
    Problem problem = check_attributes(&node->attributes, &out->attrs);
    if (!problem) problem = check_operands(node, storages, count, out);
    if (!problem) problem = check_view(&node->result, storages, count, &out->output);
    out->storages[node->operand_count] = node->result.storage;
    if (problem) return problem;
    if (!view_is_injective(&out->output)) return "elements of the result share their places";
    return check_class(out);
}
