// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exception classes of native modules: struct.error, zlib.error, binascii.Error. The class is an attribute of
// the native module, and is looked up there each time that it is raised.

#ifndef NACRE_STDLIB_OWN_ERROR_H
#define NACRE_STDLIB_OWN_ERROR_H

#include "vm/value/vm.h"

// Makes the class `name` and adds it to a module. Its __module__ is `shown`.
Status own_error_init(Vm *vm, Module *module, const char *name, const char *shown, ExcKind base);
// Raises the class `name` of a module with a message of at most 255 bytes.
Status own_error(Vm *vm, const char *module, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
