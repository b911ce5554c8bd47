// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of a matrix with its own transpose (A.T @ A, A @ A.T: BLAS's rank-k update). Only the
// lower triangle is computed, and copied to the other: half the work, and the result is exactly
// symmetric. The triangle is split recursively into two triangles and a square (Gustavson,
// "Recursion leads to automatic variable blocking for dense linear-algebra algorithms", 1997), so
// most of the work is in large squares.

#include "backends/cpu/product/blis.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/tile/move.h"

enum {
    LEAST_ROWS = 128, // minimum size of the result
    DIAGONAL = 64,    // minimum rows of a diagonal square, which is computed in full
    DEPTH = 3,        // maximum number of times that the triangle is split
    BLOCKS_MAX = 512,
    FIXED_PARTS = 32, // in reproducible mode
};
static const double least_work = 128 * 128 * 64;

typedef struct Symmetric {
    Job job;
    DType type;
    ProductWay way;
    const Matrix *a, *b, *c;
    double largest; // maximum elements of a block
    int count;
    bool fits; // all blocks fit into the table
    Block blocks[BLOCKS_MAX];
} Symmetric;

// --- Blocks ------------------------------------------------------------------------------------

static void add_block(Symmetric *s, Block block) {
    int64_t rows = block.bottom - block.top, cols = block.right - block.left;
    Block first = block, second = block;
    if ((double)rows * (double)cols <= s->largest || rows + cols < 2 * DIAGONAL) {
        if (s->count < BLOCKS_MAX)
            s->blocks[s->count++] = block;
        else
            s->fits = false;
        return;
    }
    if (rows >= cols)
        first.bottom = second.top = block.top + rows / 2;
    else
        first.right = second.left = block.left + cols / 2;
    add_block(s, first);
    add_block(s, second);
}

// Adds the squares below the diagonal that the split number `depth` of the triangle creates.
static void add_level(Symmetric *s, int64_t rows, int depth) {
    int64_t pieces = (int64_t)2 << depth;
    for (int64_t i = 0; i < pieces; i += 2) {
        int64_t from = rows * i / pieces, middle = rows * (i + 1) / pieces,
                to = rows * (i + 2) / pieces;
        add_block(s, (Block){middle, to, from, middle});
    }
}

static void add_diagonal(Symmetric *s, int64_t rows, int depth) {
    int64_t pieces = (int64_t)1 << depth;
    for (int64_t i = 0; i < pieces; i++) {
        int64_t from = rows * i / pieces, to = rows * (i + 1) / pieces;
        if (s->count == BLOCKS_MAX)
            s->fits = false;
        else
            s->blocks[s->count++] = (Block){from, to, from, to};
    }
}

static void cut(const Cpu *cpu, Symmetric *s) {
    double depth = (double)s->a->cols, most = product_most(s->type) / 2 / (depth > 0 ? depth : 1);
    int64_t rows = s->c->rows;
    int parts = cpu->reproducible ? FIXED_PARTS : 4 * cpu->threads, levels = 0;
    s->largest = (double)rows * (double)rows / parts;
    if (s->largest > most) s->largest = most; // interrupts are polled between blocks
    while (levels < DEPTH && rows >> (levels + 1) >= DIAGONAL) add_level(s, rows, levels++);
    add_diagonal(s, rows, levels);
}

// --- Mirroring ---------------------------------------------------------------------------------

#define MIRROR(T)                                                                                 \
    static void mirror_##T(const Matrix *from, const Matrix *to, bool diagonal) {                 \
        enum { SIDE = 16 }; /* squares of few cache lines */                                      \
        for (int64_t top = 0; top < from->rows; top += SIDE)                                      \
            for (int64_t left = 0; left < (diagonal ? top + 1 : from->cols); left += SIDE) {      \
                int64_t bottom = top + SIDE < from->rows ? top + SIDE : from->rows;               \
                int64_t right = left + SIDE < from->cols ? left + SIDE : from->cols;              \
                for (int64_t j = left; j < right; j++)                                            \
                    for (int64_t i = diagonal && j >= top ? j + 1 : top; i < bottom; i++)         \
                        *(T *)(to->data + j * to->row_stride + i * to->col_stride) = *(           \
                            const T *)(from->data + i * from->row_stride + j * from->col_stride); \
            }                                                                                     \
    }
MIRROR(float)
MIRROR(double)
MIRROR(Wide)

static void mirror(DType type, const Matrix *from, const Matrix *to, bool diagonal) {
    switch (dtype_size(type)) {
    case sizeof(float): mirror_float(from, to, diagonal); break;
    case sizeof(double): mirror_double(from, to, diagonal); break;
    default: mirror_Wide(from, to, diagonal); break;
    }
}

// --- Running -----------------------------------------------------------------------------------

static void run_block(void *argument, int part, int worker) {
    Symmetric *s = argument;
    const Block *at = &s->blocks[part];
    uint32_t raised = 0;
    (void)worker;
    if (product_is_short(s->type, s->a, s->b) || !interrupted(s->job.cpu, &raised)) {
        Matrix a = rows_between(s->a, at->top, at->bottom),
               b = cols_between(s->b, at->left, at->right);
        Matrix below = block_of(s->c, at);
        Matrix above = block_of(s->c, &(Block){at->left, at->right, at->top, at->bottom});
        product_part(s->job.cpu, s->type, s->way, &a, &b, &below, &raised);
        mirror(s->type, &below, &above, at->top == at->left);
    }
    atomic_fetch_or(&s->job.flags, raised);
}

// Own code computes symmetric results of small real products anyway, since each element is summed in the same
// order. BLIS does not on every processor.
static bool is_worth_it(DType type, ProductWay way, const Matrix *a) {
    double work = (double)a->rows * (double)a->rows * (double)a->cols;
    return dtype_kind(type) == DK_COMPLEX || way.blis_first ||
           (a->rows >= LEAST_ROWS && work >= least_work);
}

bool is_symmetric_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b) {
    bool is_own = a->data == b->data && a->rows == b->cols && a->row_stride == b->col_stride &&
                  a->col_stride == b->row_stride;
    return is_own && dtype_is_inexact(type) && type != DT_FLOAT16 && a->rows > 1 &&
           is_worth_it(type, product_way(cpu, type, a, b), a);
}

bool symmetric_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b,
                       const Matrix *c, uint32_t *flags) {
    Symmetric s; // large: not zeroed needlessly
    if (!is_symmetric_product(cpu, type, a, b)) return false;
    s.type = type;
    s.way = product_way(cpu, type, a, b);
    s.a = a;
    s.b = b;
    s.c = c;
    s.count = 0;
    s.fits = true;
    cut(cpu, &s);
    if (s.fits) share_out(cpu, run_block, &s, s.count, flags);
    return s.fits;
}
