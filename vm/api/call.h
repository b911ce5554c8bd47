// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls into the script from the functions of nacre.h.

#ifndef NACRE_VM_API_CALL_H
#define NACRE_VM_API_CALL_H

#include "vm/api/api.h"

// Call a value and run until the call has returned; *out is owned on ST_OK. api_call_moving moves `count` arguments out
// of args, which two free slots precede. The last arguments belong to the keywords in `names` (or NULL). api_call
// copies its arguments, at most 8.
Status api_call_moving(Vm *vm, Value callee, Value *args, uint32_t count, const Tuple *names,
                       Value *out);
Status api_call(Vm *vm, Value callee, const Value *args, uint32_t count, Value *out);
// Calls a built-in function, or a module's (dotted, imported if needed), with copies of args.
Status api_call_builtin(Vm *vm, const char *name, const Value *args, uint32_t count, Value *out);
Status api_call_of(Vm *vm, const char *module, const char *name, const Value *args, uint32_t count,
                   Value *out);
// objects.c: get an attribute, set an item, import a module; *out is owned.
Status api_attribute(Vm *vm, Value value, const char *name, Value *out);
Status api_set_item(Vm *vm, Value value, Value key, Value item);
Status api_import(Vm *vm, const char *name, Value *out);

#endif
