// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library operations that the host does, and why.

#include "backends/grid/library.h"

const GridRow grid_HOST = {.reason = "a function of the host program, which may be for a device"};
const GridRow grid_QR = {.reason = "no text yet"};
const GridRow grid_EIGH = {.reason = "no text yet"};
const GridRow grid_EIG = {.reason = "no text yet"};
const GridRow grid_SVD = {.reason = "no text yet"};
const GridRow grid_LSTSQ = {.reason = "no text yet"};
