// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations of the host.

#include "vm/kernel/host_op.h"

#include <string.h>

int host_op_way(const HostOp *op, const char *backend) {
    for (int way = 0; way < op->way_count; way++)
        if (strcmp(op->backends[way], backend) == 0) return way;
    return -1;
}

bool host_op_run(const HostCall *call) {
    const HostOp *op = call->kernel->attrs.host;
    int way = host_op_way(op, call->backend);
    return way >= 0 && op->run(op, way, call);
}
