// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts arrays by diagonals (DIA) to compressed rows and back. As in SciPy, element j of a diagonal's row of data is
// in column j.

#include <stdatomic.h>
#include <stdlib.h>

#include "stdlib/sparse/ops.h"

typedef struct Diagonals {
    SparseCall *call;
    DType index, type;
    const void *data_from;
    const void *indptr_from, *indices_from; // of compressed rows, when they are converted
    void *indptr, *indices, *data;
    int64_t rows, columns; // columns: clipped to the width of the data
    int64_t width;         // elements in a row of data
    int64_t count;         // number of diagonals
    const int64_t *offsets, *places; // offsets of the diagonals, ascending; each one's row of data
    atomic_uchar *used;    // by offset + rows - 1: whether it has an entry
    int64_t *ranks;        // by offset + rows - 1: the number of its diagonal
    int parts;
    bool *outside;
} Diagonals;

// --- To rows -------------------------------------------------------------------------------------

#define DIAGONAL_LOOPS(I, ID, CTYPE)                                                           \
    static void count_##ID##_##I(const Diagonals *d, int64_t from, int64_t end) {              \
        const CTYPE *restrict data = d->data_from;                                             \
        I *restrict counts = (I *)d->indptr + 1;                                               \
        for (int64_t i = from; i < end; i++) {                                                 \
            I n = 0;                                                                           \
            for (int64_t k = 0; k < d->count; k++) {                                           \
                int64_t j = i + d->offsets[k];                                                 \
                n += j >= 0 && j < d->columns && data[d->places[k] * d->width + j] != 0;       \
            }                                                                                  \
            counts[i] = n;                                                                     \
        }                                                                                      \
    }                                                                                          \
    static void take_##ID##_##I(const Diagonals *d, int64_t from, int64_t end) {               \
        const CTYPE *restrict data = d->data_from;                                             \
        int64_t place = ((const I *)d->indptr)[from];                                          \
        I *restrict indices = d->indices;                                                      \
        CTYPE *restrict to = d->data;                                                          \
        for (int64_t i = from; i < end; i++)                                                   \
            for (int64_t k = 0; k < d->count; k++) {                                           \
                int64_t j = i + d->offsets[k];                                                 \
                if (j < 0 || j >= d->columns || data[d->places[k] * d->width + j] == 0) continue; \
                indices[place] = (I)j;                                                         \
                to[place++] = data[d->places[k] * d->width + j];                               \
            }                                                                                  \
    }                                                                                          \
    static void fill_##ID##_##I(const Diagonals *d, int64_t from, int64_t end) {               \
        const I *restrict indptr = d->indptr_from, *restrict indices = d->indices_from;        \
        const CTYPE *restrict data = d->data_from;                                             \
        CTYPE *restrict to = d->data;                                                          \
        for (int64_t i = from; i < end; i++)                                                   \
            for (int64_t k = indptr[i]; k < indptr[i + 1]; k++)                                \
                to[d->ranks[indices[k] - i + d->rows - 1] * d->width + indices[k]] = data[k];  \
    }
#define LOOPS_PLAIN(ID, C) DIAGONAL_LOOPS(int32_t, ID, C) DIAGONAL_LOOPS(int64_t, ID, C)
#define LOOPS_COMPLEX(ID, C) DIAGONAL_LOOPS(int32_t, ID, C) DIAGONAL_LOOPS(int64_t, ID, C)
#define LOOPS_HALF(ID, C) // sparse arrays of float16 do not exist
#define ROW(A, ID, name, ctype, FORM, ...) LOOPS_##FORM(ID, ctype)
NACRE_DTYPES(ROW, )
#undef ROW

typedef void (*RowsFn)(const Diagonals *d, int64_t from, int64_t end);
typedef enum Loop { COUNT, TAKE, FILL, LOOPS } Loop;
#define FNS_PLAIN(I, ID) {count_##ID##_##I, take_##ID##_##I, fill_##ID##_##I},
#define FNS_COMPLEX(I, ID) FNS_PLAIN(I, ID)
#define FNS_HALF(I, ID) {NULL},
#define ROW(I, ID, name, ctype, FORM, ...) FNS_##FORM(I, ID)
static const RowsFn loops[2][DT_COUNT][LOOPS] = {{NACRE_DTYPES(ROW, int32_t)}, {NACRE_DTYPES(ROW, int64_t)}};
#undef ROW

typedef struct Pass {
    Diagonals *diagonals;
    RowsFn run;
} Pass;

static void pass_part(void *job, int part, int worker) {
    const Pass *p = job;
    const Diagonals *d = p->diagonals;
    (void)worker;
    if (d->call->host->stopped(d->call)) return;
    p->run(d, part_begin(d->rows, part, d->parts), part_begin(d->rows, part + 1, d->parts));
}

// Runs a loop over all rows. False: the program is to be stopped, and the loop is incomplete.
static bool run_loop(Diagonals *d, Loop loop, int64_t work) {
    Pass p = {d, loops[d->index == DT_INT64][d->type][loop]};
    d->parts = parts_of(d->call, work, d->rows);
    d->call->host->share(d->call, pass_part, &p, d->parts);
    return !d->call->host->stopped(d->call);
}

typedef struct Offset {
    int64_t offset, place;
} Offset;

static int by_offset(const void *a, const void *b) {
    int64_t x = ((const Offset *)a)->offset, y = ((const Offset *)b)->offset;
    return x < y ? -1 : x > y;
}

// Sorts the offsets, and clips them so that adding a row number cannot overflow. False: the call's error is set.
static bool sort_offsets(Diagonals *d, const SparseArg *offsets) {
    Offset *sorted = d->call->host->scratch(d->call, sizeof(Offset) * (size_t)d->count);
    int64_t *values = sorted ? d->call->host->scratch(d->call, 2 * sizeof(int64_t) * (size_t)d->count) : NULL;
    if (!values) return false;
    for (int64_t k = 0; k < d->count; k++) {
        int64_t offset = index_at(offsets, k), low = -d->rows, high = d->columns;
        sorted[k] = (Offset){offset < low ? low : offset > high ? high : offset, k};
    }
    qsort(sorted, (size_t)d->count, sizeof *sorted, by_offset);
    for (int64_t k = 0; k < d->count; k++) {
        values[k] = sorted[k].offset;
        values[d->count + k] = sorted[k].place;
    }
    d->offsets = values;
    d->places = values + d->count;
    return true;
}

static bool refuse(SparseCall *call, const char *message) {
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "%s", message);
    return false;
}

static bool check_diagonals(SparseCall *call, const SparseArg *data, const SparseArg *offsets, const Diagonals *d) {
    int64_t size;
    if (!check_index_type(call, offsets)) return false;
    if (data->kind != SPARSE_ARRAY || data->type == DT_FLOAT16 || d->width < 0 ||
        __builtin_mul_overflow(offsets->count, d->width, &size) || size != data->count)
        return refuse(call, "number of diagonals does not match the number of offsets");
    if (d->rows < 0 || d->rows == INT64_MAX || d->columns < 0) return refuse(call, "'shape' elements cannot be negative");
    return true;
}

// lines_from_diagonals(data, offsets, rows, columns, width): returns indptr, indices and data of the nonzero elements.
// Indices have the type of `offsets`. `data` has a row of `width` elements for each offset.
void op_lines_from_diagonals(SparseCall *call) {
    const SparseArg *a = call->args;
    Diagonals d = {.call = call, .index = a[1].type, .type = a[0].type, .data_from = a[0].data, .rows = a[2].whole,
                   .columns = a[3].whole, .width = a[4].whole, .count = a[1].count};
    if (!check_diagonals(call, &a[0], &a[1], &d)) return;
    if (d.columns > d.width) d.columns = d.width;
    if (!sort_offsets(&d, &a[1])) return;
    d.indptr = call->host->array(call, d.index, d.rows + 1);
    if (!d.indptr || !run_loop(&d, COUNT, d.rows * (d.count + 1))) return;
    int64_t count = 0;
    set_index(d.indptr, d.index, 0, 0);
    for (int64_t i = 1; i <= d.rows; i++) {
        count += index_in(d.indptr, d.index, i);
        set_index(d.indptr, d.index, i, count);
    }
    if (d.index == DT_INT32 && count > INT32_MAX) {
        refuse(call, "so many entries need indices of int64");
        return;
    }
    d.indices = call->host->array(call, d.index, count);
    d.data = d.indices ? call->host->array(call, d.type, count) : NULL;
    if (d.data) run_loop(&d, TAKE, d.rows * (d.count + 1));
}

// --- From rows -----------------------------------------------------------------------------------

static void mark_part(void *job, int part, int worker) {
    const Diagonals *d = job;
    const int64_t end = part_begin(d->rows, part + 1, d->parts);
    (void)worker;
    for (int64_t i = part_begin(d->rows, part, d->parts); i < end; i++) {
        const int64_t high = index_in(d->indptr_from, d->index, i + 1);
        for (int64_t k = index_in(d->indptr_from, d->index, i); k < high; k++)
            atomic_store_explicit(&d->used[index_in(d->indices_from, d->index, k) - i + d->rows - 1], 1, memory_order_relaxed);
    }
}

// Numbers the offsets that have entries, in ascending order.
static void rank_offsets(Diagonals *d) {
    for (int64_t o = 0; o < d->rows + d->columns; o++)
        if (atomic_load_explicit(&d->used[o], memory_order_relaxed)) d->ranks[o] = d->count++;
}

static int64_t largest_index(const SparseArg *indices, int64_t count) {
    int64_t largest = -1;
    for (int64_t k = 0; k < count; k++) {
        int64_t at = index_at(indices, k);
        if (at > largest) largest = at;
    }
    return largest;
}

// diagonals_from_lines(indptr, indices, data, columns): returns the offsets of the diagonals that have entries,
// ascending, and the diagonals' data. A row of data ends at the last column with an entry. Entries must not be
// duplicate.
void op_diagonals_from_lines(SparseCall *call) {
    const SparseArg *a = call->args;
    if (!check_lines(call, &a[0], &a[1], &a[2]) || !check_indices(call, &a[1], a[3].whole)) return;
    Diagonals d = {.call = call, .index = a[0].type, .type = a[2].type, .indptr_from = a[0].data, .indices_from = a[1].data,
                   .data_from = a[2].data, .rows = a[0].count - 1, .columns = a[3].whole};
    size_t offsets = (size_t)d.rows + (size_t)d.columns;
    d.used = call->host->scratch(call, offsets);
    d.ranks = d.used ? call->host->scratch(call, sizeof(int64_t) * offsets) : NULL;
    if (!d.ranks) return;
    memset((void *)d.used, 0, offsets);
    d.parts = parts_of(call, a[1].count, d.rows);
    call->host->share(call, mark_part, &d, d.parts);
    rank_offsets(&d);
    d.width = largest_index(&a[1], index_at(&a[0], d.rows)) + 1;
    int64_t size;
    void *to = call->host->array(call, d.index, d.count);
    if (!to) return;
    for (int64_t o = 0; o < (int64_t)offsets; o++)
        if (d.used[o]) set_index(to, d.index, d.ranks[o], o - d.rows + 1);
    if (__builtin_mul_overflow(d.count, d.width, &size)) {
        refuse(call, "array is too big");
        return;
    }
    d.data = call->host->array(call, d.type, size);
    if (!d.data) return;
    memset(d.data, 0, (size_t)size * dtype_bytes(d.type));
    run_loop(&d, FILL, a[1].count);
}
