// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// GEMM with its epilogue: alpha * (A @ B) + beta * C. The product is computed in tiles, and the
// epilogue runs on each tile while it is in the cache, with the same loops as a separate kernel. So
// results and float flags equal those of separate operations, including infinities, NaN and zero
// factors, and A @ B - A @ B is zero. BLIS's own alpha and beta would round differently, skip C if
// beta is 0, and not say which step overflowed.
// Thin products (few columns of A) do little work per result: their tiles are flat bands that fit
// into the second-level cache (thin.c). Others use the parts of a plain product. If the result is
// large, these parts leave the cache and a fused loop afterwards is as fast, so the GEMM is
// refused.

#include <stdlib.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/product/blis.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/tile/move.h"

enum {
    THIN = 32,            // columns of A; twice as many if the product needs its own buffer
    TILE_BYTES = 1 << 19, // size of a thin product's tile
    TILE_ROWS = 32,
    ROOM_BYTES = 1 << 20, // maximum size of a tile that cannot be computed in the result's memory
    LARGE = 1 << 17,      // maximum result size of products that are not thin
    SPAN = 1024,          // elements that the epilogue's steps process together
};

// The problem, transposed if that makes rows of the result contiguous.
typedef struct Gemm {
    const Kernel *kernel;
    DType type;
    Matrix a, b, c, to;
    bool in_place;  // the result overwrites C
    bool is_turned; // the problem has been transposed
    ProductWay way;
    int64_t down, across; // number of tiles in each direction
    bool is_thin;
    int64_t tile_rows, tile_cols; // size of the largest tile; if thin, of all but the last ones
} Gemm;

typedef struct GemmJob {
    Job job;
    const Gemm *gemm;
    SiteFlags sites;
    size_t tile_bytes;
    bool is_made; // the whole product has been computed
    char *packed; // thin: packed panels of B
    int panels;   // thin: panels of B per tile
} GemmJob;

static int64_t parts_of_extent(int64_t extent, int64_t tile) {
    return (extent + tile - 1) / tile;
}

// --- The problem -------------------------------------------------------------------------------

// Returns whether tiles of the product need a buffer: C still occupies the result's memory, or rows of the
// result have gaps.
static bool needs_room(const Gemm *g) {
    return g->in_place || g->to.col_stride != (int64_t)dtype_size(g->type);
}

static void choose_tiles(const Cpu *cpu, Gemm *g) {
    int64_t rows = g->to.rows, cols = g->to.cols, size = (int64_t)dtype_size(g->type);
    double work = (double)rows * (double)cols * (double)g->a.cols;
    bool by_rows = rows >= cols;
    int parts = product_parts(cpu, work, by_rows ? rows : cols);
    bool is_large = rows > TILE_ROWS && cols > TILE_ROWS && rows * cols * size > TILE_BYTES;
    g->is_thin = is_large && g->a.cols <= (needs_room(g) ? 2 * THIN : THIN) &&
                 dtype_kind(g->type) == DK_FLOAT && !g->way.blis_first;
    g->down = by_rows ? parts : 1;
    g->across = by_rows ? 1 : parts;
    g->tile_rows = parts_of_extent(rows, g->down);
    g->tile_cols = parts_of_extent(cols, g->across);
    if (g->is_thin) {
        g->tile_cols = least(TILE_BYTES / (TILE_ROWS * size), cols); // whole panels, unless all columns fit
        g->tile_rows = least(TILE_BYTES / (g->tile_cols * size), rows);
        g->down = parts_of_extent(rows, g->tile_rows);
        g->across = parts_of_extent(cols, g->tile_cols);
    }
}

static Block tile_at(const Gemm *g, int64_t part) {
    int64_t rows = g->to.rows, cols = g->to.cols, i = part / g->across, j = part % g->across;
    if (g->is_thin)
        return (Block){i * g->tile_rows, least((i + 1) * g->tile_rows, rows), j * g->tile_cols,
                       least((j + 1) * g->tile_cols, cols)};
    return (Block){cut_before(rows, i, g->down), cut_before(rows, i + 1, g->down),
                   cut_before(cols, j, g->across), cut_before(cols, j + 1, g->across)};
}

static void gemm_of(const Cpu *cpu, const Kernel *k, Gemm *g) {
    const KernArg *c = k->args[2].is_scalar ? &k->result : &k->args[2];
    g->kernel = k;
    g->type = k->result.view.dtype;
    g->a = matrix_at(&k->args[0].view, NULL);
    g->b = matrix_at(&k->args[1].view, NULL);
    g->c = matrix_at(&c->view, NULL);
    g->to = matrix_at(&k->result.view, NULL);
    g->in_place = c != &k->result && view_meets(&c->view, &k->result.view);
    g->is_turned = llabs(g->to.row_stride) < llabs(g->to.col_stride);
    if (g->is_turned) {
        Matrix a = g->a;
        g->a = turned(g->b);
        g->b = turned(a);
        g->c = turned(g->c);
        g->to = turned(g->to);
    }
    g->way = product_way(cpu, g->type, &g->a, &g->b);
    choose_tiles(cpu, g);
}

static void find_operands(Gemm *g) {
    const Kernel *k = g->kernel;
    g->a.data = arg_at(&k->args[g->is_turned]);
    g->b.data = arg_at(&k->args[!g->is_turned]);
    g->to.data = arg_at(&k->result);
    g->c.data = k->args[2].is_scalar ? g->to.data : arg_at(&k->args[2]);
}

static size_t tile_bytes(const Gemm *g) {
    return needs_room(g) ? (size_t)(g->tile_rows * g->tile_cols) * dtype_size(g->type) : 0;
}

// Returns whether the tiles would be computed as in the plain product: BLIS's rounding depends on
// how it is called.
static bool goes_the_plain_way(const Cpu *cpu, const Gemm *g) {
    bool is_half = is_symmetric_product(cpu, g->type, &g->a, &g->b) && needs_room(g);
    return !(g->way.blis_first && g->is_turned) && !is_half && product_is_short(g->type, &g->a, &g->b);
}

bool gemm_supports(const Cpu *cpu, const Kernel *kernel) {
    Gemm g;
    gemm_of(cpu, kernel, &g);
    bool stays = view_size(&kernel->result.view) < LARGE && goes_the_plain_way(cpu, &g);
    return tile_bytes(&g) <= ROOM_BYTES && (g.is_thin || stays);
}

static size_t workspace(const Cpu *cpu, const Kernel *kernel) {
    Gemm g;
    gemm_of(cpu, kernel, &g);
    size_t packed = g.is_thin ? thin_workspace(cpu, g.type, g.b.rows, g.b.cols) : 0;
    return tile_bytes(&g) * (size_t)cpu->threads + packed;
}

// --- Epilogue ----------------------------------------------------------------------------------

// A block of rows of the product, of C and of the result.
typedef struct Span {
    Matrix p, c, to;
} Span;

// A thread's buffers for the epilogue.
typedef struct Steps {
    const Gemm *gemm;
    LoopFn multiply, sum;
    size_t size;
    bool numbers_set[2];
    _Alignas(BUFFER_ALIGN) char numbers[2][SPAN * sizeof(Wide)]; // alpha and beta, broadcast
    _Alignas(BUFFER_ALIGN) char addend[SPAN * sizeof(Wide)];
} Steps;

static void steps_begin(Steps *s, const Cpu *cpu, const Gemm *g) {
    s->gemm = g;
    s->multiply = loop_of(cpu, AOP_MULTIPLY, g->type);
    s->sum = loop_of(cpu, g->kernel->gemm.subtracts ? AOP_SUBTRACT : AOP_ADD, g->type);
    s->size = dtype_size(g->type);
    s->numbers_set[0] = s->numbers_set[1] = false;
}

static const char *number(Steps *s, int param, int64_t count) {
    if (!s->numbers_set[param]) {
        char one[sizeof(Wide)];
        dtype_store(s->gemm->type, one, s->gemm->kernel->params[param]);
        gather(one, 0, s->numbers[param], s->size, (size_t)count);
        s->numbers_set[param] = true;
    }
    return s->numbers[param];
}

static void scale(Steps *s, GemmStep step, const char *from, char *to, int64_t n, int64_t most) {
    const char *by = number(s, step == GEMM_SCALE ? 0 : 1, most);
    if (s->gemm->kernel->gemm.behind[step])
        s->multiply(from, by, NULL, to, (size_t)n);
    else
        s->multiply(by, from, NULL, to, (size_t)n);
}

static void tell(const Gemm *g, GemmStep step, uint32_t *flags) {
    flags_tell(&flags[g->kernel->gemm.sites[step]], FLAGS_FLOAT, false);
}

static char *row_of(const Matrix *m, int64_t row) {
    return m->data + row * m->row_stride;
}

static void scale_product(Steps *s, const Span *span, uint32_t *flags) {
    for (int64_t r = 0; r < span->p.rows; r++)
        scale(s, GEMM_SCALE, row_of(&span->p, r), row_of(&span->p, r), span->p.cols, span->p.cols);
    tell(s->gemm, GEMM_SCALE, flags);
}

// Returns rows of C for the sum: in place if they are contiguous and not scaled, otherwise in the buffer.
static Matrix addend_rows(Steps *s, const Span *span, uint32_t *flags) {
    int64_t size = (int64_t)s->size, cols = span->c.cols;
    bool scales = s->gemm->kernel->gemm.sites[GEMM_SCALE_ADDEND] >= 0;
    bool apart = span->c.col_stride != size && cols > 1;
    Matrix rows = {s->addend, span->c.rows, cols, cols * size, size};
    if (!scales && !apart) return span->c;
    for (int64_t r = 0; r < span->c.rows; r++) {
        const char *from = row_of(&span->c, r);
        if (apart) gather(from, span->c.col_stride, row_of(&rows, r), s->size, (size_t)cols);
        if (scales)
            scale(s, GEMM_SCALE_ADDEND, apart ? row_of(&rows, r) : from, row_of(&rows, r), cols,
                  cols);
    }
    if (scales) tell(s->gemm, GEMM_SCALE_ADDEND, flags);
    return rows;
}

static void add(Steps *s, const Span *span, const Matrix *addend, uint32_t *flags) {
    bool behind = s->gemm->kernel->gemm.behind[GEMM_SUM];
    bool apart = span->to.col_stride != (int64_t)s->size && span->to.cols > 1;
    for (int64_t r = 0; r < span->p.rows; r++) {
        char *p = row_of(&span->p, r), *c = row_of(addend, r),
             *to = apart ? p : row_of(&span->to, r);
        if (behind)
            s->sum(c, p, NULL, to, (size_t)span->p.cols);
        else
            s->sum(p, c, NULL, to, (size_t)span->p.cols);
    }
    tell(s->gemm, GEMM_SUM, flags);
}

static void put(const Span *span, size_t size) {
    for (int64_t r = 0; r < span->p.rows; r++)
        scatter(row_of(&span->p, r), row_of(&span->to, r), span->to.col_stride, size,
                (size_t)span->p.cols);
}

static void do_span(Steps *s, const Span *span, uint32_t *flags) {
    const int8_t *sites = s->gemm->kernel->gemm.sites;
    bool apart = span->to.col_stride != (int64_t)s->size && span->to.cols > 1;
    flags_clear();
    if (sites[GEMM_SCALE] >= 0) scale_product(s, span, flags);
    if (sites[GEMM_SUM] >= 0) {
        Matrix addend = addend_rows(s, span, flags);
        add(s, span, &addend, flags);
    }
    if (apart || (sites[GEMM_SUM] < 0 && span->p.data != span->to.data)) put(span, s->size);
}

static bool is_one_row(const Matrix *m, int64_t size) {
    return m->col_stride == size && (m->rows == 1 || m->row_stride == m->cols * size);
}

static void as_one_row(Matrix *m) {
    m->cols *= m->rows;
    m->row_stride *= m->rows;
    m->rows = 1;
}

// Applies the epilogue to a tile of the product.
static void finish(Steps *s, Matrix p, Matrix c, Matrix to, uint32_t *flags) {
    int64_t size = (int64_t)s->size;
    if (is_one_row(&p, size) && is_one_row(&c, size) && is_one_row(&to, size)) {
        as_one_row(&p);
        as_one_row(&c);
        as_one_row(&to);
    }
    int64_t cols = least(p.cols, SPAN), rows = least(SPAN / cols, p.rows);
    for (int64_t i = 0; i < p.rows; i += rows)
        for (int64_t j = 0; j < p.cols; j += cols) {
            int64_t bottom = least(i + rows, p.rows), right = least(j + cols, p.cols);
            Matrix p_rows = rows_between(&p, i, bottom), c_rows = rows_between(&c, i, bottom);
            Matrix to_rows = rows_between(&to, i, bottom);
            Span span = {cols_between(&p_rows, j, right), cols_between(&c_rows, j, right),
                         cols_between(&to_rows, j, right)};
            do_span(s, &span, flags);
        }
}

// --- Tiles -------------------------------------------------------------------------------------

static void do_tile(const GemmJob *j, int part, int worker, uint32_t *flags) {
    const Gemm *g = j->gemm;
    const Cpu *cpu = j->job.cpu;
    int64_t size = (int64_t)dtype_size(g->type);
    Block at = tile_at(g, part);
    Matrix a = rows_between(&g->a, at.top, at.bottom), b = cols_between(&g->b, at.left, at.right);
    Matrix c = block_of(&g->c, &at), to = block_of(&g->to, &at), p = to;
    Steps steps;
    if (j->tile_bytes)
        p = (Matrix){(char *)g->kernel->workspace + j->tile_bytes * (size_t)worker, to.rows,
                     to.cols, to.cols * size, size};
    uint32_t *product = &flags[g->kernel->gemm.sites[GEMM_PRODUCT]];
    flags_clear();
    if (g->is_thin)
        thin_rows(cpu, g->type, &a, j->packed, (int)(part % g->across) * j->panels, &p);
    else if (!j->is_made)
        product_part(cpu, g->type, g->way, &a, &b, &p, product);
    flags_tell(product, FLAGS_FLOAT, false);
    *product &= ~(uint32_t)FLAG_UNDERFLOW;
    steps_begin(&steps, cpu, g);
    finish(&steps, p, c, to, flags);
}

static void run_tile(void *argument, int part, int worker) {
    GemmJob *j = argument;
    uint32_t flags[KERN_SITES] = {0};
    if (!left(j->job.cpu, j->gemm->kernel, flags)) do_tile(j, part, worker, flags);
    sites_tell(&j->sites, flags);
}

static void run_pack(void *argument, int part, int worker) {
    const GemmJob *j = argument;
    (void)worker;
    thin_pack(j->job.cpu, j->gemm->type, &j->gemm->b, part, j->packed);
}

static void run_gemm(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Gemm g;
    GemmJob j = {.gemm = &g};
    uint32_t unused = 0;
    gemm_of(cpu, k, &g);
    find_operands(&g);
    j.tile_bytes = tile_bytes(&g);
    j.job.cpu = cpu;
    sites_clear(&j.sites, k);
    uint32_t *product = &flags[k->gemm.sites[GEMM_PRODUCT]];
    if (g.is_thin) j.packed = (char *)k->workspace + j.tile_bytes * (size_t)cpu->threads;
    j.panels = thin_panels(cpu, g.type, g.tile_cols);
    if (g.is_thin)
        share_out(cpu, run_pack, &j, thin_panels(cpu, g.type, g.to.cols), &unused);
    else
        j.is_made = !j.tile_bytes && symmetric_product(cpu, g.type, &g.a, &g.b, &g.to, product);
    *product &= ~(uint32_t)FLAG_UNDERFLOW;
    if (g.down * g.across == 1)
        run_tile(&j, 0, 0);
    else
        share_out(cpu, run_tile, &j, (int)(g.down * g.across), &unused);
    sites_gather(&j.sites, flags);
}

const LibraryFn library_GEMM = {.run = run_gemm, .workspace = workspace};
