// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Half precision (IEEE 754 binary16): conversion to and from wider floats, rounding to nearest
// even. Overflow raises FE_OVERFLOW.

#ifndef NACRE_VM_GRAPH_HALF_H
#define NACRE_VM_GRAPH_HALF_H

#include <stdint.h>
#include <string.h>

static inline float half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, fraction = h & 0x03ff, bits;
    float f = (float)fraction * 0x1p-24f; // exponent 0: subnormal
    memcpy(&bits, &f, sizeof bits);
    if (h & 0x7c00) bits = ((uint32_t)(h & 0x7fff) << 13) + 0x38000000;
    if ((h & 0x7c00) == 0x7c00) bits = 0x7f800000 | fraction << 13;
    bits |= sign;
    memcpy(&f, &bits, sizeof f);
    return f;
}

// Raises overflow by arithmetic, so that the flag is in the SSE unit like others (see
// backends/cpu/flags.h); feraiseexcept would use the x87 unit.
static inline void half_overflows(void) {
    volatile float large = 0x1p127f;
    large = large * large;
}

// Below 2^-14 the spacing is 2^-24, the spacing of floats near 1/2, so adding 1/2 rounds.
static inline uint16_t half_from_float(float f) {
    uint32_t bits, small;
    memcpy(&bits, &f, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (bits >> 13 & 0x03ff));
    if (bits >= 0x477ff000) { // 65520, halfway to the next power of 2
        if (bits < 0x7f800000) half_overflows();
        return sign | 0x7c00;
    }
    if (bits >= 0x38800000)
        return (uint16_t)(sign | (bits + 0x0fff + (bits >> 13 & 1) - 0x38000000) >> 13);
    float shifted = (f < 0 ? -f : f) + 0.5f;
    memcpy(&small, &shifted, sizeof small);
    return (uint16_t)(sign | (small - 0x3f000000));
}

// Not by way of float, which would round twice.
static inline uint16_t half_from_double(double d) {
    uint64_t bits, small;
    memcpy(&bits, &d, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    bits &= 0x7fffffffffffffff;
    if (bits > 0x7ff0000000000000) return (uint16_t)(sign | 0x7e00 | (bits >> 42 & 0x03ff));
    if (bits >= 0x40effe0000000000) {
        if (bits < 0x7ff0000000000000) half_overflows();
        return sign | 0x7c00;
    }
    if (bits >= 0x3f10000000000000)
        return (uint16_t)(sign | (bits + 0x1ffffffffff + (bits >> 42 & 1) - 0x3f00000000000000) >> 42);
    double shifted = (d < 0 ? -d : d) + 0x1p28;
    memcpy(&small, &shifted, sizeof small);
    return (uint16_t)(sign | (small - 0x41b0000000000000));
}

#endif
