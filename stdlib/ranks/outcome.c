// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Encodes and decodes a call's outcome: its status, then the result, the exception, or for ST_DEFER the native's
// pending question (vm/value/asking.h).

#include "stdlib/ranks/outcome.h"

#include "stdlib/ranks/codec.h"
#include "vm/value/asking.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/ops.h"

// --- Arguments -------------------------------------------------------------------------------------

static bool visit_one(Value v, ArgumentVisitor *visitor);

static bool visit_items(const Value *items, size_t count, ArgumentVisitor *visitor) {
    for (size_t i = 0; i < count; i++)
        if (!visit_one(items[i], visitor)) return false;
    return true;
}

static bool visit_dict(const Dict *dict, ArgumentVisitor *visitor) {
    uint32_t pos = 0;
    Value key, value;
    while (dict_next(dict, &pos, &key, &value))
        if (!visit_one(key, visitor) || !visit_one(value, visitor)) return false;
    return true;
}

// Visits the items of a container. Marks it with OBJ_IN_REPR meanwhile, as repr() does, so that a container that
// contains itself is visited once.
static bool visit_inside(Value v, ArgumentVisitor *visitor) {
    bool on = true;
    if (v.obj->flags & OBJ_IN_REPR) return true;
    v.obj->flags |= OBJ_IN_REPR;
    if (v.kind == K_TUPLE) on = visit_items(v.tuple->items, v.tuple->len, visitor);
    else if (v.kind == K_LIST) on = visit_items(v.list->items, v.list->len, visitor);
    else on = visit_dict(v.dict, visitor);
    v.obj->flags &= (uint8_t)~OBJ_IN_REPR;
    return on;
}

static bool visit_one(Value v, ArgumentVisitor *visitor) {
    if (!visitor->visit(visitor, v)) return false;
    Value inside = unwrap(v);
    if (inside.bits != v.bits && !visitor->visit(visitor, inside)) return false;
    bool holds = inside.kind == K_TUPLE || inside.kind == K_LIST || inside.kind == K_DICT;
    return !holds || visit_inside(inside, visitor);
}

bool arguments_visit(const NativeDef *def, const Value *args, ArgumentVisitor *visitor) {
    return visit_items(args, (size_t)native_slots(def), visitor);
}

void arguments_encode(Vm *vm, const NativeDef *def, const Value *args, Buf *out) {
    for (int i = 0; i < native_slots(def); i++) {
        Encoder encoder = {.vm = vm, .out = out, .lenient = true, .depth = 1};
        if (encode_value(&encoder, args[i]) != ST_OK) vm_clear_error(vm);
    }
}

// --- Questions about arguments ----------------------------------------------------------------------

// Finds the number of an argument in the order of visits, or the argument with a number.
typedef struct Search {
    ArgumentVisitor visitor;
    Value wanted;      // the argument: given, or found by `number`
    uint64_t number;
    uint64_t seen;
    bool found;
} Search;

static bool is_wanted(ArgumentVisitor *visitor, Value v) {
    Search *search = (Search *)visitor;
    search->seen++;
    search->found = v_is(v, search->wanted);
    return !search->found;
}

static bool has_number(ArgumentVisitor *visitor, Value v) {
    Search *search = (Search *)visitor;
    search->found = search->seen++ == search->number;
    if (search->found) search->wanted = v;
    return !search->found;
}

static Status unknown_question(Vm *vm, const NativeDef *def) {
    return vm_raise(vm, EXC_SystemError, "%s() asks about an object that is not among its arguments, and other ranks cannot "
                    "tell which", def->name);
}

// --- Writing ---------------------------------------------------------------------------------------

// Encodes the exception that is set. If it cannot be sent, raises SystemError in its place and encodes that. If memory
// runs out, the exception stays, since an interrupt may be why memory is refused.
static Status put_exception(Vm *vm, const NativeDef *def, Buf *out) {
    Encoder encoder = {.vm = vm, .out = out, .lenient = true};
    size_t start = out->len;
    Value error = retain(vm->error);
    Status st = encode_exception(&encoder, error);
    if (st == ST_OK || out->failed) {
        replace(vm, &vm->error, error);
        return st;
    }
    vm_raise(vm, EXC_SystemError, "%s() raises %s, which cannot be sent to other ranks", def->name, type_name(vm, error));
    release(vm, error);
    out->len = start;
    return encode_exception(&encoder, vm->error);
}

static Status put_question(Vm *vm, const NativeDef *def, const Value *args, Buf *out) {
    Search search = {.visitor = {is_wanted}, .wanted = vm->asked};
    encode_number(out, (uint64_t)vm->asked_about);
    if (vm->asked_about == ASK_NONE) return ST_OK;
    arguments_visit(def, args, &search.visitor);
    if (!search.found) return unknown_question(vm, def);
    encode_number(out, search.seen - 1);
    return ST_OK;
}

// Replaces the result by the value that its bytes decode to, so that the sender has the same value as the receivers.
static Status made_anew(Vm *vm, const char *bytes, size_t len, Value *result) {
    Decoder decoder = {.vm = vm, .at = bytes, .end = bytes + len};
    Value again;
    Status st = decode_value(&decoder, &again);
    if (st == ST_OK) replace(vm, result, again);
    return st;
}

static Status put_result(Vm *vm, const NativeDef *def, Value *result, Buf *out) {
    Encoder encoder = {.vm = vm, .out = out};
    size_t start = out->len;
    Status st = encode_value(&encoder, *result);
    if (st == ST_OK && encoder.altered) st = made_anew(vm, out->data + start, out->len - start, result);
    if (st == ST_OK) return ST_OK;
    clear(vm, result);
    if (!vm_error_is(vm, EXC_TypeError)) return ST_ERROR;
    return vm_raise(vm, EXC_SystemError, "%s() answers with %s, which cannot be sent to other ranks", def->name,
                    encoder.refused ? encoder.refused : "what is nested too deeply");
}

Status outcome_encode(Vm *vm, const NativeDef *def, const Value *args, Status st, Value *result, Buf *out) {
    size_t start = out->len;
    Status sent = ST_OK;
    if (st == ST_ERROR) st = op_refused(vm); // ST_ERROR without an exception means ST_DEFER
    buf_putc(out, (char)st);
    if (st == ST_OK) sent = put_result(vm, def, result, out);
    else if (st == ST_DEFER) sent = put_question(vm, def, args, out);
    if (sent != ST_OK) {
        if (st == ST_DEFER) ask_forget(vm);
        st = ST_ERROR;
        out->len = start;
        buf_putc(out, (char)st);
    }
    if (st == ST_ERROR) {
        sent = put_exception(vm, def, out);
        buf_putc(out, vm->stopped);
    }
    return out->failed ? vm_no_memory(vm) : sent == ST_OK ? st : sent;
}

// --- Reading ---------------------------------------------------------------------------------------

static Status no_outcome(Vm *vm, const NativeDef *def) {
    return vm_raise(vm, EXC_ValueError, "these are no bytes of an outcome of %s()", def->name);
}

static Status take_exception(Decoder *decoder, const NativeDef *def, bool *whole) {
    Vm *vm = decoder->vm;
    Value exception;
    if (decode_exception(decoder, &exception) != ST_OK) return ST_ERROR;
    replace(vm, &vm->error, exception);
    if (decoder->end - decoder->at != 1) return no_outcome(vm, def);
    vm->stopped = *decoder->at++ == 1;
    *whole = true;
    return ST_ERROR;
}

static Status take_question(Decoder *decoder, const NativeDef *def, const Value *args) {
    Vm *vm = decoder->vm;
    Search search = {.visitor = {has_number}};
    uint64_t about;
    if (decode_number(decoder, &about) != ST_OK) return ST_ERROR;
    if (about > ASK_ARRAY) return no_outcome(vm, def);
    if (about == ASK_NONE) return ST_DEFER;
    if (decode_number(decoder, &search.number) != ST_OK) return ST_ERROR;
    arguments_visit(def, args, &search.visitor);
    if (!search.found) return no_outcome(vm, def);
    vm->asked_about = (int)about;
    vm->asked = retain(search.wanted);
    return ST_DEFER;
}

Status outcome_decode(Vm *vm, const NativeDef *def, const Value *args, const char *bytes, size_t len, Value *result,
                      bool *whole) {
    Decoder decoder = {.vm = vm, .at = bytes, .end = bytes + len};
    *whole = false;
    if (len == 0) return no_outcome(vm, def);
    Status st = (Status)*decoder.at++;
    switch (st) {
    case ST_OK: st = decode_value(&decoder, result); break;
    case ST_ERROR: return take_exception(&decoder, def, whole);
    case ST_DEFER: st = take_question(&decoder, def, args); break;
    case ST_STOP: break;
    default: return no_outcome(vm, def);
    }
    *whole = st != ST_ERROR && decoder.at == decoder.end;
    if (st == ST_ERROR || *whole) return st;
    if (st == ST_OK) clear(vm, result);
    if (st == ST_DEFER) ask_forget(vm);
    return no_outcome(vm, def);
}
