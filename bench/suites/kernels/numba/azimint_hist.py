# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
def bins(radius, weights, npt):
    """Sums over bins, and how many are in each, as numpy.histogram finds them."""
    low, high = radius.min(), radius.max()
    edges = np.linspace(low, high, npt + 1)
    scale = npt / (high - low)
    sums = np.zeros(npt)
    counts = np.zeros(npt, dtype=np.int64)
    for i in range(radius.size):
        x = radius[i]
        at = min(int((x - low) * scale), npt - 1)
        if x < edges[at]:
            at -= 1
        elif x >= edges[at + 1] and at != npt - 1:
            at += 1
        sums[at] += weights[i]
        counts[at] += 1
    return sums, counts


def azimint_hist(data, radius, npt):
    sums, counts = bins(radius, data, npt)
    return sums / counts
