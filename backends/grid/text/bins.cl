// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Computes the bins of elements. An element is its bin's number itself; or (IS_HISTOGRAM) bins have one width, and the
// number is computed as NumPy does, and corrected by comparing with the edges.

// Returns the number of the bin of element i; -1: it is in none.
static inline int64_t bin_of(GLOBAL const char *from, GLOBAL const char *edges, int64_t i, CONST_REF(GridBins) g) {
#if !IS_HISTOGRAM
    return *(GLOBAL const int64_t *)(from + g.from + i * g.from_stride);
#else
#define EDGE(e) (*(GLOBAL const double *)(edges + g.edges + (e) * g.edges_stride))
    const double x = *(GLOBAL const double *)(from + g.from + i * g.from_stride), first = EDGE(0), last = EDGE(g.bins);
    if (!(x >= first && x <= last)) return -1;
    const double place = (x - first) / (last - first) * (double)g.bins;
    int64_t at = place < (double)g.bins ? (int64_t)place : g.bins - 1; // `place` is NaN if the width overflows
    at -= x < EDGE(at);
    return at + (x >= EDGE(at + 1) && at != g.bins - 1);
#endif
}
