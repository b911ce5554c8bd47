// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The loops of every instruction set that this processor has give the same bits and float flags as
// those of the baseline, for every op, type and cast. Complex products, which are fused where that is
// possible, are close.

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/cpu/cpu.h"
#include "vm/graph/half.h"

#define CHECK(condition, ...)                                                                   \
    ((condition) ? (void)0                                                                      \
                 : (void)(printf("line %d: %s: ", __LINE__, #condition), printf(__VA_ARGS__),   \
                          printf("\n"), failures++))
static int failures, compared;

enum { N = 133, BYTES = N * DTYPE_SIZE_MAX, FLAGS = FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID };

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

static double special(uint64_t i) {
    static const double values[] = {0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, 1e300, -1e300, 1e-310,
                                    INFINITY, -INFINITY, NAN, 255, 65504, 1e9};
    return values[i % (sizeof values / sizeof *values)];
}

// Numbers of a type: small ones, special ones, and any bits.
static void fill(DType type, char *to, uint64_t seed) {
    uint64_t state = seed * 77 + 5;
    for (int i = 0; i < N; i++) {
        uint64_t r = next_random(&state);
        double small = (double)(int64_t)(r % 2001) / 100 - 10;
        Scalar s = {.i = (int64_t)(r % 3 == 0 ? r << 20 : r % 17) - 5};
        if (dtype_is_inexact(type)) s.f = r % 4 == 0 ? special(r >> 8) : small;
        if (dtype_kind(type) == DK_COMPLEX) s.im = r % 5 == 0 ? special(r >> 16) : small - 3;
        if (dtype_kind(type) == DK_BOOL) s.i = r % 2;
        dtype_store(type, to + (size_t)i * dtype_size(type), s);
    }
}

// A NaN is as good as another.
static bool same_element(DType type, const char *a, const char *b) {
    if (memcmp(a, b, dtype_size(type)) == 0) return true;
    if (dtype_kind(type) == DK_COMPLEX) {
        DType part = dtype_real(type);
        return same_element(part, a, b) && same_element(part, a + dtype_size(part), b + dtype_size(part));
    }
    return dtype_kind(type) == DK_FLOAT && isnan(dtype_load(type, a).f) &&
           isnan(dtype_load(type, b).f);
}

// Products of complex numbers x and y (x twice for a square).
static void compare_products(const char *what, DType type, const char *x, const char *y,
                             const char *got, const char *want) {
    double epsilon = type == DT_COMPLEX64 ? 0x1p-23 : 0x1p-52;
    compared++;
    for (size_t i = 0; i < N * dtype_size(type); i += dtype_size(type)) {
        Scalar a = dtype_load(type, x + i), b = dtype_load(type, y + i);
        Scalar g = dtype_load(type, got + i), w = dtype_load(type, want + i);
        double bound = 2 * epsilon * hypot(a.re, a.im) * hypot(b.re, b.im);
        if (same_element(type, got + i, want + i) || !isfinite(bound)) continue;
        CHECK(hypot(g.re - w.re, g.im - w.im) <= bound, "%s of %s: element %zu", what,
              dtype_info[type].name, i);
    }
}

static void compare(const char *what, DType from, DType type, const char *a, const char *b) {
    compared++;
    for (size_t i = 0; i < N; i++)
        if (!same_element(type, a + i * dtype_size(type), b + i * dtype_size(type))) {
            CHECK(false, "%s of %s: element %zu", what, dtype_info[from].name, i);
            return;
        }
}

static DType result_of(OpId op, DType type) {
    switch ((DTypeRule)op_info[op].dtype_rule) {
    case RULE_COMPARE:
    case RULE_LOGICAL: return DT_BOOL;
    case RULE_SIZE: return dtype_real(type);
    case RULE_COUNT: return DT_UINT8;
    case RULE_EXPONENT: return DT_INT32;
    default: return type;
    }
}

static void test_ops(const Loops *loops) {
    static char x[BYTES], y[BYTES], z[BYTES], first[BYTES], got[BYTES], want[BYTES];
    for (int op = 0; op < AOP_COUNT; op++)
        for (int t = 0; t < DT_COUNT; t++) {
            if (op_info[op].op_class != CLASS_ELEMENTWISE || op == AOP_CAST) continue;
            if (!op_has_loop((OpId)op, (DType)t)) continue;
            fill((DType)t, x, 1 + (uint64_t)op);
            fill((DType)t, y, 1000 + (uint64_t)op);
            fill((DType)t, z, 2000 + (uint64_t)op);
            fill(DT_BOOL, first, 3);
            const char *a = op == AOP_WHERE ? first : x;
            feclearexcept(FE_ALL_EXCEPT);
            loops_baseline.ops[op][t](a, y, z, want, N);
            int wanted = fetestexcept(FLAGS);
            feclearexcept(FE_ALL_EXCEPT);
            loops->ops[op][t](a, y, z, got, N);
            int raised = fetestexcept(FLAGS);
            bool products = dtype_kind((DType)t) == DK_COMPLEX &&
                            (op == AOP_MULTIPLY || op == AOP_SQUARE);
            if (products)
                compare_products(op_info[op].name, (DType)t, x, op == AOP_SQUARE ? x : y, got, want);
            else compare(op_info[op].name, (DType)t, result_of((OpId)op, (DType)t), got, want);
            // Fused, a product may overflow and meet the other infinity, or not. Pure ops' flags are
            // not looked at.
            if (op_info[op].effects == EFFECT_PURE || products) continue;
            CHECK(raised == wanted, "%s of %s: flags %#x, wanted %#x", op_info[op].name,
                  dtype_info[t].name, raised, wanted);
        }
}

static void test_casts(const Loops *loops) {
    static char x[BYTES], got[BYTES], want[BYTES];
    for (int from = 0; from < DT_COUNT; from++)
        for (int to = 0; to < DT_COUNT; to++) {
            fill((DType)from, x, (uint64_t)from);
            // What does not fit has no value in C.
            if (dtype_is_inexact((DType)from) && dtype_is_integer((DType)to))
                for (int i = 0; i < N; i++)
                    dtype_store((DType)from, x + (size_t)i * dtype_size((DType)from),
                                (Scalar){.f = i % 100});
            loops_baseline.casts[to][from](x, NULL, NULL, want, N);
            loops->casts[to][from](x, NULL, NULL, got, N);
            compare(dtype_info[to].name, (DType)from, (DType)to, got, want);
        }
}

static void test_sums(const Loops *loops) {
    static double wide[1000];
    static float narrow[1000];
    static uint16_t half[1000];
    uint64_t state = 9;
    for (int i = 0; i < 1000; i++) {
        wide[i] = (double)next_random(&state) / 1e12 - 4000;
        narrow[i] = (float)wide[i];
        half[i] = half_from_float(narrow[i]);
    }
    for (size_t n = 0; n < 400; n += n < 20 ? 1 : 37)
        for (int stride = 1; stride < 3; stride++) {
            const char *w = (const char *)wide, *f = (const char *)narrow, *h = (const char *)half;
            CHECK(loops->sum_f64(w, n, 8 * stride) == loops_baseline.sum_f64(w, n, 8 * stride), "%zu", n);
            CHECK(loops->sum_f32(f, n, 4 * stride) == loops_baseline.sum_f32(f, n, 4 * stride), "%zu", n);
            const char *c = (const char *)wide, *s = (const char *)narrow; // pairs of them
            size_t pairs = n / 2;
            CHECK(loops->sum_c128(c, pairs, 16 * stride) == loops_baseline.sum_c128(c, pairs, 16 * stride),
                  "%zu", n);
            CHECK(loops->sum_c64(s, pairs, 8 * stride) == loops_baseline.sum_c64(s, pairs, 8 * stride),
                  "%zu", n);
            CHECK(loops->sum_f16(h, n, 2 * stride) == loops_baseline.sum_f16(h, n, 2 * stride), "%zu", n);
        }
}

// Every half, both ways.
static void test_halves(void) {
    for (uint32_t bits = 0; bits < 65536; bits++) {
        float f = half_to_float((uint16_t)bits);
        if (isnan(f)) {
            CHECK(isnan(half_to_float(half_from_float(f))), "%x", bits);
            continue;
        }
        CHECK(half_from_float(f) == bits && half_from_double(f) == bits, "%x", bits);
        double step = fabs((double)half_to_float((uint16_t)(bits ^ 1)) - (double)f);
        if (isinf(f) || (bits & 0x7fff) >= 0x7bff || !isfinite(step)) continue;
        double beyond = f < 0 || bits >> 15 ? f - step * 0.49 : f + step * 0.49;
        if ((bits & 0x03ff) != 0x03ff && (bits & 0x03ff) != 0)
            CHECK(half_from_double(beyond) == bits, "%x by half a step", bits);
    }
}

int main(void) {
    const Loops *sets[2] = {NULL, NULL};
#if defined(__x86_64__)
    if (has_avx2()) sets[0] = &loops_avx2;
    if (has_avx512()) sets[1] = &loops_avx512;
#endif
    for (int i = 0; i < 2; i++) {
        if (!sets[i]) continue;
        test_ops(sets[i]);
        test_casts(sets[i]);
        test_sums(sets[i]);
    }
    test_halves();
    printf("%d comparisons, %d failures\n", compared, failures);
    return failures != 0;
}
