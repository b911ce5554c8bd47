// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A product of matrices of n x n, float64 and float32, by cuBLAS called directly: the best of several, each waited for.
#include "check.h"
#include <cublas_v2.h>

template <typename T, typename Product> static double best_of(int n, Product product) {
    size_t count = (size_t)n * n;
    T *host = (T *)malloc(count * sizeof(T)), *a = NULL, *b = NULL, *c = NULL;
    for (size_t k = 0; k < count; k++) host[k] = (T)((double)(k % 1009) / 1009.0 - 0.5);
    T **all[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMalloc((void **)all[i], count * sizeof(T)));
        CHECK(cudaMemcpy(*all[i], host, count * sizeof(T), cudaMemcpyHostToDevice));
    }
    double best = 1e9;
    product(a, b, c);
    for (int k = 0; k < 20; k++) {
        double time = now();
        product(a, b, c);
        time = now() - time;
        best = time < best ? time : best;
    }
    for (int i = 0; i < 3; i++) CHECK(cudaFree(*all[i]));
    free(host);
    return best;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    cublasHandle_t blas;
    CHECK(cublasCreate(&blas));
    double wide = best_of<double>(n, [&](double *a, double *b, double *c) {
        double one = 1, zero = 0;
        CHECK(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n));
    });
    double narrow = best_of<float>(n, [&](float *a, float *b, float *c) {
        float one = 1, zero = 0;
        CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n));
    });
    printf("%.9g\n%.9g\n", wide, narrow);
    return 0;
}
