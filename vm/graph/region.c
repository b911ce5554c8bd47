// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Whether two views of a storage have a byte in common. Deciding that for any strides is an integer
// program; what programs write are boxes of one array, with steps, and those are told apart exactly.

#include "vm/graph/storage.h"

// Dimensions that move, by stride from large to small, all strides positive.
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

// All elements of both lie at multiples of a common step from where they begin: x[0::2] and x[1::2].
// The first begins `delta` bytes behind the other.
static bool meets_between(int64_t delta, int64_t step, int64_t size, int64_t other_size) {
    if (step == 0) return true;
    int64_t rest = delta % step;
    if (rest < 0) rest += step;
    return rest < other_size || rest > step - size;
}

// A range of places along one stride.
typedef struct Places {
    int64_t first, last;
} Places;

// The strides of both, from large to small; 0: too many, or no grid of places.
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

// A box's places along a stride of the grid; *offset is what is left for finer ones. False: they reach
// beyond the `outer` bytes of the stride before (0: there is none), so the box is none of this grid.
static bool range_along(const Box *box, int64_t stride, int64_t outer, int64_t *offset, Places *range) {
    range->first = range->last = *offset / stride;
    *offset -= range->first * stride;
    for (int i = 0; i < box->ndim; i++)
        if (box->strides[i] == stride) range->last += box->extents[i] - 1;
    return outer == 0 || (range->last + 1) * stride <= outer;
}

// Strides of which each is a multiple of the next make a grid. Boxes on it are disjoint if they are along
// any of its dimensions.
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
    // What is left of the offsets lies within the finest stride, together with an element's bytes.
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
