// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fast path for the most common calls: one C-contiguous array, two of the same shape and type, or
// one with a number, and no options. It records exactly what the general path (ufunc.c) would.

#include <string.h>

#include "vm/array/array.h"
#include "vm/array/ufunc.h"

static bool is_in_c_order(Array *a) {
    int64_t expected = (int64_t)dtype_size(a->dtype);
    const int64_t *shape = array_shape(a), *strides = array_strides(a);
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (strides[d] != expected || shape[d] == 0) return false;
        expected *= shape[d];
    }
    return a->ndim > 0;
}

static bool are_alike(Array *a, Array *b) {
    size_t dims = (size_t)a->ndim * sizeof(int64_t);
    return a->dtype == b->dtype && a->ndim == b->ndim &&
           memcmp(array_shape(a), array_shape(b), dims) == 0;
}

// Converts a number whose kind always fits an array of the type; false: another value.
static bool takes_number(DType type, Value v, DType *own, Scalar *scalar) {
    if (v.kind == K_FLOAT && (type == DT_FLOAT64 || type == DT_COMPLEX128)) {
        *own = DT_FLOAT64;
        *scalar = (Scalar){.f = v.f};
        return true;
    }
    if (v.kind == K_SCALAR && (DType)v.aux == type) {
        *own = type;
        *scalar = scalar_of(v);
        return true;
    }
    bool wide = type == DT_FLOAT64 || type == DT_INT64;
    if (v.kind != K_INT || !wide) return false;
    *own = DT_INT64;
    *scalar = (Scalar){.i = v.i};
    return true;
}

// Returns whether a power can neither raise nor take a short cut: of two arrays, the first one not of integers.
static bool is_plain_power(const Value *args) {
    return args[0].kind == K_ARRAY && args[1].kind == K_ARRAY && dtype_is_inexact(args[0].array->dtype);
}

static bool is_plain(OpId op, const Value *args, int count) {
    const OpInfo *info = &op_info[op];
    bool raises = info->may_raise && !(op == AOP_POWER && count == 2 && is_plain_power(args));
    return info->op_class == CLASS_ELEMENTWISE && count <= 2 && info->arity == count && !raises &&
           op != AOP_LDEXP && op != AOP_CAST;
}

// Returns whether the operands fit; `a`: the first array.
static bool plain_operands(const UfuncCall *u, Array **a, DType own[2], Scalar scalars[2]) {
    int first = u->args[0].kind == K_ARRAY ? 0 : u->count - 1;
    if (u->args[first].kind != K_ARRAY || !is_in_c_order(u->args[first].array)) return false;
    *a = u->args[first].array;
    if (u->count == 1) return true;
    Value other = u->args[1 - first];
    own[first] = own[1 - first] = DT_NONE;
    if (other.kind == K_ARRAY) return are_alike(*a, other.array) && is_in_c_order(other.array);
    bool weighs = op_info[u->op].dtype_rule != RULE_FLOAT || dtype_is_inexact((*a)->dtype);
    return weighs && takes_number((*a)->dtype, other, &own[1 - first], &scalars[1 - first]);
}

static Status record_plain(Vm *vm, const UfuncCall *u, const DType own[2], const Scalar scalars[2],
                           DType loop, Array *to) {
    Node *node = graph_node(vm, u->op);
    if (!node) return vm_no_memory(vm);
    for (int i = 0; i < u->count; i++) {
        Array *a = u->args[i].array;
        if (u->args[i].kind != K_ARRAY) node_input_scalar(node, own[i], scalars[i]);
        else node_input_array(node, a);
    }
    node_output_array(node, to);
    node->attrs.loop = loop;
    node->attrs.called = u->result_of;
    return graph_record(vm, node);
}

bool ufunc_plain(Vm *vm, const UfuncCall *u, Value *out, Status *st) {
    DType own[2] = {DT_NONE, DT_NONE}, loop, result;
    Scalar scalars[2] = {{0}};
    Array *a;
    bool in_place = u->into.kind != K_UNDEF;
    if (u->dtype != DT_NONE || ufunc_is_masked(u) || u->casting != CAST_SAME_KIND || u->ordered) return false;
    if (!is_plain(u->op, u->args, u->count) || !plain_operands(u, &a, own, scalars)) return false;
    if (!op_types(u->op, a->dtype, &loop, &result)) return false;
    if (in_place && (u->into.kind != K_ARRAY || u->into.array != a || a->readonly || result != a->dtype))
        return false;
    *st = ST_OK;
    if (in_place) *out = retain(u->into);
    else *st = array_new_like(vm, a, result, out);
    if (*st != ST_OK) return true;
    *st = record_plain(vm, u, own, scalars, loop, out->array);
    if (*st != ST_OK) clear(vm, out);
    return true;
}
