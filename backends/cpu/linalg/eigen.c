// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Eigenvalues and eigenvectors, by LAPACK.

#include "backends/cpu/library.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/linalg/tridiagonal.h"
#include "backends/cpu/product/blis.h"

// --- Symmetric and Hermitian matrices ----------------------------------------------------------

typedef struct Eigh {
    int parts; // doubles per element
    int n, length, real_length, int_length; // of the work arrays
    int info; // LAPACK's return code
    Letter job, triangle;
    double *a, *values, *work, *real_work;
    int *int_work;
    void *tridiagonal; // memory of the own method for moderate sizes, or NULL
} Eigh;

static void eigh_call(Eigh *e, const int *length, const int *real_length, const int *int_length) {
    int lda = at_least_one(e->n);
    if (e->parts == 1)
        lapack_open()->syevd(e->job, e->triangle, &e->n, e->a, &lda, e->values, e->work, length,
                             e->int_work, int_length, &e->info, 1, 1);
    else
        lapack_open()->heevd(e->job, e->triangle, &e->n, e->a, &lda, e->values, e->work, length,
                             e->real_work, real_length, e->int_work, int_length, &e->info, 1, 1);
}

static void eigh_run(void *problem) {
    Eigh *e = problem;
    eigh_call(e, &e->length, &e->real_length, &e->int_length);
}

// Lays out the memory of LAPACK's driver. Returns its size in bytes.
static size_t driver_room(Eigh *e, Room room) {
    double length[2] = {0}, real_length = 0;
    int int_length = 0, query = -1;
    e->work = length;
    e->real_work = &real_length;
    e->int_work = &int_length;
    eigh_call(e, &query, &query, &query);
    size_t size = (size_t)e->parts * sizeof(double);
    // ?SYEVD requests less workspace than its callee ?ORMTR wants for full blocks: at n = 64 that
    // would use blocks of only three columns.
    enum { BLOCK = 64 };
    double more = *e->job == 'V' ? BLOCK * (e->n + BLOCK + 1.0) : 0;
    e->length = lapack_length(length[0] + more);
    e->real_length = lapack_length(real_length);
    e->int_length = int_length;
    if (e->parts == 2 && !e->real_length) e->length = 0;
    e->a = room_take(&room, (int64_t)e->n * e->n, size);
    e->values = room_take(&room, e->n, sizeof *e->values);
    e->work = room_take(&room, e->length, size);
    e->real_work = room_take(&room, e->real_length, sizeof *e->real_work);
    e->int_work = room_take(&room, e->int_length, sizeof *e->int_work);
    return room.used;
}

static size_t eigh_make(Eigh *e, const Kernel *k, void *memory) {
    const View *view = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    if (!lapack_usable(view, &flags)) return 0;
    *e = (Eigh){.parts = parts_of(view), .n = (int)rows_of(view),
                .job = k->attrs.part == PART_VALUES ? "N" : "V", .triangle = k->attrs.upper ? "U" : "L"};
    if (e->parts == 2 || !is_tridiagonal_size(e->n)) return driver_room(e, room);
    e->values = room_take(&room, e->n, sizeof *e->values);
    e->tridiagonal = room_take(&room, (int64_t)tridiagonal_bytes(e->n, *e->job == 'V'), 1);
    return room.used;
}

static size_t eigh_memory(const Cpu *cpu, const Kernel *k) {
    Eigh e;
    (void)cpu;
    return eigh_make(&e, k, NULL);
}

// Returns whether the triangle that LAPACK uses is finite.
static bool is_finite(const Eigh *e) {
    Content worst = CONTENT_FINITE;
    for (int64_t j = 0; j < e->n && worst == CONTENT_FINITE; j++) {
        int64_t first = *e->triangle == 'U' ? 0 : j, last = *e->triangle == 'U' ? j + 1 : e->n;
        worst = content_of(e->a + (j * e->n + first) * e->parts, (last - first) * e->parts);
    }
    return worst == CONTENT_FINITE;
}

// Result for one matrix.
typedef struct Found {
    Content content;
    bool all; // values and vectors are valid
} Found;

// Uses LAPACK's driver. False: interrupted.
static bool driver_eigh(const Cpu *cpu, LongCall *call, Eigh *e, Matrix from, double *vectors, Found *found,
                        uint32_t *flags) {
    const int64_t n = e->n;
    matrix_copy(turned(from), in_rows(e->a, n, n, n, e->parts), e->parts);
    if (n > 1 && !is_finite(e)) {
        found->content = CONTENT_NAN;
        return true;
    }
    if (!e->length) return true;
    if (!lapack_run(cpu, call, eigh_run, e, sizeof *e, flags)) return false;
    found->all = e->info == 0;
    if (found->all && *e->job == 'V')
        matrix_copy(turned(in_rows(e->a, n, n, n, e->parts)), in_rows(vectors, n, n, n, e->parts),
                    e->parts);
    return true;
}

static bool eigh_one(const Cpu *cpu, LongCall *call, Eigh *e, Matrix from, const View *result, double *to,
                     uint32_t *flags) {
    Found found = {CONTENT_FINITE, false};
    double *vectors = to + reals_length(e->n, e->parts);
    if (e->tridiagonal)
        found.content = tridiagonal_eigh(cpu->loops, from, *e->triangle == 'U', e->tridiagonal, e->values,
                                         *e->job == 'V' ? vectors : NULL, &found.all);
    else if (!driver_eigh(cpu, call, e, from, vectors, &found, flags))
        return false;
    if (found.all) {
        put_reals(to, e->values, e->n, e->parts);
        return true;
    }
    fill_nan(to, cols_of(result) * e->parts);
    if (found.content == CONTENT_FINITE) *flags |= FLAG_FAILED;
    return true;
}

static void eigh_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                         uint32_t *flags) {
    const View *view = &k->args[0].view;
    Eigh e;
    if (!lapack_usable(view, flags) || rows_of(view) == 0) return;
    eigh_make(&e, k, memory);
    int before = lapack_begin(cpu, e.n, stacks->shared);
    do {
        if (!eigh_one(cpu, stacks->call, &e, matrix_at(view, stacks->at[0]), &k->result.view, (double *)stacks->at[1],
                      flags))
            break;
    } while (!interrupted(cpu, flags) && stacks_next(stacks));
    blis_end(before);
}

static const StackWork eigh_work = {1, true, eigh_memory, eigh_stretch};

static double eigh_call_work(const Kernel *k) {
    const View *view = &k->args[0].view;
    double n = (double)rows_of(view);
    if (parts_of(view) == 1 && is_tridiagonal_size(rows_of(view))) return 0;
    return lapack_work(view, k->attrs.part == PART_VALUES ? 3 : 5, n, n, n);
}

const LibraryFn library_EIGH = {run_stacks, stacks_workspace, &eigh_work, eigh_call_work};

// --- General matrices --------------------------------------------------------------------------

typedef struct Eig {
    int parts; // doubles per element
    int n, length; // of the work arrays
    int info; // LAPACK's return code
    Letter job;
    double *a, *values, *vectors, *work, *real_work;
} Eig;

// For real matrices, values come as n real parts followed by n imaginary parts.
static void eig_call(Eig *e, const int *length) {
    int ld = at_least_one(e->n), one = 1;
    if (e->parts == 1)
        lapack_open()->dgeev("N", e->job, &e->n, e->a, &ld, e->values, e->values + e->n, NULL, &one,
                             e->vectors, &ld, e->work, length, &e->info, 1, 1);
    else
        lapack_open()->zgeev("N", e->job, &e->n, e->a, &ld, e->values, NULL, &one, e->vectors, &ld,
                             e->work, length, e->real_work, &e->info, 1, 1);
}

static void eig_run(void *problem) {
    Eig *e = problem;
    eig_call(e, &e->length);
}

static size_t eig_make(Eig *e, const Kernel *k, void *memory) {
    const View *view = &k->args[0].view;
    uint32_t flags = 0;
    Room room = {memory, 0};
    double length[2] = {0}, unused[2];
    int query = -1;
    enum { SMALL = 64, LEAST = 4 };
    if (!lapack_usable(view, &flags)) return 0;
    *e = (Eig){.parts = parts_of(view), .n = (int)rows_of(view), .values = unused, .work = length,
               .job = k->attrs.part == PART_VALUES ? "N" : "V", .real_work = unused};
    eig_call(e, &query);
    size_t size = (size_t)e->parts * sizeof(double);
    // With the workspace that it requests, ?TREVC3 multiplies blocks of vectors, which does not pay
    // for small matrices. Relative time of ?GEEV with the minimum: 0.5 at n = 3, 0.8 at 8, 0.98 at
    // 64, 1.05 at 200.
    e->length = e->n <= SMALL ? LEAST * e->n : lapack_length(length[0]);
    e->a = room_take(&room, (int64_t)e->n * e->n, size);
    e->values = room_take(&room, 2 * (int64_t)e->n, sizeof *e->values);
    e->vectors = room_take(&room, (int64_t)e->n * e->n, size);
    e->work = room_take(&room, e->length, size);
    e->real_work = room_take(&room, 2 * (int64_t)e->n, sizeof *e->real_work);
    return room.used;
}

static size_t eig_memory(const Cpu *cpu, const Kernel *k) {
    Eig e;
    (void)cpu;
    return eig_make(&e, k, NULL);
}

static void put(double *to, double re, double im) {
    to[0] = re;
    to[1] = im;
}

// For a conjugate pair, LAPACK stores real and imaginary part of the first vector as two columns.
static void complex_from_real(const Eig *e, bool vectors, double *to) {
    const int64_t n = e->n;
    const double *imaginary = e->values + n;
    for (int64_t j = 0; j < n; j++) put(to + 2 * j, e->values[j], imaginary[j]);
    to += 2 * n;
    for (int64_t j = 0; j < n && vectors; j++) {
        const double *re = e->vectors + j * n, *im = re + n;
        bool paired = imaginary[j] != 0;
        for (int64_t i = 0; i < n; i++) {
            double *at = to + 2 * (i * n + j);
            put(at, re[i], paired ? im[i] : 0);
            if (paired) put(at + 2, re[i], -im[i]);
        }
        j += paired;
    }
}

static void eig_store(const Eig *e, bool vectors, double *to) {
    const int64_t n = e->n;
    if (e->parts == 1) {
        complex_from_real(e, vectors, to);
        return;
    }
    memcpy(to, e->values, 2 * (size_t)n * sizeof *to);
    if (vectors)
        matrix_copy(turned(in_rows(e->vectors, n, n, n, 2)), in_rows(to + 2 * n, n, n, n, 2), 2);
}

static void eig_stretch(const Cpu *cpu, const Kernel *k, Stacks *stacks, void *memory,
                        uint32_t *flags) {
    const View *view = &k->args[0].view;
    const int64_t n = rows_of(view);
    bool vectors = k->attrs.part != PART_VALUES;
    Eig e;
    if (!lapack_usable(view, flags) || n == 0) return;
    eig_make(&e, k, memory);
    int before = lapack_begin(cpu, n, stacks->shared);
    do {
        double *to = (double *)stacks->at[1];
        matrix_copy(turned(matrix_at(view, stacks->at[0])), in_rows(e.a, n, n, n, e.parts), e.parts);
        bool callable = content_of(e.a, n * n * e.parts) == CONTENT_FINITE && e.length;
        if (callable && !lapack_run(cpu, stacks->call, eig_run, &e, sizeof e, flags)) break;
        if (callable && e.info == 0) {
            eig_store(&e, vectors, to);
        } else {
            fill_nan(to, 2 * (vectors ? n + n * n : n));
            *flags |= FLAG_FAILED;
        }
    } while (!interrupted(cpu, flags) && stacks_next(stacks));
    blis_end(before);
}

static const StackWork eig_work = {1, true, eig_memory, eig_stretch};

static double eig_call_work(const Kernel *k) {
    double n = (double)rows_of(&k->args[0].view);
    return lapack_work(&k->args[0].view, k->attrs.part == PART_VALUES ? 25 : 35, n, n, n);
}

const LibraryFn library_EIG = {run_stacks, stacks_workspace, &eig_work, eig_call_work};
