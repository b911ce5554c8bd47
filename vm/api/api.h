// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The objects behind a NacreVm and a NacreValue handle, and what the functions of nacre.h share.

#ifndef NACRE_VM_API_API_H
#define NACRE_VM_API_API_H

#include <pthread.h>
#include <stdatomic.h>

#include "nacre/nacre.h"
#include "vm/graph/storage.h"
#include "vm/interp/host.h"
#include "vm/interp/interp.h"
#include "vm/sched/sharing.h"

typedef struct Export Export; // dlpack.c

struct NacreVm {
    Vm vm; // first, so that functions of the engine get &handle->vm
    NacreOptions options;
    NacreDryRun dry_run; // set if options.dry_run is
    HostInfo info;
    Interp *interp;
    Buf error_text, error_message, result_text;
    char error_class[64];
    int error_line;
    int exit_code;
    Value exception;         // described by error_text; V_UNDEF: none
    struct Deadline *deadline; // deadline.c; NULL: not needed yet
    pthread_t thread;          // the thread of the running call, and its start time: progress.c
    double begun;
    int running;             // depth of calls that run code
    int hosting;             // how many of these are inside a function of the host
    struct HoldBlock *holds; // holds.c
    NacreValue *free_holds, *last_free; // queue of released handles
    size_t held, free_count;
    Export *exports;              // exported tensors; used by the VM's thread only
    _Atomic(Export *) given_back; // exports that other libraries have returned, on any thread
    _Atomic int users;            // reference count of the VM's memory: the VM and each exported tensor
    Left left;                    // after nacre_free: what exported tensors still need
    struct Watcher *watcher; // watch.c; NULL: no watcher
    struct Shown *shown;     // shown.c: the plan shown to the host; NULL: none yet
    struct HostPasses *passes; // passes.c; NULL: no passes
    struct Operation *operations; // operations.c
    uint32_t edit;           // number of the running edit, from 1; 0: none
    uint32_t edits;          // number of edits so far
};

// A handle of the host on a value, in a block of handles.
struct NacreValue {
    Value value;
    const NacreVm *vm; // NULL: the handle was released
    uint32_t edit;     // the edit that created it, with which its value ends; 0: none
    NacreValue *next_free;
};

// Calls a function of the prelude with copies of the arguments; *out is owned, also on failure. No frame may be
// running.
Status api_by_code(Vm *vm, const char *function, const Value *args, uint32_t count, Value *out);
// Resolves a dotted name without running code, through plain attributes and module attributes; owned. ST_STOP: that
// would run code, or a name is missing.
Status api_follow(Vm *vm, const char *text, size_t len, Value *out);

// run.c: clears the outcome before a run; sets it from the current exception.
void api_clear_outcome(NacreVm *handle);
NacreStatus api_failed(NacreVm *handle);
// ranks.c: ends a run in the same way on all ranks; before api_left.
NacreStatus api_end_on_ranks(NacreVm *handle, NacreStatus status);
// Completes a native operation: runs the calls that it requested, and frames that it pushed with RET_EXIT. *out is
// owned on ST_OK.
Status api_finish(Vm *vm, Status st, Value *out);

// group.c: leaves a group whose VM could not be made, so that other ranks do not wait for it.
void api_group_miss(const NacreOptions *options);

// dry.c: reads the host's options of a dry run; false: they are invalid.
struct DryStep;
bool api_take_dry(NacreVm *handle, const NacreDryRun *given);
void api_dry_step(void *ctx, const struct DryStep *step); // DryOptions.step; ctx: the NacreDryRun

// alive.c. Returns whether the VM exists; in release builds only whether the handle is not NULL.
#ifdef NDEBUG
enum { API_KNOWS_ALIVE = 0 };
static inline bool api_is_alive(const NacreVm *handle) {
    return handle;
}
#else
enum { API_KNOWS_ALIVE = 1 };
bool api_is_alive(const NacreVm *handle);
#endif
void api_born(const NacreVm *handle);
void api_died(const NacreVm *handle);
void api_bury(NacreVm *handle); // frees the memory of a destroyed VM; debug builds do so later
const char *api_text_of_dead(const NacreVm *handle); // error text of a destroyed VM

// --- Functions on values ----------------------------------------------------------------------------

// Returns whether functions on values may be called: nothing runs, or a function of the host does.
static inline bool api_is_open(const NacreVm *handle) {
    return api_is_alive(handle) && handle->running == handle->hosting;
}
static inline bool api_is_held(const NacreVm *handle, const NacreValue *value) {
    return value && value->vm == handle;
}
// Returns whether functions on values may be called, and all `values` are live handles of this VM.
bool api_are_held(const NacreVm *handle, size_t count, NacreValue *const *values);
// Bracket a call that may raise or run code of the script. api_end sets the outcome; on ST_OK it makes a handle of
// `result` (consumed; V_UNDEF: none), if out is not NULL.
void api_begin(NacreVm *handle);
void api_left(NacreVm *handle); // instead of api_end, if the outcome is set already
NacreStatus api_end(NacreVm *handle, Status st, Value result, NacreValue **out);

// holds.c. Makes a handle on an owned value; NULL: MemoryError is set, and the value released.
NacreValue *api_hold(NacreVm *handle, Value owned);
void api_visit(Vm *vm, Visitor *visitor); // visits the values of live handles
void api_free_holds(NacreVm *handle);

// arrays.c: describes an array to the host, except for the structure's size; TypeError, ValueError for invalid
// arguments.
void api_describe(struct Array *array, NacreArray *info);
Status api_dtype_named(Vm *vm, const char *name, DType *out);
Status api_check_shape(Vm *vm, int ndim, const int64_t *shape);
// Returns whether the storage is memory of the host.
bool api_is_lent(const Storage *storage);
// Like nacre_wrap; `on_device`: the address is one of the device.
NacreStatus api_wrap(NacreVm *handle, const NacreMemory *memory, bool on_device, NacreValue **out);

// dlpack.c. api_take_back releases returned tensors, on the VM's thread; api_keep_exports prepares for tensors that
// outlive the VM, before the engine is destroyed. lifecycle.c: api_free_rest frees the VM after the last of them.
void api_take_back(NacreVm *handle);
void api_keep_exports(NacreVm *handle);
void api_free_rest(NacreVm *handle);

// watch.c
void api_watch_stop(NacreVm *handle);

// functions.c: raises the exception of a host's function that did not return NACRE_OK.
Status api_host_failed(NacreVm *handle, const char *what);

// holds.c: clears handles made in the running edit to None.
void api_empty_holds(NacreVm *handle);

// make.c: copies a text of the host into the VM's memory; NULL: out of memory. api_free_text frees it; NULL is fine.
char *api_copied(Vm *vm, const char *text);
void api_free_text(Vm *vm, const char *text);

// passes.c
void api_free_passes(NacreVm *handle);

// operations.c: returns the function of a host's operation, borrowed; V_UNDEF: no such operation.
Value api_operation(const NacreVm *handle, const char *name);
int api_operation_arity(const NacreVm *handle, const char *name); // 0: no such operation
void api_visit_operations(const NacreVm *handle, Visitor *visitor);
void api_drop_operations(NacreVm *handle); // drops their functions, while the engine lives; api_free_operations frees
                                           // the rest later
void api_free_operations(NacreVm *handle);

#endif
