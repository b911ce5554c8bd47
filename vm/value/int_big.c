// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Long or rare operations on big integers: products and quotients of many digits, bits of negative numbers, divisors,
// roots, powers modulo a number.

#include <math.h>
#include <string.h>

#include "vm/value/int_digits.h"
#include "vm/value/int_long.h"

// --- Bits ---------------------------------------------------------------------------------------

// Returns digit i of a number in two's complement. A negative number is |v| - 1 with all bits inverted; *borrow is that
// of the subtraction, 1 before digit 0.
static uint64_t digit_of(const IntView *v, int i, uint64_t *borrow) {
    uint64_t digit = i < v->used ? v->digits[i] : 0;
    if (!v->negative) return digit;
    digit -= *borrow;
    *borrow = digit >> 63;
    return ~digit & INT_DIGIT_MASK;
}

static uint64_t combine_bits(BigOp op, uint64_t a, uint64_t b) {
    return op == BIG_AND ? a & b : op == BIG_OR ? a | b : a ^ b;
}

static Status bits_of_both(Vm *vm, BigOp op, const IntView *x, const IntView *y, Value *out) {
    int used = (x->used > y->used ? x->used : y->used) + 1;
    uint64_t *digits = long_room(vm, (size_t)used), x_borrow = 1, y_borrow = 1, carry = 1;
    if (!digits) return ST_ERROR;
    bool negative = combine_bits(op, x->negative, y->negative);
    for (int i = 0; i < used; i++) {
        uint64_t digit = combine_bits(op, digit_of(x, i, &x_borrow), digit_of(y, i, &y_borrow));
        if (negative) {
            digit = (~digit & INT_DIGIT_MASK) + carry;
            carry = digit >> INT_DIGIT_BITS;
        }
        digits[i] = digit & INT_DIGIT_MASK;
    }
    Status st = int_from_magnitude(vm, digits, used, negative, out);
    long_free(vm, digits, (size_t)used);
    return st;
}

// --- Products, divisors -------------------------------------------------------------------------

static Status multiply(Vm *vm, const IntView *x, const IntView *y, Value *out) {
    int used = x->used + y->used;
    uint64_t *digits;
    BigInt *product = int_alloc(vm, used, x->negative != y->negative, &digits);
    if (!product) return vm_no_memory(vm);
    Status st = long_mul(vm, x->digits, x->used, y->digits, y->used, digits);
    if (st == ST_OK && digits[used - 1]) {
        *out = v_obj(product);
        return ST_OK;
    }
    if (st == ST_OK) st = int_from_magnitude(vm, digits, used, product->negative, out);
    release_obj(vm, product);
    return st;
}

static Status divisor(Vm *vm, const IntView *x, const IntView *y, Value *out) {
    if (digits_compare(x->digits, x->used, y->digits, y->used) < 0) return divisor(vm, y, x, out);
    size_t n = (size_t)x->used;
    uint64_t *a = long_room(vm, 2 * n);
    if (!a) return ST_ERROR;
    int used;
    memcpy(a, x->digits, n * sizeof *a);
    memcpy(a + n, y->digits, (size_t)y->used * sizeof *a);
    Status st = long_gcd(vm, a, x->used, a + n, y->used, &used);
    if (st == ST_OK) st = int_from_magnitude(vm, a, used, false, out);
    long_free(vm, a, 2 * n);
    return st;
}

Status big_binary(Vm *vm, BigOp op, Value a, Value b, Value *out) {
    int64_t n = int_bits(a), m = int_bits(b);
    if (int_check_size(vm, op == BIG_MUL ? n + m : n > m ? n : m) != ST_OK) return ST_ERROR;
    IntView x, y;
    int_view(a, &x);
    int_view(b, &y);
    if (op == BIG_MUL) return multiply(vm, &x, &y, out);
    return op == BIG_GCD ? divisor(vm, &x, &y, out) : bits_of_both(vm, op, &x, &y, out);
}

// --- Quotients ----------------------------------------------------------------------------------

// Divides magnitudes: quotient[0 .. x->used-1], remainder[0 .. y->used-1]; both are zero on entry.
static Status divide_magnitudes(Vm *vm, const IntView *x, const IntView *y, uint64_t *quotient,
                                uint64_t *remainder) {
    if (x->used >= y->used)
        return long_div(vm, x->digits, x->used, y->digits, y->used, quotient, remainder);
    memcpy(remainder, x->digits, (size_t)x->used * sizeof *remainder);
    return ST_OK;
}

Status big_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *remainder) {
    if (int_check_size(vm, int_bits(a)) != ST_OK) return ST_ERROR;
    IntView x, y;
    int_view(a, &x);
    int_view(b, &y);
    size_t whole = (size_t)x.used + 1, count = whole + (size_t)y.used;
    uint64_t *q = mem_zalloc(&vm->mem, count * sizeof *q), *r = q + whole;
    if (!q) return vm_no_memory(vm);
    Status st = divide_magnitudes(vm, &x, &y, q, r);
    if (st == ST_OK) school_round_down(&x, &y, q, r);
    Value result = V_UNDEF;
    if (st == ST_OK && quotient)
        st = int_from_magnitude(vm, q, (int)whole, x.negative != y.negative, &result);
    if (st == ST_OK && remainder) st = int_from_magnitude(vm, r, y.used, y.negative, remainder);
    long_free(vm, q, count);
    if (st == ST_OK && quotient)
        *quotient = result;
    else
        release(vm, result);
    return st;
}

// --- Roots --------------------------------------------------------------------------------------

// Applies `fn` to a and b, unless an earlier step failed (st). Releases *a in any case, and leaves it undefined.
typedef Status (*IntFn)(Vm *vm, Value a, Value b, Value *out);
static Status step(Vm *vm, Status st, IntFn fn, Value *a, Value b, Value *out) {
    Value operand = *a;
    *a = V_UNDEF;
    if (st == ST_OK) st = fn(vm, operand, b, out);
    release(vm, operand);
    return st;
}

static Status floor_divide(Vm *vm, Value a, Value b, Value *out) {
    return int_divmod(vm, a, b, out, NULL);
}

static Status remainder_of(Vm *vm, Value a, Value b, Value *out) {
    return int_divmod(vm, a, b, NULL, out);
}

// Replaces *root, the root of n's top 2 (e + 1) bits, by that of its top 2 (d + 1) bits, where d <= 2 e + 1. Both may
// be off by one. Makes Newton's step (a + n / a) / 2, on as many bits as are known afterwards (Mark Dickinson's
// algorithm, which CPython has, too).
static Status more_of_root(Vm *vm, Value n, int64_t c, int64_t e, int64_t d, Value *root) {
    Value shifted = V_UNDEF, top = V_UNDEF, quotient = V_UNDEF, sum = V_UNDEF;
    Status st = vm_poll(vm);
    if (st == ST_OK) st = int_shift(vm, n, -(2 * c - e - d + 1), &top);
    st = step(vm, st, floor_divide, &top, *root, &quotient);
    if (st == ST_OK) st = int_shift(vm, *root, d - e - 1, &shifted);
    st = step(vm, st, int_add, &shifted, quotient, &sum);
    release(vm, quotient);
    if (st == ST_OK) replace(vm, root, sum);
    return st;
}

static uint64_t root64(uint64_t n) {
    uint64_t root = (uint64_t)sqrt((double)n);
    while ((U128)root * root > n) root--;
    while ((U128)(root + 1) * (root + 1) <= n) root++;
    return root;
}

Status big_isqrt(Vm *vm, Value v, Value *out) {
    enum { DIRECT = 31 }; // bits of a root that is computed directly, from an int of 64 bits
    int64_t c = (int_bits(v) - 1) / 2, shift = 0;
    while (c >> shift > DIRECT) shift++;
    int64_t d = c >> shift;
    Value top = V_UNDEF, root = V_UNDEF, square = V_UNDEF;
    Status st = int_shift(vm, v, -2 * (c - d), &top);
    IntView view;
    if (st == ST_OK) {
        int_view(top, &view);
        root = v_int((int64_t)root64(view.digits[0] |
                                     (view.used > 1 ? view.digits[1] << INT_DIGIT_BITS : 0)));
    }
    release(vm, top);
    while (st == ST_OK && shift > 0) {
        int64_t e = d;
        d = c >> --shift;
        st = more_of_root(vm, v, c, e, d, &root);
    }
    if (st == ST_OK) st = int_mul(vm, root, root, &square);
    bool larger = st == ST_OK && int_compare(square, v) > 0;
    release(vm, square);
    if (larger) return step(vm, st, int_sub, &root, v_int(1), out);
    if (st == ST_OK)
        *out = root;
    else
        release(vm, root);
    return st;
}

// --- Powers modulo a number ---------------------------------------------------------------------

// The bits of an exponent are processed four at a time, from the top.
enum { WINDOW = 4, POWERS = 1 << WINDOW };

static int window_of(const IntView *exponent, int64_t at) {
    return (int)(exponent->digits[at * WINDOW / INT_DIGIT_BITS] >> at * WINDOW % INT_DIGIT_BITS &
                 (POWERS - 1));
}

static int64_t windows_of(const IntView *exponent) {
    return (int64_t)exponent->used * (INT_DIGIT_BITS / WINDOW);
}

// Montgomery multiplication ("Modular Multiplication without Trial Division", 1985) modulo an odd number of n digits. A
// number v is represented by v 2^(60 n) modulo the modulus.
typedef struct Montgomery {
    const uint64_t *modulus;
    int n;
    uint64_t inverse; // -1 / modulus[0], modulo 2^60
} Montgomery;

static void montgomery(const Montgomery *m, const uint64_t *a, const uint64_t *b, uint64_t *out) {
    uint64_t t[DIGITS_MUL_MAX + 1] = {0};
    int n = m->n;
    for (int i = 0; i < n; i++) {
        U128 sum = (U128)a[0] * b[i] + t[0];
        uint64_t factor = (uint64_t)sum * m->inverse & INT_DIGIT_MASK;
        sum += (U128)factor * m->modulus[0];
        for (int j = 1; j < n; j++) {
            sum = (sum >> INT_DIGIT_BITS) + t[j] + (U128)a[j] * b[i] + (U128)factor * m->modulus[j];
            t[j - 1] = (uint64_t)sum & INT_DIGIT_MASK;
        }
        sum = (sum >> INT_DIGIT_BITS) + t[n];
        t[n - 1] = (uint64_t)sum & INT_DIGIT_MASK;
        t[n] = (uint64_t)(sum >> INT_DIGIT_BITS);
    }
    bool over = t[n] || digits_compare(t, n, m->modulus, n) >=
                            0; // the same length: zeros on top do no harm
    if (over) digits_sub(t, n + 1, m->modulus, n, t);
    memcpy(out, t, (size_t)n * sizeof *out);
}

// Converts v to the representation: v 2^(60 n) modulo the modulus.
static Status to_montgomery(Vm *vm, const Montgomery *m, Value v, Value modulus, uint64_t *out) {
    Value shifted = V_UNDEF, rest = V_UNDEF;
    Status st = int_shift(vm, v, (int64_t)m->n * INT_DIGIT_BITS, &shifted);
    st = step(vm, st, remainder_of, &shifted, modulus, &rest);
    if (st != ST_OK) return st;
    IntView view;
    int_view(rest, &view);
    memset(out, 0, (size_t)m->n * sizeof *out);
    memcpy(out, view.digits, (size_t)view.used * sizeof *out);
    release(vm, rest);
    return ST_OK;
}

static Status power_odd(Vm *vm, Value base, const IntView *exponent, Value modulus,
                        const IntView *view, Value *out) {
    Montgomery m = {view->digits, view->used, 1};
    size_t n = (size_t)m.n, count = (POWERS + 1) * n;
    for (int i = 0; i < 6; i++)
        m.inverse *= 2 - view->digits[0] * m.inverse; // doubles the correct bits each time
    m.inverse = -m.inverse & INT_DIGIT_MASK;
    uint64_t *powers = long_room(vm, count);
    if (!powers) return ST_ERROR;
    uint64_t *result = powers + POWERS * n;
    Status st = to_montgomery(vm, &m, v_int(1), modulus, powers);
    if (st == ST_OK) st = to_montgomery(vm, &m, base, modulus, powers + n);
    for (size_t i = 2; st == ST_OK && i < POWERS; i++)
        montgomery(&m, powers + (i - 1) * n, powers + n, powers + i * n);
    memcpy(result, powers, n * sizeof *result);
    for (int64_t at = windows_of(exponent) - 1; st == ST_OK && at >= 0; at--) {
        for (int i = 0; i < WINDOW; i++) montgomery(&m, result, result, result);
        montgomery(&m, result, powers + (size_t)window_of(exponent, at) * n, result);
        st = vm_poll(vm);
    }
    if (st == ST_OK) {
        uint64_t one[DIGITS_MUL_MAX] = {1};
        montgomery(&m, result, one, result);
        st = int_from_magnitude(vm, result, m.n, false, out);
    }
    long_free(vm, powers, count);
    return st;
}

// *a = *a * b modulo the modulus.
static Status multiply_mod(Vm *vm, Value *a, Value b, Value modulus) {
    Value product = V_UNDEF, rest;
    Status st = vm_poll(vm);
    if (st == ST_OK) st = int_mul(vm, *a, b, &product);
    st = step(vm, st, remainder_of, &product, modulus, &rest);
    if (st == ST_OK) replace(vm, a, rest);
    return st;
}

static Status power_any(Vm *vm, Value base, const IntView *exponent, Value modulus, Value *out) {
    Value powers[POWERS] = {v_int(1)}, result = v_int(1); // the modulus is not 1
    Status st = ST_OK;
    for (int i = 1; i < POWERS; i++) {
        powers[i] = retain(powers[i - 1]);
        if (st == ST_OK) st = multiply_mod(vm, &powers[i], base, modulus);
    }
    for (int64_t at = windows_of(exponent) - 1; st == ST_OK && at >= 0; at--) {
        for (int i = 0; st == ST_OK && i < WINDOW; i++)
            st = multiply_mod(vm, &result, result, modulus);
        int window = window_of(exponent, at);
        if (st == ST_OK && window) st = multiply_mod(vm, &result, powers[window], modulus);
    }
    for (int i = 0; i < POWERS; i++) release(vm, powers[i]);
    if (st == ST_OK)
        *out = result;
    else
        release(vm, result);
    return st;
}

Status big_pow_mod(Vm *vm, Value base, Value exponent, Value modulus, Value *out) {
    if (int_check_size(vm, 2 * int_bits(modulus)) != ST_OK) return ST_ERROR;
    IntView e, m;
    int_view(exponent, &e);
    int_view(modulus, &m);
    if (int_bits(modulus) == 1) {
        *out = v_int(0);
        return ST_OK;
    }
    bool montgomerys = m.digits[0] & 1 && m.used <= DIGITS_MUL_MAX;
    return montgomerys ? power_odd(vm, base, &e, modulus, &m, out)
                       : power_any(vm, base, &e, modulus, out);
}

// Extended Euclidean algorithm, with the invariant r = t v modulo the modulus.
Status big_inverse(Vm *vm, Value v, Value modulus, bool *exists, Value *out) {
    Value r[2] = {retain(modulus), retain(v)}, t[2] = {v_int(0), v_int(1)};
    Status st = ST_OK;
    while (st == ST_OK && int_sign(r[1]) != 0) {
        Value quotient = V_UNDEF, rest = V_UNDEF, product = V_UNDEF, next = V_UNDEF;
        st = vm_poll(vm);
        if (st == ST_OK) st = int_divmod(vm, r[0], r[1], &quotient, &rest);
        st = step(vm, st, int_mul, &quotient, t[1], &product);
        if (st == ST_OK) st = int_sub(vm, t[0], product, &next);
        release(vm, product);
        if (st != ST_OK) {
            release(vm, rest);
            break;
        }
        replace(vm, &r[0], r[1]);
        replace(vm, &t[0], t[1]);
        r[1] = rest;
        t[1] = next;
    }
    *exists = st == ST_OK && r[0].kind != K_BIGINT && r[0].i == 1;
    if (*exists) st = int_divmod(vm, t[0], modulus, NULL, out);
    for (int i = 0; i < 2; i++) {
        release(vm, r[i]);
        release(vm, t[i]);
    }
    return st;
}
