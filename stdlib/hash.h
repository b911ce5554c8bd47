// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hash functions: one state for all, fed in pieces of any length. It holds no references, so a copy
// is an assignment.

#ifndef NACRE_STDLIB_HASH_H
#define NACRE_STDLIB_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Hash Hash;

typedef struct HashAlgorithm {
    const char *name;
    uint16_t block, digest; // bytes; digest 0: of any length
    bool holds_last;        // a full block waits until there is more (BLAKE2 marks its last one)
    void (*start)(Hash *h);
    void (*absorb)(Hash *h, const unsigned char *block);
    void (*finish)(Hash *h, unsigned char *out, size_t len);
} HashAlgorithm;

enum { HASH_BLOCK_MAX = 168, HASH_DIGEST_MAX = 64 };

struct Hash {
    const HashAlgorithm *algorithm;
    uint64_t length;   // bytes so far
    uint64_t absorbed; // BLAKE2: those of whole blocks that were mixed in
    uint32_t digest;   // bytes of the result
    uint32_t filled;   // of `block`
    bool last_node;    // BLAKE2's tree mode
    unsigned char block[HASH_BLOCK_MAX];
    union {
        uint32_t w32[8];
        uint64_t w64[25];
    };
};

extern const HashAlgorithm hash_md5, hash_sha1, hash_sha224, hash_sha256, hash_sha384, hash_sha512;
extern const HashAlgorithm hash_sha3_224, hash_sha3_256, hash_sha3_384, hash_sha3_512;
extern const HashAlgorithm hash_shake_128, hash_shake_256;
extern const HashAlgorithm hash_blake2b, hash_blake2s;

// The first 64 bits of the fractional parts of the square roots of the first sixteen primes.
extern const uint64_t hash_sqrt_primes[16];

// NULL: no such algorithm.
const HashAlgorithm *hash_find(const char *name);
void hash_start(Hash *h, const HashAlgorithm *algorithm);
void hash_update(Hash *h, const void *data, size_t len);
// `len` bytes of the result; the state is used up then. len == h->digest but for SHAKE.
void hash_finish(Hash *h, unsigned char *out, size_t len);

// BLAKE2's parameters, before anything is hashed: a block of them, and the key (see RFC 7693).
void hash_blake2_start(Hash *h, const HashAlgorithm *algorithm, const unsigned char *parameters,
                       const unsigned char *key, size_t key_len);

#endif
