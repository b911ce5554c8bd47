// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions rows of 64-bit elements, four at a time: tables of permutations move elements below `low` to the front
// and those above `high` to the end, in the order in which the plain loop of sort.c would write them.

#ifdef __AVX2__

// Permutations of half-lanes, indexed by a set of four lanes: they move the lanes of the set to the front, in order;
// and to the end, in reverse order.
#define LANE(i) 2 * (i), 2 * (i) + 1
#define NOBODY 0, 0
static const int32_t lanes_first[16][8] = {
    {NOBODY, NOBODY, NOBODY, NOBODY}, {LANE(0), NOBODY, NOBODY, NOBODY},
    {LANE(1), NOBODY, NOBODY, NOBODY}, {LANE(0), LANE(1), NOBODY, NOBODY},
    {LANE(2), NOBODY, NOBODY, NOBODY}, {LANE(0), LANE(2), NOBODY, NOBODY},
    {LANE(1), LANE(2), NOBODY, NOBODY}, {LANE(0), LANE(1), LANE(2), NOBODY},
    {LANE(3), NOBODY, NOBODY, NOBODY}, {LANE(0), LANE(3), NOBODY, NOBODY},
    {LANE(1), LANE(3), NOBODY, NOBODY}, {LANE(0), LANE(1), LANE(3), NOBODY},
    {LANE(2), LANE(3), NOBODY, NOBODY}, {LANE(0), LANE(2), LANE(3), NOBODY},
    {LANE(1), LANE(2), LANE(3), NOBODY}, {LANE(0), LANE(1), LANE(2), LANE(3)},
};
static const int32_t lanes_last[16][8] = {
    {NOBODY, NOBODY, NOBODY, NOBODY}, {NOBODY, NOBODY, NOBODY, LANE(0)},
    {NOBODY, NOBODY, NOBODY, LANE(1)}, {NOBODY, NOBODY, LANE(1), LANE(0)},
    {NOBODY, NOBODY, NOBODY, LANE(2)}, {NOBODY, NOBODY, LANE(2), LANE(0)},
    {NOBODY, NOBODY, LANE(2), LANE(1)}, {NOBODY, LANE(2), LANE(1), LANE(0)},
    {NOBODY, NOBODY, NOBODY, LANE(3)}, {NOBODY, NOBODY, LANE(3), LANE(0)},
    {NOBODY, NOBODY, LANE(3), LANE(1)}, {NOBODY, LANE(3), LANE(1), LANE(0)},
    {NOBODY, NOBODY, LANE(3), LANE(2)}, {NOBODY, LANE(3), LANE(2), LANE(0)},
    {NOBODY, LANE(3), LANE(2), LANE(1)}, {LANE(3), LANE(2), LANE(1), LANE(0)},
};

static inline __m256i exact_keys(const Apart *a, __m256i bits) {
    if (!a->floating) return _mm256_xor_si256(bits, _mm256_set1_epi64x((int64_t)a->flip));
    const __m256i sign = _mm256_set1_epi64x((int64_t)a->sign), last = _mm256_set1_epi64x((int64_t)a->last);
    __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), bits);
    __m256i nan = _mm256_cmpgt_epi64(_mm256_andnot_si256(sign, bits), _mm256_set1_epi64x((int64_t)a->infinity));
    __m256i key = _mm256_xor_si256(bits, _mm256_or_si256(sign, _mm256_and_si256(last, negative)));
    return _mm256_blendv_epi8(key, _mm256_or_si256(bits, sign), nan);
}

static inline int bits_of(__m256i lanes) {
    return _mm256_movemask_pd(_mm256_castsi256_pd(lanes));
}

static inline __m256i moved(__m256i lanes, const int32_t *to) {
    return _mm256_permutevar8x32_epi32(lanes, _mm256_loadu_si256((const __m256i *)to));
}

// Leaves the last eight elements or fewer to the plain loop, so that no full-width store overwrites results.
static void apart_64(Apart *a) {
    const __m256i top = _mm256_set1_epi64x(INT64_MIN);
    const __m256i low = _mm256_xor_si256(_mm256_set1_epi64x((int64_t)a->low), top);
    const __m256i high = _mm256_xor_si256(_mm256_set1_epi64x((int64_t)a->high), top);
    __m256i place = _mm256_setr_epi64x(0, 1, 2, 3);
    size_t i = 0, before = 0, behind = 0, middle = 0;
    for (; i + 8 < a->n; i += 4, place = _mm256_add_epi64(place, _mm256_set1_epi64x(4))) {
        __m256i bits = _mm256_loadu_si256((const __m256i *)(a->from + i)), key = exact_keys(a, bits);
        __m256i compared = _mm256_xor_si256(key, top), what = a->places ? place : bits;
        int smaller = bits_of(_mm256_cmpgt_epi64(low, compared)), larger = bits_of(_mm256_cmpgt_epi64(compared, high));
        _mm256_storeu_si256((__m256i *)(a->to + before), moved(what, lanes_first[smaller]));
        before += (size_t)__builtin_popcount((unsigned)smaller);
        _mm256_storeu_si256((__m256i *)(a->to + a->n - behind - 4), moved(what, lanes_last[larger]));
        behind += (size_t)__builtin_popcount((unsigned)larger);
        uint64_t keys[4];
        unsigned rest = 15u & ~(unsigned)(smaller | larger);
        if (!rest) continue; // rarely false
        _mm256_storeu_si256((__m256i *)keys, key);
        for (; rest; rest &= rest - 1, middle++) {
            int j = __builtin_ctz(rest);
            if (a->places) a->between[2 * middle] = keys[j], a->between[2 * middle + 1] = i + (size_t)j;
            else a->between[middle] = keys[j];
        }
    }
    a->done = i;
    a->before = before;
    a->behind = behind;
    a->middle = middle;
}

#undef LANE
#undef NOBODY
#endif
