// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of the program in which the engine is embedded. Their arguments are bound by the signature of a
// function of the language that has the same parameters and no body (`shape`). So there is one grammar of
// parameters and one set of messages, and help() works on them.

#include "vm/interp/host_func.h"

#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

enum { FEW_PARAMETERS = 16 };

Status host_func_new(Vm *vm, Func *shape, HostCall call, void (*fn)(void), void *ctx,
                     void (*drop)(void *ctx), Value *out) {
    HostFunc *func = obj_new(vm, K_HOST_FUNC, sizeof *func);
    if (!func) {
        release_obj(vm, shape);
        return vm_no_memory(vm);
    }
    func->shape = shape;
    func->call = call;
    func->fn = fn;
    func->ctx = ctx;
    func->drop = drop;
    *out = v_obj(func);
    return ST_OK;
}

static void drop_values(Vm *vm, Value *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) clear(vm, &values[i]);
}

Status host_func_call(Vm *vm, HostFunc *func, Value *args, uint32_t count, const Tuple *names,
                      Value *out) {
    const Signature *sig = func_sig(vm, func->shape);
    if (!sig) {
        drop_values(vm, args, count);
        return ST_ERROR;
    }
    uint32_t total = (uint32_t)sig->total;
    Value few[FEW_PARAMETERS], *slots = few;
    if (total > FEW_PARAMETERS) slots = mem_alloc(&vm->mem, total * sizeof *slots);
    Status st = vm_check(vm, slots);
    for (uint32_t i = 0; st == ST_OK && i < total; i++) slots[i] = V_UNDEF;
    if (st == ST_OK)
        st =
            signature_bind(vm, sig, args, count - (names ? (uint32_t)names->len : 0), names, slots);
    drop_values(vm, args, count);
    if (st == ST_OK) {
        st = func->call(vm, func, slots, total, out);
        drop_values(vm, slots, total);
    }
    if (slots != few) mem_free(&vm->mem, slots, total * sizeof *slots);
    return st;
}

// --- The kind ------------------------------------------------------------------------------------

static HostFunc *of(Value v) {
    return (HostFunc *)v.obj;
}

static void host_visit(Obj *obj, Visitor *visitor) {
    visit_obj(visitor, ((HostFunc *)obj)->shape);
}

static void host_drop(Vm *vm, Obj *obj) {
    HostFunc *func = (HostFunc *)obj;
    void (*drop)(void *ctx) = func->drop;
    Func *shape = func->shape;
    func->drop = NULL;
    func->shape = NULL;
    if (drop) drop(func->ctx);
    release_obj(vm, shape);
}

static size_t host_size(const Obj *obj) {
    (void)obj;
    return sizeof(HostFunc);
}

static Status host_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    buf_printf(out, "<built-in function %s>", of(self)->shape->name->data);
    return ST_OK;
}

// Reads __name__, __doc__ and other attributes from `shape`.
static Status host_getattr(Vm *vm, Value self, Str *name, Value *out) {
    return op_getattr(vm, v_obj(of(self)->shape), name, out);
}

const TypeSlots kind_HOST_FUNC = {
    .visit = host_visit,
    .drop = host_drop,
    .size = host_size,
    .repr = host_repr,
    .getattr = host_getattr,
};
