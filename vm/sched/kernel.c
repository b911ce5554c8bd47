// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// From nodes to kernels.

#include "vm/sched/backend.h"
#include "vm/sched/kernel.h"

#include <stddef.h>
#include <string.h>

// --- Making ------------------------------------------------------------------------------------

static void access_of(KernAccess *access, const View *view) {
    access->storage = view->storage;
    access->dtype = view->dtype;
    access->offset = view->offset;
    memcpy(access->strides, view->strides, (size_t)view->ndim * sizeof *view->strides);
}

static int instr(Kernel *k, OpId op, DType from, DType type, int a, int b, int c) {
    k->code[k->code_count] = (KernInstr){(uint16_t)op, (uint8_t)from, (uint8_t)type,
                                         {(int8_t)a, (int8_t)b, (int8_t)c}};
    return k->load_count + k->param_count + k->code_count++;
}

static int cast_to(Kernel *k, int value, DType type) {
    DType from = kernel_value_type(k, value);
    return from == type ? value : instr(k, AOP_CAST, from, type, value, -1, -1);
}

// The type an operand is wanted in.
static DType wanted(const Node *node, int operand) {
    if (node->op == AOP_CAST) return node->inputs[0].dtype;
    return node->op == AOP_WHERE && operand == 0 ? DT_BOOL : node->attrs.loop;
}

// Loads and params, as value numbers per operand. Scalars are converted here, once.
static void operands(Kernel *k, const Node *node, int values[NODE_INPUTS]) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) {
            values[i] = k->load_count;
            access_of(&k->loads[k->load_count++], &node->inputs[i].view);
        }
    for (int i = 0; i < node->input_count; i++) {
        if (!node->inputs[i].is_scalar) continue;
        DType type = wanted(node, i);
        values[i] = k->load_count + k->param_count;
        k->params[k->param_count] =
            dtype_convert(node->inputs[i].dtype, type, node->inputs[i].scalar);
        k->param_types[k->param_count++] = type;
    }
}

static void finish_store(Kernel *k, const Node *node, int value) {
    k->store_count = 1;
    access_of(&k->stores[0].to, &node->output);
    k->stores[0].value = (int8_t)cast_to(k, value, node->output.dtype);
}

// A cast may tell of what does not fit.
static bool cast_tells(DType from, DType to) {
    if (dtype_is_inexact(to)) return !dtype_can_cast(from, to, CAST_SAFE);
    return to != DT_BOOL && dtype_is_inexact(from);
}

// Operations that say nothing themselves compare numbers, which NaN would be told of.
static void tell_of_casts(Kernel *k, DType loop) {
    for (int i = 0; i < k->code_count && !k->flags; i++) {
        const KernInstr *in = &k->code[i];
        k->flags = in->op == AOP_CAST && cast_tells((DType)in->from, (DType)in->type);
        if (k->flags && dtype_is_inexact(loop)) k->untold = FLAG_INVALID;
    }
}

static void elementwise(Kernel *k, const Node *node) {
    int values[NODE_INPUTS] = {-1, -1, -1};
    memcpy(k->shape, node->output.shape, (size_t)node->output.ndim * sizeof *k->shape);
    k->ndim = node->output.ndim;
    operands(k, node, values);
    if (node->op == AOP_CAST) {
        finish_store(k, node, values[0]);
        return;
    }
    for (int i = 0; i < node->input_count; i++) values[i] = cast_to(k, values[i], wanted(node, i));
    DType loop = node->attrs.loop, promoted, result;
    if (!op_types(node->op, loop, &promoted, &result)) result = loop;
    finish_store(k, node, instr(k, node->op, loop, result, values[0], values[1], values[2]));
    tell_of_casts(k, loop);
}

// The store gets strides for the input's dimensions: 0 along the reduced ones.
static void reduction(Kernel *k, const Node *node) {
    int values[NODE_INPUTS];
    const View *in = &node->inputs[0].view;
    memcpy(k->shape, in->shape, (size_t)in->ndim * sizeof *k->shape);
    k->ndim = in->ndim;
    operands(k, node, values);
    int value = cast_to(k, values[0], node->attrs.loop);
    if (op_info[node->op].dtype_rule == RULE_LOGICAL) value = cast_to(k, value, DT_BOOL);
    finish_store(k, node, value);
    for (int d = 0, kept = 0; d < in->ndim; d++)
        k->stores[0].to.strides[d] = node->attrs.axes >> d & 1 ? 0 : node->output.strides[kept++];
    k->reduce = node->op == AOP_REDUCE ? node->attrs.combine : op_info[node->op].combine;
    k->reduced = node->attrs.axes;
    k->begun = node->attrs.begun;
    k->has_initial = op_info[node->op].identity != IDENTITY_NONE;
    k->initial = op_identity(node->op, node->output.dtype);
}

static void copy_access(KernAccess *to, const KernAccess *from, int ndim) {
    to->storage = from->storage;
    to->base = from->base;
    to->dtype = from->dtype;
    to->offset = from->offset;
    memcpy(to->strides, from->strides, (size_t)ndim * sizeof *to->strides);
}

void kernel_copy(Kernel *to, const Kernel *from) {
    to->library = from->library;
    to->attrs = from->attrs;
    to->workspace = from->workspace;
    to->ndim = from->ndim;
    memcpy(to->shape, from->shape, (size_t)from->ndim * sizeof *to->shape);
    to->load_count = from->load_count;
    to->param_count = from->param_count;
    to->code_count = from->code_count;
    to->store_count = from->store_count;
    for (int i = 0; i < from->load_count; i++) copy_access(&to->loads[i], &from->loads[i], from->ndim);
    memcpy(to->params, from->params, sizeof to->params);
    memcpy(to->param_types, from->param_types, sizeof to->param_types);
    memcpy(to->code, from->code, (size_t)from->code_count * sizeof *to->code);
    for (int i = 0; i < from->store_count; i++) {
        copy_access(&to->stores[i].to, &from->stores[i].to, from->ndim);
        to->stores[i].value = from->stores[i].value;
    }
    size_t tail = offsetof(Kernel, reduce);
    memcpy((char *)to + tail, (const char *)from + tail, sizeof *to - tail);
}

static void begin(Kernel *k, OpId op) {
    k->library = AOP_NONE;
    k->workspace = NULL;
    k->load_count = k->param_count = k->code_count = k->store_count = 0;
    k->reduce = AOP_NONE;
    k->reduced = 0;
    k->has_initial = k->begun = false;
    k->may_raise = op_info[op].may_raise;
    k->flags = op_info[op].effects == EFFECT_FPE;
    k->untold = 0;
    k->ndim = 0;
}

static void library(Kernel *k, const Node *node) {
    k->library = node->op;
    k->attrs = node->attrs;
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *input = &node->inputs[i];
        k->args[i].is_scalar = input->is_scalar;
        if (input->is_scalar)
            k->args[i].scalar = dtype_convert(input->dtype, node->attrs.loop, input->scalar);
        else k->args[i].view = input->view;
    }
    k->result.is_scalar = false;
    k->result.view = node->output;
}

// The op that combines elements may refuse them, and may have nothing to tell.
static void combining(Kernel *k, const Node *node) {
    OpId combine = node->attrs.combine;
    if (combine >= AOP_COUNT) return;
    k->may_raise |= op_info[combine].may_raise;
    bool compares = op_info[combine].effects == EFFECT_PURE && dtype_is_inexact(node->attrs.loop);
    if (compares) k->untold = FLAG_INVALID;
}

void kernel_from_node(Kernel *k, const Node *node) {
    begin(k, node->op);
    combining(k, node);
    switch ((OpClass)op_info[node->op].op_class) {
    case CLASS_ELEMENTWISE: elementwise(k, node); break;
    case CLASS_REDUCTION: reduction(k, node); break;
    default: library(k, node); break;
    }
}

void kernel_copying(Kernel *k, const KernArg *to, const KernArg *from) {
    begin(k, AOP_CAST);
    k->ndim = to->view.ndim;
    memcpy(k->shape, to->view.shape, (size_t)k->ndim * sizeof *k->shape);
    k->load_count = k->store_count = 1;
    access_of(&k->loads[0], &from->view);
    access_of(&k->stores[0].to, &to->view);
    k->loads[0].base = from->base;
    k->stores[0].to.base = to->base;
    k->stores[0].value = (int8_t)cast_to(k, 0, to->view.dtype);
}

// --- Simplifying -------------------------------------------------------------------------------

typedef void (*AccessFn)(KernAccess *access, int a, int b);

static void each_access(Kernel *k, AccessFn fn, int a, int b) {
    for (int i = 0; i < k->load_count; i++) fn(&k->loads[i], a, b);
    for (int i = 0; i < k->store_count; i++) fn(&k->stores[i].to, a, b);
}

static void swap_strides(KernAccess *access, int a, int b) {
    int64_t t = access->strides[a];
    access->strides[a] = access->strides[b];
    access->strides[b] = t;
}

static void move_stride(KernAccess *access, int to, int from) {
    access->strides[to] = access->strides[from];
}

static void swap_dims(Kernel *k, int a, int b) {
    int64_t t = k->shape[a];
    k->shape[a] = k->shape[b];
    k->shape[b] = t;
    AxisSet ra = k->reduced >> a & 1, rb = k->reduced >> b & 1;
    k->reduced = (k->reduced & ~axis_bit(a) & ~axis_bit(b)) | ra << b | rb << a;
    each_access(k, swap_strides, a, b);
}

static void drop_units(Kernel *k) {
    int kept = 0;
    AxisSet reduced = 0;
    for (int d = 0; d < k->ndim; d++) {
        if (k->shape[d] == 1) continue;
        if (kept != d) {
            k->shape[kept] = k->shape[d];
            each_access(k, move_stride, kept, d);
        }
        reduced |= (k->reduced >> d & 1) << kept++;
    }
    k->ndim = kept;
    k->reduced = reduced;
}

static int64_t magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

// Loads decide (NumPy's iterator sorts by all operands, outputs of reductions last).
static int64_t dim_weight(const Kernel *k, int d) {
    int64_t weight = 0;
    for (int i = 0; i < k->load_count; i++) {
        int64_t stride = magnitude(k->loads[i].strides[d]);
        if (stride && (!weight || stride < weight)) weight = stride;
    }
    return weight ? weight : magnitude(k->stores[0].to.strides[d]);
}

// A stable insertion sort, largest stride first.
static void sort_dims(Kernel *k) {
    for (int i = 1; i < k->ndim; i++)
        for (int j = i; j > 0 && dim_weight(k, j - 1) < dim_weight(k, j); j--)
            swap_dims(k, j - 1, j);
}

static bool joins(const KernAccess *access, int outer, int inner, int64_t extent) {
    return access->strides[outer] == access->strides[inner] * extent;
}

static bool may_join(const Kernel *k, int outer, int inner) {
    if ((k->reduced >> outer & 1) != (k->reduced >> inner & 1)) return false;
    for (int i = 0; i < k->load_count; i++)
        if (!joins(&k->loads[i], outer, inner, k->shape[inner])) return false;
    for (int i = 0; i < k->store_count; i++)
        if (!joins(&k->stores[i].to, outer, inner, k->shape[inner])) return false;
    return true;
}

static void join_dims(Kernel *k) {
    for (int d = k->ndim - 2; d >= 0; d--) {
        if (!may_join(k, d, d + 1)) continue;
        k->shape[d] *= k->shape[d + 1];
        each_access(k, move_stride, d, d + 1);
        for (int e = d + 1; e + 1 < k->ndim; e++) swap_dims(k, e, e + 1);
        k->ndim--;
        k->reduced &= axes_below(k->ndim);
    }
}

static void one_dim(KernAccess *access, int d, int unused) {
    (void)unused;
    access->strides[d] = 0;
}

// A very short innermost dimension makes tiles of a few elements: a longer one is better, even with
// strides. (The order of elementwise work does not matter; that of sums does.)
static void avoid_narrow(Kernel *k) {
    enum { NARROW = 32 };
    int inner = k->ndim - 1, longest = 0;
    for (int d = 1; d < k->ndim; d++)
        if (k->shape[d] > k->shape[longest]) longest = d;
    if (k->shape[inner] < NARROW && k->shape[longest] >= 4 * k->shape[inner])
        swap_dims(k, longest, inner);
}

void kernel_simplify(Kernel *k) {
    drop_units(k);
    sort_dims(k);
    join_dims(k);
    if (k->ndim > 1 && k->reduce == AOP_NONE) avoid_narrow(k);
    if (k->ndim > 0) return;
    each_access(k, one_dim, 0, 0);
    k->shape[0] = 1;
    k->ndim = 1;
    k->reduced = k->reduce != AOP_NONE;
}

// --- Verifying ---------------------------------------------------------------------------------

static const char *verify_library(const Kernel *k) {
    if (k->library >= AOP_COUNT) return "no such library node";
    for (int i = 0; i < op_info[k->library].arity; i++)
        if (!k->args[i].is_scalar && !k->args[i].view.storage) return "an operand without storage";
    return k->result.view.storage ? NULL : "no result";
}

static const char *verify_code(const Kernel *k) {
    for (int i = 0; i < k->code_count; i++) {
        const KernInstr *in = &k->code[i];
        int here = k->load_count + k->param_count + i;
        if (in->op >= AOP_COUNT || op_info[in->op].op_class != CLASS_ELEMENTWISE)
            return "an instruction is no elementwise op";
        if (in->op != AOP_CAST && !op_has_loop((OpId)in->op, (DType)in->from))
            return "an op has no loop for its type";
        for (int a = 0; a < 3; a++) {
            if (a >= op_info[in->op].arity ? in->args[a] != -1
                                           : in->args[a] < 0 || in->args[a] >= here)
                return "an instruction uses a value that is not there";
            bool selector = in->op == AOP_WHERE && a == 0;
            if (in->args[a] >= 0 &&
                kernel_value_type(k, in->args[a]) != (selector ? DT_BOOL : (DType)in->from))
                return "an instruction uses a value of another type";
        }
    }
    return NULL;
}

const char *kernel_verify(const Kernel *k) {
    if (k->library != AOP_NONE) return verify_library(k);
    if (k->ndim < 1 || k->ndim > NDIM_MAX) return "no iteration space";
    if (k->store_count < 1) return "nothing is stored";
    int values = k->load_count + k->param_count + k->code_count;
    for (int i = 0; i < k->store_count; i++) {
        int value = k->stores[i].value;
        if (value < 0 || value >= values) return "a store of a value that is not there";
        if (kernel_value_type(k, value) != k->stores[i].to.dtype) return "a store of another type";
        for (int d = 0; d < k->ndim; d++)
            if ((k->reduced >> d & 1) && k->stores[i].to.strides[d] != 0)
                return "a reduced dimension is stored along";
    }
    if (k->reduce != AOP_NONE && k->store_count != 1) return "a reduction with several stores";
    return verify_code(k);
}
