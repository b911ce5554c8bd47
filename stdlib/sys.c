// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module sys: the interpreter's own data, standard streams, exit.

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/file.h"
#include "stdlib/stdlib.h"
#include "vm/interp/host.h"
#include "vm/interp/interp.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static Status exit_with(Vm *vm, Value arguments) {
    Value exc;
    if (exc_new(vm, vm->exceptions[EXC_SystemExit], arguments, &exc) == ST_OK)
        replace(vm, &vm->error, exc);
    return ST_ERROR;
}

static Status fn_exit(Vm *vm, const Value *args, Value *out) {
    (void)out;
    if (args[0].kind == K_UNDEF || args[0].kind == K_NONE)
        return exit_with(vm, v_obj(vm->empty_tuple));
    if (args[0].kind == K_TUPLE) return exit_with(vm, args[0]); // the items become SystemExit's arguments
    return vm_raise_value(vm, EXC_SystemExit, args[0]);
}

static Status fn_getrecursionlimit(Vm *vm, const Value *args, Value *out) {
    (void)args;
    *out = v_int(vm->interp->depth_limit);
    return ST_OK;
}

enum { LEAST_DIGITS = 640 };

static Status fn_get_int_max_str_digits(Vm *vm, const Value *args, Value *out) {
    (void)args;
    *out = v_int(vm->text_digits < 0 ? 0 : vm->text_digits ? vm->text_digits : TEXT_DIGITS);
    return ST_OK;
}

static Status fn_set_int_max_str_digits(Vm *vm, const Value *args, Value *out) {
    int64_t most;
    if (op_index(vm, args[0], &most) != ST_OK) return op_refused(vm);
    if (most > INT32_MAX || most < INT32_MIN)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    if (most && most < LEAST_DIGITS)
        return vm_raise(vm, EXC_ValueError, "maxdigits must be 0 or larger than %d", LEAST_DIGITS);
    vm->text_digits = most ? (int)most : -1;
    *out = V_NONE;
    return ST_OK;
}

static Status fn_setrecursionlimit(Vm *vm, const Value *args, Value *out) {
    int64_t limit;
    if (op_index(vm, args[0], &limit) != ST_OK) return op_refused(vm);
    if (limit < 1)
        return vm_raise(vm, EXC_ValueError, "recursion limit must be greater or equal than 1");
    if (limit > INT32_MAX)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    if (limit <= vm->interp->depth)
        return vm_raise(vm, EXC_RecursionError,
                        "cannot set the recursion limit to %d at the "
                        "recursion depth %d: the limit is too low",
                        (int)limit, vm->interp->depth);
    interp_limit_depth(vm, (int)limit);
    *out = V_NONE;
    return ST_OK;
}

// exc_info(): returns (type, value, traceback) of the exception being handled, or three times None.
static Status fn_exc_info(Vm *vm, const Value *args, Value *out) {
    (void)args;
    Value handled = handled_now(vm), items[3] = {V_NONE, V_NONE, V_NONE};
    ExcInstance *exc = exc_of(handled);
    if (exc) {
        items[0] = v_obj(exc->inst.cls);
        items[1] = handled;
        if (exc->traceback.kind != K_UNDEF) items[2] = exc->traceback;
    }
    return tuple_of(vm, items, 3, out);
}

static Status fn_exception(Vm *vm, const Value *args, Value *out) {
    (void)args;
    Value handled = handled_now(vm);
    *out = handled.kind == K_UNDEF ? V_NONE : retain(handled);
    return ST_OK;
}

// getsizeof(obj): returns the size in bytes of the engine's object, without what it references.
static Status fn_getsizeof(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    const TypeSlots *slots = kind_slots[args[0].kind];
    *out = v_int(is_heap(args[0]) && slots->size ? (int64_t)slots->size(args[0].obj)
                                                 : (int64_t)sizeof(Value));
    return ST_OK;
}

static Status fn_getrefcount(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_int(is_heap(args[0]) ? args[0].obj->refs : 1);
    return ST_OK;
}

static Status fn_intern(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "intern() argument must be str, not %s",
                        argument_type_name(vm, args[0]));
    return str_out(vm, str_intern_str(vm, args[0].str), out);
}

static Status fn_getdefaultencoding(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return str_out(vm, str_text(vm, "utf-8"), out);
}

static Status fn_getframe(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

// Attributes of sys that are rarely used are written in the language (stdlib/_sys.ncr).
static Status fn_getattr(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

const NativeDef sys_functions[] = {
    {"__getattr__", "name, /", fn_getattr, "sys_attribute", PURE},
    {"_getframe", "depth=0, /", fn_getframe, "getframe", PURE},
    {"exit", "status=None, /", fn_exit, NULL, PURE},
    {"getrecursionlimit", "", fn_getrecursionlimit, NULL, PURE},
    {"setrecursionlimit", "limit, /", fn_setrecursionlimit, NULL, PURE},
    {"get_int_max_str_digits", "", fn_get_int_max_str_digits, NULL, PURE},
    {"set_int_max_str_digits", "maxdigits", fn_set_int_max_str_digits, NULL, PURE},
    {"exc_info", "", fn_exc_info, NULL, PURE},
    {"exception", "", fn_exception, NULL, PURE},
    {"getsizeof", "obj, default=?", fn_getsizeof, NULL, PURE},
    {"getrefcount", "obj, /", fn_getrefcount, NULL, PURE},
    {"intern", "string, /", fn_intern, NULL, PURE},
    {"getdefaultencoding", "", fn_getdefaultencoding, NULL, PURE},
    {0},
};

// --- Data ------------------------------------------------------------------------------------------

static Status set_text(Vm *vm, Module *module, const char *name, const char *text) {
    Str *str = str_text(vm, text);
    return str ? module_set(vm, module, name, v_obj(str)) : vm_no_memory(vm);
}

// sys.float_info is a module without functions, which serves as a record.
static Status set_float_info(Vm *vm, Module *sys) {
    static const struct {
        const char *name;
        double value;
        bool integer;
    } rows[] = {
        {"max", DBL_MAX, false},
        {"min", DBL_MIN, false},
        {"epsilon", DBL_EPSILON, false},
        {"dig", DBL_DIG, true},
        {"mant_dig", DBL_MANT_DIG, true},
        {"max_exp", DBL_MAX_EXP, true},
        {"max_10_exp", DBL_MAX_10_EXP, true},
        {"min_exp", DBL_MIN_EXP, true},
        {"min_10_exp", DBL_MIN_10_EXP, true},
        {"radix", FLT_RADIX, true},
        {"rounds", 1, true},
    };
    Value info;
    Status st = module_new(vm, "float_info", &info);
    if (st != ST_OK) return st;
    for (size_t i = 0; st == ST_OK && i < sizeof rows / sizeof *rows; i++)
        st = module_set(vm, info.module, rows[i].name,
                        rows[i].integer ? v_int((int64_t)rows[i].value) : v_float(rows[i].value));
    if (st == ST_OK) return module_set(vm, sys, "float_info", info);
    release(vm, info);
    return st;
}

static Status set_version(Vm *vm, Module *sys) {
    Status st = set_text(vm, sys, "version", "3.11.0 (Nacre)");
    if (st == ST_OK) st = set_text(vm, sys, "platform", "linux");
    return st == ST_OK ? set_text(vm, sys, "byteorder", "little") : st;
}

// Sets sys.stdin and the like, and sys.__stdin__ and the like (`kept`), which keep the file if a script replaces it.
static Status set_stream(Vm *vm, Module *sys, const char *name, const char *kept, int stream) {
    Value file;
    Status st = file_standard(vm, stream, &file);
    if (st != ST_OK) return st;
    st = module_set(vm, sys, kept, retain(file));
    if (st == ST_OK) return module_set(vm, sys, name, file);
    release(vm, file);
    return st;
}

static Status add_folder(Vm *vm, List *list, const char *dir, size_t len) {
    Str *text = os_text(vm, dir, len);
    return text ? list_append(vm, list, v_obj(text)) : vm_no_memory(vm);
}

// Appends the folders of a list separated by colons, such as PYTHONPATH.
static Status add_folders(Vm *vm, List *list, const char *folders) {
    Status st = ST_OK;
    while (folders && *folders && st == ST_OK) {
        size_t len = strcspn(folders, ":");
        st = add_folder(vm, list, folders, len);
        folders += len + (folders[len] == ':');
    }
    return st;
}

// Returns the search path of modules: the script's folder, and PYTHONPATH if the host reads the script from the
// disk and there is no sandbox.
static Status search_path(Vm *vm, const Value *args, Value *out) {
    const char *dir = host_script_dir(vm);
    (void)args;
    List *list = list_new(vm, 1);
    Status st = vm_check(vm, list);
    if (st == ST_OK && dir) st = add_folder(vm, list, dir, strlen(dir));
    bool outside = dir && !vm->info->files && !vm->host.sandbox;
    if (st == ST_OK && outside) st = add_folders(vm, list, getenv("PYTHONPATH"));
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(vm, list);
    return st;
}
static const NativeDef search_path_row = {"path", "", search_path, NULL, ENV};

static Status set_path(Vm *vm, Module *sys) {
    Value list;
    Status st = native_run(vm, &search_path_row, NULL, &list);
    return st == ST_OK ? module_set(vm, sys, "path", list) : st;
}

Status sys_init(Vm *vm, Module *module) {
    Status st = module_set(vm, module, "argv", retain(vm->info->argv));
    if (st == ST_OK) st = module_set(vm, module, "modules", retain(v_obj(vm->modules)));
    if (st == ST_OK) st = module_set(vm, module, "maxsize", v_int(INT64_MAX));
    if (st == ST_OK) st = module_set(vm, module, "maxunicode", v_int(0x10FFFF));
    if (st == ST_OK) st = set_text(vm, module, "executable", "nacre");
    if (st == ST_OK) st = set_version(vm, module);
    if (st == ST_OK) st = set_float_info(vm, module);
    if (st == ST_OK) st = set_path(vm, module);
    if (st == ST_OK) st = set_stream(vm, module, "stdin", "__stdin__", 0);
    if (st == ST_OK) st = set_stream(vm, module, "stdout", "__stdout__", 1);
    return st == ST_OK ? set_stream(vm, module, "stderr", "__stderr__", 2) : st;
}
