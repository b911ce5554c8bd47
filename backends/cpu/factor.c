// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU and Cholesky factors, and what follows from them: solutions, inverses, determinants.
//
// Both factorisations halve the matrix recursively, so that nearly all of the work is products of
// matrices (S. Toledo, "Locality of Reference in LU Decomposition with Partial Pivoting", 1997):
// large ones by BLIS, in as many parts as there are threads, small ones by own code. A right-hand
// side stands beside the matrix, in the same rows, and takes part in the elimination.

#include <math.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/linalg.h"

// --- Copies ------------------------------------------------------------------------------------

enum { TILE_ROWS = 16 };

#define COPY_TILES(T)                                                                     \
    static void copy_tiles_##T(const Matrix *from, const Matrix *to) {                    \
        for (int64_t i0 = 0; i0 < from->rows; i0 += TILE_ROWS)                            \
            for (int64_t j0 = 0; j0 < from->cols; j0 += TILE_ROWS) {                      \
                int64_t i1 = i0 + TILE_ROWS < from->rows ? i0 + TILE_ROWS : from->rows;   \
                int64_t j1 = j0 + TILE_ROWS < from->cols ? j0 + TILE_ROWS : from->cols;   \
                for (int64_t i = i0; i < i1; i++)                                         \
                    for (int64_t j = j0; j < j1; j++)                                     \
                        *(T *)(to->data + i * to->row_stride + j * to->col_stride) =      \
                            *(const T *)(from->data + i * from->row_stride + j * from->col_stride); \
            }                                                                             \
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

static int64_t padded(int64_t n) {
    return (n + STEP - 1) / STEP * STEP;
}

// Elements from row to row: rows a power of two apart would share a few lines of the cache.
static int64_t row_length(int64_t width) {
    enum { ALIASING = 128 };
    return width % ALIASING == 0 ? width + STEP : width;
}

// --- Products ----------------------------------------------------------------------------------

// What one factorisation works with.
typedef struct Work {
    const Cpu *cpu;
    uint32_t *flags;
    int64_t row;   // elements from row to row
    double *panel; // room for a column of STEP elements
} Work;

typedef struct SubtractJob {
    Job job;
    const Matrix *a, *b, *c;
    bool by_rows;
    int parts;
    atomic_bool failed;
} SubtractJob;

static void subtract_part(void *argument, int part, int worker) {
    SubtractJob *s = argument;
    int64_t extent = s->by_rows ? s->a->rows : s->b->cols;
    int64_t from = extent * part / s->parts / STEP * STEP;
    int64_t to = part + 1 < s->parts ? extent * (part + 1) / s->parts / STEP * STEP : extent;
    Matrix left = *s->a, right = *s->b, out = *s->c;
    (void)worker;
    if (s->by_rows) {
        left.rows = out.rows = to - from;
        left.data += from * left.row_stride;
        out.data += from * out.row_stride;
    } else {
        right.cols = out.cols = to - from;
        right.data += from * right.col_stride;
        out.data += from * out.col_stride;
    }
    if (to > from && !blis_subtract(&left, &right, &out)) atomic_store(&s->failed, true);
}

static bool subtract_by_blis(const Cpu *cpu, const Matrix *a, const Matrix *b, const Matrix *c) {
    enum { THREAD_WORK = 1 << 20 };
    double work = (double)a->rows * (double)a->cols * (double)b->cols;
    SubtractJob s = {.a = a, .b = b, .c = c, .by_rows = a->rows >= b->cols};
    int64_t extent = s.by_rows ? a->rows : b->cols;
    s.parts = cpu->reproducible ? fixed_parts(extent) : extent < 2 * cpu->threads ? 1 : cpu->threads;
    if (work < THREAD_WORK || s.parts == 1)
        return blis_subtract(a, b, c);
    uint32_t none = 0;
    share_out(cpu, subtract_part, &s, s.parts, &none);
    return !atomic_load(&s.failed);
}

// C -= A @ B, where B and C have unit column strides.
static void subtract(const Work *w, const double *a, int64_t a_row, int64_t a_col, const double *b,
                     double *c, int64_t rows, int64_t depth, int64_t cols) {
    enum { BLIS_WORK = 64 * 64 * 64, BLIS_DEPTH = 16 };
    const int64_t size = sizeof(double);
    bool large = (double)rows * (double)depth * (double)cols >= BLIS_WORK && depth >= BLIS_DEPTH;
    Matrix left = {(char *)a, rows, depth, a_row * size, a_col * size};
    Matrix right = in_rows((double *)b, depth, cols, w->row, 1);
    Matrix to = in_rows(c, rows, cols, w->row, 1);
    if (large && subtract_by_blis(w->cpu, &left, &right, &to)) return;
    w->cpu->loops->subtract_product(a, a_row, a_col, b, w->row, c, w->row, rows, depth, cols);
}

// --- Triangles ---------------------------------------------------------------------------------

// X = L^-1 X for a lower triangle, whose diagonal is 1 or what it holds.
static void solve_lower(const Work *w, const double *l, int64_t l_row, int64_t l_col, bool unit,
                        double *x, int64_t n, int64_t cols) {
    if (n <= STEP) {
        for (int64_t i = 0; i < n; i++) {
            double *at = x + i * w->row, top = l[i * (l_row + l_col)];
            w->cpu->loops->subtract_product(l + i * l_row, l_row, l_col, x, w->row, at, w->row, 1, i,
                                            cols);
            if (!unit)
                for (int64_t j = 0; j < cols; j++) at[j] /= top;
        }
        return;
    }
    int64_t half = padded(n / 2);
    double *rest = x + half * w->row;
    solve_lower(w, l, l_row, l_col, unit, x, half, cols);
    subtract(w, l + half * l_row, l_row, l_col, x, rest, n - half, half, cols);
    solve_lower(w, l + half * (l_row + l_col), l_row, l_col, unit, rest, n - half, cols);
}

// X = U^-1 X for the upper triangle of LU factors.
static void solve_upper(const Work *w, const double *u, double *x, int64_t n, int64_t cols) {
    if (n <= STEP) {
        for (int64_t i = n - 1; i >= 0; i--) {
            const double *from = u + i * w->row;
            double *at = x + i * w->row;
            w->cpu->loops->subtract_product(from + i + 1, w->row, 1, at + w->row, w->row, at, w->row,
                                            1, n - 1 - i, cols);
            for (int64_t j = 0; j < cols; j++) at[j] /= from[i];
        }
        return;
    }
    int64_t half = padded(n / 2);
    double *rest = x + half * w->row;
    solve_upper(w, u + half * (w->row + 1), rest, n - half, cols);
    subtract(w, u + half, w->row, 1, rest, x, half, n - half, cols);
    solve_upper(w, u, x, half, cols);
}

// --- LU ----------------------------------------------------------------------------------------

static void swap_rows(double *a, double *b, int64_t count) {
    for (int64_t j = 0; j < count; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

static void apply_pivots(const Work *w, double *a, const int64_t *pivots, int64_t count,
                         int64_t cols) {
    for (int64_t i = 0; i < count; i++)
        if (pivots[i] != i) swap_rows(a + i * w->row, a + pivots[i] * w->row, cols);
}

// STEP columns go to a place of their own, where one row lies behind the other.
static bool factor_panel(const Work *w, double *a, int64_t rows, int64_t count, int64_t *pivots) {
    for (int64_t i = 0; i < rows; i++)
        memcpy(w->panel + i * STEP, a + i * w->row, STEP * sizeof *a);
    bool regular = w->cpu->loops->lu_panel(w->panel, rows, count, pivots);
    for (int64_t i = 0; i < rows; i++)
        memcpy(a + i * w->row, w->panel + i * STEP, STEP * sizeof *a);
    return regular;
}

// The first `count` of `cols` columns (a multiple of STEP) become factors; those behind them take
// part in the elimination. pivots[i] >= i is the row that changed places with row i. False: a pivot
// is 0.
static bool factor_lu(const Work *w, double *a, int64_t rows, int64_t count, int64_t cols,
                      int64_t *pivots) {
    bool last = count <= STEP, regular;
    int64_t half = last ? count : padded(count / 2), width = padded(half);
    double *beside = a + width, *below = beside + half * w->row;
    if (interrupted(w->cpu, w->flags)) {
        for (int64_t i = 0; i < count; i++) pivots[i] = i;
        return true;
    }
    regular = last ? factor_panel(w, a, rows, count, pivots)
                   : factor_lu(w, a, rows, half, width, pivots);
    if (width < cols && !(*w->flags & FLAG_INTERRUPTED)) {
        apply_pivots(w, beside, pivots, half, cols - width);
        solve_lower(w, a, w->row, 1, true, beside, half, cols - width);
        subtract(w, a + half * w->row, w->row, 1, beside, below, rows - half, half, cols - width);
    }
    if (last) return regular;
    regular &= factor_lu(w, below, rows - half, count - half, cols - width, pivots + half);
    apply_pivots(w, a + half * w->row, pivots + half, count - half, width);
    for (int64_t i = half; i < count; i++) pivots[i] += half;
    return regular;
}

// --- Solutions and inverses --------------------------------------------------------------------

// A square matrix with its right-hand side, from column `width` on.
typedef struct System {
    Work work;
    int64_t n, width, sides;
    double *matrix;
    int64_t *pivots;
} System;

static size_t system_make(System *s, const Cpu *cpu, int64_t n, int64_t sides, void *memory,
                          uint32_t *flags) {
    Room room = {memory, 0};
    s->n = n;
    s->width = padded(n);
    s->sides = padded(sides);
    s->work = (Work){cpu, flags, row_length(s->width + s->sides), NULL};
    s->matrix = room_take(&room, n * s->work.row, sizeof(double));
    s->pivots = room_take(&room, n, sizeof *s->pivots);
    s->work.panel = room_take(&room, n * STEP, sizeof(double));
    return room.used;
}

static void system_load(const System *s, Matrix from) {
    Matrix to = in_rows(s->matrix, s->n, s->n, s->work.row, 1);
    for (int64_t i = 0; i < s->n; i++)
        memset(s->matrix + i * s->work.row + s->n, 0,
               (size_t)(s->work.row - s->n) * sizeof(double));
    matrix_copy(from, to, 1);
}

static bool system_solve(const System *s) {
    bool regular = factor_lu(&s->work, s->matrix, s->n, s->n, s->width + s->sides, s->pivots);
    if (regular && !(*s->work.flags & FLAG_INTERRUPTED))
        solve_upper(&s->work, s->matrix, s->matrix + s->width, s->n, s->sides);
    return regular;
}

static size_t solve_workspace(const Cpu *cpu, const Kernel *k) {
    System s;
    const View *a = &k->args[0].view;
    if (parts_of(a) == 2) return complex_workspace(k);
    int64_t sides = cols_of(k->library == AOP_SOLVE ? &k->args[1].view : a);
    return system_make(&s, cpu, rows_of(a), sides, NULL, NULL);
}

// Without a right-hand side of its own it is the identity's.
static void run_solve(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view, *x = &k->result.view;
    if (parts_of(a) == 2) {
        run_solve_complex(cpu, k, flags);
        return;
    }
    bool given = k->library == AOP_SOLVE;
    int64_t n = rows_of(a), sides = cols_of(x);
    Stacks stacks;
    System s;
    system_make(&s, cpu, n, sides, k->workspace, flags);
    if (!stacks_begin(&stacks, k, given ? 2 : 1) || n == 0 || sides == 0) return;
    do {
        Matrix out = matrix_at(x, stacks.at[given ? 2 : 1]);
        double *side = s.matrix + s.width;
        system_load(&s, matrix_at(a, stacks.at[0]));
        if (given)
            matrix_copy(matrix_at(&k->args[1].view, stacks.at[1]),
                        in_rows(side, n, sides, s.work.row, 1), 1);
        else
            for (int64_t i = 0; i < n; i++) side[i * s.work.row + i] = 1;
        if (system_solve(&s)) {
            matrix_copy(in_rows(side, n, sides, s.work.row, 1), out, 1);
        } else {
            fill_nan((double *)out.data, n * sides);
            if (!k->attrs.or_nan) *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
}

const LibraryFn library_SOLVE = {run_solve, solve_workspace};
const LibraryFn library_INVERSE = {run_solve, solve_workspace};

// --- Determinants ------------------------------------------------------------------------------

static size_t det_workspace(const Cpu *cpu, const Kernel *k) {
    System s;
    if (parts_of(&k->args[0].view) == 2) return complex_workspace(k);
    return system_make(&s, cpu, rows_of(&k->args[0].view), 0, NULL, NULL);
}

// NumPy multiplies exp() of the logarithm with the sign.
static void run_det(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view;
    if (parts_of(a) == 2) {
        run_det_complex(cpu, k, flags);
        return;
    }
    int64_t n = rows_of(a);
    Stacks stacks;
    System s;
    system_make(&s, cpu, n, 0, k->workspace, flags);
    if (!stacks_begin(&stacks, k, 1)) return;
    flags_clear();
    do {
        double sign = 1, log_of = 0, *out = (double *)stacks.at[1];
        system_load(&s, matrix_at(a, stacks.at[0]));
        bool regular = n == 0 || factor_lu(&s.work, s.matrix, n, n, s.width, s.pivots);
        for (int64_t i = 0; i < n && regular; i++) {
            double top = s.matrix[i * (s.work.row + 1)];
            if ((top < 0) != (s.pivots[i] != i)) sign = -sign;
            log_of += log(fabs(top));
        }
        if (!regular) {
            sign = 0;
            log_of = -INFINITY;
        }
        if (k->library == AOP_DET) {
            out[0] = sign * exp(log_of);
        } else {
            out[0] = sign;
            out[1] = log_of;
        }
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
        subtract(w, u + i, 1, w->row, u + i, a + i * (w->row + 1), rows, depth, cols - i);
    }
}

// A = U^T U, in the upper triangle. False: not positive definite.
static bool factor_cholesky(const Work *w, double *a, int64_t n, int64_t cols) {
    if (n <= STEP) return w->cpu->loops->cholesky_block(a, w->row, n);
    int64_t half = padded(n / 2);
    double *beside = a + half, *rest = beside + half * w->row;
    if (interrupted(w->cpu, w->flags)) return true;
    if (!factor_cholesky(w, a, half, half)) return false;
    solve_lower(w, a, 1, w->row, false, beside, half, cols - half);
    subtract_square(w, beside, rest, n - half, half, cols - half);
    return factor_cholesky(w, rest, n - half, cols - half);
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
    system_make(&s, cpu, n, 0, k->workspace, flags);
    if (!stacks_begin(&stacks, k, 1) || n == 0) return;
    do {
        Matrix from = matrix_at(a, stacks.at[0]), to = matrix_at(&k->result.view, stacks.at[1]);
        system_load(&s, k->attrs.upper ? from : turned(from));
        if (factor_cholesky(&s.work, s.matrix, n, s.width)) {
            for (int64_t i = 1; i < n; i++)
                memset(s.matrix + i * s.work.row, 0, (size_t)i * sizeof(double));
            matrix_copy(in_rows(s.matrix, n, n, s.work.row, 1), k->attrs.upper ? to : turned(to), 1);
        } else {
            fill_nan((double *)to.data, n * n);
            *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
}

const LibraryFn library_CHOLESKY = {run_cholesky, det_workspace};
