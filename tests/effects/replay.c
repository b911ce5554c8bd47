// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A record of the outcomes of natives.

#include "tests/effects/replay.h"

#include <stdio.h>
#include <string.h>

#include "stdlib/ranks/outcome.h"
#include "vm/sched/engine.h"

static void complain(Replay *r, const char *what, const char *name) {
    if (!*r->problem) snprintf(r->problem, sizeof r->problem, "call %d, %s: %s", r->calls, name, what);
}

// Each call: the length of what follows it, the name, the outcome.
static Status write_down(Replay *r, Vm *vm, const NativeDef *def, const Value *args, Status st, Value *out) {
    Buf outcome;
    buf_init(&outcome, &r->mem);
    st = outcome_encode(vm, def, args, st, out, &outcome);
    size_t len = outcome.len, name = strlen(def->name) + 1;
    buf_put(&r->log, (const char *)&len, sizeof len);
    buf_put(&r->log, def->name, name);
    buf_put(&r->log, outcome.data, len);
    buf_free(&outcome);
    return st;
}

static Status read_again(Replay *r, Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    const char *at = r->log.data + r->at;
    size_t left = r->log.len - r->at, name = strlen(def->name) + 1, len = 0;
    if (left >= sizeof len) memcpy(&len, at, sizeof len);
    if (left < sizeof len + name || memcmp(at + sizeof len, def->name, name) != 0)
        complain(r, "another one was called", def->name);
    if (*r->problem) return vm_raise(vm, EXC_SystemError, "%s", r->problem);
    r->at += sizeof len + name + len;
    bool whole;
    Status st = outcome_decode(vm, def, args, at + sizeof len + name, len, out, &whole);
    if (!whole) complain(r, "the outcome cannot be read", def->name);
    return st;
}

static Status run(void *ctx, Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    Replay *r = ctx;
    Status st = def->purity == FILESYSTEM ? engine_observe_all(vm) : ST_OK;
    if (st != ST_OK) return st;
    r->calls++;
    if (r->reading) return read_again(r, vm, def, args, out);
    return write_down(r, vm, def, args, def->fn(vm, args, out), out);
}

void replay_begin(Replay *replay) {
    *replay = (Replay){.hook = {.ctx = replay, .run = run}};
    mem_init(&replay->mem, NULL, NULL, false, 0);
    buf_init(&replay->log, &replay->mem);
}

void replay_again(Replay *replay) {
    replay->reading = true;
    replay->calls = 0;
    replay->at = 0;
}

bool replay_is_at_end(const Replay *replay) {
    return replay->at == replay->log.len && !replay->log.failed;
}

void replay_free(Replay *replay) {
    buf_free(&replay->log);
    mem_destroy(&replay->mem);
}
