// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs kernels for the engine's own purposes.

#include "vm/sched/own.h"

#include <string.h>

#include "vm/sched/sched.h"

Status own_run(Vm *vm, Kernel *k, uint32_t *flags) {
    const Device *host = &vm->engine->host;
    Event event = 0;
    size_t bytes = host->backend->workspace(host->ctx, k);
    if (bytes) bytes += BUFFER_ALIGN;
    char *workspace = bytes ? mem_alloc(&vm->mem, bytes) : NULL;
    if (bytes && !workspace) return vm_no_memory(vm);
    k->lasting = NULL;
    k->workspace = bytes ? workspace + BUFFER_ALIGN - (uintptr_t)workspace % BUFFER_ALIGN : NULL;
    bool done = host->backend->launch(host->ctx, k, NULL, flags, &event);
    mem_free(&vm->mem, workspace, bytes);
    return done ? ST_OK : vm_raise(vm, EXC_SystemError, "the host's backend refuses a kernel of the engine's own");
}

KernAccess own_access(const View *view) {
    KernAccess access;
    kernel_set_access(&access, view);
    access.base = view->storage->buffer.host;
    return access;
}

// Begins a kernel with one store over a space, of value 0. Returns false if the space has no elements.
static bool begin(Kernel *k, int ndim, const int64_t *shape, const KernAccess *to) {
    kernel_clear(k);
    k->ndim = ndim;
    memcpy(k->shape, shape, (size_t)ndim * sizeof *shape);
    k->store_count = k->site_count = 1;
    k->like[0] = 0;
    k->stores[0] = (KernStore){.to = *to, .value = 0};
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) return false;
    return true;
}

static Status run_simplified(Vm *vm, Kernel *k, uint32_t *flags) {
    uint32_t found[KERN_SITES] = {0};
    kernel_simplify(k);
    Status st = own_run(vm, k, found);
    *flags |= found[0];
    return st == ST_OK && found[0] & FLAG_INTERRUPTED ? vm_poll(vm) : st;
}

Status own_copy(Vm *vm, int ndim, const int64_t *shape, const KernAccess *from, const KernAccess *to) {
    Kernel k;
    uint32_t flags = 0;
    if (!begin(&k, ndim, shape, to)) return ST_OK;
    k.load_count = 1;
    k.loads[0] = *from;
    return run_simplified(vm, &k, &flags);
}

Status own_fill(Vm *vm, int ndim, const int64_t *shape, Scalar value, const KernAccess *to) {
    Kernel k;
    uint32_t flags = 0;
    if (!begin(&k, ndim, shape, to)) return ST_OK;
    k.param_count = 1;
    k.params[0] = value;
    k.param_types[0] = to->dtype;
    k.stores[0].value = KERN_FIRST_PARAM;
    return run_simplified(vm, &k, &flags);
}

Status own_apply(Vm *vm, OpId op, int ndim, const int64_t *shape, const KernAccess *a, const KernAccess *b,
                 const KernAccess *to, uint32_t *flags) {
    Kernel k;
    const bool tells = op_info[op].effects == EFFECT_FPE;
    if (!begin(&k, ndim, shape, to)) return ST_OK;
    k.load_count = 2;
    k.loads[0] = *a;
    k.loads[1] = *b;
    k.code_count = 1;
    k.code[0] = (KernInstr){.op = (uint8_t)op, .from = (uint8_t)to->dtype, .type = (uint8_t)to->dtype, .tells = tells,
                            .args = {0, 1, -1}};
    k.stores[0].value = KERN_FIRST_CODE;
    k.flags = tells;
    return run_simplified(vm, &k, flags);
}
