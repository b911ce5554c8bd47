// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls that a host makes on values, and what begins and ends every function on values.

#include "vm/api/call.h"

#include <string.h>

#include "vm/api/deadline.h"
#include "vm/api/progress.h"
#include "vm/sched/engine.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { FEW_ARGS = 8, SPARE = 2 }; // call_value needs free slots before the arguments

// --- Begin and end -------------------------------------------------------------------------------

bool api_are_held(const NacreVm *handle, size_t count, NacreValue *const *values) {
    if (count && !values) return false;
    for (size_t i = 0; i < count; i++)
        if (!api_is_held(handle, values[i])) return false;
    return true;
}

// Begins an outermost call. Clears an interrupt that came while nothing ran, unless the host asked to keep it, and
// starts the time limit. If the thread for that cannot be made, the call is stopped at once.
static void begin_outermost(NacreVm *handle) {
    Vm *vm = &handle->vm;
    int why = atomic_load_explicit(&vm->interrupt, memory_order_relaxed);
    bool keep = why == BREAK_INTERRUPT && handle->options.keep_interrupts;
    if (why != BREAK_NONE && !keep) atomic_store(&vm->interrupt, BREAK_NONE);
    vm->stopped = false;
    double limit = handle->options.time_limit, interval = progress_begin(handle);
    if (!(limit > 0) && interval == 0) return;
    if (!handle->deadline) handle->deadline = deadline_new(vm);
    if (handle->deadline) deadline_begin(handle->deadline, limit, interval);
    else if (limit > 0) interp_stop(vm);
}

void api_begin(NacreVm *handle) {
    api_clear_outcome(handle);
    sharing_enter(&handle->vm);
    if (atomic_load_explicit(&handle->given_back, memory_order_relaxed)) api_take_back(handle);
    if (handle->running++ == 0) begin_outermost(handle);
    handle->vm.interp->stress = false; // these functions hold references on the C stack
}

void api_left(NacreVm *handle) {
    sharing_leave(&handle->vm);
    if (handle->vm.stopped && handle->running == 1) engine_put_aside(&handle->vm);
    if (--handle->running > 0 || !handle->deadline) return;
    deadline_end(handle->deadline);
    progress_end(handle);
}

NacreStatus api_end(NacreVm *handle, Status st, Value result, NacreValue **out) {
    if (st == ST_OK && out) {
        if (result.kind == K_UNDEF)
            *out = NULL;
        else if (!(*out = api_hold(handle, result)))
            st = ST_ERROR;
    } else {
        release(&handle->vm, result);
    }
    NacreStatus status = st == ST_OK ? NACRE_OK : api_failed(handle);
    api_left(handle);
    return status;
}

// --- Calls ---------------------------------------------------------------------------------------

// Completes a call after handling an exception that a generator's `throw` or `close` raises where the generator is
// suspended.
static Status run_rest(Vm *vm, const Frame *before, Status st, Value *out) {
    if (st == ST_ERROR && vm->interp->frame != before) {
        st = unwind(vm, false);
        if (st == ST_OK) st = ST_TAIL;
    }
    return api_finish(vm, st, out);
}

Status api_call_moving(Vm *vm, Value callee, Value *args, uint32_t count, const Tuple *names,
                       Value *out) {
    const Frame *before = vm->interp->frame;
    *out = V_UNDEF;
    Status st = call_value(vm, callee, args, count, names, RET_EXIT, 0, out);
    return st == ST_OK ? ST_OK : run_rest(vm, before, st, out);
}

Status api_call(Vm *vm, Value callee, const Value *args, uint32_t count, Value *out) {
    Value slots[SPARE + FEW_ARGS] = {0};
    for (uint32_t i = 0; i < count; i++) slots[SPARE + i] = retain(args[i]);
    return api_call_moving(vm, callee, slots + SPARE, count, NULL, out);
}

// Collects arguments from handles, on the heap if there are many.
static Status call_held(Vm *vm, Value callee, size_t count, NacreValue *const *args,
                        const Tuple *names, Value *out) {
    Value few[SPARE + FEW_ARGS], *slots = few;
    size_t size = (SPARE + count) * sizeof *slots;
    if (count > UINT16_MAX) return vm_raise(vm, EXC_TypeError, "more than 65535 arguments");
    if (count > FEW_ARGS) slots = mem_alloc(&vm->mem, size);
    if (!slots) return vm_no_memory(vm);
    for (int i = 0; i < SPARE; i++) slots[i] = V_UNDEF;
    for (size_t i = 0; i < count; i++) slots[SPARE + i] = retain(args[i]->value);
    Status st = api_call_moving(vm, callee, slots + SPARE, (uint32_t)count, names, out);
    if (slots != few) mem_free(&vm->mem, slots, size);
    return st;
}

static Status names_tuple(Vm *vm, size_t count, const char *const *names, Tuple **out) {
    *out = NULL;
    if (count == 0) return ST_OK;
    Tuple *tuple = tuple_new(vm, count);
    if (!tuple) return vm_no_memory(vm);
    for (size_t i = 0; i < count; i++) {
        Str *name = NULL;
        Status st = str_utf8_check(vm, names[i], strlen(names[i]));
        if (st == ST_OK) st = vm_check(vm, name = str_intern(vm, names[i], strlen(names[i])));
        if (st != ST_OK) {
            release_obj(vm, tuple);
            return st;
        }
        tuple->items[i] = v_obj(name);
    }
    *out = tuple;
    return ST_OK;
}

static bool are_texts(size_t count, const char *const *names) {
    if (count && !names) return false;
    for (size_t i = 0; i < count; i++)
        if (!names[i]) return false;
    return true;
}

NacreStatus nacre_call(NacreVm *handle, NacreValue *callee, size_t count, NacreValue *const *args,
                       NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, callee) || !api_are_held(handle, count, args))
        return NACRE_MISUSE;
    Value result = V_UNDEF;
    api_begin(handle);
    Status st = call_held(&handle->vm, callee->value, count, args, NULL, &result);
    return api_end(handle, st, result, out);
}

NacreStatus nacre_call_with(NacreVm *handle, NacreValue *callee, size_t count,
                            NacreValue *const *args, size_t name_count, const char *const *names,
                            NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, callee) || count > SIZE_MAX - name_count ||
        !api_are_held(handle, count + name_count, args) || !are_texts(name_count, names))
        return NACRE_MISUSE;
    Value result = V_UNDEF;
    Tuple *keywords;
    api_begin(handle);
    Vm *vm = &handle->vm;
    Status st = names_tuple(vm, name_count, names, &keywords);
    if (st == ST_OK) st = call_held(vm, callee->value, count + name_count, args, keywords, &result);
    release_obj(vm, keywords);
    return api_end(handle, st, result, out);
}

NacreStatus nacre_call_method(NacreVm *handle, NacreValue *value, const char *name, size_t count,
                              NacreValue *const *args, NacreValue **out) {
    if (!api_is_open(handle) || !name || !api_is_held(handle, value) ||
        !api_are_held(handle, count, args))
        return NACRE_MISUSE;
    Value result = V_UNDEF, method;
    api_begin(handle);
    Status st = api_attribute(&handle->vm, value->value, name, &method);
    if (st == ST_OK) {
        st = call_held(&handle->vm, method, count, args, NULL, &result);
        release(&handle->vm, method);
    }
    return api_end(handle, st, result, out);
}

// --- Code ----------------------------------------------------------------------------------------

NacreStatus nacre_compile(NacreVm *handle, const char *text, size_t len, const char *filename,
                          NacreMode mode, NacreValue **out) {
    if (!api_is_open(handle) || !text || !filename || !out ||
        (mode != NACRE_FILE && mode != NACRE_EXPRESSION))
        return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value main = V_UNDEF;
    api_begin(handle);
    Str *name = os_text(vm, filename, strlen(filename));
    Status st = vm_check(vm, name);
    if (st == ST_OK)
        st = compile_text(vm, text, len, name->data, (int)mode, vm->interp->main, &main);
    release_obj(vm, name);
    return api_end(handle, st, main, out);
}

NacreStatus nacre_evaluate(NacreVm *handle, const char *text, size_t len, const char *filename,
                           NacreValue **out) {
    NacreValue *code = NULL;
    NacreStatus status = nacre_compile(handle, text, len, filename, NACRE_EXPRESSION, &code);
    if (status == NACRE_OK) status = nacre_call(handle, code, 0, NULL, out);
    nacre_release(handle, code);
    return status;
}
