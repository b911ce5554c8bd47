// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Applies own vector functions, inlined, to rows: two vectors at a time, to hide latency. If either
// contains an uncommon number, both take the general path.

#if defined(VECTOR_BYTES) && defined(__FMA__)
#include "backends/cpu/loops/vector_exp.h"
#include "backends/cpu/loops/vector_log.h"
#include "backends/cpu/loops/vector_pow.h"

// Loads the end of a row, padded with its last element.
static inline Lanes lanes_rest(const double *from, size_t n) {
    Lanes v = all(from[n - 1]);
    memcpy(&v, from, n * sizeof *from);
    return v;
}

static inline bool is_aligned(const void *at) {
    return (uintptr_t)at % VECTOR_BYTES == 0;
}

static inline void own_end(unsigned before, int errors) {
    flags_back(before); // flags raised by the functions themselves are meaningless
    if (errors) feraiseexcept(errors);
}

#define OWN_1(NAME)                                                                              \
    static inline Lanes NAME##_of(Lanes x, int *errors) {                                        \
        return __builtin_expect(NAME##_common(x), 1) ? NAME##_fast(x) : NAME##_any(x, errors);   \
    }                                                                                            \
    static inline __attribute__((always_inline)) void NAME##_rows(                               \
        const double *from, double *to, size_t n, bool streamed, int *errors) {                  \
        for (; n >= 2 * LANES; n -= 2 * LANES, from += 2 * LANES, to += 2 * LANES) {             \
            Lanes x = lanes_load(from), y = lanes_load(from + LANES);                            \
            if (__builtin_expect(NAME##_common(x) && NAME##_common(y), 1)) {                     \
                x = NAME##_fast(x), y = NAME##_fast(y);                                          \
            } else {                                                                             \
                x = NAME##_any(x, errors), y = NAME##_any(y, errors);                            \
            }                                                                                    \
            lanes_store(to, x, streamed);                                                        \
            lanes_store(to + LANES, y, streamed);                                                \
        }                                                                                        \
        for (; n > 0; n -= n < LANES ? n : LANES, from += LANES, to += LANES) {                  \
            size_t count = n < LANES ? n : LANES;                                                \
            Lanes y = NAME##_of(lanes_rest(from, count), errors);                                \
            memcpy(to, &y, count * sizeof *to);                                                  \
        }                                                                                        \
    }                                                                                            \
    static void own_##NAME(const void *a, const void *b, const void *c, void *out, size_t n) {   \
        unsigned before = flags_keep();                                                          \
        int errors = 0;                                                                          \
        (void)b, (void)c;                                                                        \
        NAME##_rows(a, out, n, false, &errors);                                                  \
        own_end(before, errors);                                                                 \
    }                                                                                            \
    static void streamed_##NAME(const void *a, const void *b, const void *c, void *out, size_t n) { \
        unsigned before = flags_keep();                                                          \
        int errors = 0;                                                                          \
        (void)b, (void)c;                                                                        \
        NAME##_rows(a, out, n, is_aligned(out), &errors);                                        \
        own_end(before, errors);                                                                 \
    }
OWN_1(exp)
OWN_1(exp2)
OWN_1(expm1)
OWN_1(tanh)
OWN_1(log)
OWN_1(log2)
OWN_1(log10)
OWN_1(log1p)

static inline Lanes pow_of(Lanes x, Lanes y, int *errors) {
    Lanes low, high = pow_exponent(x, y, 0, &low);
    if (__builtin_expect(pow_common(x, high), 1)) return pow_ended(high, low);
    return pow_any(POWER_FLOAT64, x, y, errors);
}

static inline void pow_rows(const double *from, const double *more, double *to, size_t n, bool streamed) {
    unsigned before = flags_keep();
    int errors = 0;
    for (; n >= LANES; n -= LANES, from += LANES, more += LANES, to += LANES)
        lanes_store(to, pow_of(lanes_load(from), lanes_load(more), &errors), streamed);
    if (n > 0) {
        Lanes z = pow_of(lanes_rest(from, n), lanes_rest(more, n), &errors);
        memcpy(to, &z, n * sizeof *to);
    }
    own_end(before, errors);
}

static void own_pow(const void *a, const void *b, const void *c, void *out, size_t n) {
    (void)c;
    pow_rows(a, b, out, n, false);
}

static void streamed_pow(const void *a, const void *b, const void *c, void *out, size_t n) {
    (void)c;
    pow_rows(a, b, out, n, is_aligned(out));
}

static const OwnLoops own_float64[AOP_COUNT] = {
    [AOP_EXP] = {own_exp, streamed_exp},       [AOP_EXP2] = {own_exp2, streamed_exp2},
    [AOP_EXPM1] = {own_expm1, streamed_expm1}, [AOP_LOG] = {own_log, streamed_log},
    [AOP_LOG2] = {own_log2, streamed_log2},    [AOP_LOG10] = {own_log10, streamed_log10},
    [AOP_LOG1P] = {own_log1p, streamed_log1p}, [AOP_TANH] = {own_tanh, streamed_tanh},
    [AOP_POWER] = {own_pow, streamed_pow},     [AOP_FLOAT_POWER] = {own_pow, streamed_pow},
};
#endif
