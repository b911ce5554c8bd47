// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products by BLIS.

#ifndef NACRE_BACKENDS_CPU_PRODUCT_BLIS_H
#define NACRE_BACKENDS_CPU_PRODUCT_BLIS_H

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"

// blis.c: C = A @ B for floats and doubles, C -= A @ B for doubles. False: BLIS is not available, or does not
// support the layout of a matrix.
typedef struct Matrix {
    char *data;
    int64_t rows, cols, row_stride, col_stride; // strides in bytes
} Matrix;
bool blis_matmul(DType type, const Matrix *a, const Matrix *b, const Matrix *c);
bool blis_subtract(const Matrix *a, const Matrix *b, const Matrix *c);
// Selects BLIS's kernels for this processor. Must run before the first threads start: BLIS reads the
// choice from the environment, which must not change beside other threads.
void blis_prepare(void);
// The same for a process whose threads are ranks, all of which have to compute the same bits: whichever of the two
// functions is called first decides. Complex products then take up to twice as long.
void blis_prepare_for_ranks(void);
// Brackets BLIS calls of this thread: they use one thread or, if `wide`, all of the processor's for large
// work. Pass the result of blis_begin to blis_end.
int blis_begin(bool wide);
void blis_end(int before);
void blis_describe(Buf *out);

#endif
