// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running kernels of the engine's own.

#include "vm/sched/own.h"

#include <string.h>

#include "vm/sched/sched.h"

Status own_run(Vm *vm, Kernel *k, uint32_t *flags) {
    const Device *host = &vm->engine->host;
    Event event = 0;
    size_t bytes = host->backend->workspace(host->ctx, k);
    if (bytes) bytes += BUFFER_ALIGN;
    char *workspace = mem_alloc(&vm->mem, bytes);
    if (bytes && !workspace) return vm_no_memory(vm);
    k->lasting = NULL;
    k->workspace = bytes ? workspace + BUFFER_ALIGN - (uintptr_t)workspace % BUFFER_ALIGN : NULL;
    bool done = host->backend->launch(host->ctx, k, NULL, flags, &event);
    mem_free(&vm->mem, workspace, bytes);
    return done ? ST_OK : vm_raise(vm, EXC_SystemError, "the host's backend refuses a kernel of the engine's own");
}

Status own_copy(Vm *vm, int ndim, const int64_t *shape, const KernAccess *from, const KernAccess *to) {
    Kernel k;
    uint32_t flags[KERN_SITES] = {0};
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) return ST_OK;
    kernel_clear(&k);
    k.ndim = ndim;
    memcpy(k.shape, shape, (size_t)ndim * sizeof *shape);
    k.load_count = k.store_count = k.site_count = 1;
    k.like[0] = 0;
    k.loads[0] = *from;
    k.stores[0] = (KernStore){.to = *to, .value = 0};
    kernel_simplify(&k);
    Status st = own_run(vm, &k, flags);
    return st == ST_OK && flags[0] & FLAG_INTERRUPTED ? vm_poll(vm) : st;
}
