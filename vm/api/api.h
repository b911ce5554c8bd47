// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The object behind a NacreVm handle.

#ifndef NACRE_VM_API_API_H
#define NACRE_VM_API_API_H

#include "nacre/nacre.h"
#include "vm/interp/host.h"
#include "vm/interp/interp.h"

struct NacreVm {
    Vm vm; // first: the library's own functions are given &handle->vm
    NacreOptions options;
    HostInfo info;
    Interp *interp;
    Buf error_text, result_text;
    char error_class[64];
    int error_line;
    int exit_code;
    int running; // depth of nacre_run calls
    struct Watcher *watcher; // watch.c; NULL: nobody watches
};

// What a function of the prelude makes of copies of the arguments; *out is owned, also where it fails. To be
// called when no frame is running.
Status api_by_code(Vm *vm, const char *function, const Value *args, uint32_t count, Value *out);
// The object of a dotted name, owned, as far as plain attributes and those of modules lead; ST_STOP where that
// would call something else or fails.
Status api_follow(Vm *vm, const char *text, size_t len, Value *out);

// run.c: before something is run; what became of it where an exception is set.
void api_clear_outcome(NacreVm *handle);
NacreStatus api_failed(NacreVm *handle);

// watch.c
void api_watch_stop(NacreVm *handle);

#endif
