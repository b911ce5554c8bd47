// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU and Cholesky factors, and what is computed from them: solutions, inverses, determinants.
#include <math.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/linalg/lu.h"
#include "backends/cpu/product/blis.h"

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

// Copies tile by tile unless both matrices are row-major.
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

static size_t solve_memory(const Cpu *cpu, const Kernel *k) {
    System s;
    const View *a = &k->args[0].view;
    int64_t sides = cols_of(k->library == AOP_SOLVE ? &k->args[1].view : a);
    return system_make(&s, cpu, rows_of(a), sides, parts_of(a), NULL, NULL);
}

// Without a right-hand side, solves for the identity (inverse).
static void solve_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                          uint32_t *flags) {
    const View *a = &k->args[0].view, *x = &k->result.view;
    bool given = k->library == AOP_SOLVE;
    int64_t n = rows_of(a), sides = cols_of(x);
    System s;
    if (n == 0 || sides == 0) return;
    system_make(&s, cpu, n, sides, parts_of(a), memory, flags);
    do {
        Matrix out = matrix_at(x, stacks->at[given ? 2 : 1]);
        system_load(&s, matrix_at(a, stacks->at[0]));
        Matrix side = given ? matrix_at(&k->args[1].view, stacks->at[1]) : out;
        system_load_side(&s, given ? &side : NULL);
        if (system_solve(&s)) {
            system_store_side(&s, out);
        } else {
            fill_nan((double *)out.data, n * sides * parts_of(a));
            if (!k->attrs.or_nan) *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(stacks));
}

static const StackWork solve_work = {2, false, solve_memory, solve_stretch};
static const StackWork inverse_work = {1, false, solve_memory, solve_stretch};
const LibraryFn library_SOLVE = {run_stacks, stacks_workspace, &solve_work, NULL};
const LibraryFn library_INVERSE = {run_stacks, stacks_workspace, &inverse_work, NULL};

// --- Determinants ------------------------------------------------------------------------------

static size_t det_memory(const Cpu *cpu, const Kernel *k) {
    System s;
    const View *a = &k->args[0].view;
    return system_make(&s, cpu, rows_of(a), 0, parts_of(a), NULL, NULL);
}

// Returns the product of the pivots' phases, negated for each row exchange. `log_of` receives the sum of the
// logarithms of their magnitudes. A matrix that is not `regular` has the determinant 0.
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

// Computes determinants as NumPy does: the sign times exp() of the logarithm.
static void det_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                        uint32_t *flags) {
    const View *a = &k->args[0].view;
    const int parts = parts_of(a);
    int64_t n = rows_of(a);
    System s;
    system_make(&s, cpu, n, 0, parts, memory, flags);
    flags_clear();
    do {
        double log_of, *out = (double *)stacks->at[1];
        system_load(&s, matrix_at(a, stacks->at[0]));
        double _Complex sign = determinant(&s, n == 0 || system_factor(&s), &log_of);
        double size = k->library == AOP_DET ? exp(log_of) : 1;
        out[0] = __real__ sign * size;
        if (parts == 2) out[1] = __imag__ sign * size;
        if (k->library == AOP_SLOGDET) out[parts] = log_of;
        if (k->library == AOP_SLOGDET && parts == 2) out[3] = 0;
    } while (!interrupted(cpu, flags) && stacks_next(stacks));
    *flags |= flags_raised() & ~(uint32_t)FLAG_UNDERFLOW;
}

static const StackWork det_work = {1, false, det_memory, det_stretch};
const LibraryFn library_DET = {run_stacks, stacks_workspace, &det_work, NULL};
const LibraryFn library_SLOGDET = {run_stacks, stacks_workspace, &det_work, NULL};

// --- Cholesky ----------------------------------------------------------------------------------

// Subtracts U^T U for `depth` rows of U, upper triangle only, by bands of rows.
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

static size_t cholesky_memory(const Cpu *cpu, const Kernel *k) {
    return parts_of(&k->args[0].view) == 2 ? complex_cholesky_memory(k) : det_memory(cpu, k);
}

static void cholesky_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                             uint32_t *flags) {
    const View *a = &k->args[0].view;
    int64_t n = rows_of(a);
    System s;
    if (parts_of(a) == 2) {
        complex_cholesky_stretch(cpu, k, stacks, memory, flags);
        return;
    }
    if (n == 0) return;
    system_make(&s, cpu, n, 0, 1, memory, flags);
    do {
        Matrix from = matrix_at(a, stacks->at[0]), to = matrix_at(&k->result.view, stacks->at[1]);
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
    } while (!interrupted(cpu, flags) && stacks_next(stacks));
}

static const StackWork cholesky_work = {1, true, cholesky_memory, cholesky_stretch};
const LibraryFn library_CHOLESKY = {run_stacks, stacks_workspace, &cholesky_work, NULL};
