// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module `_numpy_statistics`: natives for numpy/_histograms.ncr, _curves.ncr and _sets.ncr.

#include "stdlib/stdlib.h"
#include "vm/array/methods.h"

const NativeDef numpy_statistics_functions[] = {
    {"in_equal_bins", "a, edges, weights, /", array_histogram, NULL, PURE},
    {"distinct", "a, equal_nan, counts, /", array_distinct, NULL, PURE},
    {"on_lines", "x, xp, fp, /", array_interpolate, NULL, PURE},
    {0},
};
