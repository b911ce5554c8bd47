// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of the math module over many numbers: exact sums, products, Euclidean norms.

#include <math.h>

#include "stdlib/math_impl.h"
#include "vm/value/ops.h"

enum { POLL_MASK = 0xffff };

// Returns the items of an iterable as an owned list. ST_DEFER for an iterator: its items could not be put
// back if the call had to be repeated because of an item whose class is written in the language.
static Status items_of(Vm *vm, Value iterable, Value *list) {
    if (kind_slots[iterable.kind]->next) return ST_DEFER;
    return op_to_list(vm, iterable, list);
}

static Status double_of(Vm *vm, const Value *items, size_t i, double *out) {
    if ((i & POLL_MASK) == POLL_MASK && vm_poll(vm) != ST_OK) return ST_ERROR;
    return op_as_double(vm, items[i], out);
}

// --- fsum ---------------------------------------------------------------------------------------

// Jonathan Shewchuk's partial sums: non-overlapping doubles in increasing order whose sum is exact. A
// double's range has 2098 bits, and each partial occupies at least one of them that no other does, so
// 2098 partials are the most; sums of powers of two can come near that.
enum { MAX_PARTIALS = 2112 };

typedef struct ExactSum {
    double partials[MAX_PARTIALS];
    int count;
    double special, infinite; // special: sum of infinities and nans; infinite: sum of infinities alone
} ExactSum;

// Adds x. Returns false if an intermediate sum overflows.
static bool exact_add(ExactSum *sum, double x) {
    if (!isfinite(x)) {
        if (isinf(x)) sum->infinite += x;
        sum->special += x;
        return true;
    }
    int kept = 0;
    for (int i = 0; i < sum->count; i++) {
        double y = sum->partials[i];
        if (fabs(x) < fabs(y)) {
            double larger = y;
            y = x;
            x = larger;
        }
        double high = x + y;
        double low = y - (high - x);
        if (low != 0) sum->partials[kept++] = low;
        x = high;
    }
    if (!isfinite(x)) return false;
    if (x != 0) sum->partials[kept++] = x;
    sum->count = kept;
    return true;
}

// Returns the sum of the partials, rounded once.
static double exact_value(const ExactSum *sum) {
    int n = sum->count;
    if (n == 0) return 0.0;
    double high = sum->partials[--n], low = 0;
    while (n > 0 && low == 0) {
        double x = high, y = sum->partials[--n];
        high = x + y;
        low = y - (high - x);
    }
    // A tie was rounded to even, but the next partial has the sign of the remainder: rounds the other way.
    if (n > 0 && ((low < 0 && sum->partials[n - 1] < 0) || (low > 0 && sum->partials[n - 1] > 0))) {
        double twice = 2 * low, moved = high + twice;
        if (twice == moved - high) high = moved;
    }
    return high;
}

static Status sum_items(Vm *vm, const List *list, ExactSum *sum) {
    for (size_t i = 0; i < list->len; i++) {
        double x;
        Status st = double_of(vm, list->items, i, &x);
        if (st != ST_OK) return st;
        if (!exact_add(sum, x))
            return vm_raise(vm, EXC_OverflowError, "intermediate overflow in fsum");
    }
    return ST_OK;
}

Status math_fsum(Vm *vm, const Value *args, Value *out) {
    Value list;
    Status st = items_of(vm, args[0], &list);
    if (st != ST_OK) return st;
    ExactSum sum;
    sum.count = 0;
    sum.special = sum.infinite = 0;
    st = sum_items(vm, list.list, &sum);
    release(vm, list);
    if (st != ST_OK) return st;
    if (sum.special != 0) {
        if (isnan(sum.infinite)) return vm_raise(vm, EXC_ValueError, "-inf + inf in fsum");
        *out = v_float(sum.special);
    } else {
        *out = v_float(exact_value(&sum));
    }
    return ST_OK;
}

// --- prod ---------------------------------------------------------------------------------------

static Status multiply_items(Vm *vm, const List *list, Value *result) {
    for (size_t i = 0; i < list->len; i++) {
        Value product;
        Status st = vm_poll(vm);
        if (st == ST_OK) st = op_binary(vm, BIN_MUL, false, *result, list->items[i], &product);
        if (st != ST_OK) return st;
        replace(vm, result, product);
    }
    return ST_OK;
}

Status math_prod(Vm *vm, const Value *args, Value *out) {
    Value list;
    Status st = items_of(vm, args[0], &list);
    if (st != ST_OK) return st;
    Value result = retain(args[1]);
    st = multiply_items(vm, list.list, &result);
    release(vm, list);
    if (st == ST_OK) {
        *out = result;
    } else {
        release(vm, result);
    }
    return st;
}

// --- Norms --------------------------------------------------------------------------------------

// Returns the square root of the sum of squares of the numbers xs[i] * scale, each at most 1. Rounding
// errors of all steps are carried along, and one step of Newton's method follows. The error is below one ulp.
static double norm_of_scaled(const double *xs, size_t n, double scale) {
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        double x = xs[i] * scale; // exact: scale is a power of two
        double square = x * x, lost = fma(x, x, -square);
        double next = sum + square; // TwoSum of Knuth: its error is added to `rest`
        double back = next - sum;
        rest += (sum - (next - back)) + (square - back) + lost;
        sum = next;
    }
    double root = sqrt(sum + rest);
    if (root == 0) return 0;
    double square = root * root, lost = fma(root, root, -square);
    return root + ((sum - square) - lost + rest) / (2 * root);
}

// Returns the Euclidean norm of xs, which it overwrites.
static double norm(double *xs, size_t n) {
    double largest = 0;
    bool nan = false;
    for (size_t i = 0; i < n; i++) {
        xs[i] = fabs(xs[i]);
        nan = nan || isnan(xs[i]);
        if (xs[i] > largest) largest = xs[i];
    }
    if (isinf(largest) || (largest == 0 && !nan) || nan || n == 1)
        return isinf(largest) ? largest : nan ? NAN : largest;
    int exponent;
    frexp(largest, &exponent);
    if (exponent < -1000) { // scales up, so that no number is subnormal
        for (size_t i = 0; i < n; i++) xs[i] *= 0x1p600;
        return norm(xs, n) * 0x1p-600;
    }
    double result = norm_of_scaled(xs, n, ldexp(1.0, -exponent));
    return ldexp(result, exponent);
}

// Allocates n doubles, to be freed by doubles_free with the same n.
static double *doubles_new(Vm *vm, size_t n) {
    return mem_alloc(&vm->mem, (n + 1) * sizeof(double));
}

static void doubles_free(Vm *vm, double *xs, size_t n) {
    mem_free(&vm->mem, xs, (n + 1) * sizeof *xs);
}

Status math_hypot(Vm *vm, const Value *args, Value *out) {
    const Tuple *numbers = args[0].tuple;
    double *xs = doubles_new(vm, numbers->len);
    if (!xs) return vm_no_memory(vm);
    Status st = ST_OK;
    for (size_t i = 0; i < numbers->len && st == ST_OK; i++)
        st = double_of(vm, numbers->items, i, &xs[i]);
    if (st == ST_OK) *out = v_float(norm(xs, numbers->len));
    doubles_free(vm, xs, numbers->len);
    return st;
}

static Status distance(Vm *vm, const List *p, const List *q, Value *out) {
    if (p->len != q->len)
        return vm_raise(vm, EXC_ValueError,
                        "both points must have the same number of dimensions");
    double *xs = doubles_new(vm, p->len);
    if (!xs) return vm_no_memory(vm);
    Status st = ST_OK;
    for (size_t i = 0; i < p->len && st == ST_OK; i++) {
        double a = 0, b = 0;
        st = double_of(vm, p->items, i, &a);
        if (st == ST_OK) st = double_of(vm, q->items, i, &b);
        xs[i] = a - b;
    }
    if (st == ST_OK) *out = v_float(norm(xs, p->len));
    doubles_free(vm, xs, p->len);
    return st;
}

Status math_dist(Vm *vm, const Value *args, Value *out) {
    Value p, q;
    Status st = items_of(vm, args[0], &p);
    if (st != ST_OK) return st;
    st = items_of(vm, args[1], &q);
    if (st == ST_OK) {
        st = distance(vm, p.list, q.list, out);
        release(vm, q);
    }
    release(vm, p);
    return st;
}
