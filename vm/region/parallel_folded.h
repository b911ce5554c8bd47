// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to parallel_run.c: arrays that iterations fold into. Each part has private copies, which
// are combined in the order of the parts. The number of parts does not depend on the number of
// threads, so results are reproducible.

#ifndef NACRE_VM_REGION_PARALLEL_FOLDED_H
#define NACRE_VM_REGION_PARALLEL_FOLDED_H

#include "vm/region/parallel_run.h"

enum { FOLDED_PARTS = 8 };

size_t folded_bytes(const ParallelRun *run, int parts); // memory for all parts' copies and the result
double folded_work(const ParallelRun *run);             // estimated instructions of clearing and
                                                        // combining them
// Prepares a part's copies in its share of `room`. Returns the slots that the part runs with, also in `room`.
const RegionSlot *folded_begin(const ParallelRun *run, char *room, int part);
// Combines the parts. False: overflow or a float flag; then the arrays are unchanged.
bool folded_together(const ParallelRun *run, char *room, int parts);

#endif
