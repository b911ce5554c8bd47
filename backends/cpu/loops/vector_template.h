// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Applies library vector functions to rows.
// Elements whose result is NaN or infinite are recomputed by the scalar loop, which handles the
// range's limits better and raises meaningful flags; flags raised by vector functions are
// discarded. With `whole`, elements whose operands are whole numbers are recomputed as well: 2 to the power of 3
// must be exactly 8.

#ifdef VECTOR_BYTES
enum { TOLD = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID }; // all but inexact

#define VECTOR(T, SHIFT, SOME_NAN)                                                                    \
    typedef T T##_vector __attribute__((vector_size(VECTOR_BYTES)));                             \
    enum { T##_lanes = VECTOR_BYTES / sizeof(T) };                                               \
    /* Loads the rest of a row, padded with its last element. */                                 \
    static T##_vector T##_rest(const T *from, size_t n) {                                        \
        T##_vector v = {0};                                                                      \
        for (size_t i = 0; i < T##_lanes; i++) v[i] = from[i < n ? i : n - 1];                   \
        return v;                                                                                \
    }                                                                                            \
    static bool T##_some_whole(T##_vector x, T##_vector y) {                                     \
        __auto_type both = (x + SHIFT - SHIFT == x) & (y + SHIFT - SHIFT == y);                  \
        return SOME_NAN((T##_vector)both); /* all bits set is a NaN */                           \
    }                                                                                            \
    static int T##_again(LoopFn loop, const T *x, const T *y, T *z, size_t n, bool whole) {      \
        int errors = x87_flags(); /* raised before; flags_clear() would lose them */             \
        for (size_t i = 0; i < n; i++) {                                                         \
            bool exact = whole && x[i] == rint(x[i]) && y[i] == rint(y[i]);                      \
            if ((isfinite(z[i]) && !exact) || isnan(x[i]) || isnan(y[i])) continue;              \
            flags_clear();                                                                       \
            loop(x + i, y + i, NULL, z + i, 1);                                                  \
            errors |= flags_now();                                                               \
        }                                                                                        \
        return errors;                                                                           \
    }                                                                                            \
    static inline T##_vector T##_applied_1(VectorFn fn, LoopFn loop, T##_vector x, int *errors) { \
        T##_vector z = ((T##_vector(*)(T##_vector))fn)(x);                                       \
        if (__builtin_expect(SOME_NAN(z - z), 0))                                                \
            *errors |= T##_again(loop, (T *)&x, (T *)&x, (T *)&z, T##_lanes, false);             \
        return z;                                                                                \
    }                                                                                            \
    static inline T##_vector T##_applied_2(VectorFn fn, LoopFn loop, bool whole, T##_vector x,   \
                                           T##_vector y, int *errors) {                          \
        T##_vector z = ((T##_vector(*)(T##_vector, T##_vector))fn)(x, y);                        \
        if (__builtin_expect(SOME_NAN(z - z) || (whole && T##_some_whole(x, y)), 0))             \
            *errors |= T##_again(loop, (T *)&x, (T *)&y, (T *)&z, T##_lanes, whole);             \
        return z;                                                                                \
    }                                                                                            \
    static void vector_1_##T(VectorFn fn, LoopFn loop, bool whole, const void *a, const void *b, \
                             void *out, size_t n) {                                              \
        T##_vector x, z;                                                                         \
        const T *from = a;                                                                       \
        T *to = out;                                                                             \
        unsigned before = flags_keep();                                                          \
        int errors = 0;                                                                          \
        (void)b;                                                                                 \
        (void)whole;                                                                             \
        for (; n >= T##_lanes; n -= T##_lanes, from += T##_lanes, to += T##_lanes) {             \
            memcpy(&x, from, sizeof x);                                                          \
            z = T##_applied_1(fn, loop, x, &errors);                                             \
            memcpy(to, &z, sizeof z);                                                            \
        }                                                                                        \
        if (n > 0) {                                                                             \
            z = T##_applied_1(fn, loop, T##_rest(from, n), &errors);                             \
            memcpy(to, &z, n * sizeof(T));                                                       \
        }                                                                                        \
        flags_back(before);                                                                      \
        if (errors & TOLD) feraiseexcept(errors & TOLD);                                         \
    }                                                                                            \
    static void vector_2_##T(VectorFn fn, LoopFn loop, bool whole, const void *a, const void *b, \
                             void *out, size_t n) {                                              \
        T##_vector x, y, z;                                                                      \
        const T *from = a, *more = b;                                                            \
        T *to = out;                                                                             \
        unsigned before = flags_keep();                                                          \
        int errors = 0;                                                                          \
        for (; n >= T##_lanes; n -= T##_lanes, from += T##_lanes, more += T##_lanes, to += T##_lanes) { \
            memcpy(&x, from, sizeof x);                                                          \
            memcpy(&y, more, sizeof y);                                                          \
            z = T##_applied_2(fn, loop, whole, x, y, &errors);                                   \
            memcpy(to, &z, sizeof z);                                                            \
        }                                                                                        \
        if (n > 0) {                                                                             \
            z = T##_applied_2(fn, loop, whole, T##_rest(from, n), T##_rest(more, n), &errors);   \
            memcpy(to, &z, n * sizeof(T));                                                       \
        }                                                                                        \
        flags_back(before);                                                                      \
        if (errors & TOLD) feraiseexcept(errors & TOLD);                                         \
    }

// Tests whether any element is NaN.
#if VECTOR_BYTES == 64
#define NAN_FLOAT(v) (_mm512_cmp_ps_mask((__m512)(v), (__m512)(v), _CMP_UNORD_Q) != 0)
#define NAN_DOUBLE(v) (_mm512_cmp_pd_mask((__m512d)(v), (__m512d)(v), _CMP_UNORD_Q) != 0)
#elif VECTOR_BYTES == 32
#define NAN_FLOAT(v) (_mm256_movemask_ps(_mm256_cmp_ps((__m256)(v), (__m256)(v), _CMP_UNORD_Q)) != 0)
#define NAN_DOUBLE(v) (_mm256_movemask_pd(_mm256_cmp_pd((__m256d)(v), (__m256d)(v), _CMP_UNORD_Q)) != 0)
#else
#define NAN_FLOAT(v) (_mm_movemask_ps(_mm_cmpunord_ps((__m128)(v), (__m128)(v))) != 0)
#define NAN_DOUBLE(v) (_mm_movemask_pd(_mm_cmpunord_pd((__m128d)(v), (__m128d)(v))) != 0)
#endif
VECTOR(float, 0x1.8p23f, NAN_FLOAT)
VECTOR(double, 0x1.8p52, NAN_DOUBLE)
#endif
