// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Solutions, inverses, determinants and Cholesky factors of complex matrices, by LAPACK.

#include <math.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/lapack.h"

enum { PARTS = 2 };

typedef struct Square {
    int n, sides;
    double *a, *b;
    int *pivots;
} Square;

static size_t square_make(Square *s, const Kernel *k, void *memory) {
    const View *a = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    if (!lapack_usable(a, &flags)) return 0;
    s->n = (int)rows_of(a);
    s->sides = k->library == AOP_SOLVE     ? (int)cols_of(&k->args[1].view)
               : k->library == AOP_INVERSE ? s->n
                                           : 0;
    s->a = room_take(&room, (int64_t)s->n * s->n, PARTS * sizeof *s->a);
    s->b = room_take(&room, (int64_t)s->n * s->sides, PARTS * sizeof *s->b);
    s->pivots = room_take(&room, s->n, sizeof *s->pivots);
    return room.used;
}

size_t complex_workspace(const Kernel *k) {
    Square s;
    return square_make(&s, k, NULL);
}

// In columns.
static void load(const Matrix *from, double *to) {
    Matrix columns = {from->data, from->cols, from->rows, from->col_stride, from->row_stride};
    matrix_copy(columns, in_rows(to, from->cols, from->rows, from->rows, PARTS), PARTS);
}

static void store(double *from, const Matrix *to) {
    Matrix columns = {to->data, to->cols, to->rows, to->col_stride, to->row_stride};
    matrix_copy(in_rows(from, to->cols, to->rows, to->rows, PARTS), columns, PARTS);
}

static int factor(const Square *s) {
    int info;
    lapack_open()->zgetrf(&s->n, &s->n, s->a, &s->n, s->pivots, &info);
    return info;
}

void run_solve_complex(const Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view, *x = &k->result.view;
    bool given = k->library == AOP_SOLVE;
    Stacks stacks;
    Square s;
    if (!lapack_usable(a, flags) || !lapack_usable(x, flags)) return;
    square_make(&s, k, k->workspace);
    if (!stacks_begin(&stacks, k, given ? 2 : 1) || s.n == 0 || s.sides == 0) return;
    int info, before = lapack_begin(cpu, s.n);
    do {
        Matrix from = matrix_at(a, stacks.at[0]), to = matrix_at(x, stacks.at[given ? 2 : 1]);
        load(&from, s.a);
        if (given) {
            Matrix side = matrix_at(&k->args[1].view, stacks.at[1]);
            load(&side, s.b);
        } else {
            memset(s.b, 0, (size_t)s.n * (size_t)s.n * PARTS * sizeof *s.b);
            for (int64_t i = 0; i < s.n; i++) s.b[i * (s.n + 1) * PARTS] = 1;
        }
        if (factor(&s) == 0) {
            lapack_open()->zgetrs("N", &s.n, &s.sides, s.a, &s.n, s.pivots, s.b, &s.n, &info, 1);
            store(s.b, &to);
        } else {
            fill_nan((double *)to.data, (int64_t)s.n * s.sides * PARTS);
            if (!k->attrs.or_nan) *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
    blis_end(before);
}

// The product of the pivots' directions, and the sum of their logarithms.
static void determinant(const Square *s, bool regular, double _Complex *sign, double *log_of) {
    *sign = regular;
    *log_of = regular ? 0 : -INFINITY;
    for (int64_t i = 0; i < s->n && regular; i++) {
        const double *top = s->a + i * (s->n + 1) * PARTS;
        double size = hypot(top[0], top[1]);
        double re = top[0] / size, im = top[1] / size, x = __real__ * sign, y = __imag__ * sign;
        if (s->pivots[i] != i + 1) re = -re, im = -im;
        __real__ * sign = x * re - y * im;
        __imag__ * sign = x * im + y * re;
        *log_of += log(size);
    }
}

void run_det_complex(const Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view;
    Stacks stacks;
    Square s;
    if (!lapack_usable(a, flags) || !stacks_begin(&stacks, k, 1)) return;
    square_make(&s, k, k->workspace);
    int before = lapack_begin(cpu, s.n);
    flags_clear();
    do {
        Matrix from = matrix_at(a, stacks.at[0]);
        double _Complex sign;
        double log_of, *out = (double *)stacks.at[1];
        load(&from, s.a);
        determinant(&s, s.n == 0 || factor(&s) == 0, &sign, &log_of);
        double size = k->library == AOP_DET ? exp(log_of) : 1;
        out[0] = __real__ sign * size;
        out[1] = __imag__ sign * size;
        if (k->library == AOP_SLOGDET) out[2] = log_of, out[3] = 0;
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
    *flags |= flags_raised() & ~(uint32_t)FLAG_UNDERFLOW;
    blis_end(before);
}

void run_cholesky_complex(const Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view;
    bool upper = k->attrs.upper;
    Stacks stacks;
    Square s;
    if (!lapack_usable(a, flags)) return;
    square_make(&s, k, k->workspace);
    if (!stacks_begin(&stacks, k, 1) || s.n == 0) return;
    int info, before = lapack_begin(cpu, s.n);
    do {
        Matrix from = matrix_at(a, stacks.at[0]), to = matrix_at(&k->result.view, stacks.at[1]);
        load(&from, s.a);
        lapack_open()->zpotrf(upper ? "U" : "L", &s.n, s.a, &s.n, &info, 1);
        for (int64_t j = 0; j < s.n; j++) { // column by column
            int64_t first = upper ? j + 1 : 0, count = upper ? s.n - j - 1 : j;
            memset(s.a + (j * s.n + first) * PARTS, 0, (size_t)count * PARTS * sizeof *s.a);
        }
        if (info == 0) {
            store(s.a, &to);
        } else {
            fill_nan((double *)to.data, (int64_t)s.n * s.n * PARTS);
            *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
    blis_end(before);
}
