// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind dtype.

#include "vm/value/kind.h"

const TypeSlots kind_DTYPE = {.doc = NULL};
