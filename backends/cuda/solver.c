// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Factorisations by cuSOLVER. Matrices of a stack are processed one after the other, in the order of the stream and
// with one workspace. A stack of small ones is processed by one batched call if this is as accurate.

#define _GNU_SOURCE
#include "backends/cuda/solver.h"

#include <dlfcn.h>
#include <string.h>

// Constants of the interfaces of cuSOLVER and cuBLAS.
enum { TYPE_FLOAT64 = 1, TYPE_COMPLEX128 = 5 };
enum { AS_IT_IS, TRANSPOSED };
enum { LOWER, UPPER };
enum { BATCH_MOST = 32 }; // the most rows, and columns, of matrices in a batched call

// --- Finding it ------------------------------------------------------------------------------------------

static bool look_up(CudaSolver *s) {
    bool all = true;
#define FIND(member, symbol) *(void **)&s->member = dlsym(s->library, #symbol)
#define REQUIRED(member, symbol, parameters) all &= (FIND(member, symbol)) != NULL;
#define TYPED(member, real, complex, parameters) all &= (FIND(member[0], real)) != NULL && (FIND(member[1], complex)) != NULL;
#define OPTIONAL(member, symbol, parameters) FIND(member, symbol);
    CUDA_SOLVER(REQUIRED)
    CUDA_SOLVER_TYPED(TYPED)
    CUDA_SOLVER_OPTIONAL(OPTIONAL)
#undef OPTIONAL
#undef TYPED
#undef REQUIRED
#undef FIND
    return all;
}

static void unload(CudaSolver *s) {
    if (s->gesvdj_options) s->gesvdj_destroy(s->gesvdj_options);
    if (s->syevj_options) s->syevj_destroy(s->syevj_options);
    if (s->params) s->params_destroy(s->params);
    if (s->handle) s->destroy(s->handle);
    if (s->library) dlclose(s->library);
    *s = (CudaSolver){.is_tried = true};
}

// Returns whether cuSOLVER fits the driver. Version 11 belongs to CUDA 11 and 12, a later one to the next higher CUDA.
static bool fits_driver(const CudaSolver *s, int driver_number) {
    enum { LAST_OF_SEVERAL = 11 };
    int major = 0;
    return s->property(0, &major) == 0 && driver_number / 1000 >= (major <= LAST_OF_SEVERAL ? LAST_OF_SEVERAL : major + 1);
}

static bool load(CudaSolver *s, const char *path, int driver_number) {
    *s = (CudaSolver){.is_tried = true, .library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (s->library && look_up(s) && fits_driver(s, driver_number)) return true;
    unload(s);
    return false;
}

static bool start(CudaSolver *s) {
    return s->create(&s->handle) == 0 && s->params_create(&s->params) == 0 && s->syevj_create(&s->syevj_options) == 0 &&
           s->gesvdj_create(&s->gesvdj_options) == 0;
}

typedef struct Search {
    CudaSolver *solver;
    int driver_number;
} Search;

static bool load_one(void *context, const char *path) {
    const Search *search = context;
    return load(search->solver, path, search->driver_number);
}

// Loads cuSOLVER from a path and creates its handles. One of CUDA 12 can be loaded with a driver of CUDA 11; only
// creating a handle shows that it does not work.
static bool start_one(void *context, const char *path) {
    const Search *search = context;
    if (load_one(context, path) && start(search->solver)) return true;
    unload(search->solver);
    return false;
}

bool cuda_solver_open(CudaSolver *s, int driver_number) {
    Search search = {s, driver_number};
    if (!s->is_tried && !cuda_find("libcusolver", start_one, &search)) unload(s);
    return s->handle;
}

void cuda_solver_close(CudaSolver *s) {
    unload(s);
}

bool cuda_solver_has(const CudaSolver *s, GridSolveKind kind) {
    return s->handle && (kind != GRID_EIG || (s->geev && s->geev_size));
}

void cuda_solver_describe(int driver_number, Buf *out) {
    CudaSolver solver;
    Search search = {&solver, driver_number};
    int major = 0, minor = 0;
    if (!cuda_find("libcusolver", load_one, &search)) {
        buf_puts(out, "CUDA: no cuSOLVER for factors, eigenvalues and singular values: CUDA's toolkit has it, and Python's package "
                      "nvidia-cusolver\n");
        return;
    }
    solver.property(0, &major);
    solver.property(1, &minor);
    buf_printf(out, "CUDA: factors, eigenvalues%s and singular values by cuSOLVER %d.%d\n",
               solver.geev ? "" : " (of symmetric matrices; others: from CUDA 12.6 on)", major, minor);
    unload(&solver);
}

// --- Calls -----------------------------------------------------------------------------------------------

typedef struct Space {
    void *device, *host;
    size_t device_bytes, host_bytes;
} Space;

// A call of the library: for matrix number `number` of a stack, or batched, for the whole stack.
typedef struct Call {
    const CudaSolver *s;
    const GridSolve *what;
    int64_t number;
    int type, real_type, batch; // batch: number of matrices; 0: the call is not batched
    bool is_complex;
    Space space;
} Call;

static void *matrix(const Call *c, const GridSolveOperand *o, size_t size) {
    return o->memory ? (char *)o->memory + (size_t)(o->at + c->number * o->step) * size : NULL;
}

static void *elements(const Call *c, const GridSolveOperand *o) {
    return matrix(c, o, dtype_size(c->what->type));
}

static void *reals(const Call *c, const GridSolveOperand *o) {
    return matrix(c, o, sizeof(double));
}

static int *info(const Call *c) {
    return (int *)c->what->info + c->number;
}

// SizeFn computes the bytes of the workspaces of a call, RunFn enqueues the call. False: the library refuses.
typedef bool SizeFn(const Call *c, Space *space);
typedef bool RunFn(const Call *c);

#define SIZES &space->device_bytes, &space->host_bytes
#define SPACE c->space.device, c->space.device_bytes, c->space.host, c->space.host_bytes, info(c)

static bool lu_size(const Call *c, Space *space) {
    const GridSolve *w = c->what;
    return c->s->getrf_size(c->s->handle, c->s->params, w->rows, w->rows, c->type, w->a.memory, w->a.lead, c->type, SIZES) == 0;
}

static bool lu_run(const Call *c) {
    const GridSolve *w = c->what;
    return c->s->getrf(c->s->handle, c->s->params, w->rows, w->rows, c->type, elements(c, &w->a), w->a.lead,
                       matrix(c, &w->b, sizeof(int64_t)), c->type, SPACE) == 0;
}

static bool no_size(const Call *c, Space *space) {
    (void)c, (void)space;
    return true;
}

static bool lu_solve_run(const Call *c) {
    const GridSolve *w = c->what;
    return c->s->getrs(c->s->handle, c->s->params, w->is_turned ? TRANSPOSED : AS_IT_IS, w->rows, w->cols, c->type,
                       elements(c, &w->a), w->a.lead, matrix(c, &w->b, sizeof(int64_t)), c->type, elements(c, &w->c), w->c.lead,
                       info(c)) == 0;
}

static bool cholesky_size(const Call *c, Space *space) {
    const GridSolve *w = c->what;
    return c->s->potrf_size(c->s->handle, c->s->params, UPPER, w->rows, c->type, w->a.memory, w->a.lead, c->type, SIZES) == 0;
}

static bool cholesky_run(const Call *c) {
    const GridSolve *w = c->what;
    return c->s->potrf(c->s->handle, c->s->params, UPPER, w->rows, c->type, elements(c, &w->a), w->a.lead, c->type, SPACE) == 0;
}

static bool qr_size(const Call *c, Space *space) {
    const GridSolve *w = c->what;
    return c->s->geqrf_size(c->s->handle, c->s->params, w->rows, w->cols, c->type, w->a.memory, w->a.lead, c->type, w->b.memory,
                            c->type, SIZES) == 0;
}

static bool qr_run(const Call *c) {
    const GridSolve *w = c->what;
    return c->s->geqrf(c->s->handle, c->s->params, w->rows, w->cols, c->type, elements(c, &w->a), w->a.lead, c->type,
                       elements(c, &w->b), c->type, SPACE) == 0;
}

// --- Routines that count in integers of 32 bits --------------------------------------------------------------

static bool fits(const GridSolve *w) {
    return w->rows <= INT32_MAX && w->cols <= INT32_MAX && w->a.lead <= INT32_MAX && w->count <= INT32_MAX;
}

static int length(const Call *c) {
    return (int)(c->space.device_bytes / dtype_size(c->what->type));
}

static bool set_length(const Call *c, int count, Space *space) {
    space->device_bytes = count > 0 ? (size_t)count * dtype_size(c->what->type) : 0;
    return count >= 0;
}

static bool qr_q_size(const Call *c, Space *space) {
    const GridSolve *w = c->what;
    int count = 0;
    return fits(w) && c->s->orgqr_size[c->is_complex](c->s->handle, (int)w->rows, (int)w->cols, (int)w->depth, w->a.memory,
                                                      (int)w->a.lead, w->b.memory, &count) == 0 &&
           set_length(c, count, space);
}

static bool qr_q_run(const Call *c) {
    const GridSolve *w = c->what;
    return c->s->orgqr[c->is_complex](c->s->handle, (int)w->rows, (int)w->cols, (int)w->depth, elements(c, &w->a), (int)w->a.lead,
                                      elements(c, &w->b), c->space.device, length(c), info(c)) == 0;
}

// --- Eigenvalues ------------------------------------------------------------------------------------------

static bool eigh_size(const Call *c, Space *space) {
    const GridSolve *w = c->what;
    int count = 0;
    if (!c->batch)
        return c->s->syevd_size(c->s->handle, c->s->params, w->has_vectors, LOWER, w->rows, c->type, w->a.memory, w->a.lead,
                                c->real_type, w->b.memory, c->type, SIZES) == 0;
    return fits(w) && c->s->syevj_size[c->is_complex](c->s->handle, w->has_vectors, LOWER, (int)w->rows, w->a.memory, (int)w->a.lead,
                                                      w->b.memory, &count, c->s->syevj_options, c->batch) == 0 &&
           set_length(c, count, space);
}

static bool eigh_run(const Call *c) {
    const GridSolve *w = c->what;
    if (!c->batch)
        return c->s->syevd(c->s->handle, c->s->params, w->has_vectors, LOWER, w->rows, c->type, elements(c, &w->a), w->a.lead,
                           c->real_type, reals(c, &w->b), c->type, SPACE) == 0;
    return c->s->syevj[c->is_complex](c->s->handle, w->has_vectors, LOWER, (int)w->rows, w->a.memory, (int)w->a.lead, w->b.memory,
                                      c->space.device, length(c), w->info, c->s->syevj_options, c->batch) == 0;
}

// The eigenvalues and eigenvectors of a real matrix are stored in real numbers, too, as by LAPACK's geev.
static bool eig_size(const Call *c, Space *space) {
    const GridSolve *w = c->what;
    return cuda_solver_has(c->s, GRID_EIG) &&
           c->s->geev_size(c->s->handle, c->s->params, 0, w->has_vectors, w->rows, c->type, w->a.memory, w->a.lead, c->type,
                           w->b.memory, c->type, NULL, w->rows, c->type, w->c.memory, w->rows, c->type, SIZES) == 0;
}

static bool eig_run(const Call *c) {
    const GridSolve *w = c->what;
    return c->s->geev(c->s->handle, c->s->params, 0, w->has_vectors, w->rows, c->type, elements(c, &w->a), w->a.lead, c->type,
                      elements(c, &w->b), c->type, NULL, w->rows, c->type, elements(c, &w->c), w->rows, c->type, SPACE) == 0;
}

// --- Singular values ----------------------------------------------------------------------------------------

static signed char svd_job(const GridSolve *w) {
    return w->has_vectors ? w->is_complete ? 'A' : 'S' : 'N';
}

// The batched routine needs room for U and V, which are not used; they follow the workspace.
static size_t batch_bytes(const Call *c) {
    const GridSolve *w = c->what;
    return (size_t)((w->rows * w->rows + w->cols * w->cols) * c->batch) * dtype_size(w->type);
}

static bool svd_size(const Call *c, Space *space) {
    const GridSolve *w = c->what;
    const int m = (int)w->rows, n = (int)w->cols;
    int count = 0;
    if (!c->batch)
        return c->s->gesvd_size(c->s->handle, c->s->params, svd_job(w), svd_job(w), w->rows, w->cols, c->type, w->a.memory,
                                w->a.lead, c->real_type, w->b.memory, c->type, w->c.memory, w->rows, c->type, w->d.memory,
                                w->cols, c->type, SIZES) == 0;
    if (c->s->gesvdj_size[c->is_complex](c->s->handle, 0, m, n, w->a.memory, (int)w->a.lead, w->b.memory, w->a.memory, m,
                                         w->a.memory, n, &count, c->s->gesvdj_options, c->batch) != 0)
        return false;
    if (!set_length(c, count, space)) return false;
    space->device_bytes += batch_bytes(c);
    return true;
}

static bool svd_run(const Call *c) {
    const GridSolve *w = c->what;
    const int m = (int)w->rows, n = (int)w->cols;
    if (!c->batch)
        return c->s->gesvd(c->s->handle, c->s->params, svd_job(w), svd_job(w), w->rows, w->cols, c->type, elements(c, &w->a),
                           w->a.lead, c->real_type, reals(c, &w->b), c->type, elements(c, &w->c), w->rows, c->type,
                           elements(c, &w->d), w->cols, c->type, SPACE) == 0;
    const size_t size = dtype_size(w->type), work = c->space.device_bytes - batch_bytes(c);
    char *u = (char *)c->space.device + work, *v = u + (size_t)(w->rows * w->rows * c->batch) * size;
    return c->s->gesvdj[c->is_complex](c->s->handle, 0, m, n, w->a.memory, (int)w->a.lead, w->b.memory, u, m, v, n,
                                       c->space.device, (int)(work / size), w->info, c->s->gesvdj_options, c->batch) == 0;
}

// --- All of them -----------------------------------------------------------------------------------------------

static const struct {
    SizeFn *size;
    RunFn *run;
} ways[GRID_SOLVES] = {
    [GRID_LU] = {lu_size, lu_run},
    [GRID_LU_SOLVE] = {no_size, lu_solve_run},
    [GRID_CHOLESKY] = {cholesky_size, cholesky_run},
    [GRID_QR] = {qr_size, qr_run},
    [GRID_QR_Q] = {qr_q_size, qr_q_run},
    [GRID_EIGH] = {eigh_size, eigh_run},
    [GRID_EIG] = {eig_size, eig_run},
    [GRID_SVD] = {svd_size, svd_run},
};

// Returns whether a stack is processed by a batched call, which uses Jacobi rotations. Rotations give singular values,
// and eigenvectors that are orthogonal for any matrix. Singular vectors are left to gesvd: for a matrix without full
// rank, rotations would have to divide by zero.
static bool is_batch(const GridSolve *w) {
    bool has_batch = w->kind == GRID_EIGH || (w->kind == GRID_SVD && !w->has_vectors);
    return has_batch && w->count > 1 && w->count <= INT32_MAX && w->rows <= BATCH_MOST && w->cols <= BATCH_MOST &&
           w->a.step == w->a.lead * w->cols && w->b.step == w->cols;
}

// Enqueues the calls. If a call has a workspace on the host, it waits for the call, which may use it until it is done.
static bool run_all(Call *c, const CudaSolverPlace *place) {
    for (c->number = 0; c->number < (c->batch ? 1 : c->what->count); c->number++) {
        if (!ways[c->what->kind].run(c)) return false;
        if (c->space.host_bytes && place->driver->stream_synchronize(place->stream) != 0) return false;
    }
    return true;
}

bool cuda_solver_run(const CudaSolver *s, const CudaSolverPlace *place, const GridSolve *what) {
    const bool is_complex = what->type == DT_COMPLEX128;
    Call c = {.s = s, .what = what, .is_complex = is_complex, .type = is_complex ? TYPE_COMPLEX128 : TYPE_FLOAT64,
              .real_type = TYPE_FLOAT64, .batch = is_batch(what) ? (int)what->count : 0};
    Space *space = &c.space;
    if (s->set_stream(s->handle, place->stream) != 0 || !ways[what->kind].size(&c, space)) return false;
    if (space->device_bytes) space->device = grid_pool_take(place->pool, space->device_bytes);
    if (space->host_bytes) space->host = mem_alloc(place->mem, space->host_bytes);
    bool done = !space->device == !space->device_bytes && !space->host == !space->host_bytes && run_all(&c, place);
    if (!done && space->host) place->driver->stream_synchronize(place->stream); // a call may still use the workspace
    mem_free(place->mem, space->host, space->host_bytes);
    if (space->device) grid_pool_give(place->pool, space->device, space->device_bytes); // reused only by later work
    return done;
}
