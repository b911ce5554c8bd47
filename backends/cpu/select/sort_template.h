// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Stable sorts by an unsigned key: a template, included by sort.c for each kind of item.
// ITEM: type of items
// KEY(x): the key of item x
// NAME(f): name of a function for these items

// Sorts short runs without unpredictable branches: an item's position is the number of items not
// larger before it and smaller after it. (Insertion sort took 1.5 times as long on rows of 10.)
static void NAME(sort_run)(ITEM *items, size_t n) {
    ITEM sorted[RUN];
    uint32_t rank[RUN];
    for (size_t i = 0; i < n; i++) {
        uint32_t before = 0;
        for (size_t j = 0; j < i; j++) {
            uint32_t larger = KEY(items[j]) > KEY(items[i]);
            rank[j] += larger;
            before += 1 - larger;
        }
        rank[i] = before;
    }
    for (size_t i = 0; i < n; i++) sorted[rank[i]] = items[i];
    memcpy(items, sorted, n * sizeof *items);
}

// Merges two sorted runs, [left, middle) and [middle, end), without a branch on the comparison.
static void NAME(merge)(const ITEM *left, const ITEM *middle, const ITEM *end, ITEM *to) {
    const ITEM *right = middle;
    while (left < middle && right < end) {
        bool second = KEY(*right) < KEY(*left);
        *to++ = *(second ? right : left);
        right += second;
        left += !second;
    }
    memcpy(to, left, (size_t)(middle - left) * sizeof *to);
    to += middle - left;
    memcpy(to, right, (size_t)(end - right) * sizeof *to);
}

// Bottom-up merge sort: runs of RUN, then of twice that size …, alternating between buffers.
// Returns the sorted buffer.
static ITEM *NAME(merge_sort)(ITEM *items, ITEM *spare, size_t n) {
    for (size_t i = 0; i < n; i += RUN) NAME(sort_run)(items + i, n - i < RUN ? n - i : RUN);
    for (size_t run = RUN; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            size_t middle = i + run < n ? i + run : n, end = i + 2 * run < n ? i + 2 * run : n;
            NAME(merge)(items + i, items + middle, items + end, spare + i);
        }
        ITEM *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

static bool NAME(is_sorted)(const ITEM *items, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (KEY(items[i - 1]) > KEY(items[i])) return false;
    return true;
}

// Counts the values of each byte of the keys.
static void NAME(count)(const Cpu *cpu, const ITEM *items, size_t n, int width,
                        size_t (*counts)[DIGITS], uint32_t *flags) {
    for (size_t i = 0, end = 0; i < n && !interrupted(cpu, flags);) {
        end = n - end > BLOCK ? end + BLOCK : n;
        for (; i < end; i++)
            for (int b = 0; b < width; b++) counts[b][KEY(items[i]) >> 8 * b & (DIGITS - 1)]++;
    }
}

// One pass of radix sort by 8 bits; positions start at running sums of the counts.
static void NAME(distribute)(const Cpu *cpu, const ITEM *items, ITEM *to, size_t n, int shift,
                             size_t *counts, uint32_t *flags) {
    size_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        size_t count = counts[d];
        counts[d] = sum;
        sum += count;
    }
    for (size_t i = 0, end = 0; i < n && !interrupted(cpu, flags);) {
        end = n - end > BLOCK ? end + BLOCK : n;
        for (; i < end; i++) to[counts[KEY(items[i]) >> shift & (DIGITS - 1)]++] = items[i];
    }
}

// LSD radix sort (H. H. Seward, 1954). Skips digits that all keys share. After an interrupt the
// items are undefined.
static ITEM *NAME(radix_sort)(const Cpu *cpu, ITEM *items, ITEM *spare, size_t n, int width,
                              uint32_t *flags) {
    size_t counts[sizeof(uint64_t)][DIGITS] = {{0}};
    NAME(count)(cpu, items, n, width, counts, flags);
    for (int b = 0; b < width && !(*flags & FLAG_INTERRUPTED); b++) {
        if (counts[b][KEY(items[0]) >> 8 * b & (DIGITS - 1)] == n) continue;
        NAME(distribute)(cpu, items, spare, n, 8 * b, counts[b], flags);
        ITEM *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

#include "backends/cpu/select/sort_split_template.h"

// Three-way partition without branches: items below `low` to the front of `to`, above `high` to its
// end, the others to the front of `items`. Returns how many are below; *between: how many are
// between.
static size_t NAME(split)(ITEM *items, ITEM *to, size_t n, uint64_t low, uint64_t high, size_t *between) {
    size_t before = 0, middle = 0, behind = 0;
    for (size_t i = 0; i < n; i++) {
        ITEM item = items[i];
        bool smaller = KEY(item) < low, larger = KEY(item) > high;
        to[before] = item;
        to[n - 1 - behind] = item;
        items[middle] = item;
        before += smaller;
        behind += larger;
        middle += !smaller && !larger;
    }
    *between = middle;
    return before;
}

// Estimates the keys around positions from … to - 1 of the sorted row of n, from a sample, with a
// margin (R. W. Floyd and R. L. Rivest, "Algorithm 489", 1975). `spare` is as large as the sample.
static void NAME(bounds)(ITEM *sample, ITEM *spare, size_t n, size_t from, size_t to, uint64_t *low, uint64_t *high) {
    enum { APART = 24 };
    const ITEM *sorted = NAME(merge_sort)(sample, spare, SAMPLE);
    size_t first = (size_t)((double)from / (double)n * SAMPLE), last = (size_t)((double)to / (double)n * SAMPLE);
    *low = first < APART ? 0 : KEY(sorted[first - APART]);
    *high = last + APART >= SAMPLE ? UINT64_MAX : KEY(sorted[last + APART]);
}

// Selection: positions from … to - 1 get the items of the sorted row, with nothing larger before
// and nothing smaller after. `spare` is as large as `items`.
static void NAME(part)(const Cpu *cpu, ITEM *items, ITEM *spare, size_t n, size_t from, size_t to, int width,
                       uint32_t *flags) {
    enum { FEW = 4096 };
    ITEM sample[SAMPLE], sample_spare[SAMPLE];
    while (n > FEW && (to - from) < n / 4) {
        uint64_t low, high;
        size_t between, before;
        if (interrupted(cpu, flags)) return;
        for (size_t i = 0; i < SAMPLE; i++) sample[i] = items[sampled(i, n)];
        NAME(bounds)(sample, sample_spare, n, from, to, &low, &high);
        before = NAME(split)(items, spare, n, low, high, &between);
        memcpy(spare + before, items, between * sizeof *items);
        memcpy(items, spare, n * sizeof *items);
        size_t begin = before, end = before + between;
        if (to <= begin) end = begin, begin = 0;        // the estimate was wrong: the positions are
                                                        // below,
        else if (from >= end) begin = end, end = n;     // above,
        else if (from < begin || to > end) break;       // or on both sides
        else if (low == high) return;                   // all of them are equal
        if (end - begin > n - n / 8) break;
        items += begin;
        n = end - begin;
        from -= begin;
        to -= begin;
    }
    const ITEM *sorted = NAME(sort)(cpu, items, spare, n, width, NULL, flags);
    if (sorted != items) memcpy(items, sorted, n * sizeof *items);
}

#undef ITEM
#undef KEY
#undef OF_KEY
#undef NAME
