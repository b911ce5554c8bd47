// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// QR factors, by LAPACK.

#include "backends/cpu/lapack.h"

typedef struct Qr {
    int m, n, k, width; // of the matrix; min(m, n); columns of Q
    int length;         // of work
    double *a, *tau, *work;
} Qr;

static size_t qr_make(Qr *q, const Kernel *k, void *memory) {
    const Lapack *lapack = lapack_open();
    const View *view = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    double one = 0, two = 0;
    int query = -1, info, lda;
    if (!lapack || !lapack_usable(view, &flags)) return 0;
    q->m = (int)rows_of(view);
    q->n = (int)cols_of(view);
    q->k = q->m < q->n ? q->m : q->n;
    q->width = k->attrs.part == PART_COMPLETE ? q->m : q->k;
    lda = q->m ? q->m : 1;
    lapack->geqrf(&q->m, &q->n, NULL, &lda, NULL, &one, &query, &info);
    lapack->orgqr(&q->m, &q->width, &q->k, NULL, &lda, NULL, &two, &query, &info);
    q->length = lapack_length(one > two ? one : two);
    q->a = room_take(&room, (int64_t)q->m * (q->n > q->width ? q->n : q->width), sizeof *q->a);
    q->tau = room_take(&room, q->k, sizeof *q->tau);
    q->work = room_take(&room, q->length, sizeof *q->work);
    return room.used;
}

static size_t qr_workspace(const Cpu *cpu, const Kernel *k) {
    Qr q;
    (void)cpu;
    return qr_make(&q, k, NULL);
}

// The upper triangle, in rows, with zeros below.
static void copy_r(const Qr *q, int64_t rows, double *to) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < q->n; j++) to[i * q->n + j] = j < i ? 0 : q->a[j * q->m + i];
}

static void factor(const Lapack *lapack, Qr *q, Part part, double *to) {
    const int64_t m = q->m, n = q->n;
    int info, lda = q->m ? q->m : 1;
    lapack->geqrf(&q->m, &q->n, q->a, &lda, q->tau, q->work, &q->length, &info);
    if (part == PART_VALUES) {
        copy_r(q, q->k, to);
    } else if (part == PART_RAW) {
        memcpy(to, q->a, (size_t)(m * n) * sizeof *to);
        memcpy(to + m * n, q->tau, (size_t)q->k * sizeof *to);
    } else {
        copy_r(q, q->width, to + m * q->width);
        lapack->orgqr(&q->m, &q->width, &q->k, q->a, &lda, q->tau, q->work, &q->length, &info);
        matrix_copy(turned(in_rows(q->a, q->width, m, m)), in_rows(to, m, q->width, q->width));
    }
}

static void run_qr(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *view = &k->args[0].view;
    Stacks stacks;
    Qr q;
    if (!lapack_usable(view, flags) || !stacks_begin(&stacks, k, 1)) return;
    qr_make(&q, k, k->workspace);
    if (q.length == 0) {
        *flags |= FLAG_FAILED;
        return;
    }
    int before = lapack_begin(cpu, q.k);
    do {
        Matrix from = matrix_at(view, stacks.at[0]);
        matrix_copy(turned(from), in_rows(q.a, q.n, q.m, q.m));
        factor(lapack_open(), &q, k->attrs.part, (double *)stacks.at[1]);
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
    blis_end(before);
}

const LibraryFn library_QR = {run_qr, qr_workspace};
