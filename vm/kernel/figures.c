// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Estimates a kernel's memory traffic and operation count, for reports.

#include "vm/kernel/figures.h"

#include <math.h>

// --- Bytes -------------------------------------------------------------------------------------

static int64_t moving_bytes(const int64_t *shape, const int64_t *strides, int ndim, DType dtype) {
    int64_t bytes = (int64_t)dtype_size(dtype);
    for (int d = 0; d < ndim; d++)
        if (strides[d] != 0 || shape[d] == 0) bytes *= shape[d];
    return bytes;
}

int64_t view_bytes(const View *view) {
    return moving_bytes(view->shape, view->strides, view->ndim, view->dtype);
}

int64_t access_bytes(const Kernel *kernel, const KernAccess *access) {
    return moving_bytes(kernel->shape, access->strides, kernel->ndim, access->dtype);
}

int64_t kernel_elements(const Kernel *k) {
    int64_t count = 1;
    if (k->library != AOP_NONE) return view_size(&k->result.view);
    for (int d = 0; d < k->ndim; d++) count *= k->shape[d];
    return count;
}

// --- Operations --------------------------------------------------------------------------------

// Returns the number of real operations in one complex operation.
static double complex_worth(OpId op) {
    switch (op) {
    case AOP_ADD:
    case AOP_SUBTRACT: return 2;
    case AOP_MULTIPLY: return 6;
    case AOP_DIVIDE: return 11;
    default: return 4;
    }
}

// Returns the number of real operations that an op does per element; selecting and copying are not arithmetic.
static double worth(OpId op, DType type) {
    if (op == AOP_CAST || op == AOP_WHERE || op == AOP_POSITIVE || op == AOP_CONJUGATE) return 0;
    return dtype_kind(type) == DK_COMPLEX ? complex_worth(op) : 1;
}

static double loop_operations(const Kernel *k) {
    double each = 0;
    for (int r = 0; r < k->reduction_count; r++)
        each += worth((OpId)k->reductions[r].op, k->stores[r].to.dtype);
    for (int i = 0; i < k->code_count; i++) each += worth((OpId)k->code[i].op, (DType)k->code[i].from);
    return each * (double)kernel_elements(k);
}

// Sizes of the first operand, a stack of `count` matrices.
typedef struct Matrices {
    double count, rows, cols, sides; // `sides`: columns of the right-hand side
} Matrices;

static Matrices matrices_of(const Kernel *k) {
    const View *a = &k->args[0].view, *b = &k->args[1].view;
    Matrices m = {1, 1, 1, 1};
    if (k->args[0].is_scalar || a->ndim < 2) return m;
    m.rows = (double)a->shape[a->ndim - 2];
    m.cols = (double)a->shape[a->ndim - 1];
    if (m.rows * m.cols > 0) m.count = (double)view_size(a) / (m.rows * m.cols);
    bool two = op_info[k->library].arity > 1 && !k->args[1].is_scalar && b->ndim > 0;
    if (two) m.sides = (double)b->shape[b->ndim - 1];
    return m;
}

// Returns the leading term of the operation count in Golub and Van Loan.
static double algebra_operations(const Kernel *k) {
    Matrices m = matrices_of(k);
    double n = m.cols, square = n * n, cube = square * n, tall = m.rows > n ? m.rows : n;
    double small = m.rows < n ? m.rows : n;
    switch (k->library) {
    case AOP_SOLVE: return m.count * (2 * cube / 3 + 2 * square * m.sides);
    case AOP_INVERSE: return m.count * 2 * cube;
    case AOP_DET:
    case AOP_SLOGDET: return m.count * 2 * cube / 3;
    case AOP_CHOLESKY: return m.count * cube / 3;
    case AOP_QR:
    case AOP_LSTSQ: return m.count * 2 * small * small * (tall - small / 3);
    default: return 0;
    }
}

static double gemm_operations(const Kernel *k) {
    double size = (double)view_size(&k->result.view), each = 0;
    bool complex_result = dtype_kind(k->result.view.dtype) == DK_COMPLEX;
    each += (double)k->args[0].view.shape[1] * (complex_result ? 8 : 2);
    for (int s = GEMM_SCALE; s < GEMM_STEPS; s++)
        if (k->gemm.sites[s] >= 0)
            each += worth(s == GEMM_SUM ? AOP_ADD : AOP_MULTIPLY, k->result.view.dtype);
    return size * each;
}

static double library_operations(const Kernel *k) {
    const View *result = &k->result.view, *first = &k->args[0].view;
    double size = (double)view_size(result), points = 0;
    bool complex_result = dtype_kind(result->dtype) == DK_COMPLEX;
    switch (k->library) {
    case AOP_MATMUL:
        return size * (first->ndim ? (double)first->shape[first->ndim - 1] : 1) * (complex_result ? 8 : 2);
    case AOP_GEMM: return gemm_operations(k);
    case AOP_FFT:
    case AOP_IFFT:
    case AOP_RFFT:
    case AOP_IRFFT:
        for (int d = 0; d < result->ndim; d++)
            if (k->attrs.axes >> d & 1) points = (double)result->shape[d];
        return points > 1 ? 5 * size * log2(points) : 0;
    case AOP_CUMSUM:
    case AOP_CUMPROD: return size;
    default: return algebra_operations(k);
    }
}

double kernel_operations(const Kernel *k) {
    return k->library == AOP_NONE ? loop_operations(k) : library_operations(k);
}
