// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Singular values and least squares, by LAPACK.

#include "backends/cpu/lapack.h"

static int at_least_one(int n) {
    return n > 1 ? n : 1;
}

// --- Singular values ---------------------------------------------------------------------------

typedef struct Svd {
    int m, n, k;            // of the matrix; min(m, n)
    int u_cols, vt_rows;    // 0 where only values are wanted
    int length;             // of work
    Letter job;
    double *a, *values, *u, *vt, *work;
    int *int_work;
} Svd;

static int svd_call(const Svd *s, const int *length) {
    int info, lda = at_least_one(s->m), ldvt = at_least_one(s->vt_rows);
    lapack_open()->gesdd(s->job, &s->m, &s->n, s->a, &lda, s->values, s->u, &lda, s->vt, &ldvt,
                         s->work, length, s->int_work, &info, 1);
    return info;
}

static size_t svd_make(Svd *s, const Kernel *k, void *memory) {
    const View *view = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    double length = 0;
    int query = -1, unused = 0;
    if (!lapack_usable(view, &flags)) return 0;
    bool vectors = k->attrs.part != PART_VALUES, complete = k->attrs.part == PART_COMPLETE;
    *s = (Svd){.m = (int)rows_of(view), .n = (int)cols_of(view), .work = &length,
               .int_work = &unused, .job = !vectors ? "N" : complete ? "A" : "S"};
    s->k = s->m < s->n ? s->m : s->n;
    s->u_cols = vectors ? complete ? s->m : s->k : 0;
    s->vt_rows = vectors ? complete ? s->n : s->k : 0;
    svd_call(s, &query);
    s->length = lapack_length(length);
    s->a = room_take(&room, (int64_t)s->m * s->n, sizeof *s->a);
    s->values = room_take(&room, s->k, sizeof *s->values);
    s->u = room_take(&room, (int64_t)s->m * s->u_cols, sizeof *s->u);
    s->vt = room_take(&room, (int64_t)s->vt_rows * s->n, sizeof *s->vt);
    s->work = room_take(&room, s->length, sizeof *s->work);
    s->int_work = room_take(&room, 8 * (int64_t)s->k, sizeof *s->int_work);
    return room.used;
}

static size_t svd_workspace(const Cpu *cpu, const Kernel *k) {
    Svd s;
    (void)cpu;
    return svd_make(&s, k, NULL);
}

static void identity(double *at, int64_t n) {
    for (int64_t i = 0; i < n * n; i++) at[i] = i % (n + 1) == 0;
}

// s, U and V's transpose in rows. A matrix without elements has orthogonal factors all the same.
static void svd_store(const Svd *s, double *to) {
    const int64_t m = s->m, n = s->n, cols = s->u_cols, rows = s->vt_rows;
    double *u = to + s->k, *vt = u + m * cols;
    if (s->k == 0) {
        if (cols == m) identity(u, m);
        if (rows == n) identity(vt, n);
        return;
    }
    memcpy(to, s->values, (size_t)s->k * sizeof *to);
    matrix_copy(turned(in_rows(s->u, cols, m, m)), in_rows(u, m, cols, cols));
    matrix_copy(turned(in_rows(s->vt, n, rows, rows)), in_rows(vt, rows, n, n));
}

static void run_svd(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *view = &k->args[0].view, *result = &k->result.view;
    Stacks stacks;
    Svd s;
    if (!lapack_usable(view, flags) || !stacks_begin(&stacks, k, 1)) return;
    svd_make(&s, k, k->workspace);
    int before = lapack_begin(cpu, s.k);
    do {
        double *to = (double *)stacks.at[1];
        matrix_copy(turned(matrix_at(view, stacks.at[0])), in_rows(s.a, s.n, s.m, s.m));
        Content content = content_of(s.a, (int64_t)s.m * s.n);
        bool finite = content == CONTENT_FINITE;
        if (s.k == 0 || (finite && s.length && svd_call(&s, &s.length) == 0)) {
            svd_store(&s, to);
        } else {
            fill_nan(to, result->shape[result->ndim - 1]);
            if (content != CONTENT_INFINITE) *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(&stacks));
    blis_end(before);
}

const LibraryFn library_SVD = {run_svd, svd_workspace};

// --- Least squares -----------------------------------------------------------------------------

typedef struct Lstsq {
    int m, n, k, sides, ldb; // A is m x n; k = min(m, n)
    int length;              // of work
    double rcond;
    double *a, *b, *values, *work;
    int *int_work;
} Lstsq;

static int lstsq_call(const Lstsq *s, const int *length, int *rank) {
    int info, lda = at_least_one(s->m);
    lapack_open()->gelsd(&s->m, &s->n, &s->sides, s->a, &lda, s->b, &s->ldb, s->values, &s->rcond,
                         rank, s->work, length, s->int_work, &info);
    return info;
}

static size_t lstsq_make(Lstsq *s, const Kernel *k, void *memory) {
    const View *a = &k->args[0].view, *b = &k->args[1].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    double length = 0;
    int query = -1, int_length = 0, rank;
    if (!lapack_usable(a, &flags) || !lapack_usable(b, &flags)) return 0;
    *s = (Lstsq){.m = (int)rows_of(a), .n = (int)cols_of(a), .sides = (int)cols_of(b),
                 .rcond = k->args[2].scalar.f, .work = &length, .int_work = &int_length};
    s->k = s->m < s->n ? s->m : s->n;
    s->ldb = at_least_one(s->m > s->n ? s->m : s->n);
    lstsq_call(s, &query, &rank);
    s->length = lapack_length(length);
    s->a = room_take(&room, (int64_t)s->m * s->n, sizeof *s->a);
    s->b = room_take(&room, (int64_t)s->ldb * s->sides, sizeof *s->b);
    s->values = room_take(&room, s->k, sizeof *s->values);
    s->work = room_take(&room, s->length, sizeof *s->work);
    s->int_work = room_take(&room, int_length, sizeof *s->int_work);
    return room.used;
}

static size_t lstsq_workspace(const Cpu *cpu, const Kernel *k) {
    Lstsq s;
    (void)cpu;
    return lstsq_make(&s, k, NULL);
}

// X, what is left over, rank, singular values.
static void lstsq_store(const Lstsq *s, int rank, double *to) {
    const int64_t m = s->m, n = s->n, sides = s->sides, ldb = s->ldb;
    matrix_copy(turned(in_rows(s->b, sides, n, ldb)), in_rows(to, n, sides, sides));
    to += n * sides;
    for (int64_t j = 0; j < sides; j++) {
        double sum = 0;
        for (int64_t i = n; i < m; i++) sum += s->b[j * ldb + i] * s->b[j * ldb + i];
        to[j] = sum;
    }
    to[sides] = rank;
    memcpy(to + sides + 1, s->values, (size_t)s->k * sizeof *to);
}

static void run_lstsq(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view, *b = &k->args[1].view, *result = &k->result.view;
    double *to = (double *)arg_at(&k->result);
    Lstsq s;
    if (!lapack_usable(a, flags) || !lapack_usable(b, flags)) return;
    int rank = 0, before = lapack_begin(cpu, rows_of(a));
    lstsq_make(&s, k, k->workspace);
    memset(s.b, 0, (size_t)s.ldb * (size_t)s.sides * sizeof *s.b);
    matrix_copy(turned(matrix_at(a, arg_at(&k->args[0]))), in_rows(s.a, s.n, s.m, s.m));
    matrix_copy(turned(matrix_at(b, arg_at(&k->args[1]))), in_rows(s.b, s.sides, s.m, s.ldb));
    bool finite = content_of(s.a, (int64_t)s.m * s.n) == CONTENT_FINITE &&
                  content_of(s.b, (int64_t)s.ldb * s.sides) == CONTENT_FINITE;
    bool callable = finite && s.length && s.sides;
    if (s.k == 0 || (callable && lstsq_call(&s, &s.length, &rank) == 0)) {
        lstsq_store(&s, rank, to);
    } else {
        fill_nan(to, result->shape[result->ndim - 1]);
        *flags |= FLAG_FAILED;
    }
    blis_end(before);
}

const LibraryFn library_LSTSQ = {run_lstsq, lstsq_workspace};
