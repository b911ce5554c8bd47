// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exceptions of modules: struct.error, zlib.error, binascii.Error. The class is an attribute of the
// native module, and is looked up when there is something to raise.

#ifndef NACRE_STDLIB_OWN_ERROR_H
#define NACRE_STDLIB_OWN_ERROR_H

#include "vm/value/vm.h"

// Makes the class `name` for a module; `shown` is the module that its repr names.
Status own_error_init(Vm *vm, Module *module, const char *name, const char *shown, ExcKind base);
// Raises it with a text of at most 250 bytes.
Status own_error(Vm *vm, const char *module, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
