// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Points are computed from their number, so that no iterator is kept for each range.

#include "vm/value/grid.h"

#include "vm/value/object.h"

Status grid_new(Vm *vm, const Range *const *ranges, size_t rank, Value *out) {
    int64_t points = 1;
    bool none = false, many = false;
    for (size_t a = 0; a < rank; a++) {
        none |= ranges[a]->len == 0;
        many |= __builtin_mul_overflow(points, ranges[a]->len, &points);
    }
    if (many && !none) return vm_raise(vm, EXC_OverflowError, "too many points");
    Tuple *axes = tuple_new(vm, 3 * rank);
    if (!axes) return vm_no_memory(vm);
    for (size_t a = 0; a < rank; a++) {
        axes->items[3 * a] = v_int(ranges[a]->start);
        axes->items[3 * a + 1] = v_int(ranges[a]->step);
        axes->items[3 * a + 2] = v_int(ranges[a]->len);
    }
    Iter *it = iter_new(vm, ITER_GRID, v_obj(axes));
    release_obj(vm, axes);
    if (!it) return vm_no_memory(vm);
    it->stop = none ? 0 : points;
    *out = v_obj(it);
    return ST_OK;
}

// Computes the next point. False: there are no more.
static bool take_point(Iter *it, Value *point) {
    if (it->stop <= 0) return false;
    int64_t at = it->index++;
    it->stop--;
    for (int a = grid_rank(it); a-- > 0;) {
        GridAxis axis = grid_axis(it, a);
        point[a] = v_int(axis.start + at % axis.length * axis.step);
        at /= axis.length;
    }
    return true;
}

Status grid_next(Vm *vm, Iter *it, Value *out) {
    Tuple *point;
    if (it->stop <= 0) return ST_STOP;
    if (grid_rank(it) == 1) return take_point(it, out) ? ST_OK : ST_STOP;
    point = tuple_new(vm, (size_t)grid_rank(it));
    if (!point) return vm_no_memory(vm);
    take_point(it, point->items);
    *out = v_obj(point);
    return ST_OK;
}

Status grid_apart(Vm *vm, Iter *it, uint32_t count, Value *slots) {
    enum { MOST = 8 };
    Value point[MOST];
    if (count < 2 || count > MOST || count != (uint32_t)grid_rank(it)) return ST_NOTIMPL;
    if (!take_point(it, point)) return ST_STOP;
    for (uint32_t i = 0; i < count; i++) replace(vm, &slots[i], point[i]);
    return ST_OK;
}
