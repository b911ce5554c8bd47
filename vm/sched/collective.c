// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Joins the other ranks, and takes collective steps, whose failures become the VM's errors.

#include "vm/sched/collective.h"

#include <inttypes.h>
#include <string.h>

#include "vm/sched/blocks.h"
#include "vm/sched/boxes.h"
#include "vm/sched/dry.h"
#include "vm/sched/grid.h"
#include "vm/sched/overlap.h"
#include "vm/sched/sched.h"

Link *link_of(const Vm *vm) {
    return &vm->engine->link;
}

// --- Joining and leaving --------------------------------------------------------------------------

enum { SPLIT_DEFAULT = 1 << 20 }; // bytes

static bool is_stopped(void *ctx) {
    return vm_interrupted(ctx);
}

static size_t known_ranges_bytes(const Link *link) {
    return sizeof(KnownRanges) + (size_t)link->size * sizeof(Extent);
}

bool link_open(Vm *vm, const EngineOptions *options) {
    Link *link = link_of(vm);
    RanksOptions joining = options->joining;
    const char *why = NULL;
    *link = (Link){.size = 1, .checks = options->check_ranks,
                   .split_least = options->split_least > 0 ? options->split_least : SPLIT_DEFAULT};
    if (!options->ranks) return true;
    joining.stopped = is_stopped;
    joining.stopped_ctx = vm;
    backends_prepare(false); // a transport may start threads
    link->ctx = options->ranks->open(vm, &joining, &why);
    if (!link->ctx && options->refused) options->refused(options->refused_ctx, why);
    if (!link->ctx) return false;
    link->fns = options->ranks;
    link->rank = link->fns->rank(link->ctx);
    link->size = link->fns->size(link->ctx);
    link->ranges = mem_zalloc(&vm->mem, (size_t)link->size * sizeof *link->ranges);
    link->scratch = mem_zalloc(&vm->mem, (size_t)link->size * sizeof *link->scratch);
    link->owners = mem_zalloc(&vm->mem, (size_t)link->size * sizeof *link->owners);
    link->starts = mem_zalloc(&vm->mem, ((size_t)link->size + 1) * sizeof *link->starts);
    link->trial = mem_zalloc(&vm->mem, partition_bytes(link));
    if (!traffic_open(vm, &link->traffic, link->size)) return false;
    link->known_ranges = mem_zalloc(&vm->mem, known_ranges_bytes(link));
    if (options->dry) {
        link->checks = false; // there is nobody to compare with
        link->dry = dry_new(vm, options->dry, link->size);
        if (!link->dry) return false;
    }
    if (link->size > 1) {
        vm->engine->graph.hooks.distributed = blocks_are_wanted;
        vm->engine->graph.hooks.divide = blocks_divide;
    }
    return link->ranges && link->scratch && link->owners && link->starts && link->trial && link->known_ranges;
}

bool link_has_equal(Vm *vm, int64_t number) {
    const Link *link = link_of(vm);
    int64_t *all = link->trial ? link->trial->cuts : NULL; // scratch
    if (link->size == 1) return true;
    Status st = link_gather(vm, (StepKey){'t', 0}, &number, all, sizeof number);
    bool equal = st == ST_OK && number != 0;
    if (st != ST_OK) vm_clear_error(vm); // the next collective step raises the error
    for (int r = 0; equal && !link->dry && r < link->size; r++) equal = all[r] == number;
    return equal;
}

void link_close(Vm *vm) {
    Link *link = link_of(vm);
    boxes_release(vm);
    mem_free(&vm->mem, link->ranges, (size_t)link->size * sizeof *link->ranges);
    mem_free(&vm->mem, link->scratch, (size_t)link->size * sizeof *link->scratch);
    mem_free(&vm->mem, link->owners, (size_t)link->size * sizeof *link->owners);
    mem_free(&vm->mem, link->starts, ((size_t)link->size + 1) * sizeof *link->starts);
    mem_free(&vm->mem, link->trial, partition_bytes(link));
    traffic_close(vm, &link->traffic, link->size);
    mem_free(&vm->mem, link->known_ranges, known_ranges_bytes(link));
    mem_free(&vm->mem, link->transfers, link->transfer_room * sizeof *link->transfers);
    mem_free(&vm->mem, link->wanted, link->wanted_room * sizeof *link->wanted);
    overlap_free(vm, link);
    grid_scratch_free(vm);
    mem_free(&vm->mem, link->temps, link->temp_room * sizeof *link->temps);
    mem_free(&vm->mem, link->partitions, link->partition_room * sizeof *link->partitions);
    dry_free(vm, link->dry);
    if (link->ctx) link->fns->close(vm, link->ctx);
}

// --- Failures --------------------------------------------------------------------------------------

static Status raise_failure(Vm *vm, Link *link) {
    RanksFailure failure = {.text = ""};
    link->fns->failure(link->ctx, &failure);
    if (failure.bytes && link->raise) return link->raise(vm, &failure);
    if (*failure.text) return vm_raise(vm, EXC_RuntimeError, "the ranks have parted: %s", failure.text);
    return vm_raise(vm, EXC_RuntimeError, "the ranks have parted: rank %d failed", failure.rank);
}

static Status outcome(Vm *vm, RanksOutcome result) {
    Link *link = link_of(vm);
    if (result == RANKS_DONE) return ST_OK;
    link->failed = true;
    if (result == RANKS_FAILED) return raise_failure(vm, link);
    Status st = vm_poll(vm);
    return st != ST_OK ? st : vm_raise(vm, EXC_RuntimeError, "rank %d stopped waiting for the others", link->rank);
}

// --- Checking that all ranks are about to do the same ---------------------------------------------

typedef struct Checked {
    uint64_t step;
    StepKey key;
    uint32_t line;
    char file[52]; // the end of the file's name
} Checked;

static Checked checked_here(Vm *vm, const Link *link, StepKey key) {
    Checked own = {.step = link->steps, .key = key};
    CodePlace place = {.code = NULL};
    SourceLine at = {.line = 0};
    if (vm->where) vm->where(vm, 0, &place);
    if (!place.code || !vm->locate) return own;
    vm->locate(vm, place, &at);
    own.line = at.line;
    size_t length = at.file ? strlen(at.file) : 0, most = sizeof own.file - 1;
    if (at.file) memcpy(own.file, at.file + (length > most ? length - most : 0), length > most ? most : length);
    return own;
}

static Status differ(Vm *vm, const Checked *a, const Checked *b, int rank) {
    Link *mine = link_of(vm);
    mine->failed = true;
    return vm_raise(vm, EXC_RuntimeError,
                    "ranks part at collective step %" PRIu64 ": rank 0 does '%c' %016" PRIx64 " at %s:%u, rank %d "
                    "does '%c' %016" PRIx64 " at %s:%u", a->step, (int)a->key.kind, a->key.hash, a->file, a->line,
                    rank, (int)b->key.kind, b->key.hash, b->file, b->line);
}

Status link_check(Vm *vm, StepKey key) {
    Link *link = link_of(vm);
    link->steps++;
    if (!link->checks) return ST_OK;
    size_t bytes = (size_t)link->size * sizeof(Checked);
    Checked own = checked_here(vm, link, key), *all = mem_alloc(&vm->mem, bytes);
    if (!all) return vm_no_memory(vm);
    Status st = outcome(vm, link->fns->gather(link->ctx, &own, all, sizeof own));
    for (int r = 1; st == ST_OK && r < link->size; r++) {
        bool same = all[r].step == all->step && all[r].key.kind == all->key.kind && all[r].key.hash == all->key.hash &&
                    all[r].line == all->line && strcmp(all[r].file, all->file) == 0;
        if (!same) st = differ(vm, all, &all[r], r);
    }
    mem_free(&vm->mem, all, bytes);
    return st;
}

// --- Steps ---------------------------------------------------------------------------------------

// Checks the step (link_check). *before receives the transport's counts before the step. An exchange that an error has
// left behind ends here.
static Status begin_step(Vm *vm, StepKey key, RanksCounts *before) {
    const Link *link = link_of(vm);
    Status st = blocks_finish(vm);
    link->fns->counts(link->ctx, before);
    return st == ST_OK ? link_check(vm, key) : st;
}

static Status end_step(Vm *vm, const RanksCounts *before, Status st) {
    traffic_step(vm, before);
    return st;
}

static void note_to_all(Vm *vm, size_t bytes) {
    const Link *link = link_of(vm);
    for (int r = 0; r < link->size; r++)
        if (r != link->rank) traffic_sent(vm, r, bytes);
}

Status link_post(Vm *vm, StepKey key, const Transfer *list, int count) {
    Link *link = link_of(vm);
    Status st = begin_step(vm, key, &link->before);
    if (st == ST_OK) st = outcome(vm, link->fns->post(link->ctx, list, count));
    return st == ST_OK ? ST_OK : end_step(vm, &link->before, st);
}

Status link_finish(Vm *vm, const Transfer *list, int count) {
    Link *link = link_of(vm);
    const RanksCounts before = link->before;
    Status st = outcome(vm, link->fns->finish(link->ctx));
    for (int i = 0; st == ST_OK && i < count; i++)
        if (list[i].sends) traffic_sent(vm, list[i].peer, list[i].bytes);
    return end_step(vm, &before, st);
}

void link_poke(void *vm) {
    const Link *link = link_of(vm);
    link->fns->poke(link->ctx);
}

Status link_gather(Vm *vm, StepKey key, const void *own, void *all, size_t bytes) {
    Link *link = link_of(vm);
    RanksCounts before;
    Status st = begin_step(vm, key, &before);
    if (link->dry) dry_collective(vm, DRY_GATHER, 0, bytes);
    if (st == ST_OK) st = outcome(vm, link->fns->gather(link->ctx, own, all, bytes));
    if (st == ST_OK) note_to_all(vm, bytes);
    return end_step(vm, &before, st);
}

Status link_broadcast(Vm *vm, StepKey key, int from, void *at, size_t bytes) {
    Link *link = link_of(vm);
    RanksCounts before;
    Status st = begin_step(vm, key, &before);
    if (link->dry) dry_collective(vm, DRY_BROADCAST, from, bytes);
    if (st == ST_OK) st = outcome(vm, link->fns->broadcast(link->ctx, from, at, bytes));
    if (st == ST_OK && from == link->rank) note_to_all(vm, bytes);
    return end_step(vm, &before, st);
}

// --- Mail ----------------------------------------------------------------------------------------

static Status no_mail(Vm *vm) {
    if (link_of(vm)->dry) // the transport of a dry run
        return vm_raise(vm, EXC_NotImplementedError, "messages between two ranks: their contents are not known without the other ranks");
    return vm_raise(vm, EXC_RuntimeError, "the transport %s has no messages between two ranks", link_of(vm)->fns->name);
}

Status link_send(Vm *vm, int to, Mail *mail) {
    const Link *link = link_of(vm);
    if (link->fns->send) return outcome(vm, link->fns->send(link->ctx, to, mail));
    mail_free(mail);
    return no_mail(vm);
}

Status link_receive(Vm *vm, int from, uint64_t context, int64_t tag, Mail **out) {
    const Link *link = link_of(vm);
    *out = NULL;
    if (!link->fns->receive) return no_mail(vm);
    Status st = outcome(vm, link->fns->receive(link->ctx, from, context, tag, out));
    return st == ST_OK && !*out ? vm_no_memory(vm) : st;
}

void link_fail(Vm *vm, const void *bytes, size_t len) {
    Link *link = link_of(vm);
    if (link->size > 1) link->fns->fail(link->ctx, bytes, len);
}
