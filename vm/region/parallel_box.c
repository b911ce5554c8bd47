// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Boxes assume that all indexes are in range: an iteration with one that is not is rolled back
// anyway.

#include "vm/region/parallel_box.h"

#include <string.h>

#include "vm/graph/dtype.h"
#include "vm/region/parallel_reach.h"

typedef __int128 Wide;

// --- Arrays ------------------------------------------------------------------------------------

static int64_t extent_of(const ParallelRun *run, const RegionArray *array, int dim) {
    return run->slots[array->slot + 1 + dim].i;
}

static int64_t stride_of(const ParallelRun *run, const RegionArray *array, int dim) {
    return run->slots[array->slot + 1 + array->ndim + dim].i;
}

static int64_t size_of(const RegionArray *array) {
    return (int64_t)dtype_size((DType)array->dtype);
}

static int64_t distance(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

static void hull_of(const ParallelRun *run, const RegionArray *array, char **low, char **high) {
    *low = run->slots[array->slot].address;
    *high = *low + size_of(array);
    for (int d = 0; d < array->ndim; d++) {
        int64_t way = (extent_of(run, array, d) - 1) * stride_of(run, array, d);
        *(way < 0 ? low : high) += way;
    }
}

// Each stride, from smallest to largest, exceeds what all smaller ones span.
bool elements_are_apart(const ParallelRun *run, int number) {
    const RegionArray *array = &run->region->arrays[number];
    int64_t reached = size_of(array);
    bool done[REGION_DIMS] = {false};
    for (int n = 0; n < array->ndim; n++) {
        int next = -1;
        for (int d = 0; d < array->ndim; d++)
            if (!done[d] && (next < 0 || distance(stride_of(run, array, d)) <
                                             distance(stride_of(run, array, next))))
                next = d;
        int64_t stride = distance(stride_of(run, array, next)), many = extent_of(run, array, next);
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

static Wide value_of(const ParallelRun *run, const ParallelSum *sum, int64_t round) {
    Wide value = sum->constant + (Wide)sum->step * round;
    for (int t = 0; t < sum->term_count; t++)
        value += (Wide)sum->terms[t].times * run->values[sum->terms[t].link];
    return value;
}

int64_t box_sum(const ParallelRun *run, const ParallelSum *sum, int64_t round) {
    Wide value = value_of(run, sum, round);
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int64_t within(Wide index, int64_t extent) {
    return index < 0 ? 0 : index >= extent ? extent - 1 : (int64_t)index;
}

Box box_of(const ParallelRun *run, const ParallelAccess *write, int64_t first, int64_t count) {
    const RegionArray *array = &run->region->arrays[write->array];
    Box box = {.at = run->slots[array->slot].address, .size = size_of(array)};
    for (int d = 0; d < REGION_DIMS; d++) {
        int to = d - (REGION_DIMS - array->ndim); // missing outer dimensions have extent 1
        box.extents[d] = 1;
        if (to < 0) continue;
        int64_t extent = extent_of(run, array, to), low = 0, high = extent - 1;
        const ParallelSum *sum = &write->index[to];
        if (sum->known && !write->moves[to]) {
            Wide begin = value_of(run, sum, first), end = value_of(run, sum, first + count - 1);
            low = within(begin < end ? begin : end, extent);
            high = within(begin < end ? end : begin, extent);
        }
        box.strides[d] = stride_of(run, array, to);
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

// --- Reach -------------------------------------------------------------------------------------

static void span(Wide *low, Wide *high, Wide way) {
    *(way < 0 ? low : high) += way;
}

// How many rounds each inner level has at most; -1: not known.
typedef struct MostRounds {
    Wide of[PARALLEL_LEVELS];
} MostRounds;

static bool find_most(const ParallelRun *run, int level, int64_t rounds, MostRounds *most) {
    const ParallelLevel *l = &run->loop->levels[level];
    if (!l->most || l->steps[level] != 0) return false;
    const Wide first = value_of(run, &l->rounds, 0), last = value_of(run, &l->rounds, rounds - 1);
    Wide none = 0, high = first > last ? first : last;
    for (int k = 1; k < run->loop->level_count; k++) {
        if (l->steps[k] == 0) continue;
        if (most->of[k] < 0) return false;
        if (most->of[k] > 1) span(&none, &high, (most->of[k] - 1) * l->steps[k]);
    }
    most->of[level] = high < 0 ? 0 : high;
    return high <= INT64_MAX;
}

static void find_all_most(const ParallelRun *run, int64_t rounds, MostRounds *most) {
    for (int k = 0; k < PARALLEL_LEVELS; k++) most->of[k] = -1;
    for (bool found = true; found;) { // levels around others may come later in the list
        found = false;
        for (int k = 1; k < run->loop->level_count; k++)
            if (most->of[k] < 0) found |= find_most(run, k, rounds, most);
    }
}

// Adds what inner counters add to a value. False: that is not known.
static bool span_inner(const ParallelRun *run, const int64_t *inner, const MostRounds *most, Wide *low, Wide *high) {
    for (int l = 1; l < PARALLEL_INNER; l++) {
        if (inner[l] == 0) continue;
        const Wide times = run->loop->inner[l] ? most->of[run->loop->inner[l]] : -1;
        if (times < 0) return false;
        if (times > 1) span(low, high, (times - 1) * inner[l]);
    }
    return true;
}

static int64_t narrowed(Wide value) {
    return value < INT64_MIN / 4 ? INT64_MIN / 4 : value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

// The dimension that an array's elements are furthest apart along.
static int outermost(const ParallelRun *run, const RegionArray *array) {
    int found = 0;
    for (int d = 1; d < array->ndim; d++) {
        const bool is_unit = extent_of(run, array, found) <= 1;
        if (extent_of(run, array, d) <= 1) continue;
        if (is_unit || distance(stride_of(run, array, d)) > distance(stride_of(run, array, found))) found = d;
    }
    return found;
}

// Iterations move along the outermost dimension, and touch whatever any of them does of the others.
RoundsReach reach_of_access(const ParallelRun *run, int64_t rounds, const ParallelAccess *access) {
    const RegionArray *array = &run->region->arrays[access->array];
    const int along = outermost(run, array);
    Wide low = 0, high = size_of(array), step = 0;
    MostRounds most;
    find_all_most(run, rounds, &most);
    for (int d = 0; d < array->ndim; d++) {
        const ParallelSum *sum = &access->index[d];
        const Wide stride = stride_of(run, array, d);
        Wide first = 0, last = 0; // indexes
        if (!sum->known || !span_inner(run, access->inner[d], &most, &first, &last)) {
            last = extent_of(run, array, d) - 1;
        } else if (d == along) {
            first += value_of(run, sum, 0);
            last += value_of(run, sum, 0);
            step = (Wide)sum->step * stride;
        } else {
            const Wide begin = value_of(run, sum, 0), end = value_of(run, sum, rounds - 1);
            first = within(first + (begin < end ? begin : end), extent_of(run, array, d));
            last = within(last + (begin < end ? end : begin), extent_of(run, array, d));
        }
        low += (stride < 0 ? last : first) * stride;
        high += (stride < 0 ? first : last) * stride;
    }
    return (RoundsReach){narrowed(low), narrowed(high), narrowed(step)};
}

RoundsReach reach_of_array(const ParallelRun *run, int array) {
    return reach_of_access(run, 1, &(const ParallelAccess){.array = array});
}

static bool is_in_range(const ParallelRun *run, const ParallelCheck *check, int64_t rounds, const MostRounds *most) {
    const Wide first = value_of(run, &check->sum, 0), last = value_of(run, &check->sum, rounds - 1);
    Wide low = first < last ? first : last, high = first < last ? last : first;
    if (!span_inner(run, check->inner, most, &low, &high)) return false;
    if (check->array == NO_ARRAY) return low >= INT64_MIN && high <= INT64_MAX;
    return low >= 0 && high < extent_of(run, &run->region->arrays[check->array], check->dim);
}

bool reach_is_checked(const ParallelRun *run, int64_t rounds) {
    const RegionParallel *p = run->loop;
    MostRounds most;
    if (!p->checked) return false;
    find_all_most(run, rounds, &most);
    for (int i = 0; i < p->check_count; i++)
        if (!is_in_range(run, &p->checks[i], rounds, &most)) return false;
    return true;
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

// Visits the rows from dimension `dim` on and returns the position after them.
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

// Average iteration count of an inner loop; a guess if unknown.
static double level_rounds(const ParallelRun *run, int level, int64_t middle) {
    enum { SOME_ROUNDS = 8 };
    const ParallelLevel *l = &run->loop->levels[level];
    if (!l->rounds.known) return SOME_ROUNDS;
    double rounds = (double)value_of(run, &l->rounds, middle);
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
