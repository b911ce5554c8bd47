// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compiled code whose parallel loops, or parts of them, run elsewhere, so that arrays stay in place while it runs: on a
// device (items.h), or on the ranks that own them (parts.h).

#ifndef NACRE_VM_JIT_AWAY_H
#define NACRE_VM_JIT_AWAY_H

#include "vm/jit/infer.h"
#include "vm/region/parallel_run.h"
#include "vm/sched/loop_parts.h"

typedef enum Away { AWAY_NOT, AWAY_DEVICE, AWAY_RANKS } Away;

// One run of code whose parallel loops run elsewhere.
typedef struct AwayRun {
    Vm *vm;
    const LoopPlace *place;
    Variant *variant;
    Away kind;
    uint32_t stays;     // for a device: arrays (bits) whose elements stay on the host during the run
    RegionSlot *slots;  // the region's slots
    bool leaves;        // code is to leave at its next poll
    Status st;          // ST_ERROR: code is to leave, too, and an exception is set
    Array *arrays[REGION_ARRAYS]; // borrowed
    Storage *storages[REGION_ARRAYS];
} AwayRun;

static inline bool away_has_block(const RegionParallel *p, int32_t block) {
    return p->blocks[block / 64] >> block % 64 & 1;
}
bool away_touches(uint8_t op); // whether an instruction accesses elements of arrays
// Returns whether a region has parallel loops, and accesses elements of arrays in these only.
bool away_suits(const Region *region);
// Makes code leave at its next poll. It polls at the head of each loop, before it accesses an element.
void away_leave(AwayRun *run);

#endif
