// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Nodes that a host hands over, which may be anything.

#ifndef NACRE_VM_API_GRAPH_CHECK_H
#define NACRE_VM_API_GRAPH_CHECK_H

#include "nacre/nacre.h"
#include "vm/graph/graph.h"

// A node that is safe to record, but for the storages of its views: numbers of them, in the order of
// the operands, the result's last.
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
