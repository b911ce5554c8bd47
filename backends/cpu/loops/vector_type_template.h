// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Applies library vector functions to rows of one type: a template, included by vector_template.h.
// T: float or double
// SHIFT: the number from which on every T is a whole number
// SOME_NAN(v): whether any element is NaN
// NAME(f): name of a function for T
// OF(x): name of a type or constant for T

typedef T OF(vector) __attribute__((vector_size(VECTOR_BYTES)));
enum { OF(lanes) = VECTOR_BYTES / sizeof(T) };

// Loads the rest of a row, padded with its last element.
static OF(vector) OF(rest)(const T *from, size_t n) {
    OF(vector) v = {0};
    for (size_t i = 0; i < OF(lanes); i++) v[i] = from[i < n ? i : n - 1];
    return v;
}

static bool OF(some_whole)(OF(vector) x, OF(vector) y) {
    __auto_type both = (x + SHIFT - SHIFT == x) & (y + SHIFT - SHIFT == y);
    return SOME_NAN((OF(vector))both); // all bits set is a NaN
}

static int OF(again)(LoopFn loop, const T *x, const T *y, T *z, size_t n, bool whole) {
    int errors = x87_flags(); // raised before; flags_clear() would lose them
    for (size_t i = 0; i < n; i++) {
        bool exact = whole && x[i] == rint(x[i]) && y[i] == rint(y[i]);
        if ((isfinite(z[i]) && !exact) || isnan(x[i]) || isnan(y[i])) continue;
        flags_clear();
        loop(x + i, y + i, NULL, z + i, 1);
        errors |= flags_now();
    }
    return errors;
}

static inline OF(vector) OF(applied_1)(VectorFn fn, LoopFn loop, OF(vector) x, int *errors) {
    OF(vector) z = ((OF(vector)(*)(OF(vector)))fn)(x);
    if (__builtin_expect(SOME_NAN(z - z), 0))
        *errors |= OF(again)(loop, (T *)&x, (T *)&x, (T *)&z, OF(lanes), false);
    return z;
}

static inline OF(vector) OF(applied_2)(VectorFn fn, LoopFn loop, bool whole, OF(vector) x, OF(vector) y, int *errors) {
    OF(vector) z = ((OF(vector)(*)(OF(vector), OF(vector)))fn)(x, y);
    if (__builtin_expect(SOME_NAN(z - z) || (whole && OF(some_whole)(x, y)), 0))
        *errors |= OF(again)(loop, (T *)&x, (T *)&y, (T *)&z, OF(lanes), whole);
    return z;
}

static void NAME(vector_1)(VectorFn fn, LoopFn loop, bool whole, const void *a, const void *b, void *out, size_t n) {
    OF(vector) x, z;
    const T *from = a;
    T *to = out;
    unsigned before = flags_keep();
    int errors = 0;
    (void)b;
    (void)whole;
    for (; n >= OF(lanes); n -= OF(lanes), from += OF(lanes), to += OF(lanes)) {
        memcpy(&x, from, sizeof x);
        z = OF(applied_1)(fn, loop, x, &errors);
        memcpy(to, &z, sizeof z);
    }
    if (n > 0) {
        z = OF(applied_1)(fn, loop, OF(rest)(from, n), &errors);
        memcpy(to, &z, n * sizeof(T));
    }
    flags_back(before);
    if (errors & TOLD) feraiseexcept(errors & TOLD);
}

static void NAME(vector_2)(VectorFn fn, LoopFn loop, bool whole, const void *a, const void *b, void *out, size_t n) {
    OF(vector) x, y, z;
    const T *from = a, *more = b;
    T *to = out;
    unsigned before = flags_keep();
    int errors = 0;
    for (; n >= OF(lanes); n -= OF(lanes), from += OF(lanes), more += OF(lanes), to += OF(lanes)) {
        memcpy(&x, from, sizeof x);
        memcpy(&y, more, sizeof y);
        z = OF(applied_2)(fn, loop, whole, x, y, &errors);
        memcpy(to, &z, sizeof z);
    }
    if (n > 0) {
        z = OF(applied_2)(fn, loop, whole, OF(rest)(from, n), OF(rest)(more, n), &errors);
        memcpy(to, &z, n * sizeof(T));
    }
    flags_back(before);
    if (errors & TOLD) feraiseexcept(errors & TOLD);
}

#undef T
#undef SHIFT
#undef SOME_NAN
#undef NAME
#undef OF
