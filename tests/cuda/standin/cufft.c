// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A stand-in for libcufft, beside the stand-in driver: Cooley and Tukey's recursion, behind what is in the stream. All that
// a transform reads and writes has to be in live memory, and so does the memory that it was given to work in, which it
// fills with 0xff.
//
// STANDIN_FAIL=cufftMakePlanMany64:2  as of the driver; STANDIN_FOURIER_CALLS=file: a line for each call

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { INVALID_PLAN = 1, ALLOC_FAILED = 2, INVALID = 4, EXEC_FAILED = 6 };
enum { R2C = 0x2a, C2C = 0x29, D2Z = 0x6a, Z2Z = 0x69, PLANS = 64, WORK_EACH = 16 };

typedef struct Side {
    long long step, apart;
} Side;

typedef struct Plan {
    bool is_live, is_made;
    long long points, rows;
    Side in, out;
    int kind;
    Stream *stream;
    Ptr work;
} Plan;
static Plan plans[PLANS];

static Plan *plan_of(int number) {
    return number > 0 && number < PLANS && plans[number].is_live ? &plans[number] : NULL;
}

API int cufftGetProperty(int which, int *value) {
    *value = which == 0 ? 11 : 2;
    return OK;
}

API int cufftCreate(int *number) {
    ENTER();
    for (int i = 1; i < PLANS; i++) {
        if (plans[i].is_live) continue;
        plans[i] = (Plan){.is_live = true};
        standin_live(1);
        *number = i;
        return OK;
    }
    return ALLOC_FAILED;
}

API int cufftDestroy(int number) {
    Plan *plan = plan_of(number);
    if (!plan) return INVALID_PLAN;
    plan->is_live = false;
    standin_live(-1);
    return OK;
}

API int cufftSetAutoAllocation(int number, int automatic) {
    ENTER();
    return plan_of(number) && !automatic ? OK : INVALID_PLAN;
}

API int cufftMakePlanMany64(int number, int rank, long long *points, long long *in_embed, long long in_step,
                            long long in_apart, long long *out_embed, long long out_step, long long out_apart, int kind,
                            long long rows, size_t *bytes) {
    ENTER();
    Plan *plan = plan_of(number);
    if (!plan || plan->is_made) return INVALID_PLAN;
    if (rank != 1 || !in_embed || !out_embed || points[0] < 1 || rows < 1 || in_step < 1 || out_step < 1 ||
        (kind != R2C && kind != C2C && kind != D2Z && kind != Z2Z))
        return INVALID;
    plan->is_made = true;
    plan->points = points[0];
    plan->rows = rows;
    plan->in = (Side){in_step, in_apart};
    plan->out = (Side){out_step, out_apart};
    plan->kind = kind;
    *bytes = (size_t)points[0] * WORK_EACH;
    return OK;
}

API int cufftSetStream(int number, Stream *stream) {
    ENTER();
    Plan *plan = plan_of(number);
    if (plan) plan->stream = stream;
    return plan ? OK : INVALID_PLAN;
}

API int cufftSetWorkArea(int number, Ptr work) {
    ENTER();
    Plan *plan = plan_of(number);
    if (plan) plan->work = work;
    return plan ? OK : INVALID_PLAN;
}

// --- What is computed ------------------------------------------------------------------------------------------

typedef struct Call {
    Plan plan;
    const void *in;
    void *out, *work;
    int sign;
} Call;

static void transform(long long n, const double complex *from, long long step, double complex *to, int sign) {
    long long p = 2;
    while (p * p <= n && n % p != 0) p++;
    if (p * p > n) p = n;
    const long long m = p ? n / p : 1;
    if (n == 1) {
        to[0] = from[0];
        return;
    }
    double complex *parts = malloc((size_t)n * sizeof *parts);
    if (!parts) abort();
    for (long long r = 0; r < p; r++) transform(m, from + r * step, step * p, parts + r * m, sign);
    for (long long k = 0; k < n; k++) {
        double complex sum = 0;
        for (long long r = 0; r < p; r++) sum += cexp(sign * 2 * M_PI * I * (double)(r * k % n) / (double)n) * parts[r * m + k % m];
        to[k] = sum;
    }
    free(parts);
}

// Of a row of real numbers the first half.
static long long results(const Plan *p) {
    return p->kind == R2C || p->kind == D2Z ? p->points / 2 + 1 : p->points;
}

static void compute(void *context) {
    Call *c = context;
    const Plan *p = &c->plan;
    double complex *row = malloc(2 * (size_t)p->points * sizeof *row), *made = row + p->points;
    if (!row) abort();
    memset(c->work, 0xff, (size_t)p->points * WORK_EACH);
    for (long long r = 0; r < p->rows; r++) {
        for (long long i = 0; i < p->points; i++) {
            const long long at = r * p->in.apart + i * p->in.step;
            row[i] = p->kind == C2C ? ((const float complex *)c->in)[at] : p->kind == Z2Z ? ((const double complex *)c->in)[at]
                     : p->kind == R2C ? (double complex)((const float *)c->in)[at] : (double complex)((const double *)c->in)[at];
        }
        transform(p->points, row, 1, made, c->sign);
        if (results(p) < p->points) made[0] = creal(made[0]);
        if (results(p) < p->points && p->points % 2 == 0) made[p->points / 2] = creal(made[p->points / 2]);
        for (long long i = 0; i < results(p); i++) {
            const long long at = r * p->out.apart + i * p->out.step;
            if (p->kind == C2C || p->kind == R2C) ((float complex *)c->out)[at] = (float complex)made[i];
            else ((double complex *)c->out)[at] = made[i];
        }
    }
    free(row);
    free(c);
}

// --- What is asked for -----------------------------------------------------------------------------------------

static void note(const Plan *p, int sign) {
    const char *path = getenv("STANDIN_FOURIER_CALLS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    const char *kind = p->kind == C2C ? "C2C" : p->kind == Z2Z ? "Z2Z" : p->kind == R2C ? "R2C" : "D2Z";
    fprintf(file, "%s %lld %lld %d\n", kind, p->points, p->rows, sign);
    fclose(file);
}

static void *real(const Plan *p, const Side *side, long long points, bool is_real, Ptr address) {
    const size_t part = p->kind == C2C || p->kind == R2C ? sizeof(float) : sizeof(double), size = is_real ? part : 2 * part;
    return standin_memory(address, (size_t)((p->rows - 1) * side->apart + (points - 1) * side->step + 1) * size, "fft");
}

static int run(int number, int kind, Ptr in, Ptr out, int sign) {
    const Plan *plan = plan_of(number);
    if (!plan || !plan->is_made || plan->kind != kind) return INVALID_PLAN;
    if ((sign != 1 && sign != -1) || !plan->stream || in == out) return INVALID;
    Call *call = malloc(sizeof *call);
    if (!call) return ALLOC_FAILED;
    const bool is_real = kind == R2C || kind == D2Z;
    *call = (Call){*plan, real(plan, &plan->in, plan->points, is_real, in), real(plan, &plan->out, results(plan), false, out),
                   standin_memory(plan->work, (size_t)plan->points * WORK_EACH, "fft"), sign};
    if (!call->in || !call->out || !call->work || standin_enqueue(plan->stream, compute, call) != OK) {
        free(call);
        return EXEC_FAILED;
    }
    note(plan, sign);
    return OK;
}

API int cufftExecC2C(int number, Ptr in, Ptr out, int sign) {
    ENTER();
    return run(number, C2C, in, out, sign);
}

API int cufftExecZ2Z(int number, Ptr in, Ptr out, int sign) {
    ENTER();
    return run(number, Z2Z, in, out, sign);
}

API int cufftExecR2C(int number, Ptr in, Ptr out) {
    ENTER();
    return run(number, R2C, in, out, -1);
}

API int cufftExecD2Z(int number, Ptr in, Ptr out) {
    ENTER();
    return run(number, D2Z, in, out, -1);
}
