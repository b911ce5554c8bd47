// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The watcher that hands plans and kernels to the host.

#ifndef NACRE_VM_API_WATCH_H
#define NACRE_VM_API_WATCH_H

#include "vm/api/shown.h"

// A plan that has been seen, by what it is made of and where.
typedef struct SeenPlan {
    uint64_t hash, number, runs;
} SeenPlan;

typedef struct Watcher {
    Watch watch; // first: the engine's
    NacreVm *handle;
    NacreWatch host;
    SeenPlan *seen; // open addressing
    size_t seen_count, seen_cap;
    Shown shown;
    NacrePlan about; // the plan that is shown
} Watcher;

#endif
