// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Batching of loop rounds, for devices: pending nodes that repeat with a fixed period, as array statements in a loop
// record them, become one round over a further leading axis if the rounds are independent. One kernel then does the
// work of many, each of which would take less time than its launch.

#ifndef NACRE_VM_SCHED_BATCH_H
#define NACRE_VM_SCHED_BATCH_H

#include "vm/graph/node.h"

// Replaces pending nodes by batched ones. `in_loop`: the back edge of a loop has been reached, so more rounds may
// follow. `but`: the newest node, which is left alone, or NULL. Does nothing without a device or where nothing can be
// batched, and leaves nodes as they are if out of memory.
void batch_rounds(Vm *vm, bool in_loop, const Node *but);

#endif
