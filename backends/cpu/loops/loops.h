// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loops over elements, compiled once for each instruction set; the processor chooses.

#ifndef NACRE_BACKENDS_CPU_LOOPS_LOOPS_H
#define NACRE_BACKENDS_CPU_LOOPS_LOOPS_H

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"
#include "vm/graph/op.h"

enum { STEP = 8 }; // elements that the steps of factorisations take at once

// n elements: out = op(a, b, c); arrays are contiguous and the same or disjoint.
typedef void (*LoopFn)(const void *a, const void *b, const void *c, void *out, size_t n);
// out[i] = out[i-1] op in[i], where out[-1] is at `before`; NULL: the first one is in[0]. `in` may be `out`.
typedef void (*ScanFn)(const void *before, const void *in, void *out, size_t n);
// A function of SLEEF, of whatever type and width, and what applies it to n elements; `loop` does
// those over again that come out as a NaN or infinite, and with `whole` those of whole numbers.
typedef void (*VectorFn)(void);
typedef void (*VectorRun)(VectorFn fn, LoopFn loop, bool whole, const void *a, const void *b,
                          void *out, size_t n);
// An own vector function's loops, which do instead of the op's; the second one's results go past the cache.
typedef struct OwnLoops {
    LoopFn loop, streamed; // NULL: there are none
} OwnLoops;

// C = A @ B of small matrices; strides in elements (of complex numbers in their halves), the columns
// of C next to one another.
typedef void (*ProductF64)(const double *a, int64_t a_row, int64_t a_col, const double *b, int64_t b_row,
                           int64_t b_col, double *c, int64_t c_row, int64_t rows, int64_t depth,
                           int64_t cols);
typedef void (*ProductF32)(const float *a, int64_t a_row, int64_t a_col, const float *b, int64_t b_row,
                           int64_t b_col, float *c, int64_t c_row, int64_t rows, int64_t depth,
                           int64_t cols);

// y = A @ x, where y, x and the rows of A, or y and its columns, are contiguous; strides in elements.
typedef void (*MatvecRows)(const void *a, int64_t a_row, const void *x, int64_t rows, int64_t depth,
                           void *y);
typedef void (*MatvecCols)(const void *a, int64_t a_col, const void *x, int64_t x_step,
                           int64_t rows, int64_t depth, void *y);

// Elements that a mask of n bytes selects, `room` of them, side by side: compress takes them out of `from`,
// expand puts those of `from` in their places.
typedef void (*SelectFn)(const uint8_t *mask, size_t n, const void *from, void *to, size_t room);

// A row of elements of 64 bits that is parted: those with keys below `low` go to the front of `to`, those above `high`
// to its end, the keys of the others between them aside; or places, and pairs of key and place. Keys by sort.c's Order.
typedef struct Apart {
    const uint64_t *from;
    size_t n;
    bool floating, places;
    uint64_t sign, last, infinity, flip, low, high;
    uint64_t *to, *between;
    size_t done, before, middle, behind; // what has become of the first elements
} Apart;

typedef void (*FoldFn)(const void *from, size_t n, void *out);

// The loops for one instruction set.
typedef struct Loops {
    const LoopFn (*ops)[DT_COUNT];     // by OpId; only where op_has_loop
    const LoopFn *casts[DT_COUNT];     // by target, then source
    const ScanFn *const *scans;        // by OpId, then type; NULL for most ops
    // Sums of n elements `stride` bytes apart, in NumPy's pairwise order.
    double (*sum_f64)(const char *at, size_t n, int64_t stride);
    float (*sum_f32)(const char *at, size_t n, int64_t stride);
    float (*sum_f16)(const char *at, size_t n, int64_t stride);
    float _Complex (*sum_c64)(const char *at, size_t n, int64_t stride);
    double _Complex (*sum_c128)(const char *at, size_t n, int64_t stride);
    ProductF64 product_f64, product_c128;
    ProductF32 product_f32, product_c64;
    double (*dot_f64)(const double *a, const double *b, size_t n);
    float (*dot_f32)(const float *a, const float *b, size_t n);
    // Of integers, by the logarithm of an element's bytes (products_int_template.h); strides in elements.
    void (*int_products[4])(const void *a, int64_t a_row, int64_t a_col, const void *b, int64_t b_row, int64_t b_col,
                            void *c, int64_t c_row, int64_t rows, int64_t depth, int64_t cols);
    void (*int_dots[4])(const void *a, const void *b, size_t n, void *to);
    int64_t dot_few_bytes; // of fewer, products are added one by one
    MatvecRows matvec_rows[2]; // of float, double
    MatvecCols matvec_cols[2];
    // Steps of factorisations (factor_steps_template.h).
    void (*subtract_product)(const double *a, int64_t a_row, int64_t a_col, const double *b,
                             int64_t b_row, double *c, int64_t c_row, int64_t rows, int64_t depth,
                             int64_t cols);
    bool (*lu_panel)(double *panel, int64_t rows, int64_t count, int64_t *pivots);
    bool (*lu_panel_complex)(double *re, double *im, int64_t rows, int64_t count, int64_t *pivots);
    bool (*cholesky_block)(double *a, int64_t row, int64_t n);
    // Steps of reductions by reflections (reflect_template.h).
    void (*rank_two)(double *a, int64_t row, int64_t rows, int64_t cols, const double *v,
                     const double *w, const double *v_rows, const double *w_rows, const double *next,
                     double *product);
    void (*reflect)(double *z, int64_t row, int64_t rows, int64_t cols, const double *v, double tau);
    // What becomes of elements side by side, one at least, that meet one another (fold_template.h).
    const FoldFn *const *folds;        // by OpId, then type; NULL for most, or for all
    // Masks (select_template.h).
    int64_t (*count_true)(const uint8_t *mask, size_t n);
    void (*places_of_true)(const uint8_t *mask, size_t n, int64_t first, int64_t *to, size_t room);
    void (*apart_64)(Apart *apart); // apart_template.h; NULL: there is no such loop
    SelectFn compress[5], expand[5];   // by the logarithm of an element's bytes
    int vector_width;                  // bytes; 0: no vector functions
    const char *vector_set;            // SLEEF's name of the instruction set
    VectorRun vectors[2][2];           // of float, double; with one operand, with two
    const OwnLoops *own_f64;           // by OpId: own vector functions of doubles; NULL: there are none
} Loops;
extern const Loops loops_baseline;
extern const Loops loops_avx2, loops_avx512; // x86-64 only, where they are linked in
// The loops of an instruction set that the processor has; NULL: they are not there. Linked in
// (loops_linked.c), or in a plug-in (backends/loops).
typedef enum LoopSet { LOOPS_AVX2, LOOPS_AVX512 } LoopSet;
const Loops *loops_find(LoopSet set);
// A line for `nacre info`.
void loops_describe(Buf *out, const Loops *used);

// features.c: whether the processor has what loops_avx2.c, loops_avx512.c and BLIS's code for such
// processors need.
bool has_avx2(void);
bool has_avx512(void);

#endif
