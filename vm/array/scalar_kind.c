// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind generic.

#include "vm/value/kind.h"

const TypeSlots kind_SCALAR = {.doc = NULL};
