// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// QR factors, by LAPACK.

#include "backends/cpu/library.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/product/blis.h"

typedef struct Qr {
    int parts;          // doubles per element
    int m, n, k, width; // extents of the matrix; min(m, n); columns of Q
    int length;         // of the work array
    double *a, *tau, *work;
} Qr;

static void factor(void *problem) {
    Qr *q = problem;
    int info, lda = at_least_one(q->m);
    lapack_open()->geqrf[q->parts - 1](&q->m, &q->n, q->a, &lda, q->tau, q->work, &q->length, &info);
}

static void make_q(void *problem) {
    Qr *q = problem;
    int info, lda = at_least_one(q->m);
    lapack_open()->orgqr[q->parts - 1](&q->m, &q->width, &q->k, q->a, &lda, q->tau, q->work, &q->length, &info);
}

static size_t qr_make(Qr *q, const Kernel *k, void *memory) {
    const Lapack *lapack = lapack_open();
    const View *view = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    double one[2] = {0}, two[2] = {0};
    int query = -1, info, lda;
    if (!lapack || !lapack_usable(view, &flags)) return 0;
    q->parts = parts_of(view);
    q->m = (int)rows_of(view);
    q->n = (int)cols_of(view);
    q->k = q->m < q->n ? q->m : q->n;
    q->width = k->attrs.part == PART_COMPLETE ? q->m : q->k;
    lda = at_least_one(q->m);
    size_t size = (size_t)q->parts * sizeof(double);
    lapack->geqrf[q->parts - 1](&q->m, &q->n, NULL, &lda, NULL, one, &query, &info);
    lapack->orgqr[q->parts - 1](&q->m, &q->width, &q->k, NULL, &lda, NULL, two, &query, &info);
    q->length = lapack_length(one[0] > two[0] ? one[0] : two[0]);
    q->a = room_take(&room, (int64_t)q->m * (q->n > q->width ? q->n : q->width), size);
    q->tau = room_take(&room, q->k, size);
    q->work = room_take(&room, q->length, size);
    return room.used;
}

static size_t qr_memory(const Cpu *cpu, const Kernel *k) {
    Qr q;
    (void)cpu;
    return qr_make(&q, k, NULL);
}

// Copies the upper triangle to rows, with zeros below.
static void copy_r(const Qr *q, int64_t rows, double *to) {
    const int parts = q->parts;
    matrix_copy(turned(in_rows(q->a, q->n, rows, q->m, parts)), in_rows(to, rows, q->n, q->n, parts),
                parts);
    for (int64_t i = 1; i < rows; i++)
        memset(to + i * q->n * parts, 0,
               (size_t)((i < q->n ? i : q->n) * parts) * sizeof *to);
}

// False: interrupted.
static bool factor_one(const Cpu *cpu, LongCall *call, Qr *q, Part part, double *to, uint32_t *flags) {
    const int64_t m = q->m, n = q->n, parts = q->parts;
    if (!lapack_run(cpu, call, factor, q, sizeof *q, flags)) return false;
    if (part == PART_VALUES) {
        copy_r(q, q->k, to);
    } else if (part == PART_RAW) {
        memcpy(to, q->a, (size_t)(m * n * parts) * sizeof *to);
        memcpy(to + m * n * parts, q->tau, (size_t)(q->k * parts) * sizeof *to);
    } else {
        copy_r(q, q->width, to + m * q->width * parts);
        if (!lapack_run(cpu, call, make_q, q, sizeof *q, flags)) return false;
        matrix_copy(turned(in_rows(q->a, q->width, m, m, q->parts)),
                    in_rows(to, m, q->width, q->width, q->parts), q->parts);
    }
    return true;
}

static void qr_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                       uint32_t *flags) {
    const View *view = &k->args[0].view;
    Qr q;
    if (!lapack_usable(view, flags)) return;
    qr_make(&q, k, memory);
    if (q.length == 0) {
        *flags |= FLAG_FAILED;
        return;
    }
    int before = lapack_begin(cpu, q.k, stacks->shared);
    do {
        Matrix from = matrix_at(view, stacks->at[0]);
        matrix_copy(turned(from), in_rows(q.a, q.n, q.m, q.m, q.parts), q.parts);
        if (!factor_one(cpu, stacks->call, &q, k->attrs.part, (double *)stacks->at[1], flags)) break;
    } while (!interrupted(cpu, flags) && stacks_next(stacks));
    blis_end(before);
}

static const StackWork qr_work = {1, true, qr_memory, qr_stretch};

static double qr_call_work(const Kernel *k) {
    const View *view = &k->args[0].view;
    double m = (double)rows_of(view), n = (double)cols_of(view), least = m < n ? m : n;
    double width = k->attrs.part == PART_COMPLETE ? m : n;
    return lapack_work(view, 1.7, m, width > n ? width : n, least);
}

const LibraryFn library_QR = {run_stacks, stacks_workspace, &qr_work, qr_call_work};
