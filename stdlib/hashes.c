// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _hashes: hash functions for hashlib, hmac and random, whose modules are written in the language.

#include <string.h>

#include "stdlib/hash.h"
#include "stdlib/state.h"
#include "stdlib/stdlib.h"
#include "vm/value/bytes.h"
#include "vm/value/ops.h"
#include "vm/value/str_impl.h"

static const StateKind hash_state = {"a hash", sizeof(Hash), NULL};
static const size_t poll_bytes = 1 << 24;

// Returns the algorithm with a name. NULL: raised ValueError, or TypeError for a name that is not a str.
static const HashAlgorithm *algorithm_of(Vm *vm, Value name) {
    const Str *text = str_of(name);
    const HashAlgorithm *found = text ? hash_find(text->data) : NULL;
    if (!found && text) vm_raise(vm, EXC_ValueError, "unsupported hash type %s", text->data);
    if (!text) vm_raise(vm, EXC_TypeError, "name must be a string");
    return found;
}

// Gives the bytes of an argument: *owner, a bytes object, is owned. Raises TypeError for other values.
static Status data_of(Vm *vm, Value v, Value *owner) {
    Status st = bytes_like(vm, v, owner);
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError,
                    str_of(v) ? "Strings must be encoded before hashing"
                              : "object supporting the buffer API required");
}

static Status hash_all(Vm *vm, Hash *h, const char *data, size_t len) {
    Status st = ST_OK;
    while (st == ST_OK && len > 0) {
        size_t part = len < poll_bytes ? len : poll_bytes;
        hash_update(h, data, part);
        data += part;
        len -= part;
        st = len > 0 ? vm_poll(vm) : ST_OK;
    }
    return st;
}

static Status fn_new(Vm *vm, const Value *args, Value *out) {
    const HashAlgorithm *algorithm = algorithm_of(vm, args[0]);
    Value made;
    Hash *h = algorithm ? state_new(vm, &hash_state, &made) : NULL;
    if (!h) return ST_ERROR;
    hash_start(h, algorithm);
    *out = made;
    return ST_OK;
}

// blake2(name, parameters, key, last_node): makes a state; parameters is the parameter block of RFC 7693.
static Status fn_blake2(Vm *vm, const Value *args, Value *out) {
    const HashAlgorithm *algorithm = algorithm_of(vm, args[0]);
    const Bytes *parameters = bytes_of(args[1]), *key = bytes_of(args[2]);
    Value made;
    if (!algorithm) return ST_ERROR;
    if (!parameters || !key || !algorithm->holds_last || parameters->len != algorithm->block / 2u ||
        key->len > algorithm->block / 2u)
        return vm_raise(vm, EXC_ValueError, "parameters of BLAKE2 are needed");
    Hash *h = state_new(vm, &hash_state, &made);
    if (!h) return ST_ERROR;
    hash_blake2_start(h, algorithm, (const unsigned char *)parameters->data,
                      (const unsigned char *)key->data, key->len);
    h->last_node = args[3].kind == K_BOOL && args[3].i;
    *out = made;
    return ST_OK;
}

static Status fn_update(Vm *vm, const Value *args, Value *out) {
    Hash *h = state_of(vm, args[0], &hash_state);
    Value owner;
    if (!h || data_of(vm, args[1], &owner) != ST_OK) return ST_ERROR;
    Status st = hash_all(vm, h, owner.bytes->data, owner.bytes->len);
    release(vm, owner);
    *out = V_NONE;
    return st;
}

static Status fn_copy(Vm *vm, const Value *args, Value *out) {
    Hash *h = state_of(vm, args[0], &hash_state);
    Value made;
    Hash *copy = h ? state_new(vm, &hash_state, &made) : NULL;
    if (!copy) return ST_ERROR;
    *copy = *h;
    *out = made;
    return ST_OK;
}

// digest(state, length): returns the digest so far. The length is used for SHAKE only.
static Status fn_digest(Vm *vm, const Value *args, Value *out) {
    Hash *h = state_of(vm, args[0], &hash_state);
    int64_t len;
    if (!h) return ST_ERROR;
    if (op_index(vm, args[1], &len) != ST_OK) return op_refused(vm);
    if (h->digest) len = h->digest;
    if (len < 0 || len > INT32_MAX) return vm_raise(vm, EXC_ValueError, "value must be positive");
    Bytes *bytes = bytes_alloc(vm, (size_t)len);
    if (!bytes) return vm_no_memory(vm);
    Hash copy = *h;
    hash_finish(&copy, (unsigned char *)bytes->data, (size_t)len);
    *out = v_obj(bytes);
    return ST_OK;
}

// sizes(name): returns digest size << 16 | block size, in bytes.
static Status fn_sizes(Vm *vm, const Value *args, Value *out) {
    const HashAlgorithm *algorithm = algorithm_of(vm, args[0]);
    if (!algorithm) return ST_ERROR;
    *out = v_int(algorithm->digest << 16 | algorithm->block);
    return ST_OK;
}

// --- PBKDF2 ------------------------------------------------------------------------------------
// PBKDF2 (RFC 8018) with HMAC (RFC 2104). The inner and the outer state with the key absorbed are made once and
// copied for each HMAC.

typedef struct Keyed {
    Hash inner, outer;
} Keyed;

static void keyed_start(Keyed *k, const HashAlgorithm *algorithm, const Bytes *key) {
    unsigned char block[HASH_BLOCK_MAX] = {0}, pad[HASH_BLOCK_MAX];
    hash_start(&k->inner, algorithm);
    hash_start(&k->outer, algorithm);
    if (key->len <= algorithm->block)
        memcpy(block, key->data, key->len);
    else {
        Hash h = k->inner;
        hash_update(&h, key->data, key->len);
        hash_finish(&h, block, algorithm->digest);
    }
    for (int i = 0; i < algorithm->block; i++) pad[i] = block[i] ^ 0x36;
    hash_update(&k->inner, pad, algorithm->block);
    for (int i = 0; i < algorithm->block; i++) pad[i] = block[i] ^ 0x5c;
    hash_update(&k->outer, pad, algorithm->block);
}

static void keyed_finish(const Keyed *k, Hash *inner, unsigned char *out) {
    Hash outer = k->outer;
    hash_finish(inner, out, inner->digest);
    hash_update(&outer, out, outer.digest);
    hash_finish(&outer, out, outer.digest);
}

static Status pbkdf2(Vm *vm, const Keyed *k, const Bytes *salt, int64_t rounds, Bytes *to) {
    size_t size = k->inner.digest;
    for (size_t at = 0; at < to->len; at += size) {
        unsigned char last[HASH_DIGEST_MAX], sum[HASH_DIGEST_MAX];
        uint32_t number = __builtin_bswap32((uint32_t)(at / size) + 1);
        Hash h = k->inner;
        hash_update(&h, salt->data, salt->len);
        hash_update(&h, &number, sizeof number);
        keyed_finish(k, &h, last);
        memcpy(sum, last, size);
        for (int64_t i = 1; i < rounds; i++) {
            if (i % 4096 == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
            h = k->inner;
            hash_update(&h, last, size);
            keyed_finish(k, &h, last);
            for (size_t j = 0; j < size; j++) sum[j] ^= last[j];
        }
        memcpy(to->data + at, sum, to->len - at < size ? to->len - at : size);
    }
    return ST_OK;
}

static Status fn_pbkdf2(Vm *vm, const Value *args, Value *out) {
    const HashAlgorithm *algorithm = algorithm_of(vm, args[0]);
    const Bytes *password = bytes_of(args[1]), *salt = bytes_of(args[2]);
    int64_t rounds, len;
    if (!algorithm) return ST_ERROR;
    if (op_index(vm, args[3], &rounds) != ST_OK || op_index(vm, args[4], &len) != ST_OK)
        return op_refused(vm);
    if (!password || !salt || !algorithm->digest || len < 1)
        return vm_raise(vm, EXC_ValueError, "bytes and a hash of fixed length are needed");
    Bytes *to = bytes_alloc(vm, (size_t)len);
    if (!to) return vm_no_memory(vm);
    Keyed k;
    keyed_start(&k, algorithm, password);
    Status st = pbkdf2(vm, &k, salt, rounds, to);
    if (st == ST_OK)
        *out = v_obj(to);
    else
        release_obj(vm, to);
    return st;
}

// same(a, b): returns whether two bytes objects are equal, in a time that depends on the length of b only.
static Status fn_same(Vm *vm, const Value *args, Value *out) {
    const Bytes *a = bytes_of(args[0]), *b = bytes_of(args[1]);
    if (!a || !b) return vm_raise(vm, EXC_TypeError, "bytes are needed");
    unsigned char differs = a->len != b->len;
    for (size_t i = 0; i < b->len; i++)
        differs |= (unsigned char)(a->data[a->len == b->len ? i : 0] ^ b->data[i]);
    *out = v_bool(differs == 0);
    return ST_OK;
}

const NativeDef hashes_functions[] = {
    {"new", "name, /", fn_new, NULL, PURE},
    {"blake2", "name, parameters, key, last_node, /", fn_blake2, NULL, PURE},
    {"update", "state, data, /", fn_update, NULL, PURE},
    {"copy", "state, /", fn_copy, NULL, PURE},
    {"digest", "state, length=0, /", fn_digest, NULL, PURE},
    {"sizes", "name, /", fn_sizes, NULL, PURE},
    {"pbkdf2", "name, password, salt, rounds, length, /", fn_pbkdf2, NULL, PURE},
    {"same", "a, b, /", fn_same, NULL, PURE},
    {0},
};
