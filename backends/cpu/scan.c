// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running sums, products and whatever else a ufunc accumulates.

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/flags.h"

// The output is a copy of the input in its own type; then each element takes in the one before it.
static void accumulate(const Cpu *cpu, const KernArg *result, int axis, OpId op, uint32_t *flags) {
    enum { POLL_EVERY = 1 << 16 };
    const View *out = &result->view;
    int64_t index[NDIM_MAX] = {0}, shape[NDIM_MAX];
    const int64_t *strides[1] = {out->strides};
    int64_t stride = out->strides[axis];
    size_t rest = (size_t)out->shape[axis] - 1;
    LoopFn loop = loop_of(cpu, op, out->dtype);
    char *at = arg_at(result);
    memcpy(shape, out->shape, sizeof shape);
    shape[axis] = 1;
    do {
        char *before = at;
        if (refuses_exponents(op, out->dtype, at + stride, stride, rest)) {
            *flags |= FLAG_NEGATIVE_POWER;
            return;
        }
        for (int64_t i = 1; i < out->shape[axis]; i++) {
            char *here = before + stride;
            loop(before, here, NULL, here, 1);
            before = here;
            if (i % POLL_EVERY == 0 && interrupted(cpu, flags)) return;
        }
    } while (!interrupted(cpu, flags) &&
             odometer_next(out->ndim, shape, index, &at, strides, 1));
}

static void scan_copy(const Kernel *k, Kernel *copy) {
    kernel_copying(copy, &k->result, &k->args[0]);
    kernel_simplify(copy);
}

static size_t scan_workspace(const Cpu *cpu, const Kernel *k) {
    Kernel copy;
    scan_copy(k, &copy);
    return elementwise_workspace(cpu, &copy);
}

static void run_scan(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Kernel copy;
    scan_copy(k, &copy);
    copy.workspace = k->workspace;
    tile_elementwise(cpu, &copy, flags);
    if (view_size(&k->result.view) == 0) return;
    flags_clear();
    OpId op = k->library == AOP_ACCUMULATE ? k->attrs.combine : op_info[k->library].combine;
    accumulate(cpu, &k->result, axis_of(k), op, flags);
    *flags |= flags_raised();
}

const LibraryFn library_CUMSUM = {run_scan, scan_workspace};
const LibraryFn library_CUMPROD = {run_scan, scan_workspace};
const LibraryFn library_ACCUMULATE = {run_scan, scan_workspace};
