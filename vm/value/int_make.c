// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Construction of ints of either size, and access to their digits. An int that fits 64 bits is never a BigInt.

#include "vm/value/int.h"

#include <string.h>

#include "vm/value/object.h"

enum { SMALL_DIGITS = 3 }; // digits of a number of 128 bits
// The most bits a result may have; CPython would try, and fail for want of memory or time.
static const int64_t MAX_BITS = (int64_t)1 << 31;

void int_view(Value v, IntView *out) {
    if (v.kind == K_BIGINT) {
        out->digits = v.big->digits;
        out->used = v.big->used;
        out->negative = v.big->negative;
        return;
    }
    uint64_t magnitude = v.i < 0 ? -(uint64_t)v.i : (uint64_t)v.i;
    out->small[0] = magnitude & INT_DIGIT_MASK;
    out->small[1] = magnitude >> INT_DIGIT_BITS;
    out->digits = out->small;
    out->used = (magnitude > 0) + (out->small[1] > 0);
    out->negative = v.i < 0;
}

Status int_check_size(Vm *vm, int64_t bits) {
    if (bits > MAX_BITS) return vm_no_memory(vm);
    size_t bytes = (size_t)(bits / INT_DIGIT_BITS + 1) * sizeof(uint64_t);
    const Mem *mem = &vm->mem;
    if (mem->limit && (bytes > mem->limit || mem->in_use > mem->limit - bytes))
        return vm_no_memory(vm);
    return ST_OK;
}

BigInt *int_alloc(Vm *vm, int used, bool negative, uint64_t **digits) {
    BigInt *big = obj_new(vm, K_BIGINT, sizeof *big + (size_t)used * sizeof big->digits[0]);
    if (!big) return NULL;
    big->used = used;
    big->negative = negative;
    *digits = big->digits;
    return big;
}

static bool fits_int64(U128 magnitude, bool negative) {
    return magnitude <= (uint64_t)INT64_MAX + negative;
}

static Value int64_of(uint64_t magnitude, bool negative) {
    return v_int((int64_t)(negative ? -magnitude : magnitude));
}

Status int_from_magnitude(Vm *vm, const uint64_t *digits, int used, bool negative, Value *out) {
    while (used > 0 && digits[used - 1] == 0) used--;
    if (used <= 2) {
        U128 magnitude = used > 1 ? (U128)digits[1] << INT_DIGIT_BITS : 0;
        if (used) magnitude |= digits[0];
        if (fits_int64(magnitude, negative)) {
            *out = int64_of((uint64_t)magnitude, negative);
            return ST_OK;
        }
    }
    uint64_t *to;
    BigInt *big = int_alloc(vm, used, negative, &to);
    if (!big) return vm_no_memory(vm);
    memcpy(to, digits, (size_t)used * sizeof *to);
    *out = v_obj(big);
    return ST_OK;
}

Status int_from_i128(Vm *vm, I128 i, Value *out) {
    if (i == (int64_t)i) {
        *out = v_int((int64_t)i);
        return ST_OK;
    }
    U128 magnitude = i < 0 ? -(U128)i : (U128)i;
    uint64_t digits[SMALL_DIGITS];
    for (int d = 0; d < SMALL_DIGITS; d++, magnitude >>= INT_DIGIT_BITS)
        digits[d] = (uint64_t)magnitude & INT_DIGIT_MASK;
    return int_from_magnitude(vm, digits, SMALL_DIGITS, i < 0, out);
}

Status int_from_u64(Vm *vm, uint64_t u, Value *out) {
    return int_from_i128(vm, u, out);
}

Status int_from_scaled(Vm *vm, uint64_t m, int64_t shift, bool negative, Value *out) {
    if (shift < 0) {
        m = shift > -64 ? m >> -shift : 0;
        shift = 0;
    }
    if (m == 0) {
        *out = v_int(0);
        return ST_OK;
    }
    if (shift < 60) {
        I128 i = (I128)m << shift;
        return int_from_i128(vm, negative ? -i : i, out);
    }
    Value v;
    Status st = int_from_i128(vm, negative ? -(I128)m : (I128)m, &v);
    if (st != ST_OK) return st;
    st = int_shift(vm, v, shift, out);
    release(vm, v);
    return st;
}

bool int_to_i64(Value v, int64_t *out) {
    if (v.kind != K_INT && v.kind != K_BOOL) return false;
    *out = v.i;
    return true;
}

bool int_to_i128(Value v, I128 *out) {
    if (v.kind != K_BIGINT) {
        *out = v.i;
        return true;
    }
    if (v.big->used > 2) return false;
    I128 magnitude = (I128)v.big->digits[1] << INT_DIGIT_BITS | v.big->digits[0];
    *out = v.big->negative ? -magnitude : magnitude;
    return true;
}

int int_sign(Value v) {
    if (v.kind == K_BIGINT) return v.big->negative ? -1 : 1;
    return (v.i > 0) - (v.i < 0);
}

int64_t int_bits(Value v) {
    IntView view;
    int_view(v, &view);
    if (view.used == 0) return 0;
    int top = 64 - __builtin_clzll(view.digits[view.used - 1]);
    return (int64_t)(view.used - 1) * INT_DIGIT_BITS + top;
}

Status int_bit_length(Vm *vm, Value v, int64_t *out) {
    (void)vm;
    *out = int_bits(v);
    return ST_OK;
}

int64_t int_count_ones(Value v) {
    IntView view;
    int_view(v, &view);
    int64_t ones = 0;
    for (int i = 0; i < view.used; i++) ones += __builtin_popcountll(view.digits[i]);
    return ones;
}

// Computes the magnitude modulo 2^61 - 1 (in which multiplying by 2^60 is a rotation), with the sign.
int64_t int_hash(Value v) {
    const uint64_t modulus = ((uint64_t)1 << 61) - 1;
    IntView view;
    int_view(v, &view);
    uint64_t hash = 0;
    for (int i = view.used - 1; i >= 0; i--) {
        hash = (hash << 60 & modulus) | hash >> 1;
        hash += view.digits[i];
        if (hash >= modulus) hash -= modulus;
    }
    int64_t result = view.negative ? -(int64_t)hash : (int64_t)hash;
    return result == -1 ? -2 : result;
}

int int_compare(Value a, Value b) {
    if (a.kind != K_BIGINT && b.kind != K_BIGINT) return (a.i > b.i) - (a.i < b.i);
    IntView x, y;
    int_view(a, &x);
    int_view(b, &y);
    if (x.negative != y.negative) return x.negative ? -1 : 1;
    int larger = x.negative ? -1 : 1; // the answer when |a| > |b|
    if (x.used != y.used) return x.used > y.used ? larger : -larger;
    for (int i = x.used - 1; i >= 0; i--)
        if (x.digits[i] != y.digits[i]) return x.digits[i] > y.digits[i] ? larger : -larger;
    return 0;
}
