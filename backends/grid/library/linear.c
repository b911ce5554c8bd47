// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Linear algebra on a device: solutions, inverses and determinants by LU factors, Cholesky factors. Recursive halving
// makes nearly all of the work matrix products (S. Toledo, "Locality of Reference in LU Decomposition with Partial
// Pivoting", 1997). Right-hand sides stand next to the matrix and take part in the elimination.

#include "backends/grid/library/product.h"
#include "backends/grid/text/linear.h"

#include <string.h>

#include "grid_text_linear.h"
#include "grid_text_linear_h.h"
#include "grid_text_product.h"
#include "grid_text_product_h.h"
#include "grid_text_product_tiles.h"

enum { TILES, LOAD, STORE, PANEL, SWAP, LOWER, UPPER, DETERMINANT, DIAGONAL, BELOW, JUDGE, TURN };
enum { PART_TYPE, PART_SIDE, PART_TRIANGLE };
// Matrices with at least so many rows are factored by a library of the device's vendor, if there is one. The bound is
// not measured yet.
enum { LIBRARY_LEAST = 256 };
enum { LEAF = 16, TRIANGLE = 32 }; // columns of a panel; rows of a triangle that is solved in one step

// --- Operands ------------------------------------------------------------------------------------------------

static void side_of(const View *view, bool is_matrix, GridLinearSide *side) {
    *side = (GridLinearSide){.offset = view->offset};
    if (is_matrix) side->row = view->strides[view->ndim - 2], side->col = view->strides[view->ndim - 1];
}

// Collects the stacked dimensions, joining those that the strides of all views allow to join. False: there are too
// many.
static bool stack_of(const View *const views[3], int dims, GridLinear *g) {
    GridLinearSide *const sides[] = {&g->a, &g->b, &g->x};
    g->count = 1;
    for (int d = 0; d < dims; d++) {
        const int64_t extent = views[0]->shape[d];
        int last = (int)g->ndim - 1;
        bool goes_on = last >= 0;
        g->count *= extent;
        if (extent == 1) continue;
        for (int i = 0; i < 3 && goes_on; i++) goes_on = sides[i]->steps[last] == extent * views[i]->strides[d];
        if (!goes_on && g->ndim == GRID_LINEAR_DIMS) return false;
        if (!goes_on) last = (int)g->ndim++;
        g->extent[last] = goes_on ? g->extent[last] * extent : extent;
        for (int i = 0; i < 3; i++) sides[i]->steps[last] = views[i]->strides[d];
    }
    return true;
}

static bool linear_of(const Kernel *k, GridLinear *g) {
    const bool is_solve = k->library == AOP_SOLVE, is_matrix = k->library != AOP_DET && k->library != AOP_SLOGDET;
    const View *a = &k->args[0].view, *x = &k->result.view, *b = is_solve ? &k->args[1].view : a;
    const View *const views[] = {a, b, x};
    *g = (GridLinear){.n = a->shape[a->ndim - 1], .or_nan = k->attrs.or_nan, .is_given = is_solve,
                      .is_upper = k->library == AOP_CHOLESKY && k->attrs.upper};
    if (is_solve || k->library == AOP_INVERSE) g->sides = x->shape[x->ndim - 1];
    g->row = g->n + g->sides;
    side_of(a, true, &g->a);
    side_of(b, true, &g->b);
    side_of(x, is_matrix, &g->x);
    return stack_of(views, a->ndim - 2, g) && g->n < INT32_MAX / 4;
}

// --- The row of the table ------------------------------------------------------------------------------------

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    enum { LARGE = 768 };
    GridLinear g;
    const DType type = k->result.view.dtype;
    if ((type != DT_FLOAT64 && type != DT_COMPLEX128) || k->args[0].view.dtype != type || !linear_of(k, &g)) return false;
    if (k->library == AOP_SOLVE && k->args[1].view.dtype != type) return false;
    form->part[PART_TYPE] = (uint8_t)type;
    form->part[PART_SIDE] = g.n < LARGE ? 2 : type == DT_FLOAT64 ? 8 : 4;
    form->part[PART_TRIANGLE] = k->library == AOP_CHOLESKY;
    return product_has_type(dialect, type);
}

static int across_of(const GridForm *form) {
    return form->part[PART_SIDE] == 8 ? 4 : form->part[PART_SIDE];
}

// Writes the text. Its matrix products are subtracted from the block that they are stored to.
static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_tiles", "nacre_load",  "nacre_store", "nacre_panel",    "nacre_swap", "nacre_lower",
                                        "nacre_upper", "nacre_det",  "nacre_diagonal", "nacre_below", "nacre_judge", "nacre_turn", NULL};
    enum { STEPS = 1 << GEMM_PRODUCT | 1 << GEMM_SUM | 1 << GEMM_STEPS | 2 << GEMM_STEPS };
    const DType type = form->part[PART_TYPE];
    product_define_number(dialect, type, out);
    grid_define_number("STEPS", STEPS, out);
    grid_define_number("TELLS", 0, out);
    grid_define_number("IS_TRIANGLE", form->part[PART_TRIANGLE], out);
    buf_puts(out, GRID_TEXT_LINEAR_H GRID_TEXT_LINEAR);
    if (form->part[PART_TRIANGLE]) buf_puts(out, "#define B_VALUE(x) conjugate(x)\n");
    buf_puts(out, GRID_TEXT_PRODUCT_H GRID_TEXT_PRODUCT);
    product_define_tiles(type, form->part[PART_SIDE], across_of(form), out);
    buf_puts(out, GRID_TEXT_PRODUCT_TILES);
    return names;
}

// --- Steps ---------------------------------------------------------------------------------------------------

// A running factorisation: the copies of the matrices, their pivots, and a word of state for each matrix.
typedef struct Work {
    GridRun *run;
    const GridForm *form;
    GridLinear g;
    int64_t size; // of an element
    void *copy, *pivots, *state;
} Work;

static int64_t over(int64_t count, int64_t each) {
    return (count + each - 1) / each;
}

// Enqueues a function in groups of one size, since some devices compile code for each size.
static void step(const Work *w, int function, int64_t items, int64_t rows, const GridLinear *g, void *const *memories,
                 int count) {
    enum { LANES = 64 };
    grid_step_groups(w->run, function, (GridSize){(size_t)over(items, LANES), (size_t)rows}, LANES,
                     (GridArguments){memories, count, g, sizeof *g});
}

// Returns the block of the copies that begins at a row and column.
static GridMatrix block(const Work *w, int64_t row, int64_t col) {
    return (GridMatrix){(row * w->g.row + col) * w->size, w->g.row * w->size, w->size};
}

// Enqueues C -= A @ B for blocks of the copies.
static void subtract(const Work *w, GridMatrix a, GridMatrix b, GridMatrix c, int64_t rows, int64_t depth, int64_t cols) {
    enum { SIDE = 16 };
    const int64_t all = w->g.n * w->g.row * w->size;
    GridProduct p = {.rows = rows, .cols = cols, .depth = depth, .count = w->g.count, .parts = 1, .each = depth, .lanes = 1,
                     .down = over(rows, SIDE * w->form->part[PART_SIDE]), .across = over(cols, SIDE * across_of(w->form)),
                     .a = a, .b = b, .c = c, .addend = c, .ndim = 1, .extent = {w->g.count}, .steps = {{all}, {all}, {all}}};
    void *const memories[] = {w->copy, w->copy, w->copy, w->copy, NULL, w->run->flags};
    if (rows <= 0 || depth <= 0 || cols <= 0) return;
    grid_step_groups(w->run, TILES, (GridSize){(size_t)(p.down * p.across), (size_t)w->g.count}, GRID_PRODUCT_LANES,
                     (GridArguments){memories, 6, &p, sizeof p});
}

static int64_t half_of(int64_t count, int64_t leaf) {
    int64_t half = leaf;
    while (half * 2 < count) half *= 2;
    return half;
}

static int64_t lanes_for(int64_t work) {
    enum { FEW = 32 };
    return work < FEW * FEW ? FEW : GRID_LINEAR_LANES;
}

// --- LU ----------------------------------------------------------------------------------------------------------

static void swap_rows(const Work *w, int64_t at, int64_t width, int64_t left, int64_t cols) {
    GridLinear g = w->g;
    g.at = at, g.width = width, g.left = left, g.cols = cols;
    step(w, SWAP, cols, g.count, &g, (void *const[]){w->copy, w->pivots}, 2);
}

// Replaces rows at … at + width of columns left … left + cols by L^-1 times these rows; L is the lower triangle of the
// diagonal block of the same rows.
static void solve_lower(const Work *w, int64_t at, int64_t width, int64_t left, int64_t cols) {
    GridLinear g = w->g;
    if (cols <= 0) return;
    if (width > TRIANGLE) {
        const int64_t half = half_of(width, TRIANGLE);
        solve_lower(w, at, half, left, cols);
        subtract(w, block(w, at + half, at), block(w, at, left), block(w, at + half, left), width - half, half, cols);
        solve_lower(w, at + half, width - half, left, cols);
        return;
    }
    g.at = at, g.width = width, g.left = left, g.cols = cols;
    step(w, LOWER, cols, g.count, &g, (void *const[]){w->copy}, 1);
}

static void factor_panel(const Work *w, int64_t at, int64_t width) {
    GridLinear g = w->g;
    g.at = at, g.width = width;
    g.lanes = lanes_for((g.n - at) * width);
    grid_step_groups(w->run, PANEL, (GridSize){(size_t)g.count, 1}, (size_t)g.lanes,
                     (GridArguments){(void *const[]){w->copy, w->pivots, w->state}, 3, &g, sizeof g});
}

// Applies the elimination of columns at … at + width to columns left … left + cols.
static void eliminate(const Work *w, int64_t at, int64_t width, int64_t left, int64_t cols) {
    if (cols <= 0) return;
    swap_rows(w, at, width, left, cols);
    solve_lower(w, at, width, left, cols);
    subtract(w, block(w, at + width, at), block(w, at, left), block(w, at + width, left), w->g.n - at - width, width, cols);
}

static void factor_lu(const Work *w, int64_t at, int64_t width) {
    if (width <= LEAF) {
        factor_panel(w, at, width);
        return;
    }
    const int64_t half = half_of(width, LEAF);
    factor_lu(w, at, half);
    eliminate(w, at, half, at + half, width - half);
    factor_lu(w, at + half, width - half);
    swap_rows(w, at + half, width - half, at, half);
}

static void solve_upper(const Work *w, int64_t at, int64_t width) {
    GridLinear g = w->g;
    if (width > TRIANGLE) {
        const int64_t half = half_of(width, TRIANGLE);
        solve_upper(w, at + half, width - half);
        subtract(w, block(w, at, at + half), block(w, at + half, g.n), block(w, at, g.n), half, width - half, g.sides);
        solve_upper(w, at, half);
        return;
    }
    g.at = at, g.width = width, g.left = g.n, g.cols = g.sides;
    step(w, UPPER, g.sides, g.count, &g, (void *const[]){w->copy, w->state}, 2);
}

// --- Cholesky ------------------------------------------------------------------------------------------------

// Replaces columns at … at + width of rows top … top + rows by their product with L^-H; L is the lower triangle of the
// diagonal block of the same columns.
static void solve_below(const Work *w, int64_t at, int64_t width, int64_t top, int64_t rows) {
    GridLinear g = w->g;
    if (width > TRIANGLE) {
        const int64_t half = half_of(width, TRIANGLE);
        GridMatrix turned = block(w, at + half, at);
        turned = (GridMatrix){turned.offset, turned.col, turned.row};
        solve_below(w, at, half, top, rows);
        subtract(w, block(w, top, at), turned, block(w, top, at + half), rows, half, width - half);
        solve_below(w, at + half, width - half, top, rows);
        return;
    }
    g.at = at, g.width = width, g.left = top, g.cols = rows;
    step(w, BELOW, rows, g.count, &g, (void *const[]){w->copy}, 1);
}

static void factor_cholesky(const Work *w, int64_t at, int64_t width) {
    GridLinear g = w->g;
    if (width > TRIANGLE) {
        const int64_t half = half_of(width, TRIANGLE), rest = width - half;
        GridMatrix left = block(w, at + half, at), turned = {left.offset, left.col, left.row};
        factor_cholesky(w, at, half);
        solve_below(w, at, half, at + half, rest);
        subtract(w, left, turned, block(w, at + half, at + half), rest, half, rest);
        factor_cholesky(w, at + half, rest);
        return;
    }
    g.at = at, g.width = width;
    g.lanes = lanes_for(width * width);
    grid_step_groups(w->run, DIAGONAL, (GridSize){(size_t)g.count, 1}, (size_t)g.lanes,
                     (GridArguments){(void *const[]){w->copy, w->state}, 2, &g, sizeof g});
}

// --- By the vendor's library -------------------------------------------------------------------------------------
//
// cuSOLVER reads columns, and the copy is in rows, so the library sees the transpose. Its upper triangle is the copy's
// lower one.

static bool is_of_library(const Work *w, GridSolveKind kind) {
    const GridMachine *m = w->run->machine;
    return w->g.n >= LIBRARY_LEAST && m->driver->solve && m->driver->solve(m->device, &(GridSolve){.kind = kind});
}

static GridSolveOperand matrices_of(const Work *w, int64_t at) {
    return (GridSolveOperand){w->copy, w->g.row, w->g.n * w->g.row, at};
}

static GridSolve factor_by_library(const Work *w, GridSolveKind kind) {
    const GridLinear *g = &w->g;
    const size_t bytes = (size_t)g->count * sizeof(int32_t);
    const bool is_lu = kind == GRID_LU;
    void *info = grid_scratch(w->run, bytes);
    void *found = is_lu ? grid_scratch_for(w->run, g->count * g->n, sizeof(int64_t)) : info;
    const GridSolve what = {.kind = kind, .type = w->form->part[PART_TYPE], .rows = g->n, .cols = g->n, .count = g->count,
                            .a = matrices_of(w, 0), .b = {found, g->n, g->n, 0}, .info = info};
    grid_clear(w->run, info, bytes);
    grid_solve(w->run, &what);
    step(w, JUDGE, g->n, g->count, g, (void *const[]){w->copy, found, info, w->pivots, w->state}, 5);
    return what;
}

static void turn_sides(const Work *w, void *columns, bool is_back) {
    GridLinear g = w->g;
    g.left = is_back;
    step(w, TURN, g.n * g.sides, g.count, &g, (void *const[]){w->copy, columns}, 2);
}

// Solves, or inverts, by the library, which has factored the transpose of A. To solve, it is asked for the system with
// the transpose of its matrix, which is A, and the right-hand sides are copied to columns. To invert, it solves for the
// identity: the inverse of A's transpose, in columns, is the inverse of A, in rows.
static void solve_by_library(const Work *w, bool is_inverse) {
    GridSolve what = factor_by_library(w, GRID_LU);
    what.kind = GRID_LU_SOLVE;
    what.cols = w->g.sides;
    what.is_turned = !is_inverse;
    if (is_inverse) {
        what.c = matrices_of(w, w->g.n);
        grid_solve(w->run, &what);
        return;
    }
    void *columns = grid_scratch_for(w->run, w->g.count * w->g.n * w->g.sides, (size_t)w->size);
    what.c = (GridSolveOperand){columns, w->g.n, w->g.n * w->g.sides, 0};
    turn_sides(w, columns, false);
    grid_solve(w->run, &what);
    turn_sides(w, columns, true);
}

// --- All of them -----------------------------------------------------------------------------------------------

static bool begin(Work *w, GridRun *run) {
    const Kernel *k = run->kernel;
    GridLinear *g = &w->g;
    *w = (Work){.run = run, .form = &run->program->key.form};
    w->size = (int64_t)dtype_size(w->form->part[PART_TYPE]);
    linear_of(k, g);
    if (g->count == 0) return false;
    w->copy = grid_scratch(run, (size_t)(g->count * g->n * g->row * w->size));
    w->pivots = grid_scratch(run, (size_t)(g->count * g->n) * sizeof(int32_t));
    w->state = grid_scratch(run, (size_t)g->count * sizeof(uint32_t));
    grid_clear(run, w->state, (size_t)g->count * sizeof(uint32_t));
    void *given = k->library == AOP_SOLVE ? k->args[1].base : k->args[0].base;
    step(w, LOAD, g->n * g->row, g->count, g, (void *const[]){k->args[0].base, given, w->copy}, 3);
    return true;
}

static void store(const Work *w, int64_t left, int64_t cols) {
    GridLinear g = w->g;
    g.left = left, g.cols = cols;
    step(w, STORE, g.n * cols, g.count, &g, (void *const[]){w->copy, w->run->kernel->result.base, w->state, w->run->flags}, 4);
}

static void run_solve(GridRun *run) {
    Work w;
    if (!begin(&w, run) || w.g.n == 0 || w.g.sides == 0) return;
    if (is_of_library(&w, GRID_LU)) {
        solve_by_library(&w, run->kernel->library == AOP_INVERSE);
    } else {
        factor_lu(&w, 0, w.g.n);
        eliminate(&w, 0, w.g.n, w.g.n, w.g.sides);
        solve_upper(&w, 0, w.g.n);
    }
    store(&w, w.g.n, w.g.sides);
}

static void run_determinant(GridRun *run) {
    Work w;
    if (!begin(&w, run)) return;
    GridLinear g = w.g;
    g.is_given = run->kernel->library == AOP_DET;
    if (is_of_library(&w, GRID_LU)) factor_by_library(&w, GRID_LU);
    else if (g.n > 0) factor_lu(&w, 0, g.n);
    step(&w, DETERMINANT, g.count, 1, &g,
         (void *const[]){w.copy, w.pivots, w.state, run->kernel->result.base, run->flags}, 5);
}

static void run_cholesky(GridRun *run) {
    Work w;
    if (!begin(&w, run) || w.g.n == 0) return;
    if (is_of_library(&w, GRID_CHOLESKY)) factor_by_library(&w, GRID_CHOLESKY);
    else factor_cholesky(&w, 0, w.g.n);
    store(&w, 0, w.g.n);
}

const GridRow grid_SOLVE = {.form = form, .text = text, .run = run_solve, .tells = true};
const GridRow grid_INVERSE = {.form = form, .text = text, .run = run_solve, .tells = true};
const GridRow grid_DET = {.form = form, .text = text, .run = run_determinant, .tells = true};
const GridRow grid_SLOGDET = {.form = form, .text = text, .run = run_determinant, .tells = true};
const GridRow grid_CHOLESKY = {.form = form, .text = text, .run = run_cholesky, .tells = true};
