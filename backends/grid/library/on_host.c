// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library operations that the host does, and why.

#include "backends/grid/library.h"

const GridRow grid_HOST = {.reason = "a function of the host program, which may be for a device"};
const GridRow grid_QR = {.reason = "reflections one after the other, for which there is no text yet"};
const GridRow grid_EIGH = {.reason = "iterations that are led by values, of matrices that one core goes through as fast"};
const GridRow grid_EIG = {.reason = "iterations that are led by values, of matrices that one core goes through as fast"};
const GridRow grid_SVD = {.reason = "iterations that are led by values, of matrices that one core goes through as fast"};
const GridRow grid_LSTSQ = {.reason = "it is done by singular values, which the host finds"};
