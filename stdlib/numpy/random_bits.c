// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bit generators as values: MT19937, reading and setting the state of all generators, and the system's
// entropy. The classes that scripts see are in numpy/random.ncr.

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "stdlib/numpy/random.h"
#include "stdlib/random.h"
#include "stdlib/stdlib.h"
#include "vm/value/class.h"
#include "vm/value/identity.h"
#include "vm/value/int.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

// --- MT19937 -----------------------------------------------------------------------------------
// M. Matsumoto and T. Nishimura, "Mersenne Twister: A 623-dimensionally equidistributed uniform
// pseudorandom number generator", ACM TOMACS 8(1), 1998. Seeding follows the authors' version of 2002.

static inline uint32_t mt_mix(uint32_t upper, uint32_t lower, uint32_t far) {
    uint32_t joined = (upper & 0x80000000u) | (lower & 0x7fffffffu);
    return far ^ joined >> 1 ^ (-(lower & 1) & 0x9908b0dfu);
}

void bits_mt_refill(Bits *g) {
    enum { FAR = 397, LAST = MT_WORDS - 1 };
    uint32_t *w = g->words;
    int i = 0;
    for (; i < MT_WORDS - FAR; i++) w[i] = mt_mix(w[i], w[i + 1], w[i + FAR]);
    for (; i < LAST; i++) w[i] = mt_mix(w[i], w[i + 1], w[i + FAR - MT_WORDS]);
    w[LAST] = mt_mix(w[LAST], w[0], w[FAR - 1]);
    g->at = 0;
}

static void mt_seed(Bits *g, uint32_t seed) {
    for (uint32_t i = 0; i < MT_WORDS; i++) {
        g->words[i] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + i + 1;
    }
    g->at = MT_WORDS;
}

void bits_mt_seed(Bits *g, const uint32_t *key, size_t len) {
    uint32_t *w = g->words;
    size_t rounds = len > MT_WORDS ? len : MT_WORDS, i = 1;
    mt_seed(g, 19650218u);
    for (size_t k = 0, j = 0; k < rounds; k++, j = j + 1 == len ? 0 : j + 1) {
        w[i] = (w[i] ^ (w[i - 1] ^ w[i - 1] >> 30) * 1664525u) + key[j] + (uint32_t)j;
        if (++i < MT_WORDS) continue;
        w[0] = w[MT_WORDS - 1];
        i = 1;
    }
    for (int k = 1; k < MT_WORDS; k++) {
        w[i] = (w[i] ^ (w[i - 1] ^ w[i - 1] >> 30) * 1566083941u) - (uint32_t)i;
        if (++i < MT_WORDS) continue;
        w[0] = w[MT_WORDS - 1];
        i = 1;
    }
    w[0] = 0x80000000u; // never all zero
}

// --- The kind ----------------------------------------------------------------------------------

static Bits *self_bits(Value v) {
    return (Bits *)v.obj;
}

Bits *bits_of(Vm *vm, Value v) {
    if (v.kind == K_BITS) return self_bits(v);
    vm_raise(vm, EXC_TypeError, "a bit generator is needed, not '%s'", type_name(vm, v));
    return NULL;
}

static size_t bits_size(const Obj *obj) {
    (void)obj;
    return sizeof(Bits);
}

const TypeSlots kind_BITS = {
    .size = bits_size, .construct = &bits_construct_row, .methods = bits_methods};

static Status fn_bits(Vm *vm, const Value *args, Value *out) {
    int64_t kind;
    if (array_long(vm, args[0], &kind) != ST_OK) return op_refused(vm);
    if (kind < 0 || kind >= BITS_KINDS)
        return vm_raise(vm, EXC_ValueError, "no such bit generator: %" PRId64, kind);
    Bits *g = obj_new(vm, K_BITS, sizeof *g);
    if (!g) return vm_no_memory(vm);
    g->obj.aux = (uint16_t)kind;
    g->at = MT_WORDS;
    g->vm = vm;
    *out = v_obj(g);
    return ST_OK;
}

// --- State -------------------------------------------------------------------------------------
// A state is passed as an array of uint64: the lanes, has_half, half, and the number of draws used up. For MT19937, the
// words and the number of words used up.

static int64_t lanes_of(const Bits *g) {
    static const int lanes[BITS_KINDS] = {
        [BITS_PCG64] = 4, [BITS_PCG64DXSM] = 4, [BITS_PHILOX] = BITS_LANES, [BITS_SFC64] = 4};
    return lanes[g->obj.aux];
}

static int64_t state_len(const Bits *g) {
    return g->obj.aux == BITS_MT19937 ? MT_WORDS + 1 : lanes_of(g) + 3;
}

static void put_state(const Bits *g, uint64_t *to) {
    int64_t lanes = lanes_of(g);
    if (g->obj.aux != BITS_MT19937) {
        memcpy(to, g->lanes, (size_t)lanes * sizeof *to);
        to[lanes] = g->has_half;
        to[lanes + 1] = g->half;
        to[lanes + 2] = g->at;
        return;
    }
    for (int i = 0; i < MT_WORDS; i++) to[i] = g->words[i];
    to[MT_WORDS] = g->at;
}

static uint32_t used_up(uint64_t count, uint32_t most) {
    return count < most ? (uint32_t)count : most;
}

static void take_state(Bits *g, const uint64_t *from) {
    int64_t lanes = lanes_of(g);
    if (g->obj.aux != BITS_MT19937) {
        memcpy(g->lanes, from, (size_t)lanes * sizeof *from);
        g->has_half = from[lanes] != 0;
        g->half = (uint32_t)from[lanes + 1];
        g->at = used_up(from[lanes + 2], PHILOX_BLOCK);
        return;
    }
    for (int i = 0; i < MT_WORDS; i++) g->words[i] = (uint32_t)from[i];
    g->at = used_up(from[MT_WORDS], MT_WORDS);
}

static Status fn_state(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    Value array;
    if (!g) return ST_ERROR;
    int64_t len = state_len(g);
    Status st = array_new(vm, DT_UINT64, 1, &len, ROOM_HOST, &array);
    if (st != ST_OK) return st;
    char *to = array_write(vm, array.array);
    if (!to) {
        release(vm, array);
        return ST_ERROR;
    }
    put_state(g, (uint64_t *)to);
    *out = array;
    return ST_OK;
}

// Makes a contiguous vector of one type from v. Raises ValueError unless it has `len` elements, or for -1 at least one.
static Status words_of(Vm *vm, Value v, DType type, int64_t len, Value *out) {
    Value array;
    Status st = array_from(vm, v, type, &array);
    if (st != ST_OK) return st;
    int64_t size = array_size(array.array);
    if (array.array->ndim != 1 || (len >= 0 ? size != len : size == 0))
        st = vm_raise(vm, EXC_ValueError, "a state of another length");
    if (st == ST_OK) st = array_contiguous(vm, array, out);
    release(vm, array);
    return st;
}

static Status fn_set_state(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    Value array;
    if (!g) return ST_ERROR;
    Status st = words_of(vm, args[1], DT_UINT64, state_len(g), &array);
    if (st != ST_OK) return st;
    const char *from = array_fetch(vm, array.array, FOR_RANDOM);
    if (from) take_state(g, (const uint64_t *)from);
    release(vm, array);
    *out = V_NONE;
    return from ? ST_OK : ST_ERROR;
}

// seed(bits, seed): seeds MT19937 with an int or an array of ints.
static Status fn_seed(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    Value array;
    if (!g) return ST_ERROR;
    g->has_gauss = false;
    *out = V_NONE;
    if (args[1].kind == K_INT) {
        mt_seed(g, (uint32_t)args[1].i);
        return ST_OK;
    }
    Status st = words_of(vm, args[1], DT_UINT32, -1, &array);
    if (st != ST_OK) return st;
    const char *key = array_fetch(vm, array.array, FOR_RANDOM);
    if (key) bits_mt_seed(g, (const uint32_t *)key, (size_t)array_size(array.array));
    release(vm, array);
    return key ? ST_OK : ST_ERROR;
}

// gauss(bits): returns the saved second normal number of a pair, or None.
static Status fn_gauss(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    if (!g) return ST_ERROR;
    *out = g->has_gauss ? v_float(g->gauss) : V_NONE;
    return ST_OK;
}

static Status fn_set_gauss(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    if (!g) return ST_ERROR;
    g->has_gauss = args[1].kind != K_NONE;
    *out = V_NONE;
    return g->has_gauss ? op_as_double(vm, args[1], &g->gauss) : ST_OK;
}

static Status fn_raw(Vm *vm, const Value *args, Value *out) {
    Bits *g = bits_of(vm, args[0]);
    if (!g) return ST_ERROR;
    return int_from_u64(vm, g->obj.aux == BITS_MT19937 ? bits_mt_word(g) : bits_u64(g), out);
}

static Status fn_address(Vm *vm, const Value *args, Value *out) {
    uint64_t address = 0;
    Status st = is_heap(args[0]) ? identity_of(vm, args[0].obj, &address) : ST_OK;
    return st == ST_OK ? int_from_u64(vm, address, out) : st;
}

// entropy(count): returns a list of random 32-bit ints from the system.
static Status fn_entropy(Vm *vm, const Value *args, Value *out) {
    enum { AT_ONCE = 64 };
    uint32_t words[AT_ONCE];
    int64_t count;
    if (array_long(vm, args[0], &count) != ST_OK) return op_refused(vm);
    List *list = list_new(vm, count > 0 ? (size_t)count : 1);
    if (!list) return vm_no_memory(vm);
    Status st = ST_OK;
    for (int64_t i = 0; st == ST_OK && i < count; i++) {
        if (i % AT_ONCE == 0 && getentropy(words, sizeof words) != 0)
            st = vm_raise_os(vm, errno, NULL);
        if (st == ST_OK) st = list_append(vm, list, v_int(words[i % AT_ONCE]));
    }
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(vm, list);
    return st;
}

const NativeDef numpy_random_functions[] = {
    {"bits", "kind, /", fn_bits, NULL, PURE},
    {"state", "bits, /", fn_state, NULL, PURE},
    {"set_state", "bits, state, /", fn_set_state, NULL, PURE},
    {"seed", "bits, seed, /", fn_seed, NULL, PURE},
    {"gauss", "bits, /", fn_gauss, NULL, PURE},
    {"set_gauss", "bits, value, /", fn_set_gauss, NULL, PURE},
    {"raw", "bits, /", fn_raw, NULL, PURE},
    {"address", "obj, /", fn_address, NULL, PURE},
    {"entropy", "count, /", fn_entropy, NULL, ENTROPY},
    {0},
};

Status numpy_random_init(Vm *vm, Module *module) {
    Status st = module_add_natives(vm, module, numpy_random_draws);
    if (st == ST_OK) st = module_add_natives(vm, module, numpy_random_integers);
    return st == ST_OK ? module_add_natives(vm, module, numpy_random_vectors) : st;
}
