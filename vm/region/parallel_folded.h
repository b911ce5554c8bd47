// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside of parallel_run.c: arrays of which rounds add to elements, or so. Each part has its own, which
// are put together in the order of the parts; there are as many parts however many threads there are.

#ifndef NACRE_VM_REGION_PARALLEL_FOLDED_H
#define NACRE_VM_REGION_PARALLEL_FOLDED_H

#include "vm/region/parallel_run.h"

enum { FOLDED_PARTS = 8 };

size_t folded_bytes(const ParallelRun *run, int parts); // that they take
double folded_work(const ParallelRun *run);             // instructions
// The slots that a part runs with, in its part of the memory.
const RegionSlot *folded_begin(const ParallelRun *run, char *room, int part);
// False: something does not fit the type, or has float conditions. The arrays are as they were.
bool folded_together(const ParallelRun *run, char *room, int parts);

#endif
