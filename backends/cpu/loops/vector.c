// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Vector functions of libraries: SLEEF and some of libmvec. Opened when a kernel first needs one
// that is not own code (vector_own_template.h).

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/flags.h"
#include "lang/support/libraries.h"

#if __has_include("nacre_config.h")
#include "nacre_config.h"
#include "backends/cpu/library.h"
#include "backends/cpu/loops/vector.h"
#endif
#ifndef NACRE_SLEEF_LIBRARY
#define NACRE_SLEEF_LIBRARY ""
#endif

// libmvec's AVX-512 functions are about twice as fast as SLEEF's, and about as accurate as NumPy's
// (figures in docs/decisions.md).
#define LIBMVEC "libmvec.so.1"

// A vector function as named in a row of the op table, for example exp_u10 or tanh_u10_fd: its name, the error
// bound, and the types (f, d) for which libmvec's function is used.
typedef struct Wanted {
    char name[16], bound[8], ours[4];
    int arity;
} Wanted;

static bool parse(OpId op, Wanted *w) {
    memset(w, 0, sizeof *w);
    w->arity = op_info[op].arity;
    return sscanf(op_info[op].vector, "%15[a-z0-9]_%7[a-z0-9]_%3s", w->name, w->bound, w->ours) >= 2;
}

// Looks up libmvec's function, for example _ZGVeN8vv_pow (eight lanes, two vectors); NULL: it is not used.
static VectorFn from_c_library(const Cpu *cpu, const Wanted *w, bool wide) {
    char symbol[64];
    if (!cpu->libmvec || !strchr(w->ours, wide ? 'd' : 'f')) return NULL;
    snprintf(symbol, sizeof symbol, "_ZGVeN%d%s_%s%s", cpu->loops->vector_width / (wide ? 8 : 4),
             w->arity == 2 ? "vv" : "v", w->name, wide ? "" : "f");
    return (VectorFn)dlsym(cpu->libmvec, symbol);
}

// Looks up SLEEF's function, for example Sleef_expd8_u10avx512f.
static VectorFn from_sleef(const Cpu *cpu, const Wanted *w, bool wide) {
    char symbol[64];
    int lanes = cpu->loops->vector_width / (wide ? 8 : 4);
    snprintf(symbol, sizeof symbol, "Sleef_%s%c%d_%s%s", w->name, wide ? 'd' : 'f', lanes, w->bound,
             cpu->loops->vector_set);
    return (VectorFn)dlsym(cpu->sleef, symbol);
}

static bool open_libraries(Cpu *cpu) {
    if (cpu->sleef) return true;
    cpu->sleef = library_open(NACRE_SLEEF_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (cpu->loops->vector_width == 64) cpu->libmvec = dlopen(LIBMVEC, RTLD_NOW | RTLD_LOCAL);
    return cpu->sleef != NULL;
}

static void look(Cpu *cpu, OpId op, bool wide) {
    Wanted w;
    if (!NACRE_SLEEF_LIBRARY[0] || !cpu->loops->vector_width) return;
    if (!parse(op, &w) || !open_libraries(cpu)) return;
    VectorFn fn = from_c_library(cpu, &w, wide);
    cpu->vectors[op][wide] = fn ? fn : from_sleef(cpu, &w, wide);
}

// Looks a function up at the first call, which several threads may make at once. They take the pool's lock, which
// is free while parts run.
static void look_once(Cpu *cpu, OpId op, bool wide) {
    if (atomic_load_explicit(&cpu->looked[op][wide], memory_order_acquire)) return;
    pthread_mutex_lock(&cpu->pool->lock);
    if (!atomic_load(&cpu->looked[op][wide])) look(cpu, op, wide);
    atomic_store_explicit(&cpu->looked[op][wide], true, memory_order_release);
    pthread_mutex_unlock(&cpu->pool->lock);
}

void cpu_function(void *context, int op, int type, const void *a, const void *b, void *result, int64_t count) {
    Cpu *cpu = context;
    bool wide = type == DT_FLOAT64;
    const OwnLoops *own = own_of(cpu, (OpId)op, (DType)type);
    LoopFn loop = own ? own->loop : cpu->loops->ops[op][type];
    if (!own) look_once(cpu, (OpId)op, wide);
    VectorFn vector = cpu->vectors[op][wide];
    VectorRun run = cpu->loops->vectors[wide][op_info[op].arity - 1];
    if (vector) run(vector, loop, op == AOP_POWER, a, b, result, (size_t)count);
    else loop(a, b, NULL, result, (size_t)count);
    flags_together();
}

void vectors_prepare(Cpu *cpu, const Kernel *kernel) {
    for (int i = 0; i < kernel->code_count; i++) {
        OpId op = (OpId)kernel->code[i].op;
        bool wide = kernel->code[i].from == DT_FLOAT64;
        if (!wide && kernel->code[i].from != DT_FLOAT32) continue;
        if (!own_of(cpu, op, (DType)kernel->code[i].from)) look_once(cpu, op, wide);
    }
}

void vectors_close(Cpu *cpu) {
    if (cpu->sleef) dlclose(cpu->sleef);
    if (cpu->libmvec) dlclose(cpu->libmvec);
}

static bool has_libmvec(const Loops *loops) {
    void *library = loops->vector_width == 64 ? dlopen(LIBMVEC, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library) dlclose(library);
    return library != NULL;
}

void vectors_describe(Buf *out, const Loops *loops) {
    if (!NACRE_SLEEF_LIBRARY[0] || !loops->vector_width) {
        buf_printf(out, "SLEEF: not in this build; math functions are the C library's%s\n",
                   loops->own_f64 ? ", or own ones" : "");
        return;
    }
    char at[PATH_MAX];
    buf_printf(out, "SLEEF: %s, functions for %s%s\n", library_where(NACRE_SLEEF_LIBRARY, at), loops->vector_set,
               has_libmvec(loops) ? ", and some of " LIBMVEC : "");
}
