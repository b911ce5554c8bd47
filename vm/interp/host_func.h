// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values that are functions of the program in which the engine is embedded.

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
    void (*fn)(void); // the program's function, whose type `call` knows
    void *ctx;
    void (*drop)(void *ctx); // called when the value is freed, or NULL
};

// Makes such a value. Consumes shape. Does not call `drop` on failure.
Status host_func_new(Vm *vm, Func *shape, HostCall call, void (*fn)(void), void *ctx,
                     void (*drop)(void *ctx), Value *out);

// Calls func with `count` values, the last ones by the keywords in names (or NULL). Consumes args.
Status host_func_call(Vm *vm, HostFunc *func, Value *args, uint32_t count, const Tuple *names,
                      Value *out);

#endif
