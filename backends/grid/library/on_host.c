// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library operations that the host does, and why.

#include "backends/grid/library.h"

const GridRow grid_HOST = {.reason = "a function of the host program, which may be for a device"};
