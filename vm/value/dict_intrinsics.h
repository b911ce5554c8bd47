// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Natives for the prelude's slow paths of dictionaries and sets.

#ifndef NACRE_VM_VALUE_DICT_INTRINSICS_H
#define NACRE_VM_VALUE_DICT_INTRINSICS_H

#include "vm/value/kind.h"

extern const NativeDef dict_intrinsics[]; // ends with name == NULL

#endif
