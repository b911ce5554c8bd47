// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by matrix products (matmul.c).

#ifndef NACRE_BACKENDS_CPU_PRODUCT_PRODUCTS_H
#define NACRE_BACKENDS_CPU_PRODUCT_PRODUCTS_H

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/product/blis.h"

// The chosen algorithm. It depends on the whole product, not on a thread's part, so the number of
// threads does not change the result.
typedef struct ProductWay {
    bool blis, blis_first; // large enough for BLIS; try BLIS before own code
    bool narrow;           // too few columns, or rows, to fill a panel
} ProductWay;

ProductWay product_way(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b);
// C = A @ B on the calling thread. Adds the float flags of that thread and of threads that it
// starts.
void product_part(const Cpu *cpu, DType type, ProductWay way, const Matrix *a, const Matrix *b,
                  const Matrix *c, uint32_t *flags);
// Returns the number of parts that rows, or columns, are cut into for a product of `work` multiplications. BLIS may
// sum differently near the edges of a call, so every caller must cut at the same places (cut_before).
int product_parts(const Cpu *cpu, double work, int64_t extent);
// Returns the multiplications between two polls for interrupts: those of about a tenth of a second.
double product_most(DType type);
// Returns whether no poll is needed within a product.
bool product_is_short(DType type, const Matrix *a, const Matrix *b);
static inline int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline Matrix rows_between(const Matrix *m, int64_t from, int64_t to) {
    return (Matrix){m->data + from * m->row_stride, to - from, m->cols, m->row_stride,
                    m->col_stride};
}
static inline Matrix cols_between(const Matrix *m, int64_t from, int64_t to) {
    return (Matrix){m->data + from * m->col_stride, m->rows, to - from, m->row_stride,
                    m->col_stride};
}

// A submatrix: rows top … bottom, columns left … right.
typedef struct Block {
    int64_t top, bottom, left, right;
} Block;

static inline Matrix block_of(const Matrix *m, const Block *at) {
    Matrix rows = rows_between(m, at->top, at->bottom);
    return cols_between(&rows, at->left, at->right);
}

// C = A @ B by the best algorithm, using all threads.
void matrix_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
                    uint32_t *flags);

// The same for stacks of matrices; `at` holds the addresses of their first elements.
void stack_product(const Cpu *cpu, const View *a, const View *b, const View *c, char *at[3], uint32_t *flags);

// symmetric.c: is_symmetric_product returns whether B is A's transpose (the same elements) and the product is worth
// halving. symmetric_product computes such a product, using all threads. False: nothing was done.
bool is_symmetric_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b);
bool symmetric_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b,
                       const Matrix *c, uint32_t *flags);

// matvec.c: C = A @ B for B with few columns, or A with few rows, of floats, using all threads.
// False: not such a product, or another way is better.
bool matvec(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
            uint32_t *flags);

// deep.c: the same for A with few rows and B with few columns.
bool deep_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
                  uint32_t *flags);

// products_int.c, on the calling thread: C = A @ B for integers (false: nothing was done), and for
// booleans.
bool product_of_ints(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c);
void product_of_bools(const Matrix *a, const Matrix *b, const Matrix *c);

// thin.c: A @ B of float32 and float64 for A with few columns, by bands of rows. The caller packs
// B's panels, any of them on any thread, before computing rows.
int thin_panels(const Cpu *cpu, DType type, int64_t cols);
size_t thin_workspace(const Cpu *cpu, DType type, int64_t depth, int64_t cols);
void thin_pack(const Cpu *cpu, DType type, const Matrix *b, int panel, char *packed);
void thin_rows(const Cpu *cpu, DType type, const Matrix *a, const char *packed, int first,
               const Matrix *c);

#endif
