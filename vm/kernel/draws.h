// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Steps and jumps of bit generators that can jump to any position of their stream, for module numpy.random and for
// backends, which draw parts of an array in parallel (DRAW of ops.def).

#ifndef NACRE_VM_KERNEL_DRAWS_H
#define NACRE_VM_KERNEL_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum BitsKind {
    BITS_PCG64,
    BITS_MT19937,
    BITS_PCG64DXSM,
    BITS_PHILOX,
    BITS_SFC64,
    BITS_KINDS,
} BitsKind;
// Lanes of a Philox state: counter (PHILOX_BLOCK lanes), key (2 lanes from PHILOX_KEY), draws (PHILOX_BLOCK lanes from
// PHILOX_DRAWS).
enum { PHILOX_KEY = 4, PHILOX_DRAWS = 6, PHILOX_BLOCK = 4, BITS_LANES = 10 };
enum { DRAW_WORDS = 6 }; // lanes of a state that DRAW takes as operands: all but Philox's draws

static inline bool draws_can_jump(BitsKind kind) {
    return kind == BITS_PCG64 || kind == BITS_PCG64DXSM || kind == BITS_PHILOX;
}

// --- PCG -----------------------------------------------------------------------------------------

// M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
// Random Number Generation", 2014: a linear congruential step of 128 bits, then XSL-RR.
typedef unsigned __int128 PcgWord;
#define PCG_MULTIPLIER ((PcgWord)0x2360ed051fc65da4 << 64 | 0x4385df649fccf645)
#define DXSM_MULTIPLIER ((PcgWord)0xda942042e4dd58b5)

static inline PcgWord pcg_word(const uint64_t *lanes) {
    return (PcgWord)lanes[1] << 64 | lanes[0];
}
static inline void pcg_put_word(uint64_t *lanes, PcgWord word) {
    lanes[0] = (uint64_t)word;
    lanes[1] = (uint64_t)(word >> 64);
}

static inline uint64_t pcg_step(PcgWord *state, PcgWord increment) {
    *state = *state * PCG_MULTIPLIER + increment;
    uint64_t folded = (uint64_t)*state ^ (uint64_t)(*state >> 64);
    unsigned turn = (unsigned)(*state >> 122);
    return folded >> turn | folded << (-turn & 63);
}

// Draws by PCG64DXSM: 128 bits of state, a multiplier of 64 bits, and M. E. O'Neill's output function "DXSM" (2019),
// applied to the state before the step.
static inline uint64_t pcg_dxsm(uint64_t *s) {
    const uint64_t multiplier = (uint64_t)DXSM_MULTIPLIER;
    uint64_t high = s[1], low = s[0] | 1;
    pcg_put_word(s, pcg_word(s) * multiplier + pcg_word(s + 2));
    high = (high ^ high >> 32) * multiplier;
    return (high ^ high >> 48) * low;
}

// `count` steps x -> a * x + c are one such step: F. B. Brown, "Random number generation with arbitrary strides",
// Transactions of the American Nuclear Society 71, 1994.
typedef struct PcgJump {
    PcgWord a, c;
} PcgJump;
static inline PcgJump pcg_jump(PcgJump one, uint64_t count) {
    PcgJump all = {1, 0};
    for (; count; count >>= 1) {
        if (count & 1) all = (PcgJump){all.a * one.a, all.c * one.a + one.c};
        one = (PcgJump){one.a * one.a, one.c * (one.a + 1)};
    }
    return all;
}
static inline PcgJump pcg_one(BitsKind kind, const uint64_t *lanes) {
    return (PcgJump){kind == BITS_PCG64 ? PCG_MULTIPLIER : DXSM_MULTIPLIER, pcg_word(lanes + 2)};
}

// --- Philox --------------------------------------------------------------------------------------

static inline void philox_advance(uint64_t *counter, uint64_t blocks) {
    for (int i = 0; i < PHILOX_BLOCK && blocks; i++) {
        counter[i] += blocks;
        blocks = counter[i] < blocks;
    }
}

// Computes the next four draws by Philox of four words and ten rounds: J. K. Salmon, M. A. Moraes, R. O. Dror and
// D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
static inline void philox_block(uint64_t *s) {
    enum { ROUNDS = 10 };
    uint64_t *c = s + PHILOX_DRAWS, key[2] = {s[PHILOX_KEY], s[PHILOX_KEY + 1]};
    philox_advance(s, 1);
    for (int i = 0; i < PHILOX_BLOCK; i++) c[i] = s[i];
    for (int i = 0; i < ROUNDS; i++) {
        PcgWord first = (PcgWord)0xd2e7470ee14c6c93 * c[0], second = (PcgWord)0xca5a826395121157 * c[2];
        c[0] = (uint64_t)(second >> 64) ^ c[1] ^ key[0];
        c[1] = (uint64_t)second;
        c[2] = (uint64_t)(first >> 64) ^ c[3] ^ key[1];
        c[3] = (uint64_t)first;
        key[0] += 0x9e3779b97f4a7c15;
        key[1] += 0xbb67ae8584caa73b;
    }
}

// --- Values ----------------------------------------------------------------------------------------

// Convert the upper 53 bits of a 64-bit draw, or the upper 24 bits of a 32-bit draw, to a number in [0, 1).
static inline double draws_double(uint64_t drawn) {
    return (double)(drawn >> 11) * 0x1p-53;
}
static inline float draws_float(uint32_t drawn) {
    return (float)(drawn >> 8) * 0x1p-24f;
}

#endif
