// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// SHA-3 and SHAKE (FIPS 202), BLAKE2 (RFC 7693).

#include <string.h>

#include "stdlib/hash.h"

static inline uint64_t left64(uint64_t x, int n) {
    return n ? x << n | x >> (64 - n) : x;
}
static inline uint64_t right64(uint64_t x, int n) {
    return x >> n | x << (64 - n);
}
static inline uint32_t right32(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

// --- Keccak ------------------------------------------------------------------------------------

static const uint64_t keccak_rounds[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

// Applies Keccak-f[1600]: the steps theta, rho, pi, chi and iota in 24 rounds. The order of lanes in pi and the
// rotations of rho are computed from their definitions, instead of being tables.
static void keccak_f(uint64_t *s) {
    for (int round = 0; round < 24; round++) {
        uint64_t parity[5], lane = s[1];
        for (int x = 0; x < 5; x++) parity[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
        for (int i = 0; i < 25; i++)
            s[i] ^= parity[(i % 5 + 4) % 5] ^ left64(parity[(i % 5 + 1) % 5], 1);
        lane = s[1];
        for (int t = 0, x = 1, y = 0; t < 24; t++) {
            int next = (2 * x + 3 * y) % 5;
            x = y;
            y = next;
            uint64_t kept = s[x + 5 * y];
            s[x + 5 * y] = left64(lane, (t + 1) * (t + 2) / 2 % 64);
            lane = kept;
        }
        for (int y = 0; y < 25; y += 5) {
            uint64_t row[5];
            memcpy(row, s + y, sizeof row);
            for (int x = 0; x < 5; x++) s[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        }
        s[0] ^= keccak_rounds[round];
    }
}

static void start_keccak(Hash *h) {
    (void)h; // the initial state is all zeros, which hash_start has set
}

static void absorb_keccak(Hash *h, const unsigned char *block) {
    for (size_t i = 0; i < h->algorithm->block / 8u; i++) {
        uint64_t word;
        memcpy(&word, block + 8 * i, sizeof word);
        h->w64[i] ^= word;
    }
    keccak_f(h->w64);
}

static void finish_keccak(Hash *h, unsigned char *out, size_t len) {
    size_t rate = h->algorithm->block;
    memset(h->block + h->filled, 0, rate - h->filled);
    h->block[h->filled] = h->algorithm->digest ? 0x06 : 0x1f;
    h->block[rate - 1] |= 0x80;
    absorb_keccak(h, h->block);
    for (;;) {
        size_t part = len < rate ? len : rate;
        memcpy(out, h->w64, part);
        len -= part;
        out += part;
        if (len == 0) return;
        keccak_f(h->w64);
    }
}

#define KECCAK(id, block, digest)                                                      \
    const HashAlgorithm hash_##id = {#id,          block,         digest,       false, \
                                     start_keccak, absorb_keccak, finish_keccak};
KECCAK(sha3_224, 144, 28)
KECCAK(sha3_256, 136, 32)
KECCAK(sha3_384, 104, 48)
KECCAK(sha3_512, 72, 64)
KECCAK(shake_128, 168, 0)
KECCAK(shake_256, 136, 0)
#undef KECCAK

// --- BLAKE2 ------------------------------------------------------------------------------------

static const unsigned char blake_order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

// Defines the compression function of BLAKE2b or BLAKE2s. A round mixes the columns of a 4 by 4 matrix of words, then
// its diagonals.
#define BLAKE2(name, Word, words, right, rounds, r1, r2, r3, r4, start)                          \
    static void name(Hash *h, const unsigned char *block, Word low, Word high, Word last,        \
                     Word node) {                                                                \
        Word m[16], v[16];                                                                       \
        memcpy(m, block, sizeof m);                                                              \
        memcpy(v, h->words, 8 * sizeof(Word));                                                   \
        for (int i = 0; i < 8; i++) v[8 + i] = start(i);                                         \
        v[12] ^= low;                                                                            \
        v[13] ^= high;                                                                           \
        v[14] ^= last;                                                                           \
        v[15] ^= node;                                                                           \
        for (int round = 0; round < rounds; round++) {                                           \
            const unsigned char *order = blake_order[round % 10];                                \
            for (int i = 0; i < 8; i++) {                                                        \
                int slant = i / 4, x = i % 4;                                                    \
                Word *a = v + x, *b = v + 4 + (x + slant) % 4, *c = v + 8 + (x + 2 * slant) % 4; \
                Word *d = v + 12 + (x + 3 * slant) % 4;                                          \
                *a += *b + m[order[2 * i]];                                                      \
                *d = right(*d ^ *a, r1);                                                         \
                *c += *d;                                                                        \
                *b = right(*b ^ *c, r2);                                                         \
                *a += *b + m[order[2 * i + 1]];                                                  \
                *d = right(*d ^ *a, r3);                                                         \
                *c += *d;                                                                        \
                *b = right(*b ^ *c, r4);                                                         \
            }                                                                                    \
        }                                                                                        \
        for (int i = 0; i < 8; i++) h->words[i] ^= v[i] ^ v[8 + i];                              \
    }
static inline uint64_t wide_start(int i) {
    return hash_sqrt_primes[i];
}
static inline uint32_t narrow_start(int i) {
    return (uint32_t)(hash_sqrt_primes[i] >> 32);
}
BLAKE2(mix_blake2b, uint64_t, w64, right64, 12, 32, 24, 16, 63, wide_start)
BLAKE2(mix_blake2s, uint32_t, w32, right32, 10, 16, 12, 8, 7, narrow_start)
#undef BLAKE2

static void mix_blake2(Hash *h, const unsigned char *block, uint64_t done, bool last) {
    bool node = last && h->last_node;
    if (h->algorithm->block == 128)
        mix_blake2b(h, block, done, 0, -(uint64_t)last, -(uint64_t)node);
    else
        mix_blake2s(h, block, (uint32_t)done, (uint32_t)(done >> 32), -(uint32_t)last,
                    -(uint32_t)node);
}

// The counter of a block includes the block itself but not later data, so h->length, which counts all data
// passed in, cannot be used.
static void absorb_blake2(Hash *h, const unsigned char *block) {
    uint64_t done = h->absorbed + h->algorithm->block;
    h->absorbed = done;
    mix_blake2(h, block, done, false);
}

static void finish_blake2(Hash *h, unsigned char *out, size_t len) {
    memset(h->block + h->filled, 0, h->algorithm->block - h->filled);
    mix_blake2(h, h->block, h->absorbed + h->filled, true);
    memcpy(out, h->w64, len);
}

static void start_blake2(Hash *h) {
    unsigned char parameters[64] = {(unsigned char)h->algorithm->digest, 0, 1, 1};
    hash_blake2_start(h, h->algorithm, parameters, NULL, 0);
}

void hash_blake2_start(Hash *h, const HashAlgorithm *algorithm, const unsigned char *parameters,
                       const unsigned char *key, size_t key_len) {
    memset(h, 0, sizeof *h);
    h->algorithm = algorithm;
    h->digest = parameters[0];
    bool wide = algorithm->block == 128;
    for (int i = 0; i < 8; i++) {
        if (wide)
            h->w64[i] = hash_sqrt_primes[i];
        else
            h->w32[i] = narrow_start(i);
    }
    unsigned char *state = (unsigned char *)h->w64;
    for (int i = 0; i < (wide ? 64 : 32); i++) state[i] ^= parameters[i];
    if (key_len == 0) return;
    unsigned char block[128] = {0};
    memcpy(block, key, key_len);
    hash_update(h, block, algorithm->block);
}

const HashAlgorithm hash_blake2b = {"blake2b",    128,           64,           true,
                                    start_blake2, absorb_blake2, finish_blake2};
const HashAlgorithm hash_blake2s = {"blake2s",     64,           32, true, start_blake2,
                                    absorb_blake2, finish_blake2};
