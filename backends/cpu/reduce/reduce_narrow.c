// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Combines short rows, for example the sums of three coordinates over a million points. A row would
// not fill a vector, so several rows are treated as one long row and combined with the other long rows;
// at the end, the rows within the result are combined.

#include <string.h>

#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/move.h"

// elements: at most of a long row, at most of a short row, and at least of the whole operand
enum { WIDE = 1024, NARROW = WIDE / 2, LEAST = 8 * WIDE };

// --- Choice ------------------------------------------------------------------------------------

// Returns the elements of a row: of all dimensions inside the one along which rows are combined.
static int64_t row_elements(const Kernel *k) {
    int64_t n = 1;
    for (int d = dim_of_rows(k) + 1; d < k->ndim; d++) n *= k->shape[d];
    return n;
}

// Returns whether to combine rows as long rows. Depends on the shape and the operations only, so that a
// reduction has the same result in any kernel.
static bool is_narrow(const Kernel *k) {
    if (!reduces_rows(k)) return false;
    int64_t row = row_elements(k);
    if (row > NARROW || row * k->shape[dim_of_rows(k)] < LEAST) return false;
    for (int r = 0; r < k->reduction_count; r++)
        if (!may_reorder(k, r)) return false;
    return true;
}

// Returns the number of rows in a long row: among the suitable ones, the one that leaves the fewest rows over.
static int64_t rows_together(int64_t rows, int64_t row) {
    int64_t most = WIDE / row, best = most;
    for (int64_t n = most; n > most / 2; n--)
        if (rows % n < rows % best) best = n;
    return best;
}

// --- Accesses ----------------------------------------------------------------------------------

// Tests that rows are contiguous and follow one another, or that all elements are one (strides of 0).
static bool lies_in_rows(const Kernel *k, const KernAccess *access) {
    int rows = dim_of_rows(k);
    int64_t stride = access->strides[k->ndim - 1] ? (int64_t)dtype_size(access->dtype) : 0;
    for (int d = k->ndim - 1; d >= rows; d--) {
        if (access->strides[d] != stride) return false;
        stride *= k->shape[d];
    }
    return true;
}

// Returns whether an access, other than a reduction's result, is copied because it is not in such rows. An operand
// whose rows are all the same (is_repeated) is copied once.
static bool is_copied(const Way *way, int i) {
    const Kernel *k = way->given;
    return (i < k->load_count || i >= k->load_count + k->reduction_count) &&
           !lies_in_rows(k, access_number(k, i));
}

static bool is_repeated(const Way *way, int i) {
    return access_number(way->given, i)->strides[dim_of_rows(way->given)] == 0;
}

static size_t copy_bytes(const Way *way, int i) {
    size_t bytes = (size_t)way->kernel->shape[way->kernel->ndim - 1] *
                   dtype_size(access_number(way->given, i)->dtype);
    return aligned_bytes(bytes);
}

size_t narrow_bytes(const Way *way) {
    size_t bytes = 0;
    for (int i = 0; way->narrow && i < access_count(way->given); i++)
        if (is_copied(way, i)) bytes += copy_bytes(way, i);
    return bytes;
}

static void widen(KernAccess *access, const Kernel *k, int64_t together) {
    int rows = dim_of_rows(k);
    int64_t element = access->strides[k->ndim - 1] ? (int64_t)dtype_size(access->dtype) : 0;
    if (!lies_in_rows(k, access)) element = (int64_t)dtype_size(access->dtype); // stride in the copy
    access->strides[rows] *= together;
    access->strides[rows + 1] = element;
}

bool way_narrow(Way *way, const Kernel *k) {
    if (!is_narrow(k)) return false;
    int rows = dim_of_rows(k);
    Kernel *wide = &way->turned;
    way->narrow = row_elements(k);
    int64_t together = rows_together(k->shape[rows], way->narrow);
    kernel_copy(wide, k);
    for (int i = 0; i < k->load_count; i++) widen(&wide->loads[i], k, together);
    for (int s = k->reduction_count; s < k->store_count; s++) widen(&wide->stores[s].to, k, together);
    wide->ndim = rows + 2;
    wide->shape[rows] /= together;
    wide->shape[rows + 1] = way->narrow * together;
    way->kernel = wide;
    way->rest = k->shape[rows] % together;
    return true;
}

// --- Copies ------------------------------------------------------------------------------------

// Copies a row, which begins at `at`, to or from contiguous memory.
static void move_row(const Kernel *k, const KernAccess *access, char *at, char *row, bool out) {
    int first = dim_of_rows(k) + 1, inner = k->ndim - 1;
    int64_t index[NDIM_MAX] = {0};
    const int64_t *strides = access->strides + first;
    size_t size = dtype_size(access->dtype), n = (size_t)k->shape[inner];
    do {
        if (out) scatter(row, at, access->strides[inner], size, n);
        else gather(at, access->strides[inner], row, size, n);
        row += n * size;
    } while (odometer_next(inner - first, k->shape + first, index, &at, &strides, 1));
}

// Copies all rows of a long row.
static void move_rows(const Way *way, int i, char *at, char *copy, bool out) {
    const Kernel *k = way->given;
    const KernAccess *access = access_number(k, i);
    size_t row = (size_t)way->narrow * dtype_size(access->dtype);
    size_t all = (size_t)way->kernel->shape[way->kernel->ndim - 1] * dtype_size(access->dtype);
    for (size_t done = 0; done < all; done += row, at += access->strides[dim_of_rows(k)]) {
        if (done > 0 && is_repeated(way, i)) memcpy(copy + done, copy, row);
        else move_row(k, access, at, copy + done, out);
    }
}

// --- Combining ---------------------------------------------------------------------------------

// Returns the accumulators, which are in the worker's block, after the values.
static char *combined(const Worker *w, const Kernel *k, int r) {
    return w->blocks[r] + BLOCK / 4 * dtype_size(reduced_type(k, r));
}

static void meet(Worker *w, const Kernel *k, const char *const *values, bool first) {
    size_t n = (size_t)k->shape[k->ndim - 1];
    for (int r = 0; r < k->reduction_count; r++) {
        DType type = reduced_type(k, r);
        char *to = combined(w, k, r);
        if (first) memcpy(to, values[r], n * dtype_size(type));
        else loop_of(w->cpu, (OpId)k->reductions[r].op, type)(to, values[r], NULL, to, n);
        if (k->reduction_count > 1) tell_reduction(w, k, r);
    }
}

// Combines one row into the result at `out`.
static void meet_result(Worker *w, const Way *way, const Kernel *k, int r, const char *row, char *out) {
    const Kernel *given = way->given;
    int first = dim_of_rows(given) + 1, inner = given->ndim - 1;
    if (w->own_rows) {
        combine_values(w, k, r, row, (size_t)way->narrow, out);
        return;
    }
    int64_t index[NDIM_MAX] = {0};
    const int64_t *strides = given->stores[r].to.strides + first;
    size_t n = (size_t)given->shape[inner];
    do {
        combine_values(w, given, r, row, n, out);
        row += n * dtype_size(reduced_type(k, r));
    } while (odometer_next(inner - first, given->shape + first, index, &out, &strides, 1));
}

// Combines the rows within a long row pairwise, halving their number each time.
static void meet_one_another(Worker *w, const Way *way, const Kernel *k, int r, char *out) {
    DType type = reduced_type(k, r);
    LoopFn loop = loop_of(w->cpu, (OpId)k->reductions[r].op, type);
    size_t row = (size_t)way->narrow, size = dtype_size(type);
    char *rows = combined(w, k, r);
    for (size_t n = (size_t)k->shape[k->ndim - 1] / row, half; n > 1; n -= half) {
        half = n / 2;
        loop(rows, rows + (n - half) * row * size, NULL, rows, half * row);
    }
    meet_result(w, way, k, r, rows, out);
    if (k->reduction_count > 1) tell_reduction(w, k, r);
}

void combine_narrow(Worker *w, const Way *way, const Kernel *k, char *const *at) {
    int rows = k->ndim - 2, accesses = access_count(k);
    char *from[KERN_ACCESSES], *here[KERN_ACCESSES], *copy = w->rows;
    const char *values[KERN_STORES];
    bool copied[KERN_ACCESSES];
    memcpy(from, at, (size_t)accesses * sizeof *from);
    memcpy(here, at, (size_t)accesses * sizeof *here);
    for (int i = 0; i < accesses; i++) {
        copied[i] = is_copied(way, i);
        if (!copied[i]) continue;
        here[i] = copy;
        copy += copy_bytes(way, i);
    }
    for (int64_t j = 0; j < k->shape[rows] && !left(w->cpu, k, w->flags); j++) {
        for (int i = 0; i < k->load_count; i++)
            if (copied[i] && (j == 0 || !is_repeated(way, i))) move_rows(way, i, from[i], here[i], false);
        evaluate(w, k, here, 0, (size_t)k->shape[rows + 1], values);
        meet(w, k, values, j == 0);
        for (int i = 0; i < accesses; i++) {
            if (copied[i] && i >= k->load_count) move_rows(way, i, from[i], here[i], true);
            from[i] += access_number(k, i)->strides[rows];
            if (!copied[i]) here[i] = from[i];
        }
    }
    for (int r = 0; r < k->reduction_count; r++) meet_one_another(w, way, k, r, at[k->load_count + r]);
}
