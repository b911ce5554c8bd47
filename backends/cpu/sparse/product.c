// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of compressed sparse matrices with vectors and with dense matrices. Rows are shared out by their entries,
// not by their number. Each sum is added in the order of the row's entries, starting from 0, as SciPy adds it.

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/library.h"
#include "backends/cpu/loops/complex_math.h"
#include "backends/cpu/sparse/lines.h"

// How many columns of a dense operand, or rows of a run, are summed at once, in registers.
enum { BLOCK = 8 };

// Adds a * x to a sum of type T.
#define ADD_FLOAT(sum, a, x) (sum) + (a) * (x)
#define ADD_COMPLEX(sum, a, x) (sum) + nc_mul_c(a, x)
#define ADD_INT(sum, a, x) (T)((uint64_t)(sum) + (uint64_t)(a) * (uint64_t)(x))

// The function for runs whose columns move by one from row to row; NULL: none.
#define RUN_ROWS_FLOAT(p, T) (p)->run_rows[sizeof(T) == sizeof(double)]
#define RUN_ROWS_COMPLEX(p, T) NULL
#define RUN_ROWS_INT(p, T) NULL

// Whether runs with another step are computed several rows at a time, too.
enum { IN_BLOCKS_FLOAT = 0, IN_BLOCKS_COMPLEX = 1, IN_BLOCKS_INT = 1 };

// Computes rows from … to of a run. Several rows at a time, since each addition to a sum waits for the one before.
#define RUNS(ID, CTYPE, KIND)                                                                           \
    static void run_##ID(const Lines *p, const RowRun *run, int64_t from, int64_t to_row, CTYPE *restrict to) { \
        typedef CTYPE T;                                                                                \
        const int64_t entries = run->entries, step = run->step, *columns = p->runs->columns + run->columns; \
        const int64_t passed = p->first + from - run->row;                                              \
        const T *restrict data = (const T *)p->data + run->entry + passed * entries;                    \
        const T *restrict x = p->x;                                                                     \
        int64_t moved = passed * step, row = from;                                                      \
        const RunRows run_rows = step == 1 ? RUN_ROWS_##KIND(p, T) : NULL;                               \
        if (run_rows) {                                                                                 \
            run_rows(data, entries, x + moved, columns, to_row - from, to);                             \
            return;                                                                                     \
        }                                                                                               \
        for (; IN_BLOCKS_##KIND && row + BLOCK <= to_row; row += BLOCK, moved += BLOCK * step, data += BLOCK * entries) { \
            T sums[BLOCK] = {0};                                                                        \
            for (int64_t k = 0; k < entries; k++)                                                       \
                for (int64_t i = 0; i < BLOCK; i++)                                                     \
                    sums[i] = ADD_##KIND(sums[i], data[i * entries + k], x[columns[k] + moved + i * step]); \
            memcpy(to, sums, sizeof sums);                                                              \
            to += BLOCK;                                                                                \
        }                                                                                               \
        for (; row < to_row; row++, moved += step, data += entries) {                                   \
            T sum = 0;                                                                                  \
            for (int64_t k = 0; k < entries; k++) sum = ADD_##KIND(sum, data[k], x[columns[k] + moved]); \
            *to++ = sum;                                                                                \
        }                                                                                               \
    }

// Computes rows from … to of A @ x; `to` is the address of the result's row `from`.
#define ROWS(I, ID, CTYPE, KIND)                                                                        \
    static void row_block_##ID##_##I(const Lines *p, int64_t low, int64_t high, int64_t first, int64_t count, \
                                     CTYPE *restrict to) {                                              \
        typedef CTYPE T;                                                                                \
        const T *restrict data = p->data, *restrict x = (const T *)p->x + first;                        \
        const I *restrict indices = p->indices;                                                         \
        T sums[BLOCK] = {0};                                                                            \
        if (count == BLOCK)                                                                             \
            for (int64_t k = low; k < high; k++)                                                        \
                for (int j = 0; j < BLOCK; j++)                                                         \
                    sums[j] = ADD_##KIND(sums[j], data[k], x[(int64_t)indices[k] * p->width + j]);      \
        else                                                                                            \
            for (int64_t k = low; k < high; k++)                                                        \
                for (int64_t j = 0; j < count; j++)                                                     \
                    sums[j] = ADD_##KIND(sums[j], data[k], x[(int64_t)indices[k] * p->width + j]);      \
        memcpy(to + first, sums, (size_t)count * sizeof(T));                                            \
    }                                                                                                   \
    static void sums_##ID##_##I(const Lines *p, int64_t from, int64_t to_row, CTYPE *restrict to) {     \
        typedef CTYPE T;                                                                                \
        const T *restrict data = p->data, *restrict x = p->x;                                           \
        const I *restrict indices = p->indices, *restrict indptr = p->indptr;                           \
        for (int64_t row = from; row < to_row; row++) {                                                 \
            const int64_t low = indptr[row], high = indptr[row + 1];                                    \
            T sum = 0;                                                                                  \
            for (int64_t k = p->far ? low : high; k < high; k += LINE_BYTES / (int64_t)sizeof(T)) {     \
                __builtin_prefetch((const char *)(data + k) + AHEAD_BYTES);                             \
                __builtin_prefetch((const char *)(indices + k) + AHEAD_BYTES * (int64_t)sizeof(I) / (int64_t)sizeof(T)); \
            }                                                                                           \
            for (int64_t k = low; k < high; k++)                                                        \
                sum = ADD_##KIND(sum, data[k], x[indices[k]]);                                          \
            *to++ = sum;                                                                                \
        }                                                                                               \
    }                                                                                                   \
    static void in_runs_##ID##_##I(const Lines *p, int64_t from, int64_t to_row, CTYPE *restrict to) {  \
        int64_t row = from, end;                                                                        \
        for (const RowRun *run = row_run_at(p->runs, p->first + from); row < to_row; row = end, run++) { \
            end = run[1].row - p->first < to_row ? run[1].row - p->first : to_row;                      \
            if (run->entries > 0) run_##ID(p, run, row, end, to);                                       \
            else sums_##ID##_##I(p, row, end, to);                                                      \
            to += end - row;                                                                            \
        }                                                                                               \
    }                                                                                                   \
    static void rows_##ID##_##I(const Lines *p, int64_t from, int64_t to_row, void *into) {             \
        CTYPE *restrict to = into;                                                                      \
        const I *restrict indptr = p->indptr;                                                           \
        if (p->width == 1) {                                                                            \
            if (p->runs) in_runs_##ID##_##I(p, from, to_row, to);                                       \
            else sums_##ID##_##I(p, from, to_row, to);                                                  \
            return;                                                                                     \
        }                                                                                               \
        for (int64_t row = from; row < to_row; row++, to += p->width)                                   \
            for (int64_t first = 0; first < p->width; first += BLOCK)                                   \
                row_block_##ID##_##I(p, indptr[row], indptr[row + 1], first,                            \
                                     p->width - first < BLOCK ? p->width - first : BLOCK, to);          \
    }

// Adds the contribution of columns from … to of A to all of the result, A @ x.
#define COLUMNS(I, ID, CTYPE, KIND)                                                                     \
    static void columns_##ID##_##I(const Lines *p, int64_t from, int64_t to_column, void *into) {       \
        typedef CTYPE T;                                                                                \
        const T *restrict data = p->data, *restrict x = p->x;                                           \
        const I *restrict indices = p->indices, *restrict indptr = p->indptr;                           \
        T *restrict to = into;                                                                          \
        const int64_t width = p->width;                                                                 \
        for (int64_t column = from; column < to_column; column++) {                                     \
            const T *row_x = x + column * width;                                                        \
            for (int64_t k = indptr[column], high = indptr[column + 1]; k < high; k++) {                \
                T *sum = to + (int64_t)indices[k] * width;                                              \
                for (int64_t j = 0; j < width; j++) sum[j] = ADD_##KIND(sum[j], data[k], row_x[j]);     \
            }                                                                                           \
        }                                                                                               \
    }                                                                                                   \
    static void add_##ID##_##I(void *to, const void *from, int64_t n) {                                 \
        typedef CTYPE T;                                                                                \
        T *restrict sum = to;                                                                           \
        const T *restrict more = from;                                                                  \
        for (int64_t i = 0; i < n; i++) sum[i] = (T)(sum[i] + more[i]);                                 \
    }

// The types with loops; others are cast (vm/array/sparse.c).
#define TYPES(X, I)                        \
    X(I, INT64, int64_t, INT)              \
    X(I, FLOAT32, float, FLOAT)            \
    X(I, FLOAT64, double, FLOAT)           \
    X(I, COMPLEX64, float _Complex, COMPLEX) \
    X(I, COMPLEX128, double _Complex, COMPLEX)
#define LOOPS(I, ID, CTYPE, KIND) ROWS(I, ID, CTYPE, KIND) COLUMNS(I, ID, CTYPE, KIND)
#define RUN_LOOPS(I, ID, CTYPE, KIND) RUNS(ID, CTYPE, KIND)
TYPES(RUN_LOOPS, )
TYPES(LOOPS, int32_t)
TYPES(LOOPS, int64_t)

typedef struct SparseLoops {
    void (*rows)(const Lines *p, int64_t from, int64_t to, void *into);
    void (*columns)(const Lines *p, int64_t from, int64_t to, void *into);
    void (*add)(void *to, const void *from, int64_t n);
} SparseLoops;

#define ROW(I, ID, ...) [DT_##ID] = {rows_##ID##_##I, columns_##ID##_##I, add_##ID##_##I},
static const SparseLoops loops_of[2][DT_COUNT] = {{TYPES(ROW, int32_t)}, {TYPES(ROW, int64_t)}};

void sparse_rows(DType type, bool wide, const Lines *lines, int64_t from, int64_t to, void *into) {
    loops_of[wide][type].rows(lines, from, to, into);
}

// --- Sharing out ---------------------------------------------------------------------------------

typedef struct ProductJob {
    Job job;
    Lines product;
    int64_t lines, across, entries; // compressed rows or columns; extent of the other dimension; entries
    const SparseLoops *loops;
    bool wide;                   // indices of 64 bits
    bool by_column;
    int parts;
    char *to, *partial;          // the result; with several parts by column, the results of all but the first
    size_t line_bytes, all_bytes; // of the result
} ProductJob;

static int64_t entries_before(const ProductJob *j, int64_t line) {
    return j->wide ? ((const int64_t *)j->product.indptr)[line] : ((const int32_t *)j->product.indptr)[line];
}

// Returns the first line of a part. Parts have about equal sums of lines and entries.
static int64_t line_before(const ProductJob *j, int part) {
    const int64_t lines = j->lines;
    if (part == 0) return 0;
    if (part == j->parts) return lines;
    const int64_t first = entries_before(j, 0); // not 0 where the lines are a part of the matrix
    int64_t wanted = cut_before(lines + j->entries, part, j->parts), low = 0, high = lines;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (entries_before(j, middle) - first + middle < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Lines between two polls for interrupts.
enum { POLLED_LINES = 1 << 14 };

static void product_part(void *argument, int part, int worker) {
    ProductJob *j = argument;
    int64_t from = line_before(j, part), end = line_before(j, part + 1);
    char *to = j->by_column ? part == 0 ? j->to : j->partial + (size_t)(part - 1) * j->all_bytes : j->to;
    uint32_t flags = 0;
    (void)worker;
    if (j->by_column) memset(to, 0, j->all_bytes);
    for (int64_t next; from < end && !flags && !interrupted(j->job.cpu, &flags); from = next) {
        next = end - from < POLLED_LINES ? end : from + POLLED_LINES;
        if (j->by_column) j->loops->columns(&j->product, from, next, to);
        else j->loops->rows(&j->product, from, next, to + (size_t)from * j->line_bytes);
    }
    if (flags) atomic_fetch_or(&j->job.flags, flags);
}

static void add_part(void *argument, int part, int worker) {
    ProductJob *j = argument;
    const int64_t n = j->across * j->product.width, from = cut_before(n, part, j->parts);
    const size_t size = j->all_bytes / (size_t)n, at = (size_t)from * size;
    (void)worker;
    for (int other = 1; other < j->parts; other++)
        j->loops->add(j->to + at, j->partial + (size_t)(other - 1) * j->all_bytes + at,
                      cut_before(n, part + 1, j->parts) - from);
}

// Returns the number of parts. Products by column write to the whole result, so each part has a result of its own, and
// these are added. That pays only where there is much more to multiply than to add.
static int parts_of(const Cpu *cpu, const Kernel *k) {
    const View *indptr = &k->args[0].view, *data = &k->args[2].view, *to = &k->result.view;
    const int64_t width = to->ndim == 2 ? to->shape[1] : 1, entries = data->shape[0] * width;
    const int64_t lines = indptr->shape[0] - 1;
    if (cpu->threads == 1 || entries + lines < PARALLEL_WORK) return 1;
    if (!k->attrs.right) return parts_for(cpu, lines);
    return cpu->reproducible || entries / cpu->threads < 2 * view_size(to) ? 1 : cpu->threads;
}

static size_t product_workspace(const Cpu *cpu, const Kernel *k) {
    const View *to = &k->result.view;
    if (!k->attrs.right) return 0;
    return (size_t)(parts_of(cpu, k) - 1) * (size_t)view_size(to) * dtype_size(to->dtype);
}

static void run_product(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *to = &k->result.view, *indptr = &k->args[0].view;
    ProductJob j = {.wide = indptr->dtype == DT_INT64, .by_column = k->attrs.right, .parts = parts_of(cpu, k),
                    .to = arg_at(&k->result), .partial = k->workspace};
    j.lines = indptr->shape[0] - 1;
    j.across = k->attrs.right ? to->shape[0] : k->args[3].view.shape[0];
    j.product = (Lines){.indptr = arg_at(&k->args[0]), .indices = arg_at(&k->args[1]), .data = arg_at(&k->args[2]),
                        .x = arg_at(&k->args[3]), .width = to->ndim == 2 ? to->shape[1] : 1};
    j.product.run_rows = cpu->loops->run_rows;
    j.product.runs = k->lines[0].runs;
    j.product.first = k->lines[0].first;
    j.entries = entries_before(&j, j.lines) - entries_before(&j, 0);
    j.product.far = lines_are_far(j.entries);
    j.line_bytes = (size_t)j.product.width * dtype_size(to->dtype);
    j.all_bytes = (size_t)view_size(to) * dtype_size(to->dtype);
    j.loops = &loops_of[j.wide][to->dtype];
    if (j.all_bytes == 0) return;
    share_out(cpu, product_part, &j, j.parts, flags);
    if (j.by_column && j.parts > 1 && !*flags) share_out(cpu, add_part, &j, j.parts, flags);
}

const LibraryFn library_SPARSE_PRODUCT = {.run = run_product, .workspace = product_workspace};
