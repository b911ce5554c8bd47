// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The own vector functions of doubles: no further from the true value than four fifths of a unit in the
// last place, in every power of two there is; the same bits with every instruction set that has them,
// wherever an element lies in its row and whatever is beside it; float flags as those of the plain loop;
// and results that have to be exact. The C library's functions of long doubles say what is true.
// `--long`: twenty times as many arguments.

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/cpu/cpu.h"

#define CHECK(condition, ...)                                                                   \
    ((condition) ? (void)0                                                                      \
                 : (void)(printf("line %d: %s: ", __LINE__, #condition), printf(__VA_ARGS__),   \
                          printf("\n"), failures++))
static int failures;

typedef long double Long;
enum { ROW = 97, TELLING = FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID };

// The sets that have own functions; the second is compared with the first.
static const Loops *sets[2];
static int set_count;

typedef struct Function {
    OpId op;
    Long (*truth)(Long);
} Function;

static const Function functions[] = {
    {AOP_EXP, expl},     {AOP_EXP2, exp2l}, {AOP_EXPM1, expm1l}, {AOP_LOG, logl}, {AOP_LOG2, log2l},
    {AOP_LOG10, log10l}, {AOP_LOG1P, log1pl}, {AOP_TANH, tanhl},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const double bound = 0.8;

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool same_bits(double a, double b) { // a NaN is as good as another
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static double units(double got, Long want) {
    int exponent;
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isinf((double)want) || isinf(got)) return got == (double)want ? 0 : INFINITY;
    (void)frexpl(want, &exponent);
    if (want == 0 || exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
    return (double)(fabsl((Long)got - want) / ldexpl(1, exponent - DBL_MANT_DIG));
}

// A row through every set, which have to agree.
static void apply(OpId op, const double *x, const double *y, double *z, size_t n) {
    double again[ROW];
    for (int s = 0; s < set_count; s++) {
        double *to = s == 0 ? z : again;
        sets[s]->own_f64[op].loop(x, y, NULL, to, n);
        for (size_t i = 0; i < n && s > 0; i++)
            CHECK(same_bits(z[i], again[i]), "%s(%a, %a): %a and %a", op_info[op].name, x[i], y[i], z[i],
                  again[i]);
    }
}

// --- How exact -----------------------------------------------------------------------------------

typedef struct Worst {
    double units, x, y;
} Worst;

static void measure(OpId op, const double *x, const double *y, const Long *want, Worst *worst) {
    double z[ROW];
    apply(op, x, y, z, ROW);
    for (int i = 0; i < ROW; i++) {
        double off = units(z[i], want[i]);
        if (!(off <= worst->units)) *worst = (Worst){off, x[i], y[i]};
    }
}

static void tell(OpId op, const char *where, const Worst *worst) {
    printf("%-6s %-26s %.3f at (%a, %a)\n", op_info[op].name, where, worst->units, worst->x, worst->y);
    CHECK(worst->units <= bound, "%s", op_info[op].name);
}

// Arguments of every exponent, of both signs.
static void test_powers_of_two(const Function *f, int rounds) {
    Worst worst = {0};
    uint64_t seed = 5 + (uint64_t)f->op;
    double x[ROW];
    Long want[ROW];
    for (uint64_t exponent = 0; exponent < 2047; exponent++)
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < ROW; i++) {
                uint64_t r = next_random(&seed) << 1;
                x[i] = from_bits((r & 1) << 63 | exponent << 52 | (next_random(&seed) & (UINT64_MAX >> 12)));
                if (i % 2) x[i] = -x[i];
                want[i] = f->truth(x[i]);
            }
            measure(f->op, x, x, want, &worst);
        }
    tell(f->op, "every power of two", &worst);
}

// Arguments where there is most to lose: low … high.
static void test_range(const Function *f, double low, double high, int rounds) {
    Worst worst = {0};
    uint64_t seed = 9 + (uint64_t)f->op;
    double x[ROW];
    Long want[ROW];
    char where[40];
    for (int round = 0; round < 500 * rounds; round++) {
        for (int i = 0; i < ROW; i++) {
            x[i] = low + (double)next_random(&seed) * 0x1p-53 * (high - low);
            want[i] = f->truth(x[i]);
        }
        measure(f->op, x, x, want, &worst);
    }
    snprintf(where, sizeof where, "%g ... %g", low, high);
    tell(f->op, where, &worst);
}

static void test_powers(double low, double high, double low_y, double high_y, int rounds) {
    Worst worst = {0};
    uint64_t seed = 3;
    double x[ROW], y[ROW];
    Long want[ROW];
    char where[40];
    for (int round = 0; round < 500 * rounds; round++) {
        for (int i = 0; i < ROW; i++) {
            double u = (double)next_random(&seed) * 0x1p-53, v = (double)next_random(&seed) * 0x1p-53;
            x[i] = i % 2 && low > 0 ? exp(log(low) + u * (log(high) - log(low))) : low + u * (high - low);
            y[i] = low_y + v * (high_y - low_y);
            if (x[i] < 0) y[i] = rint(y[i]);
            want[i] = powl(x[i], y[i]);
        }
        measure(AOP_POWER, x, y, want, &worst);
    }
    snprintf(where, sizeof where, "%g ... %g", low, high);
    tell(AOP_POWER, where, &worst);
}

static void test_exactness(int rounds) {
    static const double ranges[][2] = {{-745.2, 709.79}, {-2, 2}, {-0.1, 0.1}, {0.9, 1.1}, {0.99, 1.01},
                                       {0.5, 2}, {0, 25}, {-25, -15}, {-1, -0.99}, {1e-17, 1e-15}};
    for (int i = 0; i < FUNCTIONS; i++) {
        test_powers_of_two(&functions[i], rounds);
        for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
            test_range(&functions[i], ranges[k][0], ranges[k][1], rounds);
    }
    test_powers(0.001, 1000, -30, 30, rounds);
    test_powers(1e-320, 1e308, -3, 3, rounds);
    test_powers(0.9, 1.1, -7000, 7000, rounds);
    test_powers(0.97, 1.04, -20000, 20000, rounds);
    test_powers(0.999999, 1.000001, -7e8, 7e8, rounds);
    test_powers(-20, -0.5, -250, 250, rounds);
    test_powers(1e-10, 1e10, 0.5, 0.5, rounds);
}

// --- What has to be exact ------------------------------------------------------------------------

static double value(OpId op, double x, double y) {
    double z;
    apply(op, &x, &y, &z, 1);
    return z;
}

static void test_exact_values(void) {
    CHECK(value(AOP_EXP, 0.0, 0) == 1 && value(AOP_EXP, -0.0, 0) == 1, "exp(0)");
    CHECK(value(AOP_LOG, 1, 0) == 0 && !signbit(value(AOP_LOG, 1, 0)), "log(1)");
    for (OpId op = 0; op < AOP_COUNT; op++) {
        if (op != AOP_EXPM1 && op != AOP_LOG1P && op != AOP_TANH) continue;
        for (int i = 0; i < 4; i++) {
            double x = (double[]){0.0, -0.0, 0x1p-1074, -0x1p-1074}[i];
            CHECK(same_bits(value(op, x, 0), x), "%s(%a)", op_info[op].name, x);
        }
    }
    CHECK(value(AOP_TANH, 19.1, 0) == 1 && value(AOP_TANH, -INFINITY, 0) == -1, "tanh");
    for (int k = -1074; k < 1024; k++) {
        CHECK(value(AOP_EXP2, k, 0) == ldexp(1, k), "%d", k);
        CHECK(value(AOP_LOG2, ldexp(1, k), 0) == k, "%d", k);
        CHECK(value(AOP_POWER, 2, k) == ldexp(1, k), "%d", k);
        CHECK(value(AOP_POWER, -2, k) == ldexp(k & 1 ? -1 : 1, k), "%d", k);
    }
    for (int k = 0; k < 23; k++) {
        CHECK(value(AOP_LOG10, pow(10, k), 0) == k, "%d", k);
        CHECK(value(AOP_POWER, 10, k) == pow(10, k), "%d", k);
    }
    for (int base = -200; base <= 200; base++) { // powers of whole numbers, as long as they fit
        double product = 1;
        for (int k = 0; fabs(product) <= 0x1p53; k++, product *= base) {
            CHECK(value(AOP_POWER, base, k) == product, "%d to the power of %d", base, k);
            if (k > 60) break;
        }
    }
    for (int i = 1; i < 1000; i++) CHECK(value(AOP_POWER, (double)i * i, 0.5) == i, "root of %d squared", i);
}

// --- Flags, and where an element lies ------------------------------------------------------------

static const double edges[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, INFINITY, -INFINITY, NAN,
                               DBL_MIN, -DBL_MIN, 0x1p-1074, -0x1p-1074, DBL_MAX, -DBL_MAX, 1e-310, 1e-17,
                               0x1.fffffffffffffp-1, 0x1.0000000000001p0, -0x1.fffffffffffffp-1,
                               -0x1.0000000000001p0, 709, 709.7827128933840, 709.7827128933841, 708, -708,
                               -708.0000000000001, -745.13, -745.14, 1023.9999999999999, 1024, -1075, -1074.9,
                               700, 700.0000000000001, 19, 20, 1e308, 0x1p1000, 0x1p51, 0x1p52 + 1, 0x1p53,
                               -0x1p53 - 2, 1e22, 1e300, -1e300, 1e-300};
enum { EDGES = sizeof edges / sizeof *edges };

static void check_edge(OpId op, double x, double y) {
    double want, z;
    LoopFn loop = loops_baseline.ops[op][DT_FLOAT64];
    feclearexcept(FE_ALL_EXCEPT);
    loop(&x, &y, NULL, &want, 1);
    int wanted = fetestexcept(TELLING);
    for (int s = 0; s < set_count; s++) {
        feclearexcept(FE_ALL_EXCEPT);
        sets[s]->own_f64[op].loop(&x, &y, NULL, &z, 1);
        int raised = fetestexcept(TELLING);
        CHECK(raised == wanted, "%s(%a, %a): %#x, wanted %#x", op_info[op].name, x, y, raised, wanted);
        CHECK(units(z, want) <= 2 && (isnan(want) || signbit(z) == signbit(want)), "%s(%a, %a): %a, wanted %a",
              op_info[op].name, x, y, z, want);
    }
}

static void test_edges(void) {
    for (int i = 0; i < EDGES; i++) {
        for (int f = 0; f < FUNCTIONS; f++) check_edge(functions[f].op, edges[i], edges[i]);
        for (int k = 0; k < EDGES; k++) check_edge(AOP_POWER, edges[i], edges[k]);
    }
    feclearexcept(FE_ALL_EXCEPT);
}

// Among numbers that go the fast way and among edges, alone and in rows of any length, streamed or not; and
// what was raised before is still raised.
static void test_places(OpId op) {
    static double x[ROW], y[ROW], z[ROW];
    static double streamed[ROW + 1] __attribute__((aligned(64)));
    uint64_t seed = 11;
    for (int round = 0; round < 400; round++) {
        size_t n = 1 + next_random(&seed) % ROW;
        for (size_t i = 0; i < n; i++) {
            bool edge = round % 2 && next_random(&seed) % 4 == 0;
            x[i] = edge ? edges[next_random(&seed) % EDGES] : (double)next_random(&seed) * 0x1p-50 + 0.1;
            y[i] = edge ? edges[next_random(&seed) % EDGES] : (double)next_random(&seed) * 0x1p-50 - 3;
        }
        apply(op, x, y, z, n);
        for (size_t i = 0; i < n; i++)
            CHECK(same_bits(value(op, x[i], y[i]), z[i]), "%s(%a, %a)", op_info[op].name, x[i], y[i]);
        for (int s = 0; s < set_count; s++)
            for (int off = 0; off < 2; off++) {
                streamed[0] = streamed[n] = 77;
                sets[s]->own_f64[op].streamed(x, y, NULL, streamed + off, n);
                for (size_t i = 0; i < n; i++)
                    CHECK(same_bits(streamed[off + i], z[i]), "%s(%a, %a), streamed", op_info[op].name, x[i], y[i]);
                CHECK(streamed[off ? 0 : n] == 77, "%s: written beside %zu", op_info[op].name, n);
            }
    }
    for (int s = 0; s < set_count; s++) {
        for (int i = 0; i < ROW; i++) x[i] = 1.5 + i * 0.001;
        feclearexcept(FE_ALL_EXCEPT);
        feraiseexcept(FE_DIVBYZERO);
        sets[s]->own_f64[op].loop(x, x, NULL, z, ROW);
        CHECK(fetestexcept(TELLING) == FE_DIVBYZERO, "%s", op_info[op].name);
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 && strcmp(argv[1], "--long") == 0 ? 20 : 1;
#if defined(__x86_64__)
    if (has_avx2()) sets[set_count++] = &loops_avx2;
    if (has_avx512()) sets[set_count++] = &loops_avx512;
#endif
    if (set_count == 0) {
        printf("this processor has none\n");
        return 0;
    }
    test_exactness(rounds);
    test_exact_values();
    test_edges();
    for (int i = 0; i < FUNCTIONS; i++) test_places(functions[i].op);
    test_places(AOP_POWER);
    printf("%d failures\n", failures);
    return failures != 0;
}
