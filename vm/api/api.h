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
    Vm vm; // first: the library's own functions are given &handle->vm
    NacreOptions options;
    NacreDryRun dry_run; // with options.dry_run
    HostInfo info;
    Interp *interp;
    Buf error_text, error_message, result_text;
    char error_class[64];
    int error_line;
    int exit_code;
    Value exception;         // that error_text tells of; V_UNDEF: none
    struct Deadline *deadline; // deadline.c; NULL: none was needed yet
    pthread_t thread;          // that runs something, and since when: progress.c
    double begun;
    int running;             // depth of calls that run something
    int hosting;             // how many of these are in a function of the host now
    struct HoldBlock *holds; // holds.c
    NacreValue *free_holds, *last_free; // a queue
    size_t held, free_count;
    Export *exports;              // tensors that were handed out; of the VM's thread
    _Atomic(Export *) given_back; // exports that other libraries have returned, on any thread
    _Atomic int users;            // of the VM's memory: itself, and each such tensor
    Left left;                    // after the end: whose memory tensors still have
    struct Watcher *watcher; // watch.c; NULL: nobody watches
    struct Shown *shown;     // shown.c: the plan that the host is shown; NULL: none was yet
    struct HostPasses *passes; // passes.c; NULL: there are none
    struct Operation *operations; // operations.c
    uint32_t edit;           // number of the edit that runs, from 1; 0: none
    uint32_t edits;          // how many there were
};

// A hold of the host on a value, in a block of them.
struct NacreValue {
    Value value;
    const NacreVm *vm; // NULL: the handle was released
    uint32_t edit;     // that it was made in: its value goes with it; 0: none
    NacreValue *next_free;
};

// Calls a function of the prelude with copies of the arguments; *out is owned, also on failure. No frame may be
// running.
Status api_by_code(Vm *vm, const char *function, const Value *args, uint32_t count, Value *out);
// The object of a dotted name, owned, as far as plain attributes and those of modules lead; ST_STOP where that
// would call something else or fails.
Status api_follow(Vm *vm, const char *text, size_t len, Value *out);

// run.c: before something is run; what became of it where an exception is set.
void api_clear_outcome(NacreVm *handle);
NacreStatus api_failed(NacreVm *handle);
// ranks.c: how a run ends, which is how it ends on all ranks; before api_left.
NacreStatus api_end_on_ranks(NacreVm *handle, NacreStatus status);
// Brings to its end what a native operation has begun: calls that it asks for, frames that it has pushed
// with RET_EXIT. *out is owned on ST_OK.
Status api_finish(Vm *vm, Status st, Value *out);

// group.c: there will be no VM with these options, for which others may be waiting.
void api_group_miss(const NacreOptions *options);

// dry.c: false: the host's structure makes no sense.
struct DryStep;
bool api_take_dry(NacreVm *handle, const NacreDryRun *given);
void api_dry_step(void *ctx, const struct DryStep *step); // DryOptions.step; ctx: the NacreDryRun

// alive.c. Whether there is such a VM: in release builds, whether the handle is not NULL.
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
void api_bury(NacreVm *handle); // frees its memory, perhaps later
const char *api_text_of_dead(const NacreVm *handle); // instead of an error's text

// --- Functions on values ----------------------------------------------------------------------------

// Whether such functions may be used now: nothing runs, or a function of the host does.
static inline bool api_is_open(const NacreVm *handle) {
    return api_is_alive(handle) && handle->running == handle->hosting;
}
static inline bool api_is_held(const NacreVm *handle, const NacreValue *value) {
    return value && value->vm == handle;
}
// Both, and that all of some values are held.
bool api_are_held(const NacreVm *handle, size_t count, NacreValue *const *values);
// Before and after a call that may raise or run code of the script. api_end tells how it went; on ST_OK it
// makes a hold of `result` (consumed; V_UNDEF: none), if out is not NULL.
void api_begin(NacreVm *handle);
void api_left(NacreVm *handle); // instead of api_end, where that has been told already
NacreStatus api_end(NacreVm *handle, Status st, Value result, NacreValue **out);

// holds.c. A hold on an owned value; NULL: MemoryError is set, the value released.
NacreValue *api_hold(NacreVm *handle, Value owned);
void api_visit(Vm *vm, Visitor *visitor); // what the host holds
void api_free_holds(NacreVm *handle);

// arrays.c: what a host is told of an array, but for the structure's size; TypeError, ValueError for what it says.
void api_describe(struct Array *array, NacreArray *info);
Status api_dtype_named(Vm *vm, const char *name, DType *out);
Status api_check_shape(Vm *vm, int ndim, const int64_t *shape);
// A storage over memory of the host.
bool api_is_lent(const Storage *storage);
// As nacre_wrap; `on_device`: its address is the device's.
NacreStatus api_wrap(NacreVm *handle, const NacreMemory *memory, bool on_device, NacreValue **out);

// dlpack.c. The first is for the VM's thread; the second when the VM is taken down while tensors are left,
// before its engine is. lifecycle.c: takes down what is left then.
void api_take_back(NacreVm *handle);
void api_keep_exports(NacreVm *handle);
void api_free_rest(NacreVm *handle);

// watch.c
void api_watch_stop(NacreVm *handle);

// functions.c: raises what a function of the host has left when it answered something else than NACRE_OK.
Status api_host_failed(NacreVm *handle, const char *what);

// holds.c: values that were made in the running edit become None.
void api_empty_holds(NacreVm *handle);

// make.c: text of the host's, of the VM's memory; NULL: there is none left. The second frees it; NULL is fine.
char *api_copied(Vm *vm, const char *text);
void api_free_text(Vm *vm, const char *text);

// passes.c
void api_free_passes(NacreVm *handle);

// operations.c: the function of an operation of the host, borrowed; V_UNDEF: there is none of that name.
Value api_operation(const NacreVm *handle, const char *name);
int api_operation_arity(const NacreVm *handle, const char *name); // 0: there is none
void api_visit_operations(const NacreVm *handle, Visitor *visitor);
void api_drop_operations(NacreVm *handle); // their functions; then, without an engine, all of them
void api_free_operations(NacreVm *handle);

#endif
