// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs text and files, and sets the outcome.

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vm/api/api.h"
#include "vm/sched/engine.h"
#include "vm/value/bytes.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- How a run ended -------------------------------------------------------------------------------

void api_clear_outcome(NacreVm *handle) {
    if (handle->exception.kind == K_UNDEF && !handle->result_text.data && !handle->error_class[0]) return;
    buf_free(&handle->error_text);
    buf_free(&handle->error_message);
    buf_free(&handle->result_text);
    handle->error_text.failed = handle->error_message.failed = handle->result_text.failed = false;
    clear(&handle->vm, &handle->exception);
    handle->error_class[0] = '\0';
    handle->error_line = 0;
    handle->exit_code = 0;
}

Status api_finish(Vm *vm, Status st, Value *out) {
    if (st != ST_TAIL) return st;
    st = interp_run(vm);
    *out = vm->interp->result;
    vm->interp->result = V_UNDEF;
    return st;
}

Status api_by_code(Vm *vm, const char *function, const Value *args, uint32_t count, Value *out) {
    *out = V_UNDEF;
    return api_finish(vm, call_prelude(vm, function, args, count, RET_EXIT, 0, out), out);
}

// Appends the text of a value whose class has its own __repr__ or __str__, by a function of the prelude.
static Status text_by_code(Vm *vm, const char *function, Value v, Buf *out) {
    Value text;
    Status st = api_by_code(vm, function, &v, 1, &text);
    if (st == ST_OK && text.kind == K_STR) buf_put(out, text.str->data, text.str->len);
    release(vm, text);
    return st;
}

// Sets the exit code from SystemExit's code: 0 for None, an int itself; anything else is printed and counts as 1.
static void note_exit(NacreVm *handle, ExcInstance *exc) {
    Vm *vm = &handle->vm;
    Value code = exc->value;
    if (code.kind == K_UNDEF || code.kind == K_NONE) handle->exit_code = 0;
    else if (code.kind == K_INT || code.kind == K_BOOL) handle->exit_code = (int)code.i;
    else if (code.kind == K_BIGINT) handle->exit_code = -1;
    else {
        handle->exit_code = 1;
        Buf text;
        buf_init(&text, &vm->mem);
        Status st = op_str(vm, code, &text);
        if (st == ST_DEFER) {
            text.len = 0;
            st = text_by_code(vm, "str_slow", code, &text);
        }
        if (st == ST_OK) {
            buf_putc(&text, '\n');
            if (os_shown(&text)) vm->host.write(vm->host.ctx, 2, text.data, text.len);
        }
        buf_free(&text);
    }
}

// Returns whether an entry is in the script: built-in modules have no source.
static bool is_script(const TracebackEntry *entry) {
    return entry->code->unit->source;
}

static void note_line(NacreVm *handle, ExcInstance *exc) {
    Vm *vm = &handle->vm;
    Value line = V_UNDEF;
    if (exc->traceback.kind == K_TRACEBACK) {
        const Traceback *tb = (const Traceback *)exc->traceback.obj;
        size_t at = 0;
        while (at < tb->len && !is_script(&tb->entries[at])) at++;
        if (at == tb->len) return;
        const TracebackEntry *entry = &tb->entries[at];
        handle->error_line = (int)traceback_span(entry).line;
    } else if (instance_get(vm, &exc->inst, vm_name(vm, NAME_lineno), &line) == ST_OK) {
        if (line.kind == K_INT) handle->error_line = (int)line.i;
        release(vm, line);
    }
}

// Sets the error message to str(exc); empty if that raises, or memory is short.
static void note_message(NacreVm *handle, Value error) {
    Vm *vm = &handle->vm;
    Buf *out = &handle->error_message;
    Status st = op_str(vm, error, out);
    if (st == ST_DEFER) {
        out->len = 0;
        st = text_by_code(vm, "str_slow", error, out);
    }
    os_shown(out);
    buf_putc(out, '\0');
    if (st == ST_OK && !out->failed) return;
    vm_clear_error(vm);
    buf_free(out);
}

NacreStatus api_failed(NacreVm *handle) {
    Vm *vm = &handle->vm;
    Value error = vm->error;
    vm->error = V_UNDEF;
    replace(vm, &vm->interp->told, error); // str() of it may run code of its class
    ExcInstance *exc = exc_of(error);
    NacreStatus status = NACRE_ERROR;
    if (class_is_subclass(exc->inst.cls, vm->exceptions[EXC_SystemExit])) {
        note_exit(handle, exc);
        status = NACRE_EXIT;
    } else {
        if (class_is_subclass(exc->inst.cls, vm->exceptions[EXC_KeyboardInterrupt]))
            status = NACRE_INTERRUPTED;
        snprintf(handle->error_class, sizeof handle->error_class, "%s", exc->inst.cls->name->data);
        note_line(handle, exc);
        if (traceback_format(vm, error, &handle->error_text) != ST_OK) {
            vm_clear_error(vm);
            buf_free(&handle->error_text); // without a traceback, the class name is all that is reported
        }
        os_shown(&handle->error_text);
        buf_putc(&handle->error_text, '\0');
        note_message(handle, error);
    }
    // The shared MemoryError must not accumulate a traceback from one failure to the next.
    if (v_is(error, vm->no_memory)) clear(vm, &exc->traceback);
    replace(vm, &handle->exception, retain(error));
    clear(vm, &vm->interp->told);
    vm_clear_error(vm);
    return status;
}

static Status keep_result(NacreVm *handle, Value result) {
    Buf *out = &handle->result_text;
    Status st = op_repr(&handle->vm, result, out);
    if (st == ST_DEFER) {
        out->len = 0;
        st = text_by_code(&handle->vm, "repr_slow", result, out);
    }
    buf_putc(out, '\0');
    if (st == ST_OK && out->failed) st = vm_no_memory(&handle->vm);
    if (st != ST_OK) buf_free(out);
    return st;
}

// --- Running ---------------------------------------------------------------------------------------

// Runs a main function, and then what is pending. Consumes `main`: the frame holds it.
static Status run_main(Vm *vm, Value main) {
    if (!frame_push_owned(vm, vm->interp, main.func, RET_EXIT, 0, 0)) return ST_ERROR;
    Status st = interp_run(vm);
    if (vm->stopped) gen_drop_rest(vm);
    else if (!vm->interp->frame) gen_close_rest(vm); // inside a function of the host, the outer call does that
    bool broken = st != ST_OK && vm_broken_off(vm); // after a stop, pending nodes wait until they are observed
    if (broken) engine_put_aside(vm);
    Value error = vm->error; // pending nodes come before the error in the program, and may report first
    vm->error = V_UNDEF;
    Status rest = broken ? engine_settle(vm) : engine_observe_all(vm);
    if (st == ST_OK) return rest;
    vm_clear_error(vm);
    vm->error = error;
    return st;
}

NacreStatus nacre_run(NacreVm *handle, const char *text, size_t len, const char *filename,
                      NacreMode mode) {
    if (!api_is_open(handle) || !text || !filename) return NACRE_MISUSE;
    if ((int)mode < NACRE_FILE || (int)mode > NACRE_CELL) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value main = V_UNDEF;
    api_begin(handle);
    vm->interp->stress = handle->options.stress && !handle->hosting;
    Str *name = os_text(vm, filename, strlen(filename));
    Status st = vm_check(vm, name);
    if (st == ST_OK)
        st = compile_text(vm, text, len, name->data, (int)mode, vm->interp->main, &main);
    release_obj(vm, name);
    if (st == ST_OK) st = run_main(vm, main);
    Value result = vm->interp->result;
    vm->interp->result = V_UNDEF;
    if (st == ST_OK && mode == NACRE_EXPRESSION) st = keep_result(handle, result);
    release(vm, result);
    NacreStatus status = st == ST_OK ? NACRE_OK : api_failed(handle); // may run code: __str__
    status = api_end_on_ranks(handle, status);
    api_left(handle);
    return status;
}

// Returns the current folder as bytes, as rank 0 sees it (effects.h); None if it no longer exists.
static Status folder(Vm *vm, const Value *args, Value *out) {
    char here[PATH_MAX];
    (void)args;
    *out = V_NONE;
    return getcwd(here, sizeof here) ? bytes_out(vm, bytes_new(vm, here, strlen(here)), out) : ST_OK;
}
static const NativeDef folder_row = {"folder", "", folder, NULL, ENV};

// Makes the path absolute, without `.` and `..`, NUL-terminated; links are not followed. A file bundled with a program
// keeps the path that it had when the program was made.
static Status absolute_path(NacreVm *handle, const char *path, Buf *out) {
    Value here = V_NONE;
    buf_init(out, &handle->vm.mem);
    Status st = *path != '/' && !handle->info.files ? native_run(&handle->vm, &folder_row, NULL, &here) : ST_OK;
    if (st != ST_OK) return st;
    bool relative = here.kind == K_BYTES;
    if (relative) buf_put(out, here.bytes->data, here.bytes->len);
    release(&handle->vm, here);
    if (!relative && *path != '/') {
        buf_puts(out, path);
        path = "";
    }
    while (*path) {
        size_t len = strcspn(path, "/");
        bool up = len == 2 && path[0] == '.' && path[1] == '.', stays = len == 0 || (len == 1 && *path == '.');
        while (up && out->len > 0 && out->data[--out->len] != '/') {
        }
        if (!up && !stays) buf_printf(out, "/%.*s", (int)len, path);
        path += len + (path[len] == '/');
    }
    buf_putc(out, '\0');
    return out->failed ? vm_no_memory(&handle->vm) : ST_OK;
}

static Status set_script_dir(NacreVm *handle, const char *path) {
    Mem *mem = &handle->vm.mem;
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (slash == path ? 1 : (size_t)(slash - path)) : 0;
    char *dir = mem_alloc(mem, len + 1);
    if (!dir) return vm_no_memory(&handle->vm);
    memcpy(dir, path, len);
    dir[len] = '\0';
    mem_free(mem, handle->info.script_dir, handle->info.script_dir_size);
    handle->info.script_dir = dir;
    handle->info.script_dir_size = len + 1;
    return ST_OK;
}

static Status set_main_file(Vm *vm, const char *path) {
    Str *file = os_text(vm, path, strlen(path));
    if (!file) return vm_no_memory(vm);
    return module_set(vm, vm->interp->main, "__file__", v_obj(file));
}

NacreStatus nacre_run_file(NacreVm *handle, const char *path) {
    if (!api_is_open(handle) || !path) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    api_clear_outcome(handle);
    Buf text, whole;
    buf_init(&text, &vm->mem);
    Status st = absolute_path(handle, path, &whole);
    if (st == ST_OK) st = host_read_source(vm, path, &text);
    if (st == ST_OK) st = set_script_dir(handle, whole.data);
    if (st == ST_OK) st = set_main_file(vm, whole.data);
    NacreStatus status = st == ST_OK
                             ? nacre_run(handle, text.data ? text.data : "", text.len, path,
                                         NACRE_FILE)
                             : api_failed(handle);
    buf_free(&text);
    buf_free(&whole);
    return status;
}

NacreStatus nacre_set_argv(NacreVm *handle, int argc, const char *const *argv) {
    if (!api_is_alive(handle) || argc < 0 || (argc > 0 && !argv) || handle->running) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    List *list = list_new(vm, (size_t)argc);
    Status st = vm_check(vm, list);
    for (int i = 0; st == ST_OK && i < argc; i++) {
        Value text;
        st = str_out(vm, os_text(vm, argv[i], strlen(argv[i])), &text);
        if (st == ST_OK) st = list_append(vm, list, text);
    }
    if (st != ST_OK) {
        release_obj(vm, list);
        return api_failed(handle);
    }
    replace(vm, &handle->info.argv, v_obj(list));
    return NACRE_OK;
}

void nacre_interrupt(NacreVm *handle) {
    if (api_is_alive(handle)) interp_interrupt(&handle->vm);
}

void nacre_forget_interrupt(NacreVm *handle) {
    int why = BREAK_INTERRUPT;
    if (api_is_alive(handle)) atomic_compare_exchange_strong(&handle->vm.interrupt, &why, BREAK_NONE);
}

int nacre_interrupted(const NacreVm *handle) {
    int why = api_is_alive(handle) ? atomic_load(&handle->vm.interrupt) : BREAK_NONE;
    return why == BREAK_INTERRUPT || why == BREAK_TIME;
}

// --- Questions afterwards --------------------------------------------------------------------------

static bool has_error_text(const NacreVm *handle) {
    return api_is_alive(handle) && handle->error_text.data && !handle->error_text.failed;
}

const char *nacre_error_text(const NacreVm *handle) {
    if (!api_is_alive(handle)) return api_text_of_dead(handle);
    return has_error_text(handle) ? handle->error_text.data : "";
}

size_t nacre_error_size(const NacreVm *handle) {
    return has_error_text(handle) ? handle->error_text.len - 1 : 0; // the last byte ends the text
}

const char *nacre_error_class(const NacreVm *handle) {
    return api_is_alive(handle) ? handle->error_class : "";
}

int nacre_error_line(const NacreVm *handle) {
    return api_is_alive(handle) ? handle->error_line : 0;
}

int nacre_exit_code(const NacreVm *handle) {
    return api_is_alive(handle) ? handle->exit_code : 0;
}

const char *nacre_result_text(const NacreVm *handle) {
    return api_is_alive(handle) && handle->result_text.data && !handle->result_text.failed
               ? handle->result_text.data
               : "";
}

NacreCompleteness nacre_is_complete(NacreVm *handle, const char *text, size_t len) {
    if (!api_is_alive(handle) || !text) return NACRE_INVALID;
    switch (compile_is_complete(&handle->vm.mem, text, len)) {
    case TEXT_COMPLETE: return NACRE_COMPLETE;
    case TEXT_INCOMPLETE: return NACRE_INCOMPLETE;
    default: return NACRE_INVALID;
    }
}

uint64_t nacre_instruction_count(const NacreVm *handle, int index, const char **name) {
    bool known = api_is_alive(handle) && index >= 0 && index < OP_EXT;
    if (name) *name = known ? bc_op_info[index].name : NULL;
    return known && handle->vm.interp->op_counts ? handle->vm.interp->op_counts[index] : 0;
}
