// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loading compiled units: constants become values, global slots are bound to a module; function
// objects.

#include <string.h>

#include "vm/interp/func_attrs.h"
#include "vm/interp/interp.h"
#include "vm/value/bytes.h"
#include "vm/value/dict.h"
#include "vm/value/identity.h"
#include "vm/value/num.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static size_t slots_size(const BcUnit *bc) {
    return ((size_t)bc->global_count + 1) * sizeof(uint32_t);
}

static void unit_release(Vm *vm, Unit *unit) {
    if (!unit || --unit->refs > 0) return;
    mem_free(&vm->mem, unit->slots, slots_size(unit->bc));
    bc_unit_free(unit->bc);
    mem_free(&vm->mem, unit->source, unit->source_len + 1);
    mem_free(&vm->mem, unit, sizeof *unit);
}

static Unit *unit_new(Vm *vm, BcUnit *bc, const char *source, size_t len) {
    Unit *unit = mem_zalloc(&vm->mem, sizeof *unit);
    if (!unit) {
        bc_unit_free(bc);
        return NULL;
    }
    unit->bc = bc;
    unit->refs = 1;
    unit->plumbing = !source && (strncmp(bc->filename, "_prelude", strlen("_prelude")) == 0 ||
                                 strcmp(bc->filename, "_match.ncr") == 0);
    if (!source) return unit;
    unit->source = mem_alloc(&vm->mem, len + 1);
    if (!unit->source) { // the caller's unit_release frees bc
        return unit;
    }
    memcpy(unit->source, source, len);
    unit->source[len] = '\0';
    unit->source_len = len;
    return unit;
}

// --- Constants ---------------------------------------------------------------------------------

static Status load_code(Vm *vm, Unit *unit, BcCode *bc, Value *out);
static Status load_const(Vm *vm, Unit *unit, const BcConst *c, Value *out);

static Status load_tuple(Vm *vm, Unit *unit, const BcConst *c, Value *out) {
    Tuple *tuple = tuple_new(vm, c->len);
    if (!tuple) return vm_no_memory(vm);
    for (uint32_t i = 0; i < c->len; i++) {
        if (load_const(vm, unit, &c->items[i], &tuple->items[i]) == ST_OK) continue;
        release_obj(vm, tuple);
        return ST_ERROR;
    }
    *out = v_obj(tuple);
    return ST_OK;
}

static Status load_const(Vm *vm, Unit *unit, const BcConst *c, Value *out) {
    switch (c->kind) {
    case BC_NONE: *out = V_NONE; return ST_OK;
    case BC_TRUE: *out = v_bool(true); return ST_OK;
    case BC_FALSE: *out = v_bool(false); return ST_OK;
    case BC_ELLIPSIS: *out = V_ELLIPSIS; return ST_OK;
    case BC_INT: *out = v_int(c->i); return ST_OK;
    case BC_FLOAT: *out = v_float(c->f); return ST_OK;
    case BC_IMAG: return complex_out(vm, 0.0, c->f, out);
    case BC_BIG: return int_from_digits(vm, c->text, c->len, c->base, out);
    case BC_STR: return str_out(vm, str_intern(vm, c->text, c->len), out);
    case BC_BYTES: return bytes_out(vm, bytes_new(vm, c->text, c->len), out);
    case BC_TUPLE: return load_tuple(vm, unit, c, out);
    case BC_CODE: return load_code(vm, unit, c->code, out);
    }
    return vm_raise(vm, EXC_SystemError, "unknown constant");
}

// --- Code objects ------------------------------------------------------------------------------

static bool intern_into(Vm *vm, Str **slot, const char *text) {
    if (!*slot) *slot = str_intern(vm, text, strlen(text));
    return *slot;
}

static bool load_names(Vm *vm, Code *code) {
    BcCode *bc = code->bc;
    if (!code->local_names && bc->local_count > 0) {
        code->local_names = mem_zalloc(&vm->mem, bc->local_count * sizeof(Str *));
        if (!code->local_names) return false;
    }
    for (uint32_t i = 0; i < bc->local_count; i++)
        if (!intern_into(vm, &code->local_names[i], bc->local_names[i])) return false;
    if (bc->capture_count == 0) return true;
    if (!code->free_names)
        code->free_names = mem_zalloc(&vm->mem, bc->capture_count * sizeof(Str *));
    for (uint32_t i = 0; code->free_names && i < bc->capture_count; i++)
        if (!intern_into(vm, &code->free_names[i], bc->captures[i].name)) return false;
    return code->free_names;
}

static void count_params(Code *code) {
    BcCode *bc = code->bc;
    Signature *sig = &code->sig;
    sig->name = code->qualname->data;
    sig->positional_only = bc->positional_only;
    sig->positional = sig->required = bc->positional;
    sig->keyword_only = bc->keyword_only;
    sig->has_varargs = (bc->flags & BC_VARARGS) != 0;
    sig->has_varkw = (bc->flags & BC_VARKW) != 0;
    sig->total = (int)bc_param_count(bc);
    bool simple = sig->total == sig->positional && !(bc->flags & BC_GENERATOR);
    code->simple_args = simple ? (uint32_t)sig->total : NOT_SIMPLE;
}

static bool load_params(Vm *vm, Code *code) {
    Signature *sig = &code->sig;
    if (sig->total == 0) return true;
    if (!sig->params) sig->params = mem_zalloc(&vm->mem, (size_t)sig->total * sizeof(Param));
    if (!sig->params) return false;
    for (int i = 0; i < sig->total; i++) sig->params[i].name = code->local_names[i];
    return true;
}

static void patch_globals(const uint32_t *slots, BcCode *bc) {
    for (uint32_t i = 0; i < bc->code_len; i += bc_op_info[bc->code[i].op].words) {
        Instr *instr = &bc->code[i];
        if (instr->op == OP_GLOBAL_GET || instr->op == OP_GLOBAL_SET || instr->op == OP_GLOBAL_DEL)
            *instr = instr_with_wide(*instr, slots[instr_wide(*instr)]);
        else if (instr->op == OP_NAME_GET && !(instr->flags & FLAG_ALT))
            instr[1] = instr_with_wide(instr[1], slots[instr_wide(instr[1])]);
    }
}

// Skips what an earlier attempt has completed before it ran out of memory.
Status code_complete(Vm *vm, Code *code) {
    BcCode *bc = code->bc;
    if (!bc_unpack_body(code->unit->bc, bc) || !load_names(vm, code) || !load_params(vm, code))
        return vm_no_memory(vm);
    if (bc->const_count && !code->consts) {
        code->consts = mem_zalloc(&vm->mem, bc->const_count * sizeof(Value));
        if (!code->consts) return vm_no_memory(vm);
    }
    for (uint32_t i = 0; i < bc->const_count; i++)
        if (code->consts[i].kind == K_UNDEF &&
            load_const(vm, code->unit, &bc->consts[i], &code->consts[i]) != ST_OK)
            return ST_ERROR;
    patch_globals(code->unit->slots, bc);
    code->entry = bc->code;
    code->frame_size = (uint32_t)(sizeof(Frame) + code->reg_count * sizeof(Value));
    return ST_OK;
}

static Status load_code(Vm *vm, Unit *unit, BcCode *bc, Value *out) {
    Code *code = obj_new(vm, K_CODE, sizeof *code);
    if (!code) return vm_no_memory(vm);
    code->unit = unit;
    code->unit->refs++;
    code->bc = bc;
    code->reg_count = (bc->reg_count + 1u) & ~1u;
    code->frame_size = FRAME_UNKNOWN;
    bool named =
        intern_into(vm, &code->name, bc->name) && intern_into(vm, &code->qualname, bc->qualname);
    if (named) count_params(code);
    Status st = named ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK && !bc->packed) st = code_complete(vm, code);
    if (st != ST_OK) {
        release_obj(vm, code);
        return st;
    }
    *out = v_obj(code);
    return ST_OK;
}

static Status map_globals(Vm *vm, const BcUnit *unit, Module *module, uint32_t *slots) {
    for (uint32_t i = 0; i < unit->global_count; i++) {
        size_t slot;
        Str *name = str_intern(vm, unit->globals[i], strlen(unit->globals[i]));
        Status st = name ? module_slot(vm, module, name, &slot) : vm_no_memory(vm);
        release_obj(vm, name);
        if (st != ST_OK) return st;
        slots[i] = (uint32_t)slot;
    }
    return ST_OK;
}

Status code_load(Vm *vm, BcUnit *bc, const char *source, size_t len, Module *module, Value *out) {
    Unit *unit = unit_new(vm, bc, source, len);
    if (!unit) return vm_no_memory(vm);
    unit->slots = mem_alloc(&vm->mem, slots_size(bc));
    Value code = V_UNDEF;
    Status st = unit->slots && (!source || unit->source) ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK) st = map_globals(vm, bc, module, unit->slots);
    if (st == ST_OK) st = load_code(vm, unit, bc->main, &code);
    if (st == ST_OK)
        st = func_new(vm, (Code *)code.obj, module, NULL, V_UNDEF, V_UNDEF, V_UNDEF, out);
    release(vm, code);
    unit_release(vm, unit);
    return st;
}

static void code_visit(Obj *obj, Visitor *visitor) {
    Code *code = (Code *)obj;
    for (uint32_t i = 0; code->consts && i < code->bc->const_count; i++)
        visit_value(visitor, code->consts[i]);
}

// Constants cannot lead back to their code, so no cycle ever has to be broken here.
static void code_drop(Vm *vm, Obj *obj) {
    Code *code = (Code *)obj;
    BcCode *bc = code->bc;
    if (obj->refs > 0 || !bc) return;
    for (uint32_t i = 0; code->consts && i < bc->const_count; i++) release(vm, code->consts[i]);
    mem_free(&vm->mem, code->consts, bc->const_count * sizeof(Value));
    for (uint32_t i = 0; code->local_names && i < bc->local_count; i++)
        release_obj(vm, code->local_names[i]);
    mem_free(&vm->mem, code->local_names, bc->local_count * sizeof(Str *));
    for (uint32_t i = 0; code->free_names && i < bc->capture_count; i++)
        release_obj(vm, code->free_names[i]);
    mem_free(&vm->mem, code->free_names, bc->capture_count * sizeof(Str *));
    mem_free(&vm->mem, code->sig.params, (size_t)code->sig.total * sizeof(Param));
    release_obj(vm, code->name);
    release_obj(vm, code->qualname);
    unit_release(vm, code->unit);
}

static size_t code_size(const Obj *obj) {
    (void)obj;
    return sizeof(Code);
}

static Status code_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    Code *code = (Code *)self.obj;
    buf_printf(out, "<code object %s, file \"%s\", line %u>", code->name->data,
               code->unit->bc->filename, code->bc->line);
    return ST_OK;
}

// --- Attributes of code objects ------------------------------------------------------------------

static BcCode *code_of(Value self) {
    return ((Code *)self.obj)->bc;
}

static Status get_co_name(Vm *vm, Value self, Value *out) {
    if (code_of(self)->flags & BC_MODULE) return str_out(vm, str_text(vm, "<module>"), out);
    *out = retain(v_obj(((Code *)self.obj)->name));
    return ST_OK;
}

static Status get_co_qualname(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(((Code *)self.obj)->qualname));
    return ST_OK;
}

static Status get_co_filename(Vm *vm, Value self, Value *out) {
    return str_out(vm, str_text(vm, ((Code *)self.obj)->unit->bc->filename), out);
}

static Status get_co_firstlineno(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(code_of(self)->line);
    return ST_OK;
}

static Status get_co_argcount(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(code_of(self)->positional);
    return ST_OK;
}

static Status get_co_posonlyargcount(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(code_of(self)->positional_only);
    return ST_OK;
}

static Status get_co_kwonlyargcount(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(code_of(self)->keyword_only);
    return ST_OK;
}

// Computes co_flags, with CPython's bits.
static Status get_co_flags(Vm *vm, Value self, Value *out) {
    const BcCode *bc = code_of(self);
    (void)vm;
    *out = v_int((bc->flags & BC_MODULE ? 0 : 3) | (bc->flags & BC_VARARGS ? 4 : 0) |
                 (bc->flags & BC_VARKW ? 8 : 0) | (bc->capture_count ? 16 : 0) |
                 (bc->flags & BC_GENERATOR ? 32 : 0));
    return ST_OK;
}

static Status names_of_code(Vm *vm, Str **names, uint32_t count, Value *out) {
    Tuple *tuple = tuple_new(vm, count);
    if (!tuple) return vm_no_memory(vm);
    for (uint32_t i = 0; i < count; i++) tuple->items[i] = retain(v_obj(names[i]));
    *out = v_obj(tuple);
    return ST_OK;
}

// Puts a variable into the dict of locals, or takes it out if it has no value.
static Status put_local(Vm *vm, Dict *dict, Str *name, Value v) {
    if (v.kind == K_CELL) v = v_load(&v.cell->value);
    if (v.kind != K_UNDEF) return dict_set_str(vm, dict, name, v);
    dict_del_str(vm, dict, name);
    return ST_OK;
}

// Puts the variables in cells, in order of their names: of `regs` those that hold one, or (NULL) the free variables.
static Status put_cells(Vm *vm, Dict *dict, const Frame *frame, const Value *regs, uint32_t first, uint32_t count) {
    const Code *code = frame->code;
    Str **names = regs ? code->local_names : code->free_names;
    const char *last = "";
    for (uint32_t done = first; done < count; done++) {
        uint32_t next = count;
        for (uint32_t i = first; i < count; i++) {
            const bool later = (!regs || regs[i].kind == K_CELL) && strcmp(names[i]->data, last) > 0;
            if (later && (next == count || strcmp(names[i]->data, names[next]->data) < 0)) next = i;
        }
        if (next == count) break;
        last = names[next]->data;
        if (put_local(vm, dict, names[next], regs ? regs[next] : frame->func->cells[next]->value) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

Status frame_locals(Vm *vm, Frame *frame, Value *out) {
    const BcCode *bc = frame->code->bc;
    const uint32_t params = bc_param_count(bc);
    if (bc->flags & BC_MODULE) return op_getattr(vm, v_obj(frame->func->module), vm_name(vm, NAME_dict), out);
    if (frame->space.kind == K_UNDEF) {
        Dict *made = dict_new(vm);
        if (!made) return vm_no_memory(vm);
        frame->space = v_obj(made);
    }
    Dict *dict = frame->space.dict;
    Status st = ST_OK;
    if (!(bc->flags & BC_CLASS_BODY)) {
        for (uint32_t i = 0; st == ST_OK && i < bc->local_count; i++)
            if (i < params || frame->regs[i].kind != K_CELL)
                st = put_local(vm, dict, frame->code->local_names[i], frame->regs[i]);
        if (st == ST_OK) st = put_cells(vm, dict, frame, frame->regs, params, bc->local_count);
        if (st == ST_OK) st = put_cells(vm, dict, frame, NULL, 0, bc->capture_count);
    }
    if (st == ST_OK) *out = retain(frame->space);
    return st;
}

static Status get_co_varnames(Vm *vm, Value self, Value *out) {
    Code *code = (Code *)self.obj;
    if (code_whole(vm, code) != ST_OK) return ST_ERROR;
    return names_of_code(vm, code->local_names, code->bc->local_count, out);
}

static Status get_co_freevars(Vm *vm, Value self, Value *out) {
    Code *code = (Code *)self.obj;
    if (code_whole(vm, code) != ST_OK) return ST_ERROR;
    return names_of_code(vm, code->free_names, code->bc->capture_count, out);
}

static const AttrDef code_attrs[] = {
    {"co_name", get_co_name, NULL},
    {"co_qualname", get_co_qualname, NULL},
    {"co_filename", get_co_filename, NULL},
    {"co_firstlineno", get_co_firstlineno, NULL},
    {"co_argcount", get_co_argcount, NULL},
    {"co_posonlyargcount", get_co_posonlyargcount, NULL},
    {"co_kwonlyargcount", get_co_kwonlyargcount, NULL},
    {"co_flags", get_co_flags, NULL},
    {"co_varnames", get_co_varnames, NULL},
    {"co_freevars", get_co_freevars, NULL},
    {0},
};

const TypeSlots kind_CODE = {
    .visit = code_visit,
    .drop = code_drop,
    .size = code_size,
    .repr = code_repr,
    .attrs = code_attrs,
};

// --- Functions ---------------------------------------------------------------------------------

// Makes func->sig: the code's signature with this function's name and defaults (borrowed from the function).
static Status own_signature(Vm *vm, Func *func) {
    const Signature *shared = &func->code->sig;
    size_t params_size = (size_t)shared->total * sizeof(Param);
    Signature *sig = mem_alloc(&vm->mem, sizeof *sig + params_size);
    if (!sig) return vm_no_memory(vm);
    *sig = *shared;
    sig->name = func->qualname->data;
    sig->params = (Param *)(sig + 1);
    memcpy(sig->params, shared->params, params_size);
    if (func->defaults.kind == K_TUPLE) {
        Tuple *defaults = func->defaults.tuple;
        int first = sig->positional - (int)defaults->len;
        for (size_t i = 0; i < defaults->len; i++) {
            sig->params[first + (int)i].fallback = defaults->items[i];
            sig->params[first + (int)i].optional = true;
        }
        sig->required = first;
    }
    for (int i = 0; func->kwdefaults.kind == K_DICT && i < sig->keyword_only; i++) {
        Param *param = &sig->params[sig->positional + i];
        param->fallback = dict_get_str(func->kwdefaults.dict, param->name);
        param->optional = param->fallback.kind != K_UNDEF;
    }
    func->sig = sig;
    return ST_OK;
}

const Signature *func_sig(Vm *vm, Func *func) {
    if (func->sig) return func->sig;
    if (code_whole(vm, func->code) != ST_OK) return NULL;
    bool own = func->defaults.kind != K_UNDEF || func->kwdefaults.kind != K_UNDEF ||
               func->qualname != func->code->qualname;
    if (!own) return &func->code->sig;
    return own_signature(vm, func) == ST_OK ? func->sig : NULL;
}

Status func_new(Vm *vm, Code *code, Module *module, Cell **cells, Value defaults, Value kwdefaults,
                Value annotations, Value *out) {
    Func *func = obj_new(vm, K_FUNC, sizeof *func);
    if (!func) {
        for (uint32_t i = 0; cells && i < code->bc->capture_count; i++) release_obj(vm, cells[i]);
        mem_free(&vm->mem, cells, code->bc->capture_count * sizeof(Cell *));
        release(vm, defaults);
        release(vm, kwdefaults);
        release(vm, annotations);
        return vm_no_memory(vm);
    }
    code->gc.obj.refs++;
    module->gc.obj.refs++;
    code->name->obj.refs++;
    code->qualname->obj.refs++;
    func->code = code;
    func->simple_args = code->simple_args;
    func->module = module;
    func->cells = cells;
    func->name = code->name;
    func->qualname = code->qualname;
    func->defaults = defaults.kind == K_TUPLE ? defaults : V_UNDEF;
    func->kwdefaults = kwdefaults.kind == K_DICT ? kwdefaults : V_UNDEF;
    func->annotations = annotations.kind == K_DICT ? annotations : V_UNDEF;
    *out = v_obj(func);
    return ST_OK;
}

static void func_visit(Obj *obj, Visitor *visitor) {
    Func *func = (Func *)obj;
    visit_obj(visitor, func->code);
    visit_obj(visitor, func->module);
    for (uint32_t i = 0; func->cells && i < func->code->bc->capture_count; i++)
        visit_obj(visitor, func->cells[i]);
    visit_obj(visitor, func->name);
    visit_obj(visitor, func->qualname);
    visit_value(visitor, func->defaults);
    visit_value(visitor, func->kwdefaults);
    visit_value(visitor, func->annotations);
    visit_value(visitor, func->doc);
    visit_value(visitor, func->owner_module);
    visit_obj(visitor, func->attrs);
}

static void drop_signature(Vm *vm, Func *func) {
    if (func->sig)
        mem_free(&vm->mem, func->sig, sizeof *func->sig + (size_t)func->sig->total * sizeof(Param));
    func->sig = NULL;
}

static void func_drop(Vm *vm, Obj *obj) {
    Func *func = (Func *)obj;
    uint32_t count = func->code ? func->code->bc->capture_count : 0;
    Cell **cells = func->cells;
    func->cells = NULL;
    for (uint32_t i = 0; cells && i < count; i++) release_obj(vm, cells[i]);
    mem_free(&vm->mem, cells, count * sizeof(Cell *));
    drop_signature(vm, func);
    clear(vm, &func->defaults);
    clear(vm, &func->kwdefaults);
    clear(vm, &func->annotations);
    clear(vm, &func->doc);
    clear(vm, &func->owner_module);
    Dict *attrs = func->attrs;
    func->attrs = NULL;
    release_obj(vm, attrs);
    if (obj->refs > 0) return;
    release_obj(vm, func->name);
    release_obj(vm, func->qualname);
    release_obj(vm, func->module);
    release_obj(vm, func->code);
}

static size_t func_size(const Obj *obj) {
    (void)obj;
    return sizeof(Func);
}

static Status func_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    buf_printf(out, "<function %s at ", self.func->qualname->data);
    Status st = identity_text(vm, self.func, out);
    buf_putc(out, '>');
    return st;
}

// --- Function attributes -----------------------------------------------------------------------

static Status get_name(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(self.func->name));
    return ST_OK;
}

static Status get_qualname(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(self.func->qualname));
    return ST_OK;
}

static Status set_text(Vm *vm, Str **field, const char *what, Value value) {
    if (value.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "%s must be set to a string object", what);
    release_obj(vm, *field);
    *field = retain(value).str;
    return ST_OK;
}

static Status set_name(Vm *vm, Value self, Value value) {
    return set_text(vm, &self.func->name, "__name__", value);
}

static Status set_qualname(Vm *vm, Value self, Value value) {
    if (value.kind == K_STR) drop_signature(vm, self.func); // it has the old name
    return set_text(vm, &self.func->qualname, "__qualname__", value);
}

static Value or_none(Value v) {
    return v.kind == K_UNDEF ? V_NONE : retain(v);
}

Status func_doc(Vm *vm, const Func *func, Value *out) {
    bool own = func->doc.kind != K_UNDEF, coded = func->code->bc->flags & BC_HAS_DOC;
    if (!own && coded && code_whole(vm, func->code) != ST_OK) return ST_ERROR;
    *out = own || !coded ? or_none(func->doc) : retain(func->code->consts[0]);
    return ST_OK;
}

static Status get_doc(Vm *vm, Value self, Value *out) {
    return func_doc(vm, self.func, out);
}

static Status set_doc(Vm *vm, Value self, Value value) {
    replace(vm, &self.func->doc, retain(value));
    return ST_OK;
}

static Status get_module(Vm *vm, Value self, Value *out) {
    *out = self.func->owner_module.kind != K_UNDEF
               ? retain(self.func->owner_module)
               : retain(module_get(self.func->module, vm_name(vm, NAME_name)));
    return ST_OK;
}

static Status set_module(Vm *vm, Value self, Value value) {
    replace(vm, &self.func->owner_module, retain(value));
    return ST_OK;
}

static Status get_defaults(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = or_none(self.func->defaults);
    return ST_OK;
}

static Status get_kwdefaults(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = or_none(self.func->kwdefaults);
    return ST_OK;
}

static Status dict_field(Vm *vm, Value *field, Value *out) {
    if (field->kind == K_UNDEF) {
        Dict *dict = dict_new(vm);
        if (!dict) return vm_no_memory(vm);
        *field = v_obj(dict);
    }
    *out = retain(*field);
    return ST_OK;
}

static Status get_annotations(Vm *vm, Value self, Value *out) {
    return dict_field(vm, &self.func->annotations, out);
}

static Status set_annotations(Vm *vm, Value self, Value value) {
    if (value.kind != K_DICT)
        return vm_raise(vm, EXC_TypeError, "__annotations__ must be set to a dict object");
    replace(vm, &self.func->annotations, retain(value));
    return ST_OK;
}

static Status get_dict(Vm *vm, Value self, Value *out) {
    if (!self.func->attrs) self.func->attrs = dict_new(vm);
    if (!self.func->attrs) return vm_no_memory(vm);
    *out = retain(v_obj(self.func->attrs));
    return ST_OK;
}

static Status get_code(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(self.func->code));
    return ST_OK;
}

static const AttrDef func_attrs[] = {
    {"__name__", get_name, set_name},
    {"__qualname__", get_qualname, set_qualname},
    {"__doc__", get_doc, set_doc},
    {"__module__", get_module, set_module},
    {"__defaults__", get_defaults, func_set_defaults},
    {"__kwdefaults__", get_kwdefaults, func_set_kwdefaults},
    {"__closure__", func_closure, NULL},
    {"__globals__", func_globals, NULL},
    {"__annotations__", get_annotations, set_annotations},
    {"__dict__", get_dict, NULL},
    {"__code__", get_code, NULL},
    {0},
};

static Status func_getattr(Vm *vm, Value self, Str *name, Value *out) {
    (void)vm;
    Value v = self.func->attrs ? dict_get_str(self.func->attrs, name) : V_UNDEF;
    if (v.kind == K_UNDEF) return ST_STOP;
    *out = retain(v);
    return ST_OK;
}

static Status func_setattr(Vm *vm, Value self, Str *name, Value value) {
    Func *func = self.func;
    if (value.kind == K_UNDEF)
        return func->attrs && dict_del_str(vm, func->attrs, name) ? ST_OK : ST_STOP;
    if (!func->attrs) func->attrs = dict_new(vm);
    if (!func->attrs) return vm_no_memory(vm);
    return dict_set_str(vm, func->attrs, name, value);
}

const TypeSlots kind_FUNC = {
    .visit = func_visit,
    .drop = func_drop,
    .size = func_size,
    .repr = func_repr,
    .getattr = func_getattr,
    .setattr = func_setattr,
    .attrs = func_attrs,
    .methods = func_methods,
};
