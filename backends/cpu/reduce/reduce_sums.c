// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Combines contiguous numbers: by halves, or summed in NumPy's order.

#include <string.h>

#include "backends/cpu/reduce/reduce.h"
#include "vm/graph/half.h"

void fold(const Cpu *cpu, OpId op, DType type, const char *a, size_t n, char *buffer) {
    const FoldFn *folds = cpu->loops->folds ? cpu->loops->folds[op] : NULL;
    if (folds && folds[type] && n > 0) {
        folds[type](a, n, buffer);
        return;
    }
    const LoopFn loop = loop_of(cpu, op, type);
    const size_t size = dtype_size(type);
    if (n < 2 && a != buffer) memcpy(buffer, a, n * size);
    for (size_t half; n > 1; n -= half, a = buffer) {
        half = n / 2;
        // a multiple of the vector step, so that the loop has no remainder
        if (half > FOLD_STEP) half -= half % FOLD_STEP;
        loop(a, a + (n - half) * size, NULL, buffer, half);
        if (a != buffer) memcpy(buffer + half * size, a + half * size, (n - 2 * half) * size);
    }
}

static Scalar complex_sum(double _Complex sum) {
    return (Scalar){.re = __real__ sum, .im = __imag__ sum};
}

Scalar sum_run(const Cpu *cpu, DType type, const char *at, size_t n, int64_t stride) {
    const Loops *loops = cpu->loops;
    switch (type) {
    case DT_FLOAT16: return (Scalar){.f = (double)loops->sum_f16(at, n, stride)};
    case DT_FLOAT32: return (Scalar){.f = (double)loops->sum_f32(at, n, stride)};
    case DT_COMPLEX64: return complex_sum(loops->sum_c64(at, n, stride));
    case DT_COMPLEX128: return complex_sum(loops->sum_c128(at, n, stride));
    default: return (Scalar){.f = loops->sum_f64(at, n, stride)};
    }
}

Scalar sum_of(DType type, Scalar a, Scalar b) {
    switch (type) {
    case DT_FLOAT16:
    case DT_FLOAT32: return (Scalar){.f = (double)((float)a.f + (float)b.f)};
    case DT_COMPLEX64:
        return (Scalar){.re = (double)((float)a.re + (float)b.re), .im = (double)((float)a.im + (float)b.im)};
    case DT_COMPLEX128: return (Scalar){.re = a.re + b.re, .im = a.im + b.im};
    default: return (Scalar){.f = a.f + b.f};
    }
}

int64_t left_half(DType type, int64_t n) {
    return n / 2 - n / 2 % (dtype_kind(type) == DK_COMPLEX ? 4 : 8);
}

void add_sum(DType type, Scalar sum, char *acc) {
    switch (type) {
    case DT_FLOAT16: {
        uint16_t *half = (uint16_t *)acc;
        *half = half_from_float(half_to_float(*half) + (float)sum.f);
        break;
    }
    case DT_FLOAT32: *(float *)acc += (float)sum.f; break;
    case DT_COMPLEX64:
        ((float *)acc)[0] += (float)sum.re;
        ((float *)acc)[1] += (float)sum.im;
        break;
    case DT_COMPLEX128:
        ((double *)acc)[0] += sum.re;
        ((double *)acc)[1] += sum.im;
        break;
    default: *(double *)acc += sum.f; break;
    }
}
