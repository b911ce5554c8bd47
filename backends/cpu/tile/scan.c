// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Scans (cumulative sums, products, any ufunc.accumulate): each element is combined with the one
// before it, in order, because of rounding. Only different rows can run in parallel.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
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
    int axis;
    int64_t n;         // extent of the axis
    int beside;        // a dimension other than the axis that is contiguous in the output; or -1
    int split;         // the dimension split into parts; -1: a single part
    int parts;
} Scan;

static OpId op_of(const Kernel *k) {
    return k->library == AOP_ACCUMULATE ? k->attrs.combine : op_info[k->library].combine;
}

// --- A row that lies in one piece, straight from the input -------------------------------------

// NULL: no such loop, or elements are not contiguous.
static ScanFn scan_of(const Cpu *cpu, const Kernel *k) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    int axis = axis_of(k);
    const ScanFn *scans = cpu->loops->scans[op_of(k)];
    bool dense = in->strides[axis] == (int64_t)dtype_size(in->dtype) &&
                 out->strides[axis] == (int64_t)dtype_size(out->dtype);
    return scans && dense ? scans[out->dtype] : NULL;
}

static void scan_row(const Scan *s, const char *from, char *to, uint32_t *flags) {
    size_t size = dtype_size(s->kernel->result.view.dtype), from_size = dtype_size(s->kernel->args[0].view.dtype);
    const char *before = NULL;
    enum { AT_ONCE = 1024 };
    for (int64_t done = 0; done < s->n;) {
        int64_t most = s->cast ? AT_ONCE : POLL_EVERY, count = s->n - done < most ? s->n - done : most;
        if (s->cast) s->cast(from, NULL, NULL, to, (size_t)count);
        s->scan(before, s->cast ? to : from, to, (size_t)count);
        done += count;
        from += (size_t)count * from_size;
        to += (size_t)count * size;
        before = to - size;
        if (done % POLL_EVERY == 0 && interrupted(s->job.cpu, flags)) return;
    }
}

// --- Rows of a copy of the input, in its output's place ----------------------------------------

// Combines each run of contiguous elements with the run before it along the axis.
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
        if (s->scan) scan_row(s, at[0], at[1], flags);
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

// The longest other dimension that is contiguous.
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
    s->parts = parts_for(cpu, most);
}

static void scan_copy(const Kernel *k, Kernel *copy) {
    kernel_copying(copy, &k->result, &k->args[0]);
    kernel_simplify(copy);
}

static size_t scan_workspace(const Cpu *cpu, const Kernel *k) {
    Kernel copy;
    if (scan_of(cpu, k)) return 0;
    scan_copy(k, &copy);
    return elementwise_workspace(cpu, &copy);
}

static void run_scan(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *out = &k->result.view;
    DType from = k->args[0].view.dtype;
    Scan s = {.job.cpu = cpu, .kernel = k, .op = op_of(k), .axis = axis_of(k), .scan = scan_of(cpu, k),
              .loop = loop_of(cpu, op_of(k), out->dtype), .beside = -1};
    if (view_size(out) == 0) return;
    s.n = out->shape[s.axis];
    if (from != out->dtype) s.cast = cpu->loops->casts[out->dtype][from];
    if (!s.scan) {
        Kernel copy;
        scan_copy(k, &copy);
        copy.workspace = k->workspace;
        tile_elementwise(cpu, &copy, flags);
        s.beside = beside_axis(out, s.axis);
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
