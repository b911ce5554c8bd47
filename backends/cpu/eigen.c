// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Eigenvalues and eigenvectors, by LAPACK.

#include "backends/cpu/lapack.h"

typedef struct Eigh {
    int n, length, int_length; // of work
    Letter job, triangle;
    double *a, *values, *work;
    int *int_work;
} Eigh;

static int call(const Eigh *e, const int *length, const int *int_length) {
    int info, lda = e->n ? e->n : 1;
    lapack_open()->syevd(e->job, e->triangle, &e->n, e->a, &lda, e->values, e->work, length,
                         e->int_work, int_length, &info, 1, 1);
    return info;
}

static size_t eigh_make(Eigh *e, const Kernel *k, void *memory) {
    const View *view = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    double length = 0;
    int int_length = 0, query = -1;
    if (!lapack_usable(view, &flags)) return 0;
    *e = (Eigh){.n = (int)rows_of(view), .job = k->attrs.part == PART_VALUES ? "N" : "V",
                .triangle = k->attrs.upper ? "U" : "L", .work = &length, .int_work = &int_length};
    call(e, &query, &query);
    e->length = lapack_length(length);
    e->int_length = int_length;
    e->a = room_take(&room, (int64_t)e->n * e->n, sizeof *e->a);
    e->values = room_take(&room, e->n, sizeof *e->values);
    e->work = room_take(&room, e->length, sizeof *e->work);
    e->int_work = room_take(&room, e->int_length, sizeof *e->int_work);
    return room.used;
}

static size_t eigh_workspace(const Cpu *cpu, const Kernel *k) {
    Eigh e;
    (void)cpu;
    return eigh_make(&e, k, NULL);
}

// Of the triangle that counts.
static bool is_finite(const Eigh *e) {
    Content worst = CONTENT_FINITE;
    for (int64_t j = 0; j < e->n && worst == CONTENT_FINITE; j++) {
        int64_t first = *e->triangle == 'U' ? 0 : j, last = *e->triangle == 'U' ? j + 1 : e->n;
        worst = content_of(e->a + j * e->n + first, last - first);
    }
    return worst == CONTENT_FINITE;
}

static void run_eigh(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *view = &k->args[0].view;
    int64_t n = rows_of(view);
    bool vectors = k->attrs.part != PART_VALUES;
    Stacks stacks;
    Eigh e;
    if (!lapack_usable(view, flags) || !stacks_begin(&stacks, k, 1) || n == 0) return;
    eigh_make(&e, k, k->workspace);
    int before = lapack_begin(cpu, n);
    do {
        double *to = (double *)stacks.at[1];
        matrix_copy(turned(matrix_at(view, stacks.at[0])), in_rows(e.a, n, n, n));
        bool finite = n == 1 || is_finite(&e);
        if (finite && e.length && call(&e, &e.length, &e.int_length) == 0) {
            memcpy(to, e.values, (size_t)n * sizeof *to);
            if (vectors) matrix_copy(turned(in_rows(e.a, n, n, n)), in_rows(to + n, n, n, n));
        } else {
            fill_nan(to, vectors ? n + n * n : n);
            if (finite) *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
    blis_end(before);
}

const LibraryFn library_EIGH = {run_eigh, eigh_workspace};
