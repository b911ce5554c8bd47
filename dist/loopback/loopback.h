// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranks that are VMs of one process, each in a thread of its own. Every collective call is entered by all ranks
// before it ends on any, also an exchange in which some have nothing to do: thus a rank that does something else
// than the others is always found out, and no rank is ahead of another by more than a call.

#ifndef NACRE_DIST_LOOPBACK_LOOPBACK_H
#define NACRE_DIST_LOOPBACK_LOOPBACK_H

#include "vm/plugin/ranks.h"

extern const Ranks ranks_loopback; // RanksOptions.group is a LoopbackGroup, of which the VM becomes rank `rank`

enum { LOOPBACK_MOST = 4096 }; // ranks of a group

typedef struct LoopbackOptions {
    int ranks;
    uint64_t seed;      // not 0: messages are late, and copied in another order, as this number decides
    double stall;       // seconds after which a rank that keeps others waiting counts as gone; 0: 60
    int lost_rank;      // this rank ends without a word
    uint64_t lost_step; // in its collective call of this number, from 1; 0: never
} LoopbackOptions;

typedef struct LoopbackGroup LoopbackGroup;

// NULL: out of memory, or options that make no sense. Any thread.
LoopbackGroup *loopback_group_new(const LoopbackOptions *options);
// A rank whose VM could not be made: whoever waits for it fails. Nothing if it has joined, or there is no such rank.
void loopback_group_miss(LoopbackGroup *group, int rank);
// The host's end: the group goes with the last VM that is in it.
void loopback_group_free(LoopbackGroup *group);

#endif
