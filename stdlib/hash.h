// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hash functions. All algorithms use one state type, which takes data in pieces of any length. A state
// holds no references, so an assignment copies it.

#ifndef NACRE_STDLIB_HASH_H
#define NACRE_STDLIB_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Hash Hash;

typedef struct HashAlgorithm {
    const char *name;
    uint16_t block, digest; // in bytes; digest is 0 for any length (SHAKE)
    bool holds_last;        // absorbs a full block only when more data comes, as BLAKE2 marks its last block
    void (*start)(Hash *h);
    void (*absorb)(Hash *h, const unsigned char *block);
    void (*finish)(Hash *h, unsigned char *out, size_t len);
} HashAlgorithm;

enum { HASH_BLOCK_MAX = 168, HASH_DIGEST_MAX = 64 };

struct Hash {
    const HashAlgorithm *algorithm;
    uint64_t length;   // bytes passed to hash_update so far
    uint64_t absorbed; // BLAKE2: bytes in the blocks that were absorbed
    uint32_t digest;   // length of the result in bytes
    uint32_t filled;   // bytes of `block` in use
    bool last_node;    // BLAKE2's tree mode: the last node of its level
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

// Returns the algorithm with a name; NULL if there is none.
const HashAlgorithm *hash_find(const char *name);
void hash_start(Hash *h, const HashAlgorithm *algorithm);
void hash_update(Hash *h, const void *data, size_t len);
// Writes `len` bytes of the digest and consumes the state. Except for SHAKE, len is h->digest.
void hash_finish(Hash *h, unsigned char *out, size_t len);

// Starts BLAKE2 with a parameter block and a key (RFC 7693).
void hash_blake2_start(Hash *h, const HashAlgorithm *algorithm, const unsigned char *parameters,
                       const unsigned char *key, size_t key_len);

#endif
