// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products on a device: MATMUL, and GEMM, which has further steps for each result. The method depends on shapes,
// strides and the type alone, so results are reproducible.

#include "backends/grid/library/product.h"

#include <stdlib.h>

#include "grid_text_number.h"
#include "grid_text_product.h"
#include "grid_text_product_each.h"
#include "grid_text_product_h.h"
#include "grid_text_product_thin.h"
#include "grid_text_product_tiles.h"

// --- Types ---------------------------------------------------------------------------------------------

typedef enum NumberKind { NUMBER_TRUTH, NUMBER_WHOLE, NUMBER_REAL, NUMBER_HALF, NUMBER_COMPLEX } NumberKind;

static NumberKind kind_of(DType type) {
    switch (dtype_kind(type)) {
    case DK_BOOL: return NUMBER_TRUTH;
    case DK_COMPLEX: return NUMBER_COMPLEX;
    case DK_FLOAT: return type == DT_FLOAT16 ? NUMBER_HALF : NUMBER_REAL;
    default: return NUMBER_WHOLE;
    }
}

bool product_has_type(const Dialect *dialect, DType type) {
    NumberKind kind = kind_of(type);
    return dialect->types[DT_FLOAT64] && (kind == NUMBER_REAL ? grid_has_type(dialect, type) : dtype_size(type) <= 16);
}

size_t product_sum_size(DType type) {
    size_t size = dtype_size(type);
    return size < sizeof(uint32_t) ? sizeof(uint32_t) : size;
}

void product_define_number(const Dialect *dialect, DType type, Buf *out) {
    NumberKind kind = kind_of(type);
    grid_define_number("KIND", kind, out);
    if (kind == NUMBER_REAL || kind == NUMBER_COMPLEX) grid_define_type(dialect, "R", dtype_real(type), out);
    if (kind == NUMBER_REAL) buf_puts(out, "#define T R\n#define S R\n");
    if (kind == NUMBER_HALF) buf_puts(out, "#define T uint16_t\n#define S float\n");
    if (kind == NUMBER_TRUTH || kind == NUMBER_WHOLE) {
        grid_define_word("T", dtype_size(type), out);
        grid_define_word("S", product_sum_size(type), out);
    }
    buf_puts(out, GRID_TEXT_NUMBER);
}

void product_number(DType type, Scalar scalar, int64_t word[2]) {
    word[0] = word[1] = 0;
    dtype_store(type, word, scalar);
}

// --- The method ------------------------------------------------------------------------------------------

static int64_t over(int64_t count, int64_t each) {
    return (count + each - 1) / each;
}

static int64_t between(int64_t least, int64_t value, int64_t most) {
    return value > most ? most : value < least ? least : value;
}

static void turn(GridProduct *g, ProductPlan *plan) {
    const GridProduct old = *g;
    plan->is_turned = true;
    g->rows = old.cols;
    g->cols = old.rows;
    g->a = (GridMatrix){old.b.offset, old.b.col, old.b.row};
    g->b = (GridMatrix){old.a.offset, old.a.col, old.a.row};
    g->c = (GridMatrix){old.c.offset, old.c.col, old.c.row};
    g->addend = (GridMatrix){old.addend.offset, old.addend.col, old.addend.row};
    for (int d = 0; d < g->ndim; d++) {
        g->steps[0][d] = old.steps[1][d];
        g->steps[1][d] = old.steps[0][d];
    }
}

// Cuts sums into parts, so that the `there` work items or groups of complete sums become about `wanted`. A part has at
// least `least` products.
static void cut_sums(GridProduct *g, int64_t there, int64_t wanted, int64_t least) {
    int64_t parts = between(1, there ? wanted / there : 1, between(1, g->depth / least, 1 << 12));
    g->each = between(1, over(g->depth, parts), INT64_MAX);
    g->parts = between(1, over(g->depth, g->each), INT64_MAX);
}

enum { ITEMS_WANTED = 1 << 18, GROUPS_WANTED = 512 };

static void plan_thin(GridProduct *g, ProductPlan *plan) {
    enum { LEAST_LANES = 8, EACH_LANE = 8 };
    plan->columns = (int)g->cols;
    plan->manner = llabs(g->a.col) <= llabs(g->a.row) || g->rows == 1 ? PRODUCT_ROWS : PRODUCT_COLUMNS;
    if (plan->manner == PRODUCT_COLUMNS) {
        cut_sums(g, g->rows * g->count, ITEMS_WANTED, 32);
        return;
    }
    g->lanes = LEAST_LANES;
    while (g->lanes < GRID_PRODUCT_LANES && g->lanes * EACH_LANE < g->depth) g->lanes *= 2;
    cut_sums(g, over(g->rows * g->lanes, GRID_PRODUCT_LANES) * g->count, GROUPS_WANTED, 16 * GRID_PRODUCT_LANES);
}

// Chooses the largest tiles of which there are enough; cuts sums into parts if there are few tiles.
static void plan_tiles(DType type, GridProduct *g, ProductPlan *plan) {
    enum { SIDE = 16, TILES_WANTED = 128, LEAST_DEPTH = 128 };
    const bool is_small = product_sum_size(type) == sizeof(float), is_plain = kind_of(type) == NUMBER_REAL || is_small;
    plan->manner = PRODUCT_TILES;
    for (int side = is_plain ? 8 : 4; side >= 2; side /= 2) {
        plan->down = side;
        plan->across = side == 8 && !is_small ? 4 : side;
        g->down = over(g->rows, SIDE * plan->down);
        g->across = over(g->cols, SIDE * plan->across);
        if (g->down * g->across * g->count >= TILES_WANTED) break;
        if (side == 4 && g->rows > SIDE * 2 && g->cols > SIDE * 2) break;
    }
    cut_sums(g, g->down * g->across * g->count, 2 * TILES_WANTED, LEAST_DEPTH);
}

void product_plan(DType type, GridProduct *g, ProductPlan *plan) {
    enum { SHORT = 8, SMALL = 32 * 32, SMALL_DEPTH = 64 };
    *plan = (ProductPlan){.manner = PRODUCT_EACH, .down = 1, .across = 1, .columns = 1};
    g->parts = g->lanes = g->down = g->across = 1;
    g->each = between(1, g->depth, INT64_MAX);
    const bool is_thin = g->rows <= PRODUCT_THIN || g->cols <= PRODUCT_THIN;
    if (is_thin ? g->rows < g->cols : llabs(g->c.row) < llabs(g->c.col)) turn(g, plan);
    if (g->depth <= SHORT || (g->rows * g->cols <= SMALL && g->depth <= SMALL_DEPTH && g->rows * g->cols > PRODUCT_THIN)) return;
    if (is_thin) plan_thin(g, plan);
    else plan_tiles(type, g, plan);
}

size_t product_sums(DType type, const GridProduct *g) {
    if (g->parts <= 1) return 0;
    return (size_t)(g->count * g->parts * g->rows * g->cols) * product_sum_size(type);
}

void product_define_tiles(DType type, int down, int across, Buf *out) {
    enum { VECTOR = 16 };
    int width = VECTOR / (int)product_sum_size(type), least = down < across ? down : across;
    grid_define_number("DOWN", down, out);
    grid_define_number("ACROSS", across, out);
    grid_define_number("WIDTH", width < least ? width : least, out);
    grid_define_number("DEPTH", 8, out);
}

// --- Operands ----------------------------------------------------------------------------------------------

GridMatrix product_matrix(const View *view, int64_t offset) {
    return (GridMatrix){offset, view->strides[view->ndim - 2], view->strides[view->ndim - 1]};
}

// Collects the dimensions of the stack. Merges one with the one before if the strides of all three operands allow it.
// False: there are too many.
static bool stack_of(const View *a, const View *b, const View *c, GridProduct *g) {
    g->count = 1;
    for (int d = 0; d < c->ndim - 2; d++) {
        const int64_t extent = c->shape[d], steps[3] = {a->strides[d], b->strides[d], c->strides[d]};
        const int last = (int)g->ndim - 1;
        bool goes_on = last >= 0;
        g->count *= extent;
        if (extent == 1) continue;
        for (int i = 0; i < 3 && goes_on; i++) goes_on = g->steps[i][last] == extent * steps[i];
        if (!goes_on && g->ndim == GRID_STACK_DIMS) return false;
        const int at = goes_on ? last : (int)g->ndim++;
        g->extent[at] = goes_on ? g->extent[at] * extent : extent;
        for (int i = 0; i < 3; i++) g->steps[i][at] = steps[i];
    }
    return true;
}

// Turns the innermost dimension of the stack into more rows of one product, if all its matrices A are multiplied by the
// same B and their rows continue from one matrix to the next; or into more columns, if all B are vectors and A is the
// same. False: neither holds.
static bool fold_innermost(GridProduct *g) {
    if (g->ndim == 0) return false;
    const int last = (int)g->ndim - 1;
    const int64_t extent = g->extent[last], a = g->steps[0][last], b = g->steps[1][last], c = g->steps[2][last];
    if (b == 0 && (g->rows == 1 || (a == g->rows * g->a.row && c == g->rows * g->c.row))) {
        if (g->rows == 1) g->a.row = a, g->c.row = c;
        g->rows *= extent;
    } else if (a == 0 && g->cols == 1) {
        g->b.col = b, g->c.col = c;
        g->cols = extent;
    } else {
        return false;
    }
    g->count = extent ? g->count / extent : 0;
    g->extent[last] = 0;
    for (int i = 0; i < 3; i++) g->steps[i][last] = 0;
    g->ndim--;
    return true;
}

static bool product_of(const Kernel *k, GridProduct *g, ProductPlan *plan) {
    const View *a = &k->args[0].view, *b = &k->args[1].view, *c = &k->result.view;
    *g = (GridProduct){.depth = a->shape[a->ndim - 1]};
    if (a->ndim < 2 || b->ndim < 2 || c->ndim < 2 || a->ndim != c->ndim || b->ndim != c->ndim) return false;
    g->rows = c->shape[c->ndim - 2];
    g->cols = c->shape[c->ndim - 1];
    g->a = product_matrix(a, a->offset);
    g->b = product_matrix(b, b->offset);
    g->c = product_matrix(c, c->offset);
    if (!stack_of(a, b, c, g)) return false;
    if (k->library == AOP_MATMUL)
        while (fold_innermost(g)) {}
    if (k->library == AOP_GEMM) {
        if (!k->args[2].is_scalar) g->addend = product_matrix(&k->args[2].view, k->args[2].view.offset);
        for (int s = 0; s < GEMM_STEPS; s++) g->sites[s] = k->gemm.sites[s] < 0 ? 0 : k->gemm.sites[s];
        product_number(c->dtype, k->params[0], g->alpha);
        product_number(c->dtype, k->params[1], g->beta);
    }
    product_plan(c->dtype, g, plan);
    return true;
}

static uint8_t steps_of(const Kernel *k) {
    unsigned steps = 1;
    if (k->library != AOP_GEMM) return 1;
    for (int s = 0; s < GEMM_STEPS; s++) steps |= k->gemm.sites[s] < 0 ? 0 : 1u << s;
    if (k->gemm.subtracts) steps |= 1u << GEMM_STEPS;
    if (k->gemm.behind[GEMM_SUM]) steps |= 2u << GEMM_STEPS;
    return (uint8_t)steps;
}

// --- Rows ----------------------------------------------------------------------------------------------------

enum { PART_TYPE, PART_MANNER, PART_DOWN, PART_ACROSS, PART_STEPS, PART_TELLS };

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    GridProduct g;
    ProductPlan plan;
    const DType type = k->result.view.dtype;
    if (!product_has_type(dialect, type) || !product_of(k, &g, &plan)) return false;
    if (k->args[0].view.dtype != type || k->args[1].view.dtype != type) return false;
    form->part[PART_TYPE] = (uint8_t)type;
    form->part[PART_MANNER] = (uint8_t)plan.manner;
    form->part[PART_DOWN] = (uint8_t)plan.down;
    form->part[PART_ACROSS] = (uint8_t)(plan.manner == PRODUCT_TILES ? plan.across : plan.columns);
    form->part[PART_STEPS] = steps_of(k);
    form->part[PART_TELLS] = k->flags && dtype_is_inexact(type);
    return true;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[][4] = {[PRODUCT_TILES] = {"nacre_tiles", "nacre_join", "nacre_look", NULL},
                                           [PRODUCT_ROWS] = {"nacre_rows", "nacre_join", "nacre_look", NULL},
                                           [PRODUCT_COLUMNS] = {"nacre_columns", "nacre_join", "nacre_look", NULL},
                                           [PRODUCT_EACH] = {"nacre_each", NULL}};
    const DType type = form->part[PART_TYPE];
    const ProductManner manner = form->part[PART_MANNER];
    product_define_number(dialect, type, out);
    grid_define_number("STEPS", form->part[PART_STEPS], out);
    grid_define_number("TELLS", form->part[PART_TELLS], out);
    buf_puts(out, GRID_TEXT_PRODUCT_H GRID_TEXT_PRODUCT);
    if (manner == PRODUCT_TILES) {
        product_define_tiles(type, form->part[PART_DOWN], form->part[PART_ACROSS], out);
        buf_puts(out, GRID_TEXT_PRODUCT_TILES);
    } else {
        grid_define_number("COLS", form->part[PART_ACROSS], out);
        buf_puts(out, manner == PRODUCT_EACH ? GRID_TEXT_PRODUCT_EACH : GRID_TEXT_PRODUCT_THIN);
    }
    return names[manner];
}

static void run_way(GridRun *run, const GridProduct *g, const ProductPlan *plan, GridArguments arguments) {
    const size_t stack = (size_t)(g->count * g->parts), results = (size_t)(g->count * g->rows * g->cols);
    switch (plan->manner) {
    case PRODUCT_TILES:
        grid_step_groups(run, 0, (GridSize){(size_t)(g->down * g->across), stack}, GRID_PRODUCT_LANES, arguments);
        break;
    case PRODUCT_ROWS:
        grid_step_groups(run, 0, (GridSize){(size_t)over(g->rows * g->lanes, GRID_PRODUCT_LANES), stack},
                         GRID_PRODUCT_LANES, arguments);
        break;
    case PRODUCT_COLUMNS:
        grid_step_groups(run, 0, (GridSize){(size_t)over(g->rows, GRID_PRODUCT_LANES), stack}, GRID_PRODUCT_LANES, arguments);
        break;
    case PRODUCT_EACH: grid_step(run, 0, (GridSize){results, 1}, arguments); break;
    }
    if (g->parts > 1) grid_step(run, 1, (GridSize){results, 1}, arguments);
}

// --- By the vendor's library --------------------------------------------------------------------------------

// Describes a matrix to the library. False: neither its rows nor its columns are contiguous, or elements overlap.
static bool operand_of(const GridMatrix *m, int64_t rows, int64_t cols, int64_t step, int64_t size,
                       struct GridGemmOperand *out) {
    out->is_turned = m->col != size;
    const int64_t beside = out->is_turned ? m->row : m->col, apart = out->is_turned ? m->col : m->row;
    out->offset = m->offset;
    out->lead = apart / size;
    out->step = step / size;
    return beside == size && apart % size == 0 && out->lead >= (out->is_turned ? rows : cols) && step >= 0 && step % size == 0;
}

static bool gemm_of(DType type, const GridProduct *g, void *const *memories, void *sums, GridGemm *gemm) {
    const int64_t size = (int64_t)dtype_size(type);
    int64_t steps[3] = {0};
    GridMatrix c = g->c;
    *gemm = (GridGemm){.type = type, .rows = g->rows, .cols = g->cols, .depth = g->depth, .count = g->count};
    for (int i = 0; i < 3 && g->ndim; i++) steps[i] = g->steps[i][0];
    if (sums) {
        c = (GridMatrix){0, g->cols * size, size};
        steps[2] = g->rows * g->cols * size;
    }
    gemm->operand[0].memory = memories[0];
    gemm->operand[1].memory = memories[1];
    gemm->operand[2].memory = sums ? sums : memories[3];
    return g->ndim <= 1 && operand_of(&g->a, g->rows, g->depth, steps[0], size, &gemm->operand[0]) &&
           operand_of(&g->b, g->depth, g->cols, steps[1], size, &gemm->operand[1]) &&
           operand_of(&c, g->rows, g->cols, steps[2], size, &gemm->operand[2]) && !gemm->operand[2].is_turned;
}

// Returns whether a product is so large that the vendor's library is several times as fast (bench/results/gpu.md);
// `least` counts multiplications. With few columns only the largest products repay the time of opening the library.
// With one column our own kernel is limited by reading the matrix.
static bool is_large(DType type, const GridProduct *g, ProductManner manner) {
    const double least = manner == PRODUCT_TILES ? 1 << 26 : 1 << 30;
    return dtype_is_inexact(type) && type != DT_FLOAT16 && g->cols > 1 && manner != PRODUCT_EACH &&
           (double)g->rows * (double)g->cols * (double)g->depth * (double)g->count >= least;
}

// Multiplies by the vendor's library, into the result's memory; or into scratch memory if there are further steps,
// since the result's memory may still hold the addend. False: the library was not used.
static bool run_by_library(GridRun *run, GridProduct *g, ProductManner manner, void **memories, bool tells) {
    const GridDriver *driver = run->machine->driver;
    const DType type = run->kernel->result.view.dtype;
    const bool has_steps = steps_of(run->kernel) != 1;
    const size_t results = (size_t)(g->count * g->rows * g->cols);
    GridGemm gemm;
    void *sums = NULL;
    if (!driver->gemm || !is_large(type, g, manner)) return false;
    if (has_steps && !(sums = grid_scratch(run, results * product_sum_size(type)))) return false;
    if (!gemm_of(type, g, memories, sums, &gemm) || !driver->gemm(run->machine->device, &gemm)) return false;
    memories[4] = sums;
    g->parts = 1;
    if (has_steps) grid_step(run, 1, (GridSize){results, 1}, (GridArguments){memories, 6, g, sizeof *g});
    else if (tells) grid_step(run, 2, (GridSize){results, 1}, (GridArguments){memories, 6, g, sizeof *g});
    return true;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    GridProduct g;
    ProductPlan plan;
    product_of(k, &g, &plan);
    const bool has_addend = k->library == AOP_GEMM && !k->args[2].is_scalar;
    void *memories[] = {k->args[plan.is_turned].base, k->args[!plan.is_turned].base,
                        has_addend ? k->args[2].base : k->result.base, k->result.base, NULL, run->flags};
    if (run_by_library(run, &g, plan.manner, memories, run->program->key.form.part[PART_TELLS])) return;
    const size_t bytes = product_sums(k->result.view.dtype, &g);
    memories[4] = bytes ? grid_scratch(run, bytes) : NULL;
    run_way(run, &g, &plan, (GridArguments){memories, 6, &g, sizeof g});
}

const GridRow grid_MATMUL = {.form = form, .text = text, .run = run, .tells = true};
const GridRow grid_GEMM = {.form = form, .text = text, .run = run, .tells = true};
