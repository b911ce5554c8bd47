// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds the index of the first largest element of each row, in the order of the keys of keys.cl (is_least: in reverse
// order); of the first NaN if there is any. A row is cut into parts. The best element of each part is found, then the
// best of these, by a group of lanes (extreme_group.cl) or by one work item (extreme_item.cl).

typedef struct {
    Keys keys;
    int64_t at; // -1: no element yet
} Best;

static inline Keys rank_of(E x, CONST_REF(GridExtreme) g) {
    Keys keys = keys_of(x, g.sort);
#if IS_COMPLEX
    if (keys.first >= LAST - 2) keys.first = LAST, keys.second = 0;
#endif
    if (!g.is_least || (g.sort == KEY_FLOATING && keys.first == LAST)) return keys;
    keys.first = ~keys.first & LAST;
    keys.second = ~keys.second & LAST;
    return keys;
}

static inline Best best_of(Best a, Best b) {
    const int second = b.at >= 0 && (a.at < 0 || is_before(a.keys, b.keys) || (!is_before(b.keys, a.keys) && b.at < a.at));
    return second ? b : a;
}

static inline Best candidate(GLOBAL const char *row, int64_t at, CONST_REF(GridExtreme) g) {
    Best best;
    best.at = at;
    best.keys = rank_of(*(GLOBAL const E *)(row + at * g.stride), g);
    return best;
}

static inline Best nothing(void) {
    Best best;
    best.keys.first = best.keys.second = 0;
    best.at = -1;
    return best;
}
