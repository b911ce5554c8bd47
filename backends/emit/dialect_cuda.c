// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The CUDA C dialect, for NVRTC (C++17, functions are the device's by default). No header is included, so
// that none has to be found where programs run.

#include "backends/emit/emit_grid.h"
#include "emit_prelude.h"

// Complex numbers in memory are aligned only like their parts, so the parts are loaded and stored one by one.
#define NUMBERS                                                                                                       \
    "template <class T> struct Complex { T x, y; };\n"                                                                \
    "typedef Complex<float> Complex_c64;\ntypedef Complex<double> Complex_c128;\n"                                    \
    "template <class T> Complex<T> operator+(Complex<T> a, Complex<T> b) { return {a.x + b.x, a.y + b.y}; }\n"        \
    "template <class T> Complex<T> operator-(Complex<T> a, Complex<T> b) { return {a.x - b.x, a.y - b.y}; }\n"        \
    "template <class T> Complex<T> operator-(Complex<T> a) { return {-a.x, -a.y}; }\n"                                \
    "#define RE(v) ((v).x)\n#define IM(v) ((v).y)\n"                                                                  \
    "#define pair_c64(re, im) (Complex_c64{(float)(re), (float)(im)})\n"                                              \
    "#define pair_c128(re, im) (Complex_c128{(double)(re), (double)(im)})\n"                                          \
    "template <class T> Complex<T> NC_LOAD(const T *p) { return {p[0], p[1]}; }\n"                                    \
    "template <class T> void NC_STORE(T *p, Complex<T> v) { p[0] = v.x, p[1] = v.y; }\n"                              \
    "#define MULTIPLIED(S, x, y, z) fma##S(x, y, z)\n#define OPAQUE(v) (void)0\n"                                     \
    "#define COMPLEX_FUNCTION(name, N) name##_c\n#define COMPLEX_INLINE static inline\n"

// nc_over(x, y, r) returns x / y for a loop-invariant y with the rounded reciprocal r, by Newton's iteration, whose
// last step rounds correctly (Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor",
// IBM J. Res. Develop. 34, 1990): 5 operations. The division of CUDA takes about 10, and calls a function of 60 if the
// dividend is 0 or very small. The bounds keep intermediate values from overflow and underflow. If the divisor is
// outside them, r is NaN (grid_call), and nc_over divides.
#define OVER(T, bound)                                                                                                \
    "static inline " T " nc_over(" T " x, " T " y, " T " r) {\n"                                                      \
    "    const " T " size = fabs(x);\n"                                                                               \
    "    if (size > 1 / " bound " && size < " bound " && r == r) {\n"                                                 \
    "        " T " q = x * r;\n"                                                                                      \
    "        q = fma(fma(-q, y, x), r, q);\n"                                                                         \
    "        return fma(fma(-q, y, x), r, q);\n    }\n"                                                               \
    "    return x == 0 && r == r ? x * r : x / y;\n}\n"

static const GridWords words = {
    .kernel = "extern \"C\" __global__ void",
    .bound = "extern \"C\" __launch_bounds__(256) __global__ void", // lets a work item have more registers
    .global = "",
    .local = "__shared__",
    // A grid has at most 65,535 blocks in its second and in its third dimension, so rows are numbered along both.
    .item = {"((int64_t)blockIdx.x * blockDim.x + threadIdx.x)",
             "((blockIdx.y + (int64_t)gridDim.y * blockIdx.z) * blockDim.y + threadIdx.y)"},
    .lane = "threadIdx.x",
    .width = "blockDim.x",
    .each = 4,
    .rows = 4,
    .group = "blockIdx.x",
    .barrier = "__syncthreads()",
    .atomics = "#define ATOMIC_ADD(at, value) atomicAdd(at, value)\n"
               "#define ATOMIC_MAX(at, value) atomicMax(at, value)\n"
               "#define ATOMIC_OR(at, value) atomicOr(at, value)\n",
    .lanes = 128,
    .side = "threadIdx.y",
    .few = 32,
    .beside = 4,
    .threads = 1 << 18,
    .overloaded = "",
    .flags = emit_flags,
    .complex = NUMBERS,
    .over = OVER("double", "0x1p800") OVER("float", "0x1p60f"),
};

const Dialect dialect_cuda = {
    .prelude =
        "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\n"
        "typedef short int16_t;\ntypedef unsigned short uint16_t;\n"
        "typedef int int32_t;\ntypedef unsigned uint32_t;\n"
        "typedef long long int64_t;\ntypedef unsigned long long uint64_t;\n"
        "#define INT16_MIN (-32768)\n"
        "#define UINT64_C(x) x##ULL\n"
        "#define INT64_C(x) x##LL\n"
        "#define UINT64_MAX 0xffffffffffffffffULL\n"
        "#define INT64_MAX 0x7fffffffffffffffLL\n"
        "#define FLT_MAX 3.402823466e+38f\n"
        "#define DBL_MAX 1.7976931348623157e+308\n"
        "#define INFINITY __int_as_float(0x7f800000)\n"
        "#define NAN __int_as_float(0x7fc00000)\n"
        // flags and errors of integer ops are derived from their operands (emit_flags.c)
        "#define feraiseexcept(x) (void)0\n"
        "#define __builtin_isgreater(x, y) ((x) > (y))\n#define __builtin_isless(x, y) ((x) < (y))\n"
        "#define __builtin_popcountll(x) __popcll(x)\n"
        "#define NC_BY_SIZE(x, narrow, wide) \\\n"
        "    (sizeof(x) == 4 ? (decltype(+(x)))(narrow) : (decltype(+(x)))(wide))\n" NACRE_OPS_MATH
        "#define W(x) ((uint64_t)(x))\n"
        "#define T_MIN ((int64_t)(UINT64_MAX << (8 * sizeof(T) - 1)))\n"
        "enum { IS_HALF = 0 };\n"
        "#define F_MAX (sizeof(T) == 4 ? (T)FLT_MAX : (T)DBL_MAX)\n"
        // Reads the flags before the atomic: where all elements raise the same flag, few of them need it.
        "#define MEET(flags, site, met) \\\n"
        "    do { \\\n"
        "        if ((*(volatile uint32_t *)&flags[site] & (met)) != (met)) atomicOr(&flags[site], met); \\\n"
        "    } while (0)\n",
    .global = "",
    .types = {DIALECT_TYPES DIALECT_TYPES_OF_DEVICES},
    .open = "    {\n",
    .close = "    }\n",
    .grid = &words,
};
