// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dry runs: creation, reports, memory, and steps that all ranks take alike.

#include "vm/sched/dry_impl.h"

#include <string.h>

Dry *dry_new(Vm *vm, const DryOptions *options, int size) {
    Dry *dry = mem_zalloc(&vm->mem, sizeof *dry);
    if (!dry) return NULL;
    dry->options = *options;
    dry->size = size;
    if (dry->options.socket_ranks <= 0 || dry->options.socket_ranks > size) dry->options.socket_ranks = size;
    if (dry->options.node_ranks <= 0 || dry->options.node_ranks > size) dry->options.node_ranks = size;
    if (traffic_new(vm, dry)) return dry;
    dry_free(vm, dry);
    return NULL;
}

void dry_free(Vm *vm, Dry *dry) {
    if (!dry) return;
    traffic_free(vm, dry);
    mem_free(&vm->mem, dry, sizeof *dry);
}

bool is_dry(const Vm *vm) {
    return vm->engine && vm->engine->link.dry;
}

// --- Reports ---------------------------------------------------------------------------------------

static SourceLine line_here(Vm *vm) {
    const Dry *dry = dry_of(vm);
    CodePlace place = {.code = NULL};
    SourceLine at = {.line = 0};
    if (dry->is_at) return dry->at;
    if (vm->where) vm->where(vm, 0, &place);
    if (place.code && vm->locate) vm->locate(vm, place, &at);
    return at;
}

void dry_report(Vm *vm, DryStep *step) {
    const Dry *dry = dry_of(vm);
    const SourceLine at = line_here(vm);
    step->file = at.file;
    step->line = at.line;
    if (dry->options.step) dry->options.step(dry->options.ctx, step);
}

void dry_begin(Vm *vm, const Node *node) {
    Dry *dry = dry_of(vm);
    if (!dry) return;
    dry->has_kernel = false;
    dry->kernel = (DryStep){.kind = DRY_KERNEL};
    dry->at = (SourceLine){.line = 0};
    dry->is_at = node->place.code && vm->locate;
    if (dry->is_at) vm->locate(vm, node->place, &dry->at);
}

void dry_gathered(Vm *vm, const char *why) {
    dry_of(vm)->kernel.why = why;
}

void dry_assume(Vm *vm, const char *what) {
    DryStep step = {.kind = DRY_ASSUMED, .what = what};
    dry_report(vm, &step);
}

// --- Steps that all take alike -----------------------------------------------------------------------

void dry_collective(Vm *vm, DryKind kind, int from, size_t bytes) {
    Dry *dry = dry_of(vm);
    const uint64_t others = (uint64_t)dry->size - 1;
    DryStep step = {.kind = kind, .bytes = bytes};
    if (kind == DRY_GATHER) {
        dry->gathers++;
        dry->gathered += bytes;
    } else {
        Tally *root = &dry->rooted[from];
        dry->broadcasts++;
        dry->broadcast += bytes;
        root->messages_sent += others;
        root->sent += others * bytes;
        root->messages_received++; // subtracted in dry_counts, since the root does not receive its own message
        root->received += bytes;
    }
    dry_report(vm, &step);
}

void dry_counts(const Vm *vm, int rank, RanksCounts *out, uint64_t *array_bytes_received) {
    const Dry *dry = dry_of(vm);
    const uint64_t others = (uint64_t)dry->size - 1;
    const Tally own = traffic_of(dry, rank), *root = &dry->rooted[rank];
    *out = (RanksCounts){
        .messages_sent = own.messages_sent + dry->gathers * others + root->messages_sent,
        .messages_received = own.messages_received + dry->gathers * others + dry->broadcasts - root->messages_received,
        .bytes_sent = own.sent + dry->gathered * others + root->sent,
        .bytes_received = own.received + dry->gathered * others + dry->broadcast - root->received,
        .exchanges = dry->exchanges, .gathers = dry->gathers, .broadcasts = dry->broadcasts};
    *array_bytes_received = own.received;
}

// --- Memory ------------------------------------------------------------------------------------------

void dry_note_memory(Vm *vm, size_t borrowed) {
    Dry *dry = dry_of(vm);
    const size_t now = vm->engine->graph.reserving.in_use + dry->beyond + borrowed;
    if (now > dry->peak) dry->peak = now;
}

void dry_borrowed(Vm *vm, size_t bytes) {
    dry_note_memory(vm, bytes);
}

uint64_t dry_memory_peak(const Vm *vm) {
    const size_t own = vm->engine->graph.reserving.peak, peak = dry_of(vm)->peak;
    return peak > own ? peak : own;
}

// Notes how many bytes the widest window of any rank has more than this rank's. The rank may differ from array to
// array, so the sum over arrays is an upper bound.
static void note_widest(Vm *vm, Blocks *blocks) {
    Dry *dry = dry_of(vm);
    const int64_t own = blocks->window.high - blocks->window.low;
    int64_t most = own + blocks->beyond;
    for (int r = 0; r < dry->size; r++) {
        const int64_t bytes = blocks->held[r].high - blocks->held[r].low;
        if (bytes > most) most = bytes;
    }
    dry->beyond += (size_t)(most - own - blocks->beyond);
    blocks->beyond = most - own;
    dry_note_memory(vm, 0);
}

// Notes the memory of a storage that was cut before anybody wrote it. A storage that was whole before has its memory
// already.
void dry_cut(Vm *vm, Blocks *blocks) {
    blocks->beyond = 0;
    note_widest(vm, blocks);
}

void dry_brought(Vm *vm, Blocks *blocks) {
    Dry *dry = dry_of(vm);
    dry->beyond -= (size_t)blocks->beyond; // rank 0's window may have grown meanwhile
    blocks->beyond = 0;
    note_widest(vm, blocks);
}

void dry_dropped(Vm *vm, const Blocks *blocks) {
    dry_of(vm)->beyond -= (size_t)blocks->beyond;
}

Status dry_reach(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->buffer;
    if (!buffer->host && !buffer_alloc_host(vm, buffer, FRESH_ZEROED)) return vm_no_memory(vm);
    buffer->valid = PLACE_UNKNOWN;
    return ST_OK;
}
