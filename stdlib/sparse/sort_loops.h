// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Template that sort.c includes for each type of indices I and of elements E, with NAME(x): sorts the entries of a
// line. Elements are only moved, so there is one type per size.

// Sorts entries by index with a stable insertion sort. Returns whether an index occurs twice.
static bool NAME(insert)(I *restrict at, E *restrict data, int64_t n) {
    bool equal = false;
    for (int64_t i = 1; i < n; i++) {
        if (at[i] > at[i - 1]) continue;
        I index = at[i];
        E element = data[i];
        int64_t j = i;
        for (; j > 0 && at[j - 1] > index; j--) {
            at[j] = at[j - 1];
            data[j] = data[j - 1];
        }
        at[j] = index;
        data[j] = element;
        equal |= j > 0 && at[j - 1] == index;
    }
    return equal;
}

static void NAME(merge)(const I *at, const E *data, int64_t half, int64_t n, I *to, E *data_to) {
    int64_t i = 0, j = half;
    for (int64_t k = 0; k < n; k++) {
        bool second = i == half || (j < n && at[j] < at[i]);
        int64_t from = second ? j++ : i++;
        to[k] = at[from];
        data_to[k] = data[from];
    }
}

// Sorts runs of RUN entries, then merges pairs of runs, alternating between the line and `room`. Returns whether an
// index occurs twice.
static bool NAME(sort)(void *at_, void *data_, int64_t n, void *room) {
    I *at = at_;
    E *data = data_;
    if (n <= RUN) return NAME(insert)(at, data, n);
    Order order = ORDER_OF(I)(at, n);
    if (order != UNSORTED) return order == SORTED;
    const bool wide = sizeof(I) > sizeof(E); // arrays of larger elements come first, so that both are aligned
    I *to = wide ? room : (void *)((E *)room + n);
    E *data_to = wide ? (void *)(to + n) : room;
    for (int64_t i = 0; i < n; i += RUN) NAME(insert)(at + i, data + i, n - i < RUN ? n - i : RUN);
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t both = n - i < 2 * run ? n - i : 2 * run;
            NAME(merge)(at + i, data + i, run < both ? run : both, both, to + i, data_to + i);
        }
        I *swapped = at;
        E *data_swapped = data;
        at = to;
        data = data_to;
        to = swapped;
        data_to = data_swapped;
    }
    if (at != at_) {
        memcpy(at_, at, (size_t)n * sizeof(I));
        memcpy(data_, data, (size_t)n * sizeof(E));
    }
    return ORDER_OF(I)(at_, n) == SORTED;
}
