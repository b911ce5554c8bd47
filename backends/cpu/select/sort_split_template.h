// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorts long rows by splitting their key range: a template, included by sort.c after
// sort_template.h.
// ITEM, KEY(x), NAME(f): as in sort_template.h
// OF_KEY(x): the item with that key, if items are determined by keys
//
// A row larger than the caches is first distributed to buckets of similar size, by the leading bits
// of its key range. Threads share this, and then the buckets, each of which fits into a near cache.
// A bucket is sorted by the leading bits of its own range, which distinguish nearly all items, and
// then by insertion. All steps are stable.

// Insertion sort of nearly sorted items. False: stopped, since items would move too often.
static bool NAME(insert_few)(ITEM *items, size_t n) {
    size_t moves = MOVES_EACH * n;
    for (size_t i = 1; i < n; i++) {
        if (KEY(items[i - 1]) <= KEY(items[i])) continue;
        ITEM item = items[i];
        size_t j = i;
        for (; j > 0 && KEY(items[j - 1]) > KEY(item); j--) items[j] = items[j - 1];
        items[j] = item;
        if (i - j > moves) return false;
        moves -= i - j;
    }
    return true;
}

static void NAME(range)(const ITEM *items, size_t n, uint64_t *least, uint64_t *most) {
    uint64_t low = KEY(items[0]), high = low;
    for (size_t i = 1; i < n; i++) {
        uint64_t key = KEY(items[i]);
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    *least = low;
    *most = high;
}

// Radix sort by the leading bits of the keys' distance from the least one. Returns the sorted
// buffer.
static ITEM *NAME(leading_digits)(ITEM *items, ITEM *spare, size_t n, uint64_t least, int shift, Digits digits) {
    uint32_t counts[PASSES][1 << DIGIT_MOST], mask = ((uint32_t)1 << digits.bits) - 1;
    for (int p = 0; p < digits.passes; p++) memset(counts[p], 0, sizeof(uint32_t) << digits.bits);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = (KEY(items[i]) - least) >> shift;
        for (int p = 0; p < digits.passes; p++) counts[p][key >> digits.bits * p & mask]++;
    }
    for (int p = 0; p < digits.passes; p++, shift += digits.bits) {
        uint32_t sum = 0, *at = counts[p];
        for (uint32_t d = 0; d <= mask; d++) {
            uint32_t count = at[d];
            at[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++) spare[at[(KEY(items[i]) - least) >> shift & mask]++] = items[i];
        ITEM *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

// Sorts n < 2^32 items with a spare buffer. Returns the buffer with the result.
static ITEM *NAME(sort_bucket)(const Cpu *cpu, ITEM *items, ITEM *spare, size_t n, int width, Digits digits,
                               uint32_t *flags) {
    uint64_t least, most;
    if (NAME(is_sorted)(items, n)) return items;
    if (n < MERGE_WORTH) return NAME(merge_sort)(items, spare, n);
    NAME(range)(items, n, &least, &most);
    int bits = 64 - __builtin_clzll(most - least), needed = (bits + digits.bits - 1) / digits.bits;
    if (digits.passes > needed) digits.passes = needed;
    int shift = bits > digits.bits * digits.passes ? bits - digits.bits * digits.passes : 0;
    ITEM *sorted = NAME(leading_digits)(items, spare, n, least, shift, digits);
    if (shift == 0 || NAME(insert_few)(sorted, n)) return sorted;
    return NAME(radix_sort)(cpu, sorted, sorted == items ? spare : items, n, width, flags);
}

typedef struct NAME(Split) {
    Job job;
    ITEM *items, *to;
    size_t n;
    uint64_t least;
    int shift, width, buckets;
    SplitTables *tables;
} NAME(Split);

static void NAME(count_bins)(void *argument, int part, int worker) {
    NAME(Split) *s = argument;
    uint32_t *counts = s->tables->counts[part];
    (void)worker;
    memset(counts, 0, sizeof s->tables->counts[part]);
    uint32_t flags = 0;
    size_t i = split_begin(s->n, part), end = split_begin(s->n, part + 1);
    while (i < end && !interrupted(s->job.cpu, &flags))
        for (size_t next = end - i > BLOCK ? i + BLOCK : end; i < next; i++)
            counts[(KEY(s->items[i]) - s->least) >> s->shift]++;
    atomic_fetch_or(&s->job.flags, flags);
}

#ifdef OF_KEY
// Writes each bin's item as often as it was counted, if each bin holds a single key.
static void NAME(fill_alike)(const NAME(Split) *s) {
    ITEM *to = s->to;
    for (size_t bin = 0; bin < (size_t)1 << BIN_BITS; bin++) {
        ITEM item = OF_KEY(s->least + bin);
        size_t count = 0;
        for (int p = 0; p < SPLIT_PARTS; p++) count += s->tables->counts[p][bin];
        for (size_t i = 0; i < count; i++) to[i] = item;
        to += count;
    }
}
#endif

static void NAME(fill_buckets)(void *argument, int part, int worker) {
    NAME(Split) *s = argument;
    uint32_t *at = s->tables->at[part];
    const uint8_t *bucket_of = s->tables->bucket_of;
    uint32_t flags = 0;
    size_t i = split_begin(s->n, part), end = split_begin(s->n, part + 1);
    (void)worker;
    while (i < end && !interrupted(s->job.cpu, &flags))
        for (size_t next = end - i > BLOCK ? i + BLOCK : end; i < next; i++)
            s->to[at[bucket_of[(KEY(s->items[i]) - s->least) >> s->shift]]++] = s->items[i];
    atomic_fetch_or(&s->job.flags, flags);
}

static void NAME(sort_part)(void *argument, int part, int worker) {
    NAME(Split) *s = argument;
    uint32_t flags = 0;
    size_t begin = s->tables->starts[part], n = s->tables->starts[part + 1] - begin;
    (void)worker;
    if (interrupted(s->job.cpu, &flags)) atomic_fetch_or(&s->job.flags, flags);
    if (flags || n == 0) return;
    ITEM *there = s->to + begin, *sorted;
    sorted = NAME(sort_bucket)(s->job.cpu, there, s->items + begin, n, s->width, bucket_digits(n), &flags);
    if (sorted != there) memcpy(there, sorted, n * sizeof *there);
    atomic_fetch_or(&s->job.flags, flags);
}

static ITEM *NAME(split_sort)(const Cpu *cpu, ITEM *items, ITEM *spare, size_t n, int width, SplitTables *tables,
                              uint32_t *flags) {
    uint64_t most;
    NAME(Split) s = {.items = items, .to = spare, .n = n, .width = width, .tables = tables};
    NAME(range)(items, n, &s.least, &most);
    int bits = most == s.least ? 0 : 64 - __builtin_clzll(most - s.least);
    s.shift = bits > BIN_BITS ? bits - BIN_BITS : 0;
    share_out(cpu, NAME(count_bins), &s, SPLIT_PARTS, flags);
    if (*flags & FLAG_INTERRUPTED) return spare; // counts are incomplete
#ifdef OF_KEY
    if (s.shift == 0) {
        NAME(fill_alike)(&s);
        return spare;
    }
#endif
    s.buckets = split_plan(tables, n);
    share_out(cpu, NAME(fill_buckets), &s, SPLIT_PARTS, flags);
    if (*flags & FLAG_INTERRUPTED) return spare;
    share_out(cpu, NAME(sort_part), &s, s.buckets, flags);
    return spare;
}

// Sorts n items with a spare buffer; keys have `width` bytes. Returns the buffer with the result.
// `tables` NULL: the row is shorter than SPLIT_WORTH.
static ITEM *NAME(sort)(const Cpu *cpu, ITEM *items, ITEM *spare, size_t n, int width, SplitTables *tables,
                        uint32_t *flags) {
    if (NAME(is_sorted)(items, n)) return items;
    if (n < (width <= 2 ? (size_t)width * RADIX_WORTH : MERGE_WORTH)) return NAME(merge_sort)(items, spare, n);
    if (width <= 2 || n > UINT32_MAX) return NAME(radix_sort)(cpu, items, spare, n, width, flags);
    if (tables) return NAME(split_sort)(cpu, items, spare, n, width, tables, flags);
    return NAME(sort_bucket)(cpu, items, spare, n, width, row_digits(n), flags);
}
