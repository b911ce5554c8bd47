// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of sums in bins.

#ifndef NACRE_BACKENDS_GRID_TEXT_BINS_SUM_H
#define NACRE_BACKENDS_GRID_TEXT_BINS_SUM_H

typedef struct GridBinSums {
    GridBins bins;
    GridOrder order;
} GridBinSums;

#endif
