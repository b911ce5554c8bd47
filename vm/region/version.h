// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fast copies of innermost loops that are counted: how many rounds there will be is known when they
// begin. In front of the loop a condition is computed under which no index is out of range and no
// integer outgrows its type; the copy does without looking. It goes round in chunks. Where float
// conditions have to be looked for, that is done once a chunk; if there are any, what the chunk
// wrote is put back, and the loop as it was makes its rounds again.

#ifndef NACRE_VM_REGION_VERSION_H
#define NACRE_VM_REGION_VERSION_H

#include "vm/region/builder.h"

// Of a finished region. What there is no room for stays as it is. gates[b], of each block that
// there is when this is called, receives the block where the loop with head b is come to now;
// NO_VALUE: as it was.
void region_make_fast(RegionMaker *maker, int32_t *gates);

#endif
