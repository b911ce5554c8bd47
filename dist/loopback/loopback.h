// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranks that are VMs of one process, each in a thread of its own. Each collective call ends only after all ranks have
// entered it, even an exchange in which some ranks have no messages. So a rank that makes a different call is always
// detected, and no rank is more than one call ahead of another.

#ifndef NACRE_DIST_LOOPBACK_LOOPBACK_H
#define NACRE_DIST_LOOPBACK_LOOPBACK_H

#include "vm/plugin/ranks.h"

extern const Ranks ranks_loopback; // named "loopback"; RanksOptions.group is a LoopbackGroup, in which the VM becomes
                                   // rank RanksOptions.rank

enum { LOOPBACK_MOST = 4096 }; // maximum number of ranks in a group

typedef struct LoopbackOptions {
    int ranks;
    uint64_t seed;      // seed of random delays and reordering of messages; 0: messages are neither delayed nor
                        // reordered
    double stall;       // seconds after which a rank that others wait for is considered lost; 0: 60
    int lost_rank;      // a rank that disappears without notice, to test failures
    uint64_t lost_step; // the collective call, counted from 1, in which that rank disappears; 0: no rank does
} LoopbackOptions;

typedef struct LoopbackGroup LoopbackGroup;

// Creates a group. Returns NULL if memory runs out or options are invalid. Callable from any thread.
LoopbackGroup *loopback_group_new(const LoopbackOptions *options);
// Reports that a rank's VM could not be created: the ranks that wait for it fail. Does nothing if the rank has joined
// or does not exist.
void loopback_group_miss(LoopbackGroup *group, int rank);
// Releases the host's share of a group, which is freed with the last VM in it. NULL is allowed.
void loopback_group_free(LoopbackGroup *group);

#endif
