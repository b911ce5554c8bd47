// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// How exact the functions of arrays are, with every instruction set: no further from the true value than so
// many units in the last place, at random arguments and at the ends of each function's range. The C
// library's functions of long doubles say what is true. `--long`: ten times as many arguments.

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/loops/vector.h"

typedef long double Long;
typedef Long (*Truth1)(Long);
typedef Long (*Truth2)(Long, Long);

// Arguments are drawn from low … high; by their logarithm too, if both are positive.
typedef struct Function {
    OpId op;
    Truth1 one;
    Truth2 two;
    double low, high, low2, high2; // the latter of a second operand
    double wide, narrow;           // allowed for float64 and float32 (docs/decisions.md)
} Function;

static const Function functions[] = {
    {AOP_EXP, expl, NULL, -708, 709, 0, 0, 1, 1},
    {AOP_EXP, expl, NULL, -2, 2, 0, 0, 1, 1},
    {AOP_EXP2, exp2l, NULL, -1021, 1023, 0, 0, 1, 1},
    {AOP_EXPM1, expm1l, NULL, -40, 700, 0, 0, 1, 2},
    {AOP_EXPM1, expm1l, NULL, -1, 1, 0, 0, 1, 2.5},
    {AOP_LOG, logl, NULL, 1e-300, 1e300, 0, 0, 1, 1},
    {AOP_LOG, logl, NULL, 0.5, 2, 0, 0, 1, 1},
    {AOP_LOG2, log2l, NULL, 1e-300, 1e300, 0, 0, 1, 2},
    {AOP_LOG2, log2l, NULL, 0.5, 2, 0, 0, 1, 2.125},
    {AOP_LOG10, log10l, NULL, 1e-300, 1e300, 0, 0, 1, 1},
    {AOP_LOG1P, log1pl, NULL, -0.99, 5, 0, 0, 1, 2},
    {AOP_SIN, sinl, NULL, -4, 4, 0, 0, 1, 1},
    {AOP_SIN, sinl, NULL, -1e5, 1e5, 0, 0, 1, 1},
    {AOP_COS, cosl, NULL, -4, 4, 0, 0, 1, 1},
    {AOP_COS, cosl, NULL, -1e5, 1e5, 0, 0, 1, 1},
    {AOP_TAN, tanl, NULL, -1.57, 1.57, 0, 0, 1, 3},
    {AOP_ARCSIN, asinl, NULL, -1, 1, 0, 0, 1, 3.125},
    {AOP_ARCCOS, acosl, NULL, -1, 1, 0, 0, 1, 3},
    {AOP_ARCTAN, atanl, NULL, -20, 20, 0, 0, 1, 3},
    {AOP_SINH, sinhl, NULL, -20, 20, 0, 0, 1, 2},
    {AOP_COSH, coshl, NULL, -20, 20, 0, 0, 1, 2.5},
    {AOP_TANH, tanhl, NULL, -20, 20, 0, 0, 1, 2},
    {AOP_TANH, tanhl, NULL, -1, 1, 0, 0, 1, 2},
    {AOP_ARCSINH, asinhl, NULL, -1000, 1000, 0, 0, 1, 2},
    {AOP_ARCCOSH, acoshl, NULL, 1, 1000, 0, 0, 1, 2},
    {AOP_ARCTANH, atanhl, NULL, -0.999, 0.999, 0, 0, 1, 2},
    {AOP_CBRT, cbrtl, NULL, 1e-300, 1e300, 0, 0, 1, 2},
    {AOP_POWER, NULL, powl, 0.001, 1000, -30, 30, 1, 2},
    {AOP_POWER, NULL, powl, 0.9, 1.1, -1000, 1000, 1, 2},
    {AOP_ARCTAN2, NULL, atan2l, -10, 10, -10, 10, 1, 3.5},
    {AOP_HYPOT, NULL, hypotl, -1e6, 1e6, -1e6, 1e6, 1, 1},
};

// Whatever comes out has to be what the plain loop says: the ends of ranges, and what has no value.
static const double edges[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, INFINITY, -INFINITY, NAN, DBL_MIN, -DBL_MIN,
                               0x1p-1074, -0x1p-1074, DBL_MAX, -DBL_MAX, 1e-310, 709.79, 745.2, -745.2, -708.4, 88.73,
                               -103.98, 1e22, 3.141592653589793, 1.5707963267948966, 4503599627370497.5, 1e-8};
enum { EDGES = sizeof edges / sizeof *edges };

static int failures;

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

// Every second one by its logarithm, where there is one.
static double drawn(uint64_t *state, double low, double high) {
    double u = (double)next_random(state) * 0x1p-53;
    if (low > 0 && next_random(state) & 1) return exp(log(low) + u * (log(high) - log(low)));
    return low + u * (high - low);
}

typedef struct Case {
    Cpu *cpu;
    const Function *f;
    bool wide;
} Case;

static void apply(const Case *c, const void *x, const void *y, void *z, size_t n) {
    LoopFn loop = c->cpu->loops->ops[c->f->op][c->wide ? DT_FLOAT64 : DT_FLOAT32];
    VectorFn fn = c->cpu->vectors[c->f->op][c->wide];
    VectorRun run = c->cpu->loops->vectors[c->wide][c->f->two ? 1 : 0];
    const OwnLoops *own = own_of(c->cpu, c->f->op, c->wide ? DT_FLOAT64 : DT_FLOAT32);
    if (own) own->loop(x, y, NULL, z, n);
    else if (fn) run(fn, loop, c->f->op == AOP_POWER, x, y, z, n);
    else loop(x, y, NULL, z, n);
}

static double units(Long got, Long want, bool wide) {
    int exponent, digits = wide ? 53 : 24, least = wide ? -1021 : -125;
    if (want == 0) return got == 0 ? 0 : 1e9;
    (void)frexpl(want, &exponent);
    if (exponent < least) exponent = least; // as far apart as the smallest normal numbers
    return (double)(fabsl(got - want) / ldexpl(1, exponent - digits));
}

// The largest distance in `n` arguments, of which results are normal numbers.
static double worst(const Case *c, size_t n, uint64_t seed, double *at) {
    enum { ROW = 250 };
    double x[ROW], y[ROW], z[ROW], most = 0;
    float xf[ROW], yf[ROW], zf[ROW];
    double least = c->wide ? DBL_MIN : FLT_MIN, largest = c->wide ? DBL_MAX : FLT_MAX;
    const Function *f = c->f;
    for (size_t done = 0; done < n; done += ROW) {
        for (int i = 0; i < ROW; i++) {
            x[i] = drawn(&seed, f->low, f->high);
            y[i] = f->two ? drawn(&seed, f->low2, f->high2) : 0;
            xf[i] = (float)x[i], yf[i] = (float)y[i];
        }
        if (c->wide) apply(c, x, y, z, ROW);
        else apply(c, xf, yf, zf, ROW);
        for (int i = 0; i < ROW; i++) {
            Long a = c->wide ? x[i] : xf[i], b = c->wide ? y[i] : yf[i];
            Long got = c->wide ? z[i] : zf[i], want = f->two ? f->two(a, b) : f->one(a);
            if (!(fabsl(want) >= least && fabsl(want) <= largest) || isinf(a)) continue;
            double off = units(got, want, c->wide);
            if (off > most) most = off, *at = (double)a;
        }
    }
    return most;
}

static bool same_class(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b)) return a == b;
    return fabs(a - b) <= 4 * DBL_EPSILON * fabs(b) || (fabs(a) < 1e-305 && fabs(b) < 1e-305);
}

// A NaN is as good as another.
static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void test_edges(const Case *c) {
    double x[EDGES * EDGES], y[EDGES * EDGES], got[EDGES * EDGES], want[EDGES * EDGES];
    size_t n = c->f->two ? EDGES * EDGES : EDGES;
    if (!c->wide) return;
    for (size_t i = 0; i < n; i++) x[i] = edges[i % EDGES], y[i] = edges[i / EDGES];
    enum { TELLING = FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID };
    LoopFn loop = c->cpu->loops->ops[c->f->op][DT_FLOAT64];
    apply(c, x, y, got, n);
    for (size_t i = 0; i < n; i++) {
        double alone;
        feclearexcept(FE_ALL_EXCEPT);
        loop(x + i, y + i, NULL, want + i, 1);
        int wanted = fetestexcept(TELLING);
        feclearexcept(FE_ALL_EXCEPT);
        apply(c, x + i, y + i, &alone, 1);
        int raised = fetestexcept(TELLING);
        if (same_class(got[i], want[i]) && same_bits(got[i], alone) && raised == wanted) continue;
        printf("%s(%a, %a): %a, alone %a with flags %#x, wanted %a and %#x\n", op_info[c->f->op].name,
               x[i], y[i], got[i], alone, raised, want[i], wanted);
        failures++;
    }
    feraiseexcept(FE_DIVBYZERO); // whatever was raised before is still there afterwards, and no more
    double plain[20], out[20];
    for (int i = 0; i < 20; i++) plain[i] = 1.5 + i * 0.001;
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    apply(c, plain, plain, out, 20);
    bool outside = c->f->op == AOP_ARCSIN || c->f->op == AOP_ARCCOS || c->f->op == AOP_ARCTANH;
    if (fetestexcept(TELLING) != (FE_DIVBYZERO | (outside ? FE_INVALID : 0))) {
        printf("%s: flags of before\n", op_info[c->f->op].name);
        failures++;
    }
    feclearexcept(FE_ALL_EXCEPT);
}

static void test_set(const Loops *loops, const char *name, size_t n) {
    static Cpu cpu;
    Pool pool; // its lock guards the search for vector functions
    pool_init(&pool, 1);
    memset(&cpu, 0, sizeof cpu);
    cpu.loops = loops;
    cpu.pool = &pool;
    Kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.code_count = 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const Function *f = &functions[i];
        kernel.code[0].op = (uint8_t)f->op;
        for (int wide = 0; wide < 2; wide++) {
            kernel.code[0].from = wide ? DT_FLOAT64 : DT_FLOAT32;
            vectors_prepare(&cpu, &kernel);
            Case c = {&cpu, f, wide};
            double at = 0, most = worst(&c, n, 77 + i, &at), allowed = wide ? f->wide : f->narrow;
            printf("%-8s %-9s float%d [%g, %g] %s: %.3f\n", name, op_info[f->op].name, wide ? 64 : 32, f->low,
                   f->high, own_of(&cpu, f->op, wide ? DT_FLOAT64 : DT_FLOAT32) ? "own"
                   : cpu.vectors[f->op][wide]                                  ? "vectors"
                                                                               : "loop", most);
            if (most > allowed) {
                printf("    at %a: more than %g\n", at, allowed);
                failures++;
            }
            test_edges(&c);
        }
    }
    vectors_close(&cpu);
    pool_close(&pool);
}

int main(int argc, char **argv) {
    size_t n = argc > 1 && strcmp(argv[1], "--long") == 0 ? 1000000 : 100000;
    test_set(&loops_baseline, "baseline", n);
#if defined(__x86_64__)
    if (has_avx2()) test_set(&loops_avx2, "avx2", n);
    if (has_avx512()) test_set(&loops_avx512, "avx512", n);
#endif
    printf("%d failures\n", failures);
    return failures != 0;
}
