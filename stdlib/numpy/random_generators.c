// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bit generators besides the two that are most used: PCG64DXSM, Philox, SFC64.

#include "stdlib/numpy/random.h"

typedef unsigned __int128 Wide;

// PCG of 128 bits with a multiplier of 64, and M. E. O'Neill's output "DXSM" of 2019, of the state before
// the step.
static const uint64_t DXSM_MULTIPLIER = 0xda942042e4dd58b5;
static uint64_t pcg_dxsm(uint64_t *s) {
    const uint64_t multiplier = DXSM_MULTIPLIER;
    uint64_t high = s[1], low = s[0] | 1;
    Wide state = ((Wide)s[1] << 64 | s[0]) * multiplier + ((Wide)s[3] << 64 | s[2]);
    s[0] = (uint64_t)state;
    s[1] = (uint64_t)(state >> 64);
    high = (high ^ high >> 32) * multiplier;
    return (high ^ high >> 48) * low;
}

// J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11:
// Philox of four words, ten rounds.
static void philox_block(uint64_t *s) {
    enum { ROUNDS = 10 };
    uint64_t *c = s + PHILOX_DRAWS, key[2] = {s[PHILOX_KEY], s[PHILOX_KEY + 1]};
    for (int i = 0; i < PHILOX_BLOCK; i++)
        if (++s[i]) break;
    for (int i = 0; i < PHILOX_BLOCK; i++) c[i] = s[i];
    for (int i = 0; i < ROUNDS; i++) {
        Wide first = (Wide)0xd2e7470ee14c6c93 * c[0], second = (Wide)0xca5a826395121157 * c[2];
        c[0] = (uint64_t)(second >> 64) ^ c[1] ^ key[0];
        c[1] = (uint64_t)second;
        c[2] = (uint64_t)(first >> 64) ^ c[3] ^ key[1];
        c[3] = (uint64_t)first;
        key[0] += 0x9e3779b97f4a7c15;
        key[1] += 0xbb67ae8584caa73b;
    }
}

static uint64_t philox(Bits *g) {
    if (g->at >= PHILOX_BLOCK) {
        philox_block(g->lanes);
        g->at = 0;
    }
    return g->lanes[PHILOX_DRAWS + g->at++];
}

// C. Doty-Humphrey's "Small Fast Chaotic" generator of PractRand, 2010.
static uint64_t sfc(uint64_t *s) {
    uint64_t drawn = s[0] + s[1] + s[3]++;
    s[0] = s[1] ^ s[1] >> 11;
    s[1] = s[2] + (s[2] << 3);
    s[2] = (s[2] << 24 | s[2] >> 40) + drawn;
    return drawn;
}

// --- Jumping ---------------------------------------------------------------------------------------

// `count` steps x -> a * x + c are one such step: F. B. Brown, "Random number generation with arbitrary strides",
// Transactions of the American Nuclear Society 71, 1994.
static void pcg_skip(uint64_t *s, Wide a, uint64_t count) {
    Wide state = pcg_word(s), c = pcg_word(s + 2), a_all = 1, c_all = 0;
    for (; count; count >>= 1) {
        if (count & 1) {
            a_all *= a;
            c_all = c_all * a + c;
        }
        c *= a + 1;
        a *= a;
    }
    state = a_all * state + c_all;
    s[0] = (uint64_t)state;
    s[1] = (uint64_t)(state >> 64);
}

static void philox_skip(Bits *g, uint64_t count) {
    const uint64_t left = g->at < PHILOX_BLOCK ? PHILOX_BLOCK - g->at : 0;
    if (count <= left) {
        g->at += (uint32_t)count;
        return;
    }
    const uint64_t blocks = (count - left - 1) / PHILOX_BLOCK; // that nobody looks at
    uint64_t carry = blocks;
    for (int i = 0; i < PHILOX_BLOCK && carry; i++) {
        g->lanes[i] += carry;
        carry = g->lanes[i] < carry;
    }
    philox_block(g->lanes);
    g->at = (uint32_t)(count - left - blocks * PHILOX_BLOCK);
}

static void mt_skip(Bits *g, uint64_t words) {
    for (uint64_t left; words > (left = g->at < MT_WORDS ? MT_WORDS - g->at : 0); words -= left) bits_mt_refill(g);
    g->at += (uint32_t)words;
}

void bits_skip_64(Bits *g, uint64_t count) {
    switch (g->obj.aux) {
    case BITS_PCG64: pcg_skip(g->lanes, PCG_MULTIPLIER, count); break;
    case BITS_PCG64DXSM: pcg_skip(g->lanes, DXSM_MULTIPLIER, count); break;
    case BITS_PHILOX: philox_skip(g, count); break;
    case BITS_MT19937: mt_skip(g, 2 * count); break;
    default:
        while (count-- > 0) sfc(g->lanes);
    }
}

// The last pair is drawn, as its upper half stays in the state.
void bits_skip_32(Bits *g, uint64_t count) {
    if (g->obj.aux == BITS_MT19937) {
        mt_skip(g, count);
        return;
    }
    if (count && g->has_half) {
        g->has_half = false;
        count--;
    }
    if (count > 2) {
        const uint64_t pairs = (count - 1) / 2;
        bits_skip_64(g, pairs);
        count -= 2 * pairs;
    }
    for (; count; count--) bits_u32(g);
}

uint64_t bits_wide(Bits *g) {
    switch (g->obj.aux) {
    case BITS_PCG64DXSM: return pcg_dxsm(g->lanes);
    case BITS_PHILOX: return philox(g);
    default: return sfc(g->lanes);
    }
}
