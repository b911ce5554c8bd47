// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Instructions that are rare or long, as functions outside the dispatch loop.

#include "vm/interp/cache.h"
#include "vm/interp/fast.h"
#include "vm/interp/steps.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/int.h"
#include "vm/value/num.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str.h"

static inline bool is_exact_int(Value v) {
    return v.kind == K_INT || v.kind == K_BIGINT;
}

Status step_binary(Vm *vm, Instr i, Value a, Value b, Value *out) {
    bool in_place = i.flags & FLAG_ALT;
    BinaryOp op = (BinaryOp)(instr_operator(&i) - OP_ADD);
    if (is_exact_int(a) && is_exact_int(b) && op != BIN_MATMUL) return int_binary(vm, op, a, b, out);
    if (a.kind == K_INSTANCE) {
        Status quick = user_binary_quick(vm, op, in_place, a, b, i.a, out);
        if (quick != ST_STOP) return quick;
    }
    Status st = op_binary(vm, op, in_place, a, b, out);
    if (st != ST_DEFER) return call_finish(vm, st, RET_STORE, i.a, out);
    return user_binary(vm, op, in_place, a, b, i.a, out);
}

Status step_compare(Vm *vm, Instr i, Value a, Value b, Value *out) {
    CompareOp op = (CompareOp)(instr_operator(&i) - OP_LT);
    Status quick = user_compare_quick(vm, op, a, b, i.a, out);
    if (quick != ST_STOP) return quick;
    Status st = op_compare(vm, op, a, b, out);
    if (st != ST_DEFER) return call_finish(vm, st, RET_STORE, i.a, out);
    return user_compare(vm, op, a, b, i.a, out);
}

// Returns the items of a tuple that an operand of a comparison holds. NULL: it is another value.
static const Value *items_at(const Frame *frame, uint16_t operand, size_t *len) {
    const Value v = v_load(operand & CONST_BIT ? &frame->code->consts[operand & ~CONST_BIT] : &frame->regs[operand]);
    if (v.kind != K_TUPLE) return NULL;
    *len = v.tuple->len;
    return v.tuple->items;
}

const Instr *step_compare_rows(Vm *vm, Frame *frame, const Instr *ip, Status *st, Value *out) {
    const bool both = ip[1].op == OP_TUPLE;
    const Instr *at = ip + (both ? 2 : 1), *last = at - 1;
    const bool ends_left = at->flags & FLAG_LAST_B || at->a == at->b;
    const bool ends_right = at->flags & FLAG_LAST_C || at->a == at->c;
    const bool left = at->b == ip->a && ends_left, right = at->c == last->a && ends_right;
    if (at->op < OP_LT || at->op > OP_GE || at->b == at->c || (both ? !left || !right : !left && !right)) return NULL;
    size_t n = ip->c, m = last->c;
    const Value *a = left ? &frame->regs[ip->b] : items_at(frame, at->b, &n);
    const Value *b = right ? &frame->regs[last->b] : items_at(frame, at->c, &m);
    if (!a || !b) return NULL;
    frame->pc = at;
    *st = seq_compare_items(vm, (CompareOp)(at->op - OP_LT), a, n, b, m, out);
    if (*st == ST_DEFER) {
        frame->pc = ip;
        return NULL;
    }
    for (const Instr *made = ip; made < at; made++)
        for (uint32_t i = 0; i < made->c; i++) clear(vm, &frame->regs[made->b + i]);
    if (*st == ST_TAIL) *st = call_finish(vm, *st, RET_STORE, at->a, out);
    return at;
}

Status step_unary(Vm *vm, UnaryOp op, Value a, uint16_t dest, Value *out) {
    Status st = op_unary(vm, op, a, out);
    if (st != ST_DEFER) return call_finish(vm, st, RET_STORE, dest, out);
    return user_unary(vm, op, a, dest, out);
}

// Returns the slot of the global s in `s += t` if the next instruction sets it to the result, or NULL.
static Value *global_grown(const Frame *frame, const Instr *ip, const Value *a) {
    const Instr *next = ip + 1;
    if (!(ip->flags & FLAG_ALT) || next->op != OP_GLOBAL_SET || next->a != ip->a) return NULL;
    Value *slot = &frame->func->module->slots[instr_wide(*next)];
    return slot->kind == K_STR && slot->str == a->str ? slot : NULL;
}

// Requires that nothing but the register, and the global about to be set, holds s.
bool step_append_text(Vm *vm, Frame *frame, const Instr *ip, Value *a, Value *b, Status *st) {
    Instr i = *ip;
    bool own = (i.a == i.b && !(i.b & CONST_BIT)) || i.flags & FLAG_LAST_B;
    if (!own || a == b || a->kind != K_STR || b->kind != K_STR) return false;
    Value *global = a->obj->refs == 2 ? global_grown(frame, ip, a) : NULL;
    if (!global && a->obj->refs != 1) return false;
    Str *text = a->str;
    *a = V_UNDEF;
    if (global) clear(vm, global);
    Str *grown = str_append(vm, text, b->str);
    *st = vm_check(vm, grown);
    if (*st != ST_OK) { // nothing has happened
        *a = v_obj(text);
        if (global) *global = retain(*a);
        return true;
    }
    kill(vm, frame->regs, i);
    store(vm, &frame->regs[i.a], v_obj(grown));
    return true;
}

Status step_build(Vm *vm, Instr i, Value *items, Value *out) {
    switch (i.op) {
    case OP_TUPLE: return tuple_steal(vm, items, i.c, out);
    case OP_LIST: return list_steal(vm, items, i.c, out);
    default: break;
    }
    Str *joined = str_concat_all(vm, items, i.c);
    for (uint32_t n = 0; n < i.c; n++) clear(vm, &items[n]);
    return str_out(vm, joined, out);
}

// Makes a set. If a key needs user code for its hash or equality, the prelude makes it from a tuple of the items. The
// same holds for dicts below.
Status step_build_set(Vm *vm, Instr i, Value *items, Value *out) {
    Set *set = set_new(vm, false);
    Status st = vm_check(vm, set);
    for (uint32_t n = 0; st == ST_OK && n < i.c; n++) st = set_add(vm, set, items[n]);
    if (st == ST_OK) *out = v_obj(set);
    else release_obj(vm, set);
    Value all;
    if (st == ST_DEFER && (st = tuple_of(vm, items, i.c, &all)) == ST_OK) {
        st = call_prelude(vm, "set_display_slow", &all, 1, RET_STORE, i.a, out);
        release(vm, all);
    }
    for (uint32_t n = 0; n < i.c; n++) clear(vm, &items[n]);
    return st;
}

Status step_build_dict(Vm *vm, Instr i, Value *items, Value *out) {
    Dict *dict = dict_new(vm);
    Status st = vm_check(vm, dict);
    for (uint32_t n = 0; st == ST_OK && n < i.c; n++)
        st = dict_set(vm, dict, items[2 * n], items[2 * n + 1]);
    if (st == ST_OK) *out = v_obj(dict);
    else release_obj(vm, dict);
    Value all;
    if (st == ST_DEFER && (st = tuple_of(vm, items, 2 * (size_t)i.c, &all)) == ST_OK) {
        st = call_prelude(vm, "dict_display_slow", &all, 1, RET_STORE, i.a, out);
        release(vm, all);
    }
    for (uint32_t n = 0; n < 2 * (uint32_t)i.c; n++) clear(vm, &items[n]);
    return st;
}

Status step_add_key(Vm *vm, Value into, Value key, Value value) {
    Value out = V_UNDEF;
    Status st = into.kind == K_SET ? set_add(vm, into.set, key)
                                   : dict_set(vm, into.dict, key, value);
    if (st != ST_DEFER) return st;
    const Value args[3] = {into, key, value};
    st = into.kind == K_SET
             ? call_prelude(vm, "set_add_slow", args, 2, RET_DISCARD, 0, &out)
             : call_prelude(vm, "setitem_slow", args, 3, RET_DISCARD, 0, &out);
    release(vm, out);
    return st;
}

// The kinds that have getitems are arrays; the keys are ints if it succeeds.
Status step_getitems(Vm *vm, Value v, Value *keys, uint32_t count, Value *out) {
    const TypeSlots *slots = kind_slots[v.kind];
    Status st = slots->getitems ? slots->getitems(vm, v, keys, (int)count, out) : ST_NOTIMPL;
    for (uint32_t i = 0; st == ST_OK && i < count; i++) clear(vm, &keys[i]);
    return st;
}

Status step_setitems(Vm *vm, Value v, Value *keys, uint32_t count, Value value) {
    const TypeSlots *slots = kind_slots[v.kind];
    Status st = slots->setitems ? slots->setitems(vm, v, keys, (int)count, value) : ST_NOTIMPL;
    for (uint32_t i = 0; st == ST_OK && i < count; i++) clear(vm, &keys[i]);
    return st;
}

// Built-in sequences and arrays do not keep the slice, so bounds that are ints or None need no slice object.
bool step_slices_at_once(Value v, const Value *bounds) {
    bool known = v.kind == K_LIST || v.kind == K_STR || v.kind == K_TUPLE || v.kind == K_ARRAY;
    for (int n = 0; n < 3; n++) known = known && (bounds[n].kind == K_INT || bounds[n].kind == K_NONE);
    return known;
}

Status step_sliced(Vm *vm, Value v, Value *bounds, Value *out) {
    Slice slice = {.gc = {.obj = {.refs = 1, .kind = K_SLICE}},
                   .start = bounds[0], .stop = bounds[1], .step = bounds[2]};
    for (int n = 0; n < 3; n++) bounds[n] = V_UNDEF;
    return op_getitem(vm, v, v_obj(&slice), out);
}

Status step_setattr(Vm *vm, Value v, Str *name, Value value, Instr *cache) {
    Value out = V_UNDEF;
    Status st = cached_setattr(vm, v, name, value, cache);
    st = call_finish(vm, st, RET_DISCARD, 0, &out);
    release(vm, out);
    return st;
}

Status step_delattr(Vm *vm, Value v, Str *name) {
    Value out = V_UNDEF;
    Status st = call_finish(vm, op_setattr(vm, v, name, V_UNDEF), RET_DISCARD, 0, &out);
    release(vm, out);
    return st;
}

Status step_name_again(Vm *vm, Frame *frame, Str *name, Value value) {
    Value out = V_UNDEF, old = retain(dict_get_str(frame->space.dict, name)), looks = V_UNDEF;
    const Tuple *bases = frame->extra.kind == K_TUPLE ? frame->extra.tuple->items[1].tuple : NULL;
    for (size_t i = 0; bases && looks.kind != K_FUNC && i < bases->len; i++) {
        const Value base = bases->items[i];
        if (base.kind == K_CLASS && base.cls->meta) looks = class_lookup(base.cls->meta, vm_name(vm, NAME_set_again));
    }
    Status st = dict_set_str(vm, frame->space.dict, name, value);
    if (st == ST_OK && looks.kind == K_FUNC) {
        Value slots[7] = {V_UNDEF, V_UNDEF, retain(frame->extra.tuple->items[0]), retain(frame->space), retain(v_obj(name)),
                          retain(old), retain(value)};
        st = call_value(vm, looks, slots + 2, 5, NULL, RET_DISCARD, 0, &out);
    }
    release(vm, old);
    return st;
}

Status step_name_delete(Vm *vm, Frame *frame, Str *name) {
    if (frame->space.kind == K_DICT && dict_del_str(vm, frame->space.dict, name)) return ST_OK;
    return vm_raise(vm, EXC_NameError, "name '%s' is not defined", name->data);
}

Status step_raise(Vm *vm, Value exc, Value cause, bool has_cause, Value *out) {
    bool user_init = exc.kind == K_CLASS && exc.cls->flags & CLASS_EXCEPTION &&
                     class_user_method(exc.cls, vm_name(vm, NAME_init)).kind != K_UNDEF;
    if (!user_init) return raise_value(vm, exc, cause, has_cause);
    const Value args[2] = {exc, cause};
    return call_prelude(vm, has_cause ? "raise_from_slow" : "raise_slow", args, has_cause ? 2 : 1,
                        RET_DISCARD, 0, out);
}

Status step_raise_again(Vm *vm) {
    Value handled = handled_now(vm);
    if (handled.kind == K_UNDEF)
        return vm_raise(vm, EXC_RuntimeError, "No active exception to reraise");
    replace(vm, &vm->error, retain(handled));
    return ST_ERROR;
}

Status step_assert_fail(Vm *vm, bool has_message, Value message) {
    if (has_message) return vm_raise_value(vm, EXC_AssertionError, message);
    Value exc;
    if (exc_new(vm, vm->exceptions[EXC_AssertionError], v_obj(vm->empty_tuple), &exc) != ST_OK)
        return ST_ERROR;
    replace(vm, &vm->error, exc);
    return ST_ERROR;
}

void step_exc_enter(Vm *vm, Frame *frame, uint16_t reg) {
    store(vm, &frame->regs[reg + 1], frame->handled);
    frame->handled = retain(frame->regs[reg]);
}

void step_exc_leave(Vm *vm, Frame *frame, uint16_t reg) {
    Value before = frame->regs[reg + 1];
    frame->regs[reg + 1] = V_UNDEF;
    replace(vm, &frame->handled, before);
    clear(vm, &frame->regs[reg]);
}

void step_exc_triple(Vm *vm, Frame *frame, Instr i) {
    Value exc = retain(frame->regs[i.b]);
    Value traceback = exc_of(exc)->traceback;
    Value type = retain(v_obj(exc.inst->cls));
    store(vm, &frame->regs[i.a], type);
    store(vm, &frame->regs[i.a + 1], exc);
    store(vm, &frame->regs[i.a + 2], traceback.kind == K_UNDEF ? V_NONE : retain(traceback));
}

Status step_with_prep(Vm *vm, Frame *frame, Instr i) {
    Value four[4];
    Status st = slow_with(vm, frame->regs[i.b], four);
    if (st != ST_OK) return st;
    for (int n = 0; n < 4; n++) store(vm, &frame->regs[i.a + n], four[n]);
    return ST_OK;
}

// Takes the next item of YIELD_FROM's iterator, or sends it a value, and delivers what it returns at once.
Status step_yield_from(Vm *vm, Frame *frame, Instr i) {
    Value sent = frame->phase == GEN_DELEGATING ? retain(frame->regs[i.a]) : V_NONE;
    Value it = frame->regs[i.b], out = V_UNDEF;
    frame->phase = 0;
    Status st;
    if (it.kind == K_GEN) {
        st = gen_resume(vm, it.gen, RESUME_SEND, sent, RET_YIELD_FROM, 0, &out);
    } else if (it.kind == K_STEPPER && sent.kind == K_NONE) {
        st = stepping_next(vm, (struct Stepper *)it.obj, RET_YIELD_FROM, 0, &out);
    } else {
        st = op_next(vm, it, &out);
        if (st == ST_DEFER) {
            bool plain = sent.kind == K_NONE;
            const Value args[2] = {it, sent};
            Status own = plain ? call_special(vm, NAME_next, args, 1, RET_YIELD_FROM, 0, &out)
                               : call_special(vm, NAME_send, args, 2, RET_YIELD_FROM, 0,
                                              &out);
            st = own == ST_STOP ? vm_raise(vm, EXC_TypeError, "'%s' object is not an iterator",
                                           type_name(vm, it))
                                : own;
        }
    }
    release(vm, sent);
    if (st == ST_STOP) return deliver(vm, RET_YIELD_FROM, 0, 0, V_NONE, V_UNDEF, true);
    if (st == ST_OK) return deliver(vm, RET_YIELD_FROM, 0, 0, out, V_UNDEF, false);
    if (st == ST_ERROR && it.kind != K_ITER && vm->interp->frame == frame &&
        vm_error_is(vm, EXC_StopIteration)) {
        vm_clear_error(vm);
        return deliver(vm, RET_YIELD_FROM, 0, 0, V_NONE, V_UNDEF, true);
    }
    return st;
}

// Returns the program's replacement for sys.displayhook (borrowed); V_UNDEF: there is none.
static Value own_display(Vm *vm) {
    Value sys = dict_get_str(vm->modules, vm_name(vm, NAME_sys));
    if (sys.kind != K_MODULE) return V_UNDEF;
    Value hook = module_get(sys.module, vm_name(vm, NAME_displayhook));
    bool ours = hook.kind == K_FUNC && str_is(hook.func->module->name, "_sys");
    return ours ? V_UNDEF : hook;
}

Status step_display(Vm *vm, Value v) {
    Value out = V_UNDEF, hook = own_display(vm);
    if (hook.kind != K_UNDEF) {
        Value slots[2] = {V_UNDEF, retain(v)};
        Status st = call_value(vm, hook, slots + 1, 1, NULL, RET_DISCARD, 0, &out);
        release(vm, out);
        return st;
    }
    if (v.kind == K_NONE) return ST_OK;
    Status st = call_prelude(vm, "display", &v, 1, RET_DISCARD, 0, &out);
    release(vm, out);
    return st;
}
