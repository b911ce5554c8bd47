// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The bit generators PCG64DXSM, Philox and SFC64, and how all generators skip draws. (random.h and random_bits.c have
// PCG64 and MT19937.)

#include "stdlib/numpy/random.h"

static uint64_t philox(Bits *g) {
    if (g->at >= PHILOX_BLOCK) {
        philox_block(g->lanes);
        g->at = 0;
    }
    return g->lanes[PHILOX_DRAWS + g->at++];
}

// Draws from SFC64, the "Small Fast Chaotic" generator of C. Doty-Humphrey's PractRand, 2010.
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
    const uint64_t blocks = (count - left - 1) / PHILOX_BLOCK; // whole blocks to skip
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

// Skips 32-bit draws. The last pair is drawn instead of skipped, as the state keeps its upper half.
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
