// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _ranks: rank numbers, messages and distribution of arrays, for module nacre. All rows are PURE, so that each
// rank runs them itself, although by design some results differ between ranks.

#include <string.h>

#include "stdlib/ranks/codec.h"
#include "stdlib/ranks/parts.h"
#include "stdlib/ranks/replicate.h"
#include "stdlib/stdlib.h"
#include "vm/sched/apart.h"
#include "vm/sched/collective.h"
#include "vm/sched/engine.h"
#include "vm/value/ops.h"

enum { STEP_BARRIER = 'W' };

static Status fn_rank(Vm *vm, const Value *args, Value *out) {
    (void)args;
    replicate_asked_rank(vm);
    *out = v_int(link_of(vm)->rank);
    return ST_OK;
}

static Status fn_size(Vm *vm, const Value *args, Value *out) {
    (void)args;
    *out = v_int(link_of(vm)->size);
    return ST_OK;
}

// barrier(): runs this rank's pending nodes, then waits until every rank has run its own.
static Status fn_barrier(Vm *vm, const Value *args, Value *out) {
    (void)args;
    const Link *link = link_of(vm);
    Status st = engine_observe_all(vm);
    if (st == ST_OK && link->size > 1) {
        char own = 0, *all = mem_alloc(&vm->mem, (size_t)link->size);
        st = all ? link_gather(vm, (StepKey){.kind = STEP_BARRIER}, &own, all, 1) : vm_no_memory(vm);
        mem_free(&vm->mem, all, (size_t)link->size);
    }
    if (st == ST_OK) *out = V_NONE;
    return st;
}

// alone(on): begins or ends work apart (apart.h). With a bool, the program may do different things on each rank from
// now on. The library passes an int instead of a bool if it knows that all ranks continue alike.
static Status fn_alone(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind == K_BOOL) replicate_asked_rank(vm);
    Status st = args[0].i ? apart_enter(vm) : apart_leave(vm);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

// --- Values ------------------------------------------------------------------------------------------

// Encodes a value for another rank. Reads arrays as if work were apart, since only this rank takes part.
static Status encode(Vm *vm, Value v, Buf *out) {
    Encoder encoder = {.vm = vm, .out = out};
    buf_init(out, &vm->mem);
    apart_begin(vm);
    Status st = encode_value(&encoder, v);
    apart_end(vm);
    if (st == ST_OK && out->failed) st = vm_no_memory(vm);
    if (st != ST_OK) buf_free(out);
    return st;
}

static Status decode(Vm *vm, const char *bytes, size_t len, Value *out) {
    Decoder decoder = {.vm = vm, .at = bytes, .end = bytes + len};
    return decode_value(&decoder, out);
}

static Status need_rank(Vm *vm, Value v, int64_t *rank) {
    const Link *link = link_of(vm);
    Status st = op_index(vm, v, rank);
    if (st != ST_OK) return st;
    if (*rank >= 0 && *rank < link->size && *rank != link->rank) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "rank %d of %d has no messages with rank %lld", link->rank, link->size,
                    (long long)*rank);
}

static Status place_of(Vm *vm, const Value *args, int64_t *rank, int64_t *context, int64_t *tag) {
    Status st = need_rank(vm, args[0], rank);
    if (st == ST_OK) st = op_index(vm, args[1], context);
    return st == ST_OK ? op_index(vm, args[2], tag) : st;
}

// send(rank, context, tag, value): sends a value to a rank.
static Status fn_send(Vm *vm, const Value *args, Value *out) {
    int64_t to, context, tag;
    Buf bytes;
    Status st = place_of(vm, args, &to, &context, &tag);
    if (st == ST_OK) st = encode(vm, args[3], &bytes);
    if (st != ST_OK) return st;
    Mail *mail = mail_new(&vm->mem, bytes.len);
    if (mail) {
        mail->context = (uint64_t)context;
        mail->tag = tag;
        if (bytes.len) memcpy(mail->bytes, bytes.data, bytes.len);
    }
    buf_free(&bytes);
    st = mail ? link_send(vm, (int)to, mail) : vm_no_memory(vm);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

// receive(rank, context, tag): waits for a value from a rank. Its arrays belong to this rank alone.
static Status fn_receive(Vm *vm, const Value *args, Value *out) {
    int64_t from, context, tag;
    Mail *mail;
    Status st = place_of(vm, args, &from, &context, &tag);
    if (st == ST_OK) st = link_receive(vm, (int)from, (uint64_t)context, tag, &mail);
    if (st != ST_OK) return st;
    apart_begin(vm);
    st = decode(vm, mail->bytes, (size_t)mail->len, out);
    apart_end(vm);
    mail_free(mail);
    return st;
}

// common(value): copies a value that is equal on all ranks, so that its arrays are no longer marked as one rank's own
// (DOUBT_APART).
static Status fn_common(Vm *vm, const Value *args, Value *out) {
    Buf bytes;
    Status st = encode(vm, args[0], &bytes);
    if (st != ST_OK) return st;
    st = decode(vm, bytes.data, bytes.len, out);
    buf_free(&bytes);
    return st;
}

const NativeDef ranks_functions[] = {
    {"rank", "", fn_rank, NULL, PURE},
    {"size", "", fn_size, NULL, PURE},
    {"barrier", "", fn_barrier, NULL, PURE},
    {"alone", "on, /", fn_alone, NULL, PURE},
    {"send", "rank, context, tag, value, /", fn_send, NULL, PURE},
    {"receive", "rank, context, tag, /", fn_receive, NULL, PURE},
    {"common", "value, /", fn_common, NULL, PURE},
    {"partition", "array, /", parts_partition, NULL, PURE},
    {"blank", "shape, dtype, axis, lengths, /", parts_blank, NULL, PURE},
    {"blank_grid", "shape, dtype, grid, /", parts_blank_grid, NULL, PURE},
    {"join_grid", "part, grid, /", parts_join_grid, NULL, PURE},
    {"grid", "array, /", parts_grid, NULL, PURE},
    {"whole", "array, /", parts_whole, NULL, PURE},
    {"gathered", "array, /", parts_gathered, NULL, PURE},
    {"own", "array, /", parts_own, NULL, PURE},
    {"join", "part, axis, lengths=None, /", parts_join, NULL, PURE},
    {"sharing", "", parts_sharing, NULL, PURE},
    {"uncounted", "state, /", parts_uncounted, NULL, PURE},
    {"tell", "numbers, /", parts_tell, NULL, PURE},
    {"deliver", "part, first, end, counts, moves, /", parts_deliver, NULL, PURE},
    {0},
};
