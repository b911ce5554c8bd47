// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Facts about elements that are cached with the storage until it is written to.

#include "vm/array/array.h"

bool array_knows(Array *array, FactKind kind, int64_t *value) {
    const Fact *fact = &array->storage->fact;
    bool known = fact->size > 0 && fact->size == array_size(array) && fact->offset == array->offset &&
                 fact->version == array->storage->version && fact->kind == kind;
    if (known) *value = fact->value;
    return known;
}

// Caches nothing about memory that others own or were lent: it changes without a new version.
void array_learns(Array *array, FactKind kind, int64_t value) {
    Storage *storage = array->storage;
    if (!storage->owner) storage->fact = (Fact){storage->version, array->offset, array_size(array), value, kind};
}

// --- Indices -------------------------------------------------------------------------------------

static Status reduced(Vm *vm, OpId op, Value array, int64_t *out) {
    Value found;
    Status st = array_reduce(vm, op, array, axes_below(1), false, DT_NONE, &found);
    if (st == ST_OK) *out = scalar_of(found).i;
    return st;
}

static Status element(Vm *vm, Array *array, int64_t at, int64_t *out) {
    Value index = v_int(at), found;
    Status st = array_get_element(vm, array, &index, 1, &found);
    if (st == ST_OK) *out = scalar_of(found).i;
    return st;
}

// Returns whether no element is smaller than the one before.
static Status ascends(Vm *vm, Value array, bool *holds) {
    View view;
    Value parts[2] = {V_UNDEF, V_UNDEF}, compared = V_UNDEF, all;
    array_view(array.array, &view);
    view.shape[0]--;
    Status st = array_of_view(vm, &view, array, &parts[1]);
    view.offset += view.strides[0];
    if (st == ST_OK) st = array_of_view(vm, &view, array, &parts[0]);
    if (st == ST_OK) st = array_apply(vm, AOP_GREATER_EQUAL, parts, 2, V_UNDEF, DT_NONE, &compared);
    if (st == ST_OK) st = array_reduce(vm, AOP_ALL, compared, axes_below(1), false, DT_NONE, &all);
    if (st == ST_OK) *holds = scalar_of(all).i != 0;
    for (int i = 0; i < 2; i++) release(vm, parts[i]);
    release(vm, compared);
    return st;
}

Status array_check_indices(Vm *vm, Value array, FactKind kind, bool *holds, int64_t *value) {
    int64_t low = 0, size = array_size(array.array);
    Status st = ST_OK;
    *holds = true;
    *value = -1;
    if (size == 0 || array_knows(array.array, kind, value)) return ST_OK;
    if (kind == FACT_INDICES) {
        st = reduced(vm, AOP_MIN, array, &low);
        if (st == ST_OK) st = reduced(vm, AOP_MAX, array, value);
    } else {
        st = ascends(vm, array, holds);
        if (st == ST_OK) st = element(vm, array.array, 0, &low);
        if (st == ST_OK) st = element(vm, array.array, size - 1, value);
    }
    if (st != ST_OK) return st;
    *holds &= low >= 0;
    if (*holds) array_learns(array.array, kind, *value);
    return ST_OK;
}
