// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The exact functions of the math module: divisors, factorials, counting, integer roots.

#include "stdlib/math_impl.h"
#include "vm/value/int.h"
#include "vm/value/num_methods.h"

static Status index_arg(Vm *vm, Value v, Value *out) {
    Status st = num_to_index(vm, v, out);
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer",
                    type_name(vm, v));
}

// Replaces *a, an owned int, by fn(*a, b).
typedef Status (*IntFn)(Vm *vm, Value a, Value b, Value *out);
static Status update(Vm *vm, IntFn fn, Value *a, Value b) {
    Value result;
    Status st = fn(vm, *a, b, &result);
    if (st == ST_OK) replace(vm, a, result);
    return st;
}

static Status floor_divide(Vm *vm, Value a, Value b, Value *out) {
    return int_divmod(vm, a, b, out, NULL);
}

// Moves an owned value to *out, or releases it if st is a failure. Returns st.
static Status deliver(Vm *vm, Status st, Value v, Value *out) {
    if (st == ST_OK) {
        *out = v;
    } else {
        release(vm, v);
    }
    return st;
}

// --- Divisors -----------------------------------------------------------------------------------

// Computes |a b| / gcd(a, b), or 0 if a or b is 0.
static Status lcm(Vm *vm, Value a, Value b, Value *out) {
    if (int_sign(a) == 0 || int_sign(b) == 0) {
        *out = v_int(0);
        return ST_OK;
    }
    Value result = V_UNDEF;
    Status st = int_gcd(vm, a, b, &result);
    if (st == ST_OK) {
        Value divisor = result;
        result = V_UNDEF;
        st = int_divmod(vm, a, divisor, &result, NULL);
        release(vm, divisor);
    }
    if (st == ST_OK) st = update(vm, int_mul, &result, b);
    if (st == ST_OK) {
        Value magnitude;
        st = int_unary(vm, UN_ABS, result, &magnitude);
        if (st == ST_OK) replace(vm, &result, magnitude);
    }
    return deliver(vm, st, result, out);
}

static Status fold(Vm *vm, IntFn fn, int64_t start, const Tuple *args, Value *out) {
    Value result = v_int(start);
    Status st = ST_OK;
    for (size_t i = 0; i < args->len && st == ST_OK; i++) {
        Value n;
        st = index_arg(vm, args->items[i], &n);
        if (st != ST_OK) break;
        st = update(vm, fn, &result, n);
        release(vm, n);
    }
    return deliver(vm, st, result, out);
}

Status math_gcd(Vm *vm, const Value *args, Value *out) {
    return fold(vm, int_gcd, 0, args[0].tuple, out);
}

Status math_lcm(Vm *vm, const Value *args, Value *out) {
    return fold(vm, lcm, 1, args[0].tuple, out);
}

// --- Falling factorials -------------------------------------------------------------------------

enum { LEAF_FACTORS = 16 };

// Multiplies (n - from) … (n - from - count + 1) one after the other, for few factors.
static Status leaf_product(Vm *vm, Value n, int64_t from, int64_t count, Value *out) {
    Value result = v_int(1);
    Status st = ST_OK;
    for (int64_t i = from; i < from + count && st == ST_OK; i++) {
        Value factor;
        st = int_sub(vm, n, v_int(i), &factor);
        if (st != ST_OK) break;
        st = update(vm, int_mul, &result, factor);
        release(vm, factor);
    }
    return deliver(vm, st, result, out);
}

// Multiplies the same factors by binary splitting, so that the two halves are of similar size. The depth of recursion
// is the binary logarithm of count.
static Status falling_product(Vm *vm, Value n, int64_t from, int64_t count, Value *out) {
    if (count <= LEAF_FACTORS) return leaf_product(vm, n, from, count, out);
    Value left = V_UNDEF, right = V_UNDEF;
    Status st = vm_poll(vm);
    if (st == ST_OK) st = falling_product(vm, n, from, count / 2, &left);
    if (st == ST_OK) st = falling_product(vm, n, from + count / 2, count - count / 2, &right);
    if (st == ST_OK) st = int_mul(vm, left, right, out);
    release(vm, left);
    release(vm, right);
    return st;
}

// Raises MemoryError before any work if the product of `count` factors up to n would be too large.
static Status check_product(Vm *vm, Value n, int64_t count) {
    int64_t bits;
    // Estimates the bits of a factor. If n is at least twice count, each factor is at least n / 2. Otherwise the
    // smallest factors are short, and the length of count is a better estimate.
    int64_t length = int_bits(n.kind != K_BIGINT && n.i < 2 * count ? v_int(count) : n);
    if (__builtin_mul_overflow(length > 2 ? length - 2 : 0, count, &bits)) return vm_no_memory(vm);
    return int_check_size(vm, bits);
}

static Status factorial_of(Vm *vm, int64_t n, Value *out) {
    if (n < 2) {
        *out = v_int(1);
        return ST_OK;
    }
    if (check_product(vm, v_int(n), n) != ST_OK) return ST_ERROR;
    return falling_product(vm, v_int(n), 0, n - 1, out);
}

Status math_factorial(Vm *vm, const Value *args, Value *out) {
    Value n;
    Status st = index_arg(vm, args[0], &n);
    if (st != ST_OK) return st;
    if (int_sign(n) < 0) {
        st = vm_raise(vm, EXC_ValueError, "factorial() not defined for negative values");
    } else if (n.kind == K_BIGINT) {
        st = vm_raise(vm, EXC_OverflowError, "factorial() argument should not exceed %lld",
                      (long long)INT64_MAX);
    } else {
        st = factorial_of(vm, n.i, out);
    }
    release(vm, n);
    return st;
}

// Reads the arguments n and k of comb and perm, both owned. Raises ValueError if one is negative.
static Status counting_args(Vm *vm, const Value *args, Value *n, Value *k) {
    Status st = index_arg(vm, args[0], n);
    if (st != ST_OK) return st;
    st = index_arg(vm, args[1], k);
    if (st != ST_OK) {
        release(vm, *n);
        return st;
    }
    const char *negative = int_sign(*n) < 0 ? "n" : int_sign(*k) < 0 ? "k" : NULL;
    if (!negative) return ST_OK;
    release(vm, *n);
    release(vm, *k);
    return vm_raise(vm, EXC_ValueError, "%s must be a non-negative integer", negative);
}

static Status permutations(Vm *vm, Value n, Value k, const char *too_large, Value *out) {
    if (int_compare(k, n) > 0) {
        *out = v_int(0);
        return ST_OK;
    }
    if (k.kind == K_BIGINT)
        return vm_raise(vm, EXC_OverflowError, "%s must not exceed %lld", too_large,
                        (long long)INT64_MAX);
    if (check_product(vm, n, k.i) != ST_OK) return ST_ERROR;
    return falling_product(vm, n, 0, k.i, out);
}

Status math_perm(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind == K_NONE) return math_factorial(vm, args, out);
    Value n, k;
    Status st = counting_args(vm, args, &n, &k);
    if (st != ST_OK) return st;
    st = permutations(vm, n, k, "k", out);
    release(vm, n);
    release(vm, k);
    return st;
}

// Computes the binomial coefficient for 0 <= k <= n: with the smaller of k and n - k as k, the falling factorial of k
// factors, divided by k!.
static Status combinations(Vm *vm, Value n, Value k, Value *out) {
    Value smaller, result = V_UNDEF, divisor = V_UNDEF;
    Status st = int_sub(vm, n, k, &smaller);
    if (st != ST_OK) return st;
    if (int_compare(k, smaller) < 0) replace(vm, &smaller, retain(k));
    st = permutations(vm, n, smaller, "min(n - k, k)", &result);
    if (st == ST_OK) st = factorial_of(vm, smaller.i, &divisor);
    if (st == ST_OK) st = update(vm, floor_divide, &result, divisor);
    release(vm, smaller);
    release(vm, divisor);
    return deliver(vm, st, result, out);
}

Status math_comb(Vm *vm, const Value *args, Value *out) {
    Value n, k;
    Status st = counting_args(vm, args, &n, &k);
    if (st != ST_OK) return st;
    if (int_compare(k, n) > 0) {
        *out = v_int(0);
    } else {
        st = combinations(vm, n, k, out);
    }
    release(vm, n);
    release(vm, k);
    return st;
}

Status math_isqrt(Vm *vm, const Value *args, Value *out) {
    Value n;
    Status st = index_arg(vm, args[0], &n);
    if (st != ST_OK) return st;
    st = int_sign(n) < 0 ? vm_raise(vm, EXC_ValueError, "isqrt() argument must be nonnegative")
                         : int_isqrt(vm, n, out);
    release(vm, n);
    return st;
}
