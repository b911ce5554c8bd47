// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Whether two views of any strides have a byte in common, exactly (region.c is quick, and sure of boxes).

#ifndef NACRE_VM_GRAPH_OVERLAP_H
#define NACRE_VM_GRAPH_OVERLAP_H

#include "vm/graph/storage.h"

// ST_STOP: that was not found out in `most` steps (-1: any number). Polls for interrupts.
Status views_share(Vm *vm, const View *a, const View *b, int64_t most, bool *shares);

#endif
