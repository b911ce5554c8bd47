// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs on many ranks: makes all of them end alike, and reports to the host if they do not; figures of ranks.
//
// A run ends on all ranks or on none. At its end each rank records the outcome, and all ranks compare their records. If
// every rank has raised the same exception, the usual case, further runs are possible. A rank whose exception the
// others may not have raised (replicate_is_alone) does not compare, since the others would be in another collective
// step. It sends them its exception, which ends their runs; no further runs are possible.

#include <stdio.h>
#include <string.h>

#include "stdlib/ranks/replicate.h"
#include "vm/api/sizes.h"
#include "vm/sched/collective.h"
#include "vm/sched/engine.h"

enum { STEP_END = 'Z', STEP_LENGTHS = 'L', STEP_COLLECT = 'C' };

// Outcome of a run, which ranks compare.
typedef struct Ending {
    int32_t status, code, line;
    char class_name[64];
    char message[180]; // truncated
} Ending;

static Ending ending_here(const NacreVm *handle, NacreStatus status) {
    Ending own;
    memset(&own, 0, sizeof own); // ranks compare it bytewise, so padding is cleared
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

// Sets the outcome to an error of another rank, as that rank reports it.
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
        size_t len = handle->error_text.data ? handle->error_text.len - 1 : 0; // NUL-terminated
        replicate_tell(vm, handle->exception, handle->error_text.data, len, handle->error_line);
        return status;
    }
    const Ending own = ending_here(handle, status);
    if (compare_endings(vm, &own) == ST_OK) return status;
    if (status != NACRE_OK && replicate_remote(vm)) { // this rank has an error of its own
        vm_clear_error(vm);
        return status;
    }
    api_clear_outcome(handle);
    status = api_failed(handle);
    remote = replicate_remote(vm);
    if (is_remote(handle, remote)) tell_of_remote(handle, remote);
    return status;
}

// --- Figures ---------------------------------------------------------------------------------------

NacreStatus nacre_rank_line(const NacreVm *handle, int index, NacreRankLine *line) {
    if (!api_is_alive(handle) || !api_can_give(line, FIRST_RANK_LINE)) return NACRE_MISUSE;
    const Traffic *traffic = &link_of(&handle->vm)->traffic;
    if (index < 0 || (size_t)index >= traffic->line_count) return NACRE_MISUSE;
    const TrafficLine *of = &traffic->lines[index];
    const RanksCounts *counts = &of->counts;
    const NacreRankLine all = {.file = of->at.file, .line = of->at.line, .exchanges = counts->exchanges,
                               .gathers = counts->gathers, .broadcasts = counts->broadcasts,
                               .messages_sent = counts->messages_sent, .messages_received = counts->messages_received,
                               .message_bytes_sent = counts->bytes_sent, .message_bytes_received = counts->bytes_received,
                               .seconds = counts->waited, .results_cut = of->shared, .axes_cut = of->cut,
                               .results_combined = of->combined, .results_whole = of->whole,
                               .array_exchanges = of->array_exchanges, .array_bytes_received = of->array_bytes,
                               .arrays_gathered = of->gathered, .array_bytes_gathered = of->gathered_bytes, .why = of->why};
    API_GIVE(line, &all);
    return NACRE_OK;
}

NacreStatus nacre_rank_sent(const NacreVm *handle, int rank, uint64_t *messages, uint64_t *bytes) {
    if (!api_is_alive(handle) || !messages || !bytes) return NACRE_MISUSE;
    const Link *link = link_of(&handle->vm);
    if (rank < 0 || rank >= link->size) return NACRE_MISUSE;
    const bool alone = !link->traffic.peers;
    *messages = alone ? 0 : link->traffic.peers[rank].messages;
    *bytes = alone ? 0 : link->traffic.peers[rank].bytes;
    return NACRE_OK;
}

// Gathers bytes of each rank in two steps: the lengths, then the bytes padded to the longest.
static Status collect(Vm *vm, const void *own, size_t len, NacreCollectFn each, void *ctx) {
    const Link *link = link_of(vm);
    const size_t ranks = (size_t)link->size;
    uint64_t own_len = len, most = 0;
    uint64_t *lens = mem_zalloc(&vm->mem, ranks * sizeof *lens);
    Status st = lens ? link_gather(vm, (StepKey){.kind = STEP_LENGTHS}, &own_len, lens, sizeof own_len) : vm_no_memory(vm);
    for (size_t r = 0; st == ST_OK && r < ranks; r++) most = lens[r] > most ? lens[r] : most;
    const size_t room = (size_t)most;
    char *all = st == ST_OK ? mem_zalloc(&vm->mem, (ranks + 1) * room) : NULL;
    if (st == ST_OK && room && !all) st = vm_no_memory(vm);
    if (st == ST_OK && room) {
        char *padded = all + ranks * room;
        if (len) memcpy(padded, own, len);
        st = link_gather(vm, (StepKey){.kind = STEP_COLLECT, .hash = most}, padded, all, room);
    }
    for (size_t r = 0; st == ST_OK && r < ranks; r++) each(ctx, (int)r, room ? all + r * room : "", (size_t)lens[r]);
    mem_free(&vm->mem, all, (ranks + 1) * room);
    mem_free(&vm->mem, lens, ranks * sizeof *lens);
    return st;
}

NacreStatus nacre_collect(NacreVm *handle, const void *bytes, size_t len, NacreCollectFn each, void *ctx) {
    if (!api_is_open(handle) || handle->running || !each || (len && !bytes)) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    if (!is_on_ranks(vm)) {
        each(ctx, 0, len ? bytes : "", len);
        return NACRE_OK;
    }
    api_begin(handle);
    return api_end(handle, collect(vm, bytes, len, each, ctx), V_UNDEF, NULL);
}
