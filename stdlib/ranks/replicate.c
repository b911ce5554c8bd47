// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The hook that runs natives with an effect on rank 0 only, and the reporting of errors that occur on one rank.
//
// Such a call takes one broadcast, which has the outcome's length and as much of the outcome as fits. A longer outcome
// takes a second one.

#include "stdlib/ranks/replicate.h"

#include <stdio.h>
#include <string.h>

#include "stdlib/ranks/codec.h"
#include "stdlib/ranks/outcome.h"
#include "vm/array/array.h"
#include "vm/sched/collective.h"
#include "vm/sched/engine.h"
#include "vm/value/asking.h"
#include "vm/value/class.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

enum { MESSAGE = 256, STEP_EFFECT = 'E' };

// The first broadcast of an outcome.
typedef struct Message {
    uint64_t len; // of the outcome
    char bytes[MESSAGE - sizeof(uint64_t)];
} Message;

typedef struct Replication {
    EffectHook hook;
    bool asked_rank, told;
    RemoteError remote;
    Buf remote_text;
} Replication;

// --- Before a call -----------------------------------------------------------------------------------

// Visits arguments and makes their arrays readable on the host, gathering distributed ones.
typedef struct Bringer {
    ArgumentVisitor visitor;
    Vm *vm;
    Status st;
} Bringer;

static bool bring(ArgumentVisitor *visitor, Value v) {
    Bringer *bringer = (Bringer *)visitor;
    if (v.kind == K_ARRAY && !graph_read(bringer->vm, v.array->storage)) bringer->st = ST_ERROR;
    return bringer->st == ST_OK;
}

static bool is_no_array(ArgumentVisitor *visitor, Value v) {
    (void)visitor;
    return v.kind != K_ARRAY;
}

// Prepares a call on all ranks, as the native on rank 0 must not need the others: runs the pending nodes and gathers
// the elements of array arguments. Before natives that use clocks or files, pending nodes run even without arrays.
static Status prepare(Vm *vm, const NativeDef *def, const Value *args) {
    ArgumentVisitor search = {is_no_array};
    Bringer bringer = {{bring}, vm, ST_OK};
    bool has_arrays = !arguments_visit(def, args, &search);
    Status st = has_arrays || def->purity == FILESYSTEM || def->purity == CLOCK ? engine_observe_all(vm) : ST_OK;
    if (st != ST_OK || !has_arrays) return st;
    arguments_visit(def, args, &bringer.visitor);
    return bringer.st;
}

// Returns the key that ranks compare: a hash of the native's name, and with `checks` of its arguments.
static StepKey key_of(Vm *vm, const NativeDef *def, const Value *args) {
    StepKey key = {.kind = STEP_EFFECT, .hash = (uint64_t)bytes_hash(def->name, strlen(def->name))};
    if (!link_of(vm)->checks) return key;
    Buf bytes;
    buf_init(&bytes, &vm->mem);
    arguments_encode(vm, def, args, &bytes);
    key.hash ^= (uint64_t)bytes_hash(bytes.data ? bytes.data : "", bytes.len);
    buf_free(&bytes);
    return key;
}

// --- The call ----------------------------------------------------------------------------------------

// Calls the native on rank 0, as a VM without other ranks, and encodes the outcome.
static Status call_alone(Vm *vm, const NativeDef *def, const Value *args, Value *out, Buf *outcome) {
    Link *link = link_of(vm);
    link->alone = true;
    Status st = effect_perform(vm, def, args, out);
    if (st == ST_TAIL) {
        vm_clear_tail(vm); // a call that other ranks would not make
        st = vm_raise(vm, EXC_SystemError, "%s() has an effect, and cannot ask for a call", def->name);
    }
    st = outcome_encode(vm, def, args, st, out, outcome);
    link->alone = false;
    return st;
}

static Status send(Vm *vm, StepKey key, Buf *outcome) {
    Message message = {.len = outcome->len};
    size_t room = sizeof message.bytes, first = outcome->len < room ? outcome->len : room;
    memcpy(message.bytes, outcome->data, first);
    Status st = link_broadcast(vm, key, 0, &message, sizeof message);
    if (st != ST_OK || outcome->len == first) return st;
    return link_broadcast(vm, key, 0, outcome->data + first, outcome->len - first);
}

// Calls the native on rank 0 and broadcasts the outcome. *agreed: all ranks have it.
static Status perform(Vm *vm, StepKey key, const NativeDef *def, const Value *args, Value *out, bool *agreed) {
    Buf outcome;
    buf_init(&outcome, &vm->mem);
    Status st = call_alone(vm, def, args, out, &outcome);
    if (outcome.failed) { // there is nothing to send
        buf_free(&outcome);
        return ST_ERROR;
    }
    Value error = vm->error; // set aside, as the broadcast may raise an error of its own
    vm->error = V_UNDEF;
    Status sent = send(vm, key, &outcome);
    buf_free(&outcome);
    *agreed = sent == ST_OK;
    if (*agreed) {
        vm->error = error;
        return st;
    }
    release(vm, error);
    if (st == ST_OK) clear(vm, out);
    if (st == ST_DEFER) ask_forget(vm);
    return sent;
}

static Status receive(Vm *vm, StepKey key, const NativeDef *def, const Value *args, Value *out, bool *agreed) {
    Message message;
    Status st = link_broadcast(vm, key, 0, &message, sizeof message);
    if (st != ST_OK) return st;
    size_t room = sizeof message.bytes, len = (size_t)message.len;
    if (len <= room) return outcome_decode(vm, def, args, message.bytes, len, out, agreed);
    char *bytes = mem_alloc(&vm->mem, len);
    if (!bytes) return vm_no_memory(vm);
    memcpy(bytes, message.bytes, room);
    st = link_broadcast(vm, key, 0, bytes + room, len - room);
    if (st == ST_OK) st = outcome_decode(vm, def, args, bytes, len, out, agreed);
    mem_free(&vm->mem, bytes, len);
    return st;
}

// Runs a native with an effect on rank 0, for all ranks. *agreed: all ranks have this outcome.
static Status run_together(Vm *vm, const NativeDef *def, const Value *args, Value *out, bool *agreed) {
    Status st = prepare(vm, def, args);
    StepKey key = {.kind = STEP_EFFECT};
    if (st == ST_OK) {
        key = key_of(vm, def, args);
        st = link_check(vm, key); // before rank 0 does anything that not all ranks are about to do
    }
    *agreed = st != ST_OK && !vm_broken_off(vm);
    if (st != ST_OK) return st;
    return link_of(vm)->rank == 0 ? perform(vm, key, def, args, out, agreed) : receive(vm, key, def, args, out, agreed);
}

static void tell_of_own(Vm *vm);

// Runs a native while ranks are apart (nacre.alone), when they are not at the same call. Each rank runs it itself,
// except that only rank 0 may use files, streams and other programs.
static Status run_apart(Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    if (link_of(vm)->rank == 0 || def->purity != FILESYSTEM) return effect_perform(vm, def, args, out);
    return vm_raise(vm, EXC_RuntimeError, "%s() inside of nacre.alone() is for rank 0: send it there what it is about, or "
                    "ask for `nacre.comm.rank == 0`", def->name);
}

// The hook. The collector runs by a count of objects that must be equal on all ranks, so objects made during the call,
// by the native on rank 0 and by decoding on the others, are not counted.
static Status run(void *ctx, Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    const size_t counted = vm->gc_count, made = vm->gc_made;
    bool agreed = false;
    (void)ctx;
    if (link_of(vm)->apart) return run_apart(vm, def, args, out);
    Status st = run_together(vm, def, args, out, &agreed);
    vm->gc_count = counted;
    vm->gc_made = made;
    if (st == ST_ERROR && !agreed) tell_of_own(vm);
    return st;
}

// --- Errors of one rank ------------------------------------------------------------------------------

static Replication *replication_of(const Vm *vm) {
    return vm->replication;
}

const RemoteError *replicate_remote(const Vm *vm) {
    const Replication *r = replication_of(vm);
    return r && r->remote.exception.kind != K_UNDEF ? &r->remote : NULL;
}

void replicate_asked_rank(Vm *vm) {
    if (vm->replication) replication_of(vm)->asked_rank = true;
}

bool replicate_is_alone(const Vm *vm, Value exception) {
    const Replication *r = replication_of(vm);
    return r && (r->asked_rank || class_is_subclass(exception.inst->cls, vm->exceptions[EXC_MemoryError]));
}

void replicate_tell(Vm *vm, Value exception, const char *text, size_t len, int line) {
    Replication *r = replication_of(vm);
    if (!r || r->told || v_is(exception, r->remote.exception)) return;
    r->told = true;
    Buf words;
    buf_init(&words, &vm->mem);
    Encoder encoder = {.vm = vm, .out = &words, .lenient = true};
    Value error = vm->error;
    vm->error = V_UNDEF;
    Status st = encode_exception(&encoder, exception);
    encode_number(&words, vm->stopped);
    encode_number(&words, (uint64_t)line);
    encode_bytes(&words, text, len);
    bool whole = st == ST_OK && !words.failed;
    link_of(vm)->failed = true;
    link_fail(vm, whole ? words.data : NULL, whole ? words.len : 0);
    buf_free(&words);
    replace(vm, &vm->error, error);
}

static int line_here(Vm *vm) {
    CodePlace place = {.code = NULL};
    SourceLine at = {.line = 0};
    if (vm->where) vm->where(vm, 0, &place);
    if (place.code && vm->locate) vm->locate(vm, place, &at);
    return (int)at.line;
}

static void tell_of_own(Vm *vm) {
    if (exc_of(vm->error)) replicate_tell(vm, vm->error, "", 0, line_here(vm));
}

// Reports an interrupt or the end of the time limit, which reaches each rank at another place of the program, to the
// other ranks. Within a native that rank 0 runs alone, the exception is the native's outcome and is sent as that; if
// that fails, `run` reports it.
static void broken_off(void *ctx, Vm *vm) {
    (void)ctx;
    if (link_of(vm)->size > 1 && !link_of(vm)->alone) tell_of_own(vm);
}

static Status decode_words(Decoder *decoder, Replication *r, Value *exception) {
    Vm *vm = decoder->vm;
    uint64_t stopped = 0, line = 0;
    const char *text = "";
    size_t len = 0;
    Status st = decode_exception(decoder, exception);
    if (st != ST_OK) return st;
    st = decode_number(decoder, &stopped);
    if (st == ST_OK) st = decode_number(decoder, &line);
    if (st == ST_OK) st = decode_bytes(decoder, &text, &len);
    if (st != ST_OK) {
        release(vm, *exception);
        return st;
    }
    vm->stopped |= stopped != 0;
    r->remote_text.len = 0;
    buf_put(&r->remote_text, text, len);
    r->remote.line = (int)line;
    return ST_OK;
}

static Status note_rank(Vm *vm, Value exception, int rank) {
    char text[64];
    snprintf(text, sizeof text, "raised on rank %d", rank);
    Str *note = str_text(vm, text);
    if (!note) return vm_no_memory(vm);
    Status st = exc_note(vm, exc_of(exception), v_obj(note));
    release_obj(vm, note);
    return st;
}

// Implements Link.raise: raises the exception of a rank that failed.
static Status raise_remote(Vm *vm, const RanksFailure *failure) {
    Replication *r = replication_of(vm);
    Decoder decoder = {.vm = vm, .at = failure->bytes, .end = (const char *)failure->bytes + failure->len};
    Value exception;
    if (decode_words(&decoder, r, &exception) != ST_OK) return ST_ERROR;
    Status st = note_rank(vm, exception, failure->rank);
    if (st == ST_OK) {
        replace(vm, &r->remote.exception, retain(exception));
        r->remote.text = r->remote_text.data ? r->remote_text.data : "";
        r->remote.len = r->remote_text.len;
        r->remote.rank = failure->rank;
        replace(vm, &vm->error, exception);
        return ST_ERROR;
    }
    release(vm, exception);
    return st;
}

// --- Start and end -------------------------------------------------------------------------------------

bool replicate_start(Vm *vm) {
    Link *link = link_of(vm);
    if (link->size == 1) return true;
    Replication *r = mem_zalloc(&vm->mem, sizeof *r);
    if (!r) return false;
    r->hook = (EffectHook){.ctx = r, .run = run, .broken_off = broken_off};
    buf_init(&r->remote_text, &vm->mem);
    vm->replication = r;
    link->raise = raise_remote;
    effects_hook(vm, &r->hook);
    return true;
}

void replicate_stop(Vm *vm) {
    Replication *r = replication_of(vm);
    if (!r) return;
    effects_hook(vm, NULL);
    link_of(vm)->raise = NULL;
    clear(vm, &r->remote.exception);
    buf_free(&r->remote_text);
    mem_free(&vm->mem, r, sizeof *r);
    vm->replication = NULL;
}
