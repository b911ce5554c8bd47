// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The error channel: every way a native sets vm->error or asks for a call.

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vm/value/class.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// Raises MemoryError. A small allocation may succeed after a large one failed: then the exception is a new one, with
// its own context. Otherwise it is the one made in advance.
Status vm_no_memory(Vm *vm) {
    int why = atomic_load(&vm->interrupt);
    if (exc_of(vm->error) && vm_broken_off(vm)) return ST_ERROR; // the error already tells why
    if ((why == BREAK_INTERRUPT || why == BREAK_TIME) && mem_stopped(&vm->mem)) return vm_poll(vm);
    Class *cls = vm->exceptions[EXC_MemoryError];
    Value fresh;
    if (cls && !vm->making_no_memory) {
        vm->making_no_memory = true; // a failure inside uses the exception made in advance
        Status st = exc_new(vm, cls, v_obj(vm->empty_tuple), &fresh);
        vm->making_no_memory = false;
        if (st == ST_OK) {
            replace(vm, &vm->error, fresh);
            return ST_ERROR;
        }
    }
    ExcInstance *exc = exc_of(vm->no_memory);
    if (exc) { // the object is reused: drops what its last use left
        clear(vm, &exc->traceback);
        clear(vm, &exc->cause);
        clear(vm, &exc->context);
    }
    replace(vm, &vm->error, retain(vm->no_memory));
    return ST_ERROR;
}

// Raises an exception made from `count` arguments, which are consumed.
static Status raise_made(Vm *vm, Class *cls, Value *args, size_t count) {
    Value tuple, exc;
    if (tuple_steal(vm, args, count, &tuple) != ST_OK) return vm_no_memory(vm);
    Status st = cls ? exc_new(vm, cls, tuple, &exc) : vm_no_memory(vm);
    release(vm, tuple);
    if (st != ST_OK) return vm_no_memory(vm);
    replace(vm, &vm->error, exc);
    return ST_ERROR;
}

static Status raise_args(Vm *vm, ExcKind kind, Value *args, size_t count) {
    return raise_made(vm, vm->exceptions[kind], args, count);
}

// Sets the name of the NameError just raised, which its message quotes.
static Status about_quoted(Vm *vm) {
    ExcInstance *exc = exc_of(vm->error);
    if (!vm_error_is(vm, EXC_NameError)) return ST_ERROR; // MemoryError
    const char *from = strchr(exc->args.tuple->items[0].str->data, '\'');
    const char *to = from ? strchr(from + 1, '\'') : NULL;
    if (!to) return ST_ERROR;
    Str *name = str_new(vm, from + 1, (size_t)(to - from - 1));
    if (!name) return vm_no_memory(vm);
    exc_about(vm, name, V_UNDEF);
    release_obj(vm, name);
    return ST_ERROR;
}

Status vm_raise(Vm *vm, ExcKind kind, const char *format, ...) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    va_list args;
    va_start(args, format);
    buf_vprintf(&buf, format, args);
    va_end(args);
    Str *text = str_from_buf(vm, &buf);
    if (!text) return vm_no_memory(vm);
    Value arg = v_obj(text);
    raise_args(vm, kind, &arg, 1);
    return kind == EXC_NameError ? about_quoted(vm) : ST_ERROR;
}

Status vm_raise_value(Vm *vm, ExcKind kind, Value arg) {
    Value copy = retain(arg);
    return raise_args(vm, kind, &copy, 1);
}

Status vm_raise_class(Vm *vm, Class *cls, Value arg) {
    Value copy = retain(arg);
    return raise_made(vm, cls, &copy, 1);
}

Status vm_raise_axis(Vm *vm, int64_t axis, int ndim, const char *name) {
    Value args[3] = {v_int(axis), v_int(ndim), V_NONE};
    Str *text = *name ? str_text(vm, name) : NULL;
    if (*name && !text) return vm_no_memory(vm);
    if (text) args[2] = v_obj(text);
    return raise_args(vm, EXC_AxisError, args, 3);
}

Status vm_raise_unicode(Vm *vm, ExcKind kind, const char *encoding, Value object, size_t start,
                        size_t end, const char *reason) {
    Str *name = str_text(vm, encoding), *why = str_text(vm, reason);
    if (!name || !why) {
        release_obj(vm, name);
        release_obj(vm, why);
        return vm_no_memory(vm);
    }
    Value args[5] = {v_obj(name), retain(object), v_int((int64_t)start), v_int((int64_t)end),
                     v_obj(why)};
    return raise_args(vm, kind, args, 5);
}

Status vm_raise_key(Vm *vm, Value key) {
    return vm_raise_value(vm, EXC_KeyError, key);
}

Status vm_raise_stop(Vm *vm, Value value) {
    Value arg = retain(value);
    return raise_args(vm, EXC_StopIteration, &arg, value.kind > K_NONE);
}

// Returns the subclass of OSError for an errno (PEP 3151).
static ExcKind kind_of_errno(int err) {
    switch (err) {
    case EAGAIN:
    case EALREADY:
    case EINPROGRESS: return EXC_BlockingIOError;
    case EPIPE: return EXC_BrokenPipeError;
    case ECHILD: return EXC_ChildProcessError;
    case ECONNABORTED: return EXC_ConnectionAbortedError;
    case ECONNREFUSED: return EXC_ConnectionRefusedError;
    case ECONNRESET: return EXC_ConnectionResetError;
    case EEXIST: return EXC_FileExistsError;
    case ENOENT: return EXC_FileNotFoundError;
    case EINTR: return EXC_InterruptedError;
    case EISDIR: return EXC_IsADirectoryError;
    case ENOTDIR: return EXC_NotADirectoryError;
    case EACCES:
    case EPERM: return EXC_PermissionError;
    case ESRCH: return EXC_ProcessLookupError;
    case ETIMEDOUT: return EXC_TimeoutError;
    default: return EXC_OSError;
    }
}

Class *exc_os_class(Vm *vm, int err) {
    return vm->exceptions[kind_of_errno(err)];
}

static Value name_or_none(Vm *vm, const char *name) {
    Str *text = name ? os_text(vm, name, strlen(name)) : NULL;
    return text ? v_obj(text) : V_NONE;
}

Status vm_raise_os_two(Vm *vm, int err, const char *filename, const char *other) {
    char message[256];
    if (err == EINTR && vm_poll(vm) != ST_OK) return ST_ERROR;
    if (strerror_r(err, message, sizeof message) != 0)
        snprintf(message, sizeof message, "Unknown error %d", err);
    Str *text = str_text(vm, message);
    if (!text) return vm_no_memory(vm);
    Value args[5] = {v_int(err), v_obj(text), name_or_none(vm, filename), V_NONE,
                     name_or_none(vm, other)};
    if ((filename && args[2].kind == K_NONE) || (other && args[4].kind == K_NONE)) {
        for (int i = 1; i < 5; i++) release(vm, args[i]);
        return vm_no_memory(vm);
    }
    return raise_args(vm, kind_of_errno(err), args, other ? 5 : filename ? 3 : 2);
}

Status vm_raise_os(Vm *vm, int err, const char *filename) {
    return vm_raise_os_two(vm, err, filename, NULL);
}

bool vm_error_is(const Vm *vm, ExcKind kind) {
    return exc_of(vm->error) && class_is_subclass(vm->error.inst->cls, vm->exceptions[kind]);
}

void vm_clear_error(Vm *vm) {
    clear(vm, &vm->error);
}

Status vm_poll(Vm *vm) {
    if (!vm_interrupted(vm)) return ST_OK;
    if (atomic_exchange(&vm->interrupt, BREAK_NONE) == BREAK_INTERRUPT) raise_args(vm, EXC_KeyboardInterrupt, NULL, 0);
    else vm_time_is_up(vm);
    if (vm->effects && vm->effects->broken_off) vm->effects->broken_off(vm->effects->ctx, vm);
    return ST_ERROR;
}

Status vm_time_is_up(Vm *vm) {
    vm->stopped = true;
    return vm_raise(vm, EXC_TimeoutError, "the program's time is up");
}

bool vm_broken_off(const Vm *vm) {
    return vm->stopped || vm_error_is(vm, EXC_KeyboardInterrupt);
}

void vm_clear_tail(Vm *vm) {
    Tail *tail = &vm->tail;
    clear(vm, &tail->callee);
    for (int i = 0; i < TAIL_ARGS; i++) clear(vm, &tail->args[i]);
    clear(vm, &tail->more);
    clear(vm, &tail->kwargs);
    tail->count = 0;
}

Status vm_tail(Vm *vm, Value callee, const Value *args, int count) {
    vm_clear_tail(vm);
    vm->tail.callee = retain(callee);
    for (int i = 0; i < count; i++) vm->tail.args[i] = retain(args[i]);
    vm->tail.count = count;
    return ST_TAIL;
}
