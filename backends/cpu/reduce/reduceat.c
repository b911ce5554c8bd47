// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reductions of segments of an axis (reduceat). A segment extends from one index to the next, the
// last to the end; if the next index is not larger, the segment is a single element.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/rows.h"
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
    bool folds;    // elements are contiguous, and may be combined in any order
    int64_t stride, to_stride; // along the axis, of the operand and the result
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

// Combines contiguous elements, in any order.
static void combine_run_of(const Cpu *cpu, const Pieces *p, const char *at, int64_t n, char *acc) {
    enum { AT_ONCE = 1024 };
    _Alignas(BUFFER_ALIGN) char room[(AT_ONCE / 2 + FOLD_STEP) * DTYPE_SIZE_MAX];
    for (int64_t some; n > 0; n -= some, at += some * (int64_t)dtype_size(p->type)) {
        some = n < AT_ONCE ? n : AT_ONCE;
        fold(cpu, p->op, p->type, at, (size_t)some, room);
        p->loop(acc, room, NULL, acc, 1);
    }
}

// Reduces segments from … to of a row.
static void some_segments(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags) {
    const Pieces *p = rows->what;
    const Cpu *cpu = rows->job.cpu;
    size_t size = dtype_size(p->type);
    char *result = at[1] + from * p->to_stride;
    for (int64_t i = from; i < to; i++, result += p->to_stride) {
        int64_t begin = p->places[i], end = i + 1 < p->count ? p->places[i + 1] : p->extent;
        const char *first = at[0] + begin * p->stride, *rest = first + p->stride;
        memcpy(result, first, size);
        if (end <= begin + 1) continue;
        if (p->pairwise) {
            add_rest(cpu, p->type, rest, (size_t)(end - begin - 1), p->stride, result);
            continue;
        }
        if (refuses_exponents(p->op, p->type, rest, p->stride, (size_t)(end - begin - 1))) {
            *flags |= FLAG_NEGATIVE_POWER;
            return;
        }
        if (p->folds) combine_run_of(cpu, p, rest, end - begin - 1, result);
        else for (int64_t j = begin + 1; j < end; j++, rest += p->stride) p->loop(result, rest, NULL, result, 1);
    }
}

// Reduces the segments of adjacent rows from … to: their elements at one index of the axis are combined with
// those at the next, element by element.
static void adjacent_segments(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags) {
    const Pieces *p = rows->what;
    int64_t size = (int64_t)dtype_size(p->type);
    for (int64_t i = 0; i < p->count && !interrupted(rows->job.cpu, flags); i++) {
        int64_t begin = p->places[i], end = i + 1 < p->count ? p->places[i + 1] : p->extent;
        const char *row = at[0] + begin * p->stride + from * size;
        char *result = at[1] + i * p->to_stride + from * size;
        memcpy(result, row, (size_t)((to - from) * size));
        for (int64_t j = begin + 1; j < end; j++) {
            row += p->stride;
            if (refuses_exponents(p->op, p->type, row, size, (size_t)(to - from))) {
                *flags |= FLAG_NEGATIVE_POWER;
                return;
            }
            p->loop(result, row, NULL, result, (size_t)(to - from));
        }
    }
}

// Returns the last dimension if it is not the axis and is contiguous in both views; otherwise -1.
static int adjacent_dim(const View *in, const View *out, int axis) {
    int last = in->ndim - 1;
    int64_t size = (int64_t)dtype_size(in->dtype);
    bool contiguous = last != axis && in->shape[last] > 1 && in->strides[last] == size && out->strides[last] == size;
    return contiguous ? last : -1;
}

static void run_reduceat(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    int axis = axis_of(k), dim = adjacent_dim(in, out, axis);
    int64_t shape[NDIM_MAX];
    OpId op = k->attrs.combine;
    Pieces p = {.places = (const int64_t *)arg_at(&k->args[1]), .count = out->shape[axis], .extent = in->shape[axis],
                .op = op, .loop = loop_of(cpu, op, in->dtype), .type = in->dtype,
                .pairwise = op == AOP_ADD && dtype_is_inexact(in->dtype),
                .stride = in->strides[axis], .to_stride = out->strides[axis]};
    p.folds = p.stride == (int64_t)dtype_size(p.type) && !op_in_order(op, p.type);
    if (view_size(out) == 0) return;
    memcpy(shape, in->shape, sizeof shape);
    shape[axis] = 1;
    bool adjacent = dim >= 0 && !p.pairwise;
    if (adjacent) shape[dim] = 1;
    Rows rows = {.run = adjacent ? adjacent_segments : some_segments, .what = &p, .operands = 2, .ndim = in->ndim,
                 .shape = shape, .strides = {in->strides, out->strides},
                 .at = {arg_at(&k->args[0]), arg_at(&k->result)},
                 .units = adjacent ? in->shape[dim] : p.count};
    rows_run(cpu, &rows, view_size(in), flags);
}

const LibraryFn library_REDUCEAT = {.run = run_reduceat};
