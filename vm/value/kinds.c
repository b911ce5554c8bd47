// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tables of kinds, and the behaviour of the singletons.

#include "vm/value/kind.h"

const TypeSlots *const kind_slots[KIND_COUNT] = {
#define IMMEDIATE(name, type) &kind_##name,
#define HEAP(name, type)      &kind_##name,
#define CYCLIC(name, type)    &kind_##name,
#include "vm/value/kinds.def"
#undef IMMEDIATE
#undef HEAP
#undef CYCLIC
};

const char *const kind_names[KIND_COUNT] = {
#define IMMEDIATE(name, type) type,
#define HEAP(name, type)      type,
#define CYCLIC(name, type)    type,
#include "vm/value/kinds.def"
#undef IMMEDIATE
#undef HEAP
#undef CYCLIC
};

// Hashes of the singletons; any constants would do.
enum { HASH_NONE = 0x6e6f6e65, HASH_NOTIMPLEMENTED = 0x6e6f7469, HASH_ELLIPSIS = 0x656c6c69 };

static Status singleton_hash(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = self.kind == K_NONE       ? HASH_NONE
           : self.kind == K_ELLIPSIS ? HASH_ELLIPSIS
                                     : HASH_NOTIMPLEMENTED;
    return ST_OK;
}

static Status singleton_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    buf_puts(out, self.kind == K_NONE             ? "None"
                  : self.kind == K_ELLIPSIS       ? "Ellipsis"
                  : self.kind == K_NOTIMPLEMENTED ? "NotImplemented"
                                                  : "<undefined>");
    return ST_OK;
}

static Status never_true(Vm *vm, Value self, bool *out) {
    (void)vm;
    (void)self;
    *out = false;
    return ST_OK;
}

static Status construct_none(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    *out = V_NONE;
    return ST_OK;
}
static Status construct_ellipsis(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    *out = V_ELLIPSIS;
    return ST_OK;
}
static Status construct_notimplemented(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static const NativeDef none_row = {"NoneType", "", construct_none, NULL, PURE};
static const NativeDef ellipsis_row = {"ellipsis", "", construct_ellipsis, NULL, PURE};
static const NativeDef notimplemented_row = {"NotImplementedType", "", construct_notimplemented,
                                             NULL, PURE};

const TypeSlots kind_UNDEF = {.repr = singleton_repr, .truth = never_true};
const TypeSlots kind_NONE = {
    .repr = singleton_repr, .hash = singleton_hash, .truth = never_true, .construct = &none_row};
const TypeSlots kind_ELLIPSIS = {
    .repr = singleton_repr, .hash = singleton_hash, .construct = &ellipsis_row};
const TypeSlots kind_NOTIMPLEMENTED = {
    .repr = singleton_repr, .hash = singleton_hash, .construct = &notimplemented_row};
