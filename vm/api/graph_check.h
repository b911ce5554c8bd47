// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Validates nodes that a host provides.

#ifndef NACRE_VM_API_GRAPH_CHECK_H
#define NACRE_VM_API_GRAPH_CHECK_H

#include "nacre/nacre.h"
#include "vm/graph/graph.h"

// A node that is safe to record except for the storages of its views, which are numbers: operands in order, then the
// result.
typedef struct CheckedNode {
    OpId op;
    NodeAttrs attrs;
    NodeInput inputs[NODE_INPUTS];
    View output;
    int storages[NODE_INPUTS + 1];
} CheckedNode;

// Returns an error in a node as text; NULL: it is valid.
const char *graph_check(const NacreNode *node, const NacreStorage *storages, int storage_count,
                        CheckedNode *out);
// Returns whether the view covers a storage of `bytes` bytes completely.
bool view_is_whole(const View *view, size_t bytes);

#endif
