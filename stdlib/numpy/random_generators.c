// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bit generators besides the two that are most used: PCG64DXSM, Philox, SFC64.

#include "stdlib/numpy/random.h"

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

static void pcg_skip(Bits *g, uint64_t count) {
    const PcgJump jump = pcg_jump(pcg_one((BitsKind)g->obj.aux, g->lanes), count);
    pcg_put_word(g->lanes, jump.a * pcg_word(g->lanes) + jump.c);
}

static void philox_skip(Bits *g, uint64_t count) {
    const uint64_t left = g->at < PHILOX_BLOCK ? PHILOX_BLOCK - g->at : 0;
    if (count <= left) {
        g->at += (uint32_t)count;
        return;
    }
    const uint64_t blocks = (count - left - 1) / PHILOX_BLOCK; // that nobody looks at
    philox_advance(g->lanes, blocks);
    philox_block(g->lanes);
    g->at = (uint32_t)(count - left - blocks * PHILOX_BLOCK);
}

static void mt_skip(Bits *g, uint64_t words) {
    for (uint64_t left; words > (left = g->at < MT_WORDS ? MT_WORDS - g->at : 0); words -= left) bits_mt_refill(g);
    g->at += (uint32_t)words;
}

void bits_skip_64(Bits *g, uint64_t count) {
    switch (g->obj.aux) {
    case BITS_PCG64:
    case BITS_PCG64DXSM: pcg_skip(g, count); break;
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
