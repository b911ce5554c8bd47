// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Follows bins.cl: counts the elements in each bin. If FEW is not 0, there are at most FEW bins, and a group counts in
// LOCAL memory; otherwise groups count in GLOBAL memory.

#define LANES 128

KERNEL nacre_bins_count(GLOBAL const char *from, GLOBAL const char *edges, GLOBAL uint32_t *counts, const GridBins g) {
    const int64_t begin = g.begin + GROUP * g.each, end = begin + g.each < g.end ? begin + g.each : g.end;
#if FEW > 0
    LOCAL uint32_t counted[FEW];
    for (int b = LANE; b < g.bins; b += LANES) counted[b] = 0;
    BARRIER;
#endif
    for (int64_t i = begin + LANE; i < end; i += LANES) {
        const int64_t bin = bin_of(from, edges, i, g);
#if FEW > 0
        if (bin >= 0) ATOMIC_ADD(&counted[bin], 1u);
#else
        if (bin >= 0) ATOMIC_ADD(&counts[bin], 1u);
#endif
    }
#if FEW > 0
    BARRIER;
    for (int b = LANE; b < g.bins; b += LANES)
        if (counted[b]) ATOMIC_ADD(&counts[b], counted[b]);
#endif
}

KERNEL nacre_bins_add(GLOBAL const uint32_t *counts, GLOBAL char *to, const GridBins g) {
    const int64_t bin = ITEM;
    if (bin < g.bins) *(GLOBAL int64_t *)(to + g.to + bin * g.to_stride) += counts[bin];
}
