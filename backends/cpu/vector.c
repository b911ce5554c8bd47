// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The vector functions of SLEEF, opened when the first kernel wants one.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/cpu.h"

#if __has_include("nacre_config.h")
#include "nacre_config.h"
#endif
#ifndef NACRE_SLEEF_LIBRARY
#define NACRE_SLEEF_LIBRARY ""
#endif

// exp_u10 → Sleef_expd8_u10avx512f, by type and number of lanes. NULL: no such function.
static VectorFn find(const Cpu *cpu, const char *name, bool wide) {
    char symbol[64];
    const char *bound = strchr(name, '_');
    int lanes = cpu->loops->vector_width / (wide ? 8 : 4);
    if (!bound) return NULL;
    snprintf(symbol, sizeof symbol, "Sleef_%.*s%c%d%s%s", (int)(bound - name), name,
             wide ? 'd' : 'f', lanes, bound, cpu->loops->vector_set);
    return (VectorFn)dlsym(cpu->sleef, symbol);
}

static void look(Cpu *cpu, OpId op) {
    const char *name = op_info[op].vector;
    cpu->looked[op] = true;
    if (strcmp(name, "NONE") == 0 || !NACRE_SLEEF_LIBRARY[0] || !cpu->loops->vector_width) return;
    if (!cpu->sleef) cpu->sleef = dlopen(NACRE_SLEEF_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!cpu->sleef) return;
    for (int wide = 0; wide < 2; wide++) cpu->vectors[op][wide] = find(cpu, name, wide);
}

void vectors_prepare(Cpu *cpu, const Kernel *kernel) {
    for (int i = 0; i < kernel->code_count; i++)
        if (!cpu->looked[kernel->code[i].op]) look(cpu, (OpId)kernel->code[i].op);
}

void vectors_close(Cpu *cpu) {
    if (cpu->sleef) dlclose(cpu->sleef);
}

void vectors_describe(Buf *out, const Loops *loops) {
    if (!NACRE_SLEEF_LIBRARY[0] || !loops->vector_width)
        buf_puts(out, "SLEEF: not in this build; math functions are the C library's\n");
    else
        buf_printf(out, "SLEEF: %s, functions for %s\n", NACRE_SLEEF_LIBRARY, loops->vector_set);
}
