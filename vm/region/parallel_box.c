// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Tests parallel loops for aliasing, and bounds and copies the elements they write. Boxes assume that
// all indexes are in range: an iteration with an index out of range is rolled back anyway.

#include "vm/region/parallel_box.h"

#include <string.h>

#include "vm/region/parallel_slots.h"

// --- Arrays ------------------------------------------------------------------------------------

static void hull_of(const ParallelRun *run, const RegionArray *array, char **low, char **high) {
    *low = run->slots[array->slot].address;
    *high = *low + slots_size(array);
    for (int d = 0; d < array->ndim; d++) {
        int64_t way = (slots_extent(run, array, d) - 1) * slots_stride(run, array, d);
        *(way < 0 ? low : high) += way;
    }
}

// Tests that each stride, from the smallest to the largest, is at least what all smaller ones span.
bool elements_are_apart(const ParallelRun *run, int number) {
    const RegionArray *array = &run->region->arrays[number];
    int64_t reached = slots_size(array);
    bool done[REGION_DIMS] = {false};
    for (int n = 0; n < array->ndim; n++) {
        int next = -1;
        for (int d = 0; d < array->ndim; d++)
            if (!done[d] && (next < 0 || magnitude_of(slots_stride(run, array, d)) <
                                             magnitude_of(slots_stride(run, array, next))))
                next = d;
        int64_t stride = magnitude_of(slots_stride(run, array, next)), many = slots_extent(run, array, next);
        if (many > 1 && stride < reached) return false;
        if (many > 1) reached += stride * (many - 1);
        done[next] = true;
    }
    return true;
}

bool arrays_are_apart(const ParallelRun *run) {
    const RegionParallel *p = run->loop;
    if (run->apart) return true;
    for (int w = 0; w < run->region->array_count; w++) {
        char *low, *high, *other_low, *other_high;
        if (!(p->written >> w & 1)) continue;
        if (!elements_are_apart(run, w)) return false;
        hull_of(run, &run->region->arrays[w], &low, &high);
        for (int a = 0; a < run->region->array_count; a++) {
            if (a == w || !((p->read | p->written) >> a & 1)) continue;
            hull_of(run, &run->region->arrays[a], &other_low, &other_high);
            if (low < other_high && other_low < high) return false;
        }
    }
    return true;
}

// --- Writes ------------------------------------------------------------------------------------

// Tests that two indexes of a dimension advance alike and differ by less than one step, so that
// different iterations never collide.
static bool apart_along(const ParallelAccess *a, const ParallelAccess *b, int dim) {
    const ParallelSum *x = &a->index[dim], *y = &b->index[dim];
    if (a->moves[dim] || b->moves[dim] || !x->known || !y->known || x->step != y->step || x->step == 0) return false;
    if (x->term_count != y->term_count) return false;
    for (int t = 0; t < x->term_count; t++)
        if (x->terms[t].link != y->terms[t].link || x->terms[t].times != y->terms[t].times)
            return false;
    Wide less = (Wide)x->constant - y->constant, step = x->step;
    return (less < 0 ? -less : less) < (step < 0 ? -step : step);
}

bool writes_are_apart(const RegionParallel *loop) {
    for (int a = 0; a < loop->write_count; a++) {
        uint32_t dims = (1 << REGION_DIMS) - 1;
        for (int b = 0; b < loop->write_count; b++)
            for (int d = 0; d < REGION_DIMS; d++)
                if (loop->writes[b].array == loop->writes[a].array &&
                    !apart_along(&loop->writes[a], &loop->writes[b], d))
                    dims &= ~(UINT32_C(1) << d);
        if (dims == 0) return false;
    }
    return true;
}

int64_t box_sum(const ParallelRun *run, const ParallelSum *sum, int64_t round) {
    Wide value = slots_value(run, sum, round);
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

Box box_of(const ParallelRun *run, const ParallelAccess *write, int64_t first, int64_t count) {
    const RegionArray *array = &run->region->arrays[write->array];
    Box box = {.at = run->slots[array->slot].address, .size = slots_size(array)};
    for (int d = 0; d < REGION_DIMS; d++) {
        int to = d - (REGION_DIMS - array->ndim); // missing outer dimensions have extent 1
        box.extents[d] = 1;
        if (to < 0) continue;
        int64_t extent = slots_extent(run, array, to), low = 0, high = extent - 1;
        const ParallelSum *sum = &write->index[to];
        if (sum->known && !write->moves[to]) {
            Wide begin = slots_value(run, sum, first), end = slots_value(run, sum, first + count - 1);
            low = slots_within(begin < end ? begin : end, extent);
            high = slots_within(begin < end ? end : begin, extent);
        }
        box.strides[d] = slots_stride(run, array, to);
        box.extents[d] = high - low + 1;
        box.at += low * box.strides[d];
    }
    return box;
}

size_t box_bytes(const Box *box) {
    size_t bytes = (size_t)box->size;
    for (int d = 0; d < REGION_DIMS; d++) bytes *= (size_t)box->extents[d];
    return bytes;
}

// --- Copying -----------------------------------------------------------------------------------

static void move(void *to, const void *from, int64_t size) {
    switch (size) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, (size_t)size);
    }
}

// Copies one row of the last dimension to or from a contiguous buffer.
static void row_keep(const Box *box, char *row, char *kept) {
    int64_t many = box->extents[REGION_DIMS - 1], stride = box->strides[REGION_DIMS - 1];
    if (stride == box->size) {
        memcpy(kept, row, (size_t)(many * box->size));
        return;
    }
    for (int64_t i = 0; i < many; i++) move(kept + i * box->size, row + i * stride, box->size);
}

static void row_put_back(const Box *box, char *row, char *kept) {
    int64_t many = box->extents[REGION_DIMS - 1], stride = box->strides[REGION_DIMS - 1];
    for (int64_t i = 0; i < many; i++) move(row + i * stride, kept + i * box->size, box->size);
}

typedef void (*RowFn)(const Box *box, char *row, char *kept);

// Visits the rows from dimension `dim` on. Returns the position in `kept` after them.
static char *each_row(const Box *box, int dim, char *at, char *kept, RowFn fn) {
    if (dim == REGION_DIMS - 1) {
        fn(box, at, kept);
        return kept + box->extents[dim] * box->size;
    }
    for (int64_t i = 0; i < box->extents[dim]; i++)
        kept = each_row(box, dim + 1, at + i * box->strides[dim], kept, fn);
    return kept;
}

void box_keep(const Box *box, char *kept) {
    each_row(box, 0, box->at, kept, row_keep);
}

void box_put_back(const Box *box, char *kept) {
    each_row(box, 0, box->at, kept, row_put_back);
}

// --- Work --------------------------------------------------------------------------------------

// Estimates the average iteration count of an inner loop; SOME_ROUNDS if unknown.
static double level_rounds(const ParallelRun *run, int level, int64_t middle) {
    enum { SOME_ROUNDS = 8 };
    const ParallelLevel *l = &run->loop->levels[level];
    if (!l->rounds.known) return SOME_ROUNDS;
    double rounds = (double)slots_value(run, &l->rounds, middle);
    for (int k = l->around; k > 0; k = run->loop->levels[k].around)
        rounds += (double)l->steps[k] * level_rounds(run, k, middle) / 2;
    return rounds > 0 ? rounds : 0;
}

double round_work(const ParallelRun *run, int64_t rounds) {
    double work = 0;
    for (int l = 0; l < run->loop->level_count; l++) {
        double times = 1;
        for (int k = l; k > 0; k = run->loop->levels[k].around)
            times *= level_rounds(run, k, rounds / 2);
        work += times * (double)run->loop->levels[l].work;
    }
    return work < 1 ? 1 : work;
}
