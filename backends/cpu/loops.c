// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The loops of the tile interpreter, one for each op and data type, made from ops.def and
// dtypes.def. This is the reference meaning of every elementwise op. The bodies are plain enough
// for the compiler to vectorise.

#include "backends/cpu/cpu.h"
#include "backends/cpu/ops_math.h"

#include <float.h>
#include <tgmath.h> // last: it makes a macro of `complex`

enum { NONE = 0 }; // the expression of a loop that is not there

#define W(x) ((uint64_t)(x))
#define T_MIN ((int64_t)(UINT64_MAX << (8 * sizeof(T) - 1)))
#define F_MAX (sizeof(T) == 4 ? (T)FLT_MAX : (T)DBL_MAX)

// --- Elementwise ops ---------------------------------------------------------------------------

// The C type of the result by dtype rule.
#define RESULT_SAME(T) T
#define RESULT_DIVIDE(T) T
#define RESULT_FLOAT(T) T
#define RESULT_BITS(T) T
#define RESULT_SHIFT(T) T
#define RESULT_SELECT(T) T
#define RESULT_CAST(T) T
#define RESULT_COMPARE(T) uint8_t
#define RESULT_LOGICAL(T) uint8_t
// The C type of the first operand.
#define FIRST_SELECT(T) uint8_t
#define FIRST_SAME(T) T
#define FIRST_DIVIDE(T) T
#define FIRST_FLOAT(T) T
#define FIRST_BITS(T) T
#define FIRST_SHIFT(T) T
#define FIRST_CAST(T) T
#define FIRST_COMPARE(T) T
#define FIRST_LOGICAL(T) T

#define OPERANDS_1 (void)pb, (void)pc
#define OPERANDS_2 (void)pc
#define OPERANDS_3
#define READ_1 FIRST x = pa[i]
#define READ_2 FIRST x = pa[i]; T y = pb[i]
#define READ_3 FIRST x = pa[i]; T y = pb[i]; T z = pc[i]

#define LOOP(ID, TID, CTYPE, arity, rule, expr)                                                \
    static void ID##_##TID(const void *a, const void *b, const void *c, void *out, size_t n) { \
        typedef CTYPE T;                                                                       \
        typedef FIRST_##rule(T) FIRST;                                                         \
        const FIRST *pa = a;                                                                   \
        const T *pb = b, *pc = c;                                                              \
        RESULT_##rule(T) *po = out;                                                            \
        OPERANDS_##arity;                                                                      \
        for (size_t i = 0; i < n; i++) {                                                       \
            READ_##arity;                                                                      \
            po[i] = (RESULT_##rule(T))(expr);                                                  \
        }                                                                                      \
    }

#define PICK_BOOL(eb, ei, eu, ef) eb
#define PICK_INT(eb, ei, eu, ef) ei
#define PICK_UINT(eb, ei, eu, ef) eu
#define PICK_FLOAT(eb, ei, eu, ef) ef

#define UNPACK(...) __VA_ARGS__
#define LOOP_OF(ID, TID, CTYPE, arity, rule, expr) LOOP(ID, TID, CTYPE, arity, rule, expr)
#define EACH_TYPE(A, TID, name, CTYPE, KIND, ...) EACH_TYPE_2(A, TID, CTYPE, KIND)
#define EACH_TYPE_2(A, TID, CTYPE, KIND) EACH_TYPE_3(UNPACK A, TID, CTYPE, KIND)
#define EACH_TYPE_3(...) EACH_TYPE_4(__VA_ARGS__)
#define EACH_TYPE_4(ID, arity, rule, eb, ei, eu, ef, TID, CTYPE, KIND) \
    LOOP_OF(ID, TID, CTYPE, arity, rule, PICK_##KIND(eb, ei, eu, ef))

#define MAKE_ELEMENTWISE(ID, arity, rule, eb, ei, eu, ef) \
    NACRE_DTYPES(EACH_TYPE, (ID, arity, rule, eb, ei, eu, ef))
#define MAKE_REDUCTION(...)
#define MAKE_SCAN(...)
#define MAKE_LIBRARY(...)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable" // loops that are not there read and ignore
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#define OP(ID, name, arity, CLASS, drule, srule, imap, eff, may, zero, ident, comm, tol, part, \
           grad, eb, ei, eu, ef, doc)                                                          \
    MAKE_##CLASS(ID, arity, drule, eb, ei, eu, ef)
#include "vm/graph/ops.def"
#pragma GCC diagnostic pop

// --- The table ---------------------------------------------------------------------------------

#define ROW_TYPE(A, TID, ...) ROW_TYPE_2(A, TID)
#define ROW_TYPE_2(ID, TID) [DT_##TID] = ID##_##TID,
#define ROW_ELEMENTWISE(ID) [AOP_##ID] = {NACRE_DTYPES(ROW_TYPE, ID)},
#define ROW_REDUCTION(ID)
#define ROW_SCAN(ID)
#define ROW_LIBRARY(ID)
static const LoopFn loops[AOP_COUNT][DT_COUNT] = {
#define OP(ID, name, arity, CLASS, ...) ROW_##CLASS(ID)
#include "vm/graph/ops.def"
};

LoopFn loop_of(OpId op, DType type) {
    return op_has_loop(op, type) ? loops[op][type] : NULL;
}

// --- Casts -------------------------------------------------------------------------------------

#define CAST_VALUE_BOOL(T, x) ((x) != 0)
#define CAST_VALUE_INT(T, x) ((T)(x))
#define CAST_VALUE_UINT(T, x) ((T)(x))
#define CAST_VALUE_FLOAT(T, x) ((T)(x))

// A negative float has no unsigned value in C; machines go by way of the signed integers.
#define TO_UINT_BOOL(T, x) ((T)(x))
#define TO_UINT_INT(T, x) ((T)(x))
#define TO_UINT_UINT(T, x) ((T)(x))
#define TO_UINT_FLOAT(T, x) ((x) < 9223372036854775808.0 ? (T)(int64_t)(x) : (T)(x))

#define CAST_LOOP(FROM, FTYPE, TO, TTYPE, value)                                                  \
    static void cast_##FROM##_##TO(const void *a, const void *b, const void *c, void *out,       \
                                   size_t n) {                                                   \
        const FTYPE *pa = a;                                                                      \
        TTYPE *po = out;                                                                          \
        (void)b;                                                                                  \
        (void)c;                                                                                  \
        for (size_t i = 0; i < n; i++) po[i] = (TTYPE)(value);                                    \
    }

#define CAST_KIND_BOOL(FK, T) CAST_VALUE_BOOL(T, pa[i])
#define CAST_KIND_INT(FK, T) CAST_VALUE_INT(T, pa[i])
#define CAST_KIND_UINT(FK, T) TO_UINT_##FK(T, pa[i])
#define CAST_KIND_FLOAT(FK, T) CAST_VALUE_FLOAT(T, pa[i])

// A list inside the list: the inner one is put off (AGAIN is not followed by its parenthesis yet)
// until the outer one has been expanded, and EVAL looks once more.
#define EMPTY()
#define DEFER(m) m EMPTY()
#define AGAIN() NACRE_DTYPES
#define EVAL(...) __VA_ARGS__

#define CASTS_TO(A, FROM, name, FTYPE, FK, ...) CASTS_TO_2(UNPACK A, FROM, FTYPE, FK)
#define CASTS_TO_2(...) CASTS_TO_3(__VA_ARGS__)
#define CASTS_TO_3(TO, TTYPE, TK, FROM, FTYPE, FK) \
    CAST_LOOP(FROM, FTYPE, TO, TTYPE, CAST_KIND_##TK(FK, TTYPE))
#define CAST_ROW(A, FROM, ...) CAST_ROW_2(A, FROM)
#define CAST_ROW_2(TO, FROM) [DT_##FROM] = cast_##FROM##_##TO,
#define TARGET(A, TO, name, TTYPE, TK, ...)            \
    DEFER(AGAIN)()(CASTS_TO, (TO, TTYPE, TK))          \
    static const LoopFn casts_to_##TO[DT_COUNT] = {DEFER(AGAIN)()(CAST_ROW, TO)};
EVAL(NACRE_DTYPES(TARGET, ))

LoopFn cast_loop(DType from, DType to) {
    static const LoopFn *const targets[DT_COUNT] = {
#define ROW(A, ID, ...) [DT_##ID] = casts_to_##ID,
        NACRE_DTYPES(ROW, )
#undef ROW
    };
    return targets[to][from];
}

// --- Pairwise sums -----------------------------------------------------------------------------

// NumPy's order: halves down to blocks of at most 128, a block in 8 accumulators.
#define PAIRWISE(name, T)                                                                  \
    static T name##_block(const char *at, size_t n, int64_t stride) {                      \
        T r[8];                                                                            \
        for (size_t j = 0; j < 8; j++) r[j] = *(const T *)(at + (int64_t)j * stride);      \
        size_t i = 8;                                                                      \
        for (; i < n - n % 8; i += 8)                                                      \
            for (size_t j = 0; j < 8; j++) r[j] += *(const T *)(at + (int64_t)(i + j) * stride); \
        T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));         \
        for (; i < n; i++) sum += *(const T *)(at + (int64_t)i * stride);                  \
        return sum;                                                                        \
    }                                                                                      \
    T name(const char *at, size_t n, int64_t stride) {                                     \
        if (n < 8) {                                                                       \
            T sum = (T)-0.0;                                                               \
            for (size_t i = 0; i < n; i++) sum += *(const T *)(at + (int64_t)i * stride);  \
            return sum;                                                                    \
        }                                                                                  \
        if (n <= 128) return name##_block(at, n, stride);                                  \
        size_t half = n / 2 - n / 2 % 8;                                                   \
        return name(at, half, stride) + name(at + (int64_t)half * stride, n - half, stride); \
    }
PAIRWISE(sum_pairwise_f64, double)
PAIRWISE(sum_pairwise_f32, float)
