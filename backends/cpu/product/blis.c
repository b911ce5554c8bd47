// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Opens BLIS at the process's first large matrix product, before the engine starts its own threads, or
// with a group of ranks.
// BLIS reads BLIS_ARCH_TYPE at its first call; on a CPU that it does not know it falls back to code
// five times slower. The variable is set here, but only while the process has a single thread,
// since the environment must not change under a host's threads; otherwise BLIS chooses. BLIS aborts
// on invalid arguments, so everything is checked first.
// The same call fixes BLIS's number of threads (BLIS_NUM_THREADS): all of the processor's, for
// LAPACK. Own products are split into one call per thread, so BLIS must stay single-threaded in
// them: it does if OpenMP allows no further level of parallelism.

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

#include "backends/cpu/cpu.h"
#include "lang/support/libraries.h"

#if __has_include("nacre_config.h")
#include "nacre_config.h"
#include "backends/cpu/library.h"
#include "backends/cpu/product/blis.h"
#endif
#ifndef NACRE_BLIS_LIBRARY
#define NACRE_BLIS_LIBRARY ""
#endif
#if defined(_OPENMP) && !defined(__clang__) // compilers with an OpenMP other than BLIS's
#define SAME_OPENMP 1
#include <omp.h>
#else
#define SAME_OPENMP 0
#endif

#define GEMM_FN(name, T)                                                                   \
    typedef void (*name)(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, \
                         const void *a, int lda, const void *b, int ldb, T beta, void *c, int ldc);
GEMM_FN(GemmF32, float)
GEMM_FN(GemmF64, double)
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef struct Choice {
    const char *number, *name, *reason; // number NULL: BLIS decides
} Choice;

// The only process-wide state of the library: filled once, under a lock.
static struct {
    pthread_once_t once;
    bool tried;
    void *handle;
    GemmF32 gemm_f32;
    GemmF64 gemm_f64;
    Choice choice;
} process = {.once = PTHREAD_ONCE_INIT};

static bool single_threaded(void) {
    DIR *dir = opendir("/proc/self/task");
    if (!dir) return false;
    int tasks = 0;
    for (struct dirent *entry; (entry = readdir(dir));) tasks += entry->d_name[0] != '.';
    closedir(dir);
    return tasks == 1;
}

static Choice choose(void) {
    if (getenv("BLIS_ARCH_TYPE")) return (Choice){NULL, "BLIS_ARCH_TYPE", "set by the environment"};
    if (has_avx512()) return (Choice){"0", "skx", "AVX-512"};
#if defined(__x86_64__)
    if (has_avx2())
        return __builtin_cpu_is("amd") ? (Choice){"6", "zen3", "AVX2, AMD"}
                                       : (Choice){"3", "haswell", "AVX2"};
#endif
    return (Choice){NULL, "default", "no sub-configuration is known to be better"};
}

// Sets BLIS_NUM_THREADS. False: the environment already sets the number of threads, or own products could not be
// limited to one thread (SAME_OPENMP).
static bool set_threads(void) {
    char text[24];
    if (!SAME_OPENMP || getenv("BLIS_NUM_THREADS") || getenv("OMP_NUM_THREADS")) return false;
    snprintf(text, sizeof text, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    return setenv("BLIS_NUM_THREADS", text, 1) == 0;
}

int blis_begin(bool wide) {
#if SAME_OPENMP
    int before = omp_get_max_active_levels();
    if (!wide) omp_set_max_active_levels(0);
    return before;
#else
    return (int)wide;
#endif
}

void blis_end(int before) {
#if SAME_OPENMP
    omp_set_max_active_levels(before);
#else
    (void)before;
#endif
}

// `alone`: whether the environment may be changed, as no other thread runs.
static void open_blis(bool alone) {
    const bool threads_set = alone && set_threads();
    process.choice = choose();
    if (process.choice.number && alone)
        setenv("BLIS_ARCH_TYPE", process.choice.number, 1);
    else if (process.choice.number)
        process.choice = (Choice){NULL, "default", "the process has threads already"};
    process.handle =
        library_open(NACRE_BLIS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (process.handle) {
        process.gemm_f32 = (GemmF32)dlsym(process.handle, "cblas_sgemm");
        process.gemm_f64 = (GemmF64)dlsym(process.handle, "cblas_dgemm");
    }
    if (process.gemm_f64) { // the first call fixes the choice
        double one = 1, out = 0;
        process.gemm_f64(ROW_MAJOR, NO_TRANS, NO_TRANS, 1, 1, 1, 1.0, &one, 1, &one, 1, 0.0, &out, 1);
    }
    if (process.choice.number) unsetenv("BLIS_ARCH_TYPE");
    if (threads_set) unsetenv("BLIS_NUM_THREADS");
}

// Describes a matrix to BLAS: rows (or, if transposed, columns) have unit stride and are `ld` elements
// apart. False: BLAS cannot express the matrix.
static bool layout(const Matrix *m, int64_t size, int *trans, int *ld) {
    bool rows = m->col_stride == size || m->cols == 1, cols = m->row_stride == size || m->rows == 1;
    int64_t row = m->row_stride / size, col = m->col_stride / size;
    if (m->row_stride % size || m->col_stride % size) return false;
    if (rows && (row >= m->cols || m->rows == 1)) {
        *trans = NO_TRANS;
        *ld = m->rows == 1 || row > INT_MAX ? (int)m->cols : (int)row;
        return m->rows == 1 || row <= INT_MAX;
    }
    if (cols && (col >= m->rows || m->cols == 1)) {
        *trans = TRANS;
        *ld = m->cols == 1 ? (int)m->rows : (int)col;
        return m->cols == 1 || col <= INT_MAX;
    }
    return false;
}

static void open_here(void) {
    open_blis(single_threaded());
}

static void *open_as_thread(void *alone) {
    open_blis(*(const bool *)alone);
    return NULL;
}

// Only the thread that opens BLIS 0.9 uses its 1m method for complex products, and so gets other last bits than the
// rest. One that ends at once makes all others alike. While it runs, its creator does nothing but wait.
static void open_apart(void) {
    pthread_t thread;
    bool alone = single_threaded();
    if (pthread_create(&thread, NULL, open_as_thread, &alone) == 0) pthread_join(thread, NULL);
    else open_blis(alone);
}

void blis_prepare(void) {
    pthread_once(&process.once, open_here);
}

void blis_prepare_for_ranks(void) {
    pthread_once(&process.once, open_apart);
}

// C = alpha * A @ B + beta * C, with contiguous rows of C.
typedef struct Gemm {
    DType type;
    int trans_a, trans_b, m, n, k, lda, ldb, ldc;
    const Matrix *a, *b, *c;
} Gemm;

static bool is_there(DType type) {
    return type == DT_FLOAT32 ? process.gemm_f32 != NULL : type == DT_FLOAT64 && process.gemm_f64;
}

static void call(const Gemm *g, double alpha, double beta) {
#define CALL(gemm, T)                                                                             \
    process.gemm(ROW_MAJOR, g->trans_a, g->trans_b, g->m, g->n, g->k, (T)alpha, g->a->data, g->lda, \
                 g->b->data, g->ldb, (T)beta, g->c->data, g->ldc)
    if (g->type == DT_FLOAT32) CALL(gemm_f32, float);
    else CALL(gemm_f64, double);
#undef CALL
}

static bool gemm(DType type, double alpha, const Matrix *a, const Matrix *b, double beta,
                 const Matrix *c) {
    int64_t size = (int64_t)dtype_size(type);
    Gemm g = {.type = type, .a = a, .b = b, .c = c};
    int trans_c;
    if (a->rows > INT_MAX || a->cols > INT_MAX || b->cols > INT_MAX) return false;
    if (!layout(a, size, &g.trans_a, &g.lda) || !layout(b, size, &g.trans_b, &g.ldb) ||
        !layout(c, size, &trans_c, &g.ldc) || trans_c != NO_TRANS)
        return false;
    blis_prepare();
    if (!is_there(type)) return false;
    g.m = (int)a->rows;
    g.n = (int)b->cols;
    g.k = (int)a->cols;
    int before = blis_begin(false);
    call(&g, alpha, beta);
    blis_end(before);
    return true;
}

bool blis_matmul(DType type, const Matrix *a, const Matrix *b, const Matrix *c) {
    return gemm(type, 1.0, a, b, 0.0, c);
}

bool blis_subtract(const Matrix *a, const Matrix *b, const Matrix *c) {
    return gemm(DT_FLOAT64, -1.0, a, b, 1.0, c);
}

void blis_describe(Buf *out) {
    if (!NACRE_BLIS_LIBRARY[0]) {
        buf_puts(out, "BLIS: not in this build; matrix products use own code\n");
        return;
    }
    Choice choice = choose();
    char at[PATH_MAX];
    buf_printf(out, "BLIS: %s, %s (%s)\n", library_where(NACRE_BLIS_LIBRARY, at), choice.name, choice.reason);
}
