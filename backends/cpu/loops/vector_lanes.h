// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations on vectors of doubles, as wide as a register, that GNU C's vector arithmetic cannot express.
// Compiled only with fused multiply-add, which the functions built on them rely on.

#if defined(VECTOR_BYTES) && defined(__FMA__) && !defined(NACRE_BACKENDS_CPU_LOOPS_VECTOR_LANES_H)
#define NACRE_BACKENDS_CPU_LOOPS_VECTOR_LANES_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LANES = VECTOR_BYTES / 8 };
typedef double Lanes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t Bits __attribute__((vector_size(VECTOR_BYTES)));

static inline Lanes all(double x) {
    return (Lanes){0} + x;
}

static inline Lanes lanes_load(const double *from) {
    Lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

// `streamed`: non-temporal store to an aligned address.
static inline void lanes_store(double *to, Lanes v, bool streamed) {
    if (!streamed) memcpy(to, &v, sizeof v);
#if VECTOR_BYTES == 64
    else _mm512_stream_pd(to, (__m512d)v);
#else
    else _mm256_stream_pd(to, (__m256d)v);
#endif
}

// fused: a * b + c, rounded once. at_most, at_least: minimum and maximum with a bound; NaN stays NaN. all_within:
// whether all lanes are within bounds; NaN is not. entries: elements of a table of 16, by each lane's low 4 bits.
#if VECTOR_BYTES == 64
static inline Lanes fused(Lanes a, Lanes b, Lanes c) {
    return (Lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline Lanes at_most(Lanes x, Lanes bound) {
    return (Lanes)_mm512_min_pd((__m512d)bound, (__m512d)x);
}

static inline Lanes at_least(Lanes x, Lanes bound) {
    return (Lanes)_mm512_max_pd((__m512d)bound, (__m512d)x);
}

static inline bool all_within(Lanes x, double low, double high) {
    __mmask8 above = _mm512_cmp_pd_mask((__m512d)x, _mm512_set1_pd(low), _CMP_GE_OQ);
    return _mm512_mask_cmp_pd_mask(above, (__m512d)x, _mm512_set1_pd(high), _CMP_LE_OQ) == 0xff;
}

static inline Lanes entries(const double *table, Bits which) {
    return (Lanes)_mm512_permutex2var_pd(_mm512_loadu_pd(table), (__m512i)which,
                                         _mm512_loadu_pd(table + 8));
}
#else
static inline Lanes fused(Lanes a, Lanes b, Lanes c) {
    return (Lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

static inline Lanes at_most(Lanes x, Lanes bound) {
    return (Lanes)_mm256_min_pd((__m256d)bound, (__m256d)x);
}

static inline Lanes at_least(Lanes x, Lanes bound) {
    return (Lanes)_mm256_max_pd((__m256d)bound, (__m256d)x);
}

static inline bool all_within(Lanes x, double low, double high) {
    __m256d above = _mm256_cmp_pd((__m256d)x, _mm256_set1_pd(low), _CMP_GE_OQ);
    __m256d below = _mm256_cmp_pd((__m256d)x, _mm256_set1_pd(high), _CMP_LE_OQ);
    return _mm256_movemask_pd(_mm256_and_pd(above, below)) == 0xf;
}

static inline Lanes entries(const double *table, Bits which) {
    return (Lanes)_mm256_i64gather_pd(table, (__m256i)(which & 15), 8);
}
#endif

#define SIGN_BITS 0x8000000000000000u

static inline Lanes without_sign(Lanes x) {
    return (Lanes)((Bits)x & ~SIGN_BITS);
}

// Copies the sign of x to y, which is non-negative or has the same sign.
static inline Lanes signed_as(Lanes y, Lanes x) {
    return (Lanes)((Bits)y | ((Bits)x & SIGN_BITS));
}

// Selects by `mask`, the result of a comparison: all or no bits of a lane.
static inline Lanes chosen(Bits mask, Lanes yes, Lanes no) {
    return (Lanes)(((Bits)yes & mask) | ((Bits)no & ~mask));
}

static inline bool any_of(Bits mask) {
    uint64_t found = 0;
    for (int i = 0; i < LANES; i++) found |= mask[i];
    return found != 0;
}

// c[0] + c[1] x + … + c[n] x^n, evaluated in pairs for shorter dependence chains.
static inline Lanes poly3(const double *c, Lanes x, Lanes xx) {
    return fused(fused(all(c[3]), x, all(c[2])), xx, fused(all(c[1]), x, all(c[0])));
}

static inline Lanes poly4(const double *c, Lanes x, Lanes xx) {
    return fused(fused(fused(all(c[4]), x, all(c[3])), x, all(c[2])), xx, fused(all(c[1]), x, all(c[0])));
}

static inline Lanes poly5(const double *c, Lanes x, Lanes xx) {
    Lanes high = fused(fused(all(c[5]), x, all(c[4])), xx, fused(all(c[3]), x, all(c[2])));
    return fused(high, xx, fused(all(c[1]), x, all(c[0])));
}

static inline Lanes poly8(const double *c, Lanes x, Lanes xx) {
    return fused(poly4(c + 4, x, xx), xx * xx, poly3(c, x, xx));
}

#endif
