// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cholesky factors of complex matrices, by LAPACK.

#include "backends/cpu/flags.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/product/blis.h"

enum { PARTS = 2 };

typedef struct Square {
    int n;
    double *a;
} Square;

static size_t square_make(Square *s, const Kernel *k, void *memory) {
    const View *a = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    if (!lapack_usable(a, &flags)) return 0;
    s->n = (int)rows_of(a);
    s->a = room_take(&room, (int64_t)s->n * s->n, PARTS * sizeof *s->a);
    return room.used;
}

size_t complex_cholesky_memory(const Kernel *k) {
    Square s;
    return square_make(&s, k, NULL);
}

// Copies to column-major order.
static void load(const Matrix *from, double *to) {
    Matrix columns = {from->data, from->cols, from->rows, from->col_stride, from->row_stride};
    matrix_copy(columns, in_rows(to, from->cols, from->rows, from->rows, PARTS), PARTS);
}

static void store(double *from, const Matrix *to) {
    Matrix columns = {to->data, to->cols, to->rows, to->col_stride, to->row_stride};
    matrix_copy(in_rows(from, to->cols, to->rows, to->rows, PARTS), columns, PARTS);
}

void complex_cholesky_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                              uint32_t *flags) {
    const View *a = &k->args[0].view;
    bool upper = k->attrs.upper;
    Square s;
    if (!lapack_usable(a, flags) || rows_of(a) == 0) return;
    square_make(&s, k, memory);
    int info, before = lapack_begin(cpu, s.n, stacks->shared);
    do {
        Matrix from = matrix_at(a, stacks->at[0]), to = matrix_at(&k->result.view, stacks->at[1]);
        load(&from, s.a);
        lapack_open()->zpotrf(upper ? "U" : "L", &s.n, s.a, &s.n, &info, 1);
        for (int64_t j = 0; j < s.n; j++) { // clears the other triangle
            int64_t first = upper ? j + 1 : 0, count = upper ? s.n - j - 1 : j;
            memset(s.a + (j * s.n + first) * PARTS, 0, (size_t)count * PARTS * sizeof *s.a);
        }
        if (info == 0) {
            store(s.a, &to);
        } else {
            fill_nan((double *)to.data, (int64_t)s.n * s.n * PARTS);
            *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(stacks));
    blis_end(before);
}
