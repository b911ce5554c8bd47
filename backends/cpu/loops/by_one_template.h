// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Integer loops with a fast path for a scalar second operand (by_one.def). Compiled only with the
// loops for AVX2 and AVX-512, which are plug-ins, to keep the library small.

enum { BY_ONE_LEAST = 32 }; // elements: for fewer, computing an inverse does not pay

#define BY_ONE_INT(ID, TID, CTYPE, ei, eu) BY_ONE_LOOP(ID, TID, CTYPE, nc_divisor_i, ei)
#define BY_ONE_UINT(ID, TID, CTYPE, ei, eu) BY_ONE_LOOP(ID, TID, CTYPE, nc_divisor_u, eu)
#define BY_ONE_BOOL(...)
#define BY_ONE_FLOAT(...)
#define BY_ONE_COMPLEX(...)
#define BY_ONE_LOOP(ID, TID, CTYPE, divisor, expr)                                                     \
    static void by_one_##ID##_##TID(const void *a, const void *b, const void *c, void *out, size_t n) { \
        typedef CTYPE T;                                                                               \
        const T *from = a, *by = b;                                                                    \
        T *to = out;                                                                                   \
        if (n >= BY_ONE_LEAST && memcmp(by, by + 1, (n - 1) * sizeof *by) == 0) {                      \
            const NcDivisor d = divisor(*by, sizeof(T) > 4 ? 64 : 32);                                 \
            if (!d.is_plain) {                                                                         \
                INDEPENDENT for (size_t i = 0; i < n; i++) {                                           \
                    const T x = from[i];                                                               \
                    to[i] = (T)(expr);                                                                 \
                }                                                                                      \
                return;                                                                                \
            }                                                                                          \
        }                                                                                              \
        ID##_##TID(a, b, c, out, n);                                                                   \
    }

#define BY_ONE_TYPE(A, TID, name, CTYPE, FORM, KIND, ...) BY_ONE_TYPE_2(UNPACK A, TID, CTYPE, KIND)
#define BY_ONE_TYPE_2(...) BY_ONE_TYPE_3(__VA_ARGS__)
#define BY_ONE_TYPE_3(ID, ei, eu, TID, CTYPE, KIND) BY_ONE_##KIND(ID, TID, CTYPE, ei, eu)
#define BY_ONE(ID, ei, eu) NACRE_DTYPES(BY_ONE_TYPE, (ID, ei, eu))
#include "backends/cpu/loops/by_one.def"
#undef BY_ONE

// Rows of the loop table that replace the plain ones.
#define BY_ONE_ROW_INT(ID, TID) [AOP_##ID][DT_##TID] = by_one_##ID##_##TID,
#define BY_ONE_ROW_UINT(ID, TID) BY_ONE_ROW_INT(ID, TID)
#define BY_ONE_ROW_BOOL(ID, TID)
#define BY_ONE_ROW_FLOAT(ID, TID)
#define BY_ONE_ROW_COMPLEX(ID, TID)
#define BY_ONE_ROW(ID, TID, name, CTYPE, FORM, KIND, ...) BY_ONE_ROW_##KIND(ID, TID)
