// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Outcomes of natives as bytes, and values made of them again.

#include "tests/effects/replay.h"

#include <stdio.h>
#include <string.h>

#include "stdlib/file.h"
#include "stdlib/numpy/numpy.h"
#include "vm/sched/engine.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static void complain(Replay *r, const char *what, const char *name) {
    if (!*r->problem) snprintf(r->problem, sizeof r->problem, "call %d, %s: %s", r->calls, name, what);
}

// --- Writing -----------------------------------------------------------------------------------

static void put_bytes(Replay *r, char tag, const char *bytes, size_t len) {
    buf_putc(&r->log, tag);
    buf_put(&r->log, (const char *)&len, sizeof len);
    if (len) buf_put(&r->log, bytes, len);
}

static void put_number(Replay *r, char tag, uint64_t bits) {
    buf_putc(&r->log, tag);
    buf_put(&r->log, (const char *)&bits, sizeof bits);
}

static Status put_value(Replay *r, Vm *vm, Value v);

static Status put_items(Replay *r, Vm *vm, char tag, const Value *items, size_t count) {
    Status st = ST_OK;
    put_number(r, tag, count);
    for (size_t i = 0; i < count && st == ST_OK; i++) st = put_value(r, vm, items[i]);
    return st;
}

static Status put_dict(Replay *r, Vm *vm, const Dict *dict) {
    uint32_t pos = 0;
    size_t count = 0;
    Value key, value;
    Status st = ST_OK;
    while (dict_next(dict, &pos, &key, &value)) count++;
    put_number(r, '{', count);
    for (pos = 0; st == ST_OK && dict_next(dict, &pos, &key, &value);) {
        st = put_value(r, vm, key);
        if (st == ST_OK) st = put_value(r, vm, value);
    }
    return st;
}

static Status put_made(Replay *r, Vm *vm, Value v) {
    Value facts;
    Buf bytes;
    if (v.kind == K_FILE) {
        buf_putc(&r->log, 'h');
        Status st = file_facts(vm, v, &facts);
        if (st != ST_OK) return st;
        st = put_value(r, vm, facts);
        release(vm, facts);
        return st;
    }
    buf_init(&bytes, &vm->mem);
    Status st = npy_put(vm, v, &bytes);
    if (st == ST_OK) put_bytes(r, 'a', bytes.data, bytes.len);
    buf_free(&bytes);
    return st;
}

static Status put_value(Replay *r, Vm *vm, Value v) {
    switch (v.kind) {
    case K_NONE: buf_putc(&r->log, 'N'); return ST_OK;
    case K_BOOL: put_number(r, 'o', (uint64_t)v.i); return ST_OK;
    case K_INT: put_number(r, 'i', (uint64_t)v.i); return ST_OK;
    case K_FLOAT: put_number(r, 'f', v.bits); return ST_OK;
    case K_STR: put_bytes(r, 's', v.str->data, v.str->len); return ST_OK;
    case K_BYTES: put_bytes(r, 'b', v.bytes->data, v.bytes->len); return ST_OK;
    case K_TUPLE: return put_items(r, vm, '(', v.tuple->items, v.tuple->len);
    case K_LIST: return put_items(r, vm, '[', v.list->items, v.list->len);
    case K_DICT: return put_dict(r, vm, v.dict);
    case K_FILE:
    case K_ARRAY: return put_made(r, vm, v);
    default: complain(r, "such a value is not sent", type_name(vm, v)); return ST_OK;
    }
}

static Status put_outcome(Replay *r, Vm *vm, const NativeDef *def, Status st, const Value *out) {
    put_bytes(r, 'n', def->name, strlen(def->name));
    put_number(r, 't', (uint64_t)st);
    if (st == ST_OK) return put_value(r, vm, *out);
    if (st == ST_DEFER && !def->slow) complain(r, "a question is not sent", def->name);
    if (st != ST_ERROR) return ST_OK;
    ExcInstance *exc = exc_of(vm->error);
    put_bytes(r, 'c', exc->inst.cls->name->data, exc->inst.cls->name->len);
    bool of_os = class_is_subclass(exc->inst.cls, vm->exceptions[EXC_OSError]) && exc->value.kind == K_TUPLE;
    return put_value(r, vm, of_os ? exc->value : exc->args); // OSError has taken names of files out of its arguments
}

// --- Reading -----------------------------------------------------------------------------------

static bool take(Replay *r, void *to, size_t len) {
    if (r->log.len - r->at < len) return false;
    memcpy(to, r->log.data + r->at, len);
    r->at += len;
    return true;
}

static uint64_t take_number(Replay *r, char tag) {
    char found = 0;
    uint64_t bits = 0;
    if (!take(r, &found, 1) || found != tag || !take(r, &bits, sizeof bits)) complain(r, "the record ends", "");
    return bits;
}

static const char *take_bytes(Replay *r, char tag, size_t *len) {
    *len = take_number(r, tag);
    const char *bytes = r->log.data + r->at;
    if (*len > r->log.len - r->at) *len = 0;
    r->at += *len;
    return bytes;
}

static Status take_value(Replay *r, Vm *vm, Value *out);

static Status take_list(Replay *r, Vm *vm, char tag, Value *out) {
    size_t count = take_number(r, tag);
    List *list = list_new(vm, 0);
    Status st = vm_check(vm, list);
    for (size_t i = 0; i < count && st == ST_OK; i++) {
        Value item;
        st = take_value(r, vm, &item);
        if (st == ST_OK) st = list_append(vm, list, item);
    }
    if (st == ST_OK && tag == '(') st = list_to_tuple(vm, list, out);
    else if (st == ST_OK) *out = retain(v_obj(list));
    release_obj(vm, list);
    return st;
}

static Status take_dict(Replay *r, Vm *vm, Value *out) {
    size_t count = take_number(r, '{');
    Dict *dict = dict_new(vm);
    Status st = vm_check(vm, dict);
    for (size_t i = 0; i < count && st == ST_OK; i++) {
        Value key = V_UNDEF, value = V_UNDEF;
        st = take_value(r, vm, &key);
        if (st == ST_OK) st = take_value(r, vm, &value);
        if (st == ST_OK) st = dict_set(vm, dict, key, value);
        release(vm, key);
        release(vm, value);
    }
    if (st == ST_OK) *out = v_obj(dict);
    else release_obj(vm, dict);
    return st;
}

static Status take_file(Replay *r, Vm *vm, Value *out) {
    Value facts;
    r->at++;
    Status st = take_value(r, vm, &facts);
    if (st != ST_OK) return st;
    st = file_stand_in(vm, facts, out);
    release(vm, facts);
    return st;
}

static Status take_value(Replay *r, Vm *vm, Value *out) {
    size_t len;
    const char *bytes;
    char tag = r->at < r->log.len ? r->log.data[r->at] : 0;
    *out = V_NONE;
    switch (tag) {
    case 'N': r->at++; return ST_OK;
    case 'o': *out = v_bool(take_number(r, tag)); return ST_OK;
    case 'i': *out = v_int((int64_t)take_number(r, tag)); return ST_OK;
    case 'f': {
        uint64_t bits = take_number(r, tag);
        double number;
        memcpy(&number, &bits, sizeof number);
        *out = v_float(number);
        return ST_OK;
    }
    case 's': bytes = take_bytes(r, tag, &len); return str_out(vm, str_new(vm, bytes, len), out);
    case 'b': bytes = take_bytes(r, tag, &len); return bytes_out(vm, bytes_new(vm, bytes, len), out);
    case 'a': bytes = take_bytes(r, tag, &len); return npy_array(vm, bytes, len, out);
    case '(':
    case '[': return take_list(r, vm, tag, out);
    case '{': return take_dict(r, vm, out);
    case 'h': return take_file(r, vm, out);
    default: complain(r, "the record has no value there", ""); return ST_OK;
    }
}

static Status take_error(Replay *r, Vm *vm) {
    size_t len;
    Value args, exc;
    const char *name = take_bytes(r, 'c', &len);
    Class *cls = NULL;
    for (int i = 0; i < EXC_COUNT && !cls; i++) {
        const Str *own = vm->exceptions[i]->name;
        if (own->len == len && memcmp(own->data, name, len) == 0) cls = vm->exceptions[i];
    }
    Status st = take_value(r, vm, &args);
    if (st != ST_OK) return st;
    if (!cls) complain(r, "no such class of exceptions", "");
    st = cls ? exc_new(vm, cls, args, &exc) : ST_ERROR;
    release(vm, args);
    if (st == ST_OK) replace(vm, &vm->error, exc);
    return ST_ERROR;
}

static Status take_outcome(Replay *r, Vm *vm, const NativeDef *def, Value *out) {
    size_t len;
    const char *name = take_bytes(r, 'n', &len);
    if (len != strlen(def->name) || memcmp(name, def->name, len) != 0) complain(r, "another one was called", def->name);
    Status st = (Status)take_number(r, 't');
    if (*r->problem) return vm_raise(vm, EXC_SystemError, "%s", r->problem);
    if (st == ST_ERROR) return take_error(r, vm);
    return st == ST_OK ? take_value(r, vm, out) : st;
}

// --- The hook ----------------------------------------------------------------------------------

static Status run(void *ctx, Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    Replay *r = ctx;
    Status st = def->purity == FILESYSTEM ? engine_observe_all(vm) : ST_OK;
    if (st != ST_OK) return st;
    r->calls++;
    if (r->reading) return take_outcome(r, vm, def, out);
    st = def->fn(vm, args, out);
    if (st == ST_ERROR) st = op_refused(vm);
    Status sent = put_outcome(r, vm, def, st, out);
    return sent == ST_OK ? st : sent;
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
