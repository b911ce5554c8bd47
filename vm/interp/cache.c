// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The miss side of the attribute caches: looks up in full, and remembers what can be remembered.

#include "vm/interp/cache.h"

#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/shape.h"

static bool plain_class(const Class *cls) {
    return !(cls->flags & (CLASS_GETATTR | CLASS_GETATTRIBUTE | CLASS_DESCR));
}

static void remember_slot(Instance *inst, Str *name, Instr *cache) {
    int slot = inst->shape ? shape_find(inst->shape, name) : -1;
    if (slot >= 0) cache_fill(cache, CACHE_SLOT, (uint16_t)slot, inst->shape->id, NULL);
}

static void remember_module(Module *module, Str *name, Instr *cache) {
    Value slot = dict_get_str(module->slots_of, name);
    if (slot.kind == K_INT && module->slots[slot.i].kind != K_UNDEF)
        cache_fill(cache, CACHE_MODULE, 0, (uint32_t)slot.i, module);
}

Status cached_getattr(Vm *vm, Value v, Str *name, Instr *cache, Value *out) {
    if (v.kind == K_INSTANCE) {
        // A property could hide the slot, so classes with data descriptors are not cached.
        if (plain_class(v.inst->cls)) remember_slot(v.inst, name, cache);
    } else if (v.kind == K_MODULE) {
        remember_module(v.module, name, cache);
    }
    return op_getattr(vm, v, name, out);
}

Status cached_setattr(Vm *vm, Value v, Str *name, Value value, Instr *cache) {
    if (v.kind != K_INSTANCE || !v.inst->shape ||
        v.inst->cls->flags & (CLASS_SETATTR | CLASS_DESCR) || v.inst->gc.obj.aux & INST_EXCEPTION)
        return op_setattr(vm, v, name, value);
    Instance *inst = v.inst;
    Shape *before = inst->shape;
    Status st = op_setattr(vm, v, name, value);
    if (st != ST_OK || !inst->shape) return st;
    if (inst->shape == before) remember_slot(inst, name, cache);
    else if (inst->shape->parent == before)
        cache_fill(cache, CACHE_ADD, (uint16_t)(inst->shape->count - 1), before->id, inst->shape);
    return ST_OK;
}

static void remember_method(Value v, Value func, Value self, Instr *cache) {
    if (self.kind == K_UNDEF) return;
    if (v.kind == K_INSTANCE) {
        if (v.inst->shape) cache_fill(cache, CACHE_METHOD, 0, v.inst->shape->id, func.obj);
    } else if (func.kind == K_NATIVE && v.kind != K_CLASS) {
        cache_fill(cache, CACHE_KIND, 0, v.kind, func.obj);
    }
}

Status cached_getmethod(Vm *vm, Value v, Str *name, Instr *cache, Value *func, Value *self) {
    Status st = op_getmethod(vm, v, name, func, self);
    if (st != ST_OK) return st;
    if (v.kind == K_MODULE) remember_module(v.module, name, cache);
    else remember_method(v, *func, *self, cache);
    return ST_OK;
}
