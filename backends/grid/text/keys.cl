// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Computes unsigned keys that have the order of elements. Elements are words E of their size; KEY_… says how to order
// them. Signed integers get their sign bit flipped, negative floats all bits, other floats the sign bit. All NaNs share
// the last key and both zeros one key, so a sort that is stable by key is stable by value.

#if KEY_BITS == 64
#define K uint64_t
#define INFINITE ((K)0x7ff << 52)
#else
#define K uint32_t
#define INFINITE ((K)(KEY_BITS == 16 ? 0x7c00 : 0x7f800000))
#endif
#define SIGN ((K)1 << (KEY_BITS - 1))
#define LAST (SIGN | (SIGN - 1))

#define KEY_UNSIGNED 0
#define KEY_SIGNED 1
#define KEY_FLOATING 2

static inline int is_nan(K bits) {
    return (bits & ~SIGN) > INFINITE;
}

// Returns the key of a real number.
static inline K key_of(K bits, int64_t sort) {
    if (sort != KEY_FLOATING) return sort == KEY_SIGNED ? bits ^ SIGN : bits;
    if (is_nan(bits)) return LAST;
    if ((bits & ~SIGN) == 0) return SIGN;
    return bits & SIGN ? ~bits & LAST : bits | SIGN;
}

// The keys of a complex number; the second one decides if the first ones are equal. After all other numbers come those
// whose imaginary part is NaN, then those whose real part is, then those with both. A real number has the first key
// only.
typedef struct {
    K first, second;
} Keys;

#if IS_COMPLEX && KEY_BITS == 64
#define REAL_BITS(x) ((x).word[0])
#define IMAGINARY_BITS(x) ((x).word[1])
#elif IS_COMPLEX
#define REAL_BITS(x) ((K)(x))
#define IMAGINARY_BITS(x) ((K)((x) >> 32))
#endif

static inline Keys keys_of(E x, int64_t sort) {
    Keys keys;
#if IS_COMPLEX
    const K re = REAL_BITS(x), im = IMAGINARY_BITS(x);
    const int re_nan = is_nan(re), im_nan = is_nan(im);
    keys.first = re_nan && im_nan ? LAST : re_nan ? LAST - 1 : im_nan ? LAST - 2 : key_of(re, sort);
    keys.second = re_nan && im_nan ? 0 : re_nan ? key_of(im, sort) : im_nan ? key_of(re, sort) : key_of(im, sort);
#else
    keys.first = key_of((K)x, sort);
    keys.second = 0;
#endif
    return keys;
}

static inline int is_before(Keys a, Keys b) {
    if (a.first != b.first) return a.first < b.first;
    return IS_COMPLEX && a.second < b.second;
}
