// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The transport of a dry run: this process is rank 0 of RanksOptions.size ranks, and the others do not exist. Every
// call succeeds at once. The engine counts what would have been sent (vm/sched/dry.h).

#ifndef NACRE_DIST_DRY_DRY_H
#define NACRE_DIST_DRY_DRY_H

#include "vm/plugin/ranks.h"

extern const Ranks ranks_dry; // named "dry"

enum { DRY_MOST = 1 << 20 }; // maximum number of ranks

#endif
