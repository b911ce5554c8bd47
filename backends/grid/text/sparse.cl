// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of compressed matrices: I is the type of their indices. Each sum is added in the order of the entries. The
// entries of a matrix stored by columns are grouped by row: they are counted by row, placed, and sorted within each
// row, so that sums are reproducible.

#define INDPTR ((GLOBAL const I *)(indptr + g.indptr))
#define INDICES ((GLOBAL const I *)(indices + g.indices))
#define DATA ((GLOBAL const T *)(data + g.data))
#define X ((GLOBAL const T *)(x + g.x))
#define TO ((GLOBAL T *)(to + g.to))

KERNEL nacre_lines(GLOBAL const char *indptr, GLOBAL const char *indices, GLOBAL const char *data, GLOBAL const char *x,
                   GLOBAL char *to, const GridSparse g) {
    const int64_t item = ITEM, i = item / g.width, j = item % g.width;
    S sum = nothing();
    if (item >= g.lines * g.width) return;
    for (int64_t k = INDPTR[i]; k < (int64_t)INDPTR[i + 1]; k++)
        sum = plus(sum, times(widened(DATA[k]), widened(X[(int64_t)INDICES[k] * g.width + j])));
    TO[item] = narrowed(sum);
}

// --- Matrices stored by columns ----------------------------------------------------------------------------

// Counts the entries of each row i in starts[i + 1], and stores the column of each entry.
KERNEL nacre_count(GLOBAL const char *indptr, GLOBAL const char *indices, GLOBAL uint32_t *starts, GLOBAL uint32_t *columns,
                   const GridSparse g) {
    const int64_t k = ITEM;
    int64_t low = 0, high = g.lines;
    if (k >= g.room || k < (int64_t)INDPTR[0] || k >= (int64_t)INDPTR[g.lines]) return;
    while (low < high) { // finds the column that has entry k
        const int64_t middle = low + (high - low) / 2;
        if ((int64_t)INDPTR[middle + 1] <= k) low = middle + 1;
        else high = middle;
    }
    columns[k] = (uint32_t)low;
    ATOMIC_ADD(&starts[INDICES[k] + 1], 1u);
}

// Replaces the rows' counts by their prefix sums, in one group: each lane has a run of rows.
KERNEL nacre_starts(GLOBAL uint32_t *starts, GLOBAL uint32_t *next, const GridSparse g) {
    LOCAL uint32_t totals[GRID_SPARSE_LANES];
    const int64_t each = (g.rows + GRID_SPARSE_LANES - 1) / GRID_SPARSE_LANES, from = LANE * each;
    const int64_t end = from + each < g.rows ? from + each : g.rows;
    uint32_t total = 0;
    for (int64_t i = from; i < end; i++) total += starts[i + 1];
    totals[LANE] = total;
    BARRIER;
    uint32_t before = 0;
    for (int lane = 0; lane < LANE; lane++) before += totals[lane];
    for (int64_t i = from; i < end; i++) {
        next[i] = before;
        before += starts[i + 1];
        starts[i + 1] = before;
    }
}

KERNEL nacre_place(GLOBAL const char *indptr, GLOBAL const char *indices, GLOBAL uint32_t *next, GLOBAL uint32_t *entries,
                   const GridSparse g) {
    const int64_t k = ITEM;
    if (k >= g.room || k < (int64_t)INDPTR[0] || k >= (int64_t)INDPTR[g.lines]) return;
    entries[ATOMIC_ADD(&next[INDICES[k]], 1u)] = (uint32_t)k;
}

// Sorts the entries of each row, by heap sort, since a row may have nearly all entries.
static inline void sift(GLOBAL uint32_t *heap, uint32_t at, uint32_t count) {
    const uint32_t value = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

KERNEL nacre_order(GLOBAL const uint32_t *starts, GLOBAL uint32_t *entries, const GridSparse g) {
    const int64_t i = ITEM;
    if (i >= g.rows) return;
    GLOBAL uint32_t *heap = entries + starts[i];
    const uint32_t count = starts[i + 1] - starts[i];
    for (uint32_t at = count / 2; at > 0; at--) sift(heap, at - 1, count);
    for (uint32_t left = count; left > 1; left--) {
        const uint32_t largest = heap[0];
        heap[0] = heap[left - 1];
        heap[left - 1] = largest;
        sift(heap, 0, left - 1);
    }
}

KERNEL nacre_gather(GLOBAL const uint32_t *starts, GLOBAL const uint32_t *entries, GLOBAL const uint32_t *columns,
                    GLOBAL const char *data, GLOBAL const char *x, GLOBAL char *to, const GridSparse g) {
    const int64_t item = ITEM, i = item / g.width, j = item % g.width;
    S sum = nothing();
    if (item >= g.rows * g.width) return;
    for (uint32_t at = starts[i]; at < starts[i + 1]; at++) {
        const uint32_t k = entries[at];
        sum = plus(sum, times(widened(DATA[k]), widened(X[columns[k] * g.width + j])));
    }
    TO[item] = narrowed(sum);
}
