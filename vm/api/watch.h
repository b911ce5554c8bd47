// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The watcher that reports plans and kernels to the host.

#ifndef NACRE_VM_API_WATCH_H
#define NACRE_VM_API_WATCH_H

#include "vm/api/shown.h"

// A plan reported before, identified by its key and lines.
typedef struct SeenPlan {
    uint64_t hash, number, runs;
} SeenPlan;

typedef struct Watcher {
    Watch watch; // first, so that the engine gets &watcher->watch
    NacreVm *handle;
    NacreWatch host;
    SeenPlan *seen; // hash table with open addressing
    size_t seen_count, seen_cap;
    Shown shown;
    NacrePlan about; // description of the plan being reported
} Watcher;

#endif
