// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Singular values and least squares, by LAPACK.

#include <math.h>

#include "backends/cpu/library.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/product/blis.h"

// --- Singular values ---------------------------------------------------------------------------

typedef struct Svd {
    int parts;              // doubles per element
    int m, n, k;            // extents of the matrix; min(m, n)
    int u_cols, vt_rows;    // 0 if only values are wanted
    int length;             // of the work array
    int info;               // LAPACK's return code
    Letter job;
    double *a, *values, *u, *vt, *work, *real_work;
    int *int_work;
} Svd;

static void svd_call(Svd *s, const int *length) {
    int lda = at_least_one(s->m), ldvt = at_least_one(s->vt_rows);
    if (s->parts == 1)
        lapack_open()->dgesdd(s->job, &s->m, &s->n, s->a, &lda, s->values, s->u, &lda, s->vt, &ldvt,
                              s->work, length, s->int_work, &s->info, 1);
    else
        lapack_open()->zgesdd(s->job, &s->m, &s->n, s->a, &lda, s->values, s->u, &lda, s->vt, &ldvt,
                              s->work, length, s->real_work, s->int_work, &s->info, 1);
}

static void svd_run(void *problem) {
    Svd *s = problem;
    svd_call(s, &s->length);
}

// Returns the length of real_work: the minimum in LAPACK's documentation of zgesdd.
static int64_t svd_real_length(const Svd *s) {
    int64_t k = s->k, most = s->m > s->n ? s->m : s->n;
    if (s->parts == 1) return 0;
    int64_t one = 5 * k * k + 5 * k, two = 2 * most * k + 2 * k * k + k;
    return (one > two ? one : two) + 7 * k;
}

static size_t svd_make(Svd *s, const Kernel *k, void *memory) {
    const View *view = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    double length[2] = {0}, real_unused = 0;
    int query = -1, unused = 0;
    if (!lapack_usable(view, &flags)) return 0;
    bool vectors = k->attrs.part != PART_VALUES, complete = k->attrs.part == PART_COMPLETE;
    *s = (Svd){.parts = parts_of(view), .m = (int)rows_of(view), .n = (int)cols_of(view),
               .work = length, .real_work = &real_unused, .int_work = &unused,
               .job = !vectors ? "N" : complete ? "A" : "S"};
    s->k = s->m < s->n ? s->m : s->n;
    s->u_cols = vectors ? complete ? s->m : s->k : 0;
    s->vt_rows = vectors ? complete ? s->n : s->k : 0;
    svd_call(s, &query);
    size_t size = (size_t)s->parts * sizeof(double);
    s->length = lapack_length(length[0]);
    s->a = room_take(&room, (int64_t)s->m * s->n, size);
    s->values = room_take(&room, s->k, sizeof *s->values);
    s->u = room_take(&room, (int64_t)s->m * s->u_cols, size);
    s->vt = room_take(&room, (int64_t)s->vt_rows * s->n, size);
    s->work = room_take(&room, s->length, size);
    s->real_work = room_take(&room, svd_real_length(s), sizeof *s->real_work);
    s->int_work = room_take(&room, 8 * (int64_t)s->k, sizeof *s->int_work);
    return room.used;
}

static size_t svd_memory(const Cpu *cpu, const Kernel *k) {
    Svd s;
    (void)cpu;
    return svd_make(&s, k, NULL);
}

static void identity(double *at, int64_t n, int parts) {
    memset(at, 0, (size_t)(n * n * parts) * sizeof *at);
    for (int64_t i = 0; i < n; i++) at[i * (n + 1) * parts] = 1;
}

// Stores the singular values, U and the transpose of V, row by row. If the matrix has no elements, complete factors
// are identities.
static void svd_store(const Svd *s, double *to) {
    const int64_t m = s->m, n = s->n, cols = s->u_cols, rows = s->vt_rows;
    const int parts = s->parts;
    double *u = put_reals(to, s->values, s->k, parts), *vt = u + m * cols * parts;
    if (s->k == 0) {
        if (cols == m) identity(u, m, parts);
        if (rows == n) identity(vt, n, parts);
        return;
    }
    matrix_copy(turned(in_rows(s->u, cols, m, m, parts)), in_rows(u, m, cols, cols, parts), parts);
    matrix_copy(turned(in_rows(s->vt, n, rows, rows, parts)), in_rows(vt, rows, n, n, parts), parts);
}

static void svd_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                        uint32_t *flags) {
    const View *view = &k->args[0].view, *result = &k->result.view;
    Svd s;
    if (!lapack_usable(view, flags)) return;
    svd_make(&s, k, memory);
    int before = lapack_begin(cpu, s.k, stacks->shared);
    do {
        double *to = (double *)stacks->at[1];
        matrix_copy(turned(matrix_at(view, stacks->at[0])), in_rows(s.a, s.n, s.m, s.m, s.parts),
                    s.parts);
        Content content = content_of(s.a, (int64_t)s.m * s.n * s.parts);
        bool callable = s.k && content == CONTENT_FINITE && s.length;
        if (callable && !lapack_run(cpu, stacks->call, svd_run, &s, sizeof s, flags)) break;
        if (s.k == 0 || (callable && s.info == 0)) {
            svd_store(&s, to);
        } else {
            fill_nan(to, cols_of(result) * s.parts);
            if (content != CONTENT_INFINITE) *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(stacks));
    blis_end(before);
}

static const StackWork svd_work = {1, true, svd_memory, svd_stretch};

static double svd_call_work(const Kernel *k) {
    const View *view = &k->args[0].view;
    double m = (double)rows_of(view), n = (double)cols_of(view), least = m < n ? m : n, most = m < n ? n : m;
    bool complete = k->attrs.part == PART_COMPLETE;
    return lapack_work(view, k->attrs.part == PART_VALUES ? 7 : 13, most, complete ? most : least, least);
}

const LibraryFn library_SVD = {run_stacks, stacks_workspace, &svd_work, svd_call_work};

// --- Least squares -----------------------------------------------------------------------------

typedef struct Lstsq {
    int parts;               // doubles per element
    int m, n, k, sides, ldb; // A is m x n; k = min(m, n)
    int length;              // of the work array
    int info, rank;          // LAPACK's return code; the matrix's rank
    double rcond;
    double *a, *b, *values, *sums, *work, *real_work;
    int *int_work;
} Lstsq;

static void lstsq_call(Lstsq *s, const int *length) {
    int lda = at_least_one(s->m);
    if (s->parts == 1)
        lapack_open()->dgelsd(&s->m, &s->n, &s->sides, s->a, &lda, s->b, &s->ldb, s->values,
                              &s->rcond, &s->rank, s->work, length, s->int_work, &s->info);
    else
        lapack_open()->zgelsd(&s->m, &s->n, &s->sides, s->a, &lda, s->b, &s->ldb, s->values,
                              &s->rcond, &s->rank, s->work, length, s->real_work, s->int_work, &s->info);
}

static void lstsq_run(void *problem) {
    Lstsq *s = problem;
    lstsq_call(s, &s->length);
}

static size_t lstsq_make(Lstsq *s, const Kernel *k, void *memory) {
    const View *a = &k->args[0].view, *b = &k->args[1].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    double length[2] = {0}, real_length = 0;
    int query = -1, int_length = 0;
    if (!lapack_usable(a, &flags) || !lapack_usable(b, &flags)) return 0;
    *s = (Lstsq){.parts = parts_of(a), .m = (int)rows_of(a), .n = (int)cols_of(a),
                 .sides = (int)cols_of(b), .rcond = k->args[2].scalar.f, .work = length,
                 .real_work = &real_length, .int_work = &int_length};
    s->k = s->m < s->n ? s->m : s->n;
    s->ldb = at_least_one(s->m > s->n ? s->m : s->n);
    lstsq_call(s, &query);
    size_t size = (size_t)s->parts * sizeof(double);
    s->length = lapack_length(length[0]);
    s->a = room_take(&room, (int64_t)s->m * s->n, size);
    s->b = room_take(&room, (int64_t)s->ldb * s->sides, size);
    s->values = room_take(&room, s->k, sizeof *s->values);
    s->sums = room_take(&room, s->sides, sizeof *s->sums);
    s->work = room_take(&room, s->length, size);
    s->real_work = room_take(&room, s->parts == 2 ? lapack_length(real_length) : 0,
                             sizeof *s->real_work);
    s->int_work = room_take(&room, int_length, sizeof *s->int_work);
    return room.used;
}

static double lstsq_work(const Kernel *k) {
    const View *view = &k->args[0].view;
    double m = (double)rows_of(view), n = (double)cols_of(view), least = m < n ? m : n;
    return lapack_work(view, 10, m, n, least) + lapack_work(view, 2, m, n, (double)cols_of(&k->args[1].view));
}

static size_t lstsq_workspace(const Cpu *cpu, const Kernel *k) {
    Lstsq s;
    size_t bytes = lstsq_make(&s, k, NULL);
    return bytes && is_long_call(cpu, lstsq_work(k)) ? long_call_bytes() + bytes : bytes;
}

// Stores X, the residuals, rank, singular values.
static void lstsq_store(const Lstsq *s, double *to) {
    const int64_t m = s->m, n = s->n, sides = s->sides, ldb = s->ldb, parts = s->parts;
    matrix_copy(turned(in_rows(s->b, sides, n, ldb, s->parts)),
                in_rows(to, n, sides, sides, s->parts), s->parts);
    to += n * sides * parts;
    for (int64_t j = 0; j < sides; j++) {
        const double *rest = s->b + j * ldb * parts;
        double sum = 0;
        for (int64_t i = n * parts; i < m * parts; i++) sum += rest[i] * rest[i];
        s->sums[j] = sum;
    }
    to = put_reals(to, s->sums, sides, s->parts);
    to = put_reals(to, &(double){s->rank}, 1, s->parts);
    put_reals(to, s->values, s->k, s->parts);
}

// LAPACK must not see infinities and NaN, so right-hand sides with such elements are zeroed here,
// and put_content later makes their solutions NaN. If the largest element is infinite, all
// solutions become NaN, because LAPACK would scale all sides by it. Returns the content over all
// sides.
static Content without_content(const Lstsq *s) {
    Content all = CONTENT_FINITE;
    const int64_t count = s->ldb * s->parts;
    for (int64_t j = 0; j < s->sides; j++) {
        Content content = content_of(s->b + j * count, count);
        s->sums[j] = content == CONTENT_FINITE ? 0 : NAN;
        if (content == CONTENT_FINITE) continue;
        memset(s->b + j * count, 0, (size_t)count * sizeof *s->b);
        if (all != CONTENT_NAN) all = content;
    }
    return all;
}

static void put_content(const Lstsq *s, Content content) {
    const int64_t count = s->ldb * s->parts, n = (int64_t)s->n * s->parts;
    if (content == CONTENT_FINITE) return;
    for (int64_t j = 0; j < s->sides; j++) {
        double *side = s->b + j * count;
        if (!isnan(s->sums[j]) && content != CONTENT_INFINITE) continue;
        fill_nan(side, n);
        for (int64_t i = n; i < count; i++) side[i] = s->sums[j];
    }
}

static void lstsq_solve(const Cpu *cpu, LongCall *call, Lstsq *s, const View *result, double *to, uint32_t *flags) {
    Content content = without_content(s);
    bool finite = content_of(s->a, (int64_t)s->m * s->n * s->parts) == CONTENT_FINITE;
    bool callable = s->k && finite && s->length && s->sides;
    if (callable && !lapack_run(cpu, call, lstsq_run, s, sizeof *s, flags)) return;
    if (s->k == 0 || (callable && s->info == 0)) {
        put_content(s, content);
        lstsq_store(s, to);
    } else {
        fill_nan(to, cols_of(result) * s->parts);
        *flags |= FLAG_FAILED;
    }
}

static void run_lstsq(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view, *b = &k->args[1].view;
    LongCall *call = NULL;
    char *memory = k->workspace;
    Lstsq s;
    if (!lapack_usable(a, flags) || !lapack_usable(b, flags)) return;
    if (k->lasting) {
        call = long_call_make(memory, k->lasting, lapack_is_wide(cpu, rows_of(a), false));
        memory += long_call_bytes();
    }
    int before = lapack_begin(cpu, rows_of(a), false);
    lstsq_make(&s, k, memory);
    memset(s.b, 0, (size_t)s.ldb * (size_t)(s.sides * s.parts) * sizeof *s.b);
    matrix_copy(turned(matrix_at(a, arg_at(&k->args[0]))), in_rows(s.a, s.n, s.m, s.m, s.parts),
                s.parts);
    matrix_copy(turned(matrix_at(b, arg_at(&k->args[1]))),
                in_rows(s.b, s.sides, s.m, s.ldb, s.parts), s.parts);
    lstsq_solve(cpu, call, &s, &k->result.view, (double *)arg_at(&k->result), flags);
    blis_end(before);
}

const LibraryFn library_LSTSQ = {.run = run_lstsq, .workspace = lstsq_workspace, .work = lstsq_work};
