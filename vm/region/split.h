// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Gives innermost loops a single entry.

#ifndef NACRE_VM_REGION_SPLIT_H
#define NACRE_VM_REGION_SPLIT_H

#include "vm/region/builder.h"

// Copies blocks as needed. Without capacity the region stays as it is.
void region_split(RegionMaker *maker);

#endif
