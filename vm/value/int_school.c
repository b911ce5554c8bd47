// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sums of big integers of any length, products and quotients of those with few digits, computed in the memory of the
// result.

#include <string.h>

#include "vm/value/int.h"
#include "vm/value/int_digits.h"

enum { ROOM = 2 * DIGITS_MUL_MAX }; // digits of a result that is made on the stack

// Memory for the digits of a result: on the stack when they are few, else in a BigInt, which is the result unless its
// top digit turns out to be zero.
typedef struct Result {
    uint64_t *digits;
    BigInt *big; // NULL: on the stack
    uint64_t room[ROOM];
} Result;

static Status result_open(Vm *vm, Result *result, int used) {
    result->big = NULL;
    result->digits = result->room;
    if (used <= ROOM) return ST_OK;
    result->big = int_alloc(vm, used, false, &result->digits);
    return vm_check(vm, result->big);
}

static Status result_close(Vm *vm, Result *result, int used, bool negative, Value *out) {
    BigInt *big = result->big;
    if (big && big->used == used && result->digits[used - 1]) {
        big->negative = negative;
        *out = v_obj(big);
        return ST_OK;
    }
    Status st = int_from_magnitude(vm, result->digits, used, negative, out);
    release_obj(vm, big);
    return st;
}

static Status add_magnitudes(Vm *vm, const IntView *a, const IntView *b, Value *out) {
    Result sum;
    if (result_open(vm, &sum, a->used + 1) != ST_OK) return ST_ERROR;
    sum.digits[a->used] = digits_add(a->digits, a->used, b->digits, b->used, sum.digits);
    return result_close(vm, &sum, a->used + 1, a->negative, out);
}

static Status sub_magnitudes(Vm *vm, const IntView *a, const IntView *b, bool negative,
                             Value *out) {
    Result rest;
    if (result_open(vm, &rest, a->used) != ST_OK) return ST_ERROR;
    digits_sub(a->digits, a->used, b->digits, b->used, rest.digits);
    return result_close(vm, &rest, a->used, negative, out);
}

Status school_add(Vm *vm, Value a, Value b, bool subtract, Value *out) {
    IntView x, y;
    int_view(a, &x);
    int_view(b, &y);
    y.negative ^= subtract;
    int order = digits_compare(x.digits, x.used, y.digits, y.used);
    const IntView *larger = order < 0 ? &y : &x, *smaller = order < 0 ? &x : &y;
    if (int_check_size(vm, (int64_t)(larger->used + 1) * INT_DIGIT_BITS) != ST_OK) return ST_ERROR;
    if (x.negative == y.negative) return add_magnitudes(vm, larger, smaller, out);
    return sub_magnitudes(vm, larger, smaller, larger->negative, out);
}

bool school_multiplies(Value a, Value b) {
    int x = a.kind == K_BIGINT ? a.big->used : 2, y = b.kind == K_BIGINT ? b.big->used : 2;
    return (x < y ? x : y) <= DIGITS_MUL_MAX;
}

Status school_mul(Vm *vm, Value a, Value b, Value *out) {
    IntView x, y;
    int_view(a, &x);
    int_view(b, &y);
    if (x.used == 0 || y.used == 0) {
        *out = v_int(0);
        return ST_OK;
    }
    int used = x.used + y.used;
    if (int_check_size(vm, (int64_t)used * INT_DIGIT_BITS) != ST_OK) return ST_ERROR;
    Result product;
    if (result_open(vm, &product, used) != ST_OK) return ST_ERROR;
    if (x.used < y.used)
        digits_mul(y.digits, y.used, x.digits, x.used, product.digits);
    else
        digits_mul(x.digits, x.used, y.digits, y.used, product.digits);
    return result_close(vm, &product, used, x.negative != y.negative, out);
}

bool school_divides(Value a, Value b) {
    const int64_t digit = (int64_t)INT_DIGIT_MASK;
    return a.kind != K_BIGINT || a.big->used <= DIGITS_DIV_MAX ||
           (b.kind != K_BIGINT && b.i >= -digit && b.i <= digit);
}

// Computes quotient and remainder of magnitudes; returns the number of digits of the remainder. The quotient has one
// digit more than the dividend, for school_round_down.
static int divide_magnitudes(const IntView *x, const IntView *y, uint64_t *quotient,
                             uint64_t *remainder) {
    memset(quotient, 0, ((size_t)x->used + 1) * sizeof *quotient);
    if (y->used == 1) {
        remainder[0] = digits_div1(x->digits, x->used, y->digits[0], quotient);
        return 1;
    }
    if (x->used >= y->used) {
        digits_div(x->digits, x->used, y->digits, y->used, quotient, remainder);
        return y->used;
    }
    memcpy(remainder, x->digits, (size_t)x->used * sizeof *remainder);
    memset(remainder + x->used, 0, (size_t)(y->used - x->used) * sizeof *remainder);
    return y->used;
}

static bool all_zero(const uint64_t *digits, int used) {
    for (int i = 0; i < used; i++)
        if (digits[i]) return false;
    return true;
}

// Rounds towards minus infinity: where the signs differ and the remainder is not zero, adds one to the magnitude of the
// quotient, and subtracts the remainder from the divisor.
void school_round_down(const IntView *x, const IntView *y, uint64_t *quotient,
                       uint64_t *remainder) {
    const uint64_t one = 1;
    if (x->negative == y->negative || all_zero(remainder, y->used)) return;
    digits_add(quotient, x->used + 1, &one, 1, quotient);
    digits_sub(y->digits, y->used, remainder, y->used, remainder);
}

Status school_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *remainder) {
    IntView x, y;
    int_view(a, &x);
    int_view(b, &y);
    if (y.used > DIGITS_DIV_MAX) return big_divmod(vm, a, b, quotient, remainder);
    Result whole;
    uint64_t rest[DIGITS_DIV_MAX];
    if (result_open(vm, &whole, x.used + 1) != ST_OK) return ST_ERROR;
    int used = divide_magnitudes(&x, &y, whole.digits, rest);
    school_round_down(&x, &y, whole.digits, rest);
    Value q = V_UNDEF;
    Status st = ST_OK;
    if (quotient)
        st = result_close(vm, &whole, x.used + 1, x.negative != y.negative, &q);
    else
        release_obj(vm, whole.big);
    if (st == ST_OK && remainder) st = int_from_magnitude(vm, rest, used, y.negative, remainder);
    if (st == ST_OK && quotient)
        *quotient = q;
    else
        release(vm, q);
    return st;
}
