// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Precedes scan.cl, for running products. V is the type of elements, T the type of products, which has twice the
// digits, since the rounding error of every multiplication stays in a product (for numbers close to 1 all errors have
// the same sign). For double, T is a pair of numbers: T. J. Dekker, "A floating-point technique for extending the
// available precision", Numerische Mathematik 18, 1971. times multiplies two elements; to_V casts an operand's element
// to V.

#if IS_DOUBLE
typedef struct {
    double high, low;
} T;

static inline T wide(V x) {
    T made;
    made.high = x;
    made.low = 0;
    return made;
}
static inline V narrow(T x) {
    return x.high;
}
static inline double size_of(T x) {
    return x.high < 0 ? -x.high : x.high;
}
static inline T combine(T x, T y) {
    T made = wide(x.high * y.high);
    const double high = made.high, rest = fma(x.high, y.high, -high) + (x.high * y.low + x.low * y.high);
    if (high - high != 0 || rest == 0) return made; // keeps the signs of zeros
    made.high = high + rest;
    made.low = rest - (made.high - high);
    return made;
}
#else
typedef double T;

static inline T wide(V x) {
    return x;
}
static inline V narrow(T x) {
    return (V)x;
}
static inline double size_of(T x) {
    return x < 0 ? -x : x;
}
static inline T combine(T x, T y) {
    return x * y;
}
#endif

#define to_T(x) wide(to_V(x))

static inline bool is_plain(double size, double least) {
    return size >= least && size - size == 0;
}

// Marks a row if a product is not finite, or so small that digits are lost.
static inline void check(GLOBAL uint32_t *mark, T made, T x, T y) {
    if (!is_plain(size_of(made), 2.2250738585072014e-308)) *mark = 1;
}
