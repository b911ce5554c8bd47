// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Modules: numbered slots with names, so that compiled code reaches a global without a look-up.

#include <string.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/str.h"

// Grows the arrays of slots and of built-ins, which are the two halves of one block.
static bool grow(Vm *vm, Module *module) {
    size_t cap = module->cap ? 2 * module->cap : 16;
    Value *block = mem_alloc(&vm->mem, 2 * cap * sizeof(Value));
    if (!block) return false;
    if (module->cap) {
        memcpy(block, module->slots, module->len * sizeof(Value));
        memcpy(block + cap, module->builtin, module->len * sizeof(Value));
        mem_free(&vm->mem, module->slots, 2 * module->cap * sizeof(Value));
    }
    module->slots = block;
    module->builtin = block + cap;
    module->cap = cap;
    return true;
}

Status module_slot(Vm *vm, Module *module, Str *name, size_t *slot) {
    Value found = dict_get_str(module->slots_of, name);
    if (found.kind == K_INT) {
        *slot = (size_t)found.i;
        return ST_OK;
    }
    if (module->len == module->cap && !grow(vm, module)) return vm_no_memory(vm);
    if (dict_set_str(vm, module->slots_of, name, v_int((int64_t)module->len)) != ST_OK)
        return ST_ERROR;
    module->builtin[module->len] =
        vm->builtins ? retain(dict_get_str(vm->builtins, name)) : V_UNDEF;
    module->slots[module->len] = V_UNDEF;
    *slot = module->len++;
    return ST_OK;
}

Status module_set_str(Vm *vm, Module *module, Str *name, Value owned) {
    size_t slot;
    if (module_slot(vm, module, name, &slot) != ST_OK) {
        release(vm, owned);
        return ST_ERROR;
    }
    replace(vm, &module->slots[slot], owned);
    return ST_OK;
}

Status module_set(Vm *vm, Module *module, const char *name, Value owned) {
    Str *key = str_intern(vm, name, strlen(name));
    if (!key) {
        release(vm, owned);
        return vm_no_memory(vm);
    }
    Status st = module_set_str(vm, module, key, owned);
    release_obj(vm, key);
    return st;
}

Value module_get(const Module *module, Str *name) {
    Value found = dict_get_str(module->slots_of, name);
    return found.kind == K_INT ? module->slots[found.i] : V_UNDEF;
}

Status module_new(Vm *vm, const char *name, Value *out) {
    Module *module = obj_new(vm, K_MODULE, sizeof *module);
    if (!module) return vm_no_memory(vm);
    module->slots_of = dict_new(vm);
    module->name = str_intern(vm, name, strlen(name));
    Status st = module->slots_of && module->name ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK) {
        module->name->obj.refs++;
        st = module_set(vm, module, "__name__", v_obj(module->name));
        if (st == ST_OK) st = module_set(vm, module, "__doc__", V_NONE);
    }
    if (st != ST_OK) {
        release_obj(vm, module);
        return st;
    }
    *out = v_obj(module);
    return ST_OK;
}

Status module_add_natives(Vm *vm, Module *module, const NativeDef *rows) {
    for (; rows->name; rows++) {
        Value native;
        if (native_new(vm, rows, v_obj(module), &native) != ST_OK) return ST_ERROR;
        if (module_set(vm, module, rows->name, native) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

static void module_visit(Obj *obj, Visitor *visitor) {
    Module *module = (Module *)obj;
    visit_obj(visitor, module->name);
    visit_obj(visitor, module->file);
    visit_obj(visitor, module->slots_of);
    visit_obj(visitor, module->dict);
    for (size_t i = 0; i < module->len; i++) {
        visit_value(visitor, module->slots[i]);
        visit_value(visitor, module->builtin[i]);
    }
}

// Breaking a cycle empties the slots but keeps the table: code may still name them.
static void module_drop(Vm *vm, Obj *obj) {
    Module *module = (Module *)obj;
    Dict *dict = module->dict;
    module->dict = NULL;
    release_obj(vm, dict);
    for (size_t i = 0; i < module->len; i++) {
        clear(vm, &module->slots[i]);
        clear(vm, &module->builtin[i]);
    }
    if (obj->refs > 0) return;
    mem_free(&vm->mem, module->slots, 2 * module->cap * sizeof(Value));
    release_obj(vm, module->slots_of);
    release_obj(vm, module->name);
    release_obj(vm, module->file);
}

static size_t module_size(const Obj *obj) {
    (void)obj;
    return sizeof(Module);
}

static Status module_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    buf_printf(out, "<module '%s'", self.module->name->data);
    if (self.module->file) buf_printf(out, " from '%s'>", self.module->file->data);
    else buf_puts(out, self.module->made ? ">" : " (built-in)>");
    return ST_OK;
}

// types.ModuleType(name, doc): an empty module that no import finds.
static Status module_construct(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "module() argument 'name' must be str, not %s",
                        type_name(vm, args[0]));
    Value module;
    Status st = module_new(vm, args[0].str->data, &module);
    if (st != ST_OK) return st;
    module.module->made = true;
    st = module_set(vm, module.module, "__doc__", retain(args[1]));
    if (st == ST_OK) *out = module;
    else release(vm, module);
    return st;
}

static const NativeDef module_row = {"module", "name, doc=None", module_construct, NULL, PURE};

const TypeSlots kind_MODULE = {
    .construct = &module_row,
    .visit = module_visit,
    .drop = module_drop,
    .size = module_size,
    .repr = module_repr,
};
