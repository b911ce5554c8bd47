// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shifting ints by bits, on digits of 60.

#include <string.h>

#include "vm/value/int.h"

// Computes to[] = digits << bits, which needs used + bits / 60 + 1 digits; returns that number.
static int shift_left(const uint64_t *digits, int used, int64_t bits, uint64_t *to) {
    int words = (int)(bits / INT_DIGIT_BITS), rest = (int)(bits % INT_DIGIT_BITS);
    memset(to, 0, (size_t)words * sizeof *to);
    uint64_t carry = 0;
    for (int i = 0; i < used; i++) {
        to[words + i] = (digits[i] << rest & INT_DIGIT_MASK) | carry;
        carry = rest ? digits[i] >> (INT_DIGIT_BITS - rest) : 0;
    }
    to[words + used] = carry;
    return words + used + 1;
}

static Status left(Vm *vm, Value v, int64_t bits, Value *out) {
    I128 small;
    if (v.kind != K_BIGINT && bits <= 62) {
        small = (I128)v.i * ((I128)1 << bits);
        return int_from_i128(vm, small, out);
    }
    int64_t length = int_bits(v);
    if (bits > INT64_MAX - length) return vm_no_memory(vm);
    if (int_check_size(vm, length + bits) != ST_OK) return ST_ERROR;
    IntView view;
    int_view(v, &view);
    int used = (int)((length + bits + INT_DIGIT_BITS - 1) / INT_DIGIT_BITS);
    size_t room = (size_t)view.used + (size_t)(bits / INT_DIGIT_BITS) + 1;
    uint64_t *digits = mem_alloc(&vm->mem, room * sizeof *digits);
    if (!digits) return vm_no_memory(vm);
    shift_left(view.digits, view.used, bits, digits);
    Status st = int_from_magnitude(vm, digits, used, view.negative, out);
    mem_free(&vm->mem, digits, room * sizeof *digits);
    return st;
}

// Shifts right, rounding towards minus infinity: adds one to the magnitude of a negative number that loses bits.
static Status right_big(Vm *vm, const BigInt *big, int64_t bits, Value *out) {
    int words = (int)(bits / INT_DIGIT_BITS), rest = (int)(bits % INT_DIGIT_BITS);
    int used = big->used - words;
    bool lost = false;
    for (int i = 0; i < words && !lost; i++) lost = big->digits[i] != 0;
    lost = lost || (big->digits[words] & (((uint64_t)1 << rest) - 1)) != 0;
    size_t bytes = (size_t)(used + 1) * sizeof(uint64_t);
    uint64_t *digits = mem_alloc(&vm->mem, bytes);
    if (!digits) return vm_no_memory(vm);
    for (int i = 0; i < used; i++) {
        uint64_t above = i + 1 < used ? big->digits[words + i + 1] : 0;
        digits[i] = big->digits[words + i] >> rest;
        if (rest) digits[i] |= above << (INT_DIGIT_BITS - rest) & INT_DIGIT_MASK;
    }
    digits[used] = 0;
    for (int i = 0; big->negative && lost && i <= used; i++) { // add one
        digits[i] = (digits[i] + 1) & INT_DIGIT_MASK;
        lost = digits[i] == 0;
    }
    Status st = int_from_magnitude(vm, digits, used + 1, big->negative, out);
    mem_free(&vm->mem, digits, bytes);
    return st;
}

static Status right(Vm *vm, Value v, int64_t bits, Value *out) {
    if (v.kind != K_BIGINT) {
        *out = v_int(v.i >> (bits > 63 ? 63 : bits));
        return ST_OK;
    }
    if (bits / INT_DIGIT_BITS >= v.big->used) {
        *out = v_int(v.big->negative ? -1 : 0);
        return ST_OK;
    }
    return right_big(vm, v.big, bits, out);
}

Status int_shift(Vm *vm, Value v, int64_t bits, Value *out) {
    return bits >= 0 ? left(vm, v, bits, out) : right(vm, v, -bits, out);
}
