// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Attributes of functions that are computed when they are read, or that change how a function is called.

#include "vm/interp/func_attrs.h"

#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

Status func_closure(Vm *vm, Value self, Value *out) {
    const Func *func = self.func;
    uint32_t count = func->code->bc->capture_count;
    *out = V_NONE;
    if (count == 0) return ST_OK;
    Tuple *tuple = tuple_new(vm, count);
    if (!tuple) return vm_no_memory(vm);
    for (uint32_t i = 0; i < count; i++) tuple->items[i] = retain(v_obj(func->cells[i]));
    *out = v_obj(tuple);
    return ST_OK;
}

Status func_globals(Vm *vm, Value self, Value *out) {
    return op_getattr(vm, v_obj(self.func->module), vm_name(vm, NAME_dict), out);
}

// Drops a function's own signature, which contains its old defaults; func_sig makes a new one.
static void forget_signature(Vm *vm, Func *func) {
    Signature *sig = func->sig;
    func->sig = NULL;
    if (sig) mem_free(&vm->mem, sig, sizeof *sig + (size_t)sig->total * sizeof(Param));
}

Status func_set_defaults(Vm *vm, Value self, Value value) {
    bool none = value.kind == K_NONE || value.kind == K_UNDEF;
    if (!none && value.kind != K_TUPLE)
        return vm_raise(vm, EXC_TypeError, "__defaults__ must be set to a tuple object");
    if (!none && value.tuple->len > self.func->code->bc->positional)
        return vm_raise(vm, EXC_ValueError, "__defaults__ has more items than there are parameters");
    forget_signature(vm, self.func);
    replace(vm, &self.func->defaults, none ? V_UNDEF : retain(value));
    return ST_OK;
}

Status func_set_kwdefaults(Vm *vm, Value self, Value value) {
    bool none = value.kind == K_NONE || value.kind == K_UNDEF;
    if (!none && value.kind != K_DICT)
        return vm_raise(vm, EXC_TypeError, "__kwdefaults__ must be set to a dict object");
    forget_signature(vm, self.func);
    replace(vm, &self.func->kwdefaults, none ? V_UNDEF : retain(value));
    return ST_OK;
}
