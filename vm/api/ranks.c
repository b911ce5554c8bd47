// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs on many ranks: that all of them end alike, and what the host is told where they do not.
//
// A run ends on all ranks or on none. Each comes to its end with a record of how that was, and they compare the
// records. An exception that every rank has raised, the usual case, is one like any other, and the next run goes on from
// there. Who may be alone with its exception does not compare: the others would not come, being in another step. It
// sends them its exception, which ends their runs; and there is no next one.

#include <stdio.h>
#include <string.h>

#include "stdlib/ranks/replicate.h"
#include "vm/api/api.h"
#include "vm/sched/collective.h"
#include "vm/sched/engine.h"

enum { STEP_END = 'Z' };

// How a run ended.
typedef struct Ending {
    int32_t status, code, line;
    char class_name[64];
    char message[180]; // its beginning
} Ending;

static Ending ending_here(const NacreVm *handle, NacreStatus status) {
    Ending own;
    memset(&own, 0, sizeof own); // ranks compare its bytes
    own.status = status;
    own.code = handle->exit_code;
    own.line = handle->error_line;
    snprintf(own.class_name, sizeof own.class_name, "%s", handle->error_class);
    if (handle->error_message.data) snprintf(own.message, sizeof own.message, "%s", handle->error_message.data);
    return own;
}

static void put_ending(const Ending *end, char *out, size_t size) {
    if (end->status == NACRE_OK) snprintf(out, size, "ends without an exception");
    else if (end->status == NACRE_EXIT) snprintf(out, size, "exits with %d", end->code);
    else snprintf(out, size, "raises %s at line %d: %s", end->class_name, end->line, end->message);
}

static Status parted(Vm *vm, const Ending *first, const Ending *other, int rank) {
    char a[320], b[320];
    put_ending(first, a, sizeof a);
    put_ending(other, b, sizeof b);
    return vm_raise(vm, EXC_RuntimeError, "ranks end their run differently: rank 0 %s; rank %d %s", a, rank, b);
}

static Status compare_endings(Vm *vm, const Ending *own) {
    const Link *link = link_of(vm);
    const size_t bytes = (size_t)link->size * sizeof *own;
    Ending *all = mem_alloc(&vm->mem, bytes);
    if (!all) return vm_no_memory(vm);
    Status st = link_gather(vm, (StepKey){.kind = STEP_END}, own, all, sizeof *own);
    for (int r = 1; st == ST_OK && r < link->size; r++)
        if (memcmp(&all[r], all, sizeof *all) != 0) st = parted(vm, all, &all[r], r);
    mem_free(&vm->mem, all, bytes);
    return st;
}

// The error of another rank is told of as that rank would.
static void tell_of_remote(NacreVm *handle, const RemoteError *remote) {
    handle->error_line = remote->line;
    if (remote->len == 0) return;
    Buf *text = &handle->error_text;
    buf_free(text);
    text->failed = false;
    buf_put(text, remote->text, remote->len);
    buf_printf(text, "raised on rank %d", remote->rank);
    buf_puts(text, "\n");
    buf_putc(text, '\0');
}

static bool is_remote(const NacreVm *handle, const RemoteError *remote) {
    return remote && v_is(handle->exception, remote->exception);
}

NacreStatus api_end_on_ranks(NacreVm *handle, NacreStatus status) {
    Vm *vm = &handle->vm;
    const RemoteError *remote = replicate_remote(vm);
    if (!is_on_ranks(vm) || handle->running > 1) return status;
    if (status != NACRE_OK && is_remote(handle, remote)) tell_of_remote(handle, remote);
    if (link_of(vm)->failed && status != NACRE_OK) return status;
    if (status != NACRE_OK && replicate_is_alone(vm, handle->exception)) {
        size_t len = handle->error_text.data ? handle->error_text.len - 1 : 0; // a NUL ends it
        replicate_tell(vm, handle->exception, handle->error_text.data, len, handle->error_line);
        return status;
    }
    const Ending own = ending_here(handle, status);
    if (compare_endings(vm, &own) == ST_OK) return status;
    if (status != NACRE_OK && replicate_remote(vm)) { // it has failed by itself, too
        vm_clear_error(vm);
        return status;
    }
    api_clear_outcome(handle);
    status = api_failed(handle);
    remote = replicate_remote(vm);
    if (is_remote(handle, remote)) tell_of_remote(handle, remote);
    return status;
}
