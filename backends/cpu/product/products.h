// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the bodies of matrix products share (matmul.c).

#ifndef NACRE_BACKENDS_CPU_PRODUCT_PRODUCTS_H
#define NACRE_BACKENDS_CPU_PRODUCT_PRODUCTS_H

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/product/blis.h"

// Which of the ways a product goes. The whole product decides, not a thread's part of it, so that the
// number of threads does not change the result.
typedef struct ProductWay {
    bool blis, blis_first; // worth a call of BLIS; before own code is tried
    bool narrow;           // too few columns, or rows, to fill a panel
} ProductWay;

ProductWay product_way(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b);
// C = A @ B by the calling thread. Adds the float flags of that thread, and of those it starts.
void product_part(const Cpu *cpu, DType type, ProductWay way, const Matrix *a, const Matrix *b,
                  const Matrix *c, uint32_t *flags);
// In how many parts of its rows, or columns, a product of so many multiplications is shared out. BLIS may
// add up in another order near the ends of what it is called for, so whoever makes a product cuts it in the
// same places (cut_before).
int product_parts(const Cpu *cpu, double work, int64_t extent);
// Multiplications after which somebody looks for interrupts: a tenth of a second, about.
double product_most(DType type);
// Whether it is one piece of work, with no need to look in between.
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

// Rows top … bottom and columns left … right of a matrix.
typedef struct Block {
    int64_t top, bottom, left, right;
} Block;

static inline Matrix block_of(const Matrix *m, const Block *at) {
    Matrix rows = rows_between(m, at->top, at->bottom);
    return cols_between(&rows, at->left, at->right);
}

// C = A @ B, by whichever way is best, shared out to the threads.
void matrix_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
                    uint32_t *flags);

// The same for stacks of matrices; at: of their first elements, and moved on.
void stack_product(const Cpu *cpu, const View *a, const View *b, const View *c, char *at[3], uint32_t *flags);

// symmetric.c: whether B is A's transpose, the very same elements, and the product worth half of the work;
// and C = A @ B for such, shared out to the threads. False: nothing has been done.
bool is_symmetric_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b);
bool symmetric_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b,
                       const Matrix *c, uint32_t *flags);

// matvec.c: C = A @ B where B has a few columns, or A a few rows, of floats, shared out to the threads. False: that
// is not so, or better done otherwise.
bool matvec(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
            uint32_t *flags);

// deep.c: the same where both are so.
bool deep_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
                  uint32_t *flags);

// products_int.c, by the calling thread: C = A @ B of integers (false: nothing has been done), and of booleans.
bool product_of_ints(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c);
void product_of_bools(const Matrix *a, const Matrix *b, const Matrix *c);

// thin.c: A @ B of float32 and float64 with few columns of A, by bands of rows. The caller
// packs B's panels, any of them by any thread, before rows are made with them.
int thin_panels(const Cpu *cpu, DType type, int64_t cols);
size_t thin_workspace(const Cpu *cpu, DType type, int64_t depth, int64_t cols);
void thin_pack(const Cpu *cpu, DType type, const Matrix *b, int panel, char *packed);
void thin_rows(const Cpu *cpu, DType type, const Matrix *a, const char *packed, int first,
               const Matrix *c);

#endif
