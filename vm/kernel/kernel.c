// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Builds kernels from nodes.

#include "vm/graph/row_runs.h"
#include "vm/kernel/host_op.h"

#include <stddef.h>
#include <string.h>

// --- Making ------------------------------------------------------------------------------------

void kernel_set_access(KernAccess *access, const View *view) {
    access->storage = view->storage;
    access->dtype = view->dtype;
    access->offset = view->offset;
    memcpy(access->strides, view->strides, (size_t)view->ndim * sizeof *view->strides);
}

void kernel_set_lines(Kernel *k, int number, const View *const views[LINE_LOADS]) {
    KernLines *lines = &k->lines[number];
    for (int i = 0; i < LINE_LOADS; i++) {
        KernAccess *load = &k->loads[lines->load + i];
        kernel_set_access(load, views[i]);
        load->strides[0] = 0;
    }
    KernAccess *products = &k->loads[lines->load];
    lines->offset = products->offset;
    lines->entries = views[1]->shape[0];
    lines->runs = row_runs_of(views[0], views[1], &lines->first);
    products->dtype = views[2]->dtype;
    products->strides[0] = (int64_t)dtype_size(products->dtype);
}

const View *kernel_space_of(const Node *node) {
    bool reduces = op_info[node->op].op_class == CLASS_REDUCTION;
    return reduces ? &node->inputs[0].view : &node->output;
}

void kernel_set_space(Kernel *k, const Node *node) {
    const View *space = kernel_space_of(node);
    k->ndim = space->ndim;
    memcpy(k->shape, space->shape, (size_t)k->ndim * sizeof *k->shape);
}

void kernel_set_reduced(Kernel *k, KernAccess *to, const Node *node) {
    kernel_set_access(to, &node->output);
    for (int d = 0, kept = 0; d < k->ndim; d++)
        to->strides[d] = node->attrs.axes >> d & 1 ? 0 : node->output.strides[kept++];
}

void kernel_set_order(Kernel *k, const Node *reduction) {
    const View *in = &reduction->inputs[0].view;
    for (int d = 0; d < in->ndim; d++) k->order[d] = in->strides[d] < 0 ? -in->strides[d] : in->strides[d];
}

bool cast_can_tell(DType from, DType to) {
    if (dtype_is_inexact(to)) return !dtype_can_cast(from, to, CAST_SAFE);
    return to != DT_BOOL && dtype_is_inexact(from);
}

static bool instr_tells(OpId op, DType from, DType type) {
    return op == AOP_CAST ? cast_can_tell(from, type) : op_info[op].effects == EFFECT_FPE;
}

bool node_can_fail(const Node *node) {
    OpId combine = node->attrs.combine;
    if (node->op == AOP_HOST && node->attrs.host->may_fail) return true;
    return op_info[node->op].may_raise || (combine < AOP_COUNT && op_info[combine].may_raise);
}

bool node_can_tell(const Node *node) {
    OpId combine = node->attrs.combine;
    DType loop, result;
    if (node->attrs.quiet) return false;
    if (combine < AOP_COUNT && op_info[combine].effects == EFFECT_FPE) return true;
    if (node->op != AOP_CAST && op_info[node->op].effects == EFFECT_FPE) return true;
    if (!op_types(node->op, node->attrs.loop, &loop, &result)) result = node->attrs.loop;
    bool tells = cast_can_tell(result, node->output.dtype);
    for (int i = 0; i < node->input_count; i++)
        tells |= !node->inputs[i].is_scalar && cast_can_tell(node->inputs[i].dtype, node->attrs.loop);
    return tells;
}

// Returns the number of an instruction's result, reusing an equal earlier instruction (CSE).
static int instr(Kernel *k, OpId op, DType from, DType type, int a, int b, int c) {
    KernInstr new = {.op = (uint8_t)op, .site = k->site_count, .from = (uint8_t)from,
                     .type = (uint8_t)type, .tells = instr_tells(op, from, type),
                     .args = {(int8_t)a, (int8_t)b, (int8_t)c}};
    for (int i = 0; i < k->code_count; i++) {
        const KernInstr *old = &k->code[i];
        if (old->op == new.op && old->from == new.from && old->type == new.type &&
            memcmp(old->args, new.args, sizeof new.args) == 0) {
            if (new.tells) k->like[k->site_count] = old->site;
            return KERN_FIRST_CODE + i;
        }
    }
    k->flags |= new.tells;
    k->code[k->code_count] = new;
    return KERN_FIRST_CODE + k->code_count++;
}

static int cast_to(Kernel *k, int value, DType type) {
    DType from = kernel_value_type(k, value);
    return from == type ? value : instr(k, AOP_CAST, from, type, value, -1, -1);
}

// Returns the type that an operand is converted to.
static DType wanted(const Node *node, int operand) {
    if (node->op == AOP_CAST) return node->inputs[0].dtype;
    return node->op == AOP_WHERE && operand == 0 ? DT_BOOL : node->attrs.loop;
}

static struct Known *find_known(KernelMaker *m, const View *view) {
    for (int i = 0; i < m->known_count; i++)
        if (view_same(m->known[i].view, view)) return &m->known[i];
    return NULL;
}

static int load_of(KernelMaker *m, const View *view) {
    Kernel *k = m->kernel;
    const struct Known *known = find_known(m, view);
    if (known) return known->value;
    for (int i = 0; i < k->load_count; i++)
        if (view_same(m->loads[i], view) && !kernel_is_of_lines(k, i)) return i;
    m->loads[k->load_count] = view;
    kernel_set_access(&k->loads[k->load_count], view);
    return k->load_count++;
}

bool scalars_equal(const NodeInput *a, const NodeInput *b) {
    if (a->dtype != b->dtype) return false;
    if (dtype_kind(a->dtype) != DK_COMPLEX) return a->scalar.i == b->scalar.i;
    return memcmp(&a->scalar, &b->scalar, sizeof a->scalar) == 0;
}

// Returns the value number of the parameter that holds a scalar converted to `type`. Equal scalars share a parameter.
static int param_of(KernelMaker *m, const NodeInput *input, DType type) {
    Kernel *k = m->kernel;
    int i = 0;
    while (i < k->param_count && (k->param_types[i] != type || !scalars_equal(m->params[i], input))) i++;
    if (i == k->param_count) {
        m->params[i] = input;
        m->inverted[i] = false;
        k->params[i] = dtype_convert(input->dtype, type, input->scalar);
        k->param_types[i] = type;
        k->param_count++;
    }
    return KERN_FIRST_PARAM + i;
}

static int operand(KernelMaker *m, const Node *node, int i) {
    const NodeInput *input = &node->inputs[i];
    return input->is_scalar ? param_of(m, input, wanted(node, i)) : load_of(m, &input->view);
}

static void define(KernelMaker *m, const View *view, int value, bool stored) {
    struct Known *known = find_known(m, view);
    if (!known) {
        known = &m->known[m->known_count++];
        *known = (struct Known){.view = view};
    }
    known->value = (int8_t)cast_to(m->kernel, value, view->dtype);
    known->stored |= stored;
}

static void add_elementwise(KernelMaker *m, const Node *node, bool stored) {
    Kernel *k = m->kernel;
    int values[3] = {-1, -1, -1};
    DType loop = node->attrs.loop, promoted, result;
    for (int i = 0; i < node->input_count; i++) values[i] = operand(m, node, i);
    if (node->op == AOP_CAST) {
        define(m, &node->output, values[0], stored);
        return;
    }
    for (int i = 0; i < node->input_count; i++) values[i] = cast_to(k, values[i], wanted(node, i));
    if (!op_types(node->op, loop, &promoted, &result)) result = loop;
    define(m, &node->output, instr(k, node->op, loop, result, values[0], values[1], values[2]), stored);
}

// Adds a computed load and an instruction (POSITIVE) that copies its products, so that no store or reduction takes a
// computed load directly.
static void add_lines(KernelMaker *m, const Node *node, bool stored) {
    Kernel *k = m->kernel;
    const View *views[LINE_LOADS];
    const int number = k->lines_count++, load = k->load_count;
    const DType type = node->attrs.loop;
    for (int i = 0; i < LINE_LOADS; i++) views[i] = m->loads[load + i] = &node->inputs[i].view;
    k->lines[number].load = (int8_t)load;
    k->load_count += LINE_LOADS;
    kernel_set_lines(k, number, views);
    define(m, &node->output, instr(k, AOP_POSITIVE, type, type, load, -1, -1), stored);
}

// Returns the flags that the op of `combine` does not report: pure ops, such as maximum, do not report NaN.
static uint32_t combine_untold(const Node *node) {
    OpId combine = node->attrs.combine;
    bool compares = combine < AOP_COUNT && op_info[combine].effects == EFFECT_PURE;
    return compares && dtype_is_inexact(node->attrs.loop) ? FLAG_INVALID : 0;
}

static void add_reduction(KernelMaker *m, const Node *node) {
    Kernel *k = m->kernel;
    int value = cast_to(k, operand(m, node, 0), node->attrs.loop);
    if (op_info[node->op].dtype_rule == RULE_LOGICAL) value = cast_to(k, value, DT_BOOL);
    m->reductions[k->reduction_count] = node;
    m->reduction_values[k->reduction_count] = (int8_t)cast_to(k, value, node->output.dtype);
    k->reduced = node->attrs.axes;
    k->flags |= op_info[node->op].effects == EFFECT_FPE;
    k->reductions[k->reduction_count++] = (KernReduction){
        .op = (uint8_t)(node->op == AOP_REDUCE ? node->attrs.combine : op_info[node->op].combine),
        .site = k->site_count,
        .begun = node->attrs.begun,
        .has_initial = op_info[node->op].identity != IDENTITY_NONE,
        .untold = op_info[node->op].effects == EFFECT_PURE ? FLAGS_FLOAT : combine_untold(node),
        .initial = op_identity(node->op, node->output.dtype),
    };
    kernel_set_order(k, node);
    if (node_sums_floats(node)) sum_runs(node, &k->runs);
}

void kernel_clear(Kernel *k) {
    k->library = AOP_NONE;
    k->workspace = NULL;
    k->load_count = k->param_count = k->code_count = k->store_count = 0;
    k->reduction_count = k->lines_count = 0;
    k->reduced = 0;
    k->site_count = 0;
    k->untold = 0;
    k->may_raise = k->flags = k->told_apart = k->underflow = k->whole = false;
    k->hints = 0;
    k->split = NULL;
    k->ndim = 0;
}

void kernel_begin(KernelMaker *m, Kernel *k, const Node *first) {
    kernel_clear(k);
    kernel_set_space(k, first);
    m->kernel = k;
    m->known_count = 0;
}

void kernel_add(KernelMaker *m, const Node *node, bool stored) {
    Kernel *k = m->kernel;
    k->may_raise |= node_can_fail(node);
    k->hints = hints_joined(k->hints, node->hints);
    k->like[k->site_count] = k->site_count;
    if (op_info[node->op].op_class == CLASS_REDUCTION) add_reduction(m, node);
    else if (node->op == AOP_SPARSE_PRODUCT) add_lines(m, node, stored);
    else add_elementwise(m, node, stored);
    k->site_count++;
}

static void store_reduction(KernelMaker *m, int number) {
    Kernel *k = m->kernel;
    KernStore *store = &k->stores[k->store_count++];
    kernel_set_reduced(k, &store->to, m->reductions[number]);
    store->value = m->reduction_values[number];
}

static bool is_told_apart(const Kernel *k) {
    if (k->site_count > 1 || k->untold || (k->reduction_count && k->reductions[0].untold)) return true;
    for (int i = 0; i < k->code_count; i++)
        if (!k->code[i].tells) return true;
    return false;
}

static bool overwrites_operand(const Kernel *k) {
    for (int s = 0; s < k->store_count; s++)
        for (int i = 0; i < k->load_count; i++)
            if (k->stores[s].to.storage == k->loads[i].storage) return true;
    for (int r = 0; r < k->reduction_count; r++)
        if (k->reductions[r].begun) return true;
    return false;
}

void kernel_finish(KernelMaker *m) {
    Kernel *k = m->kernel;
    for (int r = 0; r < k->reduction_count; r++) store_reduction(m, r);
    for (int i = 0; i < m->known_count; i++) {
        if (!m->known[i].stored) continue;
        KernStore *store = &k->stores[k->store_count++];
        kernel_set_access(&store->to, m->known[i].view);
        store->value = m->known[i].value;
    }
    k->told_apart = k->flags && is_told_apart(k);
    k->whole = overwrites_operand(k);
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
    to->lasting = from->lasting;
    to->ndim = from->ndim;
    memcpy(to->shape, from->shape, (size_t)from->ndim * sizeof *to->shape);
    to->load_count = from->load_count;
    to->param_count = from->param_count;
    to->code_count = from->code_count;
    to->store_count = from->store_count;
    for (int i = 0; i < from->load_count; i++) copy_access(&to->loads[i], &from->loads[i], from->ndim);
    memcpy(to->params, from->params, (size_t)from->param_count * sizeof *to->params);
    memcpy(to->param_types, from->param_types, (size_t)from->param_count * sizeof *to->param_types);
    memcpy(to->code, from->code, (size_t)from->code_count * sizeof *to->code);
    for (int i = 0; i < from->store_count; i++) {
        copy_access(&to->stores[i].to, &from->stores[i].to, from->ndim);
        to->stores[i].value = from->stores[i].value;
    }
    if (from->reduction_count)
        memcpy(to->order, from->order, (size_t)from->ndim * sizeof *to->order);
    memcpy(to->reductions, from->reductions, (size_t)from->reduction_count * sizeof *to->reductions);
    size_t tail = offsetof(Kernel, reduction_count);
    memcpy((char *)to + tail, (const char *)from + tail, sizeof *to - tail);
}

static void library(Kernel *k, const Node *node) {
    k->library = node->op;
    k->attrs = node->attrs;
    for (int i = node->input_count; i < NODE_INPUTS; i++) k->args[i].is_scalar = true;
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *input = &node->inputs[i];
        k->args[i].is_scalar = input->is_scalar;
        if (input->is_scalar)
            k->args[i].scalar = dtype_convert(input->dtype, node->attrs.loop, input->scalar);
        else view_copy(&k->args[i].view, &input->view);
        k->whole |= !input->is_scalar && input->view.storage == node->output.storage;
    }
    k->result.is_scalar = false;
    view_copy(&k->result.view, &node->output);
}

static void loop_from_node(Kernel *k, const Node *node) {
    KernelMaker maker;
    kernel_begin(&maker, k, node);
    kernel_add(&maker, node, true);
    kernel_finish(&maker);
    kernel_algebra(&maker);
}

bool kernel_has_lines(const Node *node) {
    return node->op == AOP_SPARSE_PRODUCT && !node->attrs.right && node->output.ndim == 1 &&
           view_is_contiguous(&node->output);
}

void kernel_from_lines(Kernel *k, const Node *node) {
    loop_from_node(k, node);
}

void kernel_from_node(Kernel *k, const Node *node) {
    OpClass class = (OpClass)op_info[node->op].op_class;
    if (class == CLASS_ELEMENTWISE || class == CLASS_REDUCTION) {
        loop_from_node(k, node);
        return;
    }
    kernel_clear(k);
    bool meets = node->op == AOP_PUT && node->attrs.combine != AOP_NONE;
    k->flags = op_info[node->op].effects == EFFECT_FPE || (meets && node_can_tell(node));
    k->untold = combine_untold(node);
    k->may_raise = node_can_fail(node);
    k->hints = node->hints;
    k->site_count = 1;
    k->lines[0] = (KernLines){.runs = NULL};
    if (kernel_has_lines(node))
        k->lines[0].runs = row_runs_of(&node->inputs[0].view, &node->inputs[1].view, &k->lines[0].first);
    library(k, node);
}

void kernel_copying(Kernel *k, const KernArg *to, const KernArg *from) {
    kernel_clear(k);
    k->ndim = to->view.ndim;
    memcpy(k->shape, to->view.shape, (size_t)k->ndim * sizeof *k->shape);
    k->load_count = k->store_count = k->site_count = 1;
    k->like[0] = 0;
    kernel_set_access(&k->loads[0], &from->view);
    kernel_set_access(&k->stores[0].to, &to->view);
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

void kernel_swap_dims(Kernel *k, int a, int b) {
    int64_t t = k->shape[a];
    k->shape[a] = k->shape[b];
    k->shape[b] = t;
    AxisSet ra = k->reduced >> a & 1, rb = k->reduced >> b & 1;
    k->reduced = (k->reduced & ~axis_bit(a) & ~axis_bit(b)) | ra << b | rb << a;
    if (k->reduction_count) {
        t = k->order[a];
        k->order[a] = k->order[b];
        k->order[b] = t;
    }
    each_access(k, swap_strides, a, b);
}

void kernel_slice(Kernel *k, int d, int64_t from, int64_t to) {
    for (int i = 0; i < k->load_count; i++) k->loads[i].offset += from * k->loads[i].strides[d];
    for (int i = 0; i < k->store_count; i++)
        k->stores[i].to.offset += from * k->stores[i].to.strides[d];
    k->shape[d] = to - from;
}

static void split_strides(KernAccess *access, int count, int64_t inner_extent) {
    for (int d = count; d > 0; d--) access->strides[d] = access->strides[d - 1];
    access->strides[0] *= inner_extent;
}

void kernel_split(Kernel *k, int64_t outer) {
    int64_t inner = k->shape[0] / outer;
    for (int d = k->ndim; d > 0; d--) {
        k->shape[d] = k->shape[d - 1];
        if (k->reduction_count) k->order[d] = k->order[d - 1];
    }
    for (int i = 0; i < k->load_count; i++) split_strides(&k->loads[i], k->ndim, inner);
    for (int i = 0; i < k->store_count; i++) split_strides(&k->stores[i].to, k->ndim, inner);
    k->shape[0] = outer;
    k->shape[1] = inner;
    if (k->reduction_count) k->order[0] *= inner;
    k->reduced <<= 1;
    k->ndim++;
}

static void drop_units(Kernel *k) {
    int kept = 0;
    AxisSet reduced = 0;
    for (int d = 0; d < k->ndim; d++) {
        if (k->shape[d] == 1) continue;
        if (kept != d) {
            k->shape[kept] = k->shape[d];
            k->order[kept] = k->order[d];
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

// Returns the stride by which sort_dims sorts a dimension: that of the reduced operand, else the smallest of the loads,
// else that of the first store. NumPy's iterator sorts by all operands, with reduction outputs last.
static int64_t dim_weight(const Kernel *k, int d) {
    int64_t weight = k->reduction_count ? k->order[d] : 0;
    if (weight) return weight;
    for (int i = 0; i < k->load_count; i++) {
        int64_t stride = magnitude(k->loads[i].strides[d]);
        if (stride && (!weight || stride < weight)) weight = stride;
    }
    return weight ? weight : magnitude(k->stores[0].to.strides[d]);
}

// Sorts the dimensions by a stable insertion sort, largest stride first.
static void sort_dims(Kernel *k) {
    for (int i = 1; i < k->ndim; i++)
        for (int j = i; j > 0 && dim_weight(k, j - 1) < dim_weight(k, j); j--)
            kernel_swap_dims(k, j - 1, j);
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
        k->order[d] = k->order[d + 1];
        each_access(k, move_stride, d, d + 1);
        for (int e = d + 1; e + 1 < k->ndim; e++) kernel_swap_dims(k, e, e + 1);
        k->ndim--;
        k->reduced &= axes_below(k->ndim);
    }
}

static void one_dim(KernAccess *access, int d, int unused) {
    (void)unused;
    access->strides[d] = 0;
}

// Avoids a very short innermost dimension, whose tiles would have few elements: a longer one is
// faster even if strided. This only reorders elementwise work, never sums.
static void avoid_narrow(Kernel *k) {
    enum { NARROW = 32 };
    int inner = k->ndim - 1, longest = 0;
    for (int d = 1; d < k->ndim; d++)
        if (k->shape[d] > k->shape[longest]) longest = d;
    if (k->shape[inner] < NARROW && k->shape[longest] >= 4 * k->shape[inner])
        kernel_swap_dims(k, longest, inner);
}

void kernel_simplify(Kernel *k) {
    if (k->ndim == 1 && k->shape[0] != 1) return;
    drop_units(k);
    sort_dims(k);
    join_dims(k);
    if (k->ndim > 1 && !k->reduction_count) avoid_narrow(k);
    if (k->ndim > 0) return;
    each_access(k, one_dim, 0, 0);
    k->shape[0] = 1;
    k->ndim = 1;
    k->reduced = k->reduction_count > 0;
}

// --- Verifying ---------------------------------------------------------------------------------

static const char *verify_library(const Kernel *k) {
    if (k->library >= AOP_COUNT) return "no such library node";
    for (int i = 0; i < op_info[k->library].arity; i++)
        if (!k->args[i].is_scalar && !k->args[i].view.storage) return "an operand without storage";
    if (!k->result.view.storage) return "no result";
    return k->library == AOP_GEMM ? kernel_verify_call(k) : NULL;
}

static bool is_value(const Kernel *k, int value, int code) {
    if (value < 0) return false;
    if (value < KERN_FIRST_PARAM) return value < k->load_count;
    if (value < KERN_FIRST_CODE) return value - KERN_FIRST_PARAM < k->param_count;
    return value - KERN_FIRST_CODE < code;
}

static const char *verify_code(const Kernel *k) {
    for (int i = 0; i < k->code_count; i++) {
        const KernInstr *in = &k->code[i];
        if (in->op >= AOP_COUNT || op_info[in->op].op_class != CLASS_ELEMENTWISE)
            return "an instruction is no elementwise op";
        if (in->op != AOP_CAST && !op_has_loop((OpId)in->op, (DType)in->from))
            return "an op has no loop for its type";
        if (in->site >= k->site_count) return "an instruction of no site";
        for (int a = 0; a < 3; a++) {
            if (a >= op_info[in->op].arity ? in->args[a] != -1 : !is_value(k, in->args[a], i))
                return "an instruction uses a value that is not there";
            bool selector = in->op == AOP_WHERE && a == 0;
            if (in->args[a] >= 0 &&
                kernel_value_type(k, in->args[a]) != (selector ? DT_BOOL : (DType)in->from))
                return "an instruction uses a value of another type";
        }
    }
    return NULL;
}

const char *kernel_verify_body(const Kernel *k) {
    if (k->store_count < 1) return "nothing is stored";
    if (k->reduction_count > k->store_count) return "a reduction that is not stored";
    for (int i = 0; i < k->lines_count; i++)
        if (k->ndim > 1 || k->lines[i].load < 0 || k->lines[i].load + LINE_LOADS > k->load_count)
            return "a computed load that is not there";
    for (int i = 0; i < k->store_count; i++) {
        int value = k->stores[i].value;
        if (!is_value(k, value, k->code_count)) return "a store of a value that is not there";
        if (kernel_value_type(k, value) != k->stores[i].to.dtype) return "a store of another type";
        for (int d = 0; i < k->reduction_count && d < k->ndim; d++)
            if ((k->reduced >> d & 1) && k->stores[i].to.strides[d] != 0)
                return "a reduced dimension is stored along";
    }
    return verify_code(k);
}

const char *kernel_verify(const Kernel *k) {
    if (k->library != AOP_NONE) return verify_library(k);
    if (k->ndim < 1 || k->ndim > NDIM_MAX) return "no iteration space";
    return kernel_verify_body(k);
}
