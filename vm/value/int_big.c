// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products and quotients of long integers, and what is asked for rarely, on libtommath.
//
// Operands are lent to the library without a copy: an mp_int that points at our digits and is only
// ever passed as const. Results are computed into the library's own numbers (from the C library's
// heap, sizes checked against the VM's limit beforehand) and copied into a BigInt.

#include "vm/value/int.h"

#if NACRE_HAVE_TOMMATH

#include <tommath.h>

_Static_assert(MP_DIGIT_BIT == INT_DIGIT_BITS, "digits are lent to libtommath as they are");
_Static_assert(sizeof(mp_digit) == sizeof(uint64_t), "digits are lent to libtommath as they are");

// A number lent to the library.
typedef struct Lent {
    mp_int mp;
    IntView view;
} Lent;

static const mp_int *lend(Value v, Lent *lent) {
    int_view(v, &lent->view);
    lent->mp.used = lent->mp.alloc = lent->view.used;
    lent->mp.sign = lent->view.negative ? MP_NEG : MP_ZPOS;
    lent->mp.dp = (mp_digit *)lent->view.digits;
    return &lent->mp;
}

static Status failed(Vm *vm, mp_err err) {
    if (err == MP_MEM) return vm_no_memory(vm);
    return vm_raise(vm, EXC_OverflowError, "integer too large");
}

static Status take(Vm *vm, const mp_int *mp, Value *out) {
    return int_from_magnitude(vm, mp->dp, mp->used, mp->sign == MP_NEG, out);
}

static mp_err compute(BigOp op, const mp_int *a, const mp_int *b, mp_int *out) {
    switch (op) {
    case BIG_MUL: return mp_mul(a, b, out);
    case BIG_AND: return mp_and(a, b, out);
    case BIG_OR: return mp_or(a, b, out);
    case BIG_XOR: return mp_xor(a, b, out);
    }
    return MP_VAL;
}

static Status check_result(Vm *vm, BigOp op, Value a, Value b) {
    int64_t x = int_bits(a), y = int_bits(b);
    if (op == BIG_MUL) return int_check_size(vm, x + y);
    return int_check_size(vm, x > y ? x : y);
}

Status big_binary(Vm *vm, BigOp op, Value a, Value b, Value *out) {
    if (check_result(vm, op, a, b) != ST_OK) return ST_ERROR;
    Lent x, y;
    mp_int result;
    mp_err err = mp_init(&result);
    if (err != MP_OKAY) return failed(vm, err);
    err = compute(op, lend(a, &x), lend(b, &y), &result);
    Status st = err == MP_OKAY ? take(vm, &result, out) : failed(vm, err);
    mp_clear(&result);
    return st;
}

// Truncated division to floored: where the signs differ and something is left over, one less.
static mp_err divide_floor(const mp_int *a, const mp_int *b, mp_int *quotient, mp_int *remainder) {
    mp_err err = mp_div(a, b, quotient, remainder);
    if (err != MP_OKAY || mp_iszero(remainder) || remainder->sign == b->sign) return err;
    err = mp_sub_d(quotient, 1, quotient);
    return err == MP_OKAY ? mp_add(remainder, b, remainder) : err;
}

Status big_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *remainder) {
    if (int_check_size(vm, int_bits(a)) != ST_OK) return ST_ERROR;
    Lent x, y;
    mp_int q, r;
    mp_err err = mp_init_multi(&q, &r, NULL);
    if (err != MP_OKAY) return failed(vm, err);
    err = divide_floor(lend(a, &x), lend(b, &y), &q, &r);
    Value whole = V_UNDEF;
    Status st = err == MP_OKAY ? ST_OK : failed(vm, err);
    if (st == ST_OK && quotient) st = take(vm, &q, &whole);
    if (st == ST_OK && remainder) st = take(vm, &r, remainder);
    mp_clear_multi(&q, &r, NULL);
    if (st == ST_OK && quotient) {
        *quotient = whole;
    } else {
        release(vm, whole);
    }
    return st;
}

Status big_pow_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out) {
    if (int_check_size(vm, 2 * int_bits(modulus)) != ST_OK) return ST_ERROR;
    Lent x, y, z;
    mp_int result;
    mp_err err = mp_init(&result);
    if (err != MP_OKAY) return failed(vm, err);
    err = mp_exptmod(lend(base, &x), lend(exponent, &y), lend(modulus, &z), &result);
    Status st = err == MP_OKAY ? take(vm, &result, out) : failed(vm, err);
    mp_clear(&result);
    return st;
}

Status big_inverse(Vm *vm, Value v, Value modulus, bool *exists, Value *out) {
    if (int_check_size(vm, int_bits(modulus)) != ST_OK) return ST_ERROR;
    Lent x, y;
    mp_int result;
    mp_err err = mp_init(&result);
    if (err != MP_OKAY) return failed(vm, err);
    err = mp_invmod(lend(v, &x), lend(modulus, &y), &result);
    *exists = err == MP_OKAY;
    Status st = ST_OK;
    if (err == MP_OKAY) {
        st = take(vm, &result, out);
    } else if (err != MP_VAL) {
        st = failed(vm, err);
    }
    mp_clear(&result);
    return st;
}

#else

// Without the library no BigInt is ever made; these are where one would have been needed.

static Status unavailable(Vm *vm) {
    return vm_raise(vm, EXC_OverflowError, "integers beyond 64 bits need libtommath");
}

Status big_binary(Vm *vm, BigOp op, Value a, Value b, Value *out) {
    (void)op, (void)a, (void)b, (void)out;
    return unavailable(vm);
}

Status big_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *remainder) {
    (void)a, (void)b, (void)quotient, (void)remainder;
    return unavailable(vm);
}

Status big_pow_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out) {
    (void)base, (void)exponent, (void)modulus, (void)out;
    return unavailable(vm);
}

Status big_inverse(Vm *vm, Value v, Value modulus, bool *exists, Value *out) {
    (void)v, (void)modulus, (void)exists, (void)out;
    return unavailable(vm);
}

#endif
