// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind ndarray.

#include "vm/value/kind.h"

const TypeSlots kind_ARRAY = {.doc = NULL};
