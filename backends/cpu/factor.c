// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU and Cholesky factors, and what follows from them: solutions, inverses, determinants.
#include <math.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/lu.h"

// --- Copies ------------------------------------------------------------------------------------

enum { TILE_ROWS = 16 };

#define COPY_TILES(T)                                                                             \
    static void copy_tiles_##T(const Matrix *from, const Matrix *to) {                            \
        for (int64_t i0 = 0; i0 < from->rows; i0 += TILE_ROWS)                                    \
            for (int64_t j0 = 0; j0 < from->cols; j0 += TILE_ROWS) {                              \
                int64_t i1 = i0 + TILE_ROWS < from->rows ? i0 + TILE_ROWS : from->rows;           \
                int64_t j1 = j0 + TILE_ROWS < from->cols ? j0 + TILE_ROWS : from->cols;           \
                for (int64_t i = i0; i < i1; i++)                                                 \
                    for (int64_t j = j0; j < j1; j++)                                             \
                        *(T *)(to->data + i * to->row_stride + j * to->col_stride) = *(           \
                            const T *)(from->data + i * from->row_stride + j * from->col_stride); \
            }                                                                                     \
    }
typedef struct Pair {
    double re, im;
} Pair;
COPY_TILES(double)
COPY_TILES(Pair)

// In tiles, for one of the two may lie in columns.
void matrix_copy(Matrix from, Matrix to, int parts) {
    const int64_t size = parts * (int64_t)sizeof(double);
    if (from.col_stride == size && to.col_stride == size) {
        for (int64_t i = 0; i < from.rows; i++)
            memcpy(to.data + i * to.row_stride, from.data + i * from.row_stride,
                   (size_t)(from.cols * size));
    } else if (parts == 1) {
        copy_tiles_double(&from, &to);
    } else {
        copy_tiles_Pair(&from, &to);
    }
}

void fill_nan(double *at, int64_t count) {
    for (int64_t i = 0; i < count; i++) at[i] = NAN;
}

Content content_of(const double *at, int64_t count) {
    const uint64_t exponent = (uint64_t)0x7ff << 52;
    uint64_t bits, odd = 0;
    for (int64_t i = 0; i < count; i++) {
        memcpy(&bits, at + i, sizeof bits);
        odd |= (bits & exponent) == exponent;
    }
    if (!odd) return CONTENT_FINITE;
    for (int64_t i = 0; i < count; i++)
        if (isnan(at[i])) return CONTENT_NAN;
    return CONTENT_INFINITE;
}

// --- Solutions and inverses --------------------------------------------------------------------

static size_t solve_workspace(const Cpu *cpu, const Kernel *k) {
    System s;
    const View *a = &k->args[0].view;
    int64_t sides = cols_of(k->library == AOP_SOLVE ? &k->args[1].view : a);
    return system_make(&s, cpu, rows_of(a), sides, parts_of(a), NULL, NULL);
}

// Without a right-hand side of its own it is the identity's.
static void run_solve(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view, *x = &k->result.view;
    bool given = k->library == AOP_SOLVE;
    int64_t n = rows_of(a), sides = cols_of(x);
    Stacks stacks;
    System s;
    system_make(&s, cpu, n, sides, parts_of(a), k->workspace, flags);
    if (!stacks_begin(&stacks, k, given ? 2 : 1) || n == 0 || sides == 0) return;
    do {
        Matrix out = matrix_at(x, stacks.at[given ? 2 : 1]);
        system_load(&s, matrix_at(a, stacks.at[0]));
        Matrix side = given ? matrix_at(&k->args[1].view, stacks.at[1]) : out;
        system_load_side(&s, given ? &side : NULL);
        if (system_solve(&s)) {
            system_store_side(&s, out);
        } else {
            fill_nan((double *)out.data, n * sides * parts_of(a));
            if (!k->attrs.or_nan) *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
}

const LibraryFn library_SOLVE = {run_solve, solve_workspace};
const LibraryFn library_INVERSE = {run_solve, solve_workspace};

// --- Determinants ------------------------------------------------------------------------------

static size_t det_workspace(const Cpu *cpu, const Kernel *k) {
    System s;
    const View *a = &k->args[0].view;
    return system_make(&s, cpu, rows_of(a), 0, parts_of(a), NULL, NULL);
}

// The product of the pivots' directions, and the sum of their logarithms.
static double _Complex determinant(const System *s, bool regular, double *log_of) {
    double re = regular, im = 0;
    *log_of = regular ? 0 : -INFINITY;
    for (int64_t i = 0; i < s->n && regular; i++) {
        const double *top = s->matrix + i * (s->work.row + 1);
        double x = top[0], y = s->work.plane ? top[s->work.plane] : 0, a = re, b = im;
        double size = s->work.plane ? hypot(x, y) : fabs(x);
        if (s->pivots[i] != i) x = -x, y = -y;
        x = s->work.plane ? x / size : x < 0 ? -1 : 1;
        y = s->work.plane ? y / size : 0;
        re = a * x - b * y;
        im = a * y + b * x;
        *log_of += log(size);
    }
    double _Complex sign;
    __real__ sign = re;
    __imag__ sign = im;
    return sign;
}

// NumPy multiplies exp() of the logarithm with the sign.
static void run_det(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view;
    const int parts = parts_of(a);
    int64_t n = rows_of(a);
    Stacks stacks;
    System s;
    system_make(&s, cpu, n, 0, parts, k->workspace, flags);
    if (!stacks_begin(&stacks, k, 1)) return;
    flags_clear();
    do {
        double log_of, *out = (double *)stacks.at[1];
        system_load(&s, matrix_at(a, stacks.at[0]));
        double _Complex sign = determinant(&s, n == 0 || system_factor(&s), &log_of);
        double size = k->library == AOP_DET ? exp(log_of) : 1;
        out[0] = __real__ sign * size;
        if (parts == 2) out[1] = __imag__ sign * size;
        if (k->library == AOP_SLOGDET) out[parts] = log_of;
        if (k->library == AOP_SLOGDET && parts == 2) out[3] = 0;
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
    *flags |= flags_raised() & ~(uint32_t)FLAG_UNDERFLOW;
}

const LibraryFn library_DET = {run_det, det_workspace};
const LibraryFn library_SLOGDET = {run_det, det_workspace};

// --- Cholesky ----------------------------------------------------------------------------------

// The upper triangle of the product of `depth` rows of U with themselves, in bands.
static void subtract_square(const Work *w, const double *u, double *a, int64_t n, int64_t depth,
                            int64_t cols) {
    enum { BAND_ROWS = 128 };
    for (int64_t i = 0; i < n; i += BAND_ROWS) {
        int64_t rows = n - i < BAND_ROWS ? n - i : BAND_ROWS;
        lu_subtract(w, u + i, 1, w->row, u + i, a + i * (w->row + 1), rows, depth, cols - i);
    }
}

// A = U^T U, in the upper triangle. False: not positive definite.
static bool factor_cholesky(const Work *w, double *a, int64_t n, int64_t cols) {
    if (n <= STEP) return w->cpu->loops->cholesky_block(a, w->row, n);
    int64_t half = lu_padded(n / 2);
    double *beside = a + half, *rest = beside + half * w->row;
    if (interrupted(w->cpu, w->flags)) return true;
    if (!factor_cholesky(w, a, half, half)) return false;
    lu_solve_lower(w, a, 1, w->row, false, beside, half, cols - half);
    subtract_square(w, beside, rest, n - half, half, cols - half);
    return factor_cholesky(w, rest, n - half, cols - half);
}

static size_t cholesky_workspace(const Cpu *cpu, const Kernel *k) {
    return parts_of(&k->args[0].view) == 2 ? complex_cholesky_workspace(k) : det_workspace(cpu, k);
}

static void run_cholesky(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view;
    if (parts_of(a) == 2) {
        run_cholesky_complex(cpu, k, flags);
        return;
    }
    int64_t n = rows_of(a);
    Stacks stacks;
    System s;
    system_make(&s, cpu, n, 0, 1, k->workspace, flags);
    if (!stacks_begin(&stacks, k, 1) || n == 0) return;
    do {
        Matrix from = matrix_at(a, stacks.at[0]), to = matrix_at(&k->result.view, stacks.at[1]);
        system_load(&s, k->attrs.upper ? from : turned(from));
        if (factor_cholesky(&s.work, s.matrix, n, s.width)) {
            for (int64_t i = 1; i < n; i++)
                memset(s.matrix + i * s.work.row, 0, (size_t)i * sizeof(double));
            matrix_copy(in_rows(s.matrix, n, n, s.work.row, 1), k->attrs.upper ? to : turned(to),
                        1);
        } else {
            fill_nan((double *)to.data, n * n);
            *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
}

const LibraryFn library_CHOLESKY = {run_cholesky, cholesky_workspace};
