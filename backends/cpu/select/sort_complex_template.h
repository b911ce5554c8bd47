// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Rows of complex numbers with parts of one width: a template, included by sort.c after sort_rows_template.h.
// BITS, NAME(f): as in sort_rows_template.h, for a part
//
// Sorting is stable, so sorting by the second key, then by the first, sorts by both.

static TwoKeys NAME(two_keys)(const char *at, const Order *order) {
    return two_keys(NAME(load)(at), NAME(load)(at + BITS / 8), order);
}

static const Pair *NAME(complex_places)(const Cpu *cpu, const Row *row, const Order *order, uint32_t *flags) {
    Pair *pairs = row->workspace, *spare = pairs + row->n, *sorted;
    for (size_t i = 0; i < row->n; i++)
        pairs[i] = (Pair){NAME(two_keys)(row->from + (int64_t)i * row->stride, order).second, (int64_t)i};
    sorted = sort_pair(cpu, pairs, spare, row->n, BITS / 8, row->tables, flags);
    if (*flags & FLAG_INTERRUPTED) return NULL;
    for (size_t i = 0; i < row->n; i++)
        sorted[i].key = NAME(two_keys)(row->from + sorted[i].at * row->stride, order).first;
    sorted = sort_pair(cpu, sorted, sorted == pairs ? spare : pairs, row->n, BITS / 8, row->tables, flags);
    return *flags & FLAG_INTERRUPTED ? NULL : sorted;
}

static void NAME(sort_complex)(const Cpu *cpu, const Row *row, const Order *order, uint32_t *flags) {
    enum { SIZE = 2 * BITS / 8 };
    const Pair *sorted = NAME(complex_places)(cpu, row, order, flags);
    if (!sorted) return;
    char *elements = row->workspace; // in the other half, since the row may be sorted in place
    if ((const void *)sorted == row->workspace) elements += row->n * sizeof(Pair);
    for (size_t i = 0; i < row->n; i++)
        memcpy(elements + i * SIZE, row->from + sorted[i].at * row->stride, SIZE);
    scatter(elements, row->to, row->to_stride, SIZE, row->n);
}

static void NAME(argsort_complex)(const Cpu *cpu, const Row *row, const Order *order, uint32_t *flags) {
    const Pair *sorted = NAME(complex_places)(cpu, row, order, flags);
    for (size_t i = 0; sorted && i < row->n; i++)
        *(int64_t *)(row->to + (int64_t)i * row->to_stride) = sorted[i].at;
}

static int64_t NAME(search_complex)(const Search *search, const char *wanted) {
    TwoKeys key = NAME(two_keys)(wanted, &search->order);
    int64_t low = 0, n = search->n;
    while (n > 0) {
        int64_t half = n / 2;
        const char *middle = search->at + (low + half) * search->stride;
        bool beyond = is_before(NAME(two_keys)(middle, &search->order), key, search->right);
        low += beyond ? half + 1 : 0;
        n = beyond ? n - half - 1 : half;
    }
    return low;
}

#undef BITS
#undef NAME
