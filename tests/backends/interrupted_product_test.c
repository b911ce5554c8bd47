// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A product that machine code calls is whole although somebody has asked for the interpreter in the meantime: nobody
// asks it what it has left out.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/cpu.h"
#include "vm/value/vm.h"

enum { MOST = 128 };
static double a[MOST * MOST], product[MOST * MOST], want[MOST * MOST];
static Pool pool;
static int failures;

static void check(Cpu *cpu, int64_t n, const int64_t second[2]) {
    const int64_t row = n * (int64_t)sizeof *a, shape[3] = {n, n, n}, first[2] = {row, sizeof *a};
    for (int64_t i = 0; i < n * n; i++) product[i] = NAN;
    cpu->vm->interrupt = 0;
    cpu->region_calls.product(cpu, DT_FLOAT64, (char *)want, shape, (const char *)a, first, (const char *)a, second, 0);
    cpu->vm->interrupt = 1;
    cpu->region_calls.product(cpu, DT_FLOAT64, (char *)product, shape, (const char *)a, first, (const char *)a, second, 0);
    if (memcmp(product, want, (size_t)(n * n) * sizeof *want) == 0) return;
    printf("%d rows: the product is not whole\n", (int)n);
    failures++;
}

int main(void) {
    static Vm vm;
    static Cpu cpu;
    mem_init(&vm.mem, NULL, NULL, 0, false);
    cpu_begin(&cpu, &vm, &pool, 2);
    cpu_ready(&cpu);
    for (int64_t i = 0; i < MOST * MOST; i++) a[i] = (double)(i * 7919 % 1000) / 1000;
    for (int64_t n = 1; n <= MOST; n *= 2) {
        const int64_t row = n * (int64_t)sizeof *a, plain[2] = {row, sizeof *a}, turned[2] = {sizeof *a, row};
        check(&cpu, n, plain);
        check(&cpu, n, turned);
    }
    pool_close(&pool);
    if (failures == 0) printf("ok\n");
    return failures != 0;
}
