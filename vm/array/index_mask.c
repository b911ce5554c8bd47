// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Masks: positions of true elements, and access by a mask of the array's own shape.

#include <string.h>

#include "vm/array/index.h"
#include "vm/value/seq.h"

// Counts the true elements of a contiguous mask. The count is cached (facts.c), since the same mask
// usually selects several times.
static Status count_true(Vm *vm, Value mask, int64_t *out) {
    Value count;
    int64_t size = array_size(mask.array);
    if (size == 0) *out = 0;
    if (size == 0 || array_knows(mask.array, FACT_TRUES, out)) return ST_OK;
    AxisSet all = axes_below(mask.array->ndim);
    Status st = array_reduce(vm, AOP_SUM, mask, all, false, DT_NONE, &count);
    if (st != ST_OK) return st;
    *out = scalar_of(count).i;
    array_learns(mask.array, FACT_TRUES, *out);
    return ST_OK;
}

// Records a node with the arrays as inputs and one output.
static Status record(Vm *vm, OpId op, const Value *inputs, Array *into) {
    Node *node = graph_node(vm, op);
    if (!node) return vm_no_memory(vm);
    for (int i = 0; i < op_info[op].arity; i++) node_input_array(node, inputs[i].array);
    node_output_array(node, into);
    node->attrs.loop = into->dtype;
    return graph_record(vm, node);
}

// Splits an array with one row per true element into columns.
static Status columns_of(Vm *vm, Value rows, Value *out) {
    View view;
    Value parts[NDIM_MAX];
    array_view(rows.array, &view);
    int64_t count = view.shape[1], made = 0;
    Status st = ST_OK;
    view.ndim = 1;
    view.strides[0] = count * (int64_t)sizeof(int64_t); // bytes from row to row, also if there are no rows
    for (; made < count; made++, view.offset += (int64_t)sizeof(int64_t))
        if ((st = array_of_view(vm, &view, rows, &parts[made])) != ST_OK) break;
    if (st == ST_OK) return tuple_steal(vm, parts, (size_t)made, out);
    while (made > 0) release(vm, parts[--made]);
    return st;
}

Status array_nonzero(Vm *vm, Value a, Value *out) {
    Value mask, rows;
    int64_t shape[2] = {0, a.array->ndim};
    if (a.array->ndim == 0)
        return vm_raise(vm, EXC_ValueError, "Calling nonzero on 0d arrays is not allowed. Use "
                        "np.atleast_1d(scalar).nonzero() instead.%s",
                        a.array->dtype == DT_BOOL ? " If the context of this error is of the form "
                                                    "`arr[nonzero(cond)]`, just use `arr[cond]`."
                                                  : "");
    Status st = a.array->dtype == DT_BOOL ? array_contiguous(vm, a, &mask)
                                   : array_copy(vm, a, DT_BOOL, &mask);
    if (st != ST_OK) return st;
    st = count_true(vm, mask, &shape[0]);
    if (st == ST_OK) st = array_new(vm, DT_INT64, 2, shape, ROOM_PLACED, &rows);
    if (st == ST_OK) {
        st = record(vm, AOP_NONZERO, &mask, rows.array);
        if (st == ST_OK) st = columns_of(vm, rows, out);
        release(vm, rows);
    }
    release(vm, mask);
    return st;
}

// --- A mask over all dimensions ----------------------------------------------------------------

bool index_is_whole_mask(Value self, const Keys *keys) {
    if (keys->count != 1 || !index_is_mask(keys->items[0])) return false;
    Array *a = self.array, *m = keys->items[0].array;
    return a->ndim == m->ndim && a->ndim > 0 &&
           memcmp(array_shape(a), array_shape(m), (size_t)a->ndim * sizeof(int64_t)) == 0;
}

Status index_count_masked(Vm *vm, Value mask, Value *flat, int64_t *count) {
    Status st = array_contiguous(vm, mask, flat);
    if (st != ST_OK) return st;
    st = count_true(vm, *flat, count);
    if (st != ST_OK) release(vm, *flat);
    return st;
}

Status index_get_masked(Vm *vm, Value self, Value mask, Value *out) {
    Value pair[2], made;
    int64_t count;
    Status st = array_contiguous(vm, self, &pair[0]);
    if (st != ST_OK) return st;
    st = index_count_masked(vm, mask, &pair[1], &count);
    if (st == ST_OK) {
        st = array_new(vm, self.array->dtype, 1, &count, ROOM_PLACED, &made);
        if (st == ST_OK) {
            st = record(vm, AOP_COMPRESS, pair, made.array);
            if (st == ST_OK) *out = made;
            else release(vm, made);
        }
        release(vm, pair[1]);
    }
    release(vm, pair[0]);
    return st;
}

Status index_put_masked(Vm *vm, Value self, Value flat, Value values) {
    const Value pair[2] = {flat, values};
    return record(vm, AOP_EXPAND, pair, self.array);
}

// Assigns a[mask] = value by a WHERE node. The value is a number, or an array of a's shape that is read
// at the same elements.
Status index_set_masked(Vm *vm, Value self, Value mask, Value value) {
    Scalar s;
    Value result, chosen = retain(value);
    Status st = ST_OK;
    if (value.kind != K_ARRAY) {
        st = scalar_from(vm, value, self.array->dtype, &s);
        if (st == ST_OK) st = scalar_out(vm, self.array->dtype, s, &chosen);
        release(vm, value);
        if (st != ST_OK) return st;
    }
    const Value args[3] = {mask, chosen, self};
    st = array_apply(vm, AOP_WHERE, args, 3, self, DT_NONE, &result);
    release(vm, chosen);
    if (st == ST_OK) release(vm, result);
    return st;
}
