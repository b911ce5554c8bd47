// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations with where=.

#include "vm/array/array.h"
#include "vm/array/ufunc.h"

// Arguments of a call with where=. Arrays are broadcast to the common shape, and only the selected
// elements are computed, so that others cannot warn.
typedef struct Masked {
    UfuncCall inner;
    Value args[NODE_INPUTS], mask, into, selected; // owned
    int64_t shape[NDIM_MAX];
    int ndim;
} Masked;

// Replaces an array by its selected elements; a scalar stays.
static Status select_of(Vm *vm, Masked *m, Value *v) {
    View view;
    Value whole, selected;
    if (v->kind != K_ARRAY || v->array->ndim == 0) return ST_OK;
    array_view(v->array, &view);
    view_broadcast(&view, m->shape, m->ndim);
    Status st = array_of_view(vm, &view, *v, &whole);
    if (st != ST_OK) return st;
    st = array_getitem(vm, whole, m->mask, &selected);
    release(vm, whole);
    if (st == ST_OK) replace(vm, v, selected);
    return st;
}

// Converts where= to a mask. It may be a list of any type, but an array must be of bool.
static Status take_mask(Vm *vm, Value where, Masked *m) {
    if (where.kind == K_ARRAY && where.array->dtype != DT_BOOL)
        return cannot_cast_array(vm, where, DT_BOOL, CAST_SAFE);
    return array_from(vm, where, DT_BOOL, &m->mask);
}

static Status masked_shape(Vm *vm, const UfuncCall *u, Masked *m) {
    View views[NODE_INPUTS + 2];
    const View *all[NODE_INPUTS + 2] = {NULL};
    bool given = u->into.kind == K_ARRAY;
    int count = u->count;
    for (int i = 0; i < count; i++) {
        views[i].ndim = 0;
        if (m->args[i].kind == K_ARRAY) array_view(m->args[i].array, &views[i]);
    }
    if (given) array_view(u->into.array, &views[count++]);
    array_view(m->mask.array, &views[count]);
    for (int i = 0; i <= count; i++) all[i] = &views[i];
    Status st = shapes_broadcast(vm, all, count + 1, m->shape, &m->ndim);
    if (st == ST_OK && given) st = check_output_shape(vm, &views[count - 1], m->shape, m->ndim);
    if (st != ST_OK) return st;
    Value whole;
    view_broadcast(&views[count], m->shape, m->ndim);
    st = array_of_view(vm, &views[count], m->mask, &whole);
    if (st == ST_OK) replace(vm, &m->mask, whole);
    return st;
}

// Returns whether all operands are single elements, from which nothing can be selected, and the
// mask is false.
static Status selects_nothing(Vm *vm, const UfuncCall *u, const Masked *m, bool *nothing) {
    Value some;
    *nothing = false;
    for (int i = 0; i < u->count; i++)
        if (m->args[i].kind == K_ARRAY && m->args[i].array->ndim > 0) return ST_OK;
    const ReduceCall any = {.op = AOP_LOGICAL_OR, .axis = V_NONE, .dtype = DT_NONE};
    Status st = ufunc_reduce(vm, &any, m->mask, &some);
    if (st != ST_OK) return st;
    *nothing = !scalar_of(some).i;
    release(vm, some);
    return ST_OK;
}

// Makes an array for the selected results with the type of out=, so that the operation casts to it and
// warns about losses.
static Status selected_output(Vm *vm, const UfuncCall *u, Masked *m) {
    if (u->into.kind != K_ARRAY) return ST_OK;
    for (int i = 0; i < u->count; i++) {
        const Value arg = m->args[i];
        if (arg.kind != K_ARRAY || arg.array->ndim != 1) continue;
        Status st = array_new(vm, u->into.array->dtype, 1, array_shape(arg.array), ROOM_PLACED,
                              &m->selected);
        m->inner.into = m->selected;
        return st;
    }
    return ST_OK;
}

// Computes the selected results and scatters them: other elements keep the value in out=, or are 0 if it
// was not given.
static Status masked_into(Vm *vm, const UfuncCall *u, Masked *m, DType result, Value *out) {
    Value made, array;
    bool nothing;
    Status st = selects_nothing(vm, u, m, &nothing);
    if (st != ST_OK) return st;
    if (nothing && u->into.kind == K_ARRAY) {
        *out = retain(u->into);
        return ST_OK;
    }
    if (nothing) {
        st = array_new(vm, result, m->ndim, m->shape, ROOM_ZEROED, out);
        return st == ST_OK ? array_to_scalar(vm, out) : st;
    }
    for (int i = 0; st == ST_OK && i < u->count; i++) st = select_of(vm, m, &m->args[i]);
    if (st == ST_OK) st = selected_output(vm, u, m);
    if (st == ST_OK) st = ufunc_everywhere(vm, &m->inner, &made);
    if (st != ST_OK) return st;
    st = array_from(vm, made, DT_NONE, &array);
    release(vm, made);
    if (st != ST_OK) return st;
    if (u->into.kind == K_ARRAY) {
        m->into = retain(u->into);
    } else {
        st = array_new(vm, array.array->dtype, m->ndim, m->shape, ROOM_ZEROED, &m->into);
    }
    if (st == ST_OK) st = array_setitem(vm, m->into, m->mask, array);
    release(vm, array);
    if (st != ST_OK) return st;
    *out = retain(m->into);
    return u->into.kind == K_ARRAY ? ST_OK : array_to_scalar(vm, out);
}

static Status apply_masked(Vm *vm, const UfuncCall *u, Value *out) {
    Masked m = {.inner = *u, .mask = V_UNDEF, .into = V_UNDEF, .selected = V_UNDEF};
    m.inner.args = m.args;
    m.inner.into = m.inner.where = V_UNDEF;
    for (int i = 0; i < NODE_INPUTS; i++) m.args[i] = V_UNDEF;
    DType result;
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < u->count; i++) {
        if (is_array_like(u->args[i])) st = array_from(vm, u->args[i], DT_NONE, &m.args[i]);
        else m.args[i] = retain(u->args[i]);
    }
    const UfuncCall typed = {.op = u->op, .args = m.args, .count = u->count, .into = u->into,
                             .dtype = u->dtype, .casting = u->casting};
    if (st == ST_OK && u->into.kind == K_ARRAY)
        st = array_check_writeable(vm, u->into.array, "output array");
    if (st == ST_OK) st = take_mask(vm, u->where, &m);
    if (st == ST_OK) st = ufunc_check_types(vm, &typed, &result);
    if (st == ST_OK) st = masked_shape(vm, u, &m);
    if (st == ST_OK) st = masked_into(vm, u, &m, result, out);
    for (int i = 0; i < NODE_INPUTS; i++) release(vm, m.args[i]);
    release(vm, m.mask);
    release(vm, m.into);
    release(vm, m.selected);
    return st;
}

Status ufunc_apply(Vm *vm, const UfuncCall *u, Value *out) {
    return ufunc_is_masked(u) ? apply_masked(vm, u, out) : ufunc_everywhere(vm, u, out);
}
