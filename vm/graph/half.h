// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Half precision (IEEE 754 binary16): conversion to and from wider floats, rounding to nearest
// even. Overflow raises FE_OVERFLOW. Also built into OpenCL C and CUDA C, which have no such flag.

#ifndef NACRE_VM_GRAPH_HALF_H
#define NACRE_VM_GRAPH_HALF_H

#if !defined(__OPENCL_VERSION__) && !defined(__CUDACC_RTC__)
#include <stdint.h>
#endif

typedef union HalfWide {
    float value;
    uint32_t bits;
} HalfWide;
typedef union HalfWidest {
    double value;
    uint64_t bits;
} HalfWidest;

static inline float half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, fraction = h & 0x03ff;
    HalfWide f;
    f.value = (float)fraction * 0x1p-24f; // exponent 0: subnormal
    if (h & 0x7c00) f.bits = ((uint32_t)(h & 0x7fff) << 13) + 0x38000000;
    if ((h & 0x7c00) == 0x7c00) f.bits = 0x7f800000 | fraction << 13;
    f.bits |= sign;
    return f.value;
}

// Raises overflow by arithmetic, so that the flag is in the SSE unit like others (see
// backends/cpu/flags.h); feraiseexcept would use the x87 unit.
#if defined(__OPENCL_VERSION__) || defined(__CUDACC_RTC__)
#define half_overflows() (void)0
#else
static inline void half_overflows(void) {
    volatile float large = 0x1p127f;
    large = large * large;
}
#endif

// Results below 2^-14 are spaced by 2^-24, like floats near 1/2, so adding 1/2 rounds them.
static inline uint16_t half_from_float(float f) {
    HalfWide whole, shifted;
    whole.value = f;
    uint32_t bits = whole.bits;
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (bits >> 13 & 0x03ff));
    if (bits >= 0x477ff000) { // 65520, halfway to the next power of 2
        if (bits < 0x7f800000) half_overflows();
        return sign | 0x7c00;
    }
    if (bits >= 0x38800000)
        return (uint16_t)(sign | (bits + 0x0fff + (bits >> 13 & 1) - 0x38000000) >> 13);
    shifted.value = (f < 0 ? -f : f) + 0.5f;
    return (uint16_t)(sign | (shifted.bits - 0x3f000000));
}

// Converts directly, since rounding to float first would round twice.
static inline uint16_t half_from_double(double d) {
    HalfWidest whole, shifted;
    whole.value = d;
    uint64_t bits = whole.bits;
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    bits &= 0x7fffffffffffffff;
    if (bits > 0x7ff0000000000000) return (uint16_t)(sign | 0x7e00 | (bits >> 42 & 0x03ff));
    if (bits >= 0x40effe0000000000) {
        if (bits < 0x7ff0000000000000) half_overflows();
        return sign | 0x7c00;
    }
    if (bits >= 0x3f10000000000000)
        return (uint16_t)(sign | (bits + 0x1ffffffffff + (bits >> 42 & 1) - 0x3f00000000000000) >> 42);
    shifted.value = (d < 0 ? -d : d) + 0x1p28;
    return (uint16_t)(sign | (shifted.bits - 0x41b0000000000000));
}

#endif
