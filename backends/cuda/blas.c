// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Large matrix products by cuBLAS.

#define _GNU_SOURCE
#include "backends/cuda/blas.h"

#include <dlfcn.h>
#include <string.h>

#include "backends/cuda/driver.h"

// --- Finding it ------------------------------------------------------------------------------------------

#define BLAS_TYPES(X) X(FLOAT32, S) X(FLOAT64, D) X(COMPLEX64, C) X(COMPLEX128, Z)

static bool find(const CudaBlas *b, const char *symbol, void *function) {
    void *found = dlsym(b->library, symbol);
    memcpy(function, &found, sizeof found);
    return found;
}

static bool look_up(CudaBlas *b) {
    bool all = find(b, "cublasGetProperty", &b->property) && find(b, "cublasCreate_v2", &b->create) &&
               find(b, "cublasDestroy_v2", &b->destroy) && find(b, "cublasSetStream_v2", &b->set_stream);
#define TYPE(ID, letter)                                             \
    all = all && find(b, "cublas" #letter "gemm_v2", &b->gemm[DT_##ID]) && \
          find(b, "cublas" #letter "gemmStridedBatched", &b->gemms[DT_##ID]);
    BLAS_TYPES(TYPE)
#undef TYPE
    return all;
}

typedef struct Search {
    CudaBlas *blas;
    int driver_number;
} Search;

static void unload(CudaBlas *b) {
    if (b->library) dlclose(b->library);
    *b = (CudaBlas){.is_tried = true};
}

static bool load_one(void *context, const char *path) {
    const Search *search = context;
    CudaBlas *b = search->blas;
    int major = 0;
    b->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (b->library && look_up(b) && b->property(0, &major) == 0 && major <= search->driver_number / 1000) return true;
    unload(b);
    return false;
}

static bool load(CudaBlas *b, int driver_number) {
    Search search = {b, driver_number};
    *b = (CudaBlas){.is_tried = true};
    return cuda_find("libcublas", load_one, &search);
}

bool cuda_blas_open(CudaBlas *b, int driver_number) {
    if (b->is_tried) return b->handle;
    if (load(b, driver_number) && b->create(&b->handle) != 0) b->handle = NULL;
    if (b->library && !b->handle) unload(b);
    return b->handle;
}

void cuda_blas_close(CudaBlas *b) {
    if (b->handle) b->destroy(b->handle);
    unload(b);
}

void cuda_blas_describe(int driver_number, Buf *out) {
    CudaBlas blas;
    int major = 0, minor = 0;
    if (load(&blas, driver_number) && blas.property(0, &major) == 0 && blas.property(1, &minor) == 0)
        buf_printf(out, "CUDA: large matrix products by cuBLAS %d.%d\n", major, minor);
    else
        buf_puts(out, "CUDA: no cuBLAS for large matrix products: CUDA's toolkit has it, and Python's package nvidia-cublas\n");
    unload(&blas);
}

// --- Products --------------------------------------------------------------------------------------------

static void *at(const struct GridGemmOperand *o) {
    return (char *)o->memory + o->offset;
}

static bool fits(const GridGemm *g) {
    bool fit = g->rows <= INT32_MAX && g->cols <= INT32_MAX && g->depth <= INT32_MAX && g->count <= INT32_MAX;
    for (int i = 0; i < 3; i++) fit = fit && g->operand[i].lead <= INT32_MAX;
    return fit;
}

// A matrix stored by rows is the transpose of one stored by columns, so cuBLAS computes C' = B' @ A'.
bool cuda_blas_gemm(const CudaBlas *b, void *stream, const GridGemm *g) {
    static const float ones[] = {1, 0}, nothing[2];
    static const double one[] = {1, 0}, zero[2];
    const bool is_single = g->type == DT_FLOAT32 || g->type == DT_COMPLEX64;
    const void *alpha = is_single ? (const void *)ones : one, *beta = is_single ? (const void *)nothing : zero;
    const struct GridGemmOperand *left = &g->operand[1], *right = &g->operand[0], *to = &g->operand[2];
    const int m = (int)g->cols, n = (int)g->rows, k = (int)g->depth;
    if (!b->gemm[g->type] || !fits(g) || b->set_stream(b->handle, stream) != 0) return false;
    if (g->count == 1)
        return b->gemm[g->type](b->handle, left->is_turned, right->is_turned, m, n, k, alpha, at(left), (int)left->lead,
                                at(right), (int)right->lead, beta, at(to), (int)to->lead) == 0;
    return b->gemms[g->type](b->handle, left->is_turned, right->is_turned, m, n, k, alpha, at(left), (int)left->lead,
                             left->step, at(right), (int)right->lead, right->step, beta, at(to), (int)to->lead, to->step,
                             (int)g->count) == 0;
}
