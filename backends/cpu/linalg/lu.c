// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU factors, and solutions by them.
// Recursive halving makes nearly all of the work matrix products (S. Toledo, "Locality of Reference
// in LU Decomposition with Partial Pivoting", 1997): large ones by BLIS, one part per thread, small
// ones by own code. The right-hand side is stored next to the matrix, in the same rows, and takes
// part in the elimination.

#include "backends/cpu/linalg/lu.h"

#include <math.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/loops/complex_math.h"
#include "backends/cpu/product/blis.h"

// --- Products ----------------------------------------------------------------------------------

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
    s.parts = cpu->reproducible           ? fixed_parts(extent)
              : extent < 2 * cpu->threads ? 1
                                          : cpu->threads;
    if (work < THREAD_WORK || s.parts == 1) return blis_subtract(a, b, c);
    uint32_t none = 0;
    share_out(cpu, subtract_part, &s, s.parts, &none);
    return !atomic_load(&s.failed);
}

static void subtract_real(const Work *w, const double *a, int64_t a_row, int64_t a_col,
                          const double *b, double *c, int64_t rows, int64_t depth, int64_t cols) {
    enum { BLIS_WORK = 64 * 64 * 64, BLIS_DEPTH = 16 };
    const int64_t size = sizeof(double);
    bool large = (double)rows * (double)depth * (double)cols >= BLIS_WORK && depth >= BLIS_DEPTH;
    Matrix left = {(char *)a, rows, depth, a_row * size, a_col * size};
    Matrix right = in_rows((double *)b, depth, cols, w->row, 1);
    Matrix to = in_rows(c, rows, cols, w->row, 1);
    if (large && subtract_by_blis(w->cpu, &left, &right, &to)) return;
    w->cpu->loops->subtract_product(a, a_row, a_col, b, w->row, c, w->row, rows, depth, cols);
}

void lu_subtract(const Work *w, const double *a, int64_t a_row, int64_t a_col, const double *b,
                 double *c, int64_t rows, int64_t depth, int64_t cols) {
    const int64_t plane = w->plane;
    subtract_real(w, a, a_row, a_col, b, c, rows, depth, cols);
    if (!plane) return;
    subtract_real(w, a + 2 * plane, a_row, a_col, b + plane, c, rows, depth, cols);
    subtract_real(w, a, a_row, a_col, b + plane, c + plane, rows, depth, cols);
    subtract_real(w, a + plane, a_row, a_col, b, c + plane, rows, depth, cols);
}

// --- Triangles ---------------------------------------------------------------------------------

void lu_solve_lower(const Work *w, const double *l, int64_t l_row, int64_t l_col, bool unit,
                    double *x, int64_t n, int64_t cols) {
    if (n <= STEP) {
        for (int64_t i = 0; i < n; i++) {
            double *at = x + i * w->row, top = l[i * (l_row + l_col)];
            lu_subtract(w, l + i * l_row, l_row, l_col, x, at, 1, i, cols);
            if (!unit)
                for (int64_t j = 0; j < cols; j++) at[j] /= top;
        }
        return;
    }
    int64_t half = lu_padded(n / 2);
    double *rest = x + half * w->row;
    lu_solve_lower(w, l, l_row, l_col, unit, x, half, cols);
    lu_subtract(w, l + half * l_row, l_row, l_col, x, rest, n - half, half, cols);
    lu_solve_lower(w, l + half * (l_row + l_col), l_row, l_col, unit, rest, n - half, cols);
}

// Divides a row by one number.
static void divide_row(const Work *w, double *at, const double *by, int64_t cols) {
    if (!w->plane) {
        for (int64_t j = 0; j < cols; j++) at[j] /= *by;
        return;
    }
    double _Complex inverse = reciprocal_c128(pair_c128(by[0], by[w->plane]));
    double re = __real__ inverse, im = __imag__ inverse, *beside = at + w->plane;
    for (int64_t j = 0; j < cols; j++) {
        double x = at[j], y = beside[j];
        at[j] = x * re - y * im;
        beside[j] = x * im + y * re;
    }
}

// X = U^-1 X for the upper triangle of LU factors.
static void solve_upper(const Work *w, const double *u, double *x, int64_t n, int64_t cols) {
    if (n <= STEP) {
        for (int64_t i = n - 1; i >= 0; i--) {
            const double *from = u + i * w->row;
            double *at = x + i * w->row;
            lu_subtract(w, from + i + 1, w->row, 1, at + w->row, at, 1, n - 1 - i, cols);
            divide_row(w, at, from + i, cols);
        }
        return;
    }
    int64_t half = lu_padded(n / 2);
    double *rest = x + half * w->row;
    solve_upper(w, u + half * (w->row + 1), rest, n - half, cols);
    lu_subtract(w, u + half, w->row, 1, rest, x, half, n - half, cols);
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
    int64_t planes = w->plane ? 3 : 1;
    for (int64_t i = 0; i < count; i++)
        for (int64_t p = 0; pivots[i] != i && p < planes; p++)
            swap_rows(a + p * w->plane + i * w->row, a + p * w->plane + pivots[i] * w->row, cols);
}

// Copies STEP columns to or from a contiguous panel.
static void copy_panel(const Work *w, double *a, double *panel, int64_t rows, bool back) {
    for (int64_t i = 0; i < rows; i++) {
        double *there = a + i * w->row, *here = panel + i * STEP;
        memcpy(back ? there : here, back ? here : there, STEP * sizeof *a);
    }
}

static bool factor_panel(const Work *w, double *a, int64_t rows, int64_t count, int64_t *pivots) {
    const Loops *loops = w->cpu->loops;
    double *beside = w->panel + rows * STEP;
    copy_panel(w, a, w->panel, rows, false);
    if (w->plane) copy_panel(w, a + w->plane, beside, rows, false);
    bool regular = w->plane ? loops->lu_panel_complex(w->panel, beside, rows, count, pivots)
                            : loops->lu_panel(w->panel, rows, count, pivots);
    copy_panel(w, a, w->panel, rows, true);
    if (!w->plane) return regular;
    copy_panel(w, a + w->plane, beside, rows, true);
    for (int64_t i = 0; i < rows * STEP; i++) beside[i] = -beside[i];
    copy_panel(w, a + 2 * w->plane, beside, rows, true);
    return regular;
}

// Factors the first `count` of `cols` columns (a multiple of STEP); the columns after them are
// updated. pivots[i] >= i is the row exchanged with row i. False: a pivot is 0.
static bool factor_lu(const Work *w, double *a, int64_t rows, int64_t count, int64_t cols,
                      int64_t *pivots) {
    bool last = count <= STEP, regular;
    int64_t half = last ? count : lu_padded(count / 2), width = lu_padded(half);
    double *beside = a + width, *below = beside + half * w->row;
    if (interrupted(w->cpu, w->flags)) {
        for (int64_t i = 0; i < count; i++) pivots[i] = i;
        return true;
    }
    regular =
        last ? factor_panel(w, a, rows, count, pivots) : factor_lu(w, a, rows, half, width, pivots);
    if (width < cols && !(*w->flags & FLAG_INTERRUPTED)) {
        apply_pivots(w, beside, pivots, half, cols - width);
        lu_solve_lower(w, a, w->row, 1, true, beside, half, cols - width);
        lu_subtract(w, a + half * w->row, w->row, 1, beside, below, rows - half, half,
                    cols - width);
    }
    if (last) return regular;
    regular &= factor_lu(w, below, rows - half, count - half, cols - width, pivots + half);
    apply_pivots(w, a + half * w->row, pivots + half, count - half, width);
    for (int64_t i = half; i < count; i++) pivots[i] += half;
    return regular;
}

// --- Systems -----------------------------------------------------------------------------------

// Returns the row stride in elements. Avoids multiples of a large power of two, which would map rows to the same
// cache lines.
static int64_t row_length(int64_t width) {
    enum { ALIASING = 128 };
    return width % ALIASING == 0 ? width + STEP : width;
}

size_t system_make(System *s, const Cpu *cpu, int64_t n, int64_t sides, int parts, void *memory,
                   uint32_t *flags) {
    Room room = {memory, 0};
    int64_t planes = parts == 2 ? 3 : 1;
    s->n = n;
    s->width = lu_padded(n);
    s->sides = lu_padded(sides);
    s->work = (Work){cpu, flags, row_length(s->width + s->sides), 0, NULL};
    if (parts == 2) s->work.plane = n * s->work.row;
    s->matrix = room_take(&room, n * s->work.row, (size_t)planes * sizeof(double));
    s->pivots = room_take(&room, n, sizeof *s->pivots);
    s->work.panel = room_take(&room, n * STEP, (size_t)parts * sizeof(double));
    return room.used;
}

static void load(const System *s, double *to, Matrix from) {
    const Work *w = &s->work;
    if (!w->plane) {
        matrix_copy(from, in_rows(to, from.rows, from.cols, w->row, 1), 1);
        return;
    }
    for (int64_t i = 0; i < from.rows; i++)
        for (int64_t j = 0; j < from.cols; j++) {
            double pair[2];
            memcpy(pair, from.data + i * from.row_stride + j * from.col_stride, sizeof pair);
            to[i * w->row + j] = pair[0];
            to[i * w->row + j + w->plane] = pair[1];
        }
}

void system_load(const System *s, Matrix from) {
    const Work *w = &s->work;
    for (int p = 0; p < (w->plane ? 2 : 1); p++)
        for (int64_t i = 0; i < s->n; i++)
            memset(s->matrix + p * w->plane + i * w->row + s->n, 0,
                   (size_t)(w->row - s->n) * sizeof(double));
    load(s, s->matrix, from);
}

void system_load_side(const System *s, const Matrix *from) {
    double *side = s->matrix + s->width;
    if (from)
        load(s, side, *from);
    else
        for (int64_t i = 0; i < s->n; i++) side[i * s->work.row + i] = 1;
}

void system_store_side(const System *s, Matrix to) {
    const Work *w = &s->work;
    double *side = s->matrix + s->width;
    if (!w->plane) {
        matrix_copy(in_rows(side, to.rows, to.cols, w->row, 1), to, 1);
        return;
    }
    for (int64_t i = 0; i < to.rows; i++)
        for (int64_t j = 0; j < to.cols; j++) {
            const double *at = side + i * w->row + j;
            const double pair[] = {at[0], at[w->plane]};
            memcpy(to.data + i * to.row_stride + j * to.col_stride, pair, sizeof pair);
        }
}

bool system_factor(const System *s) {
    return factor_lu(&s->work, s->matrix, s->n, s->n, s->width + s->sides, s->pivots);
}

bool system_solve(const System *s) {
    const Work *w = &s->work;
    bool regular = system_factor(s);
    if (!regular || *w->flags & FLAG_INTERRUPTED) return regular;
    for (int64_t i = 0; i < s->n && w->plane; i++) { // as a left operand, the upper triangle needs negated parts
        const double *im = s->matrix + w->plane + i * w->row;
        double *minus = s->matrix + 2 * w->plane + i * w->row;
        for (int64_t j = i; j < s->n; j++) minus[j] = -im[j];
    }
    solve_upper(w, s->matrix, s->matrix + s->width, s->n, s->sides);
    return regular;
}
