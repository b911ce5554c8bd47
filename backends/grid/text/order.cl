// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LSD radix sort (H. H. Seward, 1954) by the keys of keys.cl; follows counts.cl. In a pass each group counts the digits
// of its block. The counts' prefix sums say where the group's elements of each digit are moved to. The group sorts its
// block by the digit in LOCAL memory (by 4 bits at a time, as N. Satish, M. Harris and M. Garland, "Designing efficient
// sorting algorithms for manycore GPUs", 2009), so that neighbouring lanes write neighbouring elements. All rows are
// sorted at once, and the row's number gives the highest digits. A pass by a digit that all elements share does
// nothing. So which of the two memories has the elements depends on `varied`, the bits in which keys differ.
// INDEX_BYTES: size of indices I.

#define EACH 16
#define BLOCK (LANES * EACH)
#define DIGITS 256
#define KEY_WORDS ((KEY_BYTES + 3) / 4)
#if INDEX_BYTES == 8
#define I uint64_t
#else
#define I uint32_t
#endif

// Returns word number w of the whole key, of 32 bits; the lowest is number 0.
static inline uint32_t key_word(E x, int w, CONST_REF(GridOrder) g) {
    const Keys keys = keys_of(x, g.sort);
#if IS_COMPLEX && KEY_BITS == 64
    return (uint32_t)((w < 2 ? keys.second : keys.first) >> 32 * (w & 1));
#elif IS_COMPLEX
    return w == 0 ? keys.second : keys.first;
#elif KEY_BITS == 64
    return (uint32_t)(keys.first >> 32 * w);
#else
    return keys.first;
#endif
}

static inline uint32_t byte_of(uint32_t word, int64_t pass) {
    return word >> 8 * (pass & 3) & 255;
}

static inline int is_shared(GLOBAL const uint32_t *varied, int64_t pass, CONST_REF(GridOrder) g) {
    return pass < g.key_bytes && byte_of(varied[pass >> 2], pass) == 0;
}

// Returns whether the elements are in the second memory before a pass. `moved`: they have been moved at all, so that
// indices are stored.
static inline int is_second(GLOBAL const uint32_t *varied, int64_t pass, CONST_REF(GridOrder) g, int *moved) {
    int passes = 0;
    for (int64_t p = 0; p < pass; p++) passes += !is_shared(varied, p, g);
    *moved = passes > 0;
    return passes & 1;
}

static inline uint32_t digit_of(E x, uint64_t index, CONST_REF(GridOrder) g) {
    if (g.pass < g.key_bytes) return byte_of(key_word(x, (int)(g.pass >> 2), g), g.pass);
    return (uint32_t)(index / (uint64_t)g.length >> 8 * (g.pass - g.key_bytes)) & 255;
}

// Copies the elements of a view to the first memory, and records in `varied` in which bits their keys differ.
KERNEL nacre_order_begin(GLOBAL const char *from, GLOBAL E *first, GLOBAL uint32_t *varied, const GridOrderView g) {
    LOCAL uint32_t differ[KEY_WORDS];
    const int64_t begin = GROUP * BLOCK;
    const E one = *(GLOBAL const E *)(from + place_of(g.view, 0));
    uint32_t own[KEY_WORDS];
    for (int w = 0; w < KEY_WORDS; w++) own[w] = 0;
    if (LANE < KEY_WORDS) differ[LANE] = 0;
    BARRIER;
    for (int64_t i = begin + LANE; i < begin + BLOCK && i < g.order.count; i += LANES) {
        const E x = *(GLOBAL const E *)(from + place_of(g.view, i));
        first[i] = x;
        for (int w = 0; w < KEY_WORDS; w++) own[w] |= key_word(x, w, g.order) ^ key_word(one, w, g.order);
    }
    for (int w = 0; w < KEY_WORDS; w++)
        if (own[w]) ATOMIC_OR(&differ[w], own[w]);
    BARRIER;
    if (LANE < KEY_WORDS && differ[LANE]) ATOMIC_OR(&varied[LANE], differ[LANE]);
}

KERNEL nacre_order_count(GLOBAL const E *first, GLOBAL const E *second, GLOBAL const I *first_indices,
                         GLOBAL const I *second_indices, GLOBAL int64_t *counts, GLOBAL const uint32_t *varied,
                         const GridOrder g) {
    LOCAL uint32_t counted[DIGITS];
    int moved;
    if (is_shared(varied, g.pass, g)) return;
    const int from_second = is_second(varied, g.pass, g, &moved);
    GLOBAL const E *items = from_second ? second : first;
    GLOBAL const I *indices = from_second ? second_indices : first_indices;
    for (int d = LANE; d < DIGITS; d += LANES) counted[d] = 0;
    BARRIER;
    const int64_t begin = GROUP * BLOCK;
    for (int64_t i = begin + LANE; i < begin + BLOCK && i < g.count; i += LANES)
        ATOMIC_ADD(&counted[digit_of(items[i], g.has_indices && moved ? (uint64_t)indices[i] : (uint64_t)i, g)], 1u);
    BARRIER;
    for (int d = LANE; d < DIGITS; d += LANES) counts[d * g.blocks + GROUP] = counted[d];
}

// Indices with gaps between the lanes' runs of words, so that the lanes access different banks.
#define CODE_AT(i) ((i) + (i) / EACH)
#define COUNT_AT(i) ((i) + (i) / 16 * 2)
#define HALF_DIGITS 16

// Sorts codes by 4 bits from `shift` on, stably.
TOGETHER void sort_codes(NEAR uint32_t *codes, NEAR uint16_t *counted, NEAR int64_t *room, int shift) {
    uint32_t own[EACH];
    int64_t total, sum = 0;
    for (int d = 0; d < HALF_DIGITS; d++) counted[COUNT_AT(d * LANES + LANE)] = 0;
    for (int j = 0; j < EACH; j++) {
        own[j] = codes[CODE_AT(LANE * EACH + j)];
        counted[COUNT_AT((int)(own[j] >> shift & 15) * LANES + LANE)]++;
    }
    BARRIER;
    for (int j = 0; j < HALF_DIGITS; j++) sum += counted[COUNT_AT(LANE * HALF_DIGITS + j)];
    sum = sum_before(room, sum, &total);
    for (int j = 0; j < HALF_DIGITS; j++) {
        const int count = counted[COUNT_AT(LANE * HALF_DIGITS + j)];
        counted[COUNT_AT(LANE * HALF_DIGITS + j)] = (uint16_t)sum;
        sum += count;
    }
    BARRIER;
    for (int j = 0; j < EACH; j++) {
        const int at = counted[COUNT_AT((int)(own[j] >> shift & 15) * LANES + LANE)]++;
        codes[CODE_AT(at)] = own[j];
    }
    BARRIER;
}

// Moves elements to their places. A code is a digit, from bit 16 on, and an element's number in the block. Codes beyond
// the last element have the largest digit, and stay last.
KERNEL nacre_order_move(GLOBAL E *first, GLOBAL E *second, GLOBAL I *first_indices, GLOBAL I *second_indices,
                        GLOBAL const int64_t *counts, GLOBAL const uint32_t *varied, const GridOrder g) {
    LOCAL uint32_t codes[CODE_AT(BLOCK)];
    LOCAL uint16_t counted[COUNT_AT(HALF_DIGITS * LANES)];
    LOCAL int64_t room[2 * LANES];
    LOCAL int64_t targets[DIGITS];
    int moved;
    if (is_shared(varied, g.pass, g)) return;
    const int from_second = is_second(varied, g.pass, g, &moved);
    GLOBAL const E *items = from_second ? second : first;
    GLOBAL E *to = from_second ? first : second;
    GLOBAL const I *indices = from_second ? second_indices : first_indices;
    GLOBAL I *to_indices = from_second ? first_indices : second_indices;
    const int64_t begin = GROUP * BLOCK;
    const int count = g.count - begin < BLOCK ? (int)(g.count - begin) : BLOCK;
    for (int i = LANE; i < BLOCK; i += LANES) {
        uint32_t digit = DIGITS - 1;
        if (i < count)
            digit = digit_of(items[begin + i], g.has_indices && moved ? (uint64_t)indices[begin + i] : (uint64_t)(begin + i), g);
        codes[CODE_AT(i)] = digit << 16 | (uint32_t)i;
    }
    BARRIER;
    sort_codes(codes, counted, room, 16);
    sort_codes(codes, counted, room, 20);
    for (int i = LANE; i < count; i += LANES) {
        const uint32_t digit = codes[CODE_AT(i)] >> 16;
        if (i == 0 || codes[CODE_AT(i - 1)] >> 16 != digit) targets[digit] = counts[digit * g.blocks + GROUP] - i;
    }
    BARRIER;
    for (int i = LANE; i < count; i += LANES) {
        const uint32_t code = codes[CODE_AT(i)];
        const int64_t from = begin + (code & 0xffff), target = targets[code >> 16] + i;
        to[target] = items[from];
        if (g.has_indices) to_indices[target] = moved ? indices[from] : (I)from;
    }
}
