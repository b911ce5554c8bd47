// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Native functions, bound methods and cells as objects.

#include "vm/value/func.h"

#include <inttypes.h>
#include <string.h>

#include "vm/value/dict.h"
#include "vm/value/identity.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// --- Native functions --------------------------------------------------------------------------

Status native_new(Vm *vm, const NativeDef *def, Value owner, Value *out) {
    Native *native = obj_new(vm, K_NATIVE, sizeof *native);
    if (!native) return vm_no_memory(vm);
    native->def = def;
    native->owner = retain(owner);
    native->simple_args = NOT_SIMPLE;
    native->self_kind = K_UNDEF;
    *out = v_obj(native);
    return ST_OK;
}

const Signature *native_parse(Vm *vm, Native *native) {
    Value owner = native->owner;
    const Signature *sig = signature_of(vm, native->def, owner);
    if (!sig) return NULL;
    if (sig->total == sig->positional) native->simple_args = (uint32_t)sig->total;
    if (owner.kind == K_CLASS && sig->bound_self) native->self_kind = owner.cls->instance_kind;
    return native->signature = sig;
}

static bool is_class_method(const NativeDef *def) {
    return strncmp(def->signature, "cls", 3) == 0 &&
           (def->signature[3] == ',' || def->signature[3] == '\0' || def->signature[3] == '\n') &&
           strcmp(def->name, "__new__") != 0;
}

static Status add_row(Vm *vm, Dict *dict, const NativeDef *def, Value owner) {
    Value native, method;
    Status st = native_new(vm, def, owner, &native);
    if (st != ST_OK) return st;
    if (owner.kind == K_CLASS && is_class_method(def)) {
        st = descr_new(vm, DESCR_CLASSMETHOD, native, V_UNDEF, V_UNDEF, &method);
        release(vm, native);
        if (st != ST_OK) return st;
        native = method;
    }
    return dict_set_text(vm, dict, def->name, native);
}

Status natives_into_dict(Vm *vm, Dict *dict, const NativeDef *rows, Value owner) {
    uint32_t count = 0;
    while (rows[count].name) count++;
    Status st = dict_reserve(vm, dict, count);
    for (; rows->name && st == ST_OK; rows++) st = add_row(vm, dict, rows, owner);
    return st;
}

static void native_visit(Obj *obj, Visitor *visitor) {
    visit_value(visitor, ((Native *)obj)->owner);
}

static void native_drop(Vm *vm, Obj *obj) {
    clear(vm, &((Native *)obj)->owner);
}

static size_t native_size(const Obj *obj) {
    (void)obj;
    return sizeof(Native);
}

static Status native_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    const Native *native = self.native;
    if (native->owner.kind == K_CLASS) {
        buf_printf(out, "<method '%s' of '%s' objects>", native->def->name,
                   native->owner.cls->name->data);
    } else {
        buf_printf(out, "<built-in function %s>", native->def->name);
    }
    return ST_OK;
}

static Status native_name(Vm *vm, Value self, Value *out) {
    return str_out(vm, str_text(vm, self.native->def->name), out);
}

static Status native_qualname(Vm *vm, Value self, Value *out) {
    const Native *native = self.native;
    if (native->owner.kind != K_CLASS) return native_name(vm, self, out);
    Buf buf;
    buf_init(&buf, &vm->mem);
    buf_printf(&buf, "%s.%s", native->owner.cls->qualname->data, native->def->name);
    return str_buf_out(vm, &buf, out);
}

static Status native_module(Vm *vm, Value self, Value *out) {
    Value owner = self.native->owner;
    *out = retain(owner.kind == K_MODULE  ? v_obj(owner.module->name)
                  : owner.kind == K_CLASS ? owner.cls->module
                                          : v_obj(vm_name(vm, NAME_builtins)));
    return ST_OK;
}

static Status none_attr(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    *out = V_NONE;
    return ST_OK;
}

static Status get_native_doc(Vm *vm, Value self, Value *out) {
    size_t len;
    const char *doc = native_doc(self.native->def, &len);
    if (!doc) return none_attr(vm, self, out);
    return str_out(vm, str_text(vm, doc), out);
}

// Returns the text of the signature, as (a, axis=None). A default without a value to show (`?`) is written as `...`.
static Status native_text_signature(Vm *vm, Value self, Value *out) {
    size_t len;
    const char *at = self.native->def->signature;
    Buf text;
    native_doc(self.native->def, &len);
    buf_init(&text, &vm->mem);
    buf_putc(&text, '(');
    for (size_t i = 0; i < len; i++) {
        if (at[i] == '?' && i > 0 && at[i - 1] == '=') buf_puts(&text, "...");
        else buf_putc(&text, at[i]);
    }
    buf_putc(&text, ')');
    return str_buf_out(vm, &text, out);
}

static Status native_self(Vm *vm, Value self, Value *out) {
    (void)vm;
    Value owner = self.native->owner;
    *out = owner.kind == K_MODULE ? retain(owner) : V_NONE;
    return ST_OK;
}

static const AttrDef native_attrs[] = {
    {"__name__", native_name, NULL},     {"__qualname__", native_qualname, NULL},
    {"__module__", native_module, NULL}, {"__doc__", get_native_doc, NULL},
    {"__text_signature__", native_text_signature, NULL},
    {"__self__", native_self, NULL},     {0},
};

// f.__call__(…) defers to the slow path, which calls f(…).
static Status call_itself(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

static Status bind_itself(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind == K_NONE && args[2].kind == K_NONE)
        return vm_raise(vm, EXC_TypeError, "__get__(None, None) is invalid");
    if (args[1].kind != K_NONE) return bound_new(vm, args[1], args[0], out);
    *out = retain(args[0]);
    return ST_OK;
}

#define CALL_ROW {"__call__", "self, /, *args, **kwargs", call_itself, "call_slow", PURE}
const NativeDef func_methods[] = {
    CALL_ROW,
    {"__get__", "self, instance, owner=None, /", bind_itself, NULL, PURE},
    {0},
};
static const NativeDef callable_methods[] = {CALL_ROW, {0}};

const TypeSlots kind_NATIVE = {
    .visit = native_visit,
    .drop = native_drop,
    .size = native_size,
    .repr = native_repr,
    .attrs = native_attrs,
    .methods = callable_methods,
};

// --- Bound methods -----------------------------------------------------------------------------

Status bound_new(Vm *vm, Value self, Value func, Value *out) {
    Bound *bound = obj_new(vm, K_BOUND, sizeof *bound);
    if (!bound) return vm_no_memory(vm);
    bound->self = retain(self);
    bound->func = retain(func);
    *out = v_obj(bound);
    return ST_OK;
}

static void bound_visit(Obj *obj, Visitor *visitor) {
    visit_value(visitor, ((Bound *)obj)->self);
    visit_value(visitor, ((Bound *)obj)->func);
}

static void bound_drop(Vm *vm, Obj *obj) {
    clear(vm, &((Bound *)obj)->self);
    clear(vm, &((Bound *)obj)->func);
}

static size_t bound_size(const Obj *obj) {
    (void)obj;
    return sizeof(Bound);
}

static Status place_text(Vm *vm, Value v, Buf *out) {
    if (is_heap(v)) return identity_text(vm, v.obj, out);
    buf_printf(out, "0x%" PRIx64, (uint64_t)v.bits);
    return ST_OK;
}

static Status bound_repr_native(Vm *vm, const Bound *bound, Buf *out) {
    buf_printf(out, "<built-in method %s of %s object at ", bound->func.native->def->name,
               type_name(vm, bound->self));
    Status st = place_text(vm, bound->self, out);
    buf_putc(out, '>');
    return st;
}

static Status bound_repr(Vm *vm, Value self, Buf *out, int depth) {
    const Bound *bound = self.bound;
    if (bound->func.kind == K_NATIVE) return bound_repr_native(vm, bound, out);
    Value name;
    buf_puts(out, "<bound method ");
    Status st = op_getattr(vm, bound->func, vm_name(vm, NAME_qualname), &name);
    if (st == ST_OK) {
        st = op_str(vm, name, out);
        release(vm, name);
    } else if (st == ST_ERROR) {
        vm_clear_error(vm);
        buf_putc(out, '?');
        st = ST_OK;
    }
    if (st != ST_OK) return st;
    buf_puts(out, " of ");
    st = op_repr_nested(vm, bound->self, out, depth + 1);
    buf_putc(out, '>');
    return st;
}

static Status bound_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    (void)vm;
    if (a.kind != K_BOUND || b.kind != K_BOUND || (op != CMP_EQ && op != CMP_NE)) return ST_NOTIMPL;
    bool same = v_is(a.bound->self, b.bound->self) && v_is(a.bound->func, b.bound->func);
    *out = v_bool(same == (op == CMP_EQ));
    return ST_OK;
}

static Status bound_hash(Vm *vm, Value self, int64_t *out) {
    int64_t of_self, of_func;
    if (identity_hash(vm, self.bound->self, &of_self) != ST_OK ||
        identity_hash(vm, self.bound->func, &of_func) != ST_OK)
        return ST_ERROR;
    *out = of_self ^ of_func;
    return ST_OK;
}

static Status bound_self(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self.bound->self);
    return ST_OK;
}

static Status bound_func(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self.bound->func);
    return ST_OK;
}

// Reads all other attributes from the function: __name__, __doc__, attributes that a decorator set.
static Status bound_getattr(Vm *vm, Value self, Str *name, Value *out) {
    if (str_is(name, "__call__")) return ST_STOP;
    return op_getattr(vm, self.bound->func, name, out);
}

static const AttrDef bound_attrs[] = {
    {"__self__", bound_self, NULL},
    {"__func__", bound_func, NULL},
    {0},
};

// types.MethodType(function, self)
static Status bound_construct(Vm *vm, const Value *args, Value *out) {
    bool callable;
    if (op_is_callable(vm, args[0], &callable) != ST_OK) return ST_ERROR;
    if (!callable) return vm_raise(vm, EXC_TypeError, "first argument must be callable");
    if (args[1].kind == K_NONE) return vm_raise(vm, EXC_TypeError, "instance must not be None");
    if (args[0].kind == K_BOUND) // a chain of methods of methods would nest calls as deep
        return vm_raise(vm, EXC_NotImplementedError, "a method of a method");
    return bound_new(vm, args[1], args[0], out);
}

static const NativeDef bound_row = {"method", "function, self, /", bound_construct, NULL, PURE};

const TypeSlots kind_BOUND = {
    .construct = &bound_row,
    .visit = bound_visit,
    .drop = bound_drop,
    .size = bound_size,
    .compare = bound_compare,
    .hash = bound_hash,
    .repr = bound_repr,
    .getattr = bound_getattr,
    .attrs = bound_attrs,
    .methods = callable_methods,
};

// --- Cells -------------------------------------------------------------------------------------

Status cell_new(Vm *vm, Value value, Value *out) {
    Cell *cell = obj_new(vm, K_CELL, sizeof *cell);
    if (!cell) {
        release(vm, value);
        return vm_no_memory(vm);
    }
    cell->value = value;
    *out = v_obj(cell);
    return ST_OK;
}

static void cell_visit(Obj *obj, Visitor *visitor) {
    visit_value(visitor, ((Cell *)obj)->value);
}

static void cell_drop(Vm *vm, Obj *obj) {
    clear(vm, &((Cell *)obj)->value);
}

static size_t cell_size(const Obj *obj) {
    (void)obj;
    return sizeof(Cell);
}

static Status cell_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    Value value = self.cell->value;
    buf_puts(out, "<cell at ");
    Status st = identity_text(vm, self.obj, out);
    if (value.kind == K_UNDEF) {
        buf_puts(out, ": empty>");
        return st;
    }
    buf_printf(out, ": %s object at ", type_name(vm, value));
    if (st == ST_OK) st = place_text(vm, value, out);
    buf_putc(out, '>');
    return st;
}

static Status cell_contents(Vm *vm, Value self, Value *out) {
    if (self.cell->value.kind == K_UNDEF) return vm_raise(vm, EXC_ValueError, "Cell is empty");
    *out = retain(self.cell->value);
    return ST_OK;
}

static Status cell_set_contents(Vm *vm, Value self, Value value) {
    replace(vm, &self.cell->value, retain(value));
    return ST_OK;
}

static const AttrDef cell_attrs[] = {
    {"cell_contents", cell_contents, cell_set_contents},
    {0},
};

const TypeSlots kind_CELL = {
    .visit = cell_visit,
    .drop = cell_drop,
    .size = cell_size,
    .repr = cell_repr,
    .attrs = cell_attrs,
};
