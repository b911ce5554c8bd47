// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tile interpreter's loops, one per op and data type, generated from ops.def and dtypes.def.
// They define the meaning of every elementwise op. Bodies are simple enough for the compiler to
// vectorise. Compiled once per instruction set (loops_*.c), which names the table LOOPS.
// Contraction is off, so all sets give the same bits, except for complex products (complex_math.h).

#include "backends/cpu/cpu.h"
#include "backends/cpu/flags.h"
#include "backends/cpu/loops/complex_math.h"
#include "backends/cpu/loops/forms.h"
#include "backends/cpu/loops/ops_math.h"
#include "backends/cpu/tile/move.h"

#include <float.h>
#include <string.h>
#ifdef VECTOR_BYTES
#include <immintrin.h>
#endif
#include <tgmath.h> // last, since it defines `complex` as a macro

enum { NONE = 0 }; // the expression of ops without a loop for a type

// Marks a loop as free of loop-carried dependences: an output is exactly an operand's memory, or
// disjoint. Clang's equivalent pragma warns if it cannot vectorise.
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define W(x) ((uint64_t)(x))
#define T_MIN ((int64_t)(UINT64_MAX << (8 * sizeof(T) - 1)))
// For the maximum or minimum of zeros with different signs, NumPy returns the second, but for float16 the first.
#define IS_HALF (sizeof *pb == 2)
#define F_MAX (sizeof(T) == 4 ? (T)FLT_MAX : (T)DBL_MAX)

// --- Elementwise ops ---------------------------------------------------------------------------

// Result types by dtype rule: the operands' type, that of their parts, a byte (truth, count), an
// int32.
#define RESULT_SIZE PART
#define RESULT_SAME OWN
#define RESULT_DIVIDE OWN
#define RESULT_FLOAT OWN
#define RESULT_BITS OWN
#define RESULT_INT8 OWN
#define RESULT_WIDE OWN
#define RESULT_COUNT TRUTH
#define RESULT_EXPONENT EXPONENT
#define RESULT_SELECT OWN
#define RESULT_CAST OWN
#define RESULT_COMPARE TRUTH
#define RESULT_LOGICAL TRUTH
#define RESULT_FLOAT_TRUTH TRUTH
// Types of the first operand, likewise.
#define FIRST_SELECT TRUTH
#define FIRST_SAME OWN
#define FIRST_SIZE OWN
#define FIRST_DIVIDE OWN
#define FIRST_FLOAT OWN
#define FIRST_BITS OWN
#define FIRST_INT8 OWN
#define FIRST_WIDE OWN
#define FIRST_COUNT OWN
#define FIRST_EXPONENT OWN
#define FIRST_CAST OWN
#define FIRST_COMPARE OWN
#define FIRST_LOGICAL OWN
#define FIRST_FLOAT_TRUTH OWN

#define MEMORY_OWN(FORM, CTYPE) CTYPE
#define MEMORY_PART(FORM, CTYPE) REAL_##FORM(CTYPE)
#define MEMORY_TRUTH(FORM, CTYPE) uint8_t
#define MEMORY_EXPONENT(FORM, CTYPE) int32_t
#define VALUE_OWN(T) T
#define VALUE_TRUTH(T) uint8_t
#define READ_OWN(FORM, v) GET_##FORM(v)
#define READ_TRUTH(FORM, v) (v)
#define WRITE_OWN(FORM, CTYPE, v) PUT_##FORM(CTYPE, v)
#define WRITE_PART(FORM, CTYPE, v) WRITE_PART_##FORM(CTYPE, v)
#define WRITE_PART_PLAIN(CTYPE, v) PUT_PLAIN(CTYPE, v)
#define WRITE_PART_HALF(CTYPE, v) PUT_HALF(CTYPE, v)
#define WRITE_PART_COMPLEX(CTYPE, v) (v)
#define WRITE_TRUTH(FORM, CTYPE, v) ((uint8_t)(v))
#define WRITE_EXPONENT(FORM, CTYPE, v) ((int32_t)(v))

#define OPERANDS_1 (void)pb, (void)pc
#define OPERANDS_2 (void)pc
#define OPERANDS_3
#define MORE_1(FORM)
#define MORE_2(FORM) T y = GET_##FORM(pb[i])
#define MORE_3(FORM) T y = GET_##FORM(pb[i]); T z = GET_##FORM(pc[i])

#define LOOP(ID, TID, CTYPE, FORM, arity, FIRST, RESULT, expr)                                 \
    static void ID##_##TID(const void *a, const void *b, const void *c, void *out, size_t n) { \
        typedef COMPUTED_##FORM(CTYPE) T;                                                      \
        const MEMORY_##FIRST(FORM, CTYPE) *pa = a;                                             \
        const CTYPE *pb = b, *pc = c;                                                          \
        MEMORY_##RESULT(FORM, CTYPE) *po = out;                                                \
        OPERANDS_##arity;                                                                      \
        INDEPENDENT for (size_t i = 0; i < n; i++) {                                           \
            VALUE_##FIRST(T) x = READ_##FIRST(FORM, pa[i]);                                    \
            MORE_##arity(FORM);                                                                \
            po[i] = WRITE_##RESULT(FORM, CTYPE, expr);                                         \
        }                                                                                      \
    }

#define PICK_BOOL(eb, ei, eu, ef, ec) eb
#define PICK_INT(eb, ei, eu, ef, ec) ei
#define PICK_UINT(eb, ei, eu, ef, ec) eu
#define PICK_FLOAT(eb, ei, eu, ef, ec) ef
#define PICK_COMPLEX(eb, ei, eu, ef, ec) ec

#define UNPACK(...) __VA_ARGS__
#define LOOP_OF(...) LOOP(__VA_ARGS__)
#define EACH_TYPE(A, TID, name, CTYPE, FORM, KIND, ...) EACH_TYPE_2(A, TID, CTYPE, FORM, KIND)
#define EACH_TYPE_2(A, TID, CTYPE, FORM, KIND) EACH_TYPE_3(UNPACK A, TID, CTYPE, FORM, KIND)
#define EACH_TYPE_3(...) EACH_TYPE_4(__VA_ARGS__)
#define EACH_TYPE_4(ID, arity, rule, eb, ei, eu, ef, ec, TID, CTYPE, FORM, KIND)   \
    LOOP_OF(ID, TID, CTYPE, FORM, arity, FIRST_##rule, RESULT_##rule,              \
            PICK_##KIND(eb, ei, eu, ef, ec))

#define MAKE_ELEMENTWISE(ID, arity, rule, eb, ei, eu, ef, ec) \
    NACRE_DTYPES(EACH_TYPE, (ID, arity, rule, eb, ei, eu, ef, ec))
#define MAKE_REDUCTION(...)
#define MAKE_SCAN(...)
#define MAKE_CREATION(...)
#define MAKE_LIBRARY(...)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable" // loops that do not exist read and ignore their
                                                   // operands
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#define OP(ID, name, arity, CLASS, drule, eff, may, zeros, ident, comm, tol, part, vector, eb, ei, eu, ef, ec, doc) \
    MAKE_##CLASS(ID, arity, drule, eb, ei, eu, ef, ec)
#include "vm/graph/ops.def"
#pragma GCC diagnostic pop

// Returns 0 if no square of a number in a block overflows or loses digits. Such a block gets the same bits
// without the precautions of abs_c128.
static __attribute__((noinline)) int64_t odd_numbers(const double *from, size_t n) {
    const int64_t low = POWER_BITS(-440), range = POWER_BITS(500) - low;
    int64_t odd = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t bits = size_bits(from[i]), above = bits - low;
        odd |= -(int64_t)((above < 0) | (above > range)) & -(int64_t)(bits != 0);
    }
    return odd;
}

// Not inlined: with a constant n the compiler would emit scalar instructions.
static __attribute__((noinline)) void plain_sizes(const double *from, double *to, size_t n) {
    INDEPENDENT for (size_t i = 0; i < n; i++) {
        double re = from[2 * i], im = from[2 * i + 1];
        to[i] = sqrt(re * re + im * im);
    }
}

static void sizes_c128(const void *a, const void *b, const void *c, void *out, size_t n) {
    enum { BLOCK = 64 };
    const double *from = a;
    double *to = out;
    for (; n >= BLOCK; n -= BLOCK, from += 2 * BLOCK, to += BLOCK) {
        if (odd_numbers(from, 2 * BLOCK))
            ABSOLUTE_COMPLEX128(from, b, c, to, BLOCK);
        else
            plain_sizes(from, to, BLOCK);
    }
    ABSOLUTE_COMPLEX128(from, b, c, to, n);
}

#ifdef __AVX2__
#include "backends/cpu/loops/by_one_template.h"
#endif

// --- The table ---------------------------------------------------------------------------------

#define ROW_TYPE(A, TID, ...) ROW_TYPE_2(A, TID)
#define ROW_TYPE_2(ID, TID) [DT_##TID] = ID##_##TID,
#define ROW_ELEMENTWISE(ID) [AOP_##ID] = {NACRE_DTYPES(ROW_TYPE, ID)},
#define ROW_REDUCTION(ID)
#define ROW_SCAN(ID)
#define ROW_CREATION(ID)
#define ROW_LIBRARY(ID)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" // a specialised loop overrides the generic one
static const LoopFn op_loops[AOP_COUNT][DT_COUNT] = {
#define OP(ID, name, arity, CLASS, ...) ROW_##CLASS(ID)
#include "vm/graph/ops.def"
    [AOP_ABSOLUTE][DT_COMPLEX128] = sizes_c128,
#ifdef __AVX2__
#define BY_ONE(ID, ei, eu) NACRE_DTYPES(BY_ONE_ROW, ID)
#include "backends/cpu/loops/by_one.def"
#undef BY_ONE
#endif
};
#pragma GCC diagnostic pop

// --- Scans ---------------------------------------------------------------------------------------

// Combination starts from `before`, if given, otherwise from the first element. Inlining the op keeps the last
// result in a register.
#define SCAN_TYPE(ID, TID, name, CTYPE, ...) SCAN_TYPE_2(ID, TID, CTYPE)
#define SCAN_TYPE_2(ID, TID, CTYPE)                                                                    \
    __attribute__((flatten)) static void scan_##ID##_##TID(const void *before, const void *from,       \
                                                           void *to, size_t n) {                       \
        const CTYPE *in = from;                                                                        \
        CTYPE *out = to, last = before ? *(const CTYPE *)before : *in;                                 \
        size_t i = 0;                                                                                  \
        if (!before) out[i++] = last;                                                                  \
        for (; i < n; i++) {                                                                           \
            CTYPE made;                                                                                \
            ID##_##TID(&last, in + i, NULL, &made, 1);                                                 \
            out[i] = last = made;                                                                      \
        }                                                                                              \
    }
#define SCAN_ROW(ID, TID, ...) SCAN_ROW_2(ID, TID)
#define SCAN_ROW_2(ID, TID) [DT_##TID] = scan_##ID##_##TID,
#define SCANS(ID)                     \
    NACRE_DTYPES(SCAN_TYPE, ID)       \
    static const ScanFn scans_##ID[DT_COUNT] = {NACRE_DTYPES(SCAN_ROW, ID)};
SCANS(ADD)
SCANS(MULTIPLY)
SCANS(MAXIMUM)
SCANS(MINIMUM)
static const ScanFn *const op_scans[AOP_COUNT] = {[AOP_ADD] = scans_ADD, [AOP_MULTIPLY] = scans_MULTIPLY,
                                                  [AOP_MAXIMUM] = scans_MAXIMUM, [AOP_MINIMUM] = scans_MINIMUM};

// --- Casts -------------------------------------------------------------------------------------

#define CAST_LOOP(FROM, FCTYPE, TO, TCTYPE, value)                                                \
    ANY_FLOAT static void cast_##FROM##_##TO(const void *a, const void *b, const void *c,         \
                                             void *out, size_t n) {                               \
        const FCTYPE *pa = a;                                                                     \
        TCTYPE *po = out;                                                                         \
        (void)b;                                                                                  \
        (void)c;                                                                                  \
        INDEPENDENT for (size_t i = 0; i < n; i++) po[i] = value;                                 \
    }

// Casts by form and kind of the target and kind of the source. A complex number is cast by its real
// part.
#define CAST_PLAIN_BOOL(FK, CTYPE, v) ((CTYPE)((v) != 0))
#define CAST_PLAIN_INT(FK, CTYPE, v) ((CTYPE)NUMBER_##FK(v))
#define CAST_PLAIN_UINT(FK, CTYPE, v) TO_UINT_##FK(CTYPE, v)
#define CAST_PLAIN_FLOAT(FK, CTYPE, v) ((CTYPE)NUMBER_##FK(v))
#define CAST_COMPLEX_COMPLEX(FK, CTYPE, v) ((CTYPE)(v))
#define CAST_HALF_FLOAT(FK, CTYPE, v)                             \
    _Generic(NUMBER_##FK(v), double: half_from_double(NUMBER_##FK(v)), \
             default: half_from_float((float)NUMBER_##FK(v)))
#define NUMBER_BOOL(v) (v)
#define NUMBER_INT(v) (v)
#define NUMBER_UINT(v) (v)
#define NUMBER_FLOAT(v) (v)
#define NUMBER_COMPLEX(v) (__real__(v))

#define TO_UINT_BOOL(CTYPE, v) ((CTYPE)(v))
#define TO_UINT_INT(CTYPE, v) ((CTYPE)(v))
#define TO_UINT_UINT(CTYPE, v) ((CTYPE)(v))
#define TO_UINT_FLOAT(CTYPE, v) ((CTYPE)nc_to_unsigned(v))
#define TO_UINT_COMPLEX(CTYPE, v) TO_UINT_FLOAT(CTYPE, __real__(v))

// Nested list expansion: AGAIN defers the inner list until the outer one is expanded (its
// parenthesis does not follow yet); EVAL then rescans.
#define EMPTY()
#define DEFER(m) m EMPTY()
#define AGAIN() NACRE_DTYPES
#define EVAL(...) __VA_ARGS__

#define CASTS_TO(A, FROM, name, FCTYPE, FF, FK, ...) CASTS_TO_2(UNPACK A, FROM, FCTYPE, FF, FK)
#define CASTS_TO_2(...) CASTS_TO_3(__VA_ARGS__)
#define CASTS_TO_3(TO, TCTYPE, TF, TK, FROM, FCTYPE, FF, FK) \
    CAST_LOOP(FROM, FCTYPE, TO, TCTYPE, CAST_##TF##_##TK(FK, TCTYPE, GET_##FF(pa[i])))
#define CAST_ROW(A, FROM, ...) CAST_ROW_2(A, FROM)
#define CAST_ROW_2(TO, FROM) [DT_##FROM] = cast_##FROM##_##TO,
#define TARGET(A, TO, name, TCTYPE, TF, TK, ...)       \
    DEFER(AGAIN)()(CASTS_TO, (TO, TCTYPE, TF, TK))     \
    static const LoopFn casts_to_##TO[DT_COUNT] = {DEFER(AGAIN)()(CAST_ROW, TO)};
EVAL(NACRE_DTYPES(TARGET, ))

// --- Pairwise sums -----------------------------------------------------------------------------

// NumPy's pairwise order: halve down to blocks of at most 128, summed in 8 accumulators.
#define PAIRWISE(name, CTYPE, T, FORM) PAIRWISE_SUM(name, CTYPE, T, FORM, 8, name##_strided)
// A complex number counts as two numbers, so that 4 accumulators sum blocks of at most 64.
#define PAIRWISE_COMPLEX(name, CTYPE) PAIRWISE_SUM(name, CTYPE, CTYPE, COMPLEX, 4, name##_strided)
// Contiguous floats fill vectors of the machine's width; wider ones would spill to memory.
#ifdef VECTOR_BYTES
#define SUM_BYTES VECTOR_BYTES
#else
#define SUM_BYTES 16
#endif
#define PAIRWISE_VECTOR(name, T)                                                           \
    static T name##_strided(const char *at, size_t n, int64_t stride);                     \
    static T name##_block(const char *at, size_t n, int64_t stride) {                      \
        enum { BYTES = 8 * sizeof(T) < SUM_BYTES ? 8 * sizeof(T) : SUM_BYTES };            \
        enum { PARTS = 8 * sizeof(T) / BYTES };                                            \
        typedef T Part __attribute__((vector_size(BYTES)));                                \
        Part sums[PARTS], part;                                                            \
        T r[8];                                                                            \
        if (stride != sizeof(T)) return name##_strided(at, n, stride);                     \
        memcpy(sums, at, sizeof sums);                                                     \
        size_t i = 8;                                                                      \
        for (; i < n - n % 8; i += 8)                                                      \
            for (int p = 0; p < PARTS; p++) {                                              \
                memcpy(&part, at + i * sizeof(T) + p * BYTES, sizeof part);                \
                sums[p] += part;                                                           \
            }                                                                              \
        memcpy(r, sums, sizeof r);                                                         \
        T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));         \
        for (; i < n; i++) sum += ((const T *)at)[i];                                      \
        return sum;                                                                        \
    }                                                                                      \
    PAIRWISE_SUM(name, T, T, PLAIN, 8, name##_block)
#define PAIRWISE_SUM(name, CTYPE, T, FORM, WIDE, BLOCK)                                    \
    static T name##_strided(const char *at, size_t n, int64_t stride) {                    \
        T r[WIDE];                                                                         \
        for (size_t j = 0; j < WIDE; j++)                                                  \
            r[j] = GET_##FORM(*(const CTYPE *)(at + (int64_t)j * stride));                 \
        size_t i = WIDE;                                                                   \
        for (; i < n - n % WIDE; i += WIDE)                                                \
            for (size_t j = 0; j < WIDE; j++)                                              \
                r[j] += GET_##FORM(*(const CTYPE *)(at + (int64_t)(i + j) * stride));      \
        T sum = (r[0] + r[1]) + (r[2] + r[3]);                                             \
        if (WIDE == 8) sum += (r[4 % WIDE] + r[5 % WIDE]) + (r[6 % WIDE] + r[7 % WIDE]);   \
        for (; i < n; i++) sum += GET_##FORM(*(const CTYPE *)(at + (int64_t)i * stride));  \
        return sum;                                                                        \
    }                                                                                      \
    static T name(const char *at, size_t n, int64_t stride) {                              \
        if (n < WIDE) {                                                                    \
            T sum = -(T)0;                                                                 \
            for (size_t i = 0; i < n; i++)                                                 \
                sum += GET_##FORM(*(const CTYPE *)(at + (int64_t)i * stride));             \
            return sum;                                                                    \
        }                                                                                  \
        if (n <= 16 * WIDE) return BLOCK(at, n, stride);                                   \
        size_t half = n / 2 - n / 2 % WIDE;                                                \
        return name(at, half, stride) + name(at + (int64_t)half * stride, n - half, stride); \
    }
PAIRWISE_VECTOR(sum_pairwise_f64, double)
PAIRWISE_VECTOR(sum_pairwise_f32, float)
PAIRWISE(sum_pairwise_f16, uint16_t, float, HALF)
PAIRWISE_COMPLEX(sum_pairwise_c64, float _Complex)
PAIRWISE_COMPLEX(sum_pairwise_c128, double _Complex)

#include "backends/cpu/product/products_template.h"
#include "backends/cpu/product/products_int_template.h"
#include "backends/cpu/product/matvec_template.h"
#include "backends/cpu/sparse/runs_template.h"
#include "backends/cpu/linalg/factor_steps_template.h"
#include "backends/cpu/linalg/reflect_template.h"
#ifdef __AVX2__
#include "backends/cpu/loops/fold_template.h"
#endif
#include "backends/cpu/select/select_template.h"
#include "backends/cpu/select/apart_template.h"
#include "backends/cpu/loops/vector_template.h"
#include "backends/cpu/loops/vector_own_template.h"

// --- The table of all of them --------------------------------------------------------------------

const Loops LOOPS = {
    .ops = op_loops,
    .scans = op_scans,
    .casts = {
#define ROW(A, ID, ...) [DT_##ID] = casts_to_##ID,
        NACRE_DTYPES(ROW, )
#undef ROW
    },
    .sum_f64 = sum_pairwise_f64,
    .sum_f32 = sum_pairwise_f32,
    .sum_f16 = sum_pairwise_f16,
    .sum_c64 = sum_pairwise_c64,
    .sum_c128 = sum_pairwise_c128,
    .product_f64 = product_double,
    .product_f32 = product_float,
    .product_c128 = complex_product_double,
    .product_c64 = complex_product_float,
    .dot_f64 = dot_double,
    .dot_f32 = dot_float,
    .int_products = {int_product_uint8_t, int_product_uint16_t, int_product_uint32_t, int_product_uint64_t},
    .int_dots = {int_dot_uint8_t, int_dot_uint16_t, int_dot_uint32_t, int_dot_uint64_t},
    .dot_few_bytes = DOT_SUMS * PRODUCT_BYTES,
    .matvec_rows = {matvec_rows_float, matvec_rows_double},
    .matvec_cols = {matvec_cols_float, matvec_cols_double},
    .run_rows = {run_rows_float, run_rows_double},
    .subtract_product = subtract_product,
    .lu_panel = lu_panel,
    .lu_panel_complex = lu_panel_complex,
    .cholesky_block = cholesky_block,
    .rank_two = rank_two,
    .reflect = reflect,
    .count_true = count_true,
#ifdef __AVX2__
    .apart_64 = apart_64,
    .folds = op_folds,
#endif
    .places_of_true = places_of_true,
    .compress = {compress_1, compress_2, compress_4, compress_8, compress_16},
    .expand = {expand_1, expand_2, expand_4, expand_8, expand_16},
#ifdef VECTOR_BYTES
    .vector_width = VECTOR_BYTES,
    .vector_set = VECTOR_SET,
    .vectors = {{vector_1_float, vector_2_float}, {vector_1_double, vector_2_double}},
#endif
#if defined(VECTOR_BYTES) && defined(__FMA__)
    .own_f64 = own_float64,
#endif
};
