// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exception classes of native modules.

#include "stdlib/own_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/str.h"

Status own_error_init(Vm *vm, Module *module, const char *name, const char *shown, ExcKind base) {
    Class *cls = class_exception(vm, name, &vm->exceptions[base], 1, base);
    Str *text = str_intern(vm, shown, strlen(shown));
    if (!cls || !text) {
        release_obj(vm, cls);
        release_obj(vm, text);
        return vm_no_memory(vm);
    }
    replace(vm, &cls->module, v_obj(text));
    return module_set(vm, module, name, v_obj(cls));
}

Status own_error(Vm *vm, const char *module, const char *name, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    Str *in = str_intern(vm, module, strlen(module)),
        *attribute = str_intern(vm, name, strlen(name));
    Str *message = str_new(vm, text, strlen(text));
    Status st = in && attribute && message ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK) {
        Value found = dict_get_str(vm->modules, in);
        Value cls = found.kind == K_MODULE ? module_get(found.module, attribute) : V_UNDEF;
        st = vm_raise_class(vm, cls.kind == K_CLASS ? cls.cls : vm->exceptions[EXC_Exception],
                            v_obj(message));
    }
    release_obj(vm, in);
    release_obj(vm, attribute);
    release_obj(vm, message);
    return st;
}
