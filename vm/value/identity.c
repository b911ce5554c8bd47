// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Identities of objects: addresses, or numbers from the table of weak references, from which dead objects are removed.

#include "vm/value/identity.h"

#include <inttypes.h>

#include "vm/value/weak.h"

enum { STEP = 16 }; // numbers look like addresses, whose last digit is 0

Status identity_of(Vm *vm, const void *obj, uint64_t *out) {
    uint64_t serial;
    *out = (uintptr_t)obj;
    if (!vm->numbered) return ST_OK;
    if (!weak_serial(vm, (Obj *)(uintptr_t)obj, &serial)) return vm_no_memory(vm);
    *out = serial * STEP;
    return ST_OK;
}

Status identity_text(Vm *vm, const void *obj, Buf *out) {
    uint64_t identity;
    Status st = identity_of(vm, obj, &identity);
    if (st == ST_OK) buf_printf(out, "0x%" PRIx64, identity);
    return st;
}

Status identity_hash(Vm *vm, Value v, int64_t *out) {
    uint64_t bits = v.bits;
    if (is_heap(v) && identity_of(vm, v.obj, &bits) != ST_OK) return ST_ERROR;
    *out = (int64_t)(bits >> 4 | bits << 60);
    return ST_OK;
}
