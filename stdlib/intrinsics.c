// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _nacre: functions of the engine that the prelude and the standard library need and that
// cannot be written in the language.

#include "stdlib/names.h"
#include "stdlib/stdlib.h"
#include "vm/interp/call_state.h"
#include "vm/array/array.h"
#include "vm/interp/host.h"
#include "vm/interp/interp.h"
#include "vm/sched/engine.h"
#include "vm/value/asking.h"
#include "vm/value/dict.h"
#include "vm/value/dict_intrinsics.h"
#include "vm/value/effects.h"
#include "vm/value/grid.h"
#include "vm/value/identity.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/seq_natives.h"
#include "vm/value/shape.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"
#include "vm/value/warnings.h"

// --- Classes ---------------------------------------------------------------------------------------

static Status need_class(Vm *vm, Value v) {
    if (v.kind == K_CLASS) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "a class is needed, not '%s'", type_name(vm, v));
}

static Status need_name(Vm *vm, Value v, Str **name) {
    if (v.kind != K_STR) return vm_raise(vm, EXC_TypeError, "a name must be a str");
    *name = str_intern_str(vm, v.str);
    return vm_check(vm, *name);
}

// user_method(cls, name): returns the method that the class or a base has by a class statement, unbound; None
// if there is none, or the one found first is native.
static Status fn_user_method(Vm *vm, const Value *args, Value *out) {
    Str *name;
    if (need_class(vm, args[0]) != ST_OK || need_name(vm, args[1], &name) != ST_OK) return ST_ERROR;
    Value found = class_user_method(args[0].cls, name);
    *out = found.kind == K_UNDEF ? V_NONE : retain(found);
    release_obj(vm, name);
    return ST_OK;
}

// class_attribute(cls, name): looks the name up along the method resolution order. Returns the attribute,
// unbound, or NotImplemented if no class has it.
static Status fn_class_attribute(Vm *vm, const Value *args, Value *out) {
    Str *name;
    if (need_class(vm, args[0]) != ST_OK || need_name(vm, args[1], &name) != ST_OK) return ST_ERROR;
    Value found = class_lookup(args[0].cls, name);
    *out = found.kind == K_UNDEF ? V_NOTIMPLEMENTED : retain(found);
    release_obj(vm, name);
    return ST_OK;
}

// warn(category, text, level): issues a warning at the program's current line, or `level` calls further out.
static Status fn_warn(Vm *vm, const Value *args, Value *out) {
    if (need_class(vm, args[0]) != ST_OK) return ST_ERROR;
    if (!class_is_subclass(args[0].cls, vm->exceptions[EXC_Warning]) || args[1].kind != K_STR ||
        args[2].kind != K_INT || args[2].i < 0 || args[2].i > INT32_MAX)
        return vm_raise(vm, EXC_TypeError, "a category of warnings, a text and a level are needed");
    *out = V_NONE;
    return vm_warn_class(vm, args[0].cls, args[1].str->data, (int)args[2].i);
}

// warning_rules(rules): sets the warning filters. Pending array nodes run first, under the old ones.
static Status fn_warning_rules(Vm *vm, const Value *args, Value *out) {
    Status st = engine_observe_all(vm);
    *out = V_NONE;
    return st == ST_OK ? warnings_rules(vm, args[0]) : st;
}

// warnings_to(list): makes the engine append warnings to the list as (category, text, file, line), or with None
// pass them to the host. Returns the previous list or None.
static Status fn_warnings_to(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_LIST && args[0].kind != K_NONE)
        return vm_raise(vm, EXC_TypeError, "a list or None is required");
    Status st = engine_observe_all(vm);
    if (st != ST_OK) return st;
    *out = vm->warnings_heard ? v_obj(vm->warnings_heard) : V_NONE;
    vm->warnings_heard = args[0].kind == K_LIST ? retain(args[0]).list : NULL;
    return ST_OK;
}

// settle(): runs all pending array nodes, so that their warnings are issued.
static Status fn_settle(Vm *vm, const Value *args, Value *out) {
    (void)args;
    *out = V_NONE;
    return engine_observe_all(vm);
}

static Status fn_is_class(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(args[0].kind == K_CLASS);
    return ST_OK;
}

static Status fn_is_module(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(args[0].kind == K_MODULE);
    return ST_OK;
}

// Returns the built-in class whose value instances of cls hold; object if they hold none.
static Class *payload_class(Vm *vm, Class *cls) {
    if (cls->payload_kind != K_STEPPER) return vm->classes[cls->payload_kind];
    while (cls->flags & CLASS_USER) cls = cls->base;
    return cls;
}

// payload_class(cls): returns the built-in class that cls derives from, whose value its instances hold;
// object if they hold none.
static Status fn_payload_class(Vm *vm, const Value *args, Value *out) {
    if (need_class(vm, args[0]) != ST_OK) return ST_ERROR;
    *out = retain(v_obj(payload_class(vm, args[0].cls)));
    return ST_OK;
}

static Status fn_payload(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = retain(unwrap(args[0]));
    return ST_OK;
}

static Status fn_new_payload(Vm *vm, const Value *args, Value *out) {
    Value made;
    if (need_class(vm, args[0]) != ST_OK) return ST_ERROR;
    Class *cls = args[0].cls;
    Value inner = unwrap(args[1]);
    bool fits = cls->payload_kind != K_INSTANCE &&
                class_of(vm, inner) == payload_class(vm, cls);
    if (!fits)
        return vm_raise(vm, EXC_TypeError, "an instance of '%s' cannot hold a '%s'",
                        cls->name->data, type_name(vm, inner));
    if (instance_new(vm, cls, &made) != ST_OK) return ST_ERROR;
    ((PayloadInstance *)made.inst)->payload = retain(inner);
    *out = made;
    return ST_OK;
}

// metaclass(meta, bases): returns the metaclass of a class with these bases whose statement names `meta`.
static Status fn_metaclass(Vm *vm, const Value *args, Value *out) {
    Class *meta;
    if (need_class(vm, args[0]) != ST_OK) return ST_ERROR;
    if (args[1].kind != K_TUPLE) return vm_raise(vm, EXC_TypeError, "bases must be a tuple");
    if (class_meta(vm, args[1].tuple, args[0].cls, &meta) != ST_OK) return ST_ERROR;
    *out = retain(v_obj(meta ? meta : vm->classes[K_CLASS]));
    return ST_OK;
}

// bare_class(name, bases, namespace, meta): makes a class, but does not call the hooks that a class statement
// calls then (class_hooks in the prelude).
static Status fn_bare_class(Vm *vm, const Value *args, Value *out) {
    Str *name;
    Value made;
    if (args[1].kind != K_TUPLE || args[2].kind != K_DICT || args[3].kind != K_CLASS)
        return vm_raise(vm, EXC_TypeError, "bases must be a tuple and a namespace a dict");
    if (need_name(vm, args[0], &name) != ST_OK) return ST_ERROR;
    Class *meta = args[3].cls == vm->classes[K_CLASS] ? NULL : args[3].cls;
    Status st = class_of_bases(vm, name, args[1].tuple, meta, args[2].dict, &made);
    release_obj(vm, name);
    if (st != ST_OK) return st;
    Value cell = dict_get_str(args[2].dict, vm_name(vm, NAME_classcell));
    if (cell.kind == K_CELL) replace(vm, &cell.cell->value, retain(made));
    *out = made;
    return ST_OK;
}

// caller_name(skip): returns the name of the module whose function called into the library, or of one
// `skip` calls further out.
static Status fn_caller_name(Vm *vm, const Value *args, Value *out) {
    int64_t skip = args[0].kind == K_INT ? args[0].i : 0;
    const Frame *frame = vm->interp->frame;
    while (frame && (frame->code->unit->plumbing || skip-- > 0)) frame = frame->prev;
    const Module *module = frame ? frame->func->module : vm->interp->prelude;
    *out = retain(v_obj(module->name));
    return ST_OK;
}

// new_class(name, base, namespace): makes a class and calls the hooks. Its slow path does all of it.
static Status fn_new_class(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

// attempt(native, slots, answers, asked): calls a native with the answers so far (asking.h). If the native asks
// another question, appends it to the list `asked` as (number, object, key) and returns None; the caller stores the
// answer as answers[key] and tries again. If the native needs its slow path, appends the name of that instead.
static Status fn_attempt(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_NATIVE || args[1].kind != K_TUPLE || args[2].kind != K_DICT ||
        args[3].kind != K_LIST)
        return vm_raise(vm, EXC_TypeError,
                        "a native function, its slots, answers and a list are needed");
    Value items[3], question;
    int about;
    Status st = attempt_native(vm, args[0].native, args[1].tuple->items,
                               (uint32_t)args[1].tuple->len, args[2].dict, &items[1], &about, out);
    if (st != ST_DEFER) return st;
    if (about == ASK_NONE) {
        st = str_out(vm, str_text(vm, args[0].native->def->slow), &question);
        if (st == ST_OK) st = list_append(vm, args[3].list, question);
        if (st == ST_OK) *out = V_NONE;
        return st;
    }
    items[0] = v_int(about);
    items[2] = ask_key((Question)about, items[1]);
    st = tuple_of(vm, items, 3, &question);
    release(vm, items[1]);
    if (st == ST_OK) st = list_append(vm, args[3].list, question);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status fn_is_array(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(args[0].kind == K_ARRAY || is_numpy_scalar(args[0]));
    return ST_OK;
}

// The operators of arrays as natives, so that a call can be repeated until all questions about its operands, keys and
// values are answered (asking.h).
static Status fn_array_binary(Vm *vm, const Value *args, Value *out) {
    Status st = array_binary(vm, (BinaryOp)args[0].i, args[3].i, args[1], args[2], out);
    if (st == ST_NOTIMPL) *out = V_NOTIMPLEMENTED;
    return st == ST_NOTIMPL ? ST_OK : st;
}

static Status fn_array_compare(Vm *vm, const Value *args, Value *out) {
    Status st = array_compare(vm, (CompareOp)args[0].i, args[1], args[2], out);
    if (st == ST_NOTIMPL) *out = V_NOTIMPLEMENTED;
    return st == ST_NOTIMPL ? ST_OK : st;
}

static Status fn_array_getitem(Vm *vm, const Value *args, Value *out) {
    return array_getitem(vm, args[0], args[1], out);
}

static Status fn_array_setitem(Vm *vm, const Value *args, Value *out) {
    *out = V_NONE;
    return array_setitem(vm, args[0], args[1], args[2]);
}

// asked_key(number, object): returns the key under which the answer to a question is stored.
static Status fn_asked_key(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = ask_key((Question)args[0].i, args[1]);
    return ST_OK;
}

// --- Iterators -----------------------------------------------------------------------------------

// grid(ranges): returns an iterator over the Cartesian product of a tuple of ranges.
static Status fn_grid(Vm *vm, const Value *args, Value *out) {
    enum { RANGES = 32 };
    const Range *ranges[RANGES];
    if (args[0].kind != K_TUPLE || args[0].tuple->len == 0 || args[0].tuple->len > RANGES)
        return vm_raise(vm, EXC_TypeError, "a map has 1 to %d ranges", RANGES);
    for (size_t i = 0; i < args[0].tuple->len; i++) {
        Value range = args[0].tuple->items[i];
        if (range.kind != K_RANGE || range_is_big(range.range))
            return vm_raise(vm, EXC_OverflowError, "too many points");
        ranges[i] = range.range;
    }
    return grid_new(vm, ranges, args[0].tuple->len, out);
}

// --- Functions -------------------------------------------------------------------------------------

static Status names_tuple(Vm *vm, const Signature *sig, int from, int count, Value *out) {
    Tuple *tuple = tuple_new(vm, (size_t)count);
    if (!tuple) return vm_no_memory(vm);
    for (int i = 0; i < count; i++)
        tuple->items[i] = retain(v_obj(sig->params[from + i].name));
    *out = v_obj(tuple);
    return ST_OK;
}

// func_info(f): returns (name, positional-only names, positional names, varargs name or None,
// keyword-only names, varkw name or None, defaults tuple, keyword defaults dict).
static Status fn_func_info(Vm *vm, const Value *args, Value *out) {
    Value f = args[0].kind == K_BOUND ? args[0].bound->func : args[0];
    if (f.kind != K_FUNC)
        return vm_raise(vm, EXC_TypeError, "'%s' object is not a function", type_name(vm, f));
    const Signature *sig = func_sig(vm, f.func);
    if (!sig) return ST_ERROR;
    Value items[8] = {retain(v_obj(f.func->name))};
    int only = sig->positional_only, after = sig->positional + sig->keyword_only;
    Status st = names_tuple(vm, sig, 0, only, &items[1]);
    if (st == ST_OK) st = names_tuple(vm, sig, only, sig->positional - only, &items[2]);
    if (st == ST_OK) st = names_tuple(vm, sig, sig->positional, sig->keyword_only, &items[4]);
    items[3] = sig->has_varargs ? retain(v_obj(sig->params[after].name)) : V_NONE;
    items[5] = sig->has_varkw ? retain(v_obj(sig->params[after + sig->has_varargs].name)) : V_NONE;
    items[6] = f.func->defaults.kind == K_TUPLE ? retain(f.func->defaults)
                                                : retain(v_obj(vm->empty_tuple));
    Dict *none = f.func->kwdefaults.kind == K_DICT ? NULL : dict_new(vm);
    items[7] = none ? v_obj(none)
                    : f.func->kwdefaults.kind == K_DICT ? retain(f.func->kwdefaults) : V_UNDEF;
    if (st == ST_OK && items[7].kind == K_UNDEF) st = vm_no_memory(vm);
    if (st == ST_OK) st = tuple_of(vm, items, 8, out);
    for (int i = 0; i < 8; i++) release(vm, items[i]);
    return st;
}

// --- Text ------------------------------------------------------------------------------------------

Status str_ascii(Vm *vm, const Str *text, Value *out) {
    const char *at = text->data, *end = at + text->len;
    Buf buf;
    buf_init(&buf, &vm->mem);
    while (at < end) {
        int width;
        uint32_t c = str_decode(at, end, &width);
        if (c < 0x80) buf_putc(&buf, (char)c);
        else if (c < 0x100) buf_printf(&buf, "\\x%02x", c);
        else if (c < 0x10000) buf_printf(&buf, "\\u%04x", c);
        else buf_printf(&buf, "\\U%08x", c);
        at += width;
    }
    return str_buf_out(vm, &buf, out);
}

static Status fn_ascii(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a str is needed");
    return str_ascii(vm, args[0].str, out);
}

// plain_repr(obj): returns the repr of an object whose class does not define one.
static Status fn_plain_repr(Vm *vm, const Value *args, Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    const TypeSlots *slots = kind_slots[args[0].kind];
    Status st = ST_OK;
    if (slots->repr) {
        st = slots->repr(vm, args[0], &buf, 0);
    } else {
        buf_printf(&buf, "<%s object at ", type_name(vm, args[0]));
        st = identity_text(vm, args[0].obj, &buf);
        buf_putc(&buf, '>');
    }
    if (st == ST_OK) return str_buf_out(vm, &buf, out);
    buf_free(&buf);
    return st;
}

// repr_enter(obj): marks an object as being printed. Returns False if it is already: it contains itself.
static Status fn_repr_enter(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    bool fresh = !is_heap(args[0]) || !(args[0].obj->flags & OBJ_IN_REPR);
    if (is_heap(args[0])) args[0].obj->flags |= OBJ_IN_REPR;
    *out = v_bool(fresh);
    return ST_OK;
}

static Status fn_repr_leave(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    if (is_heap(args[0])) args[0].obj->flags &= (uint8_t)~OBJ_IN_REPR;
    *out = V_NONE;
    return ST_OK;
}

// Makes `_` the value that the prompt showed last. It is a built-in name, so that a variable `_` hides it.
static Status remember_shown(Vm *vm, Value v) {
    Str *name = str_intern(vm, "_", 1);
    if (!name) return vm_no_memory(vm);
    Status st = dict_set_str(vm, vm->builtins, name, v);
    Module *main = vm->interp->main;
    Value slot = dict_get_str(main->slots_of, name);
    if (st == ST_OK && slot.kind == K_INT) replace(vm, &main->builtin[slot.i], retain(v));
    release_obj(vm, name);
    return st;
}

static Status display_text(Vm *vm, const Value *args, Value *out) {
    Buf shown;
    buf_init(&shown, &vm->mem);
    os_show(args[0].str->data, args[0].str->len, &shown);
    Status st = shown.failed ? vm_no_memory(vm) : ST_OK;
    if (st == ST_OK && vm->host.display)
        vm->host.display(vm->host.ctx, shown.data ? shown.data : "", shown.len);
    buf_free(&shown);
    if (st == ST_OK) *out = V_NONE;
    return st;
}
static const NativeDef display_row = {"display", "text, /", display_text, NULL, FILESYSTEM};

// display(text, value): shows the value's text at the prompt, and remembers the value as `_`.
static Status fn_display(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a str is needed");
    Status st = native_run(vm, &display_row, args, out);
    return st == ST_OK ? remember_shown(vm, args[1]) : st;
}

static Status fn_remember(Vm *vm, const Value *args, Value *out) {
    *out = V_NONE;
    return remember_shown(vm, args[0]);
}

// publishes(): returns whether the host can show values in other forms than text.
static Status fn_publishes(Vm *vm, const Value *args, Value *out) {
    (void)args;
    *out = v_bool(vm->host.publish);
    return ST_OK;
}

static Status fn_is_plain(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(args[0].kind != K_INSTANCE || unwrap(args[0]).kind != K_INSTANCE);
    return ST_OK;
}

// load_text(text, name, filename): compiles a text as the body of a new module. Returns (function that runs it,
// module). For generated methods, as those of dataclasses; scripts have no access to it.
static Status fn_load_text(Vm *vm, const Value *args, Value *out) {
    Value pair[2] = {V_UNDEF, V_UNDEF};
    for (int i = 0; i < 3; i++)
        if (args[i].kind != K_STR) return vm_raise(vm, EXC_TypeError, "texts are needed");
    const Str *text = args[0].str;
    Status st = module_new(vm, args[1].str->data, &pair[1]);
    if (st == ST_OK)
        st = compile_text(vm, text->data, text->len, args[2].str->data, COMPILE_FILE, pair[1].module,
                          &pair[0]);
    if (st == ST_OK) return tuple_steal(vm, pair, 2, out);
    release(vm, pair[1]);
    return st;
}

// code_in(text, filename, mode, module): compiles a text, with the modes of nacre_run. Returns a function that runs it
// with the module's names, and in mode NACRE_EXPRESSION returns the value. For doctest and the magic commands of
// notebooks; scripts have no access to it.
static Status fn_code_in(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR || args[1].kind != K_STR || args[2].kind != K_INT || args[2].i < COMPILE_FILE ||
        args[2].i > COMPILE_CELL || args[3].kind != K_MODULE)
        return vm_raise(vm, EXC_TypeError, "a text, a name of a file, a mode and a module are needed");
    return compile_text(vm, args[0].str->data, args[0].str->len, args[1].str->data, (int)args[2].i, args[3].module, out);
}

// item_property(index, doc, setter): makes a property that reads an item of an instance's payload, a tuple.
static Status fn_item_property(Vm *vm, const Value *args, Value *out) {
    Status st = descr_new(vm, DESCR_PROPERTY, args[0], args[2], args[2], out);
    if (st == ST_OK) replace(vm, &out->descr->doc, retain(args[1]));
    return st;
}

// ready(iterator): wraps an iterator in a cell, by which a slow path makes a constructor take it as it is.
static Status fn_ready(Vm *vm, const Value *args, Value *out) {
    return stepper_ready(vm, args[0], out);
}

// getitem_iterator(obj): returns an iterator over obj[0], obj[1] …
static Status fn_getitem_iterator(Vm *vm, const Value *args, Value *out) {
    return stepper_getitem(vm, args[0], out);
}

// is_plain_iterable(obj): returns whether natives can iterate over it without methods of the program.
static Status fn_is_plain_iterable(Vm *vm, const Value *args, Value *out) {
    Value list;
    Status st = op_to_list(vm, args[0], &list);
    if (st == ST_OK) release(vm, list);
    if (st == ST_ERROR) return st;
    *out = v_bool(st == ST_OK);
    return ST_OK;
}

// hash_items(hashes, cls): returns the hash of a tuple or frozenset whose items have these hashes.
static Status fn_hash_items(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_LIST) return vm_raise(vm, EXC_TypeError, "a list is needed");
    // A hash, as an int, hashes to itself, so a tuple of the hashes has the same hash as one of the items.
    Value items;
    Status st = args[1].kind == K_CLASS && args[1].cls->payload_kind == K_FROZENSET
                    ? ST_STOP : list_to_tuple(vm, args[0].list, &items);
    if (st == ST_STOP) {
        Set *set = set_new(vm, true);
        st = set ? set_update(vm, set, args[0]) : vm_no_memory(vm);
        items = set ? v_obj(set) : V_UNDEF;
    }
    int64_t hash = 0;
    if (st == ST_OK) st = op_hash(vm, items, &hash);
    if (st == ST_OK) *out = v_int(hash);
    release(vm, items);
    return st;
}

// --- Names and modules -----------------------------------------------------------------------------

static Status add_names(Vm *vm, List *list, const Dict *dict) {
    uint32_t pos = 0;
    Value key, value;
    while (dict_next(dict, &pos, &key, &value))
        if (key.kind == K_STR && list_append(vm, list, retain(key)) != ST_OK) return ST_ERROR;
    return ST_OK;
}

static Status add_module_names(Vm *vm, List *list, const Module *module) {
    uint32_t pos = 0;
    Value key, slot;
    while (dict_next(module->slots_of, &pos, &key, &slot))
        if (module->slots[slot.i].kind != K_UNDEF &&
            list_append(vm, list, retain(key)) != ST_OK)
            return ST_ERROR;
    return ST_OK;
}

static Status add_attr_rows(Vm *vm, List *list, const AttrDef *attrs) {
    for (; attrs && attrs->name; attrs++) {
        Str *name = str_text(vm, attrs->name);
        if (!name) return vm_no_memory(vm);
        if (list_append(vm, list, v_obj(name)) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

static Status add_class_names(Vm *vm, List *list, const Class *cls) {
    Status st = ST_OK;
    for (uint32_t i = 0; st == ST_OK && i < cls->mro_count; i++)
        st = add_names(vm, list, cls->mro[i]->dict);
    return st;
}

static Status add_instance_names(Vm *vm, List *list, Instance *inst) {
    if (inst->dict) return add_names(vm, list, inst->dict);
    for (const Shape *shape = inst->shape; shape->parent; shape = shape->parent)
        if (list_append(vm, list, retain(v_obj(shape->name))) != ST_OK) return ST_ERROR;
    return ST_OK;
}

// Sorts a list of names and removes duplicates.
static Status unique(Vm *vm, List *list, Value *out) {
    Status st = seq_sort(vm, list->items, NULL, list->len, false);
    List *kept = st == ST_OK ? list_new(vm, list->len) : NULL;
    if (!kept) return st == ST_OK ? vm_no_memory(vm) : st;
    for (size_t i = 0; st == ST_OK && i < list->len; i++)
        if (i == 0 || !str_equal(list->items[i].str, list->items[i - 1].str))
            st = list_append(vm, kept, retain(list->items[i]));
    if (st == ST_OK) *out = v_obj(kept);
    else release_obj(vm, kept);
    return st;
}

// Returns the sorted list of names of dir(v).
Status names_of(Vm *vm, Value v, Value *out) {
    List *list = list_new(vm, 64);
    Status st = vm_check(vm, list);
    if (st == ST_OK && v.kind == K_MODULE) st = add_module_names(vm, list, v.module);
    else if (st == ST_OK && v.kind == K_CLASS) st = add_class_names(vm, list, v.cls);
    else if (st == ST_OK) {
        st = add_class_names(vm, list, class_of(vm, v));
        if (st == ST_OK) st = add_attr_rows(vm, list, kind_slots[unwrap(v).kind]->attrs);
        if (st == ST_OK && v.kind == K_INSTANCE) st = add_instance_names(vm, list, v.inst);
    }
    if (st == ST_OK) st = unique(vm, list, out);
    release_obj(vm, list);
    return st;
}

static Status fn_dir(Vm *vm, const Value *args, Value *out) {
    return names_of(vm, args[0], out);
}

// module_has(module, name): returns whether the module defines the name; does not call its __getattr__.
static Status fn_module_has(Vm *vm, const Value *args, Value *out) {
    Str *name;
    if (args[0].kind != K_MODULE) return vm_raise(vm, EXC_TypeError, "a module is wanted");
    if (need_name(vm, args[1], &name) != ST_OK) return ST_ERROR;
    *out = v_bool(module_get(args[0].module, name).kind != K_UNDEF);
    release_obj(vm, name);
    return ST_OK;
}

static Status fn_is_built_in(Vm *vm, const Value *args, Value *out) {
    Str *name;
    if (need_name(vm, args[0], &name) != ST_OK) return ST_ERROR;
    *out = v_bool(host_has_module(name->data));
    release_obj(vm, name);
    return ST_OK;
}

static Status fn_import_from_plain(Vm *vm, const Value *args, Value *out) {
    Str *name;
    if (need_name(vm, args[1], &name) != ST_OK) return ST_ERROR;
    Status st = import_from_plain(vm, args[0], name, out);
    release_obj(vm, name);
    return st;
}

static Status fn_import_one(Vm *vm, const Value *args, Value *out) {
    Str *name;
    if (need_name(vm, args[0], &name) != ST_OK) return ST_ERROR;
    // If a frame for the module's body was pushed, its result goes to the register of the calling instruction.
    Status st = import_one(vm, name, vm->interp->frame->pc->a, out);
    release_obj(vm, name);
    return st;
}

const NativeDef intrinsic_functions[] = {
    {"user_method", "cls, name, /", fn_user_method, NULL, PURE},
    {"sorter", "keys, compare, reverse, /", stepper_sorter, NULL, PURE},
    {"gather", "items, iterator, /", stepper_gather, NULL, PURE},
    {"add_up", "total, iterator, /", stepper_add_up, NULL, PURE},
    {"attempt", "native, slots, answers, asked, /", fn_attempt, NULL, PURE},
    {"is_array", "obj, /", fn_is_array, NULL, PURE},
    {"array_binary", "number, a, b, in_place, /", fn_array_binary, NULL, PURE},
    {"array_compare", "number, a, b, /", fn_array_compare, NULL, PURE},
    {"array_getitem", "a, key, /", fn_array_getitem, NULL, PURE},
    {"array_setitem", "a, key, value, /", fn_array_setitem, NULL, PURE},
    {"asked_key", "number, obj, /", fn_asked_key, NULL, PURE},
    {"class_attribute", "cls, name, /", fn_class_attribute, NULL, PURE},
    {"metaclass", "meta, bases, /", fn_metaclass, NULL, PURE},
    {"is_class", "obj, /", fn_is_class, NULL, PURE},
    {"warn", "category, text, level=0, /", fn_warn, NULL, PURE},
    {"warning_rules", "rules, /", fn_warning_rules, NULL, PURE},
    {"warnings_to", "items, /", fn_warnings_to, NULL, PURE},
    {"settle", "", fn_settle, NULL, PURE},
    {"grid", "ranges, /", fn_grid, NULL, PURE},
    {"is_module", "obj, /", fn_is_module, NULL, PURE},
    {"payload_class", "cls, /", fn_payload_class, NULL, PURE},
    {"payload", "obj, /", fn_payload, NULL, PURE},
    {"new_payload", "cls, value, /", fn_new_payload, NULL, PURE},
    {"bare_class", "name, bases, namespace, meta, /", fn_bare_class, NULL, PURE},
    {"caller_name", "skip, /", fn_caller_name, NULL, PURE},
    {"new_class", "name, base, namespace, /", fn_new_class, "new_class_slow", PURE},
    {"func_info", "function, /", fn_func_info, NULL, PURE},
    {"ascii", "text, /", fn_ascii, NULL, PURE},
    {"plain_repr", "obj, /", fn_plain_repr, NULL, PURE},
    {"repr_enter", "obj, /", fn_repr_enter, NULL, PURE},
    {"repr_leave", "obj, /", fn_repr_leave, NULL, PURE},
    {"display", "text, value, /", fn_display, NULL, INNER},
    {"remember", "value, /", fn_remember, NULL, PURE},
    {"publishes", "", fn_publishes, NULL, ENV},
    {"is_plain", "obj, /", fn_is_plain, NULL, PURE},
    {"ready", "iterator, /", fn_ready, NULL, PURE},
    {"load_text", "text, name, filename, /", fn_load_text, NULL, PURE},
    {"code_in", "text, filename, mode, module, /", fn_code_in, NULL, PURE},
    {"item_property", "index, doc, setter, /", fn_item_property, NULL, PURE},
    {"getitem_iterator", "obj, /", fn_getitem_iterator, NULL, PURE},
    {"is_plain_iterable", "obj, /", fn_is_plain_iterable, NULL, PURE},
    {"hash_items", "hashes, cls, /", fn_hash_items, NULL, PURE},
    {"dir", "obj, /", fn_dir, NULL, PURE},
    {"import_one", "name, /", fn_import_one, NULL, INNER},
    {"import_from_plain", "module, name, /", fn_import_from_plain, NULL, PURE},
    {"module_has", "module, name, /", fn_module_has, NULL, PURE},
    {"is_built_in", "module, /", fn_is_built_in, NULL, PURE},
    {0},
};

// Adds the class deque and the functions of _nacre that are defined in the value and interpreter layers.
Status intrinsics_init(Vm *vm, Module *module) {
    Class *deque = vm->classes[K_DEQUE];
    Str *collections = str_intern(vm, "collections", 11);
    if (!collections) return vm_no_memory(vm);
    replace(vm, &deque->module, v_obj(collections));
    Status st = module_set(vm, module, "deque", retain(v_obj(deque)));
    if (st == ST_OK) st = call_state_init(vm, module);
    if (st == ST_OK) st = module_add_natives(vm, module, seq_internals);
    return st == ST_OK ? module_add_natives(vm, module, dict_intrinsics) : st;
}
