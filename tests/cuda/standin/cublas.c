// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A stand-in for libcublas, beside the stand-in driver: plain loops, behind what is in the stream. It looks at leading
// dimensions as the real one does, and at memory more strictly: all that a product reads and writes is in live memory.
//
// STANDIN_BLAS_FAIL=1: no product is made; STANDIN_BLAS_CALLS=file: a line for each one

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { NOT_INITIALIZED = 1, INVALID = 7, EXECUTION_FAILED = 13 };

typedef struct Handle {
    Stream *stream;
} Handle;

typedef struct Product {
    int op_a, op_b, m, n, k, a_lead, b_lead, c_lead, count;
    long long a_step, b_step, c_step;
    const void *alpha, *a, *b, *beta;
    void *c;
    void (*one)(const struct Product *p, const void *a, const void *b, void *c);
    size_t size;
} Product;

API int cublasGetProperty(int which, int *value) {
    *value = which == 0 ? 12 : 0;
    return OK;
}

API int cublasCreate_v2(Handle **out) {
    if (!has_context()) return NOT_INITIALIZED;
    *out = calloc(1, sizeof **out);
    standin_live(*out != NULL);
    return *out ? OK : NOT_INITIALIZED;
}

API int cublasDestroy_v2(Handle *handle) {
    free(handle);
    standin_live(-1);
    return OK;
}

API int cublasSetStream_v2(Handle *handle, Stream *stream) {
    handle->stream = stream;
    return OK;
}

// --- What is computed --------------------------------------------------------------------------------------

// Columns of C; the innermost loop goes down them, where A's do, too.
#define PRODUCT(T, letter)                                                                                       \
    static void one_##letter(const Product *p, const void *from, const void *other, void *to) {                  \
        const T *a = from, *b = other;                                                                           \
        T *c = to;                                                                                               \
        for (int j = 0; j < p->n; j++) {                                                                         \
            T *restrict column = c + (size_t)j * (size_t)p->c_lead;                                              \
            for (int i = 0; i < p->m; i++) column[i] = 0;                                                        \
            for (int k = 0; k < p->k; k++) {                                                                     \
                const T y = p->op_b ? b[j + (size_t)k * (size_t)p->b_lead] : b[k + (size_t)j * (size_t)p->b_lead]; \
                const T *restrict x = p->op_a ? a + k : a + (size_t)k * (size_t)p->a_lead;                       \
                if (!p->op_a)                                                                                    \
                    for (int i = 0; i < p->m; i++) column[i] += x[i] * y;                                        \
                else                                                                                             \
                    for (int i = 0; i < p->m; i++) column[i] += x[(size_t)i * (size_t)p->a_lead] * y;            \
            }                                                                                                    \
        }                                                                                                        \
    }
PRODUCT(float, S)
PRODUCT(double, D)
PRODUCT(float complex, C)
PRODUCT(double complex, Z)

static void compute(void *context) {
    Product *p = context;
    for (int i = 0; i < p->count; i++)
        p->one(p, (const char *)p->a + (size_t)(i * p->a_step) * p->size, (const char *)p->b + (size_t)(i * p->b_step) * p->size,
               (char *)p->c + (size_t)(i * p->c_step) * p->size);
    free(p);
}

// --- What is asked for ----------------------------------------------------------------------------------------

static void *real(const void *address, int rows, int cols, int lead, long long step, int count, size_t size) {
    size_t elements = (size_t)lead * (size_t)(cols - 1) + (size_t)rows + (size_t)step * (size_t)(count - 1);
    return lead < rows ? NULL : standin_memory((Ptr)(uintptr_t)address, elements * size, "gemm");
}

static void note(const Product *p, char letter) {
    const char *path = getenv("STANDIN_BLAS_CALLS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "%cgemm %d %d %d %d %d %d\n", letter, p->op_a, p->op_b, p->m, p->n, p->k, p->count);
    fclose(file);
}

static int enqueue(const Handle *handle, Product p, char letter) {
    p.a = real(p.a, p.op_a ? p.k : p.m, p.op_a ? p.m : p.k, p.a_lead, p.a_step, p.count, p.size);
    p.b = real(p.b, p.op_b ? p.n : p.k, p.op_b ? p.k : p.n, p.b_lead, p.b_step, p.count, p.size);
    p.c = real(p.c, p.m, p.n, p.c_lead, p.c_step, p.count, p.size);
    if (!p.a || !p.b || !p.c || !handle->stream) return INVALID;
    if (getenv("STANDIN_BLAS_FAIL")) return EXECUTION_FAILED;
    Product *own = malloc(sizeof *own);
    if (!own) return EXECUTION_FAILED;
    *own = p;
    note(own, letter);
    return standin_enqueue(handle->stream, compute, own) == OK ? OK : EXECUTION_FAILED;
}

#define GEMM(T, letter)                                                                                              \
    API int cublas##letter##gemm_v2(Handle *h, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *a,   \
                                    int a_lead, const T *b, int b_lead, const T *beta, T *c, int c_lead) {           \
        if (*alpha != 1 || *beta != 0) return INVALID;                                                               \
        return enqueue(h, (Product){op_a, op_b, m, n, k, a_lead, b_lead, c_lead, 1, 0, 0, 0, alpha, a, b, beta, c,    \
                                    one_##letter, sizeof(T)}, #letter[0]);                                           \
    }                                                                                                                \
    API int cublas##letter##gemmStridedBatched(Handle *h, int op_a, int op_b, int m, int n, int k, const T *alpha,    \
                                               const T *a, int a_lead, long long a_step, const T *b, int b_lead,     \
                                               long long b_step, const T *beta, T *c, int c_lead, long long c_step,  \
                                               int count) {                                                          \
        if (*alpha != 1 || *beta != 0) return INVALID;                                                               \
        return enqueue(h, (Product){op_a, op_b, m, n, k, a_lead, b_lead, c_lead, count, a_step, b_step, c_step,      \
                                    alpha, a, b, beta, c, one_##letter, sizeof(T)}, #letter[0]);                     \
    }
GEMM(float, S)
GEMM(double, D)
GEMM(float complex, C)
GEMM(double complex, Z)
