// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic sequences as in NumPy: extrapolated from the first two elements. An element has PARTS parts, 2 if it is
// complex, of the type T. put_P stores a part, of SIZE bytes in memory. U is the type that steps are computed in; for
// integers it is unsigned, so that they wrap.

typedef union {
    int64_t word;
    T value;
} Word;

KERNEL nacre_arange(GLOBAL char *to, const GridSequence g) {
    const int64_t i = ITEM;
    if (i >= g.count) return;
    for (int part = 0; part < PARTS; part++) {
        Word first, second;
        first.word = g.first[part];
        second.word = g.second[part];
        const T step = (T)((U)second.value - (U)first.value);
        const T value = (T)((U)first.value + (U)i * (U)step);
        put_P(to + g.offset + i * g.stride + part * SIZE, i == 0 ? first.value : i == 1 ? second.value : value);
    }
}
