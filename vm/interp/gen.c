// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Generators. Each has a frame of its own, which runs when a value is asked for.

#include "vm/interp/interp.h"
#include "vm/value/ops.h"
#include "vm/value/identity.h"
#include "vm/value/object.h"
#include "vm/value/str.h"

Status gen_new(Vm *vm, Func *func, Frame *frame, Value *out) {
    Gen *gen = obj_new(vm, K_GEN, sizeof *gen);
    if (!gen) {
        frame_free(vm, frame);
        return vm_no_memory(vm);
    }
    gen->frame = frame;
    frame->gen = gen;
    gen->name = func->name;
    gen->qualname = func->qualname;
    gen->name->obj.refs++;
    gen->qualname->obj.refs++;
    *out = v_obj(gen);
    return ST_OK;
}

// Resumes a generator that has ended (or was closed before its start).
static Status resume_finished(Vm *vm, ResumeMode mode, Value value, RetKind ret, Value *out) {
    if (mode == RESUME_THROW) return raise_value(vm, value, V_UNDEF, false);
    if (mode == RESUME_CLOSE) {
        *out = V_NONE;
        return ST_OK;
    }
    (void)ret;
    return vm_raise_stop(vm, V_NONE);
}

// Makes the generator's frame the running one. The generator holds a reference to itself while it runs.
static Status enter(Vm *vm, Gen *gen, RetKind ret, uint16_t dest) {
    Interp *interp = vm->interp;
    if (interp->depth >= interp->depth_stop && frame_allowed(vm) != ST_OK) return ST_ERROR;
    Frame *frame = gen->frame;
    frame->prev = interp->frame;
    frame->ret = (uint8_t)ret;
    frame->dest = dest;
    interp->frame = frame;
    interp->depth++;
    gen->gc.obj.aux = GEN_RUNNING;
    gen->gc.obj.refs++;
    return ST_OK;
}

static void finish_unstarted(Vm *vm, Gen *gen) {
    Frame *frame = gen->frame;
    gen->frame = NULL;
    gen->gc.obj.aux = GEN_CLOSED;
    frame_free(vm, frame);
}

// Raises an exception in a generator that was not started. Its traceback shows the line of the generator's `def`.
static Status throw_unstarted(Vm *vm, Gen *gen, Value value) {
    Code *code = gen->frame->code;
    code->gc.obj.refs++;
    finish_unstarted(vm, gen);
    Status st = raise_value(vm, value, V_UNDEF, false);
    ExcInstance *exc = exc_of(vm->error);
    if (exc->traceback.kind == K_UNDEF) exc_chain(vm, vm->error);
    traceback_add(vm, exc, code, code->bc->code_len);
    release_obj(vm, code);
    return st;
}

static Status resume_value(Vm *vm, Gen *gen, Value value) {
    Frame *frame = gen->frame;
    const Instr *pc = frame->pc;
    replace(vm, &frame->regs[pc->a], retain(value)); // YIELD's destination, YIELD_FROM's sent value
    if (pc->op == OP_YIELD) frame->pc = pc + 1;
    else frame->phase = GEN_DELEGATING;
    return ST_TAIL;
}

// Returns the generator that a suspended one delegates to (YIELD_FROM), to which throw() and close() go; or NULL.
static Gen *delegate(const Gen *gen) {
    const Instr *pc = gen->frame->pc;
    if (gen->gc.obj.aux != GEN_SUSPENDED || pc->op != OP_YIELD_FROM) return NULL;
    Value it = gen->frame->regs[pc->b];
    return it.kind == K_GEN ? it.gen : NULL;
}

// Returns whether an exception thrown into a generator has to go through a method, `throw` or `close`, of the iterator
// `it` to which the generator delegates. This holds for instances of the program's classes, and for `close` of an inner
// generator with a handler, which may end without an exception.
static bool is_for_method(Vm *vm, Value it, Value value) {
    const Class *cls = value.kind == K_CLASS ? value.cls : class_of(vm, value);
    if (class_is_subclass(cls, vm->exceptions[EXC_GeneratorExit]))
        return it.kind == K_INSTANCE ||
               (it.kind == K_GEN && it.gen->gc.obj.aux == GEN_SUSPENDED && find_handler(it.gen->frame));
    return it.kind == K_INSTANCE && class_lookup(class_of(vm, it), vm_name(vm, NAME_throw_)).kind != K_UNDEF;
}

static Status raise_inside(Vm *vm, const Gen *gen, Gen *inner, ResumeMode mode, Value value, Value *out) {
    Value exit = v_obj(vm->exceptions[EXC_GeneratorExit]);
    const Instr *pc = gen->frame->pc;
    if (mode == RESUME_CLOSE) value = exit;
    if (pc->op == OP_YIELD_FROM && is_for_method(vm, gen->frame->regs[pc->b], value)) {
        const Value pass[2] = {gen->frame->regs[pc->b], value};
        return call_prelude(vm, "delegate_thrown", pass, 2, RET_YIELD_FROM, 0, out);
    }
    if (inner) return gen_resume(vm, inner, RESUME_THROW, value, RET_YIELD_FROM, 0, out);
    return raise_value(vm, value, V_UNDEF, false);
}

Status gen_resume(Vm *vm, Gen *gen, ResumeMode mode, Value value, RetKind ret, uint16_t dest,
                  Value *out) {
    int state = gen->gc.obj.aux;
    if (state == GEN_RUNNING)
        return vm_raise(vm, EXC_ValueError, "generator already executing");
    if (state == GEN_CREATED && mode == RESUME_THROW) return throw_unstarted(vm, gen, value);
    if (state == GEN_CREATED && mode == RESUME_CLOSE) {
        finish_unstarted(vm, gen);
        state = GEN_CLOSED;
    }
    if (state == GEN_CLOSED) return resume_finished(vm, mode, value, ret, out);
    if (state == GEN_CREATED && value.kind != K_NONE)
        return vm_raise(vm, EXC_TypeError,
                        "can't send non-None value to a just-started generator");
    Gen *inner = delegate(gen);
    if (enter(vm, gen, ret, dest) != ST_OK) return ST_ERROR;
    if (mode >= RESUME_THROW) return raise_inside(vm, gen, inner, mode, value, out);
    return state == GEN_CREATED ? ST_TAIL : resume_value(vm, gen, value);
}

// --- Abandoned generators ----------------------------------------------------------------------
//
// A generator whose last reference goes while it is inside a `try` or `with` has code left to run: it is kept in
// the list interp->abandoned, and the interpreter closes it at the next safe point or call.

static bool gen_rescue(Vm *vm, Obj *obj) {
    Gen *gen = (Gen *)obj, **last = &vm->interp->abandoned;
    if (obj->aux != GEN_SUSPENDED || gen->closing || vm->interp->ending || !find_handler(gen->frame))
        return false;
    obj->refs = 1;
    gen->closing = true;
    while (*last) last = &(*last)->after;
    *last = gen;
    atomic_store(&vm->safe_stop, 0);
    return true;
}

Status gen_close_abandoned(Vm *vm) {
    Gen *gen = vm->interp->abandoned;
    Value out = V_UNDEF;
    vm->interp->abandoned = gen->after;
    gen->after = NULL;
    Frame *before = vm->interp->frame;
    Status st = gen_resume(vm, gen, RESUME_CLOSE, V_NONE, RET_ABANDONED, 0, &out);
    bool entered = vm->interp->frame != before;
    if (!entered && st == ST_ERROR && !vm_broken_off(vm)) {
        exc_ignored(vm, v_obj(gen));
        st = ST_OK;
    }
    release_obj(vm, gen);
    return st;
}

// Unwinds the exception just raised in the running generator's frame, and runs the handlers.
static Status run_closing(Vm *vm) {
    Status st = unwind(vm, false);
    return st == ST_OK ? interp_run(vm) : st;
}

static void close_at_end(Vm *vm, Gen *gen) {
    Value out = V_UNDEF;
    Status st = gen_resume(vm, gen, RESUME_CLOSE, V_NONE, RET_EXIT, 0, &out);
    if (vm->interp->frame) st = st == ST_TAIL ? interp_run(vm) : run_closing(vm);
    clear(vm, &vm->interp->result);
    if (st == ST_OK && gen->gc.obj.aux == GEN_SUSPENDED)
        st = vm_raise(vm, EXC_RuntimeError, "generator ignored GeneratorExit");
    if (st == ST_OK) return;
    if (vm_error_is(vm, EXC_GeneratorExit) || vm_error_is(vm, EXC_StopIteration)) vm_clear_error(vm);
    else exc_ignored(vm, v_obj(gen));
}

void gen_drop_rest(Vm *vm) {
    Interp *interp = vm->interp;
    bool ending = interp->ending;
    interp->ending = true; // so that gen_rescue does not put them into the list again
    while (interp->abandoned) {
        Gen *gen = interp->abandoned;
        interp->abandoned = gen->after;
        release_obj(vm, gen);
    }
    interp->ending = ending;
}

void gen_close_rest(Vm *vm) {
    Value error = vm->error, result = vm->interp->result;
    vm->error = vm->interp->result = V_UNDEF;
    while (vm->interp->abandoned) {
        Gen *gen = vm->interp->abandoned;
        vm->interp->abandoned = gen->after;
        gen->after = NULL;
        close_at_end(vm, gen);
        release_obj(vm, gen);
    }
    vm->error = error;
    vm->interp->result = result;
}

// --- Methods -----------------------------------------------------------------------------------

static Status resume_tail(Vm *vm, Value gen, ResumeMode mode, Value value) {
    const Value args[2] = {v_int(mode), value};
    return vm_tail(vm, gen, args, 2);
}

static Status method_iter(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = retain(args[0]);
    return ST_OK;
}

Status gen_next_tail(Vm *vm, Gen *gen) {
    return resume_tail(vm, v_obj(gen), RESUME_NEXT, V_NONE);
}

static Status method_next(Vm *vm, const Value *args, Value *out) {
    (void)out;
    return gen_next_tail(vm, args[0].gen);
}

static Status method_send(Vm *vm, const Value *args, Value *out) {
    (void)out;
    return resume_tail(vm, args[0], RESUME_SEND, args[1]);
}

// throw(exc), or the older throw(type, value).
static Status method_throw(Vm *vm, const Value *args, Value *out) {
    (void)out;
    Value exc = args[2].kind != K_UNDEF && args[2].kind != K_NONE ? args[2] : args[1];
    if (!exc_of(exc) && exc.kind != K_CLASS)
        return vm_raise(vm, EXC_TypeError, "exceptions must be classes or instances deriving from "
                        "BaseException, not %s", type_name(vm, exc));
    return resume_tail(vm, args[0], RESUME_THROW, exc);
}

static Status method_close(Vm *vm, const Value *args, Value *out) {
    (void)out;
    return resume_tail(vm, args[0], RESUME_CLOSE, V_NONE);
}

static const NativeDef gen_methods[] = {
    {"__iter__", "self, /", method_iter, NULL, PURE},
    {"__next__", "self, /", method_next, NULL, PURE},
    {"send", "self, value, /", method_send, NULL, PURE},
    {"throw", "self, typ, val=?, tb=?, /", method_throw, NULL, PURE},
    {"close", "self, /", method_close, NULL, PURE},
    {0},
};

static Status get_name(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(self.gen->name));
    return ST_OK;
}

static Status get_qualname(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(self.gen->qualname));
    return ST_OK;
}

static Status get_running(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_bool(self.gen->gc.obj.aux == GEN_RUNNING);
    return ST_OK;
}

static const AttrDef gen_attrs[] = {
    {"__name__", get_name, NULL},
    {"__qualname__", get_qualname, NULL},
    {"gi_running", get_running, NULL},
    {0},
};

// --- Kind --------------------------------------------------------------------------------------

static void gen_visit(Obj *obj, Visitor *visitor) {
    Gen *gen = (Gen *)obj;
    visit_obj(visitor, gen->name);
    visit_obj(visitor, gen->qualname);
    if (gen->frame) frame_visit(gen->frame, visitor);
}

static void gen_drop(Vm *vm, Obj *obj) {
    Gen *gen = (Gen *)obj;
    if (gen->frame) finish_unstarted(vm, gen);
    if (obj->refs > 0) return;
    release_obj(vm, gen->name);
    release_obj(vm, gen->qualname);
}

static size_t gen_size(const Obj *obj) {
    (void)obj;
    return sizeof(Gen);
}

static Status gen_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    buf_printf(out, "<generator object %s at ", self.gen->qualname->data);
    Status st = identity_text(vm, self.gen, out);
    buf_putc(out, '>');
    return st;
}

static Status gen_iter(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self);
    return ST_OK;
}

static Status gen_next(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    (void)out;
    return ST_DEFER;
}

const TypeSlots kind_GEN = {
    .visit = gen_visit,
    .drop = gen_drop,
    .size = gen_size,
    .rescue = gen_rescue,
    .repr = gen_repr,
    .iter = gen_iter,
    .next = gen_next,
    .methods = gen_methods,
    .attrs = gen_attrs,
};
