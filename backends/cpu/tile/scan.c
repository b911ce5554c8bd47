// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Scans (cumulative sums, products, any ufunc.accumulate): each element is combined with the one
// before it, in order, because of rounding. Threads share rows. Where the op is associative to the last bit, they
// share a long row in two passes (G. E. Blelloch, "Prefix sums and their applications", 1990): the first combines
// the elements of each block, the second scans each block, starting from the combination of all blocks before it.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/move.h"
#include "backends/cpu/tile/tile.h"

enum { POLL_EVERY = 1 << 16, ALONG = 512 }; // elements between polls; minimum bytes of rows per
                                            // part

typedef struct Scan {
    Job job;
    const Kernel *kernel;
    OpId op;
    LoopFn loop, cast; // cast from the input's type; NULL: the same type
    ScanFn scan;
    bool straight; // scans the input; otherwise the output, which holds a copy of the input
    int axis;
    int64_t n;         // extent of the axis
    int beside;        // a dimension other than the axis that is contiguous in the output; or -1
    int split;         // the dimension split into parts; -1: a single part
    int parts;
} Scan;

static OpId op_of(const Kernel *k) {
    return k->library == AOP_ACCUMULATE ? k->attrs.combine : op_info[k->library].combine;
}

static bool is_dense(const View *view, int axis) {
    return view->strides[axis] == (int64_t)dtype_size(view->dtype);
}

// Returns whether rows are scanned straight from the input, without a copy.
static bool is_straight(const Cpu *cpu, const Kernel *k) {
    const ScanFn *scans = cpu->loops->scans[op_of(k)];
    int axis = axis_of(k);
    return scans && scans[k->result.view.dtype] && is_dense(&k->args[0].view, axis) && is_dense(&k->result.view, axis);
}

// --- Stretches of a contiguous row -------------------------------------------------------------

enum { AT_ONCE = 1024 };

static size_t from_size(const Scan *s) {
    return dtype_size(s->cast ? s->kernel->args[0].view.dtype : s->kernel->result.view.dtype);
}

// Combines elements one by one, in place in the output. False: an exponent is refused.
static bool combine_on(const Scan *s, const char *before, char *at, int64_t count, uint32_t *flags) {
    size_t size = dtype_size(s->kernel->result.view.dtype);
    for (int64_t i = 0; i < count; i++, before = at, at += size) {
        if (!before) continue;
        if (refuses_exponents(s->op, s->kernel->result.view.dtype, at, (int64_t)size, 1)) {
            *flags |= FLAG_NEGATIVE_POWER;
            return false;
        }
        s->loop(before, at, NULL, at, 1);
    }
    return true;
}

// Scans n elements, starting from the result at `before`; NULL: from the first element.
static void scan_stretch(const Scan *s, const char *before, const char *from, char *to, int64_t n, uint32_t *flags) {
    size_t size = dtype_size(s->kernel->result.view.dtype);
    for (int64_t done = 0; done < n;) {
        int64_t most = s->cast ? AT_ONCE : POLL_EVERY, count = n - done < most ? n - done : most;
        if (s->cast) s->cast(from, NULL, NULL, to, (size_t)count);
        if (s->scan) s->scan(before, s->cast ? to : from, to, (size_t)count);
        else if (!combine_on(s, before, to, count, flags)) return;
        done += count;
        from += (size_t)count * from_size(s);
        to += (size_t)count * size;
        before = to - size;
        if (done % POLL_EVERY == 0 && interrupted(s->job.cpu, flags)) return;
    }
}

// --- A long row in two passes ------------------------------------------------------------------

enum { BLOCKS_MOST = 256, BLOCK_LEAST = 1 << 14 };

typedef struct LongRow {
    Job job;
    const Scan *scan;
    const char *from;
    char *to;
    int64_t n;
    int blocks;
    _Alignas(BUFFER_ALIGN) char carries[BLOCKS_MOST][DTYPE_SIZE_MAX];
} LongRow;

// Returns whether an op is associative to the last bit. Extremes are, since which of several equal elements is taken
// depends only on their order.
static bool is_exact(OpId op, DType type) {
    switch (op) {
    case AOP_MAXIMUM:
    case AOP_MINIMUM: return true;
    case AOP_FMAX:
    case AOP_FMIN: return dtype_kind(type) != DK_COMPLEX;
    case AOP_ADD:
    case AOP_MULTIPLY:
    case AOP_LOGICAL_AND:
    case AOP_LOGICAL_OR:
    case AOP_LOGICAL_XOR:
    case AOP_BITWISE_AND:
    case AOP_BITWISE_OR:
    case AOP_BITWISE_XOR: return !dtype_is_inexact(type);
    default: return false;
    }
}

// Sets `carry` to the combination of n elements. Floats are combined in order, since which of two equal extremes is
// taken (0.0 and -0.0, two NaNs) depends on the order.
static void combine_block(const LongRow *l, const char *from, int64_t n, char *carry) {
    const Scan *s = l->scan;
    DType type = s->kernel->result.view.dtype;
    _Alignas(BUFFER_ALIGN) char room[AT_ONCE * DTYPE_SIZE_MAX], half[(AT_ONCE / 2 + FOLD_STEP) * DTYPE_SIZE_MAX];
    const char *before = NULL;
    for (int64_t done = 0, count; done < n; done += count, from += (size_t)count * from_size(s)) {
        count = n - done < AT_ONCE ? n - done : AT_ONCE;
        if (s->cast) s->cast(from, NULL, NULL, room, (size_t)count);
        const char *values = s->cast ? room : from;
        if (!dtype_is_inexact(type)) {
            fold(s->job.cpu, s->op, type, values, (size_t)count, half);
            if (before) s->loop(carry, half, NULL, carry, 1);
            else memcpy(carry, half, dtype_size(type));
        } else if (s->scan) {
            s->scan(before, values, room, (size_t)count);
            memcpy(carry, room + (size_t)(count - 1) * dtype_size(type), dtype_size(type));
        } else {
            if (!before) memcpy(carry, values, dtype_size(type));
            combine_in_order(s->job.cpu, s->op, type, values, (size_t)count, carry); // first one twice: harmless
        }
        before = carry;
    }
}

static void carry_part(void *argument, int block, int worker) {
    LongRow *l = argument;
    int64_t begin = cut_before(l->n, block, l->blocks), end = cut_before(l->n, block + 1, l->blocks);
    (void)worker;
    combine_block(l, l->from + begin * (int64_t)from_size(l->scan), end - begin, l->carries[block]);
}

static void block_part(void *argument, int block, int worker) {
    LongRow *l = argument;
    size_t size = dtype_size(l->scan->kernel->result.view.dtype);
    int64_t begin = cut_before(l->n, block, l->blocks), end = cut_before(l->n, block + 1, l->blocks);
    uint32_t flags = 0;
    (void)worker;
    scan_stretch(l->scan, block ? l->carries[block - 1] : NULL, l->from + begin * (int64_t)from_size(l->scan),
                 l->to + begin * (int64_t)size, end - begin, &flags);
    atomic_fetch_or(&l->job.flags, flags);
}

static void long_row(const Scan *s, const char *from, char *to, uint32_t *flags) {
    LongRow l = {.scan = s, .from = from, .to = to, .n = s->n};
    l.blocks = parts_for(s->job.cpu, s->n / BLOCK_LEAST < BLOCKS_MOST ? s->n / BLOCK_LEAST : BLOCKS_MOST);
    share_out(s->job.cpu, carry_part, &l, l.blocks - 1, flags);
    for (int i = 1; i < l.blocks - 1; i++) s->loop(l.carries[i - 1], l.carries[i], NULL, l.carries[i], 1);
    if (!interrupted(s->job.cpu, flags)) share_out(s->job.cpu, block_part, &l, l.blocks, flags);
}

static bool is_long(const Scan *s) {
    const View *out = &s->kernel->result.view;
    return s->split < 0 && s->job.cpu->threads > 1 && s->n >= PARALLEL_WORK && is_dense(out, s->axis) &&
           is_exact(s->op, out->dtype);
}

// --- Strided rows, in place in the output ------------------------------------------------------

// Combines each run of `count` contiguous elements with the run before it along the axis.
static void take_in(const Scan *s, char *at, int64_t stride, size_t count, uint32_t *flags) {
    DType type = s->kernel->result.view.dtype;
    for (int64_t i = 1; i < s->n; i++, at += stride) {
        if (refuses_exponents(s->op, type, at + stride, (int64_t)dtype_size(type), count)) {
            *flags |= FLAG_NEGATIVE_POWER;
            return;
        }
        s->loop(at, at + stride, NULL, at + stride, count);
        if (i % POLL_EVERY == 0 && interrupted(s->job.cpu, flags)) return;
    }
}

// --- All rows ----------------------------------------------------------------------------------

// Processes rows with indices `begin` to `end` along `split`.
static void some_rows(const Scan *s, int64_t begin, int64_t end, uint32_t *flags) {
    const View *in = &s->kernel->args[0].view, *out = &s->kernel->result.view;
    int64_t index[NDIM_MAX] = {0}, shape[NDIM_MAX];
    const int64_t *strides[2] = {in->strides, out->strides};
    char *at[2] = {arg_at(&s->kernel->args[0]), arg_at(&s->kernel->result)};
    size_t beside = 1;
    memcpy(shape, out->shape, sizeof shape);
    if (s->split >= 0) {
        shape[s->split] = end - begin;
        at[0] += begin * in->strides[s->split];
        at[1] += begin * out->strides[s->split];
    }
    shape[s->axis] = 1;
    if (s->beside >= 0) {
        beside = (size_t)shape[s->beside];
        shape[s->beside] = 1;
    }
    do
        if (is_long(s)) long_row(s, s->straight ? at[0] : at[1], at[1], flags);
        else if (is_dense(out, s->axis)) scan_stretch(s, NULL, s->straight ? at[0] : at[1], at[1], s->n, flags);
        else take_in(s, at[1], out->strides[s->axis], beside, flags);
    while (!*flags && !interrupted(s->job.cpu, flags) &&
           odometer_next(out->ndim, shape, index, at, strides, 2));
}

static void scan_part(void *argument, int part, int worker) {
    Scan *s = argument;
    int64_t extent = s->kernel->result.view.shape[s->split];
    uint32_t flags = 0;
    (void)worker;
    flags_clear();
    some_rows(s, extent * part / s->parts, extent * (part + 1) / s->parts, &flags);
    atomic_fetch_or(&s->job.flags, flags | flags_raised());
}

// Returns a dimension other than the axis that is contiguous; -1: none.
static int beside_axis(const View *out, int axis) {
    int found = -1;
    for (int d = 0; d < out->ndim; d++)
        if (d != axis && out->shape[d] > 1 && out->strides[d] == (int64_t)dtype_size(out->dtype)) found = d;
    return found;
}

// Splits the longest other dimension, so that parts rarely share a cache line.
static void share_rows(const Cpu *cpu, Scan *s) {
    const View *out = &s->kernel->result.view;
    int64_t most = 1;
    s->split = -1;
    if (view_size(out) < PARALLEL_WORK || cpu->threads == 1) return;
    for (int d = 0; d < out->ndim; d++) {
        int64_t extent = out->shape[d];
        if (d == s->beside) extent /= ALONG / (int64_t)dtype_size(out->dtype);
        if (d == s->axis || extent <= most) continue;
        most = extent;
        s->split = d;
    }
    if (most < cpu->threads && s->n >= PARALLEL_WORK && is_exact(s->op, out->dtype)) s->split = -1; // splits each row
    s->parts = parts_for(cpu, most);
}

static void scan_copy(const Kernel *k, Kernel *copy) {
    kernel_copying(copy, &k->result, &k->args[0]);
    kernel_simplify(copy);
}

static size_t scan_workspace(const Cpu *cpu, const Kernel *k) {
    Kernel copy;
    if (is_straight(cpu, k)) return 0;
    scan_copy(k, &copy);
    return elementwise_workspace(cpu, &copy);
}

static void run_scan(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *out = &k->result.view;
    const ScanFn *scans = cpu->loops->scans[op_of(k)];
    DType from = k->args[0].view.dtype;
    Scan s = {.job.cpu = cpu, .kernel = k, .op = op_of(k), .axis = axis_of(k), .straight = is_straight(cpu, k),
              .loop = loop_of(cpu, op_of(k), out->dtype), .beside = -1};
    if (view_size(out) == 0) return;
    s.n = out->shape[s.axis];
    if (scans && is_dense(out, s.axis)) s.scan = scans[out->dtype];
    if (s.straight && from != out->dtype) s.cast = cpu->loops->casts[out->dtype][from];
    if (!s.straight) {
        Kernel copy;
        scan_copy(k, &copy);
        copy.workspace = k->workspace;
        tile_elementwise(cpu, &copy, flags);
        if (!is_dense(out, s.axis)) s.beside = beside_axis(out, s.axis);
    }
    share_rows(cpu, &s);
    if (s.split >= 0) {
        share_out(cpu, scan_part, &s, s.parts, flags);
        return;
    }
    flags_clear();
    some_rows(&s, 0, 0, flags);
    *flags |= flags_raised();
}

const LibraryFn library_CUMSUM = {.run = run_scan, .workspace = scan_workspace};
const LibraryFn library_CUMPROD = {.run = run_scan, .workspace = scan_workspace};
const LibraryFn library_ACCUMULATE = {.run = run_scan, .workspace = scan_workspace};
