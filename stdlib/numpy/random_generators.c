// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bit generators besides the two that are most used: PCG64DXSM, Philox, SFC64.

#include "stdlib/numpy/random.h"

typedef unsigned __int128 Wide;

// PCG of 128 bits with a multiplier of 64, and M. E. O'Neill's output "DXSM" of 2019, of the state before
// the step.
static uint64_t pcg_dxsm(uint64_t *s) {
    const uint64_t multiplier = 0xda942042e4dd58b5;
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

uint64_t bits_wide(Bits *g) {
    switch (g->obj.aux) {
    case BITS_PCG64DXSM: return pcg_dxsm(g->lanes);
    case BITS_PHILOX: return philox(g);
    default: return sfc(g->lanes);
    }
}
