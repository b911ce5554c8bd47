// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _random: the Mersenne Twister, with the same draws as CPython's module random. random.Random
// derives from the class of numpy.random's bit generators. random.ncr has the functions that need no speed.

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "stdlib/numpy/random.h"
#include "stdlib/random.h"
#include "stdlib/stdlib.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/int.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

// Makes a generator with the fixed seed 0, which __init__ replaces. Ignores the arguments: they are for __init__ of
// derived classes.
static Status construct(Vm *vm, const Value *args, Value *out) {
    (void)args;
    Bits *g = obj_new(vm, K_BITS, sizeof *g);
    if (!g) return vm_no_memory(vm);
    g->obj.aux = BITS_MT19937;
    bits_mt_seed(g, (const uint32_t[]){0}, 1);
    *out = v_obj(g);
    return ST_OK;
}

const NativeDef bits_construct_row = {"Random", "*args, **kwargs", construct, NULL, PURE};

static Bits *self_of(const Value *args) {
    return (Bits *)unwrap(args[0]).obj;
}

static Status m_random(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_float(bits_double(self_of(args)));
    return ST_OK;
}

// --- Bits --------------------------------------------------------------------------------------

// Draws `count` > 64 random bits in words of 32, the lowest first. The last word is shifted right if fewer bits are
// needed, so that its upper bits are used.
static Status draw_long(Vm *vm, Bits *g, int64_t count, Value *out) {
    if (int_check_size(vm, count) != ST_OK) return ST_ERROR;
    int used = (int)((count + INT_DIGIT_BITS - 1) / INT_DIGIT_BITS);
    size_t room = (size_t)(used + 1) * sizeof(uint64_t);
    uint64_t *digits = mem_alloc(&vm->mem, room);
    if (!digits) return vm_no_memory(vm);
    U128 kept = 0;
    int have = 0, at = 0;
    Status st = ST_OK;
    for (int64_t left = count, words = 0; left > 0 && st == ST_OK; left -= 32, words++) {
        uint32_t word = bits_u32(g);
        if (left < 32) word >>= 32 - left;
        kept |= (U128)word << have;
        have += 32;
        if (have >= INT_DIGIT_BITS) {
            digits[at++] = (uint64_t)kept & INT_DIGIT_MASK;
            kept >>= INT_DIGIT_BITS;
            have -= INT_DIGIT_BITS;
        }
        if (words % 65536 == 65535) st = vm_poll(vm);
    }
    while (at < used) {
        digits[at++] = (uint64_t)kept & INT_DIGIT_MASK;
        kept >>= INT_DIGIT_BITS;
    }
    if (st == ST_OK) st = int_from_magnitude(vm, digits, used, false, out);
    mem_free(&vm->mem, digits, room);
    return st;
}

// Draws 0 < count <= 64 random bits.
static inline uint64_t draw_short(Bits *g, int64_t count) {
    uint64_t low = bits_u32(g);
    if (count <= 32) return low >> (32 - count);
    return low | (uint64_t)(bits_u32(g) >> (64 - count)) << 32;
}

static Status draw_bits(Vm *vm, Bits *g, int64_t count, Value *out) {
    if (count == 0) *out = v_int(0);
    if (count == 0) return ST_OK;
    return count <= 64 ? int_from_u64(vm, draw_short(g, count), out) : draw_long(vm, g, count, out);
}

static Status m_getrandbits(Vm *vm, const Value *args, Value *out) {
    int64_t count;
    Status st = op_index(vm, args[1], &count);
    if (st == ST_ERROR && vm_error_is(vm, EXC_IndexError))
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    if (st != ST_OK) return st;
    if (count < 0) return vm_raise(vm, EXC_ValueError, "number of bits must be non-negative");
    if (count > INT32_MAX)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    return draw_bits(vm, self_of(args), count, out);
}

// Draws an int in [0, n) by rejection: draws as many bits as n has, until the number is less than n. 0 for n == 0.
static Status m_randbelow(Vm *vm, const Value *args, Value *out) {
    Bits *g = self_of(args);
    Value n = unwrap(args[1]);
    if (!is_int(n)) return vm_raise(vm, EXC_TypeError, "an integer is needed");
    int64_t bits = int_bits(n);
    if (n.kind != K_BIGINT) {
        uint64_t value = 0;
        if (n.i > 0) do
                value = draw_short(g, bits);
            while (value >= (uint64_t)n.i);
        *out = v_int((int64_t)value);
        return ST_OK;
    }
    for (;;) {
        Value value;
        Status st = draw_bits(vm, g, bits, &value);
        if (st != ST_OK) return st;
        if (int_compare(value, n) < 0) {
            *out = value;
            return ST_OK;
        }
        release(vm, value);
        if (int_sign(n) < 0) return vm_raise(vm, EXC_ValueError, "a positive integer is needed");
    }
}

// --- Seeds and states --------------------------------------------------------------------------

static Status seed_from(Vm *vm, Bits *g, Value number) {
    size_t len = (size_t)((int_bits(number) + 31) / 32), room = (len + 2) * sizeof(uint32_t);
    uint32_t *key = mem_alloc(&vm->mem, room);
    if (!key) return vm_no_memory(vm);
    memset(key, 0, room);
    IntView view;
    int_view(number, &view);
    for (size_t i = 0; i < len; i++) {
        size_t bit = 32 * i, digit = bit / INT_DIGIT_BITS, shift = bit % INT_DIGIT_BITS;
        uint64_t word = view.digits[digit] >> shift;
        if (shift > INT_DIGIT_BITS - 32 && digit + 1 < (size_t)view.used)
            word |= view.digits[digit + 1] << (INT_DIGIT_BITS - shift);
        key[i] = (uint32_t)word;
    }
    bits_mt_seed(g, key, len ? len : 1);
    mem_free(&vm->mem, key, room);
    return ST_OK;
}

// Seeds from the magnitude of an int.
static Status m_seed(Vm *vm, const Value *args, Value *out) {
    Value number = unwrap(args[1]);
    if (!is_int(number)) return vm_raise(vm, EXC_TypeError, "an integer is needed");
    *out = V_NONE;
    return seed_from(vm, self_of(args), number);
}

// Returns the state as a tuple of ints: the words, and how many of them are used up.
static Status m_state(Vm *vm, const Value *args, Value *out) {
    const Bits *g = self_of(args);
    Tuple *state = tuple_new(vm, MT_WORDS + 1);
    if (!state) return vm_no_memory(vm);
    for (int i = 0; i < MT_WORDS; i++) state->items[i] = v_int(g->words[i]);
    state->items[MT_WORDS] = v_int(g->at);
    *out = v_obj(state);
    return ST_OK;
}

static Status m_set_state(Vm *vm, const Value *args, Value *out) {
    uint32_t words[MT_WORDS + 1];
    if (args[1].kind != K_TUPLE) return vm_raise(vm, EXC_TypeError, "state vector must be a tuple");
    if (args[1].tuple->len != MT_WORDS + 1)
        return vm_raise(vm, EXC_ValueError, "state vector is the wrong size");
    for (int i = 0; i <= MT_WORDS; i++) {
        int64_t word;
        Status st = op_index(vm, args[1].tuple->items[i], &word);
        if (st != ST_OK) return st == ST_ERROR ? st : op_refused(vm);
        if (word < 0)
            return vm_raise(vm, EXC_OverflowError, "can't convert negative value to unsigned int");
        words[i] = (uint32_t)word;
    }
    if (words[MT_WORDS] > MT_WORDS) return vm_raise(vm, EXC_ValueError, "invalid state");
    Bits *g = self_of(args);
    memcpy(g->words, words, sizeof g->words);
    g->at = words[MT_WORDS];
    *out = V_NONE;
    return ST_OK;
}

const NativeDef bits_methods[] = {
    {"random", "self, /", m_random, NULL, PURE},
    {"getrandbits", "self, k, /", m_getrandbits, NULL, PURE},
    {"_randbelow", "self, n, /", m_randbelow, NULL, PURE},
    {"_seed", "self, number, /", m_seed, NULL, PURE},
    {"_state", "self, /", m_state, NULL, PURE},
    {"_set_state", "self, state, /", m_set_state, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

// --- The module --------------------------------------------------------------------------------

static Status fn_urandom(Vm *vm, const Value *args, Value *out) {
    int64_t len;
    enum { AT_ONCE = 256 };
    if (op_index(vm, args[0], &len) != ST_OK) return op_refused(vm);
    if (len < 0) return vm_raise(vm, EXC_ValueError, "negative argument not allowed");
    Bytes *bytes = bytes_alloc(vm, (size_t)len);
    if (!bytes) return vm_no_memory(vm);
    Status st = ST_OK;
    for (int64_t at = 0; at < len && st == ST_OK; at += AT_ONCE) {
        size_t part = len - at < AT_ONCE ? (size_t)(len - at) : AT_ONCE;
        if (getentropy(bytes->data + at, part) != 0)
            st = vm_raise_os(vm, errno, NULL);
        else if (at % (1 << 20) == 0)
            st = vm_poll(vm);
    }
    if (st == ST_OK)
        *out = v_obj(bytes);
    else
        release_obj(vm, bytes);
    return st;
}

const NativeDef random_functions[] = {
    {"urandom", "size, /", fn_urandom, NULL, ENTROPY},
    {0},
};

Status random_init(Vm *vm, Module *module) {
    return module_set(vm, module, "Random", retain(v_obj(vm->classes[K_BITS])));
}
