// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reductions of segments of an axis (reduceat). A segment extends from one index to the next, the
// last to the end; if the next index is not larger, it is a single element.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/tile/move.h"
#include "backends/cpu/tile/tile.h"
#include "vm/graph/half.h"

typedef struct Pieces {
    const int64_t *places; // contiguous
    int64_t count, extent;
    OpId op;
    LoopFn loop;
    DType type;
    bool pairwise; // float sum: the rest of a segment is summed pairwise and added to its first
                   // element, as in NumPy
} Pieces;

static void add_rest(const Cpu *cpu, DType type, const char *at, size_t n, int64_t stride, char *acc) {
    const Loops *loops = cpu->loops;
    switch (type) {
    case DT_FLOAT16: {
        uint16_t *half = (uint16_t *)acc;
        *half = half_from_float(half_to_float(*half) + loops->sum_f16(at, n, stride));
        break;
    }
    case DT_FLOAT32: *(float *)acc += loops->sum_f32(at, n, stride); break;
    case DT_COMPLEX64: *(float _Complex *)acc += loops->sum_c64(at, n, stride); break;
    case DT_COMPLEX128: *(double _Complex *)acc += loops->sum_c128(at, n, stride); break;
    default: *(double *)acc += loops->sum_f64(at, n, stride); break;
    }
}

static void one_row(const Cpu *cpu, const Pieces *p, const char *from, int64_t stride, char *to,
                    int64_t to_stride, uint32_t *flags) {
    size_t size = dtype_size(p->type);
    for (int64_t i = 0; i < p->count; i++, to += to_stride) {
        int64_t begin = p->places[i], end = i + 1 < p->count ? p->places[i + 1] : p->extent;
        const char *at = from + begin * stride;
        memcpy(to, at, size);
        if (end <= begin + 1) continue;
        if (p->pairwise) {
            add_rest(cpu, p->type, at + stride, (size_t)(end - begin - 1), stride, to);
            continue;
        }
        if (refuses_exponents(p->op, p->type, at + stride, stride, (size_t)(end - begin - 1))) {
            *flags |= FLAG_NEGATIVE_POWER;
            return;
        }
        for (int64_t j = begin + 1; j < end; j++) p->loop(to, from + j * stride, NULL, to, 1);
    }
}

static void run_reduceat(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    int axis = axis_of(k);
    int64_t shape[NDIM_MAX], index[NDIM_MAX] = {0};
    const int64_t *strides[2] = {in->strides, out->strides};
    char *at[2] = {arg_at(&k->args[0]), arg_at(&k->result)};
    OpId op = k->attrs.combine;
    const Pieces pieces = {(const int64_t *)arg_at(&k->args[1]), out->shape[axis], in->shape[axis], op,
                           loop_of(cpu, op, in->dtype), in->dtype,
                           op == AOP_ADD && dtype_is_inexact(in->dtype)};
    if (view_size(out) == 0) return;
    memcpy(shape, in->shape, sizeof shape);
    shape[axis] = 1;
    flags_clear();
    do one_row(cpu, &pieces, at[0], in->strides[axis], at[1], out->strides[axis], flags);
    while (!interrupted(cpu, flags) && odometer_next(in->ndim, shape, index, at, strides, 2));
    *flags |= flags_raised();
}

const LibraryFn library_REDUCEAT = {.run = run_reduceat};
