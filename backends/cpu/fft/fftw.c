// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Opens FFTW, and caches plans. Plans are estimated, not measured, so they are deterministic and
// planning leaves the arrays alone.
// FFTW aborts the process when out of memory. It allocates tables for each plan and, for awkward
// lengths, buffers at run time; for lengths where this matters, an allocation of that size is tried
// first.

#include "backends/cpu/fft/fft.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/cpu/fft/fft_own.h"
#include "lang/support/libraries.h"

#if __has_include("nacre_config.h")
#include "nacre_config.h"
#include "backends/cpu/library.h"
#endif
#ifndef NACRE_FFTW_LIBRARY
#define NACRE_FFTW_LIBRARY ""
#define NACRE_FFTW_SINGLE_LIBRARY ""
#endif

// FFTW's interface, from its manual: "64-bit Guru Interface", "New-array Execute Functions".
typedef struct Dim {
    ptrdiff_t n, in_stride, out_stride;
} Dim;
typedef void *(*PlanFn)(int rank, const Dim *dims, int loops, const Dim *loop_dims, void *in,
                        void *out, unsigned flags);
typedef void (*ExecuteFn)(const void *plan, void *in, void *out);
enum { ESTIMATE = 1 << 6, SIGN_FORWARD = -1, SIGN_INVERSE = 1 };

typedef struct Fftw {
    void *handle;
    void *(*plan_complex)(int rank, const Dim *dims, int loops, const Dim *loop_dims, void *in,
                          void *out, int sign, unsigned flags);
    PlanFn plan_halved, plan_restored;
    ExecuteFn complex, halved, restored;
    void (*destroy)(void *plan);
    int (*alignment_of)(void *at);
} Fftw;

// Filled once per process; the lock guards the planner.
static struct {
    pthread_once_t once;
    pthread_mutex_t planner;
    Fftw tables[2]; // for doubles, for floats
    int64_t alignment;
    bool complete;
} process = {.once = PTHREAD_ONCE_INIT, .planner = PTHREAD_MUTEX_INITIALIZER};

static void *symbol(const Fftw *t, const char *prefix, const char *name) {
    char full[64];
    snprintf(full, sizeof full, "%s_%s", prefix, name);
    return dlsym(t->handle, full);
}

#define FIND(slot, name) (*(void **)&t->slot = symbol(t, prefix, name)) != NULL

static bool open_table(Fftw *t, const char *library, const char *prefix) {
    if (!library[0]) return false;
    t->handle = library_open(library, RTLD_NOW | RTLD_LOCAL);
    return t->handle && FIND(plan_complex, "plan_guru64_dft") &&
           FIND(plan_halved, "plan_guru64_dft_r2c") && FIND(plan_restored, "plan_guru64_dft_c2r") &&
           FIND(complex, "execute_dft") && FIND(halved, "execute_dft_r2c") &&
           FIND(restored, "execute_dft_c2r") && FIND(destroy, "destroy_plan") &&
           FIND(alignment_of, "alignment_of");
}

// Returns FFTW's alignment requirement: the smallest address that it considers aligned.
static int64_t alignment_of_table(const Fftw *t) {
    enum { MOST = 4096 };
    uintptr_t at = 1;
    while (at < MOST && t->alignment_of((void *)at) != 0) at *= 2;
    return (int64_t)at;
}

static void open_fftw(void) {
    if (!open_table(&process.tables[0], NACRE_FFTW_LIBRARY, "fftw") ||
        !open_table(&process.tables[1], NACRE_FFTW_SINGLE_LIBRARY, "fftwf"))
        return;
    int64_t one = alignment_of_table(&process.tables[0]);
    int64_t two = alignment_of_table(&process.tables[1]);
    process.alignment = one > two ? one : two;
    process.complete = true;
}

bool fft_open(void) {
    pthread_once(&process.once, open_fftw);
    return process.complete;
}

int64_t fft_alignment(void) {
    return process.complete ? process.alignment : (int64_t)sizeof(double);
}

size_t fft_scratch(const FftRows *rows) {
    return fft_open() ? 0 : fft_own_scratch(rows);
}

// --- Plans -------------------------------------------------------------------------------------

static bool same_rows(const FftRows *a, const FftRows *b) {
    return a->kind == b->kind && a->narrow == b->narrow && a->points == b->points &&
           a->count == b->count && a->in_row == b->in_row && a->out_row == b->out_row;
}

// Returns whether there is memory for a plan: some lengths use a convolution of more than twice as many points.
static bool has_memory(int64_t points) {
    enum { MATTERS_FROM = 1 << 14, TIMES = 8, ELEMENT = 16 };
    if (points < MATTERS_FROM) return true;
    void *volatile trial = (uint64_t)points > SIZE_MAX / (TIMES * ELEMENT)
                               ? NULL
                               : malloc((size_t)points * TIMES * ELEMENT);
    free(trial);
    return trial;
}

static void *make(const FftRows *rows) {
    enum { ONE = 1 << 12, OTHER = 1 << 13 }; // arbitrary aligned addresses, never accessed
    const Fftw *t = &process.tables[rows->narrow];
    const Dim dim = {rows->points, 1, 1}, loop = {rows->count, rows->in_row, rows->out_row};
    int loops = rows->count > 1;
    void *in = (void *)(uintptr_t)ONE, *out = (void *)(uintptr_t)OTHER, *plan;
    if (!fft_open()) return fft_own_new(rows);
    if (!has_memory(rows->points)) return NULL;
    pthread_mutex_lock(&process.planner);
    switch (rows->kind) {
    case FFT_HALVED: plan = t->plan_halved(1, &dim, loops, &loop, in, out, ESTIMATE); break;
    case FFT_RESTORED: plan = t->plan_restored(1, &dim, loops, &loop, in, out, ESTIMATE); break;
    default:
        plan = t->plan_complex(1, &dim, loops, &loop, in, out,
                               rows->kind == FFT_FORWARD ? SIGN_FORWARD : SIGN_INVERSE, ESTIMATE);
    }
    pthread_mutex_unlock(&process.planner);
    return plan;
}

static void destroy(FftPlan *plan) {
    if (!plan->plan) return;
    if (process.complete) {
        pthread_mutex_lock(&process.planner);
        process.tables[plan->rows.narrow].destroy(plan->plan);
        pthread_mutex_unlock(&process.planner);
    } else {
        fft_own_free(plan->plan);
    }
    plan->plan = NULL;
    plan->used = 0;
}

const FftPlan *fft_plan(FftPlans *plans, const FftRows *wanted) {
    FftRows rows = *wanted;
    FftPlan *oldest = &plans->kept[0];
    if (rows.count == 1) rows.in_row = rows.out_row = 0;
    for (FftPlan *p = plans->kept; p < plans->kept + FFT_PLANS; p++) {
        if (p->plan && same_rows(&p->rows, &rows)) {
            p->used = ++plans->calls;
            return p;
        }
        if (p->used < oldest->used) oldest = p;
    }
    destroy(oldest);
    oldest->rows = rows;
    oldest->plan = make(&rows);
    oldest->used = oldest->plan ? ++plans->calls : 0;
    return oldest->plan ? oldest : NULL;
}

void fft_execute(const FftPlan *plan, void *in, void *out, void *scratch) {
    if (!process.complete) {
        fft_own_execute(plan->plan, in, out, scratch);
        return;
    }
    const Fftw *t = &process.tables[plan->rows.narrow];
    switch (plan->rows.kind) {
    case FFT_HALVED: t->halved(plan->plan, in, out); break;
    case FFT_RESTORED: t->restored(plan->plan, in, out); break;
    default: t->complex(plan->plan, in, out);
    }
}

void fft_trim(FftPlans *plans) {
    enum { POINTS_KEPT = 1 << 22 };
    for (;;) {
        int64_t points = 0;
        FftPlan *oldest = NULL;
        for (FftPlan *p = plans->kept; p < plans->kept + FFT_PLANS; p++) {
            if (!p->plan) continue;
            points += p->rows.points;
            if (p->used != plans->calls && (!oldest || p->used < oldest->used)) oldest = p;
        }
        if (points <= POINTS_KEPT || !oldest) return;
        destroy(oldest);
    }
}

void fft_close(FftPlans *plans) {
    for (FftPlan *p = plans->kept; p < plans->kept + FFT_PLANS; p++) destroy(p);
}

void fft_describe(Buf *out) {
    if (fft_open())
        buf_printf(out, "FFTW: %s, %s\n", NACRE_FFTW_LIBRARY, NACRE_FFTW_SINGLE_LIBRARY);
    else buf_puts(out, "FFTW: not there; Fourier transforms are own ones\n");
}
