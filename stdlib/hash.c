// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// MD5 (RFC 1321), SHA-1, SHA-224, SHA-256, SHA-384, SHA-512 (FIPS 180-4), and the buffering of blocks
// that all hash functions share.

#include <string.h>

#include "stdlib/hash.h"

// --- Blocks ------------------------------------------------------------------------------------

const HashAlgorithm *hash_find(const char *name) {
    static const HashAlgorithm *const all[] = {
        &hash_md5,       &hash_sha1,      &hash_sha224,   &hash_sha256,   &hash_sha384,
        &hash_sha512,    &hash_sha3_224,  &hash_sha3_256, &hash_sha3_384, &hash_sha3_512,
        &hash_shake_128, &hash_shake_256, &hash_blake2b,  &hash_blake2s};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}

void hash_start(Hash *h, const HashAlgorithm *algorithm) {
    memset(h, 0, sizeof *h);
    h->algorithm = algorithm;
    h->digest = algorithm->digest;
    algorithm->start(h);
}

void hash_update(Hash *h, const void *data, size_t len) {
    const HashAlgorithm *a = h->algorithm;
    const unsigned char *at = data;
    while (len > 0) {
        if (h->filled == a->block) { // a full block that was held back (holds_last)
            a->absorb(h, h->block);
            h->filled = 0;
        }
        size_t room = a->block - h->filled, part = len < room ? len : room;
        h->length += part;
        bool whole = part == a->block && !(a->holds_last && len == part);
        if (whole)
            a->absorb(h, at);
        else
            memcpy(h->block + h->filled, at, part);
        if (!whole) h->filled += (uint32_t)part;
        at += part;
        len -= part;
        if (h->filled < a->block || a->holds_last) continue;
        a->absorb(h, h->block);
        h->filled = 0;
    }
}

void hash_finish(Hash *h, unsigned char *out, size_t len) {
    h->algorithm->finish(h, out, len);
}

// --- Words -------------------------------------------------------------------------------------

static inline uint32_t left32(uint32_t x, int n) {
    return x << n | x >> (32 - n);
}
static inline uint32_t right32(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}
static inline uint64_t right64(uint64_t x, int n) {
    return x >> n | x << (64 - n);
}
static inline uint32_t load_be32(const unsigned char *at) {
    uint32_t x;
    memcpy(&x, at, sizeof x);
    return __builtin_bswap32(x);
}
static inline uint64_t load_be64(const unsigned char *at) {
    uint64_t x;
    memcpy(&x, at, sizeof x);
    return __builtin_bswap64(x);
}

// Pads the last block and absorbs it: a one bit, zeros, and the length in bits at the end.
static void pad(Hash *h, size_t length_bytes, bool big_endian) {
    const HashAlgorithm *a = h->algorithm;
    uint64_t bits = h->length << 3;
    h->block[h->filled++] = 0x80;
    if (h->filled > a->block - length_bytes) {
        memset(h->block + h->filled, 0, a->block - h->filled);
        a->absorb(h, h->block);
        h->filled = 0;
    }
    memset(h->block + h->filled, 0, a->block - h->filled);
    if (big_endian) bits = __builtin_bswap64(bits);
    memcpy(h->block + a->block - (big_endian ? 8 : length_bytes), &bits, sizeof bits);
    if (length_bytes == 16) h->block[a->block - 9] = (unsigned char)(h->length >> 61);
    a->absorb(h, h->block);
}

static void finish_be32(Hash *h, unsigned char *out, size_t len) {
    pad(h, 8, true);
    for (size_t i = 0; i < len; i++) out[i] = (unsigned char)(h->w32[i / 4] >> (24 - 8 * (i % 4)));
}

// --- MD5 ---------------------------------------------------------------------------------------

static void start_five(Hash *h) {
    static const uint32_t start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    memcpy(h->w32, start, sizeof start);
}

static const uint32_t md5_rounds[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static inline uint32_t md5_mix(int round, uint32_t b, uint32_t c, uint32_t d) {
    switch (round) {
    case 0: return d ^ (b & (c ^ d));
    case 1: return c ^ (d & (b ^ c));
    case 2: return b ^ c ^ d;
    default: return c ^ (b | ~d);
    }
}

static void absorb_md5(Hash *h, const unsigned char *block) {
    static const unsigned char turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const unsigned char steps[4] = {1, 5, 3, 7}, starts[4] = {0, 1, 5, 0};
    uint32_t words[16], a = h->w32[0], b = h->w32[1], c = h->w32[2], d = h->w32[3];
    memcpy(words, block, sizeof words);
    for (int i = 0; i < 64; i++) {
        int round = i / 16;
        uint32_t word = words[(starts[round] + steps[round] * i) & 15];
        uint32_t sum = a + md5_mix(round, b, c, d) + md5_rounds[i] + word;
        a = d;
        d = c;
        c = b;
        b += left32(sum, turns[round][i & 3]);
    }
    h->w32[0] += a;
    h->w32[1] += b;
    h->w32[2] += c;
    h->w32[3] += d;
}

static void finish_md5(Hash *h, unsigned char *out, size_t len) {
    pad(h, 8, false);
    memcpy(out, h->w32, len);
}

const HashAlgorithm hash_md5 = {"md5", 64, 16, false, start_five, absorb_md5, finish_md5};

// --- SHA-1 -------------------------------------------------------------------------------------

static inline uint32_t sha1_mix(int round, uint32_t b, uint32_t c, uint32_t d) {
    switch (round) {
    case 0: return (d ^ (b & (c ^ d))) + 0x5a827999u;
    case 1: return (b ^ c ^ d) + 0x6ed9eba1u;
    case 2: return ((b & c) | (d & (b | c))) + 0x8f1bbcdcu;
    default: return (b ^ c ^ d) + 0xca62c1d6u;
    }
}

static void absorb_sha1(Hash *h, const unsigned char *block) {
    uint32_t w[80], *s = h->w32, a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];
    for (int i = 0; i < 16; i++) w[i] = load_be32(block + 4 * i);
    for (int i = 16; i < 80; i++) w[i] = left32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t sum = left32(a, 5) + sha1_mix(i / 20, b, c, d) + e + w[i];
        e = d;
        d = c;
        c = left32(b, 30);
        b = a;
        a = sum;
    }
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
}

const HashAlgorithm hash_sha1 = {"sha1", 64, 20, false, start_five, absorb_sha1, finish_be32};

// --- SHA-2 -------------------------------------------------------------------------------------
// The round constants are the fractional parts of the cube roots of the first 80 primes. SHA-256 uses
// the upper halves of the first 64.

static const uint64_t sha2_rounds[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

const uint64_t hash_sqrt_primes[16] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

static void start_sha256(Hash *h) {
    for (int i = 0; i < 8; i++) h->w32[i] = (uint32_t)(hash_sqrt_primes[i] >> 32);
}
static void start_sha224(Hash *h) {
    for (int i = 0; i < 8; i++) h->w32[i] = (uint32_t)hash_sqrt_primes[i + 8];
}
static void start_sha512(Hash *h) {
    memcpy(h->w64, hash_sqrt_primes, 64);
}
static void start_sha384(Hash *h) {
    memcpy(h->w64, hash_sqrt_primes + 8, 64);
}

// Defines the compression function for 32-bit and 64-bit words, which differ in the number of rounds
// and the rotations (s0, s1, t0, t1) as well.
#define SHA2(name, Word, words, load, rounds, constant, s0, s1, t0, t1)                        \
    static void name(Hash *h, const unsigned char *block) {                                    \
        Word w[rounds], v[8];                                                                  \
        for (int i = 0; i < 16; i++) w[i] = load(block + sizeof(Word) * (size_t)i);            \
        for (int i = 16; i < rounds; i++)                                                      \
            w[i] = w[i - 16] + s0(w[i - 15]) + w[i - 7] + s1(w[i - 2]);                        \
        memcpy(v, h->words, sizeof v);                                                         \
        for (int i = 0; i < rounds; i++) {                                                     \
            Word one = v[7] + t1(v[4]) + (v[6] ^ (v[4] & (v[5] ^ v[6]))) + constant(i) + w[i]; \
            Word two = t0(v[0]) + ((v[0] & v[1]) | (v[2] & (v[0] | v[1])));                    \
            memmove(v + 1, v, 7 * sizeof(Word));                                               \
            v[4] += one;                                                                       \
            v[0] = one + two;                                                                  \
        }                                                                                      \
        for (int i = 0; i < 8; i++) h->words[i] += v[i];                                       \
    }

static inline uint32_t small_s0(uint32_t x) {
    return right32(x, 7) ^ right32(x, 18) ^ x >> 3;
}
static inline uint32_t small_s1(uint32_t x) {
    return right32(x, 17) ^ right32(x, 19) ^ x >> 10;
}
static inline uint32_t small_t0(uint32_t x) {
    return right32(x, 2) ^ right32(x, 13) ^ right32(x, 22);
}
static inline uint32_t small_t1(uint32_t x) {
    return right32(x, 6) ^ right32(x, 11) ^ right32(x, 25);
}
static inline uint32_t small_constant(int i) {
    return (uint32_t)(sha2_rounds[i] >> 32);
}
static inline uint64_t large_s0(uint64_t x) {
    return right64(x, 1) ^ right64(x, 8) ^ x >> 7;
}
static inline uint64_t large_s1(uint64_t x) {
    return right64(x, 19) ^ right64(x, 61) ^ x >> 6;
}
static inline uint64_t large_t0(uint64_t x) {
    return right64(x, 28) ^ right64(x, 34) ^ right64(x, 39);
}
static inline uint64_t large_t1(uint64_t x) {
    return right64(x, 14) ^ right64(x, 18) ^ right64(x, 41);
}
static inline uint64_t large_constant(int i) {
    return sha2_rounds[i];
}
SHA2(absorb_sha256, uint32_t, w32, load_be32, 64, small_constant, small_s0, small_s1, small_t0,
     small_t1)
SHA2(absorb_sha512, uint64_t, w64, load_be64, 80, large_constant, large_s0, large_s1, large_t0,
     large_t1)
#undef SHA2

static void finish_sha512(Hash *h, unsigned char *out, size_t len) {
    pad(h, 16, true);
    for (size_t i = 0; i < len; i++) out[i] = (unsigned char)(h->w64[i / 8] >> (56 - 8 * (i % 8)));
}

const HashAlgorithm hash_sha224 = {"sha224",      64,         28, false, start_sha224,
                                   absorb_sha256, finish_be32};
const HashAlgorithm hash_sha256 = {"sha256",      64,         32, false, start_sha256,
                                   absorb_sha256, finish_be32};
const HashAlgorithm hash_sha384 = {"sha384",     128,           48,           false,
                                   start_sha384, absorb_sha512, finish_sha512};
const HashAlgorithm hash_sha512 = {"sha512",     128,           64,           false,
                                   start_sha512, absorb_sha512, finish_sha512};
