// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Records products of sparse matrices. A sparse matrix is a tuple of ordinary arrays; its class is written in the
// language (stdlib/scipy/sparse).

#include "vm/array/methods.h"
#include "vm/graph/row_runs.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

typedef struct Operands {
    Value arrays[4]; // indptr, indices, data, x; owned
    bool by_column;
    int64_t across; // extent of the dimension that is not compressed
    DType result;
} Operands;

static void operands_release(Vm *vm, Operands *o) {
    for (int i = 0; i < 4; i++) release(vm, o->arrays[i]);
}

// Converts a value to a contiguous array of a type.
static Status operand(Vm *vm, Value v, DType type, Value *out) {
    Value array;
    Status st = array_from(vm, v, type, &array);
    if (st != ST_OK) return st;
    st = array_contiguous(vm, array, out);
    release(vm, array);
    return st;
}

// Checks indptr and indices, which are ordinary arrays that a program may write to. The result is cached until the next
// write (facts.c).
static Status check_indices(Vm *vm, const Operands *o) {
    bool holds;
    int64_t last, most;
    Status st = array_check_indices(vm, o->arrays[0], FACT_ASCENDING, &holds, &last);
    if (st == ST_OK && !holds)
        st = vm_raise(vm, EXC_ValueError, "indptr values must not decrease with increasing index");
    if (st == ST_OK && last > array_size(o->arrays[1].array))
        st = vm_raise(vm, EXC_ValueError,
                      "Last value of index pointer should be less than the size of index and data arrays");
    if (st == ST_OK) st = array_check_indices(vm, o->arrays[1], FACT_INDICES, &holds, &most);
    if (st == ST_OK && !holds) st = vm_raise(vm, EXC_ValueError, "indices must be >= 0");
    if (st == ST_OK && most >= o->across)
        st = vm_raise(vm, EXC_ValueError, "indices must be < %lld", (long long)o->across);
    return st;
}

static Status check_operands(Vm *vm, const Operands *o) {
    Array *indptr = o->arrays[0].array, *indices = o->arrays[1].array, *data = o->arrays[2].array;
    Array *x = o->arrays[3].array;
    if (indptr->ndim != 1 || indices->ndim != 1 || data->ndim != 1)
        return vm_raise(vm, EXC_ValueError, "data, indices, and indptr should be 1-D");
    if (array_size(indptr) < 1) return vm_raise(vm, EXC_ValueError, "index pointer size 0 should be 1 at least");
    if (array_size(indices) != array_size(data))
        return vm_raise(vm, EXC_ValueError, "indices and data should have the same size");
    if (x->ndim != 1 && x->ndim != 2) return vm_raise(vm, EXC_ValueError, "could not interpret dimensions");
    int64_t lines = array_size(indptr) - 1, needed = o->by_column ? lines : o->across;
    if (array_shape(x)[0] != needed || o->across < 0) return vm_raise(vm, EXC_ValueError, "dimension mismatch");
    return check_indices(vm, o);
}

// Returns the type of the result. There are no sparse arrays of half floats.
static DType product_type(DType data, DType x) {
    DType both = dtype_promote(data, x);
    return both == DT_FLOAT16 ? DT_FLOAT32 : both;
}

// Returns the type of the computation. Integers are computed in 64 bits and truncated afterwards, with the same result.
// So are bools, as stored elements are never 0.
static DType loop_type(DType result) {
    DKind kind = dtype_kind(result);
    return kind == DK_BOOL || kind == DK_INT || kind == DK_UINT ? DT_INT64 : result;
}

static Status operands_from(Vm *vm, const Value *args, Operands *o) {
    DType index = DT_INT32, loop;
    for (int i = 0; i < 4; i++) {
        if (args[i].kind != K_ARRAY) return vm_raise(vm, EXC_TypeError, "operands of a sparse product are arrays");
        if (i < 2 && args[i].array->dtype != DT_INT32) index = DT_INT64;
    }
    o->result = product_type(args[2].array->dtype, args[3].array->dtype);
    loop = loop_type(o->result);
    Status st = ST_OK;
    for (int i = 0; i < 4 && st == ST_OK; i++) st = operand(vm, args[i], i < 2 ? index : loop, &o->arrays[i]);
    if (st != ST_OK) return st;
    o->by_column = args[4].kind == K_BOOL && args[4].i;
    st = op_index(vm, args[5], &o->across);
    return st == ST_OK ? check_operands(vm, o) : op_refused(vm);
}

// Records a use of the indices for finding runs of rows, unless a device computes: only the host's routines use runs.
static void note_rows(Vm *vm, const Operands *o) {
    View indptr, indices;
    if (graph_of(vm)->on_device) return;
    array_view(o->arrays[0].array, &indptr);
    array_view(o->arrays[1].array, &indices);
    row_runs_note(vm, &indptr, &indices);
}

static Status record(Vm *vm, const Operands *o, Array *into) {
    Node *node = graph_node(vm, AOP_SPARSE_PRODUCT);
    if (!node) return vm_no_memory(vm);
    for (int i = 0; i < 4; i++) node_input_array(node, o->arrays[i].array);
    node_output_array(node, into);
    node->attrs.loop = into->dtype;
    node->attrs.right = o->by_column;
    return graph_record(vm, node);
}

Status array_sparse_product(Vm *vm, const Value *args, Value *out) {
    Operands o = {{V_UNDEF, V_UNDEF, V_UNDEF, V_UNDEF}, false, 0, DT_NONE};
    Status st = operands_from(vm, args, &o);
    if (st == ST_OK) {
        Array *x = o.arrays[3].array;
        const int64_t lines = array_size(o.arrays[0].array) - 1;
        const int64_t shape[2] = {o.by_column ? o.across : lines, x->ndim == 2 ? array_shape(x)[1] : 1};
        st = array_new(vm, x->dtype, x->ndim, shape, ROOM_PLACED, out);
        if (st == ST_OK && shape[0] > 0 && shape[1] > 0) {
            if (x->ndim == 1 && !o.by_column) note_rows(vm, &o);
            st = record(vm, &o, out->array);
            if (st != ST_OK) release(vm, *out);
        }
        if (st == ST_OK && x->dtype != o.result) {
            Value computed = *out;
            st = array_copy(vm, computed, o.result, out);
            release(vm, computed);
        }
    }
    operands_release(vm, &o);
    return st;
}

// --- Products that have not been computed --------------------------------------------------------

// Returns the pending node if an array is the whole result of a product of two matrices; NULL: it is not.
static Node *pending_product(Array *array) {
    View view;
    Node *node = array->storage->producer;
    array_view(array, &view);
    if (!node || node->state != NODE_RECORDED || node->op != AOP_MATMUL || node->input_count != 2) return NULL;
    if (node->version != array->storage->version || view.ndim != 2 || node->output.ndim != 2) return NULL;
    if (node->output.offset != view.offset || node->output.dtype != view.dtype) return NULL;
    for (int d = 0; d < 2; d++) {
        if (node->inputs[d].is_scalar || node->inputs[d].view.ndim != 2) return NULL;
        if (node->output.shape[d] != view.shape[d] || node->output.strides[d] != view.strides[d]) return NULL;
    }
    return node;
}

// Returns whether an operand of a pending node is written to by a later one.
static bool written_behind(const Node *node, const Storage *operand) {
    for (const Node *later = node->next; later; later = later->next)
        if (later->state == NODE_RECORDED && later->output.storage == operand) return true;
    return false;
}

Status array_product_factors(Vm *vm, const Value *args, Value *out) {
    Value factors[2] = {V_UNDEF, V_UNDEF};
    Status st = ST_OK;
    *out = V_NONE;
    Node *node = args[0].kind == K_ARRAY ? pending_product(args[0].array) : NULL;
    if (!node) return ST_OK;
    for (int i = 0; i < 2; i++)
        if (written_behind(node, node->inputs[i].view.storage)) return ST_OK;
    const View views[2] = {node->inputs[0].view, node->inputs[1].view};
    for (int i = 0; i < 2 && st == ST_OK; i++) st = array_of_view(vm, &views[i], V_UNDEF, &factors[i]);
    if (st == ST_OK) {
        node->attrs.spared = true;
        return tuple_steal(vm, factors, 2, out);
    }
    release(vm, factors[0]);
    return st;
}
