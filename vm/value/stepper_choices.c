// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The steps of product, permutations, combinations and combinations_with_replacement: `a` is the
// tuple of items (of product: of such tuples), `places` which of them are chosen, in lexicographic
// order (Knuth, The Art of Computer Programming 4A, 7.2.1). `flag`: the first choice has been given;
// `index` is -1 when there are no more.

#include "vm/value/object.h"
#include "vm/value/stepper_impl.h"

#define STEP(id) StepWant step_##id(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in)

static StepWant over(Stepper *it) {
    it->index = -1;
    return STEP_STOP;
}

// Copies the last row, so that only changed positions are written.
static Tuple *next_row(Vm *vm, Stepper *it, size_t len) {
    Tuple *row = stepper_row(vm, it, len);
    if (!row) vm_no_memory(vm);
    return row;
}

static StepWant chosen(Vm *vm, Stepper *it, Act *act, size_t count) {
    const Tuple *pool = it->a.tuple;
    Tuple *row = next_row(vm, it, count);
    if (!row) return STEP_FAIL;
    for (size_t i = 0; i < count; i++) {
        Value item = pool->items[it->places[i]];
        if (!v_is(row->items[i], item)) replace(vm, &row->items[i], retain(item));
    }
    it->flag = true;
    return step_give(act, v_obj(row));
}

STEP(COMBINATIONS) {
    (void)event;
    (void)in;
    int64_t n = (int64_t)it->a.tuple->len, r = (int64_t)it->place_count, at = r - 1;
    if (it->index < 0 || r > n) return over(it);
    if (it->flag) {
        while (at >= 0 && it->places[at] == n - r + at) at--;
        if (at < 0) return over(it);
        for (int64_t place = it->places[at] + 1; at < r; at++) it->places[at] = place++;
    }
    return chosen(vm, it, act, (size_t)r);
}

STEP(MULTISETS) {
    (void)event;
    (void)in;
    int64_t n = (int64_t)it->a.tuple->len, r = (int64_t)it->place_count, at = r - 1;
    if (it->index < 0 || (n == 0 && r > 0)) return over(it);
    if (it->flag) {
        while (at >= 0 && it->places[at] == n - 1) at--;
        if (at < 0) return over(it);
        for (int64_t place = it->places[at] + 1; at < r; at++) it->places[at] = place;
    }
    return chosen(vm, it, act, (size_t)r);
}

// The first `stop` of the n places are chosen; behind them stand, for each of the chosen, how many
// choices are left for it.
STEP(PERMUTATIONS) {
    (void)event;
    (void)in;
    int64_t n = (int64_t)it->a.tuple->len, r = it->stop, at = r - 1;
    if (it->index < 0 || r > n) return over(it);
    int64_t *left = it->places + n;
    for (; it->flag && at >= 0; at--) {
        int64_t *place = &it->places[at], first = *place;
        if (--left[at] > 0) {
            *place = it->places[n - left[at]];
            it->places[n - left[at]] = first;
            break;
        }
        for (int64_t k = at; k < n - 1; k++) it->places[k] = it->places[k + 1];
        it->places[n - 1] = first;
        left[at] = n - at;
    }
    if (it->flag && at < 0) return over(it);
    return chosen(vm, it, act, (size_t)r);
}

STEP(PRODUCT) {
    (void)event;
    (void)in;
    const Tuple *pools = it->a.tuple;
    size_t count = it->place_count, at = count;
    if (it->index < 0) return STEP_STOP;
    for (size_t i = 0; !it->flag && i < pools->len && count; i++)
        if (pools->items[i].tuple->len == 0) return over(it);
    for (; it->flag && at > 0; at--) {
        if (++it->places[at - 1] < (int64_t)pools->items[(at - 1) % pools->len].tuple->len) break;
        it->places[at - 1] = 0;
    }
    if (it->flag && at == 0) return over(it);
    Tuple *row = next_row(vm, it, count);
    if (!row) return STEP_FAIL;
    for (size_t i = 0, pool = 0; i < count; i++) {
        Value item = pools->items[pool].tuple->items[it->places[i]];
        if (!v_is(row->items[i], item)) replace(vm, &row->items[i], retain(item));
        if (++pool == pools->len) pool = 0;
    }
    it->flag = true;
    return step_give(act, v_obj(row));
}
