// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Draws of bit generators (vm/kernel/draws.h): PCG64, its variant DXSM (IS_DXSM), or Philox (IS_PHILOX). T is the
// elements' type. IS_REAL: they are floats from 0 to below 1. IS_HALF: a draw of 64 bits makes two elements.

#ifdef __OPENCL_VERSION__
#define HIGH(x, y) mul_hi(x, y)
#else
#define HIGH(x, y) __umul64hi(x, y)
#endif

#if !IS_REAL
#define VALUE_64(x) (x)
#define VALUE_32(x) (x)
#else
#define VALUE_64(x) ((T)((x) >> 11) * (T)1.1102230246251565404e-16) // 2**-53
#define VALUE_32(x) ((T)((x) >> 8) * (T)5.9604644775390625e-8)      // 2**-24
#endif

static inline void put_draw(GLOBAL T *to, int64_t i, uint64_t drawn, const int64_t count) {
#if IS_HALF
    if (2 * i < count) to[2 * i] = VALUE_32((uint32_t)drawn);
    if (2 * i + 1 < count) to[2 * i + 1] = VALUE_32((uint32_t)(drawn >> 32));
#else
    if (i < count) to[i] = VALUE_64(drawn);
#endif
}

#if IS_PHILOX

// Work item i computes block i, of four draws.
KERNEL nacre_draw(GLOBAL char *base, const GridDraw g) {
    const int64_t block = ITEM;
    GLOBAL T *to = (GLOBAL T *)(base + g.offset);
    uint64_t c[4], carry = (uint64_t)block + 1, key = g.words[4], other = g.words[5];
    if (block >= g.items) return;
    for (int i = 0; i < 4; i++) {
        c[i] = g.words[i] + carry;
        carry = c[i] < carry;
    }
    for (int i = 0; i < 10; i++) {
        const uint64_t x = c[0], y = c[2];
        c[0] = HIGH(UINT64_C(0xca5a826395121157), y) ^ c[1] ^ key;
        c[1] = UINT64_C(0xca5a826395121157) * y;
        c[2] = HIGH(UINT64_C(0xd2e7470ee14c6c93), x) ^ c[3] ^ other;
        c[3] = UINT64_C(0xd2e7470ee14c6c93) * x;
        key += UINT64_C(0x9e3779b97f4a7c15);
        other += UINT64_C(0xbb67ae8584caa73b);
    }
    for (int i = 0; i < 4; i++) put_draw(to, 4 * block + i, c[i], g.count);
}

#else

typedef struct {
    uint64_t low, high;
} Pair;

static inline Pair jumped(Pair x, uint64_t a_low, uint64_t a_high, uint64_t c_low, uint64_t c_high) {
    Pair made;
    const uint64_t low = x.low * a_low;
    made.low = low + c_low;
    made.high = HIGH(x.low, a_low) + x.low * a_high + x.high * a_low + c_high + (made.low < low ? 1u : 0u);
    return made;
}

static inline uint64_t output_of(Pair x) {
#if IS_DXSM
    uint64_t high = (x.high ^ x.high >> 32) * UINT64_C(0xda942042e4dd58b5);
    return (high ^ high >> 48) * (x.low | 1u);
#else
    const uint64_t folded = x.low ^ x.high;
    const uint32_t turn = (uint32_t)(x.high >> 58);
    return folded >> turn | folded << ((64u - turn) & 63u);
#endif
}

KERNEL nacre_draw(GLOBAL char *base, const GridDraw g) {
    const int64_t item = ITEM, draws = IS_HALF ? (g.count + 1) / 2 : g.count;
    GLOBAL T *to = (GLOBAL T *)(base + g.offset);
    Pair x;
    if (item >= g.items) return;
    x.low = g.words[0];
    x.high = g.words[1];
    for (int i = 0; i < GRID_DRAW_JUMPS; i++)
        if (item >> i & 1) x = jumped(x, g.jumps[i][0], g.jumps[i][1], g.jumps[i][2], g.jumps[i][3]);
    for (int64_t i = item; i < draws; i += g.items) {
        put_draw(to, i, output_of(x), g.count);
        x = jumped(x, g.stride[0], g.stride[1], g.stride[2], g.stride[3]);
    }
}

#endif
