// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loop versioning: innermost counted loops get a fast copy, since their iteration count is known in
// advance. A condition in front of the loop implies that no index is out of range and no integer
// overflows, so the copy omits those checks. The copy runs in chunks. Float flags are checked once
// a chunk; if one is raised, the chunk's writes are rolled back and the original loop repeats its
// iterations.

#ifndef NACRE_VM_REGION_VERSION_H
#define NACRE_VM_REGION_VERSION_H

#include "vm/region/builder.h"

// Versions the loops of a finished region, as far as capacity allows. gates[b] receives, for each
// block b that exists when this is called, the block that now enters the loop with head b;
// NO_VALUE: unchanged.
void region_make_fast(RegionMaker *maker, int32_t *gates);

#endif
