// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows put.cl and order.cl: scatters that combine. Indices are sorted by place, so that those of one place are
// consecutive, in their order. A work item combines all values for one element. `combine` is the operation; check and
// check_cast raise flags; get_T and put_T load and store elements; get_L loads values, of the type of the computation;
// to_L and to_T cast. REFUSES: if any value is negative, nothing is written.

#define NEGATIVE_POWER 16u // as in vm/kernel/kernel.h

KERNEL nacre_put_refuse(GLOBAL const char *many, GLOBAL char *one, GLOBAL uint32_t *flags, const GridPutOrder g) {
#if REFUSES
    const int64_t i = ITEM;
    if (i < g.put.end * g.put.rest && get_L(many + place_of(g.put.many, i)) < 0) MEET(flags, 0, NEGATIVE_POWER);
#endif
}

KERNEL nacre_put_numbers(GLOBAL const char *at, GLOBAL E *numbers, const GridPut g) {
    const int64_t i = ITEM;
    if (i < g.end) numbers[i] = (E)number_at(at, i, g);
}

KERNEL nacre_put_combine(GLOBAL const E *first, GLOBAL const E *second, GLOBAL const I *first_indices,
                         GLOBAL const I *second_indices, GLOBAL const uint32_t *varied, GLOBAL const char *many,
                         GLOBAL char *one, GLOBAL uint32_t *flags, const GridPutOrder g) {
    const int64_t begin = ITEM / g.put.rest, rest = ITEM % g.put.rest, end = g.put.end;
    int moved;
    if (begin >= end) return;
#if REFUSES
    if (flags[0] & NEGATIVE_POWER) return;
#endif
    const int is_in_second = is_second(varied, g.order.pass, g.order, &moved);
    GLOBAL const E *numbers = is_in_second ? second : first;
    GLOBAL const I *indices = is_in_second ? second_indices : first_indices;
    const E number = numbers[begin];
    if (begin > 0 && numbers[begin - 1] == number) return;
    GLOBAL char *to = one + place_of(g.put.one, rest) + g.put.lowest + (int64_t)number * g.put.unit;
    T element = get_T(to);
    for (int64_t s = begin; s < end && numbers[s] == number; s++) {
        const int64_t index = moved ? (int64_t)indices[s] : s;
        const L x = to_L(element), y = get_L(many + place_of(g.put.many, index * g.put.rest + rest));
        const R made = combine(x, y);
        check(flags, made, x, y);
        element = to_T(made);
        check_cast(flags, element, made, made);
    }
    put_T(to, element);
}
