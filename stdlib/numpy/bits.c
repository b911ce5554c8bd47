// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module `_numpy_bits`: natives for numpy/_bits.ncr, and numpy.packbits and unpackbits.

#include <string.h>

#include "stdlib/numpy/numpy.h"
#include "stdlib/stdlib.h"
#include "vm/graph/overlap.h"
#include "vm/value/ops.h"

// Records an op that maps each row of a contiguous matrix to a row of `n` elements.
static Status of_rows(Vm *vm, OpId op, Value rows, int64_t n, DType type, bool lowest_first, Value *out) {
    int64_t shape[2] = {array_shape(rows.array)[0], n};
    Status st = array_new(vm, type, 2, shape, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    Node *node = graph_node(vm, op);
    if (!node) {
        release(vm, *out);
        return vm_no_memory(vm);
    }
    node_input_array(node, rows.array);
    node_output_array(node, out->array);
    node->attrs.right = lowest_first;
    node->attrs.loop = type;
    st = graph_record(vm, node);
    if (st != ST_OK) release(vm, *out);
    return st;
}

static Status contiguous_rows(Vm *vm, Value v, DType type, Value *out) {
    if (v.kind != K_ARRAY || v.array->ndim != 2 || v.array->dtype != type)
        return vm_raise(vm, EXC_TypeError, "a matrix of %s is required", dtype_info[type].name);
    return array_contiguous(vm, v, out);
}

// pack(rows, lowest_first): packs eight bools to a byte. The last byte of a row is padded with zeros.
static Status fn_pack(Vm *vm, const Value *args, Value *out) {
    Value rows;
    bool lowest_first;
    if (op_truth(vm, args[1], &lowest_first) != ST_OK) return ST_ERROR;
    Status st = contiguous_rows(vm, args[0], DT_BOOL, &rows);
    if (st != ST_OK) return st;
    int64_t n = array_shape(rows.array)[1];
    st = of_rows(vm, AOP_PACK_BITS, rows, n / 8 + (n % 8 != 0), DT_UINT8, lowest_first, out);
    release(vm, rows);
    return st;
}

// unpack(rows, count, lowest_first): returns the first `count` bits of each row as 0 and 1 of uint8.
static Status fn_unpack(Vm *vm, const Value *args, Value *out) {
    Value rows;
    bool lowest_first;
    int64_t count;
    if (array_long(vm, args[1], &count) != ST_OK) return op_refused(vm);
    if (op_truth(vm, args[2], &lowest_first) != ST_OK) return ST_ERROR;
    Status st = contiguous_rows(vm, args[0], DT_UINT8, &rows);
    if (st != ST_OK) return st;
    if (count < 0 || count > 8 * array_shape(rows.array)[1])
        st = vm_raise(vm, EXC_ValueError, "a row has not that many bits");
    else st = of_rows(vm, AOP_UNPACK_BITS, rows, count, DT_UINT8, lowest_first, out);
    release(vm, rows);
    return st;
}

// Returns an array as a matrix of one row, in C order.
static Status as_one_row(Vm *vm, Value a, Value *out) {
    int64_t shape[2] = {1, array_size(a.array)};
    Value flat;
    Status st = array_ravel(vm, a, false, &flat);
    if (st != ST_OK) return st;
    st = array_reshape(vm, flat, shape, 2, out);
    release(vm, flat);
    return st;
}

static Status to_one_row(Vm *vm, OpId op, Value a, int64_t n, bool lowest_first, Value *out) {
    Value row, bits;
    Status st = as_one_row(vm, a, &row);
    if (st != ST_OK) return st;
    st = of_rows(vm, op, row, n, DT_UINT8, lowest_first, &bits);
    release(vm, row);
    if (st != ST_OK) return st;
    st = array_reshape(vm, bits, &n, 1, out);
    release(vm, bits);
    return st;
}

static bool bit_order(Value v, bool *lowest_first) {
    if (v.kind != K_STR) return false;
    *lowest_first = strcmp(v.str->data, "little") == 0;
    return *lowest_first || strcmp(v.str->data, "big") == 0;
}

// packbits(a, axis, bitorder) for an array of bool and axis=None; the slow path handles the rest.
static Status fn_packbits(Vm *vm, const Value *args, Value *out) {
    bool lowest_first;
    if (args[0].kind != K_ARRAY || args[0].array->dtype != DT_BOOL || args[1].kind != K_NONE ||
        !bit_order(args[2], &lowest_first))
        return ST_DEFER;
    int64_t n = array_size(args[0].array);
    return to_one_row(vm, AOP_PACK_BITS, args[0], n / 8 + (n % 8 != 0), lowest_first, out);
}

// unpackbits(a, axis, count, bitorder) for an array of uint8, axis=None and count=None; the slow path handles the rest.
static Status fn_unpackbits(Vm *vm, const Value *args, Value *out) {
    bool lowest_first;
    if (args[0].kind != K_ARRAY || args[0].array->dtype != DT_UINT8 || args[1].kind != K_NONE ||
        args[2].kind != K_NONE || !bit_order(args[3], &lowest_first))
        return ST_DEFER;
    return to_one_row(vm, AOP_UNPACK_BITS, args[0], 8 * array_size(args[0].array), lowest_first, out);
}

const NativeDef numpy_packing[] = {
    {"packbits", "a, /, axis=None, bitorder='big'"
     "\nTruth values as bits: uint8, eight of an axis (of all elements) to each, zeros filled up\n"
     "at its end.\n\n>>> np.packbits([1, 0, 1])\narray([160], dtype=uint8)",
     fn_packbits, "numpy_packbits", PURE},
    {"unpackbits", "a, /, axis=None, count=None, bitorder='big'"
     "\nThe bits of uint8 along an axis (of all elements), as 0 and 1: the first `count` of\n"
     "them, all but the last -count, or zeros behind them.\n\n"
     ">>> np.unpackbits(np.array([5], dtype=np.uint8))\n"
     "array([0, 0, 0, 0, 0, 1, 0, 1], dtype=uint8)",
     fn_unpackbits, "numpy_unpackbits", PURE},
    {0},
};

// field(a, dtype, offset): returns a view of another type that starts `offset` bytes into each element.
static Status fn_field(Vm *vm, const Value *args, Value *out) {
    DType type;
    int64_t offset;
    View view;
    if (args[0].kind != K_ARRAY) return vm_raise(vm, EXC_TypeError, "an array is required");
    Status st = dtype_from(vm, args[1], DT_FLOAT64, &type);
    if (st == ST_OK && array_long(vm, args[2], &offset) != ST_OK) st = op_refused(vm);
    if (st != ST_OK) return st;
    array_view(args[0].array, &view);
    int64_t own = (int64_t)dtype_size(view.dtype), size = (int64_t)dtype_size(type);
    int64_t unit = dtype_kind(type) == DK_COMPLEX ? size / 2 : size;
    if (offset < 0) return vm_raise(vm, EXC_ValueError, "offset is negative");
    if (size > own) return vm_raise(vm, EXC_ValueError, "new type is larger than original type");
    if (offset > own - size) return vm_raise(vm, EXC_ValueError, "new type plus offset is larger than original type");
    if (offset % unit || type == DT_BOOL)
        return vm_raise(vm, EXC_NotImplementedError, "fields that are not aligned, or of bool");
    view.offset += offset;
    view.dtype = type;
    return array_of_view(vm, &view, args[0], out);
}

// shares(a, b, max_work): returns whether two arrays have a byte in common, or None if max_work was not enough to find
// out. max_work = -1: no limit.
static Status fn_shares(Vm *vm, const Value *args, Value *out) {
    View a, b;
    int64_t most;
    bool shares;
    if (args[0].kind != K_ARRAY || args[1].kind != K_ARRAY)
        return vm_raise(vm, EXC_TypeError, "two arrays are required");
    if (array_long(vm, args[2], &most) != ST_OK) return op_refused(vm);
    array_view(args[0].array, &a);
    array_view(args[1].array, &b);
    Status st = views_share(vm, &a, &b, most, &shares);
    *out = st == ST_STOP ? V_NONE : v_bool(shares);
    return st == ST_STOP ? ST_OK : st;
}

const NativeDef numpy_bits_functions[] = {
    {"pack", "rows, lowest_first, /", fn_pack, NULL, PURE},
    {"unpack", "rows, count, lowest_first, /", fn_unpack, NULL, PURE},
    {"field", "a, dtype, offset, /", fn_field, NULL, PURE},
    {"shares", "a, b, max_work, /", fn_shares, NULL, PURE},
    {0},
};
