// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of the host that scripts call, and exceptions from and for the host.

#include <string.h>

#include "vm/api/call.h"
#include "vm/api/sizes.h"
#include "vm/interp/host_func.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

enum { HOST_DEPTH = 100, MOST_PARAMETERS = 64 };

// --- Raising -------------------------------------------------------------------------------------

// Finds a class of exceptions by name: built in, or one of numpy.exceptions. Otherwise raises RuntimeError.
static Status class_named(Vm *vm, const char *name, Class **out) {
    Str *key = str_intern(vm, name, strlen(name));
    if (!key) return vm_no_memory(vm);
    Value found = dict_get_str(vm->builtins, key);
    for (int i = 0; i < EXC_COUNT && found.kind != K_CLASS; i++)
        if (vm->exceptions[i]->name == key) found = v_obj(vm->exceptions[i]);
    release_obj(vm, key);
    if (found.kind != K_CLASS || !(found.cls->flags & CLASS_EXCEPTION))
        return vm_raise(vm, EXC_RuntimeError, "there is no exception class '%.60s'", name);
    *out = found.cls;
    return ST_OK;
}

static Status raise_named(Vm *vm, const char *class_name, const char *message) {
    Class *cls = NULL;
    Value text = V_UNDEF;
    size_t len = strlen(message);
    Status st = str_utf8_check(vm, class_name, strlen(class_name));
    if (st == ST_OK) st = str_utf8_check(vm, message, len);
    if (st == ST_OK) st = class_named(vm, class_name, &cls);
    if (st == ST_OK) st = str_out(vm, str_new(vm, message, len), &text);
    if (st != ST_OK) return st;
    vm_raise_class(vm, cls, text);
    release(vm, text);
    return ST_ERROR;
}

NacreStatus nacre_raise(NacreVm *handle, const char *class_name, const char *message) {
    if (!api_is_open(handle) || !class_name || !message) return NACRE_MISUSE;
    api_clear_outcome(handle);
    raise_named(&handle->vm, class_name, message);
    return api_failed(handle);
}

NacreStatus nacre_raise_value(NacreVm *handle, NacreValue *exception) {
    if (!api_is_open(handle) || !api_is_held(handle, exception)) return NACRE_MISUSE;
    Value value = retain(exception->value);
    api_clear_outcome(handle);
    raise_value(&handle->vm, value, V_UNDEF, false);
    release(&handle->vm, value);
    return api_failed(handle);
}

NacreValue *nacre_error_value(NacreVm *handle) {
    if (!api_is_open(handle) || handle->exception.kind == K_UNDEF) return NULL;
    NacreValue *hold = api_hold(handle, retain(handle->exception));
    vm_clear_error(&handle->vm); // a report that was already written is not taken back
    return hold;
}

// --- Calls from scripts --------------------------------------------------------------------------

Status api_host_failed(NacreVm *handle, const char *what) {
    Vm *vm = &handle->vm;
    Value exception = handle->exception;
    handle->exception = V_UNDEF;
    if (exception.kind == K_UNDEF)
        return vm_raise(vm, EXC_RuntimeError, "%s failed", what);
    api_clear_outcome(handle);
    // re-raised in the caller, with the traceback through the host's function
    replace(vm, &vm->error, exception);
    exc_chain(vm, exception);
    return ST_ERROR;
}

static Status run_host(NacreVm *handle, HostFunc *func, NacreValue *const *args, uint32_t count,
                       Value *out) {
    NacreValue *result = NULL;
    bool stress = handle->vm.interp->stress;
    handle->vm.interp->stress = false; // the host's function holds references on the C stack, which the check of
                                       // reference counts cannot see
    sharing_leave(&handle->vm);
    handle->hosting++;
    NacreStatus status = ((NacreFn)func->fn)(func->ctx, handle, count, args, &result);
    handle->hosting--;
    sharing_enter(&handle->vm);
    handle->vm.interp->stress = stress;
    if (handle->vm.stopped) { // a time limit ends the program, whatever the function returns
        nacre_release(handle, result);
        return vm_time_is_up(&handle->vm);
    }
    bool good = status == NACRE_OK && (!result || api_is_held(handle, result));
    if (good) *out = result ? retain(result->value) : V_NONE;
    nacre_release(handle, result);
    return good ? ST_OK : api_host_failed(handle, func->shape->name->data);
}

static Status call_host(Vm *vm, HostFunc *func, const Value *args, uint32_t count, Value *out) {
    NacreVm *handle = (NacreVm *)vm;
    NacreValue cells[MOST_PARAMETERS], *holds[MOST_PARAMETERS];
    if (handle->hosting >= HOST_DEPTH)
        return vm_raise(vm, EXC_RecursionError,
                        "maximum depth of calls between the host and its scripts exceeded");
    for (uint32_t i = 0; i < count; i++) {
        cells[i] = (NacreValue){.value = args[i], .vm = handle, .next_free = &cells[i]};
        holds[i] = &cells[i];
    }
    if (vm_settle(vm) != ST_OK) return ST_ERROR; // deliver pending warnings first, so that the host gets them in order
    api_clear_outcome(handle);
    return run_host(handle, func, holds, count, out);
}

// --- Making one ----------------------------------------------------------------------------------

// Writes the definition of a function without a body: "def name(parameters): 'doc'".
static void put_definition(const NacreFunction *function, Value doc, Buf *text) {
    buf_printf(text, "def %s(%s):\n    ", function->name,
               function->signature ? function->signature : "*args");
    if (doc.kind == K_STR)
        str_repr(doc.str, text);
    else
        buf_puts(text, "pass");
    buf_puts(text, "\n");
}

static bool is_identifier(const char *name) {
    for (const char *c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' ||
                      (unsigned char)*c >= 0x80;
        if (!letter && (c == name || *c < '0' || *c > '9')) return false;
    }
    return *name != '\0';
}

// Compiles a function's definition in a module of its own, and returns the function; owned.
static Status define(Vm *vm, const char *name, const Buf *text, Value *out) {
    Value module, main, none = V_UNDEF;
    Str *key = str_intern(vm, name, strlen(name));
    if (!key) return vm_no_memory(vm);
    Status st = module_new(vm, "host", &module);
    if (st == ST_OK) {
        st = compile_text(vm, text->data, text->len, "<host>", NACRE_FILE, module.module, &main);
        if (st == ST_OK) {
            st = api_call(vm, main, NULL, 0, &none);
            release(vm, main);
        }
        if (st == ST_OK) *out = retain(module_get(module.module, key));
        release(vm, module);
    }
    release_obj(vm, key);
    release(vm, none);
    return st;
}

static Status shape_of(Vm *vm, const NacreFunction *function, Value *out) {
    Value doc = V_UNDEF;
    Buf text;
    Status st =
        is_identifier(function->name)
            ? ST_OK
            : vm_raise(vm, EXC_ValueError, "'%.60s' cannot be a function's name", function->name);
    if (st == ST_OK && function->doc) {
        st = str_utf8_check(vm, function->doc, strlen(function->doc));
        if (st == ST_OK) st = str_out(vm, str_text(vm, function->doc), &doc);
    }
    if (st != ST_OK) return st;
    buf_init(&text, &vm->mem);
    put_definition(function, doc, &text);
    st = text.failed ? vm_no_memory(vm) : define(vm, function->name, &text, out);
    if (st == ST_OK && (out->kind != K_FUNC || out->func->code->sig.total > MOST_PARAMETERS)) {
        st = vm_raise(vm, EXC_ValueError, "a function of the host has at most %d parameters",
                      MOST_PARAMETERS);
        release(vm, *out);
    }
    buf_free(&text);
    release(vm, doc);
    return st;
}

NacreStatus nacre_function(NacreVm *handle, const NacreFunction *given, NacreValue **out) {
    NacreFunction taken;
    const NacreFunction *function = &taken;
    if (!api_is_open(handle) || !API_TAKE(&taken, FIRST_FUNCTION, given) || !function->name || !function->fn ||
        !out)
        return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value shape = V_UNDEF, made = V_UNDEF;
    api_begin(handle);
    Status st = shape_of(vm, function, &shape);
    if (st == ST_OK)
        st = host_func_new(vm, shape.func, call_host, (void (*)(void))function->fn, function->ctx,
                           function->drop, &made);
    if (st != ST_OK && function->drop) function->drop(function->ctx);
    return api_end(handle, st, made, out);
}

// --- Telling -------------------------------------------------------------------------------------

const char *nacre_error_message(const NacreVm *handle) {
    bool told = api_is_alive(handle) && handle->error_message.data && !handle->error_message.failed;
    return told ? handle->error_message.data : "";
}

NacreStatus nacre_error_frame(const NacreVm *handle, int index, NacreFrame *frame) {
    if (!api_is_alive(handle) || index < 0 || !api_can_give(frame, FIRST_FRAME)) return NACRE_MISUSE;
    const ExcInstance *exc = exc_of(handle->exception);
    if (!exc || exc->traceback.kind != K_TRACEBACK) return NACRE_MISUSE;
    const Traceback *traceback = (const Traceback *)exc->traceback.obj;
    size_t at = 0, seen = 0;
    for (; at < traceback->len; at++)
        if (!traceback->entries[at].code->unit->plumbing && seen++ == (size_t)index) break;
    if (at == traceback->len) return NACRE_MISUSE;
    const TracebackEntry *entry = &traceback->entries[at];
    const BcSpan span = traceback_span(entry);
    const NacreFrame found = {.file = entry->code->unit->bc->filename,
                              .function = entry->code->qualname->data,
                              .line = (int)span.line,
                              .column = (int)span.col + 1,
                              .end_line = (int)span.end_line,
                              .end_column = (int)span.end_col + 1};
    API_GIVE(frame, &found);
    return NACRE_OK;
}
