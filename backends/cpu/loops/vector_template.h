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

#define T float
#define SHIFT 0x1.8p23f
#define SOME_NAN(v) NAN_FLOAT(v)
#define NAME(f) f##_float
#define OF(x) float_##x
#include "backends/cpu/loops/vector_type_template.h"
#define T double
#define SHIFT 0x1.8p52
#define SOME_NAN(v) NAN_DOUBLE(v)
#define NAME(f) f##_double
#define OF(x) double_##x
#include "backends/cpu/loops/vector_type_template.h"
#endif
