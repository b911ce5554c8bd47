// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The OpenCL C 1.2 dialect, with float64, for compilers with _Generic (all clang-based ones).

#include "backends/emit/emit_grid.h"
#include "emit_prelude.h"

// Complex numbers are float2 and double2, whose operators +, - and unary minus serve as they are. In memory complex
// numbers are aligned only like their parts, which vload2 and vstore2 allow.
#define NUMBERS                                                                                                       \
    "typedef float2 Complex_c64;\ntypedef double2 Complex_c128;\n"                                                    \
    "#define RE(v) ((v).x)\n#define IM(v) ((v).y)\n"                                                                  \
    "#define pair_c64(re, im) ((float2)((float)(re), (float)(im)))\n"                                                 \
    "#define pair_c128(re, im) ((double2)((double)(re), (double)(im)))\n"                                             \
    "#define NC_LOAD(p) vload2(0, p)\n#define NC_STORE(p, v) vstore2(v, 0, p)\n"                                      \
    "#define MULTIPLIED(S, x, y, z) fma(x, y, z)\n#define OPAQUE(v) (void)0\n"                                        \
    "#define COMPLEX_FUNCTION(name, N) name##_c\n"                                                                    \
    "#define COMPLEX_INLINE static inline __attribute__((overloadable))\n"                                            \
    "#define hypotf hypot\n#define logf log\n#define sinf sin\n#define cosf cos\n"                                    \
    "#define atan2f atan2\n#define expm1f expm1\n"

static const GridWords words = {
    .kernel = "__kernel void",
    .bound = "__kernel void",
    .global = "__global",
    .local = "__local",
    .item = {"get_global_id(0)", "get_global_id(1)"},
    .lane = "get_local_id(0)",
    .width = "get_local_size(0)",
    .each = 1,
    .rows = 1,
    .group = "get_group_id(0)",
    .barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
    .atomics = "#define ATOMIC_ADD(at, value) atomic_add(at, value)\n"
               "#define ATOMIC_MAX(at, value) atomic_max(at, value)\n"
               "#define ATOMIC_OR(at, value) atomic_or(at, value)\n",
    .lanes = 64,
    .side = "get_local_id(1)",
    .few = 1, // barriers cost a CPU more than loads that are not coalesced
    .beside = 1,
    .threads = 1 << 12,
    .overloaded = "__attribute__((overloadable)) ",
    .flags = emit_flags,
    .complex = NUMBERS,
};

const Dialect dialect_opencl = {
    .prelude =
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "#pragma OPENCL FP_CONTRACT OFF\n"
        "typedef char int8_t;\ntypedef uchar uint8_t;\n"
        "typedef short int16_t;\ntypedef ushort uint16_t;\n"
        "typedef int int32_t;\ntypedef uint uint32_t;\n"
        "typedef long int64_t;\ntypedef ulong uint64_t;\n"
        "#define INT16_MIN (-32768)\n"
        "#define UINT64_C(x) x##UL\n"
        "#define INT64_C(x) x##L\n"
        "#define UINT64_MAX 0xffffffffffffffffUL\n"
        "#define INT64_MAX 0x7fffffffffffffffL\n"
        // flags and errors of integer ops are derived from their operands (emit_flags.c)
        "#define feraiseexcept(x) (void)0\n"
        "#define fmodf fmod\n#define copysignf copysign\n#define floorf floor\n"
        "#define rintf rint\n#define fabsf fabs\n"
        "#define modff modf\n#define ldexpf ldexp\n#define nextafterf nextafter\n"
        "#define log1pf log1p\n#define expf exp\n#define exp2f exp2\n"
        "#define __builtin_isgreater isgreater\n#define __builtin_isless isless\n"
        "#define __builtin_popcountll popcount\n" NACRE_OPS_MATH "#define W(x) ((uint64_t)(x))\n"
        "#define T_MIN ((int64_t)(UINT64_MAX << (8 * sizeof(T) - 1)))\n"
        "enum { IS_HALF = 0 };\n"
        "#define F_MAX (sizeof(T) == 4 ? (T)FLT_MAX : (T)DBL_MAX)\n"
        "#define MEET(flags, site, met) atomic_or(&flags[site], met)\n",
    .global = "__global ",
    .types = {DIALECT_TYPES DIALECT_TYPES_OF_DEVICES},
    .open = "    {\n",
    .close = "    }\n",
    .grid = &words,
};
