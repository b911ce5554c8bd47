// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library operations that the host does, and why.

#include "backends/grid/library.h"

const GridRow grid_CUMSUM = {.reason = "no text yet"};
const GridRow grid_CUMPROD = {.reason = "no text yet"};
const GridRow grid_ACCUMULATE = {.reason = "no text yet"};
const GridRow grid_REDUCEAT = {.reason = "no text yet"};
const GridRow grid_PUT = {.reason = "no text yet"};
const GridRow grid_COMPRESS = {.reason = "no text yet"};
const GridRow grid_EXPAND = {.reason = "no text yet"};
const GridRow grid_COUNT_TRUE = {.reason = "no text yet"};
const GridRow grid_NONZERO = {.reason = "no text yet"};
const GridRow grid_PACK_BITS = {.reason = "no text yet"};
const GridRow grid_UNPACK_BITS = {.reason = "no text yet"};
const GridRow grid_ARGMAX = {.reason = "no text yet"};
const GridRow grid_ARGMIN = {.reason = "no text yet"};
const GridRow grid_SORT = {.reason = "no text yet"};
const GridRow grid_ARGSORT = {.reason = "no text yet"};
const GridRow grid_SEARCHSORTED = {.reason = "no text yet"};
const GridRow grid_BINCOUNT = {.reason = "no text yet"};
const GridRow grid_HISTOGRAM = {.reason = "no text yet"};
const GridRow grid_INTERPOLATE = {.reason = "no text yet"};
const GridRow grid_CONVOLVE = {.reason = "no text yet"};
const GridRow grid_HOST = {.reason = "a function of the host program, which may be for a device"};
const GridRow grid_QR = {.reason = "no text yet"};
const GridRow grid_EIGH = {.reason = "no text yet"};
const GridRow grid_EIG = {.reason = "no text yet"};
const GridRow grid_SVD = {.reason = "no text yet"};
const GridRow grid_LSTSQ = {.reason = "no text yet"};
