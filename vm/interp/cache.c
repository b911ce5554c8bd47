// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What happens on a miss of an inline cache: looks up in Interp.lookups, then in full, and fills the caches.

#include "vm/interp/cache.h"

#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/shape.h"

static Lookup *place_of(Vm *vm, const Instance *inst, const Str *name, LookupUse use) {
    uint32_t hash = inst->shape->id * 7 + (uint32_t)((uintptr_t)name >> 5) + (uint32_t)use;
    return &vm->interp->lookups[hash % LOOKUPS];
}

static const Lookup *known(Vm *vm, const Instance *inst, const Str *name, LookupUse use) {
    const Lookup *entry = place_of(vm, inst, name, use);
    return entry->shape == inst->shape->id && entry->name == name && entry->use == use ? entry : NULL;
}

static void note(Vm *vm, const Instance *inst, const Str *name, LookupUse use, int slot,
                 Obj *method) {
    *place_of(vm, inst, name, use) = (Lookup){inst->shape->id, (uint16_t)use, (uint16_t)slot, name,
                                              method};
}

// Returns whether a data descriptor, such as a property, may take precedence over an instance's own attribute. A class
// that gets one later renews its shapes.
static bool may_hide(const Class *cls, Str *name) {
    return cls->flags & CLASS_DESCR && class_lookup(cls, name).kind != K_UNDEF;
}

// Returns whether reading the attribute yields the instance's slot. __getattr__ does not matter, since it is called
// only for missing attributes.
static bool reads_slot(const Class *cls, Str *name) {
    return !(cls->flags & CLASS_GETATTRIBUTE) && !may_hide(cls, name);
}

static void remember_slot(Vm *vm, Instance *inst, Str *name, LookupUse use, Instr *cache) {
    int slot = inst->shape ? shape_find(inst->shape, name) : -1;
    if (slot < 0) return;
    cache_fill_slot(cache, (uint16_t)slot, inst->shape->id);
    note(vm, inst, name, use, slot, NULL);
}

static void remember_module(Module *module, Str *name, Instr *cache) {
    Value slot = dict_get_str(module->slots_of, name);
    if (slot.kind == K_INT && module->slots[slot.i].kind != K_UNDEF)
        cache_fill(cache, CACHE_MODULE, 0, (uint32_t)slot.i, module);
}

// Caches reading __class__, for a class that does not define it.
static void remember_class(const Instance *inst, Str *name, Instr *cache) {
    const bool own = inst->cls->flags & CLASS_GETATTRIBUTE || inst->cls->payload_kind != K_INSTANCE ||
                     class_lookup(inst->cls, name).kind != K_UNDEF;
    if (!own && shape_find(inst->shape, name) < 0) cache_fill(cache, CACHE_CLASS, 0, inst->shape->id, NULL);
}

// Caches a property of the instance's class. Not for a class with __getattr__, which is called if the property fails.
static void remember_property(Vm *vm, Instance *inst, Str *name) {
    if (!inst->shape || inst->cls->flags & (CLASS_GETATTRIBUTE | CLASS_GETATTR)) return;
    Value found = class_lookup(inst->cls, name);
    if (found.kind == K_DESCR && found.descr->role == DESCR_PROPERTY) note(vm, inst, name, LOOKUP_PROPERTY, 0, found.obj);
}

Status cached_getattr(Vm *vm, Value v, Str *name, Instr *cache, Value *out) {
    if (v.kind == K_INSTANCE) {
        const Lookup *entry = v.inst->shape ? known(vm, v.inst, name, LOOKUP_READ) : NULL;
        if (entry) {
            cache_fill_slot(cache, entry->slot, entry->shape);
            *out = retain(v.inst->slots[entry->slot]);
            return ST_OK;
        }
        entry = v.inst->shape ? known(vm, v.inst, name, LOOKUP_PROPERTY) : NULL;
        if (entry) return property_get(vm, (Descr *)entry->method, v, out);
        if (name == vm_name(vm, NAME_class_) && v.inst->shape) remember_class(v.inst, name, cache);
        else if (reads_slot(v.inst->cls, name)) remember_slot(vm, v.inst, name, LOOKUP_READ, cache);
        else remember_property(vm, v.inst, name);
    } else if (v.kind == K_MODULE) {
        remember_module(v.module, name, cache);
    }
    return op_getattr(vm, v, name, out);
}

Status cached_setattr(Vm *vm, Value v, Str *name, Value value, Instr *cache) {
    if (v.kind != K_INSTANCE || !v.inst->shape || v.inst->cls->flags & CLASS_SETATTR)
        return op_setattr(vm, v, name, value);
    Instance *inst = v.inst;
    const Lookup *entry = known(vm, inst, name, LOOKUP_WRITE);
    if (entry) {
        replace(vm, &inst->slots[entry->slot], retain(value));
        return ST_OK;
    }
    Shape *before = inst->shape;
    const bool hidden = may_hide(inst->cls, name);
    Status st = op_setattr(vm, v, name, value);
    if (st != ST_OK || !inst->shape || hidden) return st;
    if (inst->shape == before) remember_slot(vm, inst, name, LOOKUP_WRITE, cache);
    else if (inst->shape->parent == before)
        cache_fill(cache, CACHE_ADD, (uint16_t)(inst->shape->count - 1), before->id, inst->shape);
    return ST_OK;
}

static void remember_method(Vm *vm, Value v, Str *name, Value func, Value self, Instr *cache) {
    if (self.kind == K_UNDEF) return;
    if (v.kind == K_INSTANCE) {
        if (!v.inst->shape) return;
        cache_fill(cache, CACHE_METHOD, 0, v.inst->shape->id, func.obj);
        note(vm, v.inst, name, LOOKUP_METHOD, 0, func.obj);
    } else if (func.kind == K_NATIVE && v.kind != K_CLASS && v.kind != K_STEPPER &&
               v.kind != K_ITER) { // the last two have several classes
        cache_fill(cache, CACHE_KIND, 0, v.kind, func.obj);
    }
}

Status cached_getmethod(Vm *vm, Value v, Str *name, Instr *cache, Value *func, Value *self) {
    if (v.kind == K_INSTANCE && v.inst->shape) {
        const Lookup *entry = known(vm, v.inst, name, LOOKUP_METHOD);
        if (entry) {
            *func = retain(v_obj(entry->method));
            *self = retain(v);
            return ST_OK;
        }
    }
    Status st = op_getmethod(vm, v, name, func, self);
    if (st != ST_OK) return st;
    if (v.kind == K_MODULE) remember_module(v.module, name, cache);
    else remember_method(vm, v, name, *func, *self, cache);
    return ST_OK;
}

Value cached_operator(Vm *vm, const Instance *inst, Str *name) {
    if (!inst->shape) return class_user_method(inst->cls, name);
    const Lookup *entry = known(vm, inst, name, LOOKUP_OPERATOR);
    if (entry) return entry->method ? v_obj(entry->method) : V_UNDEF;
    Value found = class_user_method(inst->cls, name);
    if (is_heap(found)) note(vm, inst, name, LOOKUP_OPERATOR, 0, found.obj);
    else if (found.kind == K_UNDEF) note(vm, inst, name, LOOKUP_OPERATOR, 0, NULL);
    return found;
}

Value cached_slot(Vm *vm, const Instance *inst, Str *name) {
    if (!inst->shape) return inst->dict ? dict_get_str(inst->dict, name) : V_UNDEF;
    const Lookup *entry = known(vm, inst, name, LOOKUP_READ);
    const int slot = entry ? entry->slot : shape_find(inst->shape, name);
    if (slot < 0) return V_UNDEF;
    if (!entry && reads_slot(inst->cls, name)) note(vm, inst, name, LOOKUP_READ, slot, NULL);
    return v_load(&inst->slots[slot]);
}
