// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of the program that the engine is embedded in, as values.

#ifndef NACRE_VM_INTERP_HOST_FUNC_H
#define NACRE_VM_INTERP_HOST_FUNC_H

#include "vm/interp/interp.h"

typedef struct HostFunc HostFunc;

// Calls the host program's function. `args` (borrowed) has a value for each parameter, bound as for natives.
typedef Status (*HostCall)(Vm *vm, HostFunc *func, const Value *args, uint32_t count, Value *out);

struct HostFunc {
    GcObj gc;
    Func *shape; // a function of the language with its name, parameters, defaults and docstring
    HostCall call;
    void (*fn)(void); // of the program; `call` knows its type
    void *ctx;
    void (*drop)(void *ctx); // NULL: the host needs no notice
};

// Consumes shape. `drop` is not called if this fails.
Status host_func_new(Vm *vm, Func *shape, HostCall call, void (*fn)(void), void *ctx,
                     void (*drop)(void *ctx), Value *out);

// Calls it with `count` values, the last ones by the keywords in names (or NULL). Consumes args.
Status host_func_call(Vm *vm, HostFunc *func, Value *args, uint32_t count, const Tuple *names,
                      Value *out);

#endif
