// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Conjugate gradients for five points on a square of n x n unknowns, on cuSPARSE and cuBLAS as their manuals have it: a
// product, two scalar products, three vector updates a step. The host computes alpha and beta.
#include "check.h"
#include <cublas_v2.h>
#include <cusparse.h>
#include <math.h>

// Rows of A, by CSR with 32-bit indexes; returns the number of entries.
static int laplacian(int n, int *rows, int *cols, double *values) {
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int at = i * n + j, near[] = {i > 0 ? at - n : -1, j > 0 ? at - 1 : -1, at, j < n - 1 ? at + 1 : -1, i < n - 1 ? at + n : -1};
            rows[at] = count;
            for (int k = 0; k < 5; k++)
                if (near[k] >= 0) cols[count] = near[k], values[count++] = k == 2 ? 4.0 : -1.0;
        }
    rows[n * n] = count;
    return count;
}

static int *ints(const int *from, size_t count) {
    void *memory = NULL;
    CHECK(cudaMalloc(&memory, count * sizeof(int)));
    CHECK(cudaMemcpy(memory, from, count * sizeof(int), cudaMemcpyHostToDevice));
    return (int *)memory;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 2000, size = n * n, steps = 100;
    int *rows = (int *)malloc((size_t)(size + 1) * sizeof(int)), *cols = (int *)malloc((size_t)size * 5 * sizeof(int));
    double *values = (double *)malloc((size_t)size * 5 * sizeof(double)), *right = (double *)malloc((size_t)size * sizeof(double));
    int count = laplacian(n, rows, cols, values);
    for (int k = 0; k < size; k++) right[k] = sin((double)k);
    int *d_rows = ints(rows, (size_t)size + 1), *d_cols = ints(cols, (size_t)count);
    double *d_values = copied(values, (size_t)count), *b = copied(right, (size_t)size);
    double *x = doubles((size_t)size), *r = doubles((size_t)size), *p = doubles((size_t)size), *q = doubles((size_t)size);

    cublasHandle_t blas;
    cusparseHandle_t sparse;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t from, to;
    CHECK(cublasCreate(&blas));
    CHECK(cusparseCreate(&sparse));
    CHECK(cusparseCreateCsr(&a, size, size, count, d_rows, d_cols, d_values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    CHECK(cusparseCreateDnVec(&from, size, p, CUDA_R_64F));
    CHECK(cusparseCreateDnVec(&to, size, q, CUDA_R_64F));
    double one = 1, zero = 0;
    size_t room = 0;
    void *buffer = NULL;
    CHECK(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from, &zero, to, CUDA_R_64F,
                                  CUSPARSE_SPMV_ALG_DEFAULT, &room));
    CHECK(cudaMalloc(&buffer, room + 1));

    double time = 0, spmv = 0;
    for (int turn = 0; turn < 2; turn++) {
        CHECK(cudaMemset(x, 0, (size_t)size * sizeof(double)));
        CHECK(cudaMemcpy(r, b, (size_t)size * sizeof(double), cudaMemcpyDeviceToDevice));
        CHECK(cudaMemcpy(p, b, (size_t)size * sizeof(double), cudaMemcpyDeviceToDevice));
        double old = 0;
        CHECK(cublasDdot(blas, size, r, 1, r, 1, &old));
        time = now();
        for (int k = 0; k < steps; k++) {
            double pq = 0, next = 0;
            CHECK(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from, &zero, to, CUDA_R_64F,
                               CUSPARSE_SPMV_ALG_DEFAULT, buffer));
            CHECK(cublasDdot(blas, size, p, 1, q, 1, &pq));
            double alpha = old / pq, minus = -alpha;
            CHECK(cublasDaxpy(blas, size, &alpha, p, 1, x, 1));
            CHECK(cublasDaxpy(blas, size, &minus, q, 1, r, 1));
            CHECK(cublasDdot(blas, size, r, 1, r, 1, &next));
            double beta = next / old;
            CHECK(cublasDscal(blas, size, &beta, p, 1));
            CHECK(cublasDaxpy(blas, size, &one, r, 1, p, 1));
            old = next;
        }
        time = (now() - time) / steps;
    }
    double answer = sum_of(x, (size_t)size, 1);
    for (int turn = 0; turn < 2; turn++) {
        spmv = now();
        for (int k = 0; k < steps; k++)
            CHECK(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from, &zero, to, CUDA_R_64F,
                               CUSPARSE_SPMV_ALG_DEFAULT, buffer));
        spmv = (now() - spmv) / steps;
    }
    printf("%.9g\n%.17g\n%.9g\n", time, answer, spmv);
    return 0;
}
