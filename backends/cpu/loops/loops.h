// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Element loops, compiled once per instruction set and chosen at run time.

#ifndef NACRE_BACKENDS_CPU_LOOPS_LOOPS_H
#define NACRE_BACKENDS_CPU_LOOPS_LOOPS_H

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"
#include "vm/graph/op.h"

enum { STEP = 8 }; // elements per step of factorisations

// out = op(a, b, c) for n elements; arrays are contiguous and identical or disjoint.
typedef void (*LoopFn)(const void *a, const void *b, const void *c, void *out, size_t n);
// Scan: out[i] = out[i-1] op in[i], with out[-1] at `before`; NULL: starts with in[0]. `in` may be
// `out`.
typedef void (*ScanFn)(const void *before, const void *in, void *out, size_t n);
// A SLEEF function of any type and width, and the driver that applies it to n elements. `loop`
// recomputes elements that become NaN or infinite and, with `whole`, those whose operands are whole numbers.
typedef void (*VectorFn)(void);
typedef void (*VectorRun)(VectorFn fn, LoopFn loop, bool whole, const void *a, const void *b,
                          void *out, size_t n);
// Own vector functions, which replace the op's loop; `streamed` uses non-temporal stores.
typedef struct OwnLoops {
    LoopFn loop, streamed; // NULL: not available
} OwnLoops;

// C = A @ B for small matrices; strides in elements (complex: in parts); rows of C are contiguous.
typedef void (*ProductF64)(const double *a, int64_t a_row, int64_t a_col, const double *b, int64_t b_row,
                           int64_t b_col, double *c, int64_t c_row, int64_t rows, int64_t depth,
                           int64_t cols);
typedef void (*ProductF32)(const float *a, int64_t a_row, int64_t a_col, const float *b, int64_t b_row,
                           int64_t b_col, float *c, int64_t c_row, int64_t rows, int64_t depth,
                           int64_t cols);

// Products of sparse matrices prefetch entries so far ahead of those that they multiply, a cache line at a time: the
// processor's own prefetching of one or two streams leaves bandwidth unused.
enum { LINE_BYTES = 64, AHEAD_BYTES = 1 << 13 };
// Rows of a compressed matrix times a vector (runs_template.h): `rows` rows with `entries` entries each, whose columns,
// at first `columns`, move by one from row to row.
typedef void (*RunRows)(const void *data, int64_t entries, const void *x, const int64_t *columns, int64_t rows, void *to);
// y = A @ x, with strides in elements. MatvecRows: y, x and the rows of A are contiguous. MatvecCols: y and the
// columns of A are contiguous.
typedef void (*MatvecRows)(const void *a, int64_t a_row, const void *x, int64_t rows, int64_t depth,
                           void *y);
typedef void (*MatvecCols)(const void *a, int64_t a_col, const void *x, int64_t x_step,
                           int64_t rows, int64_t depth, void *y);

// Selection by a mask of n bytes with `room` true ones: compress gathers the selected elements of
// `from` contiguously, expand scatters them back.
typedef void (*SelectFn)(const uint8_t *mask, size_t n, const void *from, void *to, size_t room);

// Three-way partition of a row of 64-bit elements: those with keys below `low` go to the front of `to`, those with
// keys above `high` to its end, and the keys of the others to `between`. With `places`, `to` receives the elements'
// indices, and `between` pairs of key and index. Keys are those of sort.c's Order.
typedef struct Apart {
    const uint64_t *from;
    size_t n;
    bool floating, places;
    uint64_t sign, last, infinity, flip, low, high;
    uint64_t *to, *between;
    size_t done, before, middle, behind; // progress: counts of elements
} Apart;

typedef void (*FoldFn)(const void *from, size_t n, void *out);

// The loops for one instruction set.
typedef struct Loops {
    const LoopFn (*ops)[DT_COUNT];     // by OpId; only where op_has_loop
    const LoopFn *casts[DT_COUNT];     // by target, then source
    const ScanFn *const *scans;        // by OpId, then type; NULL for most ops
    // Sum of n elements, `stride` bytes apart, in NumPy's pairwise order.
    double (*sum_f64)(const char *at, size_t n, int64_t stride);
    float (*sum_f32)(const char *at, size_t n, int64_t stride);
    float (*sum_f16)(const char *at, size_t n, int64_t stride);
    float _Complex (*sum_c64)(const char *at, size_t n, int64_t stride);
    double _Complex (*sum_c128)(const char *at, size_t n, int64_t stride);
    ProductF64 product_f64, product_c128;
    ProductF32 product_f32, product_c64;
    double (*dot_f64)(const double *a, const double *b, size_t n);
    float (*dot_f32)(const float *a, const float *b, size_t n);
    // Integer products, by log2 of the element size (products_int_template.h); strides in elements.
    void (*int_products[4])(const void *a, int64_t a_row, int64_t a_col, const void *b, int64_t b_row, int64_t b_col,
                            void *c, int64_t c_row, int64_t rows, int64_t depth, int64_t cols);
    void (*int_dots[4])(const void *a, const void *b, size_t n, void *to);
    int64_t dot_few_bytes; // shorter vectors are summed sequentially
    MatvecRows matvec_rows[2]; // of float, double
    MatvecCols matvec_cols[2];
    RunRows run_rows[2];
    // Steps of factorisations (factor_steps_template.h).
    void (*subtract_product)(const double *a, int64_t a_row, int64_t a_col, const double *b,
                             int64_t b_row, double *c, int64_t c_row, int64_t rows, int64_t depth,
                             int64_t cols);
    bool (*lu_panel)(double *panel, int64_t rows, int64_t count, int64_t *pivots);
    bool (*lu_panel_complex)(double *re, double *im, int64_t rows, int64_t count, int64_t *pivots);
    bool (*cholesky_block)(double *a, int64_t row, int64_t n);
    // Steps of Householder reductions (reflect_template.h).
    void (*rank_two)(double *a, int64_t row, int64_t rows, int64_t cols, const double *v,
                     const double *w, const double *v_rows, const double *w_rows, const double *next,
                     double *product);
    void (*reflect)(double *z, int64_t row, int64_t rows, int64_t cols, const double *v, double tau);
    // Folds of at least one contiguous element (fold_template.h).
    const FoldFn *const *folds;        // by OpId, then type; NULL for most ops; itself NULL without AVX2
    // Masks (select_template.h).
    int64_t (*count_true)(const uint8_t *mask, size_t n);
    void (*places_of_true)(const uint8_t *mask, size_t n, int64_t first, int64_t *to, size_t room);
    void (*apart_64)(Apart *apart); // apart_template.h; NULL: not available
    SelectFn compress[5], expand[5];   // by log2 of the element size
    int vector_width;                  // bytes; 0: no vector functions
    const char *vector_set;            // SLEEF's name of the instruction set
    VectorRun vectors[2][2];           // of float, double; unary, binary
    const OwnLoops *own_f64;           // by OpId: own vector functions of doubles; NULL: none
} Loops;
extern const Loops loops_baseline;
extern const Loops loops_avx2, loops_avx512; // x86-64 only, if linked in
// Returns the loops of an instruction set, which the processor must support. NULL: not available. The loops are
// linked in (loops_linked.c), or in a plug-in (backends/loops).
typedef enum LoopSet { LOOPS_AVX2, LOOPS_AVX512 } LoopSet;
const Loops *loops_find(LoopSet set);
// Appends a line for `nacre info`, if loops are in plug-ins.
void loops_describe(Buf *out, const Loops *used);

// features.c: detects what loops_avx2.c, loops_avx512.c and the corresponding BLIS kernels need.
bool has_avx2(void);
bool has_avx512(void);

#endif
