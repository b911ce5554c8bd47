// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations registered by a host program: nodes of the op HOST, described by attrs.host. Backends
// see library nodes; the host supplies one function per backend that it supports.

#ifndef NACRE_VM_KERNEL_HOST_OP_H
#define NACRE_VM_KERNEL_HOST_OP_H

#include "vm/kernel/kernel.h"

enum { HOST_WAYS = 8 };

// Arguments of a host's function.
typedef struct HostCall {
    const char *backend;
    const Kernel *kernel; // args and result hold addresses or device handles in `base`
    int threads;          // number of threads that the function may use
    void *queue;          // the device's queue, as the device defines it; NULL on the CPU
} HostCall;

typedef struct HostOp {
    const char *name;
    int arity;
    bool may_fail; // errors may depend on element values
    int way_count;
    const char *backends[HOST_WAYS];
    // Calls function number `way`, on any thread. False: the function failed.
    bool (*run)(const struct HostOp *op, int way, const HostCall *call);
} HostOp;

// Returns the number of the op's function for a backend; -1: none.
int host_op_way(const HostOp *op, const char *backend);
// Runs a HOST kernel with the function registered for the backend.
bool host_op_run(const HostCall *call);

// Return the name of a node's op, or of a library kernel's.
static inline const char *node_name(const Node *node) {
    return node->op == AOP_HOST ? node->attrs.host->name : op_info[node->op].name;
}
static inline const char *kernel_name(const Kernel *kernel) {
    return kernel->library == AOP_HOST ? kernel->attrs.host->name : op_info[kernel->library].name;
}

#endif
