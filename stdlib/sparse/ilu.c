// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operation ilu_factor: incomplete LU factorisation.

#include "stdlib/sparse/ilu.h"

#include <complex.h>
#include <math.h>

bool growing_add(SparseCall *call, Growing *g, int64_t row, const void *value) {
    if (g->count == g->room) {
        int64_t room = g->room * 2 + 1024;
        int64_t *rows = call->host->scratch(call, (size_t)room * sizeof *rows);
        char *values = call->host->scratch(call, (size_t)room * g->size);
        if (!rows || !values) return false;
        if (g->count > 0) {
            memcpy(rows, g->rows, (size_t)g->count * sizeof *rows);
            memcpy(values, g->values, (size_t)g->count * g->size);
        }
        g->rows = rows;
        g->values = values;
        g->room = room;
    }
    g->rows[g->count] = row;
    memcpy((char *)g->values + (size_t)g->count++ * g->size, value, g->size);
    return true;
}

void heap_push(Ilu *f, int64_t place) {
    int64_t i = f->heap_count++;
    for (int64_t up; i > 0 && f->heap[up = (i - 1) / 2] > place; i = up) f->heap[i] = f->heap[up];
    f->heap[i] = place;
}

int64_t heap_pop(Ilu *f) {
    int64_t top = f->heap[0], last = f->heap[--f->heap_count], i = 0;
    for (int64_t child; (child = 2 * i + 1) < f->heap_count; i = child) {
        if (child + 1 < f->heap_count && f->heap[child + 1] < f->heap[child]) child++;
        if (f->heap[child] >= last) break;
        f->heap[i] = f->heap[child];
    }
    f->heap[i] = last;
    return top;
}

// Quickselect in descending order, with the median of three as pivot. A NaN compares false, so it only stops a scan.
double select_magnitude(double *sizes, int64_t n, int64_t count) {
    int64_t from = 0, end = n - 1, wanted = count - 1;
    while (from < end) {
        double a = sizes[from], b = sizes[(from + end) / 2], c = sizes[end];
        double middle = a > b ? (b > c ? b : a > c ? c : a) : (a > c ? a : b > c ? c : b);
        int64_t i = from, j = end;
        while (i <= j) {
            while (sizes[i] > middle) i++;
            while (sizes[j] < middle) j--;
            if (i > j) break;
            double held = sizes[i];
            sizes[i++] = sizes[j];
            sizes[j--] = held;
        }
        if (wanted <= j) end = j;
        else if (wanted >= i) from = i;
        else break;
    }
    return sizes[wanted];
}

typedef double complex Complex;

// Does without hypot: magnitudes are only compared, so overflow does no harm.
static double magnitude_of(Complex x) {
    return sqrt(creal(x) * creal(x) + cimag(x) * cimag(x));
}

#define T double
#define MAGNITUDE fabs
#define NAME(x) x##_double
#include "stdlib/sparse/ilu_template.h"
#undef T
#undef MAGNITUDE
#undef NAME
#define T Complex
#define MAGNITUDE magnitude_of
#define NAME(x) x##_complex
#include "stdlib/sparse/ilu_template.h"

static bool room_for(SparseCall *call, Ilu *f) {
    size_t n = (size_t)f->n, size = f->data->type == DT_COMPLEX128 ? sizeof(Complex) : sizeof(double);
    int64_t **arrays[] = {&f->l.first, &f->u.first, &f->place, &f->pivots, &f->heap, &f->touched, &f->kept};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = call->host->scratch(call, (n + 1) * sizeof **arrays))) return false;
    f->marked = call->host->scratch(call, n);
    f->work = call->host->scratch(call, n * size);
    f->sizes = call->host->scratch(call, n * sizeof *f->sizes);
    if (!f->marked || !f->work || !f->sizes) return false;
    memset(f->marked, 0, n);
    memset(f->place, -1, n * sizeof *f->place);
    f->l.first[0] = f->u.first[0] = 0;
    f->l.size = f->u.size = size;
    return true;
}

// Adds L to the results, with a unit diagonal and rows numbered in pivot order. The rows of a column are not sorted.
static bool give_lower(const Ilu *f) {
    const SparseHost *host = f->call->host;
    bool pairs = f->data->type == DT_COMPLEX128;
    int64_t *first = host->array(f->call, DT_INT64, f->n + 1), *rows = NULL;
    char *values = NULL;
    if (first) rows = host->array(f->call, DT_INT64, f->l.count + f->n);
    if (rows) values = host->array(f->call, f->data->type, f->l.count + f->n);
    if (!values) return false;
    const Complex one = 1;
    int64_t to = 0;
    first[0] = 0;
    for (int64_t j = 0; j < f->n; j++) {
        rows[to] = j;
        memcpy(values + (size_t)to++ * f->l.size, &one, pairs ? sizeof one : sizeof(double));
        for (int64_t k = f->l.first[j]; k < f->l.first[j + 1]; k++, to++) {
            rows[to] = f->place[f->l.rows[k]];
            memcpy(values + (size_t)to * f->l.size, (const char *)f->l.values + (size_t)k * f->l.size, f->l.size);
        }
        first[j + 1] = to;
    }
    return true;
}

static bool give(SparseCall *call, DType type, const void *from, int64_t count, size_t size) {
    void *to = call->host->array(call, type, count);
    if (to && count > 0) memcpy(to, from, (size_t)count * size);
    return to != NULL;
}

// ilu_factor(indptr, indices, data, order, drop, fill, pivot): returns indptr, indices and data of L (with a unit
// diagonal) and of U, by columns, and the position of each row in pivot order. If a column has only zeros, returns that
// column instead. `order`: a column permutation, or None. `drop`: elements smaller than this fraction of their column's
// largest are dropped. `fill`: bound on the elements of L and U, relative to those of the matrix. `pivot`: least size
// of a diagonal element that stays the pivot, relative to the largest candidate.
void op_ilu_factor(SparseCall *call) {
    const SparseArg *args = call->args;
    Ilu f = {.call = call, .indptr = &args[0], .indices = &args[1], .data = &args[2], .drop = args[4].number,
             .fill = args[5].number, .pivot = args[6].number};
    if (f.data->kind != SPARSE_ARRAY || (f.data->type != DT_FLOAT64 && f.data->type != DT_COMPLEX128)) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "data has to be an array of float64 or complex128");
        return;
    }
    if (!check_indptr(call, f.indptr, f.data->count)) return;
    f.n = f.indptr->count - 1;
    if (!check_indices(call, f.indices, f.n)) return;
    if (args[3].kind == SPARSE_ARRAY) {
        if (args[3].type != DT_INT64 || args[3].count != f.n || !check_indices(call, &args[3], f.n)) {
            if (call->error == SPARSE_OK) SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "an order has to list all columns");
            return;
        }
        f.order = args[3].data;
    }
    if (f.indices->count < index_at(f.indptr, f.n)) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indices and data should have the same size");
        return;
    }
    if (!room_for(call, &f)) return;
    int64_t wrong = f.data->type == DT_COMPLEX128 ? ilu_run_complex(&f) : ilu_run_double(&f);
    if (wrong == -2) {
        if (call->error == SPARSE_OK) call->error = SPARSE_STOPPED;
        return;
    }
    if (wrong >= 0) {
        call->host->whole(call, wrong);
        return;
    }
    (void)(give_lower(&f) && give(call, DT_INT64, f.u.first, f.n + 1, sizeof(int64_t)) &&
           give(call, DT_INT64, f.u.rows, f.u.count, sizeof(int64_t)) && give(call, f.data->type, f.u.values, f.u.count, f.u.size) &&
           give(call, DT_INT64, f.place, f.n, sizeof(int64_t)));
}
