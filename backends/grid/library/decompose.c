// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Orthogonal factors, eigenvalues and singular values, by a library of the device's vendor. The result of a matrix is
// NaN if the library finds none or elements are not finite; the same failures are reported as on the host.

#include "backends/grid/library/decompose.h"

#include "grid_text_decompose.h"
#include "grid_text_decompose_h.h"

enum { STATE_NAN = 1 }; // as in decompose.cl
enum { PART_TYPE };

// --- Operands ----------------------------------------------------------------------------------------------

static void side_of(const View *view, int core, GridDecomposeSide *side) {
    *side = (GridDecomposeSide){.offset = view->offset};
    if (core == 2) side->row = view->strides[view->ndim - 2], side->col = view->strides[view->ndim - 1];
}

// Collects the stacked dimensions, joining those that the strides of both views allow to join. False: there are too
// many.
static bool stack_of(const View *a, const View *x, int dims, GridDecompose *g) {
    const View *const views[] = {a, x};
    GridDecomposeSide *const sides[] = {&g->a, &g->x};
    g->count = 1;
    for (int dim = 0; dim < dims; dim++) {
        const int64_t extent = a->shape[dim];
        int last = (int)g->ndim - 1;
        bool goes_on = last >= 0;
        g->count *= extent;
        if (extent == 1) continue;
        for (int i = 0; i < 2 && goes_on; i++) goes_on = sides[i]->steps[last] == extent * views[i]->strides[dim];
        if (!goes_on && g->ndim == GRID_DECOMPOSE_DIMS) return false;
        if (!goes_on) last = (int)g->ndim++;
        g->extent[last] = goes_on ? g->extent[last] * extent : extent;
        for (int i = 0; i < 2; i++) sides[i]->steps[last] = views[i]->strides[dim];
    }
    return true;
}

static bool decompose_of(const Kernel *k, Decompose *d) {
    const View *a = &k->args[0].view, *x = &k->result.view;
    *d = (Decompose){.type = a->dtype, .size = (int64_t)dtype_size(a->dtype), .m = a->shape[a->ndim - 2],
                     .n = a->shape[a->ndim - 1]};
    d->k = d->m < d->n ? d->m : d->n;
    side_of(a, 2, &d->g.a);
    side_of(x, 1, &d->g.x);
    return d->m < INT32_MAX && d->n < INT32_MAX && stack_of(a, x, a->ndim - 2, &d->g);
}

// Returns whether the host is faster: the matrices are many and small. The library takes about as long for a small
// matrix as for a larger one, and it processes a stack at once only for eigenvalues of symmetric matrices, and for
// singular values without vectors.
static bool is_many_small(const Kernel *k, const Decompose *d) {
    enum { SMALL = 32, MANY = 64 };
    const bool at_once = k->library == AOP_EIGH || (k->library == AOP_SVD && k->attrs.part == PART_VALUES);
    return !at_once && d->g.count > MANY && d->m <= SMALL && d->n <= SMALL;
}

bool decompose_form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    Decompose d;
    const View *x = &k->result.view;
    const DType type = k->args[0].view.dtype;
    if ((type != DT_FLOAT64 && type != DT_COMPLEX128) || !product_has_type(dialect, type) || !decompose_of(k, &d) ||
        is_many_small(k, &d))
        return false;
    form->part[PART_TYPE] = (uint8_t)type;
    return x->shape[x->ndim - 1] <= 1 || x->strides[x->ndim - 1] == (int64_t)dtype_size(x->dtype);
}

const char *const *decompose_text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_load",  "nacre_tame",   "nacre_put",    "nacre_put_reals", "nacre_put_eigen",
                                        "nacre_parts", "nacre_answer", "nacre_differ", "nacre_rest",      "nacre_rank", NULL};
    product_define_number(dialect, form->part[PART_TYPE], out);
    buf_puts(out, GRID_TEXT_DECOMPOSE_H GRID_TEXT_DECOMPOSE);
    return names;
}

// --- Steps ---------------------------------------------------------------------------------------------------

void decompose_step(const Decompose *d, int function, int64_t items, const GridDecompose *g, void *const *memories, int count) {
    grid_step(d->run, function, (GridSize){(size_t)items, (size_t)g->count}, (GridArguments){memories, count, g, sizeof *g});
}

bool decompose_begin(Decompose *d, GridRun *run) {
    decompose_of(run->kernel, d);
    d->run = run;
    if (d->g.count == 0) return false;
    const size_t bytes = (size_t)d->g.count * sizeof(uint32_t);
    d->state = grid_scratch(run, bytes);
    d->info = grid_scratch(run, bytes);
    grid_clear(run, d->state, bytes);
    grid_clear(run, d->info, bytes);
    return true;
}

void decompose_load(const Decompose *d, const void *operand, void *copy, int64_t step, bool is_turned) {
    GridDecompose g = d->g;
    g.rows = is_turned ? d->n : d->m, g.cols = is_turned ? d->m : d->n;
    g.lead = g.rows, g.step = step;
    if (is_turned) g.a.row = d->g.a.col, g.a.col = d->g.a.row;
    void *const memories[] = {(void *)(uintptr_t)operand, copy, d->state};
    decompose_step(d, DECOMPOSE_LOAD, g.rows * g.cols, &g, memories, 3);
    if (g.looks_by) decompose_step(d, DECOMPOSE_TAME, g.rows * g.cols, &g, memories + 1, 2);
}

static GridSolveOperand stack_in(void *memory, int64_t lead, int64_t step) {
    return (GridSolveOperand){.memory = memory, .lead = lead, .step = step};
}

void decompose_solve(const Decompose *d, GridSolve what) {
    what.type = d->type;
    what.count = d->g.count;
    what.info = d->info;
    grid_solve(d->run, &what);
}

// A block of every result. Its element i, j is at i * down + j * across in the copy, in elements.
typedef struct Block {
    const void *from;
    int64_t rows, cols, down, across, step, to; // to: in elements
    bool is_triangle, is_identity;
} Block;

static void put(const Decompose *d, Block b) {
    GridDecompose g = d->g;
    g.rows = b.rows, g.cols = b.cols, g.down = b.down, g.across = b.across, g.step = b.step;
    g.to = b.to * d->size;
    g.is_triangle = b.is_triangle, g.is_identity = b.is_identity;
    void *const memories[] = {(void *)(uintptr_t)b.from, d->run->kernel->result.base, d->state, d->info};
    decompose_step(d, DECOMPOSE_PUT, g.rows * g.cols, &g, memories, 4);
}

void decompose_put_reals(const Decompose *d, const void *values, int64_t step, int64_t count, uint32_t reported) {
    GridDecompose g = d->g;
    g.rows = count, g.step = step, g.reported = reported;
    void *const memories[] = {(void *)(uintptr_t)values, d->run->kernel->result.base, d->state, d->info, d->run->flags};
    decompose_step(d, DECOMPOSE_PUT_REALS, count + 1, &g, memories, 5);
}

int64_t decompose_reals(const Decompose *d, int64_t count) {
    return d->type == DT_COMPLEX128 ? (count + 1) / 2 : count;
}

// --- Orthogonal factors ------------------------------------------------------------------------------------

static void put_raw(const Decompose *d, const void *a, int64_t step, const void *factors) {
    put(d, (Block){.from = a, .rows = d->n, .cols = d->m, .down = d->m, .across = 1, .step = step});
    put(d, (Block){.from = factors, .rows = 1, .cols = d->k, .across = 1, .step = d->k, .to = d->m * d->n});
}

static void put_r(const Decompose *d, const void *a, int64_t step, int64_t rows, int64_t to) {
    put(d, (Block){.from = a, .rows = rows, .cols = d->n, .down = 1, .across = d->m, .step = step, .to = to, .is_triangle = true});
}

// Computes Q in place of the reflectors, and stores it.
static void put_q(const Decompose *d, GridSolve what, int64_t width) {
    what.kind = GRID_QR_Q;
    what.cols = width, what.depth = d->k;
    if (d->k > 0) decompose_solve(d, what);
    put(d, (Block){.from = what.a.memory, .rows = d->m, .cols = width, .down = 1, .across = d->m, .step = what.a.step,
                   .is_identity = d->k == 0});
}

static void run_qr(GridRun *run) {
    Decompose d;
    const Part part = run->kernel->attrs.part;
    if (!decompose_begin(&d, run)) return;
    const int64_t width = part == PART_COMPLETE ? d.m : d.k, step = d.m * (d.n > width ? d.n : width);
    void *a = decompose_scratch(&d, d.g.count * step), *factors = decompose_scratch(&d, d.g.count * d.k);
    const GridSolve what = {.kind = GRID_QR, .rows = d.m, .cols = d.n, .a = stack_in(a, d.m, step), .b = stack_in(factors, d.k, d.k)};
    decompose_load(&d, run->kernel->args[0].base, a, step, false);
    if (d.k > 0) decompose_solve(&d, what);
    if (part == PART_RAW) {
        put_raw(&d, a, step, factors);
    } else if (part == PART_VALUES) {
        put_r(&d, a, step, d.k, 0);
    } else {
        put_r(&d, a, step, width, d.m * width);
        put_q(&d, what, width);
    }
}

// --- Eigenvalues -------------------------------------------------------------------------------------------

// Stores the eigenvalue of 1 x 1 matrices, which is their element, also if it is not finite.
static void put_element(const Decompose *d, const void *a, bool has_vectors) {
    decompose_put_reals(d, a, d->size / (int64_t)sizeof(double), 1, 0);
    if (has_vectors) put(d, (Block){.from = a, .rows = 1, .cols = 1, .to = decompose_reals(d, 1), .is_identity = true});
}

static void run_eigh(GridRun *run) {
    Decompose d;
    const Kernel *k = run->kernel;
    const bool has_vectors = k->attrs.part != PART_VALUES;
    if (!decompose_begin(&d, run) || d.n == 0) return;
    const int64_t n = d.n, all = n * n;
    void *a = decompose_scratch(&d, d.g.count * all), *values = grid_scratch_for(run, d.g.count * n, sizeof(double));
    d.g.is_hermitian = true;
    d.g.is_upper = k->attrs.upper;
    d.g.looks_by = n > 1 ? GRID_LOOKS_MATRIX : GRID_LOOKS_NOT;
    decompose_load(&d, k->args[0].base, a, all, false);
    if (n == 1) {
        put_element(&d, a, has_vectors);
        return;
    }
    decompose_solve(&d, (GridSolve){.kind = GRID_EIGH, .rows = n, .cols = n, .has_vectors = has_vectors, .a = stack_in(a, n, all),
                                    .b = stack_in(values, n, n)});
    decompose_put_reals(&d, values, n, n, 0);
    if (has_vectors)
        put(&d, (Block){.from = a, .rows = n, .cols = n, .down = 1, .across = n, .step = all, .to = decompose_reals(&d, n)});
}

static void run_eig(GridRun *run) {
    Decompose d;
    const Kernel *k = run->kernel;
    const bool has_vectors = k->attrs.part != PART_VALUES;
    if (!decompose_begin(&d, run) || d.n == 0) return;
    const int64_t n = d.n, all = n * n, length = d.type == DT_COMPLEX128 ? n : 2 * n;
    void *a = decompose_scratch(&d, d.g.count * all), *values = decompose_scratch(&d, d.g.count * length);
    void *vectors = has_vectors ? decompose_scratch(&d, d.g.count * all) : NULL;
    d.g.looks_by = GRID_LOOKS_MATRIX;
    decompose_load(&d, k->args[0].base, a, all, false);
    decompose_solve(&d, (GridSolve){.kind = GRID_EIG, .rows = n, .cols = n, .has_vectors = has_vectors, .a = stack_in(a, n, all),
                                    .b = stack_in(values, length, length), .c = stack_in(vectors, n, all)});
    GridDecompose g = d.g;
    g.rows = has_vectors ? n : 0, g.cols = n, g.step = all;
    void *const memories[] = {values, has_vectors ? vectors : values, k->result.base, d.state, d.info, run->flags};
    decompose_step(&d, DECOMPOSE_PUT_EIGEN, (g.rows + 1) * n, &g, memories, 6);
}

// --- Singular values ---------------------------------------------------------------------------------------

void decompose_svd(const Decompose *d, void *a, void *values, void *u, void *vt, bool is_complete) {
    const int64_t tall = d->m + d->n - d->k;
    decompose_solve(d, (GridSolve){.kind = GRID_SVD, .rows = tall, .cols = d->k, .has_vectors = u, .is_complete = is_complete,
                                   .a = stack_in(a, tall, tall * d->k), .b = stack_in(values, d->k, d->k),
                                   .c = stack_in(u, tall, tall * (is_complete ? tall : d->k)), .d = stack_in(vt, d->k, d->k * d->k)});
}

// Stores the factors. Those of a matrix without elements are identities. Of a wide matrix the transpose was decomposed:
// if it is U S V^T, A is V S^T U^T.
static void put_vectors(const Decompose *d, const void *u, const void *vt, bool is_complete) {
    const bool is_wide = d->m < d->n, none = d->k == 0;
    const int64_t tall = d->m + d->n - d->k, k = d->k, cols = is_complete ? d->m : k, rows = is_complete ? d->n : k;
    const int64_t u_step = tall * (is_complete ? tall : k), vt_step = k * k, to = decompose_reals(d, k);
    if (!is_wide) {
        put(d, (Block){.from = u, .rows = d->m, .cols = cols, .down = 1, .across = tall, .step = u_step, .to = to, .is_identity = none});
        put(d, (Block){.from = vt, .rows = rows, .cols = d->n, .down = 1, .across = k, .step = vt_step, .to = to + d->m * cols,
                       .is_identity = none});
    } else {
        put(d, (Block){.from = vt, .rows = d->m, .cols = cols, .down = k, .across = 1, .step = vt_step, .to = to, .is_identity = none});
        put(d, (Block){.from = u, .rows = rows, .cols = d->n, .down = tall, .across = 1, .step = u_step, .to = to + d->m * cols,
                       .is_identity = none});
    }
}

static void run_svd(GridRun *run) {
    Decompose d;
    const Kernel *kernel = run->kernel;
    const bool has_vectors = kernel->attrs.part != PART_VALUES, is_complete = kernel->attrs.part == PART_COMPLETE;
    if (!decompose_begin(&d, run)) return;
    const int64_t k = d.k, tall = d.m + d.n - k;
    void *a = decompose_scratch(&d, d.g.count * tall * k), *values = grid_scratch_for(run, d.g.count * k, sizeof(double));
    void *u = has_vectors ? decompose_scratch(&d, d.g.count * tall * (is_complete ? tall : k)) : NULL;
    void *vt = has_vectors ? decompose_scratch(&d, d.g.count * k * k) : NULL;
    d.g.looks_by = GRID_LOOKS_MATRIX;
    decompose_load(&d, kernel->args[0].base, a, tall * k, d.m < d.n);
    if (k > 0) decompose_svd(&d, a, values, u, vt, is_complete);
    if (k > 0) decompose_put_reals(&d, values, k, k, STATE_NAN);
    if (has_vectors) put_vectors(&d, u, vt, is_complete);
}

const GridRow grid_QR = {.reason = "it is done by a library, cuSOLVER, which is for CUDA's devices", .needs = GRID_QR,
                         .form = decompose_form, .text = decompose_text, .run = run_qr, .tells = true};
const GridRow grid_EIGH = {.reason = "it is done by a library, cuSOLVER, which is for CUDA's devices", .needs = GRID_EIGH,
                           .form = decompose_form, .text = decompose_text, .run = run_eigh, .tells = true};
const GridRow grid_EIG = {.reason = "it is done by a library, cuSOLVER, which is for CUDA's devices", .needs = GRID_EIG,
                          .form = decompose_form, .text = decompose_text, .run = run_eig, .tells = true};
const GridRow grid_SVD = {.reason = "it is done by a library, cuSOLVER, which is for CUDA's devices", .needs = GRID_SVD,
                          .form = decompose_form, .text = decompose_text, .run = run_svd, .tells = true};
