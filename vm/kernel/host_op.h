// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations that a host has registered: nodes of the op HOST, each with what it is in attrs.host. For backends
// they are library nodes, for which the host has functions of its own, one for each backend that it cares about.

#ifndef NACRE_VM_KERNEL_HOST_OP_H
#define NACRE_VM_KERNEL_HOST_OP_H

#include "vm/kernel/kernel.h"

enum { HOST_WAYS = 8 };

// What a function of the host is called with.
typedef struct HostCall {
    const char *backend;
    const Kernel *kernel; // args, with addresses or handles as `base`, and result
    int threads;          // that it may use
    void *queue;          // of a device, in its own terms; else NULL
} HostCall;

typedef struct HostOp {
    const char *name;
    int arity;
    bool may_fail; // on elements
    int way_count;
    const char *backends[HOST_WAYS];
    // Calls function number `way`; false: it has failed. By any thread.
    bool (*run)(const struct HostOp *op, int way, const HostCall *call);
} HostOp;

// The number of its function for a backend; -1: it has none.
int host_op_way(const HostOp *op, const char *backend);
// Does a kernel of the op HOST by the function for the backend.
bool host_op_run(const HostCall *call);

// What a node, or a library node's kernel, is called.
static inline const char *node_name(const Node *node) {
    return node->op == AOP_HOST ? node->attrs.host->name : op_info[node->op].name;
}
static inline const char *kernel_name(const Kernel *kernel) {
    return kernel->library == AOP_HOST ? kernel->attrs.host->name : op_info[kernel->library].name;
}

#endif
