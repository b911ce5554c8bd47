// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The transport "dry": its functions and its table.

#include "dist/dry/dry.h"

#include <string.h>

#include "vm/value/vm.h"

typedef struct Group {
    int size;
} Group;

static void *dry_open(struct Vm *vm, const RanksOptions *options, const char **why) {
    *why = "a communicator, or a group, is for other transports";
    if (options->communicator || options->group) return NULL;
    *why = "so many ranks cannot be planned for";
    if (options->size < 1 || options->size > DRY_MOST) return NULL;
    *why = "out of memory";
    Group *group = mem_alloc(&vm->mem, sizeof *group);
    if (group) group->size = options->size;
    return group;
}

static void dry_close(struct Vm *vm, void *ctx) {
    mem_free(&vm->mem, ctx, sizeof(Group));
}

static int dry_rank(void *ctx) {
    (void)ctx;
    return 0;
}

static int dry_size(void *ctx) {
    return ((const Group *)ctx)->size;
}

static RanksOutcome dry_post(void *ctx, const Transfer *list, int count) {
    (void)ctx, (void)list, (void)count;
    return RANKS_DONE;
}

static void dry_poke(void *ctx) {
    (void)ctx;
}

static RanksOutcome dry_finish(void *ctx) {
    (void)ctx;
    return RANKS_DONE;
}

// Fills the result with rank 0's bytes for every rank, as all ranks run the same program. `all` may be NULL if the
// caller had no memory for it and does not need it.
static RanksOutcome dry_gather(void *ctx, const void *own, void *all, size_t bytes) {
    const Group *group = ctx;
    for (int r = 0; all && bytes && r < group->size; r++) memcpy((char *)all + (size_t)r * bytes, own, bytes);
    return RANKS_DONE;
}

static RanksOutcome dry_broadcast(void *ctx, int from, void *at, size_t bytes) {
    (void)ctx, (void)from, (void)at, (void)bytes;
    return RANKS_DONE;
}

static void dry_fail(void *ctx, const void *bytes, size_t len) {
    (void)ctx, (void)bytes, (void)len;
}

static void dry_failure(void *ctx, RanksFailure *out) {
    (void)ctx;
    *out = (RanksFailure){.text = ""};
}

static void dry_counts(void *ctx, RanksCounts *out) {
    (void)ctx;
    *out = (RanksCounts){.exchanges = 0};
}

const Ranks ranks_dry = {
    .abi_version = RANKS_ABI,
    .struct_size = sizeof(Ranks),
    .name = "dry",
    .open = dry_open,
    .close = dry_close,
    .rank = dry_rank,
    .size = dry_size,
    .post = dry_post,
    .poke = dry_poke,
    .finish = dry_finish,
    .gather = dry_gather,
    .broadcast = dry_broadcast,
    .fail = dry_fail,
    .failure = dry_failure,
    .counts = dry_counts,
};
