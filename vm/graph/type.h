// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The type of a graph node: what is known about its value before it is computed.

#ifndef NACRE_VM_GRAPH_TYPE_H
#define NACRE_VM_GRAPH_TYPE_H

#include "vm/graph/size.h"
#include "vm/graph/storage.h"

typedef struct NodeType {
    DType dtype;
    uint8_t format;       // Format
    uint8_t placement;    // Place
    uint8_t distribution; // as in Storage
    int ndim;
    int64_t shape[NDIM_MAX]; // concrete, as recorded
    SizeId sizes[NDIM_MAX];  // the same, as expressions, once type_sizes has been asked for them
} NodeType;

// Fills in the sizes of a type. False: no memory.
bool type_sizes(SizeTable *table, NodeType *type);

#endif
