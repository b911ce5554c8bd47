// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exceptions on their way up: tracebacks, handlers, chaining.

#include <string.h>

#include "vm/interp/interp.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- Chaining ------------------------------------------------------------------------------------

Value handled_now(const Vm *vm) {
    for (const Frame *frame = vm->interp->frame; frame; frame = frame->prev)
        if (frame->handled.kind != K_UNDEF) return frame->handled;
    return V_UNDEF;
}

void exc_chain(Vm *vm, Value error) {
    ExcInstance *exc = exc_of(error);
    Value handled = handled_now(vm);
    ExcInstance *context = exc_of(handled);
    if (!context || context == exc || v_is(error, vm->no_memory)) return;
    // Break the chain where it leads back to this exception.
    for (ExcInstance *e = context; e; e = exc_of(e->context)) {
        ExcInstance *next = exc_of(e->context);
        if (next != exc) continue;
        clear(vm, &e->context);
        break;
    }
    replace(vm, &exc->context, retain(handled));
}

static Status exception_from(Vm *vm, Value v, Value *out) {
    if (v.kind == K_CLASS && v.cls->flags & CLASS_EXCEPTION)
        return exc_new(vm, v.cls, v_obj(vm->empty_tuple), out);
    if (!exc_of(v)) return vm_raise(vm, EXC_TypeError, "exceptions must derive from BaseException");
    *out = retain(v);
    return ST_OK;
}

Status raise_value(Vm *vm, Value v, Value cause, bool has_cause) {
    Value exc, from = V_UNDEF;
    if (exception_from(vm, v, &exc) != ST_OK) return ST_ERROR;
    if (has_cause) {
        if (cause.kind == K_NONE) {
            from = V_UNDEF;
        } else if ((cause.kind != K_CLASS && !exc_of(cause)) ||
                   exception_from(vm, cause, &from) != ST_OK) {
            release(vm, exc);
            return vm_raise(vm, EXC_TypeError, "exception causes must derive from BaseException");
        }
        ExcInstance *e = exc_of(exc);
        replace(vm, &e->cause, from);
        e->suppress_context = true;
    }
    exc_chain(vm, exc);
    replace(vm, &vm->error, exc);
    return ST_ERROR;
}

// --- Tracebacks ----------------------------------------------------------------------------------

static Traceback *traceback_of(Vm *vm, ExcInstance *exc) {
    if (exc->traceback.kind == K_TRACEBACK) return (Traceback *)exc->traceback.obj;
    Traceback *tb = obj_new(vm, K_TRACEBACK, sizeof *tb);
    if (tb) replace(vm, &exc->traceback, v_obj(tb));
    return tb;
}

Status traceback_add(Vm *vm, ExcInstance *exc, Code *code, uint32_t pc) {
    Traceback *tb = traceback_of(vm, exc);
    if (!tb ||
        !mem_grow(&vm->mem, (void **)&tb->entries, &tb->cap, tb->len + 1, sizeof *tb->entries))
        return ST_ERROR;
    code->gc.obj.refs++;
    tb->entries[tb->len++] = (TracebackEntry){code, pc};
    return ST_OK;
}

BcSpan traceback_span(const TracebackEntry *entry) {
    return bc_span(entry->code->bc, entry->pc);
}

static void traceback_visit(Obj *obj, Visitor *visitor) {
    Traceback *tb = (Traceback *)obj;
    for (size_t i = 0; i < tb->len; i++) visit_obj(visitor, tb->entries[i].code);
}

static void traceback_drop(Vm *vm, Obj *obj) {
    Traceback *tb = (Traceback *)obj;
    size_t len = tb->len;
    tb->len = 0;
    for (size_t i = 0; i < len; i++) release_obj(vm, tb->entries[i].code);
    mem_free(&vm->mem, tb->entries, tb->cap * sizeof *tb->entries);
    tb->entries = NULL;
    tb->cap = 0;
}

static size_t traceback_size(const Obj *obj) {
    (void)obj;
    return sizeof(Traceback);
}

static Status get_lineno(Vm *vm, Value self, Value *out) {
    (void)vm;
    Traceback *tb = (Traceback *)self.obj;
    const TracebackEntry *last = tb->len ? &tb->entries[tb->len - 1] : NULL;
    *out = v_int(last ? traceback_span(last).line : 0);
    return ST_OK;
}

// The same without the outermost entry; None where that is the only one.
static Status get_next(Vm *vm, Value self, Value *out) {
    const Traceback *tb = (Traceback *)self.obj;
    *out = V_NONE;
    if (tb->len < 2) return ST_OK;
    Traceback *rest = obj_new(vm, K_TRACEBACK, sizeof *rest);
    size_t len = tb->len - 1;
    if (!rest ||
        !mem_grow(&vm->mem, (void **)&rest->entries, &rest->cap, len, sizeof *rest->entries)) {
        release_obj(vm, rest);
        return vm_no_memory(vm);
    }
    for (size_t i = 0; i < len; i++) {
        rest->entries[i] = tb->entries[i];
        rest->entries[i].code->gc.obj.refs++;
    }
    rest->len = len;
    *out = v_obj(rest);
    return ST_OK;
}

// Frames are described by objects of the language (stdlib/_frame.ncr).
static Status get_frame(Vm *vm, Value self, Value *out) {
    Str *name = str_text(vm, "traceback_frame");
    Str *key = name ? str_intern_str(vm, name) : NULL;
    (void)out;
    release_obj(vm, name);
    if (!key) return vm_no_memory(vm);
    Value function = module_get(vm->interp->prelude, key);
    release_obj(vm, key);
    return vm_tail(vm, function, &self, 1);
}

static const AttrDef traceback_attrs[] = {
    {"tb_lineno", get_lineno, NULL},
    {"tb_next", get_next, NULL},
    {"tb_frame", get_frame, NULL},
    {0},
};

const TypeSlots kind_TRACEBACK = {
    .visit = traceback_visit,
    .drop = traceback_drop,
    .size = traceback_size,
    .attrs = traceback_attrs,
};

// --- Unwinding -----------------------------------------------------------------------------------

const BcHandler *find_handler(const Frame *frame) {
    const BcCode *bc = frame->code->bc;
    uint32_t pc = frame_pc(frame);
    for (uint32_t i = 0; i < bc->handler_count; i++)
        if (pc >= bc->handlers[i].start && pc < bc->handlers[i].end) return &bc->handlers[i];
    return NULL;
}

static void enter_handler(Vm *vm, Frame *frame, const BcHandler *handler) {
    for (uint32_t r = handler->reg; r < frame->code->bc->reg_count; r++) clear(vm, &frame->regs[r]);
    frame->regs[handler->reg] = vm->error;
    vm->error = V_UNDEF;
    frame->pc = frame->code->bc->code + handler->handler;
}

// PEP 479: StopIteration that leaves a generator's body is a mistake in that body.
static void stop_in_generator(Vm *vm) {
    if (!vm_error_is(vm, EXC_StopIteration)) return;
    Value cause = vm->error;
    vm->error = V_UNDEF;
    vm_raise(vm, EXC_RuntimeError, "generator raised StopIteration");
    ExcInstance *exc = exc_of(vm->error);
    replace(vm, &exc->context, retain(cause));
    replace(vm, &exc->cause, cause);
    exc->suppress_context = true;
}

static void leave_generator(Vm *vm, Gen *gen) {
    stop_in_generator(vm);
    Frame *frame = gen->frame;
    frame_pop(vm);
    gen->frame = NULL;
    gen->gc.obj.aux = GEN_CLOSED;
    frame_free(vm, frame);
    release_obj(vm, gen);
}

void exc_ignored(Vm *vm, Value where) {
    Value error = vm->error;
    ExcInstance *exc = exc_of(error);
    Value context = exc->context; // that it left the generator is no news
    Buf text;
    buf_init(&text, &vm->mem);
    vm->error = exc->context = V_UNDEF;
    buf_puts(&text, "Exception ignored in: ");
    Status st = op_repr(vm, where, &text);
    buf_putc(&text, '\n');
    if (st == ST_OK && traceback_format(vm, error, &text) == ST_OK && !text.failed &&
        vm->host.write)
        vm->host.write(vm->host.ctx, 2, text.data, text.len);
    vm_clear_error(vm);
    exc->context = context;
    buf_free(&text);
    release(vm, error);
}

static Value take_stop_value(Vm *vm) {
    Value value = retain(exc_of(vm->error)->value);
    vm_clear_error(vm);
    return value.kind == K_UNDEF ? V_NONE : value;
}

// Some callers take certain exceptions for an answer. ST_OK: the frame now running goes on.
static Status answer_of(Vm *vm, RetKind ret, uint16_t dest, int phase, Value held, Value gen) {
    if (ret == RET_CLOSE &&
        (vm_error_is(vm, EXC_GeneratorExit) || vm_error_is(vm, EXC_StopIteration))) {
        vm_clear_error(vm);
        return deliver(vm, RET_STORE, dest, 0, V_NONE, V_UNDEF, false);
    }
    if (ret == RET_ABANDONED && !vm_broken_off(vm)) {
        if (vm_error_is(vm, EXC_GeneratorExit))
            vm_clear_error(vm);
        else
            exc_ignored(vm, gen);
        return deliver(vm, ret, dest, 0, V_NONE, V_UNDEF, true);
    }
    if (!vm_error_is(vm, EXC_StopIteration) ||
        (ret != RET_NEXT && ret != RET_YIELD_FROM && ret != RET_STEP && ret != RET_STEP_NEXT && !ret_is_loop(ret)))
        return ST_ERROR;
    return deliver(vm, ret, dest, phase, take_stop_value(vm), retain(held), true);
}

// A failure must have raised an exception.
static void check_raised(Vm *vm) {
    if (vm->error.kind != K_UNDEF) return;
    const Frame *frame = vm->interp->frame;
    vm_raise(vm, EXC_SystemError, "an operation failed without an exception (instruction %s)",
             bc_op_info[frame->pc->op].name);
}

Status unwind(Vm *vm, bool again) {
    check_raised(vm);
    for (;; again = false) {
        Frame *frame = vm->interp->frame;
        ExcInstance *exc = exc_of(vm->error);
        if (!again) {
            if (exc->traceback.kind == K_UNDEF) exc_chain(vm, vm->error);
            if (!frame->code->unit->plumbing) traceback_add(vm, exc, frame->code, frame_pc(frame));
        }
        const BcHandler *handler = vm->stopped ? NULL : find_handler(frame);
        if (handler) {
            enter_handler(vm, frame, handler);
            return ST_OK;
        }
        RetKind ret = (RetKind)frame->ret;
        uint16_t dest = frame->dest;
        if (ret == RET_IMPORT) import_failed(vm, frame->extra.module);
        Value gen = frame->gen ? retain(v_obj(frame->gen)) : V_UNDEF, held = V_UNDEF;
        int phase = frame_phase(frame);
        if (ret_is_loop(ret)) {
            held = frame->extra;
            frame->extra = V_UNDEF;
        }
        if (frame->gen) {
            leave_generator(vm, frame->gen);
        } else {
            stepping_uncount(vm->interp, frame);
            frame_pop(vm);
        }
        Status st = ret == RET_EXIT ? ST_ERROR : answer_of(vm, ret, dest, phase, held, gen);
        release(vm, held);
        release(vm, gen);
        if (ret == RET_EXIT) return ST_ERROR;
        if (st == ST_OK || st == ST_TAIL) return ST_OK;
        if (st == ST_STOP) return ST_STOP;
    }
}
