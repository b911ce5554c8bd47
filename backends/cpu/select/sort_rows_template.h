// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Rows of elements of one width: a template, included by sort.c.
// BITS: bits of an element
// WORD: unsigned integers of that width
// NAME(f): name of a function for that width
//
// Functions partition a row around keys estimated from a sample (a long row is partitioned while being read: both ends
// of the result are written at once, the middle is kept), sort elements or pairs of key and index, restore what keys
// lost (signs of zeros, NaNs, in row order), and search.

static inline WORD NAME(load)(const char *at) {
    return *(const WORD *)at;
}

static int64_t NAME(lower)(const char *at, int64_t stride, int64_t n, uint64_t key, const Order *order) {
    int64_t low = 0;
    while (n > 0) {
        int64_t half = n / 2;
        bool beyond = key_of(NAME(load)(at + (low + half) * stride), order) < key;
        low += beyond ? half + 1 : 0;
        n = beyond ? n - half - 1 : half;
    }
    return low;
}

static void NAME(restore)(const Row *row, const Order *order) {
    int64_t n = (int64_t)row->n, step = row->to_stride;
    char *zeros = row->to + step * NAME(lower)(row->to, step, n, order->sign, order);
    char *nans = row->to + step * NAME(lower)(row->to, step, n, order->last, order);
    for (int64_t i = 0; i < n; i++) {
        WORD bits = NAME(load)(row->from + i * row->stride);
        bool zero = is_zero(bits, order), nan = is_nan(bits, order);
        if (zero || nan) *(WORD *)(zero ? zeros : nans) = bits;
        zeros += zero ? step : 0;
        nans += nan ? step : 0;
    }
}

static void NAME(sample_bounds)(const Row *row, const Order *order, uint64_t *low, uint64_t *high) {
    WORD keys[SAMPLE], spare[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++) {
        const char *at = row->from + (int64_t)sampled(i, row->n) * row->stride;
        keys[i] = (WORD)exact_key(NAME(load)(at), order);
    }
    NAME(bounds)(keys, spare, row->n, row->part, row->part_end, low, high);
}

static size_t NAME(apart)(const Cpu *cpu, const Row *row, const Order *shared, uint64_t low, uint64_t high,
                          size_t *between) {
    const Order order = *shared;
    WORD *keys = row->workspace;
    char *front = row->to, *end = row->to + (int64_t)(row->n - 1) * row->to_stride;
    const int64_t step = row->to_stride;
    const Apart done = begin_apart(cpu, row, shared, low, high, BITS / 8, false);
    size_t middle = done.middle, before = done.before;
    front += (int64_t)before * step;
    end -= (int64_t)done.behind * step;
    for (size_t i = done.done; i < row->n; i++) {
        WORD bits = NAME(load)(row->from + (int64_t)i * row->stride);
        uint64_t key = exact_key(bits, &order);
        bool smaller = key < low, larger = key > high;
        *(WORD *)front = *(WORD *)end = bits;
        keys[middle] = (WORD)key;
        front += step & -(int64_t)smaller;
        end -= step & -(int64_t)larger;
        before += smaller;
        middle += !smaller & !larger;
    }
    *between = middle;
    return before;
}

static size_t NAME(places_apart)(const Cpu *cpu, const Row *row, const Order *shared, uint64_t low, uint64_t high,
                                 size_t *between) {
    const Order order = *shared;
    Pair *pairs = row->workspace;
    char *front = row->to, *end = row->to + (int64_t)(row->n - 1) * row->to_stride;
    const int64_t step = row->to_stride;
    const Apart done = begin_apart(cpu, row, shared, low, high, BITS / 8, true);
    size_t middle = done.middle, before = done.before;
    front += (int64_t)before * step;
    end -= (int64_t)done.behind * step;
    for (size_t i = done.done; i < row->n; i++) {
        uint64_t key = exact_key(NAME(load)(row->from + (int64_t)i * row->stride), &order);
        bool smaller = key < low, larger = key > high;
        *(int64_t *)front = *(int64_t *)end = (int64_t)i;
        pairs[middle] = (Pair){key, (int64_t)i};
        front += step & -(int64_t)smaller;
        end -= step & -(int64_t)larger;
        before += smaller;
        middle += !smaller & !larger;
    }
    *between = middle;
    return before;
}

static bool NAME(part_long)(const Cpu *cpu, const Row *row, const Order *order, bool places, uint32_t *flags) {
    uint64_t low, high;
    size_t n, begin;
    if (row->n < PART_WORTH || row->part_end - row->part > row->n / 8) return false;
    NAME(sample_bounds)(row, order, &low, &high);
    begin = (places ? NAME(places_apart) : NAME(apart))(cpu, row, order, low, high, &n);
    if (row->part < begin || row->part_end > begin + n || n > row->n / 2) return false;
    char *to = row->to + (int64_t)begin * row->to_stride;
    size_t first = row->part - begin, end = row->part_end - begin;
    WORD *keys = row->workspace;
    Pair *pairs = row->workspace;
    if (places) part_pair(cpu, pairs, pairs + n, n, first, end, BITS / 8, flags);
    else NAME(part)(cpu, keys, keys + n, n, first, end, BITS / 8, flags);
    for (size_t i = 0; i < n; i++, to += row->to_stride)
        if (places) *(int64_t *)to = pairs[i].at;
        else *(WORD *)to = (WORD)exact_bits(keys[i], order);
    return true;
}

static void NAME(part_row)(const Cpu *cpu, const Row *row, const Order *order, uint32_t *flags) {
    WORD *keys = row->workspace;
    for (size_t i = 0; i < row->n; i++)
        keys[i] = (WORD)exact_key(NAME(load)(row->from + (int64_t)i * row->stride), order);
    NAME(part)(cpu, keys, keys + row->n, row->n, row->part, row->part_end, BITS / 8, flags);
    if (*flags & FLAG_INTERRUPTED) return;
    for (size_t i = 0; i < row->n; i++)
        *(WORD *)(row->to + (int64_t)i * row->to_stride) = (WORD)exact_bits(keys[i], order);
}

static bool NAME(encode_row)(const RowJob *job, size_t begin, size_t end) {
    const Row *row = job->row;
    const Order order = *job->order;
    WORD *keys = job->keys, lost = 0;
    for (size_t i = begin; i < end; i++) {
        WORD bits = NAME(load)(row->from + (int64_t)i * row->stride);
        WORD key = (WORD)exact_key(bits, &order);
        if (order.floating) {
            WORD zero = -(WORD)is_zero(bits, &order);
            WORD nan = -(WORD)is_nan(bits, &order);
            lost |= (zero & bits) | nan;
            key = (key & ~(zero | nan)) | (zero & (WORD)order.sign) | (nan & (WORD)order.last);
        }
        keys[i] = key;
    }
    return lost != 0;
}

static bool NAME(decode_row)(const RowJob *job, size_t begin, size_t end) {
    const Row *row = job->row;
    const Order order = *job->order;
    const WORD *keys = job->keys;
    for (size_t i = begin; i < end; i++)
        *(WORD *)(row->to + (int64_t)i * row->to_stride) = (WORD)exact_bits(keys[i], &order);
    return false;
}

static void NAME(sort_row)(const Cpu *cpu, const Row *row, const Order *order, uint32_t *flags) {
    if (row->part_end) {
        if (!NAME(part_long)(cpu, row, order, false, flags)) NAME(part_row)(cpu, row, order, flags);
        return;
    }
    RowJob job = {.row = row, .order = order, .keys = row->workspace, .run = NAME(encode_row)};
    bool lost = row_shared(cpu, &job, flags);
    if (*flags & FLAG_INTERRUPTED) return;
    WORD *keys = row->workspace;
    job.keys = NAME(sort)(cpu, keys, keys + row->n, row->n, BITS / 8, row->tables, flags);
    if (*flags & FLAG_INTERRUPTED) return;
    job.run = NAME(decode_row);
    job.is_last = true;
    row_shared(cpu, &job, flags);
    if (lost) NAME(restore)(row, order);
}

static bool NAME(encode_pairs)(const RowJob *job, size_t begin, size_t end) {
    const Row *row = job->row;
    const Order order = *job->order;
    Pair *pairs = job->keys;
    for (size_t i = begin; i < end; i++) {
        uint64_t key = key_of(NAME(load)(row->from + (int64_t)i * row->stride), &order);
        pairs[i] = (Pair){key, (int64_t)i};
    }
    return false;
}

static bool NAME(decode_pairs)(const RowJob *job, size_t begin, size_t end) {
    const Row *row = job->row;
    const Pair *pairs = job->keys;
    for (size_t i = begin; i < end; i++) *(int64_t *)(row->to + (int64_t)i * row->to_stride) = pairs[i].at;
    return false;
}

static void NAME(argsort_row)(const Cpu *cpu, const Row *row, const Order *order, uint32_t *flags) {
    Pair *pairs = row->workspace;
    RowJob job = {.row = row, .order = order, .keys = pairs, .run = NAME(encode_pairs)};
    if (row->part_end && NAME(part_long)(cpu, row, order, true, flags)) return;
    row_shared(cpu, &job, flags);
    if (*flags & FLAG_INTERRUPTED) return;
    if (row->part_end)
        part_pair(cpu, pairs, pairs + row->n, row->n, row->part, row->part_end, BITS / 8, flags);
    else
        pairs = sort_pair(cpu, pairs, pairs + row->n, row->n, BITS / 8, row->tables, flags);
    if (*flags & FLAG_INTERRUPTED) return;
    job.keys = pairs;
    job.run = NAME(decode_pairs);
    job.is_last = true;
    row_shared(cpu, &job, flags);
}

static void NAME(encode)(const Search *search, void *keys) {
    for (int64_t i = 0; i < search->n; i++)
        ((WORD *)keys)[i] = (WORD)key_of(NAME(load)(search->at + i * search->stride), &search->order);
}

static inline WORD NAME(value_key)(WORD bits, const Order *order) {
    WORD key = (WORD)exact_key(bits, order);
    if (!order->floating) return key;
    WORD zero = -(WORD)is_zero(bits, order);
    WORD nan = -(WORD)is_nan(bits, order);
    return (key & ~(zero | nan)) | (zero & (WORD)order->sign) | (nan & (WORD)order->last);
}

static inline int64_t NAME(place)(const WORD *keys, int64_t n, WORD key, bool right) {
    const WORD *low = keys;
    int64_t before = 0;
    if (n <= SEARCH_EACH) {
        for (int64_t j = 0; j < n; j++) before += right ? keys[j] <= key : keys[j] < key;
        return before;
    }
    for (; n > 1; n -= n / 2)
        low += n / 2 & -(int64_t)(right ? low[n / 2 - 1] <= key : low[n / 2 - 1] < key);
    return low - keys + (right ? *low <= key : *low < key);
}

static void NAME(search_row)(const Search *search, const SearchRow *row, int64_t begin, int64_t end) {
    const Order order = search->order;
    const WORD *keys = search->keys;
    const int64_t n = search->n;
    for (int64_t i = begin; i < end; i++) {
        WORD key = NAME(value_key)(NAME(load)(row->from + i * row->stride), &order);
        int64_t *to = (int64_t *)(row->to + i * row->to_stride);
        *to = search->right ? NAME(place)(keys, n, key, true) : NAME(place)(keys, n, key, false);
    }
}

static int64_t NAME(search)(const Search *search, const char *wanted) {
    uint64_t key = key_of(NAME(load)(wanted), &search->order);
    if (search->right && key++ == search->order.last) return search->n;
    if (!search->keys)
        return NAME(lower)(search->at, search->stride, search->n, key, &search->order);
    const WORD *low = search->keys;
    int64_t n = search->n;
    for (; n > 1; n -= n / 2) low += low[n / 2 - 1] < key ? n / 2 : 0;
    return low - (const WORD *)search->keys + (n > 0 && *low < key);
}

#undef BITS
#undef WORD
#undef NAME
