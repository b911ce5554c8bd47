// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Innermost loops that are entered at their head only.

#ifndef NACRE_VM_REGION_SPLIT_H
#define NACRE_VM_REGION_SPLIT_H

#include "vm/region/builder.h"

// Copies what has to be for that. Where there is no room, it stays as it is.
void region_split(RegionMaker *maker);

#endif
