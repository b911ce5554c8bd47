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

// One run of such code.
typedef struct AwayRun {
    Vm *vm;
    const LoopPlace *place;
    Variant *variant;
    Away kind;
    uint32_t stays;     // for a device: arrays whose elements stay on the host during the run
    RegionSlot *slots;  // the region's
    bool leaves;        // code leaves as soon as it can
    Status st;          // ST_ERROR: likewise, and an exception is set
    Array *arrays[REGION_ARRAYS]; // borrowed
    Storage *storages[REGION_ARRAYS];
} AwayRun;

static inline bool away_has_block(const RegionParallel *p, int32_t block) {
    return p->blocks[block / 64] >> block % 64 & 1;
}
bool away_touches(uint8_t op); // elements of arrays
// Returns whether code touches elements in its parallel loops alone, of which there are some.
bool away_suits(const Region *region);
// Code polls at the head of each loop, before it touches an element: there it will leave.
void away_leave(AwayRun *run);

#endif
