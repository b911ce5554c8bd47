// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts dense arrays to compressed lines and back, adds coordinates to dense arrays, and extracts diagonals.

#include "stdlib/sparse/ops.h"

typedef struct Dense {
    SparseCall *call;
    DType index, type;
    const void *indptr_from, *indices_from, *data_from; // of compressed lines; data_from may be the dense array instead
    void *indptr, *indices, *data;                      // of the result, likewise
    int64_t lines, across, k;
    int parts;
    bool fresh;    // to_dense: the result is uninitialised
    bool *outside; // by part: an index is outside the shape
} Dense;

typedef bool (*LinesFn)(const Dense *d, int64_t from, int64_t end);

// --- Loops ---------------------------------------------------------------------------------------

// Defines loops over dense arrays. count_ counts the nonzero elements of each line. take_ writes their indices and
// values.
#define DENSE_LOOPS(I, ID, CTYPE)                                                              \
    static bool count_##ID##_##I(const Dense *d, int64_t from, int64_t end) {                  \
        const CTYPE *restrict x = (const CTYPE *)d->data_from + from * d->across;              \
        I *restrict counts = (I *)d->indptr + 1;                                               \
        for (int64_t line = from; line < end; line++, x += d->across) {                        \
            I count = 0;                                                                       \
            for (int64_t j = 0; j < d->across; j++) count += x[j] != 0;                        \
            counts[line] = count;                                                              \
        }                                                                                      \
        return true;                                                                           \
    }                                                                                          \
    static bool take_##ID##_##I(const Dense *d, int64_t from, int64_t end) {                   \
        const CTYPE *restrict x = (const CTYPE *)d->data_from + from * d->across;              \
        I *restrict indices = d->indices;                                                      \
        CTYPE *restrict data = d->data;                                                        \
        int64_t place = ((const I *)d->indptr)[from];                                          \
        for (int64_t line = from; line < end; line++, x += d->across)                          \
            for (int64_t j = 0; j < d->across; j++) {                                          \
                if (x[j] == 0) continue;                                                       \
                indices[place] = (I)j;                                                         \
                data[place++] = x[j];                                                          \
            }                                                                                  \
        return true;                                                                           \
    }

// Defines loops over entries. add_ adds the entries of lines to a dense array. along_ sums the entries at each element
// of a diagonal. at_ adds values to the elements at given indices. False: an index is outside the shape.
#define ENTRY_LOOPS(I, ID, CTYPE, FORM, KIND)                                                  \
    static bool add_##ID##_##I(const Dense *d, int64_t from, int64_t end) {                    \
        const I *restrict indptr = d->indptr_from, *restrict indices = d->indices_from;        \
        const CTYPE *restrict data = d->data_from;                                             \
        const uint64_t across = (uint64_t)d->across;                                           \
        CTYPE *restrict x = (CTYPE *)d->data + from * d->across;                               \
        for (int64_t line = from; line < end; line++, x += d->across) {                        \
            if (d->fresh) memset(x, 0, sizeof(CTYPE) * (size_t)d->across);                     \
            for (int64_t k = indptr[line]; k < indptr[line + 1]; k++) {                        \
                if ((uint64_t)(int64_t)indices[k] >= across) return false;                     \
                x[indices[k]] = ADD_##FORM##_##KIND(CTYPE, x[indices[k]], data[k]);            \
            }                                                                                  \
        }                                                                                      \
        return true;                                                                           \
    }                                                                                          \
    static bool along_##ID##_##I(const Dense *d, int64_t from, int64_t end) {                  \
        const I *restrict indptr = d->indptr_from, *restrict indices = d->indices_from;        \
        const CTYPE *restrict data = d->data_from;                                             \
        const int64_t first = d->k < 0 ? -d->k : 0;                                            \
        CTYPE *restrict to = d->data;                                                          \
        for (int64_t i = from; i < end; i++) {                                                 \
            CTYPE sum = 0;                                                                     \
            for (int64_t k = indptr[first + i]; k < indptr[first + i + 1]; k++)                \
                if (indices[k] == first + i + d->k) sum = ADD_##FORM##_##KIND(CTYPE, sum, data[k]); \
            to[i] = sum;                                                                       \
        }                                                                                      \
        return true;                                                                           \
    }                                                                                          \
    static bool at_##ID##_##I(const Dense *d, int64_t from, int64_t end) {                     \
        const I *restrict at = d->indices_from;                                                \
        const CTYPE *restrict data = d->data_from;                                             \
        CTYPE *restrict to = d->data;                                                          \
        for (int64_t k = from; k < end; k++) {                                                 \
            if ((uint64_t)(int64_t)at[k] >= (uint64_t)d->across) return false;                 \
            to[at[k]] = ADD_##FORM##_##KIND(CTYPE, to[at[k]], data[k]);                        \
        }                                                                                      \
        return true;                                                                           \
    }
#define BOTH_LOOPS(I, ID, C, FORM, KIND) DENSE_LOOPS(I, ID, C) ENTRY_LOOPS(I, ID, C, FORM, KIND)
#define LOOPS_PLAIN(ID, C, KIND) BOTH_LOOPS(int32_t, ID, C, PLAIN, KIND) BOTH_LOOPS(int64_t, ID, C, PLAIN, KIND)
#define LOOPS_COMPLEX(ID, C, KIND) BOTH_LOOPS(int32_t, ID, C, COMPLEX, KIND) BOTH_LOOPS(int64_t, ID, C, COMPLEX, KIND)
#define LOOPS_HALF(ID, C, KIND) // sparse arrays of float16 do not exist
#define ROW(A, ID, name, ctype, FORM, KIND, ...) LOOPS_##FORM(ID, ctype, KIND)
NACRE_DTYPES(ROW, )
#undef ROW

typedef enum Loop { COUNT, TAKE, ADD, ALONG, AT, LOOPS } Loop;
#define FNS_PLAIN(I, ID) {count_##ID##_##I, take_##ID##_##I, add_##ID##_##I, along_##ID##_##I, at_##ID##_##I},
#define FNS_COMPLEX(I, ID) FNS_PLAIN(I, ID)
#define FNS_HALF(I, ID) {NULL},
#define ROW(I, ID, name, ctype, FORM, ...) FNS_##FORM(I, ID)
static const LinesFn loops[2][DT_COUNT][LOOPS] = {{NACRE_DTYPES(ROW, int32_t)}, {NACRE_DTYPES(ROW, int64_t)}};
#undef ROW

typedef struct Pass {
    Dense *dense;
    LinesFn run;
    int64_t units;
} Pass;

static void pass_part(void *job, int part, int worker) {
    const Pass *p = job;
    Dense *d = p->dense;
    (void)worker;
    if (d->call->host->stopped(d->call)) return;
    if (!p->run(d, part_begin(p->units, part, d->parts), part_begin(p->units, part + 1, d->parts))) d->outside[part] = true;
}

// Runs a loop over all units, on all threads if there is much work. False: an index is outside the shape (the call's
// error is set), no memory (likewise), or the program is to be stopped.
static bool run_loop(Dense *d, Loop loop, int64_t units, int64_t work) {
    Pass p = {d, loops[d->index == DT_INT64][d->type][loop], units};
    d->parts = loop == AT ? 1 : parts_of(d->call, work, units);
    d->outside = d->call->host->scratch(d->call, sizeof(bool) * (size_t)d->parts);
    if (!d->outside) return false;
    memset(d->outside, 0, sizeof(bool) * (size_t)d->parts);
    d->call->host->share(d->call, pass_part, &p, d->parts);
    if (d->call->host->stopped(d->call)) return false; // counts are incomplete
    for (int i = 0; i < d->parts; i++) {
        if (!d->outside[i]) continue;
        SPARSE_FAIL(d->call, SPARSE_VALUE_ERROR, "an index of a sparse array is outside its shape");
        return false;
    }
    return true;
}

// --- Operations ----------------------------------------------------------------------------------

static bool has_elements(SparseCall *call, const SparseArg *array, int64_t lines, int64_t across) {
    int64_t size;
    if (array->kind == SPARSE_ARRAY && array->type != DT_FLOAT16 && lines >= 0 && across >= 0 &&
        !__builtin_mul_overflow(lines, across, &size) && size == array->count)
        return true;
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "a dense array should have as many elements as the sparse one");
    return false;
}

// from_dense(array, lines, across, wide): returns indptr, indices and data of the nonzero elements; indices are int64
// if `wide`, else int32.
void op_from_dense(SparseCall *call) {
    const SparseArg *a = call->args;
    Dense d = {.call = call, .index = a[3].whole ? DT_INT64 : DT_INT32, .type = a[0].type, .data_from = a[0].data,
               .lines = a[1].whole, .across = a[2].whole};
    if (!has_elements(call, &a[0], d.lines, d.across)) return;
    d.indptr = call->host->array(call, d.index, d.lines + 1);
    if (!d.indptr || !run_loop(&d, COUNT, d.lines, a[0].count)) return;
    int64_t count = 0;
    set_index(d.indptr, d.index, 0, 0);
    for (int64_t line = 1; line <= d.lines; line++) {
        count += index_in(d.indptr, d.index, line);
        set_index(d.indptr, d.index, line, count);
    }
    if (d.index == DT_INT32 && count > INT32_MAX) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "so many entries need indices of int64");
        return;
    }
    d.indices = call->host->array(call, d.index, count);
    d.data = d.indices ? call->host->array(call, d.type, count) : NULL;
    if (d.data) run_loop(&d, TAKE, d.lines, a[0].count);
}

// to_dense(indptr, indices, data, across, out): adds the entries to `out`, or, if that is None, to a new array of
// zeros, which it returns. The array is contiguous, one line after the other.
void op_to_dense(SparseCall *call) {
    const SparseArg *a = call->args;
    if (!check_lines(call, &a[0], &a[1], &a[2])) return;
    Dense d = {.call = call, .index = a[0].type, .type = a[2].type, .indptr_from = a[0].data, .indices_from = a[1].data,
               .data_from = a[2].data, .lines = a[0].count - 1, .across = a[3].whole, .fresh = a[4].kind == SPARSE_NONE};
    int64_t size;
    if (d.across < 0 || __builtin_mul_overflow(d.lines, d.across, &size)) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "array is too big");
        return;
    }
    if (d.fresh) d.data = call->host->array(call, d.type, size);
    else if (has_elements(call, &a[4], d.lines, d.across) && a[4].type == d.type) d.data = a[4].data;
    if (d.data) run_loop(&d, ADD, d.lines, size + a[1].count);
}

// add_at(at, data, out): adds each element of `data` to the element of `out` at its index, in order, so that an index
// may occur several times.
void op_add_at(SparseCall *call) {
    const SparseArg *a = call->args;
    if (!check_index_type(call, &a[0]) || !has_elements(call, &a[1], 1, a[0].count)) return;
    Dense d = {.call = call, .index = a[0].type, .type = a[1].type, .indices_from = a[0].data, .data_from = a[1].data,
               .data = a[2].data, .across = a[2].count};
    if (has_elements(call, &a[2], 1, a[2].count) && a[2].type == d.type) run_loop(&d, AT, a[0].count, 0);
}

// diagonal(indptr, indices, data, across, k): returns the elements of diagonal k. Negative k are below the main
// diagonal.
void op_diagonal(SparseCall *call) {
    const SparseArg *a = call->args;
    if (!check_lines(call, &a[0], &a[1], &a[2])) return;
    Dense d = {.call = call, .index = a[0].type, .type = a[2].type, .indptr_from = a[0].data, .indices_from = a[1].data,
               .data_from = a[2].data, .lines = a[0].count - 1, .across = a[3].whole, .k = a[4].whole};
    int64_t n = 0;
    if (d.across >= 0 && d.k > -d.lines && d.k < d.across) {
        int64_t rows = d.lines + (d.k < 0 ? d.k : 0), columns = d.across - (d.k > 0 ? d.k : 0);
        n = rows < columns ? rows : columns;
    }
    d.data = call->host->array(call, d.type, n);
    if (d.data) run_loop(&d, ALONG, n, a[1].count);
}
