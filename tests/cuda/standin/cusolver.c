// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A stand-in for libcusolver, beside the stand-in driver: LAPACK on the host, behind what is in the stream. It is
// stricter than the real one: all that a call reads and writes is in live memory, workspaces are as large as was said,
// and full of 0xff at the end, as are matrices whose elements are undefined then. Numbers that are not finite, which
// iterations may not bear, are complained about.
//
// STANDIN_FAIL=cusolverDnXgetrf:2  as of the driver; STANDIN_SOLVER_INFO=3  the third matrix has no result

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { ALLOC_FAILED = 2, INVALID = 3, INTERNAL_ERROR = 7 };
enum { REAL = 1, COMPLEX = 5 }; // ids of types
enum { HOST_BYTES = 64 };       // of iterations

// --- LAPACK --------------------------------------------------------------------------------------------------

typedef const int *Int;
typedef const char *Letter;
static struct {
    void (*getrf[2])(Int m, Int n, void *a, Int lda, int *pivots, int *info);
    void (*getrs[2])(Letter op, Int n, Int sides, const void *a, Int lda, Int pivots, void *b, Int ldb, int *info, size_t);
    void (*potrf[2])(Letter triangle, Int n, void *a, Int lda, int *info, size_t);
    void (*geqrf[2])(Int m, Int n, void *a, Int lda, void *tau, void *work, Int length, int *info);
    void (*orgqr[2])(Int m, Int n, Int k, void *a, Int lda, const void *tau, void *work, Int length, int *info);
    void (*syev)(Letter job, Letter triangle, Int n, void *a, Int lda, double *w, void *work, Int length, int *info, size_t, size_t);
    void (*heev)(Letter job, Letter triangle, Int n, void *a, Int lda, double *w, void *work, Int length, double *reals, int *info,
                 size_t, size_t);
    void (*dgesvd)(Letter job_u, Letter job_vt, Int m, Int n, void *a, Int lda, double *s, void *u, Int ldu, void *vt, Int ldvt,
                   void *work, Int length, int *info, size_t, size_t);
    void (*zgesvd)(Letter job_u, Letter job_vt, Int m, Int n, void *a, Int lda, double *s, void *u, Int ldu, void *vt, Int ldvt,
                   void *work, Int length, double *reals, int *info, size_t, size_t);
    void (*dgeev)(Letter job_left, Letter job_right, Int n, void *a, Int lda, double *re, double *im, void *vl, Int ldvl, void *vr,
                  Int ldvr, void *work, Int length, int *info, size_t, size_t);
    void (*zgeev)(Letter job_left, Letter job_right, Int n, void *a, Int lda, void *w, void *vl, Int ldvl, void *vr, Int ldvr,
                  void *work, Int length, double *reals, int *info, size_t, size_t);
} lapack;

static bool open_lapack(void) {
    static void *library;
    if (!library) library = dlopen(STANDIN_LAPACK, RTLD_LAZY | RTLD_LOCAL);
#define FIND(member, symbol) (*(void **)&lapack.member = dlsym(library, symbol)) != NULL
    return library && FIND(getrf[0], "dgetrf_") && FIND(getrf[1], "zgetrf_") && FIND(getrs[0], "dgetrs_") &&
           FIND(getrs[1], "zgetrs_") && FIND(potrf[0], "dpotrf_") && FIND(potrf[1], "zpotrf_") && FIND(geqrf[0], "dgeqrf_") &&
           FIND(geqrf[1], "zgeqrf_") && FIND(orgqr[0], "dorgqr_") && FIND(orgqr[1], "zungqr_") && FIND(syev, "dsyev_") &&
           FIND(heev, "zheev_") && FIND(dgesvd, "dgesvd_") && FIND(zgesvd, "zgesvd_") && FIND(dgeev, "dgeev_") &&
           FIND(zgeev, "zgeev_");
#undef FIND
}

// --- Handles ---------------------------------------------------------------------------------------------------

typedef struct Handle {
    Stream *stream;
} Handle;

API int cusolverGetProperty(int which, int *value) {
    *value = which == 0 ? 11 : 7;
    return OK;
}

API int cusolverDnCreate(Handle **out) {
    ENTER_WITH_CONTEXT();
    if (!open_lapack() || !(*out = calloc(1, sizeof **out))) return ALLOC_FAILED;
    standin_live(1);
    return OK;
}

API int cusolverDnDestroy(Handle *handle) {
    ENTER();
    free(handle);
    standin_live(-1);
    return OK;
}

API int cusolverDnSetStream(Handle *handle, Stream *stream) {
    ENTER();
    handle->stream = stream;
    return OK;
}

#define OPTIONS(create, destroy)             \
    API int create(void **out) {             \
        ENTER();                             \
        if (!(*out = malloc(1))) return ALLOC_FAILED; \
        standin_live(1);                     \
        return OK;                           \
    }                                        \
    API int destroy(void *options) {         \
        ENTER();                             \
        free(options);                       \
        standin_live(-1);                    \
        return OK;                           \
    }
OPTIONS(cusolverDnCreateParams, cusolverDnDestroyParams)
OPTIONS(cusolverDnCreateSyevjInfo, cusolverDnDestroySyevjInfo)
OPTIONS(cusolverDnCreateGesvdjInfo, cusolverDnDestroyGesvdjInfo)

// --- What is computed --------------------------------------------------------------------------------------

typedef struct Job {
    int (*run)(const struct Job *job, int number); // answers LAPACK's info
    const char *name;
    int is_complex, m, n, k, lda, ldb, ldc, count, is_turned;
    char letter[2];
    void *a, *b, *c, *d; // where memory is in truth
    int64_t *pivots;
    int *info;
    void *work, *host;
    size_t work_bytes, host_bytes, size;
} Job;

static void *of(void *stack, size_t each, size_t size, int number) {
    return stack ? (char *)stack + (size_t)number * each * size : NULL;
}

static void spoil(void *memory, size_t bytes) {
    if (memory) memset(memory, 0xff, bytes);
}

static void spoil_matrix(const Job *j, int number) {
    for (int col = 0; col < j->n; col++)
        spoil(of(j->a, (size_t)j->lda, j->size, number * j->n + col), (size_t)j->m * j->size);
}

static void check_finite(const Job *j, const void *a) {
    const double *at = a;
    for (size_t i = 0; i < (size_t)j->m * (size_t)j->n * j->size / sizeof *at; i++) // lda is m here
        if (!isfinite(at[i])) {
            fprintf(stderr, "stand-in: %s of numbers that are not finite\n", j->name);
            return;
        }
}

// LAPACK's workspaces, generously.
static void *room(const Job *j, int *length) {
    const int most = j->m > j->n ? j->m : j->n;
    *length = 64 * most + 64;
    return malloc((size_t)*length * 2 * sizeof(double));
}

static int run_getrf(const Job *j, int number) {
    (void)number; // there is one
    int info, *own = malloc((size_t)j->n * sizeof *own);
    lapack.getrf[j->is_complex](&j->n, &j->n, j->a, &j->lda, own, &info);
    for (int i = 0; i < j->n; i++) j->pivots[i] = own[i];
    free(own);
    return info;
}

static int run_getrs(const Job *j, int number) {
    (void)number; // there is one
    int info, *own = malloc((size_t)j->n * sizeof *own);
    for (int i = 0; i < j->n; i++) own[i] = (int)j->pivots[i];
    lapack.getrs[j->is_complex](j->is_turned ? "T" : "N", &j->n, &j->k, j->a, &j->lda, own, j->b, &j->ldb, &info, 1);
    free(own);
    return info;
}

static int run_potrf(const Job *j, int number) {
    (void)number; // there is one
    int info;
    char *a = j->a;
    lapack.potrf[j->is_complex](j->letter, &j->n, a, &j->lda, &info, 1);
    for (int col = 0; col < j->n; col++) // it is undefined below the diagonal
        spoil(a + ((size_t)col * (size_t)j->lda + (size_t)col + 1) * j->size, (size_t)(j->n - col - 1) * j->size);
    return info;
}

static int run_geqrf(const Job *j, int number) {
    (void)number; // there is one
    int info, length;
    void *work = room(j, &length);
    lapack.geqrf[j->is_complex](&j->m, &j->n, j->a, &j->lda, j->b, work, &length, &info);
    free(work);
    return info;
}

static int run_orgqr(const Job *j, int number) {
    (void)number; // there is one
    int info, length;
    void *work = room(j, &length);
    lapack.orgqr[j->is_complex](&j->m, &j->n, &j->k, j->a, &j->lda, j->b, work, &length, &info);
    free(work);
    return info;
}

static int run_syev(const Job *j, int number) {
    int info, length;
    void *work = room(j, &length), *a = of(j->a, (size_t)j->lda * (size_t)j->n, j->size, number);
    double *w = of(j->b, (size_t)j->n, sizeof(double), number), *reals = malloc((size_t)j->n * 3 * sizeof *reals);
    check_finite(j, a);
    if (j->is_complex) lapack.heev(j->letter, j->letter + 1, &j->n, a, &j->lda, w, work, &length, reals, &info, 1, 1);
    else lapack.syev(j->letter, j->letter + 1, &j->n, a, &j->lda, w, work, &length, &info, 1, 1);
    if (j->letter[0] == 'N') spoil_matrix(j, number);
    free(reals);
    free(work);
    return info;
}

static int run_gesvd(const Job *j, int number) {
    int info, length;
    void *work = room(j, &length), *a = of(j->a, (size_t)j->lda * (size_t)j->n, j->size, number);
    double *s = of(j->b, (size_t)j->n, sizeof(double), number), *reals = malloc((size_t)j->n * 5 * sizeof *reals);
    const char *job = j->letter;
    check_finite(j, a);
    if (j->is_complex)
        lapack.zgesvd(job, job, &j->m, &j->n, a, &j->lda, s, j->c, &j->ldb, j->d, &j->ldc, work, &length, reals, &info, 1, 1);
    else lapack.dgesvd(job, job, &j->m, &j->n, a, &j->lda, s, j->c, &j->ldb, j->d, &j->ldc, work, &length, &info, 1, 1);
    spoil_matrix(j, number);
    free(reals);
    free(work);
    return info;
}

#ifndef STANDIN_OLD
static int run_geev(const Job *j, int number) {
    int info, length;
    void *work = room(j, &length);
    double *w = j->b, *reals = malloc((size_t)j->n * 2 * sizeof *reals);
    check_finite(j, j->a);
    if (j->is_complex)
        lapack.zgeev("N", j->letter, &j->n, j->a, &j->lda, w, NULL, &j->ldc, j->c, &j->ldc, work, &length, reals, &info, 1, 1);
    else
        lapack.dgeev("N", j->letter, &j->n, j->a, &j->lda, w, w + j->n, NULL, &j->ldc, j->c, &j->ldc, work, &length, &info, 1, 1);
    spoil_matrix(j, number);
    free(reals);
    free(work);
    return info;
}
#endif

static bool is_refused(void) {
    static long matrices;
    const char *which = getenv("STANDIN_SOLVER_INFO");
    return which && ++matrices == atol(which);
}

static void compute(void *context) {
    Job *j = context;
    for (int i = 0; i < j->count; i++) {
        int info = j->run(j, i);
        j->info[i] = is_refused() ? 1 : info;
    }
    spoil(j->work, j->work_bytes);
    spoil(j->host, j->host_bytes); // the host's has to be there still
    free(j);
}

// --- What is asked for -----------------------------------------------------------------------------------------

static bool real(void **memory, size_t elements, size_t size, const char *name) {
    if (elements) *memory = standin_memory((Ptr)(uintptr_t)*memory, elements * size, name);
    return !elements || *memory;
}

static size_t span(int lead, int cols, int count) {
    return (size_t)lead * (size_t)cols * (size_t)count;
}

// What the pointers of a job say, in elements; the workspace is at least as large as was said.
typedef struct Extents {
    size_t b, c, d, pivots, work, host, b_size;
} Extents;

static int enqueue(const Handle *handle, Job job, Extents e) {
    void *pivots = job.pivots, *info = job.info;
    if (job.lda < job.m || job.m < 1 || job.n < 1 || !handle->stream) return INVALID;
    if (job.work_bytes < e.work || job.host_bytes < e.host || (e.host && !job.host)) return INVALID;
    const size_t all = span(job.lda, job.n, job.count) - (size_t)(job.lda - job.m);
    if (!real(&job.a, all, job.size, job.name) || !real(&job.b, e.b, e.b_size, job.name) ||
        !real(&job.c, e.c, job.size, job.name) || !real(&job.d, e.d, job.size, job.name) ||
        !real(&pivots, e.pivots, sizeof(int64_t), job.name) || !real(&info, (size_t)job.count, sizeof(int), job.name) ||
        !real(&job.work, job.work_bytes, 1, job.name))
        return INVALID;
    job.pivots = pivots, job.info = info;
    Job *own = malloc(sizeof *own);
    if (!own) return INTERNAL_ERROR;
    *own = job;
    return standin_enqueue(handle->stream, compute, own) == OK ? OK : INTERNAL_ERROR;
}

static size_t size_of(int type) {
    return type == COMPLEX ? 2 * sizeof(double) : type == REAL ? sizeof(double) : 0;
}

static size_t said(int64_t m, int64_t n, int type) {
    return (size_t)(m + 3 * n) * size_of(type);
}

static int say(size_t *on_device, size_t *on_host, size_t device, size_t host) {
    *on_device = device;
    *on_host = host;
    return device ? OK : INVALID;
}

#define JOB(NAME, m_, n_, lda_) \
    .name = NAME, .is_complex = type == COMPLEX, .size = size_of(type), .m = (int)(m_), .n = (int)(n_), .lda = (int)(lda_), .count = 1
#define SPACE .work = device, .work_bytes = device_bytes, .host = host, .host_bytes = host_bytes, .info = info
#define SPACE_PARAMETERS void *device, size_t device_bytes, void *host, size_t host_bytes, int *info
#define SIZE_PARAMETERS size_t *on_device, size_t *on_host

API int cusolverDnXgetrf_bufferSize(Handle *h, void *params, int64_t m, int64_t n, int type_a, const void *a, int64_t lda, int type,
                                    SIZE_PARAMETERS) {
    ENTER();
    (void)h, (void)params, (void)a, (void)lda;
    return type == type_a ? say(on_device, on_host, said(m, n, type), 0) : INVALID;
}

API int cusolverDnXgetrf(Handle *h, void *params, int64_t m, int64_t n, int type_a, void *a, int64_t lda, int64_t *pivots, int type,
                         SPACE_PARAMETERS) {
    ENTER();
    (void)params;
    if (type != type_a || m != n) return INVALID;
    return enqueue(h, (Job){JOB("getrf", m, n, lda), .run = run_getrf, .a = a, .pivots = pivots, SPACE},
                   (Extents){.pivots = (size_t)n, .work = said(m, n, type)});
}

API int cusolverDnXgetrs(Handle *h, void *params, int op, int64_t n, int64_t sides, int type_a, const void *a, int64_t lda,
                         const int64_t *pivots, int type, void *b, int64_t ldb, int *info) {
    ENTER();
    (void)params;
    if (type != type_a || ldb < n || sides < 1 || op > 1) return INVALID;
    return enqueue(h, (Job){JOB("getrs", n, n, lda), .run = run_getrs, .k = (int)sides, .ldb = (int)ldb, .is_turned = op,
                            .a = (void *)(uintptr_t)a, .b = b, .pivots = (int64_t *)(uintptr_t)pivots, .info = info},
                   (Extents){.b = span((int)ldb, (int)sides - 1, 1) + (size_t)n, .b_size = size_of(type), .pivots = (size_t)n});
}

API int cusolverDnXpotrf_bufferSize(Handle *h, void *params, int triangle, int64_t n, int type_a, const void *a, int64_t lda,
                                    int type, SIZE_PARAMETERS) {
    ENTER();
    (void)h, (void)params, (void)triangle, (void)a, (void)lda;
    return type == type_a ? say(on_device, on_host, said(n, n, type), 0) : INVALID;
}

API int cusolverDnXpotrf(Handle *h, void *params, int triangle, int64_t n, int type_a, void *a, int64_t lda, int type,
                         SPACE_PARAMETERS) {
    ENTER();
    (void)params;
    if (type != type_a || triangle != 1) return INVALID; // the stand-in has the upper one
    return enqueue(h, (Job){JOB("potrf", n, n, lda), .run = run_potrf, .letter = "U", .a = a, SPACE},
                   (Extents){.work = said(n, n, type)});
}

API int cusolverDnXgeqrf_bufferSize(Handle *h, void *params, int64_t m, int64_t n, int type_a, const void *a, int64_t lda,
                                    int type_tau, const void *tau, int type, SIZE_PARAMETERS) {
    ENTER();
    (void)h, (void)params, (void)a, (void)lda, (void)tau;
    return type == type_a && type == type_tau ? say(on_device, on_host, said(m, n, type), 0) : INVALID;
}

API int cusolverDnXgeqrf(Handle *h, void *params, int64_t m, int64_t n, int type_a, void *a, int64_t lda, int type_tau, void *tau,
                         int type, SPACE_PARAMETERS) {
    ENTER();
    (void)params;
    if (type != type_a || type != type_tau) return INVALID;
    return enqueue(h, (Job){JOB("geqrf", m, n, lda), .run = run_geqrf, .a = a, .b = tau, SPACE},
                   (Extents){.b = (size_t)(m < n ? m : n), .b_size = size_of(type), .work = said(m, n, type)});
}

API int cusolverDnXsyevd_bufferSize(Handle *h, void *params, int job, int triangle, int64_t n, int type_a, const void *a,
                                    int64_t lda, int type_w, const void *w, int type, SIZE_PARAMETERS) {
    ENTER();
    (void)h, (void)params, (void)job, (void)triangle, (void)a, (void)lda, (void)w;
    return type == type_a && type_w == REAL ? say(on_device, on_host, said(n, n, type), HOST_BYTES) : INVALID;
}

API int cusolverDnXsyevd(Handle *h, void *params, int job, int triangle, int64_t n, int type_a, void *a, int64_t lda, int type_w,
                         void *w, int type, SPACE_PARAMETERS) {
    ENTER();
    (void)params;
    if (type != type_a || type_w != REAL) return INVALID;
    return enqueue(h, (Job){JOB("syevd", n, n, lda), .run = run_syev, .letter = {job ? 'V' : 'N', triangle ? 'U' : 'L'}, .a = a, .b = w,
                            SPACE},
                   (Extents){.b = (size_t)n, .b_size = sizeof(double), .work = said(n, n, type), .host = HOST_BYTES});
}

API int cusolverDnXgesvd_bufferSize(Handle *h, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n,
                                    int type_a, const void *a, int64_t lda, int type_s, const void *s, int type_u, const void *u,
                                    int64_t ldu, int type_vt, const void *vt, int64_t ldvt, int type, SIZE_PARAMETERS) {
    ENTER();
    (void)h, (void)params, (void)a, (void)lda, (void)s, (void)u, (void)vt;
    if (type != type_a || type_s != REAL || type_u != type || type_vt != type || m < n || job_u != job_vt || ldu < m || ldvt < n)
        return INVALID;
    return say(on_device, on_host, said(m, n, type), HOST_BYTES);
}

API int cusolverDnXgesvd(Handle *h, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type_a, void *a,
                         int64_t lda, int type_s, void *s, int type_u, void *u, int64_t ldu, int type_vt, void *vt, int64_t ldvt,
                         int type, SPACE_PARAMETERS) {
    ENTER();
    (void)params;
    if (type != type_a || type_s != REAL || type_u != type || type_vt != type || m < n || job_u != job_vt || ldu < m || ldvt < n)
        return INVALID;
    const bool none = job_u == 'N';
    return enqueue(h, (Job){JOB("gesvd", m, n, lda), .run = run_gesvd, .letter = {(char)job_u}, .ldb = (int)ldu, .ldc = (int)ldvt,
                            .a = a, .b = s, .c = u, .d = vt, SPACE},
                   (Extents){.b = (size_t)n, .b_size = sizeof(double), .c = none ? 0 : span((int)ldu, (int)(job_u == 'A' ? m : n), 1),
                             .d = none ? 0 : span((int)ldvt, (int)n, 1), .work = said(m, n, type), .host = HOST_BYTES});
}

#ifndef STANDIN_OLD
API int cusolverDnXgeev_bufferSize(Handle *h, void *params, int job_left, int job_right, int64_t n, int type_a, const void *a,
                                   int64_t lda, int type_w, const void *w, int type_vl, const void *vl, int64_t ldvl, int type_vr,
                                   const void *vr, int64_t ldvr, int type, SIZE_PARAMETERS) {
    ENTER();
    (void)h, (void)params, (void)job_right, (void)a, (void)lda, (void)w, (void)vl, (void)ldvl, (void)vr, (void)ldvr;
    if (type != type_a || type_w != type || type_vl != type || type_vr != type || job_left) return INVALID;
    return say(on_device, on_host, said(n, n, type), HOST_BYTES);
}

API int cusolverDnXgeev(Handle *h, void *params, int job_left, int job_right, int64_t n, int type_a, void *a, int64_t lda,
                        int type_w, void *w, int type_vl, void *vl, int64_t ldvl, int type_vr, void *vr, int64_t ldvr, int type,
                        SPACE_PARAMETERS) {
    ENTER();
    (void)params, (void)vl, (void)ldvl;
    if (type != type_a || type_w != type || type_vl != type || type_vr != type || job_left || ldvr < n) return INVALID;
    return enqueue(h, (Job){JOB("geev", n, n, lda), .run = run_geev, .letter = {job_right ? 'V' : 'N'}, .ldc = (int)ldvr, .a = a, .b = w,
                            .c = vr, SPACE},
                   (Extents){.b = (size_t)(type == COMPLEX ? n : 2 * n), .b_size = size_of(type),
                             .c = job_right ? span((int)ldvr, (int)n, 1) : 0, .work = said(n, n, type), .host = HOST_BYTES});
}
#endif

// --- Of one type each --------------------------------------------------------------------------------------------

static int length_said(int m, int n, int *length) {
    *length = m + 3 * n;
    return OK;
}

#define TYPED(TYPE, ORGQR, SYEVJ, GESVDJ)                                                                                       \
    API int ORGQR##_bufferSize(Handle *h, int m, int n, int k, const void *a, int lda, const void *tau, int *length) {          \
        ENTER();                                                                                                                \
        (void)h, (void)k, (void)a, (void)lda, (void)tau;                                                                        \
        return length_said(m, n, length);                                                                                       \
    }                                                                                                                           \
    API int ORGQR(Handle *h, int m, int n, int k, void *a, int lda, const void *tau, void *work, int length, int *info) {       \
        ENTER();                                                                                                                \
        const int type = TYPE;                                                                                                  \
        if (k > n || n > m) return INVALID;                                                                                     \
        return enqueue(h, (Job){JOB("orgqr", m, n, lda), .run = run_orgqr, .k = k, .a = a, .b = (void *)(uintptr_t)tau,         \
                                .work = work, .work_bytes = (size_t)length * size_of(type), .info = info},                      \
                       (Extents){.b = (size_t)k, .b_size = size_of(type), .work = said(m, n, type)});                           \
    }                                                                                                                           \
    API int SYEVJ##_bufferSize(Handle *h, int job, int triangle, int n, const void *a, int lda, const double *w, int *length,   \
                               void *options, int count) {                                                                      \
        ENTER();                                                                                                                \
        (void)h, (void)job, (void)triangle, (void)a, (void)lda, (void)w, (void)options, (void)count;                            \
        return length_said(n, n, length);                                                                                       \
    }                                                                                                                           \
    API int SYEVJ(Handle *h, int job, int triangle, int n, void *a, int lda, double *w, void *work, int length, int *info,      \
                  void *options, int count) {                                                                                   \
        ENTER();                                                                                                                \
        const int type = TYPE;                                                                                                  \
        if (!options) return INVALID;                                                                                           \
        Job made = {JOB("syevj", n, n, lda), .run = run_syev, .letter = {job ? 'V' : 'N', triangle ? 'U' : 'L'}, .a = a, .b = w, \
                    .work = work, .work_bytes = (size_t)length * size_of(type), .info = info};                                  \
        made.count = count;                                                                                                     \
        return enqueue(h, made, (Extents){.b = (size_t)n * (size_t)count, .b_size = sizeof(double), .work = said(n, n, type)}); \
    }                                                                                                                           \
    API int GESVDJ##_bufferSize(Handle *h, int job, int m, int n, const void *a, int lda, const double *s, const void *u,       \
                                int ldu, const void *v, int ldv, int *length, void *options, int count) {                       \
        ENTER();                                                                                                                \
        (void)h, (void)job, (void)a, (void)lda, (void)s, (void)u, (void)ldu, (void)v, (void)ldv, (void)options, (void)count;    \
        return length_said(m, n, length);                                                                                       \
    }                                                                                                                           \
    API int GESVDJ(Handle *h, int job, int m, int n, void *a, int lda, double *s, void *u, int ldu, void *v, int ldv,           \
                   void *work, int length, int *info, void *options, int count) {                                               \
        ENTER();                                                                                                                \
        const int type = TYPE;                                                                                                  \
        if (!options || job || m > 32 || n > 32 || m < n || ldu < m || ldv < n) return INVALID;                                 \
        Job made = {JOB("gesvdj", m, n, lda), .run = run_gesvd, .letter = "N", .ldb = ldu, .ldc = ldv, .a = a, .b = s, .c = u,  \
                    .d = v, .work = work, .work_bytes = (size_t)length * size_of(type), .info = info};                          \
        made.count = count;                                                                                                     \
        return enqueue(h, made, (Extents){.b = (size_t)n * (size_t)count, .b_size = sizeof(double), .c = span(ldu, m, count),   \
                                          .d = span(ldv, n, count), .work = said(m, n, type)});                                 \
    }
TYPED(REAL, cusolverDnDorgqr, cusolverDnDsyevjBatched, cusolverDnDgesvdjBatched)
TYPED(COMPLEX, cusolverDnZungqr, cusolverDnZheevjBatched, cusolverDnZgesvdjBatched)
