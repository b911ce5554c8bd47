// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// argmax and argmin: index of the first maximum or minimum.

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/few.h"
#include "backends/cpu/library.h"
#include "backends/cpu/loops/complex_math.h"
#include "backends/cpu/loops/forms.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/rows.h"
#include "backends/cpu/tile/move.h"

#define AT_MOST_BOOL(x, y) ((x) <= (y))
#define AT_MOST_INT(x, y) ((x) <= (y))
#define AT_MOST_UINT(x, y) ((x) <= (y))
#define AT_MOST_FLOAT(x, y) ((x) <= (y))
#define AT_MOST_COMPLEX(x, y) nc_ge_c(y, x)

// The first NaN wins; otherwise the first maximum or minimum.
#define EXTREME(A, ID, name, CTYPE, FORM, KIND, ...)                                     \
    static int64_t extreme_##ID(const char *at, int64_t stride, int64_t n, bool want_max) { \
        typedef COMPUTED_##FORM(CTYPE) T;                                                \
        int64_t best = 0;                                                                \
        T top = GET_##FORM(*(const CTYPE *)at);                                          \
        for (int64_t i = 1; i < n && top == top; i++) {                                  \
            T x = GET_##FORM(*(const CTYPE *)(at + i * stride));                         \
            if (want_max ? !AT_MOST_##KIND(x, top) : !AT_MOST_##KIND(top, x)) {          \
                best = i;                                                                \
                top = x;                                                                 \
            }                                                                            \
        }                                                                                \
        return best;                                                                     \
    }
NACRE_DTYPES(EXTREME, )

// Finds the extremes of `count` rows that are adjacent in memory, in one pass along the axis.
#define EXTREMES(A, ID, name, CTYPE, FORM, KIND, ...)                                                          \
    static void adjacent_##ID(const char *at, int64_t stride, int64_t n, bool want_max, int64_t count, int64_t *to) { \
        typedef COMPUTED_##FORM(CTYPE) T;                                                                      \
        T top[ADJACENT];                                                                                         \
        int64_t best[ADJACENT] = {0};                                                                            \
        for (int64_t j = 0; j < count; j++) top[j] = GET_##FORM(((const CTYPE *)at)[j]);                       \
        for (int64_t i = 1; i < n; i++) {                                                                      \
            const CTYPE *row = (const CTYPE *)(at + i * stride);                                               \
            for (int64_t j = 0; j < count; j++) {                                                              \
                T x = GET_##FORM(row[j]);                                                                      \
                bool more = want_max ? !AT_MOST_##KIND(x, top[j]) : !AT_MOST_##KIND(top[j], x);                \
                more = more && top[j] == top[j];                                                               \
                best[j] = more ? i : best[j];                                                                  \
                top[j] = more ? x : top[j];                                                                    \
            }                                                                                                  \
        }                                                                                                      \
        memcpy(to, best, (size_t)count * sizeof *to);                                                          \
    }
enum { ADJACENT = 128 };
NACRE_DTYPES(EXTREMES, )

typedef void (*AdjacentFn)(const char *at, int64_t stride, int64_t n, bool want_max, int64_t count, int64_t *to);
static const AdjacentFn adjacents[DT_COUNT] = {
#define ROW(A, ID, ...) [DT_##ID] = adjacent_##ID,
    NACRE_DTYPES(ROW, )
#undef ROW
};

typedef int64_t (*ExtremeFn)(const char *at, int64_t stride, int64_t n, bool want_max);
static const ExtremeFn extremes[DT_COUNT] = {
#define ROW(A, ID, ...) [DT_##ID] = extreme_##ID,
    NACRE_DTYPES(ROW, )
#undef ROW
};

int64_t extreme_place(DType type, const char *at, int64_t n, bool largest) {
    return extremes[type](at, (int64_t)dtype_size(type), n, largest);
}

// A long row is split into blocks, whose extremes are found by vector loops on all threads; then
// the first block that contains the extreme is searched. Both steps propagate NaN, so the first NaN is
// found.
enum { ROW_BLOCK = 1 << 12, ROW_LONG = 1 << 14, ROW_BUFFER = ROW_BLOCK / 2 + FOLD_STEP };

typedef struct RowJob {
    Job job;
    const char *at;
    char *extremes, *buffers; // one per block; one of ROW_BUFFER elements per worker
    OpId op;
    DType type;
    int64_t n, blocks;
    int parts;
} RowJob;

static void block_extreme(const RowJob *r, int64_t block, char *buffer) {
    size_t size = dtype_size(r->type);
    const char *at = r->at + block * ROW_BLOCK * (int64_t)size;
    int64_t rest = r->n - block * ROW_BLOCK;
    fold(r->job.cpu, r->op, r->type, at, rest < ROW_BLOCK ? (size_t)rest : ROW_BLOCK, buffer);
    memcpy(r->extremes + block * (int64_t)size, buffer, size);
}

static void row_part(void *argument, int part, int worker) {
    RowJob *r = argument;
    char *buffer = r->buffers + (size_t)worker * ROW_BUFFER * dtype_size(r->type);
    int64_t to = r->blocks * (part + 1) / r->parts;
    for (int64_t i = r->blocks * part / r->parts; i < to; i++) block_extreme(r, i, buffer);
}

static int64_t blocks_of(int64_t n) {
    return (n + ROW_BLOCK - 1) / ROW_BLOCK;
}

static bool is_long_row(const View *in, int axis) {
    // not complex numbers: with NaN, the first among equal ones depends on the order of combining
    return in->shape[axis] >= ROW_LONG && in->strides[axis] == (int64_t)dtype_size(in->dtype) &&
           dtype_kind(in->dtype) != DK_COMPLEX;
}

static size_t arg_extreme_workspace(const Cpu *cpu, const Kernel *k) {
    const View *in = &k->args[0].view;
    int axis = axis_of(k);
    if (!is_long_row(in, axis)) return 0;
    size_t elements = (size_t)blocks_of(in->shape[axis]) + (size_t)cpu->threads * ROW_BUFFER;
    return elements * dtype_size(in->dtype);
}

static int64_t long_row(const Cpu *cpu, const Kernel *k, const char *at, int64_t n) {
    DType type = k->args[0].view.dtype;
    bool largest = k->library == AOP_ARGMAX;
    int64_t size = (int64_t)dtype_size(type);
    uint32_t ignored = 0;
    RowJob r = {.at = at, .type = type, .n = n, .blocks = blocks_of(n), .extremes = k->workspace};
    r.op = largest ? AOP_MAXIMUM : AOP_MINIMUM;
    r.buffers = r.extremes + r.blocks * size;
    r.parts = n < PARALLEL_WORK ? 1 : parts_for(cpu, r.blocks);
    share_out(cpu, row_part, &r, r.parts, &ignored);
    int64_t block = extremes[type](r.extremes, size, r.blocks, largest);
    int64_t rest = n - block * ROW_BLOCK;
    return block * ROW_BLOCK + extremes[type](at + block * ROW_BLOCK * size, size,
                                              rest < ROW_BLOCK ? rest : ROW_BLOCK, largest);
}

// The rows to search: elements, and the bytes between them.
typedef struct Lines {
    const Kernel *kernel;
    DType type;
    int64_t n, stride;
    int64_t step, to_step; // between adjacent rows of the operand, and of the result
} Lines;

static void one_line(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags) {
    const Lines *l = rows->what;
    bool largest = l->kernel->library == AOP_ARGMAX;
    (void)from, (void)to, (void)flags;
    int64_t best = extremes[l->type](at[0], l->stride, l->n, largest);
    memcpy(at[1], &best, sizeof best);
}

static void adjacent_lines(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags) {
    const Lines *l = rows->what;
    bool largest = l->kernel->library == AOP_ARGMAX;
    for (int64_t some; from < to && !interrupted(rows->job.cpu, flags); from += some) {
        int64_t found[ADJACENT];
        some = to - from < ADJACENT ? to - from : ADJACENT;
        adjacents[l->type](at[0] + from * l->step, l->stride, l->n, largest, some, found);
        for (int64_t j = 0; j < some; j++) memcpy(at[1] + (from + j) * l->to_step, &found[j], sizeof *found);
    }
}

static void run_arg_extreme(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    int axis = axis_of(k), last = in->ndim - 1;
    int64_t shape[NDIM_MAX], index[NDIM_MAX] = {0}, out_strides[NDIM_MAX];
    const int64_t *strides[2] = {in->strides, out_strides};
    char *at[2] = {arg_at(&k->args[0]), arg_at(&k->result)};
    uint32_t raised = 0; // comparisons report no flags
    memcpy(shape, in->shape, sizeof shape);
    shape[axis] = 1;
    for (int d = 0, kept = 0; d < in->ndim; d++)
        out_strides[d] = d == axis ? 0 : out->strides[kept++];
    if (view_size(out) == 0) return;
    if (is_long_row(in, axis)) {
        do {
            int64_t best = long_row(cpu, k, at[0], in->shape[axis]);
            memcpy(at[1], &best, sizeof best);
        } while (!interrupted(cpu, flags) && odometer_next(in->ndim, shape, index, at, strides, 2));
        return;
    }
    Lines l = {k, in->dtype, in->shape[axis], in->strides[axis], in->strides[last], out_strides[last]};
    bool adjacent = last != axis && in->strides[last] == (int64_t)dtype_size(in->dtype) && in->shape[last] > 1;
    if (adjacent) shape[last] = 1;
    Rows rows = {.run = adjacent ? adjacent_lines : one_line, .what = &l, .operands = 2, .ndim = in->ndim, .shape = shape,
                 .strides = {strides[0], strides[1]}, .at = {at[0], at[1]}, .units = adjacent ? in->shape[last] : 1};
    rows_run(cpu, &rows, view_size(in), &raised);
    *flags |= raised & FLAG_INTERRUPTED;
}

const LibraryFn library_ARGMAX = {.run = run_arg_extreme, .workspace = arg_extreme_workspace};
const LibraryFn library_ARGMIN = {.run = run_arg_extreme, .workspace = arg_extreme_workspace};
