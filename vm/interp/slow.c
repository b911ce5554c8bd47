// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The rare cases of instructions: user classes, slow paths of the prelude, errors.

#include <stdio.h>
#include <string.h>

#include "vm/interp/interp.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/num.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/shape.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"

// --- Truth, iteration ----------------------------------------------------------------------------

Status slow_truth(Vm *vm, Value v, RetKind ret, uint16_t dest, bool *truth) {
    if (v.kind == K_INSTANCE && cached_operator(vm, v.inst, vm_name(vm, NAME_bool)).kind == K_UNDEF &&
        cached_operator(vm, v.inst, vm_name(vm, NAME_len)).kind == K_UNDEF) {
        const Value inner = unwrap(v);
        *truth = true;
        return inner.kind == K_INSTANCE ? ST_OK : op_truth(vm, inner, truth);
    }
    Status st = op_truth(vm, v, truth);
    if (st != ST_DEFER) return st;
    Value out = V_UNDEF;
    int phase = ANSWER_BOOL;
    st = call_special(vm, NAME_bool, &v, 1, ret, dest, &out);
    if (st == ST_STOP) {
        phase = ANSWER_LEN;
        st = call_special(vm, NAME_len, &v, 1, ret, dest, &out);
    }
    if (st == ST_STOP) {
        *truth = true;
        return ST_OK;
    }
    if (st == ST_TAIL) vm->interp->frame->phase = (uint8_t)phase;
    return st == ST_OK ? answer_truth(vm, out, phase, truth) : st;
}

// Checks that a result of __iter__ has __next__.
Status check_iterator(Vm *vm, Value *it) {
    Value method;
    if (kind_slots[it->kind]->next || it->kind == K_GEN ||
        op_special(vm, *it, NAME_next, &method) == ST_OK)
        return ST_OK;
    Status st = vm_raise(vm, EXC_TypeError, "iter() returned non-iterator of type '%s'",
                         type_name(vm, *it));
    clear(vm, it);
    return st;
}

// Calls cls.__class_getitem__(key). ST_STOP: there is none.
static Status class_getitem(Vm *vm, Value cls, Value key, uint16_t dest, Value *out) {
    if (cls.kind != K_CLASS) return ST_STOP;
    Value hook = class_lookup(cls.cls, vm_name(vm, NAME_class_getitem));
    if (hook.kind == K_UNDEF) return ST_STOP;
    Value bound, slots[3] = {0};
    // A function of that name is a class method even without @classmethod.
    Status st = hook.kind == K_FUNC ? bound_new(vm, cls, hook, &bound)
                                    : attr_bind(vm, hook, V_UNDEF, cls.cls, &bound);
    if (st != ST_OK) return call_finish(vm, st, RET_STORE, dest, out);
    slots[2] = retain(key);
    st = call_value(vm, bound, slots + 2, 1, NULL, RET_STORE, dest, out);
    release(vm, bound);
    return st;
}

Status slow_iter(Vm *vm, Value v, uint16_t dest, Value *out) {
    Status st = op_iter(vm, v, out);
    if (st != ST_DEFER) return st;
    st = call_special(vm, NAME_iter, &v, 1, RET_ITER, dest, out);
    if (st != ST_STOP) return st == ST_OK ? check_iterator(vm, out) : st;
    return call_prelude(vm, "getitem_iter", &v, 1, RET_STORE, dest, out);
}

// Calls the __next__ of an instance if it is a native. ST_NOTIMPL: it is none, or needs its arguments bound.
static Status next_of_native(Vm *vm, Value it, uint16_t dest, Value *out) {
    const Value method = cached_operator(vm, it.inst, vm_name(vm, NAME_next));
    if (method.kind != K_NATIVE || method.native->simple_args != 1 || method.native->self_kind != K_INSTANCE)
        return ST_NOTIMPL;
    Status st = native_run(vm, method.native->def, &it, out);
    return st == ST_OK ? st : call_native_finish(vm, method.native, st, &it, RET_NEXT, dest, out);
}

Status slow_next(Vm *vm, Value it, uint16_t dest, Value *out) {
    if (it.kind == K_GEN) return gen_resume(vm, it.gen, RESUME_NEXT, V_NONE, RET_NEXT, dest, out);
    if (it.kind == K_STEPPER) return stepping_next(vm, (Stepper *)it.obj, RET_NEXT, dest, out);
    Status st = it.kind == K_INSTANCE ? next_of_native(vm, it, dest, out) : ST_NOTIMPL;
    if (st != ST_NOTIMPL) return st;
    st = op_next(vm, it, out);
    if (st != ST_DEFER) return st;
    st = call_special(vm, NAME_next, &it, 1, RET_NEXT, dest, out);
    if (st != ST_STOP) return st;
    return vm_raise(vm, EXC_TypeError, "'%s' object is not an iterator", type_name(vm, it));
}

// --- Items ---------------------------------------------------------------------------------------

// Returns whether a class can be subscripted, as in list[int]. Classes derived from a built-in container can, too.
static bool is_generic(const Class *cls) {
    bool user = cls->flags & CLASS_USER;
    switch (user ? cls->payload_kind : cls->instance_kind) {
    case K_LIST:
    case K_DEQUE:
    case K_TUPLE:
    case K_DICT:
    case K_SET:
    case K_FROZENSET: return true;
    case K_CLASS:
    case K_ARRAY:
    case K_SCALAR:
    case K_DTYPE: return !user;
    default: return false;
    }
}

// Returns the dict inside an instance whose class does not define the method `name` itself. NULL: it is another value;
// *method is what the class defines.
static Dict *dict_inside(Vm *vm, Value v, NameId name, Value *method) {
    *method = v.kind == K_INSTANCE ? cached_operator(vm, v.inst, vm_name(vm, name)) : V_UNDEF;
    const Value inner = v.kind == K_INSTANCE && method->kind == K_UNDEF ? unwrap(v) : V_UNDEF;
    return inner.kind == K_DICT ? inner.dict : NULL;
}

// Reads an item by the instance's own method, or one that the dict inside has. ST_STOP: it is another case.
static Status quick_getitem(Vm *vm, Value v, Value key, uint16_t dest, Value *out) {
    Value method, found;
    Dict *dict = dict_inside(vm, v, NAME_getitem, &method);
    if (method.kind == K_FUNC) {
        Value slots[4] = {V_UNDEF, V_UNDEF, retain(v), retain(key)};
        return call_value(vm, method, slots + 2, 2, NULL, RET_STORE, dest, out);
    }
    Status st = dict ? dict_get(vm, dict, key, &found) : ST_STOP;
    if (st == ST_OK) *out = retain(found);
    return st == ST_DEFER ? ST_STOP : st;
}

Status slow_getitem(Vm *vm, Value v, Value key, uint16_t dest, Value *out) {
    if (v.kind == K_INSTANCE) {
        Status quick = quick_getitem(vm, v, key, dest, out);
        if (quick != ST_STOP) return quick;
    }
    bool by_meta = v.kind == K_CLASS && op_user_method(vm, v, NAME_getitem);
    Status st = by_meta ? ST_STOP : class_getitem(vm, v, key, dest, out);
    if (st != ST_STOP) return st;
    if (!by_meta && v.kind == K_CLASS && is_generic(v.cls)) {
        const Value args[2] = {v, key};
        return call_prelude(vm, "generic_alias", args, 2, RET_STORE, dest, out);
    }
    st = op_getitem(vm, v, key, out);
    if (st != ST_DEFER) return call_finish(vm, st, RET_STORE, dest, out);
    const Value args[2] = {v, key};
    if (v.kind == K_INSTANCE || by_meta) {
        st = call_special(vm, NAME_getitem, args, 2, RET_STORE, dest, out);
        if (st != ST_STOP) return st;
    }
    const Value inner[2] = {unwrap(v), key};
    return call_prelude(vm, "getitem_slow", inner, 2, RET_STORE, dest, out);
}

Status slow_setitem(Vm *vm, Value v, Value key, Value value) {
    Value out = V_UNDEF, method;
    const Value args[3] = {v, key, value};
    Dict *dict = dict_inside(vm, v, NAME_setitem, &method);
    Status st = dict ? dict_set(vm, dict, key, value) : op_setitem(vm, v, key, value);
    if (st != ST_DEFER) return st;
    st = v.kind == K_INSTANCE || v.kind == K_CLASS ? call_special(vm, NAME_setitem, args, 3, RET_DISCARD, 0, &out)
                              : ST_STOP;
    const Value inner[3] = {unwrap(v), key, value};
    if (st == ST_STOP) st = call_prelude(vm, "setitem_slow", inner, 3, RET_DISCARD, 0, &out);
    release(vm, out);
    return st;
}

Status slow_delitem(Vm *vm, Value v, Value key) {
    Value out = V_UNDEF;
    const Value args[2] = {v, key};
    Status st = op_delitem(vm, v, key);
    if (st != ST_DEFER) return st;
    st = v.kind == K_INSTANCE || v.kind == K_CLASS ? call_special(vm, NAME_delitem, args, 2, RET_DISCARD, 0, &out)
                              : ST_STOP;
    const Value inner[2] = {unwrap(v), key};
    if (st == ST_STOP) st = call_prelude(vm, "delitem_slow", inner, 2, RET_DISCARD, 0, &out);
    release(vm, out);
    return st;
}

static Status truth_of_answer(Vm *vm, Status st, bool negate, Value *out) {
    bool truth;
    if (st != ST_OK) return st;
    st = op_truth(vm, *out, &truth);
    if (st == ST_OK) replace(vm, out, v_bool(truth != negate));
    return st;
}

Status slow_contains(Vm *vm, Value item, Value v, bool negate, uint16_t dest, Value *out) {
    RetKind ret = negate ? RET_NOT : RET_TRUTH;
    *out = V_UNDEF;
    bool found = false;
    Status st = op_contains(vm, v, item, &found);
    if (st == ST_OK) *out = v_bool(found != negate);
    if (st != ST_DEFER) return st;
    const Value args[2] = {v, item};
    bool special = v.kind == K_INSTANCE || v.kind == K_CLASS;
    st = special ? call_special(vm, NAME_contains, args, 2, ret, dest, out) : ST_STOP;
    if (st == ST_STOP) {
        const Value inner[2] = {v.kind == K_INSTANCE ? unwrap(v) : v, item};
        st = call_prelude(vm, "contains_slow", inner, 2, ret, dest, out);
    }
    return truth_of_answer(vm, st, negate, out);
}

static bool is_iterable(Vm *vm, Value v) {
    Value method;
    if (is_numpy_scalar(v)) return false; // can be indexed by () or None, but is no sequence
    return kind_slots[unwrap(v).kind]->iter || op_special(vm, v, NAME_iter, &method) == ST_OK ||
           op_special(vm, v, NAME_getitem, &method) == ST_OK;
}

// --- Unpacking -----------------------------------------------------------------------------------

static Status unpack_error(Vm *vm, size_t len, uint32_t need, bool star) {
    if (len > need && !star)
        return vm_raise(vm, EXC_ValueError, "too many values to unpack (expected %u)", need);
    return vm_raise(vm, EXC_ValueError, "not enough values to unpack (expected %s%u, got %zu)",
                    star ? "at least " : "", need, len);
}

static Status unpack_items(Vm *vm, Value owner, uint32_t before, bool star, uint32_t after,
                           Value *regs) {
    const Value *items = owner.kind == K_TUPLE ? owner.tuple->items : owner.list->items;
    size_t len = owner.kind == K_TUPLE ? owner.tuple->len : owner.list->len;
    if (len < before + after || (!star && len > before))
        return unpack_error(vm, len, before + after, star);
    Value middle = V_UNDEF;
    if (star) {
        List *list = list_new(vm, len - before - after);
        if (!list) return vm_no_memory(vm);
        middle = v_obj(list);
        for (size_t i = before; i < len - after; i++)
            if (list_append(vm, list, retain(items[i])) != ST_OK) {
                release(vm, middle);
                return ST_ERROR;
            }
    }
    // Holds a reference, since writing a register may release the sequence itself.
    retain(owner);
    Value *spot = regs;
    for (uint32_t i = 0; i < before; i++) replace(vm, spot++, retain(items[i]));
    if (star) replace(vm, spot++, middle);
    for (uint32_t i = 0; i < after; i++) replace(vm, spot++, retain(items[len - after + i]));
    release(vm, owner);
    return ST_OK;
}

Status slow_unpack(Vm *vm, Value v, uint32_t before, bool star, uint32_t after, uint16_t dest,
                   Value *regs) {
    Value list, out = V_UNDEF;
    Status st;
    if (v.kind == K_TUPLE || v.kind == K_LIST)
        return unpack_items(vm, v, before, star, after, regs);
    const Value inner = unwrap(v);
    if ((inner.kind == K_TUPLE || inner.kind == K_LIST) && !op_user_method(vm, v, NAME_iter))
        return unpack_items(vm, inner, before, star, after, regs);
    st = v.kind == K_CLASS ? ST_DEFER : op_to_list(vm, v, &list);
    if (st == ST_ERROR && !is_iterable(vm, v)) {
        vm_clear_error(vm);
        return vm_raise(vm, EXC_TypeError, "cannot unpack non-iterable %s object",
                        type_name(vm, v));
    }
    if (st == ST_OK) {
        st = unpack_items(vm, list, before, star, after, regs);
        release(vm, list);
        return st;
    }
    if (st != ST_DEFER) return st;
    const Value args[4] = {v, v_int(before), v_bool(star), v_int(after)};
    return call_prelude(vm, "unpack_slow", args, 4, RET_UNPACK, dest, &out);
}

// --- Building ------------------------------------------------------------------------------------

// Returns the module or class before the dot in a native's name, or NULL.
static const Str *native_owner(const Native *native) {
    if (native->owner.kind == K_CLASS) return native->owner.cls->qualname;
    if (native->owner.kind != K_MODULE || str_is(native->owner.module->name, "builtins")) return NULL;
    return native->owner.module->name;
}

static const Str *class_module(const Class *cls) {
    return cls->flags & CLASS_USER && cls->module.kind == K_STR ? cls->module.str : NULL;
}

static void put_called(Buf *out, const Str *before, const char *name) {
    buf_printf(out, "%s%s%s()", before ? before->data : "", before ? "." : "", name);
}

// Writes "module.name()" for functions and classes, "owner.name()" for natives, and str() of any other callee.
static void called_name(Vm *vm, Value callee, Buf *out) {
    buf_init(out, &vm->mem);
    if (callee.kind == K_BOUND) callee = callee.bound->func;
    if (callee.kind == K_FUNC) {
        put_called(out, callee.func->module->name, callee.func->qualname->data);
    } else if (callee.kind == K_CLASS) {
        put_called(out, class_module(callee.cls), callee.cls->qualname->data);
    } else if (callee.kind == K_NATIVE) {
        put_called(out, native_owner(callee.native), callee.native->def->name);
    } else if (op_str(vm, callee, out) != ST_OK) {
        vm_clear_error(vm);
        out->len = 0;
        buf_printf(out, "%s object", type_name(vm, callee));
    }
    buf_putc(out, '\0');
}

// Raises a TypeError about a callee. The format has a %s for the callee's name, then one for `detail`.
static Status call_error(Vm *vm, Value callee, const char *format, const char *detail) {
    Buf name;
    called_name(vm, callee, &name);
    Status st = name.failed ? vm_no_memory(vm)
                            : vm_raise(vm, EXC_TypeError, format, name.data, detail);
    buf_free(&name);
    return st;
}

Status slow_extend(Vm *vm, Value into, Value from, Value callee) {
    Value out = V_UNDEF;
    const char *slow;
    Status st;
    if (into.kind == K_LIST) {
        slow = "list_extend_slow";
        st = from.kind == K_CLASS ? ST_DEFER : list_extend(vm, into.list, from);
        if (st == ST_ERROR && !is_iterable(vm, from)) {
            vm_clear_error(vm);
            if (callee.kind == K_UNDEF)
                return vm_raise(vm, EXC_TypeError, "Value after * must be an iterable, not %s",
                                type_name(vm, from));
            return call_error(vm, callee, "%s argument after * must be an iterable, not %s",
                              type_name(vm, from));
        }
    } else if (into.kind == K_SET) {
        slow = "set_update_star";
        st = from.kind == K_CLASS ? ST_DEFER : set_update(vm, into.set, from);
    } else {
        slow = "dict_update_star";
        Value inner = unwrap(from);
        st = inner.kind == K_DICT ? dict_update(vm, into.dict, inner.dict) : ST_DEFER;
    }
    if (st != ST_DEFER) return st;
    const Value args[2] = {into, from};
    st = call_prelude(vm, slow, args, 2, RET_DISCARD, 0, &out);
    release(vm, out);
    return st;
}

Status slow_merge(Vm *vm, Value into, Value from, Value callee) {
    uint32_t pos = 0;
    Value key, value = V_UNDEF, old;
    if (unwrap(from).kind != K_DICT && op_special(vm, from, NAME_keys, &key) == ST_OK) {
        const Value args[2] = {into, from};
        Status st = call_prelude(vm, "dict_update_star", args, 2, RET_DISCARD, 0, &value);
        return st;
    }
    if (unwrap(from).kind != K_DICT)
        return call_error(vm, callee, "%s argument after ** must be a mapping, not %s",
                          type_name(vm, from));
    from = unwrap(from);
    while (dict_next(from.dict, &pos, &key, &value)) {
        if (key.kind != K_STR)
            return vm_raise(vm, EXC_TypeError, "keywords must be strings");
        Status st = dict_get(vm, into.dict, key, &old);
        if (st == ST_OK)
            return call_error(vm, callee, "%s got multiple values for keyword argument '%s'",
                              key.str->data);
        if (st != ST_STOP) return st;
        if (dict_set(vm, into.dict, key, value) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

// --- Text ----------------------------------------------------------------------------------------

Status slow_convert(Vm *vm, Value v, uint32_t how, uint16_t dest, Value *out) {
    const char *slow = how == 's' ? "str_slow" : how == 'r' ? "repr_slow" : "ascii_slow";
    Status st = how == 's' ? op_str_value(vm, v, out) : how == 'r' ? op_repr_value(vm, v, out)
                                                                   : ST_DEFER;
    if (st != ST_DEFER) return st;
    return call_prelude(vm, slow, &v, 1, RET_STORE, dest, out);
}

Status slow_format(Vm *vm, Value v, Value spec, uint16_t dest, Value *out) {
    if (v.kind == K_STR && spec.str->len == 0) {
        *out = retain(v);
        return ST_OK;
    }
    if (v.kind == K_INT && spec.str->len == 0) return int_small_text(vm, v.i, out);
    Buf buf;
    buf_init(&buf, &vm->mem);
    Status st = op_format(vm, v, spec.str, &buf);
    if (st == ST_OK) return str_buf_out(vm, &buf, out);
    buf_free(&buf);
    if (st != ST_DEFER) return st;
    const Value args[2] = {v, spec};
    return call_prelude(vm, "format_slow", args, 2, RET_STORE, dest, out);
}

// --- Exceptions ----------------------------------------------------------------------------------

static Status match_one(Vm *vm, Value exc, Value type, bool *match) {
    if (type.kind != K_CLASS || !(type.cls->flags & CLASS_EXCEPTION))
        return vm_raise(vm, EXC_TypeError, "catching classes that do not inherit from "
                        "BaseException is not allowed");
    *match = class_is_subclass(exc.inst->cls, type.cls);
    return ST_OK;
}

Status slow_except_match(Vm *vm, Value exc, Value type, uint16_t dest, Value *out) {
    (void)dest;
    bool match = false;
    Status st = ST_OK;
    if (type.kind == K_TUPLE) {
        for (size_t i = 0; st == ST_OK && !match && i < type.tuple->len; i++)
            st = match_one(vm, exc, type.tuple->items[i], &match);
    } else {
        st = match_one(vm, exc, type, &match);
    }
    if (st == ST_OK) *out = v_bool(match);
    return st;
}

static Status context_method(Vm *vm, Value manager, NameId id, const char *missing, Value *func,
                             Value *self) {
    Value found;
    if (op_special(vm, manager, id, &found) == ST_OK) {
        if (found.kind == K_FUNC || found.kind == K_NATIVE) {
            *func = retain(found);
            *self = retain(manager);
            return ST_OK;
        }
        *self = V_UNDEF;
        return op_getattr(vm, manager, vm_name(vm, id), func);
    }
    return vm_raise(vm, EXC_TypeError, "'%s' object does not support the context manager "
                    "protocol%s", type_name(vm, manager), missing);
}

Status slow_with(Vm *vm, Value manager, Value regs[4]) {
    Value enter, enter_self;
    if (context_method(vm, manager, NAME_enter, "", &enter, &enter_self) != ST_OK) return ST_ERROR;
    if (context_method(vm, manager, NAME_exit, " (missed __exit__ method)", &regs[0], &regs[1]) !=
        ST_OK) {
        release(vm, enter);
        release(vm, enter_self);
        return ST_ERROR;
    }
    regs[2] = enter;
    regs[3] = enter_self;
    return ST_OK; // the caller moves the four values into registers
}

// --- Functions and classes -----------------------------------------------------------------------

static void cells_free(Vm *vm, Cell **cells, uint32_t count) {
    for (uint32_t i = 0; cells && i < count; i++) release_obj(vm, cells[i]);
    mem_free(&vm->mem, cells, count * sizeof(Cell *));
}

static Status capture_cells(Vm *vm, Frame *frame, const BcCode *bc, Cell ***out) {
    Cell **cells = mem_zalloc(&vm->mem, bc->capture_count * sizeof(Cell *));
    if (!cells) return vm_no_memory(vm);
    for (uint32_t i = 0; i < bc->capture_count; i++) {
        const BcCapture *capture = &bc->captures[i];
        Value cell = V_UNDEF;
        if (!capture->from_register) cell = v_obj(frame->func->cells[capture->index]);
        else if (capture->index < frame->code->bc->reg_count) cell = frame->regs[capture->index];
        if (cell.kind != K_CELL) {
            cells_free(vm, cells, bc->capture_count);
            return vm_raise(vm, EXC_SystemError, "a captured variable has no cell");
        }
        cells[i] = retain(cell).cell;
    }
    *out = cells;
    return ST_OK;
}

Status slow_make_func(Vm *vm, Frame *frame, const Instr *instr, Value *out) {
    Code *code = (Code *)frame->code->consts[instr->c].obj;
    Value *three = &frame->regs[instr->b];
    Cell **cells = NULL;
    if (code->bc->capture_count && capture_cells(vm, frame, code->bc, &cells) != ST_OK)
        return ST_ERROR;
    Value taken[3] = {three[0], three[1], three[2]};
    three[0] = three[1] = three[2] = V_UNDEF;
    return func_new(vm, code, frame->func->module, cells, taken[0], taken[1], taken[2], out);
}

Status slow_make_class(Vm *vm, Frame *frame, const Instr *instr, Value *out) {
    Value *three = &frame->regs[instr->b];
    Value plan, items[3] = {frame->code->consts[instr->c], three[1], three[2]};
    Dict *space = dict_new(vm);
    if (!space) return vm_no_memory(vm);
    Status st = tuple_of(vm, items, 3, &plan);
    Frame *body = st == ST_OK ? frame_push(vm, three[0].func, RET_CLASS, instr->a) : NULL;
    if (!body) {
        release_obj(vm, space);
        if (st == ST_OK) release(vm, plan);
        return ST_ERROR;
    }
    (void)out;
    body->space = v_obj(space);
    body->extra = plan;
    for (int i = 0; i < 3; i++) clear(vm, &three[i]);
    return ST_TAIL;
}

Status slow_super(Vm *vm, const Frame *frame, const Instr *instr, Value *out) {
    Value self = frame->regs[instr->b];
    if (instr->flags & FLAG_ALT) self = self.kind == K_CELL ? self.cell->value : V_UNDEF;
    Value cls = frame->func->cells[instr->c]->value;
    if (cls.kind != K_CLASS)
        return vm_raise(vm, EXC_RuntimeError, "super(): empty __class__ cell");
    if (self.kind == K_UNDEF) return vm_raise(vm, EXC_RuntimeError, "super(): arg[0] deleted");
    return super_new(vm, cls.cls, self, out);
}

bool super_method(const Vm *vm, const Frame *frame, const Instr *instr, Str *name, Value *func,
                  Value *self) {
    Value cls = frame->func->cells[instr->c]->value;
    *self = frame->regs[instr->b];
    if (instr->flags & FLAG_ALT || self->kind != K_INSTANCE || cls.kind != K_CLASS) return false;
    if (!class_is_subclass(self->inst->cls, cls.cls)) return false;
    if (name == vm_name(vm, NAME_new) || name == vm_name(vm, NAME_init_subclass)) return false;
    *func = class_lookup_after(self->inst->cls, cls.cls, name);
    return attr_is_method(*func);
}

// --- Names ---------------------------------------------------------------------------------------

static Status unbound_free(Vm *vm, const char *name) {
    return vm_raise(vm, EXC_NameError, "cannot access free variable '%s' where it is not "
                    "associated with a value in enclosing scope", name);
}

Status slow_unbound_local(Vm *vm, const Frame *frame, uint32_t reg) {
    const char *name = reg < frame->code->bc->local_count ? frame->code->local_names[reg]->data
                                                          : "?";
    if (frame->pc->flags & FLAG_ALT) return unbound_free(vm, name);
    return vm_raise(vm, EXC_UnboundLocalError,
                    "cannot access local variable '%s' where it is not associated with a value",
                    name);
}

Status slow_unbound_free(Vm *vm, const Frame *frame, uint32_t index) {
    return unbound_free(vm, frame->code->free_names[index]->data);
}

static Str *slot_name(const Module *module, uint32_t slot) {
    uint32_t pos = 0;
    Value key, value;
    while (dict_next(module->slots_of, &pos, &key, &value))
        if (value.i == (int64_t)slot) return key.str;
    return NULL;
}

// Handles a global whose slots are empty: looks for a built-in that was added (by the prelude) after the module's slots
// were made. NameError if there is none.
Status slow_global(Vm *vm, Module *module, uint32_t slot, Value *out) {
    Str *name = slot_name(module, slot);
    Value late = name ? dict_get_str(vm->builtins, name) : V_UNDEF;
    if (late.kind == K_UNDEF) return slow_unbound_global(vm, module, slot);
    replace(vm, &module->builtin[slot], retain(late));
    *out = retain(late);
    return ST_OK;
}

Status slow_unbound_global(Vm *vm, const Module *module, uint32_t slot) {
    Str *name = slot_name(module, slot);
    return vm_raise(vm, EXC_NameError, "name '%s' is not defined", name ? name->data : "?");
}

Status slow_name_get(Vm *vm, Frame *frame, const Instr *instr, Value *out) {
    Str *name = frame->code->consts[instr->b].str;
    Value v = frame->space.kind == K_DICT ? dict_get_str(frame->space.dict, name) : V_UNDEF;
    uint32_t index = instr_wide(instr[1]);
    if (v.kind == K_UNDEF && instr->flags & FLAG_ALT) {
        v = frame->func->cells[index]->value;
        if (v.kind == K_UNDEF) return slow_unbound_free(vm, frame, index);
    } else if (v.kind == K_UNDEF) {
        Module *module = frame->func->module;
        v = module->slots[index];
        if (v.kind == K_UNDEF) v = module->builtin[index];
        if (v.kind == K_UNDEF) return slow_global(vm, module, index, out);
    }
    *out = retain(v);
    return ST_OK;
}

static Status annotations_of(Vm *vm, Frame *frame, Value *out) {
    Str *key = vm_name(vm, NAME_annotations);
    bool in_class = frame->space.kind == K_DICT;
    Value v = in_class ? dict_get_str(frame->space.dict, key)
                       : module_get(frame->func->module, key);
    if (v.kind == K_DICT) {
        *out = retain(v);
        return ST_OK;
    }
    Dict *dict = dict_new(vm);
    if (!dict) return vm_no_memory(vm);
    *out = v_obj(dict);
    Status st = in_class ? dict_set_str(vm, frame->space.dict, key, *out)
                         : module_set(vm, frame->func->module, key->data, retain(*out));
    if (st != ST_OK) release(vm, *out);
    return st;
}

Status slow_annotate(Vm *vm, Frame *frame, Str *name, Value value) {
    Value dict;
    if (annotations_of(vm, frame, &dict) != ST_OK) return ST_ERROR;
    Status st = dict_set_str(vm, dict.dict, name, value);
    release(vm, dict);
    return st;
}
