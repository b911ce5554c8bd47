// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reductions of short rows, for example over the three coordinates of a million points. A row would
// not fill a vector, so each vector lane reduces a row of its own, in the order of that row.

#include <string.h>

#include "backends/cpu/reduce/reduce.h"

// Returns the kept dimension that becomes the inner one; -1: none is long enough.
static int dim_beside(const Kernel *k) {
    enum { FEW = 16 };
    for (int d = k->ndim - 2; d >= 0; d--)
        if (!(k->reduced >> d & 1) && k->shape[d] >= FEW) return d;
    return -1;
}

// Returns the number of accumulators of PAIRWISE_SUM, which handles rows up to 16 times as long without a tree.
static int64_t sum_width(const Kernel *k) {
    return dtype_kind(reduced_type(k, 0)) == DK_COMPLEX ? 4 : 8;
}

static bool sums_floats(const Kernel *k) {
    for (int r = 0; r < k->reduction_count; r++)
        if (is_float_sum(k, r)) return true;
    return false;
}

// Returns whether the elements of each row are combined sequentially in any case.
static bool meets_in_order(const Kernel *k) {
    int64_t n = k->shape[k->ndim - 1];
    for (int r = 0; r < k->reduction_count; r++) {
        if (reduced_type(k, r) == DT_FLOAT16) return false; // halves accumulate as floats, row by
                                                            // row
        bool wide = dtype_kind(reduced_type(k, r)) == DK_COMPLEX;
        // complex products round differently in vectors than alone
        if (wide && k->reductions[r].op != AOP_ADD) return false;
        // fewer than four complex numbers, or eight others, are added in order
        if (is_float_sum(k, r) && (n >= (wide ? 4 : 8) || k->reductions[r].begun)) return false;
    }
    return true;
}

static bool is_short_sum(const Kernel *k) {
    return k->reduction_count == 1 && is_float_sum(k, 0) && reduced_type(k, 0) != DT_FLOAT16 &&
           k->shape[k->ndim - 1] >= sum_width(k) && k->shape[k->ndim - 1] <= 16 * sum_width(k);
}

bool way_short(Way *way, const Kernel *k) {
    enum { SHORT = 32 };
    int inner = k->ndim - 1;
    if (k->reduced != axis_bit(inner) || k->shape[inner] > SHORT || k->shape[inner] == 0) return false;
    int rows = dim_beside(k);
    bool in_order = meets_in_order(k);
    if (rows < 0 || (!in_order && !is_short_sum(k))) return false;
    kernel_copy(&way->turned, k);
    kernel_swap_dims(&way->turned, rows, inner);
    way->kernel = &way->turned;
    if (sums_floats(k) && !in_order) way->summed = rows;
    return true;
}

// Adds `n` values to a sum, or initialises it.
static void add_to(LoopFn add, char *sum, const char *values, size_t n, size_t size, bool begins) {
    if (begins) memcpy(sum, values, n * size);
    else add(sum, values, NULL, sum, n);
}

// Combines accumulators: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)), or the first half for four.
static void add_up(LoopFn add, char *sums, size_t stride, int64_t width, size_t n) {
    for (int64_t step = 1; step < width; step *= 2)
        for (int64_t i = 0; i < width; i += 2 * step)
            add(sums + (size_t)i * stride, sums + (size_t)(i + step) * stride, NULL,
                sums + (size_t)i * stride, n);
}

void sum_short(Worker *w, const Kernel *k, char *const *at, int summed) {
    enum { RUN = 256 }; // rows at a time; the worker's block holds the sums, then the values
    DType type = reduced_type(k, 0);
    size_t size = dtype_size(type), stride = RUN * size;
    int inner = k->ndim - 1;
    int64_t rows = k->shape[inner], n = k->shape[summed], width = sum_width(k), whole = n - n % width;
    LoopFn add = loop_of(w->cpu, AOP_ADD, type);
    char *sums = w->blocks[0], *here[KERN_ACCESSES];
    const char *values;
    w->blocks[0] = sums + BLOCK / 2 * size;
    for (int64_t begin = 0; begin < rows && !left(w->cpu, k, w->flags); begin += RUN) {
        size_t count = rows - begin < RUN ? (size_t)(rows - begin) : RUN;
        for (int64_t j = 0; j < n; j++) {
            for (int i = 0; i < access_count(k); i++)
                here[i] = at[i] + j * access_number(k, i)->strides[summed];
            evaluate(w, k, here, begin, count, &values);
            if (j == whole) add_up(add, sums, stride, width, count);
            add_to(add, sums + (size_t)(j < whole ? j % width : 0) * stride, values, count, size, j < width);
        }
        if (whole == n) add_up(add, sums, stride, width, count);
        w->blocks[0] = sums;
        combine_values(w, k, 0, sums, count, at[k->load_count] + begin * k->stores[0].to.strides[inner]);
        w->blocks[0] = sums + BLOCK / 2 * size;
    }
    w->blocks[0] = sums;
}
