// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows bins.cl and order.cl: sums of weights. Elements are sorted by bin, so that a bin's elements are consecutive,
// in their order. Histograms sum up each block of elements, and then these sums, as NumPy does.

// Stores the bin number of each element. Elements in no bin get the number g.bins, so that they are sorted last.
KERNEL nacre_bins_numbers(GLOBAL const char *from, GLOBAL const char *edges, GLOBAL uint32_t *numbers, const GridBins g) {
    const int64_t i = g.begin + ITEM;
    if (i >= g.end) return;
    const int64_t bin = bin_of(from, edges, i, g);
    numbers[i - g.begin] = (uint32_t)(bin < 0 ? g.bins : bin);
}

static inline int64_t block_of(int64_t index) {
    return IS_HISTOGRAM ? index / GRID_BIN_BLOCK : 0;
}

// A work item that is at the first element of a bin (and block) sums up its weights. `sums`: in histograms a row of
// bins for each block; otherwise the result.
KERNEL nacre_bins_sum(GLOBAL const uint32_t *first, GLOBAL const uint32_t *second, GLOBAL const I *first_indices,
                      GLOBAL const I *second_indices, GLOBAL const uint32_t *varied, GLOBAL const char *weights,
                      GLOBAL char *sums, const GridBinSums g) {
    const int64_t begin = ITEM;
    int moved;
    if (begin >= g.order.count) return;
    const int is_in_second = is_second(varied, g.order.pass, g.order, &moved);
    GLOBAL const uint32_t *numbers = is_in_second ? second : first;
    GLOBAL const I *indices = is_in_second ? second_indices : first_indices;
#define INDEX(s) (moved ? (int64_t)indices[s] : (s))
    const uint32_t number = numbers[begin];
    const int64_t block = block_of(INDEX(begin));
    if (number == g.bins.bins) return;
    if (begin > 0 && numbers[begin - 1] == number && block_of(INDEX(begin - 1)) == block) return;
    GLOBAL double *to = IS_HISTOGRAM ? (GLOBAL double *)sums + block * g.bins.bins + number
                                     : (GLOBAL double *)(sums + g.bins.to + number * g.bins.to_stride);
    double sum = *to;
    for (int64_t s = begin; s < g.order.count && numbers[s] == number && block_of(INDEX(s)) == block; s++)
        sum += *(GLOBAL const double *)(weights + g.bins.weights + (g.bins.begin + INDEX(s)) * g.bins.weights_stride);
    *to = sum;
}

KERNEL nacre_bins_rows(GLOBAL const double *sums, GLOBAL char *to, const GridBins g) {
    const int64_t bin = ITEM, blocks = (g.end - g.begin + GRID_BIN_BLOCK - 1) / GRID_BIN_BLOCK;
    if (bin >= g.bins) return;
    GLOBAL double *own = (GLOBAL double *)(to + g.to + bin * g.to_stride);
    double sum = *own;
    for (int64_t block = 0; block < blocks; block++) sum += sums[block * g.bins + bin];
    *own = sum;
}
