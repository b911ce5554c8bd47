// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic sequences as in NumPy: extrapolated from the first two elements, in the type T; U is the type that steps
// are computed in, unsigned for integers, which wrap.

typedef union {
    int64_t word;
    T value;
} Word;

KERNEL nacre_arange(GLOBAL char *to, const GridSequence g) {
    const int64_t i = ITEM;
    Word first, second;
    if (i >= g.count) return;
    first.word = g.first;
    second.word = g.second;
    const T step = (T)((U)second.value - (U)first.value);
    const T value = (T)((U)first.value + (U)i * (U)step);
    *(GLOBAL T *)(to + g.offset + i * g.stride) = i == 0 ? first.value : i == 1 ? second.value : value;
}
