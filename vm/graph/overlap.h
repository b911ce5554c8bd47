// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exact test whether two views of any strides overlap (region.c is fast, and exact only for boxes).

#ifndef NACRE_VM_GRAPH_OVERLAP_H
#define NACRE_VM_GRAPH_OVERLAP_H

#include "vm/graph/storage.h"

// Finds whether two views have a byte in common. ST_STOP: not decided within `most` steps (-1: unlimited). Polls for
// interrupts.
Status views_share(Vm *vm, const View *a, const View *b, int64_t most, bool *shares);

#endif
