// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Simple cases of selection by masks and indices; anything else is ST_DEFER, for
// numpy/_selecting.ncr.

#include <string.h>

#include "vm/array/index.h"
#include "vm/array/methods.h"

static bool has_shape_of(Value v, Value a) {
    return v.array->ndim == a.array->ndim &&
           memcmp(array_shape(v.array), array_shape(a.array), (size_t)a.array->ndim * sizeof(int64_t)) == 0;
}

static bool is_mask_of(Value mask, Value a) {
    return mask.kind == K_ARRAY && a.kind == K_ARRAY && mask.array->dtype == DT_BOOL && a.array->ndim > 0 &&
           has_shape_of(mask, a);
}

// Returns whether `condition` is a mask with one element per position along an axis.
static bool is_along(Value condition, Value a, Value axis) {
    bool row = condition.kind == K_ARRAY && condition.array->dtype == DT_BOOL && condition.array->ndim == 1;
    if (!row || a.kind != K_ARRAY || a.array->ndim < 2 || axis.kind != K_INT) return false;
    int64_t at = axis.i < 0 ? axis.i + a.array->ndim : axis.i;
    return at >= 0 && at < a.array->ndim && array_shape(a.array)[at] == array_size(condition.array);
}

static bool are_bools(const List *list) {
    for (size_t i = 0; i < list->len; i++)
        if (list->items[i].kind != K_BOOL) return false;
    return true;
}

Status array_compress(Vm *vm, Value a, Value condition, Value axis, Value into, Value *out) {
    if (condition.kind == K_LIST && are_bools(condition.list)) {
        Value mask;
        Status st = array_from(vm, condition, DT_BOOL, &mask);
        if (st != ST_OK) return st;
        st = array_compress(vm, a, mask, axis, into, out);
        release(vm, mask);
        return st;
    }
    if (is_along(condition, a, axis) && into.kind == K_NONE) return array_take_true(vm, a, condition, axis, out);
    bool along = axis.kind == K_NONE || (axis.kind == K_INT && axis.i == 0);
    if (!along || into.kind != K_NONE || a.kind != K_ARRAY || a.array->ndim != 1) return ST_DEFER;
    if (is_mask_of(condition, a)) return array_getitem(vm, a, condition, out);
    bool shorter = condition.kind == K_ARRAY && condition.array->dtype == DT_BOOL && condition.array->ndim == 1 &&
                   array_size(condition.array) < array_size(a.array);
    if (!shorter) return ST_DEFER;
    View view; // positions beyond the condition are not taken
    Value beginning;
    array_view(a.array, &view);
    view.shape[0] = array_size(condition.array);
    Status st = array_of_view(vm, &view, a, &beginning);
    if (st != ST_OK) return st;
    st = array_getitem(vm, beginning, condition, out);
    release(vm, beginning);
    return st;
}

// Returns whether a value is a Python number that the type represents exactly.
static bool is_number_of(Value v, DType type) {
    return (v.kind == K_FLOAT && type == DT_FLOAT64) || (v.kind == K_INT && type == DT_INT64);
}

Status array_putmask(Vm *vm, Value a, Value mask, Value values, Value *out) {
    if (!is_mask_of(mask, a) || a.array->readonly) return ST_DEFER;
    *out = V_NONE;
    if (is_number_of(values, a.array->dtype)) return array_setitem(vm, a, mask, values);
    bool alike = values.kind == K_ARRAY && values.array->dtype == a.array->dtype && values.array != a.array &&
                 is_mask_of(mask, values);
    return alike ? index_set_masked(vm, a, mask, values) : ST_DEFER;
}

// Makes an array of `count` elements by repeating a row cyclically.
static Status repeated(Vm *vm, Value row, int64_t count, Value *out) {
    View from, to;
    Value some;
    Status st = array_new(vm, row.array->dtype, 1, &count, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    array_view(row.array, &from);
    array_view(out->array, &to);
    int64_t n = from.shape[0];
    for (int64_t done = 0; st == ST_OK && done < count; done += n) {
        from.shape[0] = to.shape[0] = count - done < n ? count - done : n;
        st = array_of_view(vm, &from, row, &some);
        if (st != ST_OK) break;
        st = array_assign(vm, &to, some);
        release(vm, some);
        to.offset += n * to.strides[0];
    }
    if (st != ST_OK) release(vm, *out);
    return st;
}

Status array_place(Vm *vm, Value a, Value mask, Value values, Value *out) {
    Value row, flat, given;
    int64_t count;
    bool listed = values.kind == K_LIST || values.kind == K_TUPLE || values.kind == K_ARRAY;
    enum { ROUNDS = 64 };
    if (!is_mask_of(mask, a) || a.array->readonly || !listed) return ST_DEFER;
    Status st = array_from(vm, values, DT_NONE, &row);
    if (st != ST_OK) return st;
    bool plain = row.array->dtype == a.array->dtype && row.array->ndim == 1 && array_size(row.array) > 0 &&
                 array_is_contiguous(row.array);
    st = plain ? index_count_masked(vm, mask, &flat, &count) : ST_DEFER;
    if (st == ST_OK) {
        release(vm, flat);
        st = count <= ROUNDS * array_size(row.array) ? repeated(vm, row, count, &given) : ST_DEFER;
    }
    release(vm, row);
    if (st != ST_OK) return st;
    st = array_setitem(vm, a, mask, given);
    release(vm, given);
    *out = V_NONE;
    return st;
}

// --- choose --------------------------------------------------------------------------------------

enum { CHOICES = 8 }; // limit: each choice is evaluated for every element

Status array_is_within(Vm *vm, Value numbers, int64_t count, bool *within) {
    View view;
    Value unsigned_ones, most;
    const bool contiguous = array_is_contiguous(numbers.array);
    int64_t largest;
    if (contiguous && array_knows(numbers.array, FACT_INDICES, &largest)) {
        *within = largest < count;
        return ST_OK;
    }
    array_view(numbers.array, &view);
    view.dtype = DT_UINT64; // as unsigned, negative numbers are large
    Status st = array_of_view(vm, &view, numbers, &unsigned_ones);
    if (st != ST_OK) return st;
    st = array_reduce(vm, AOP_MAX, unsigned_ones, axes_below(view.ndim), false, DT_NONE, &most);
    if (st == ST_OK) *within = scalar_of(most).u < (uint64_t)count;
    if (st == ST_OK && contiguous && scalar_of(most).i >= 0) array_learns(numbers.array, FACT_INDICES, scalar_of(most).i);
    release(vm, unsigned_ones);
    return st;
}

static bool are_alike(Value numbers, const Value *choices, size_t count) {
    if (count < 2 || count > CHOICES) return false;
    for (size_t i = 0; i < count; i++)
        if (choices[i].kind != K_ARRAY || choices[i].array->dtype != choices[0].array->dtype ||
            !has_shape_of(choices[i], numbers))
            return false;
    return true;
}

static bool is_clip_mode(Value mode) {
    if (mode.kind != K_STR) return false;
    const char *text = mode.str->data;
    return strcmp(text, "raise") == 0 || strcmp(text, "clip") == 0 || strcmp(text, "wrap") == 0;
}

// Makes choice numbers valid: clipped, or wrapped around.
static Status as_choices(Vm *vm, Value numbers, int64_t count, bool clips, Value *out) {
    const Value clip[3] = {numbers, v_int(0), v_int(count - 1)}, wrap[2] = {numbers, v_int(count)};
    return clips ? array_apply(vm, AOP_CLIP, clip, 3, V_UNDEF, DT_NONE, out)
                 : array_apply(vm, AOP_REMAINDER, wrap, 2, V_UNDEF, DT_NONE, out);
}

static Status chosen(Vm *vm, Value numbers, const Value *choices, size_t count, Value *out) {
    Status st = ST_OK;
    Value made = retain(choices[0]);
    for (size_t i = 1; st == ST_OK && i < count; i++) {
        Value is_it, next;
        const Value asked[2] = {numbers, v_int((int64_t)i)};
        st = array_apply(vm, AOP_EQUAL, asked, 2, V_UNDEF, DT_NONE, &is_it);
        if (st != ST_OK) break;
        const Value args[3] = {is_it, choices[i], made};
        st = array_apply(vm, AOP_WHERE, args, 3, V_UNDEF, DT_NONE, &next);
        release(vm, is_it);
        if (st == ST_OK) replace(vm, &made, next);
    }
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

Status array_choose(Vm *vm, Value numbers, const Value *choices, size_t count, Value mode, Value *out) {
    bool inside;
    bool plain = is_clip_mode(mode) && numbers.kind == K_ARRAY && numbers.array->dtype == DT_INT64 &&
                 numbers.array->ndim > 0 && array_size(numbers.array) > 0 && are_alike(numbers, choices, count);
    if (!plain) return ST_DEFER;
    Status st = array_is_within(vm, numbers, (int64_t)count, &inside);
    if (st != ST_OK || inside) return st == ST_OK ? chosen(vm, numbers, choices, count, out) : st;
    const char *text = mode.str->data;
    if (strcmp(text, "raise") == 0) return ST_DEFER;
    Value fitted;
    st = as_choices(vm, numbers, (int64_t)count, strcmp(text, "clip") == 0, &fitted);
    if (st != ST_OK) return st;
    st = chosen(vm, fitted, choices, count, out);
    release(vm, fitted);
    return st;
}
