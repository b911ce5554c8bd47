// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products by BLIS.

#ifndef NACRE_BACKENDS_CPU_PRODUCT_BLIS_H
#define NACRE_BACKENDS_CPU_PRODUCT_BLIS_H

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"

// blis.c: C = A @ B for floats and doubles, and C -= A @ B for doubles, with element strides. False: BLIS
// is not there or cannot do it.
typedef struct Matrix {
    char *data;
    int64_t rows, cols, row_stride, col_stride; // strides in bytes
} Matrix;
bool blis_matmul(DType type, const Matrix *a, const Matrix *b, const Matrix *c);
bool blis_subtract(const Matrix *a, const Matrix *b, const Matrix *c);
// Before the first threads are started: afterwards BLIS cannot be told the processor any more.
void blis_prepare(void);
// Calls of BLIS by this thread in between take one thread (or, if `wide`, those of the processor for
// large work). Give the answer of `begin` to `end`.
int blis_begin(bool wide);
void blis_end(int before);
void blis_describe(Buf *out);

#endif
