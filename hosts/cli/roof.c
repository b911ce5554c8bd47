// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Measures two short loops on as many threads as array work uses: a triad (McCalpin's STREAM) for memory bandwidth, and
// independent chains of fused multiply-adds for arithmetic.

#include "roof.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum {
    ELEMENTS = 1 << 22, // of each array of the triad, divided among the threads; 96 MiB in all
    ROUNDS = 8,         // the best round counts, since other processes may disturb some
    CHAINS = 12,        // enough to hide the latency of a multiply-add on two units
    STEPS = 200000,
    THREADS_MOST = 256,
};

typedef struct Part {
    double *a, *b, *c;
    long from, to;
    pthread_mutex_t *gate; // held until all parts are known
    pthread_barrier_t *barrier;
    double triad, arithmetic; // seconds of the best round
    double sink;
} Part;

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Defines the arithmetic loop for one SIMD width. This file is compiled with contraction to fused operations.
#define ARITHMETIC(name, attribute, width)                                                          \
    typedef double name##_vector __attribute__((vector_size(8 * (width))));                         \
    attribute static double name(void) {                                                            \
        name##_vector chains[CHAINS], factor, addend;                                               \
        for (int i = 0; i < (width); i++) factor[i] = 0.999999, addend[i] = 1e-6;                   \
        for (int i = 0; i < CHAINS; i++) chains[i] = addend * i;                                    \
        for (long step = 0; step < STEPS; step++) {                                                 \
            for (int i = 0; i < CHAINS; i++) chains[i] = chains[i] * factor + addend;               \
            __asm__ volatile("" : "+r"(step)); /* keeps the steps apart */                          \
        }                                                                                           \
        for (int i = 1; i < CHAINS; i++) chains[0] += chains[i];                                    \
        return chains[0][0];                                                                        \
    }

#if defined(__x86_64__)
ARITHMETIC(arithmetic_8, __attribute__((target("avx512f"))), 8)
ARITHMETIC(arithmetic_4, __attribute__((target("avx2,fma"))), 4)
#endif
ARITHMETIC(arithmetic_2, , 2)

static int vector_width(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return 8;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 4;
#endif
    return 2;
}

static double arithmetic(void) {
#if defined(__x86_64__)
    switch (vector_width()) {
    case 8: return arithmetic_8();
    case 4: return arithmetic_4();
    default: break;
    }
#endif
    return arithmetic_2();
}

static void *measure_part(void *argument) {
    Part *part = argument;
    pthread_mutex_lock(part->gate);
    pthread_mutex_unlock(part->gate);
    for (long i = part->from; i < part->to; i++) part->a[i] = part->b[i] = part->c[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(part->barrier);
        double begin = seconds_now();
        for (long i = part->from; i < part->to; i++) part->a[i] = part->b[i] + 0.5 * part->c[i];
        pthread_barrier_wait(part->barrier);
        double took = seconds_now() - begin;
        if (round == 0 || took < part->triad) part->triad = took;
        part->sink += part->a[part->from];
    }
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(part->barrier);
        double begin = seconds_now();
        part->sink += arithmetic();
        pthread_barrier_wait(part->barrier);
        double took = seconds_now() - begin;
        if (round == 0 || took < part->arithmetic) part->arithmetic = took;
    }
    return NULL;
}

// Measures with as many threads as could be started.
static void measure(Roof *roof, double *memory) {
    pthread_t threads[THREADS_MOST];
    pthread_barrier_t barrier;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    Part parts[THREADS_MOST] = {{0}};
    int count = 1;
    for (int i = 0; i < roof->threads; i++) parts[i] = (Part){.gate = &gate, .barrier = &barrier};
    pthread_mutex_lock(&gate);
    while (count < roof->threads && pthread_create(&threads[count], NULL, measure_part, &parts[count]) == 0) count++;
    for (int i = 0; i < count; i++) {
        parts[i].a = memory;
        parts[i].b = memory + ELEMENTS;
        parts[i].c = memory + 2 * (size_t)ELEMENTS;
        parts[i].from = (long)ELEMENTS * i / count;
        parts[i].to = (long)ELEMENTS * (i + 1) / count;
    }
    pthread_barrier_init(&barrier, NULL, (unsigned)count); // cannot fail: it needs no memory on Linux
    pthread_mutex_unlock(&gate);
    measure_part(&parts[0]);
    for (int i = 1; i < count; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    roof->threads = count;
    roof->bytes = 3.0 * 8 * ELEMENTS / parts[0].triad;
    roof->operations = 2.0 * CHAINS * vector_width() * STEPS * count / parts[0].arithmetic;
}

Roof roof_measure(int threads) {
    Roof roof = {.threads = threads < 1 ? 1 : threads > THREADS_MOST ? THREADS_MOST : threads};
    double *memory = malloc(3 * (size_t)ELEMENTS * sizeof *memory);
    if (memory) measure(&roof, memory);
    free(memory);
    return roof;
}
