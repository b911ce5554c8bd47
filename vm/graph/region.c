// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Conservative overlap test of two views of a storage. An exact answer for arbitrary strides is an
// integer program; but boxes with steps of one array, which programs mostly write, are decided
// exactly.

#include "vm/graph/storage.h"

// Dimensions with nonzero stride, sorted by stride in descending order, all strides made positive.
typedef struct Box {
    int ndim;
    int64_t offset;
    int64_t strides[NDIM_MAX], extents[NDIM_MAX];
} Box;

static void box_of(const View *view, Box *box) {
    box->ndim = 0;
    box->offset = view->offset;
    for (int d = 0; d < view->ndim; d++) {
        int64_t stride = view->strides[d], extent = view->shape[d];
        if (extent == 1 || stride == 0) continue;
        if (stride < 0) {
            box->offset += stride * (extent - 1);
            stride = -stride;
        }
        int at = box->ndim++;
        for (; at > 0 && box->strides[at - 1] < stride; at--) {
            box->strides[at] = box->strides[at - 1];
            box->extents[at] = box->extents[at - 1];
        }
        box->strides[at] = stride;
        box->extents[at] = extent;
    }
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t common_step(const Box *a, const Box *b) {
    int64_t step = 0;
    for (int i = 0; i < a->ndim; i++) step = gcd(step, a->strides[i]);
    for (int i = 0; i < b->ndim; i++) step = gcd(step, b->strides[i]);
    return step;
}

// Tests overlap of elements at multiples of a common step, as in x[0::2] and x[1::2]. The first
// starts `delta` bytes after the other.
static bool meets_between(int64_t delta, int64_t step, int64_t size, int64_t other_size) {
    if (step == 0) return true;
    int64_t rest = delta % step;
    if (rest < 0) rest += step;
    return rest < other_size || rest > step - size;
}

// A range of positions along one stride.
typedef struct Places {
    int64_t first, last;
} Places;

// Collects the distinct strides of both boxes in descending order, and returns their number; 0: too many.
static int grid_of(const Box *a, const Box *b, int64_t *strides) {
    int count = 0, i = 0, j = 0;
    while (i < a->ndim || j < b->ndim) {
        int64_t x = i < a->ndim ? a->strides[i] : 0, y = j < b->ndim ? b->strides[j] : 0;
        int64_t stride = x > y ? x : y;
        if (count == NDIM_MAX) return 0;
        strides[count++] = stride;
        i += x == stride;
        j += y == stride;
    }
    return count;
}

// Computes a box's range along a stride of the grid; *offset keeps the remainder for finer strides.
// False: the range exceeds the `outer` bytes of the next coarser stride (0: none), so the box is not
// on the grid.
static bool range_along(const Box *box, int64_t stride, int64_t outer, int64_t *offset, Places *range) {
    range->first = range->last = *offset / stride;
    *offset -= range->first * stride;
    for (int i = 0; i < box->ndim; i++)
        if (box->strides[i] == stride) range->last += box->extents[i] - 1;
    return outer == 0 || (range->last + 1) * stride <= outer;
}

// Strides form a grid if each is a multiple of the next. Boxes on it are disjoint if their ranges
// are, along any dimension.
static bool apart_on_grid(const Box *a, const Box *b, int64_t size) {
    int64_t strides[NDIM_MAX], a_at = a->offset, b_at = b->offset, outer = 0;
    int count = grid_of(a, b, strides);
    bool apart = false;
    for (int d = 0; d < count; d++) {
        Places x, y;
        if (outer % strides[d]) return false;
        if (!range_along(a, strides[d], outer, &a_at, &x) ||
            !range_along(b, strides[d], outer, &b_at, &y))
            return false;
        apart = apart || x.last < y.first || y.last < x.first;
        outer = strides[d];
    }
    // the remaining offset plus an element must fit within the finest stride
    bool fits = count > 0 && a_at + size <= outer && b_at + size <= outer;
    if (!fits) return false;
    return apart || a_at + size <= b_at || b_at + size <= a_at;
}

bool view_meets(const View *a, const View *b) {
    Box x, y;
    if (!view_may_overlap(a, b)) return false;
    int64_t a_size = (int64_t)dtype_size(a->dtype), b_size = (int64_t)dtype_size(b->dtype);
    box_of(a, &x);
    box_of(b, &y);
    if (!meets_between(x.offset - y.offset, common_step(&x, &y), a_size, b_size)) return false;
    return !apart_on_grid(&x, &y, a_size > b_size ? a_size : b_size);
}
