// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls of functools.partial and of functions with a cache, without a frame of their own.

#include "vm/interp/call_state.h"

#include "vm/array/walk.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

// By __call__ of a class that is called in another way, or with what is not common: its method _call(args, keywords).
static Status by_method(Vm *vm, const Value *args, Value *out) {
    (void)vm, (void)args, (void)out;
    return ST_DEFER;
}

static Status fn_bind(Vm *vm, const Value *args, Value *out) {
    return bound_new(vm, args[1], args[0], out);
}

enum { ROW_PARTIAL, ROW_CACHED };
static const NativeDef call_state_rows[] = {
    [ROW_PARTIAL] = {"call_partial", "self, /, *args, **keywords", by_method, "call_state_slow", PURE},
    [ROW_CACHED] = {"call_cached", "self, /, *args, **keywords", by_method, "call_state_slow", PURE},
    {0},
};
static const NativeDef bind_row[] = {{"bind", "func, self, /", fn_bind, NULL, PURE}, {0}};

// Methods of any class, so that they are bound to instances.
static Status add_methods(Vm *vm, Module *module, const NativeDef *row) {
    Status st = ST_OK;
    for (; st == ST_OK && row->name; row++) {
        Value method;
        st = native_new(vm, row, v_obj(vm->object_class), &method);
        if (st == ST_OK) st = module_set(vm, module, row->name, method);
    }
    return st;
}

Status call_state_init(Vm *vm, Module *module) {
    Status st = module_add_natives(vm, module, bind_row);
    if (st == ST_OK) st = add_methods(vm, module, call_state_rows);
    return st == ST_OK ? add_methods(vm, module, array_walk_methods) : st;
}

// --- partial: (func, args, keywords, names of these as a tuple) -----------------------------------

static StateCall call_partial(Vm *vm, const Tuple *state, const Value *args, uint32_t count, const Tuple *given,
                              Value *func, Value *slots, uint32_t *total, Tuple **names) {
    if (state->len != 4 || state->items[1].kind != K_TUPLE || state->items[2].kind != K_DICT) return STATE_OTHER;
    const Tuple *first = state->items[1].tuple;
    Tuple *keys = state->items[3].tuple;
    Dict *keywords = state->items[2].dict;
    int64_t held;
    if (op_len(vm, state->items[2], &held) != ST_OK || (size_t)held != keys->len) return STATE_OTHER;
    if (given && keys->len) return STATE_OTHER;
    if (STATE_SPARE + first->len + count + keys->len > STATE_SLOTS) return STATE_OTHER;
    Value more[STATE_SLOTS];
    for (size_t i = 0; i < keys->len; i++)
        if (dict_get(vm, keywords, keys->items[i], &more[i]) != ST_OK) return STATE_OTHER;
    uint32_t n = STATE_SPARE;
    for (size_t i = 0; i < first->len; i++) slots[n++] = retain(first->items[i]);
    for (uint32_t i = 0; i < count; i++) slots[n++] = retain(args[i]);
    for (size_t i = 0; i < keys->len; i++) slots[n++] = retain(more[i]);
    *total = n - STATE_SPARE;
    *names = keys->len ? retain(v_obj(keys)).tuple : given ? retain(v_obj((Tuple *)(uintptr_t)given)).tuple : NULL;
    *func = retain(state->items[0]);
    return STATE_CALL;
}

// --- Functions with a cache: (links, hits, root, missed) --------------------------------------------

enum { LINK_BEFORE, LINK_AFTER, LINK_KEY, LINK_RESULT, LINK_FIELDS };

static List *link_of(Value v) {
    return v.kind == K_LIST && v.list->len == LINK_FIELDS ? v.list : NULL;
}

// Moves a link in front of `root`, where the one used last is.
static bool use(Vm *vm, List *root, List *link) {
    List *before = link_of(link->items[LINK_BEFORE]), *after = link_of(link->items[LINK_AFTER]);
    List *last = link_of(root->items[LINK_BEFORE]);
    if (!before || !after || !last) return false;
    if (last == link) return true;
    replace(vm, &before->items[LINK_AFTER], retain(v_obj(after)));
    replace(vm, &after->items[LINK_BEFORE], retain(v_obj(before)));
    replace(vm, &last->items[LINK_AFTER], retain(v_obj(link)));
    replace(vm, &root->items[LINK_BEFORE], retain(v_obj(link)));
    replace(vm, &link->items[LINK_BEFORE], retain(v_obj(last)));
    replace(vm, &link->items[LINK_AFTER], retain(v_obj(root)));
    return true;
}

// One plain int or str stands for itself, as in _call_key of functools.
static Status key_of(Vm *vm, const Value *args, uint32_t count, Value *key) {
    bool plain = count == 1 && (args[0].kind == K_INT || args[0].kind == K_BIGINT || args[0].kind == K_STR);
    if (!plain) return tuple_of(vm, args, count, key);
    *key = retain(args[0]);
    return ST_OK;
}

static StateCall call_cached(Vm *vm, const Tuple *state, const Value *args, uint32_t count, const Tuple *given,
                             Value *func, Value *slots, uint32_t *total, Value *out) {
    if (given || state->len != 4 || state->items[0].kind != K_DICT || state->items[1].kind != K_LIST) return STATE_OTHER;
    List *hits = state->items[1].list, *root = link_of(state->items[2]);
    Value key, found, all;
    if (hits->len != 1 || hits->items[0].kind != K_INT || count + 2 > STATE_SLOTS) return STATE_OTHER;
    if (key_of(vm, args, count, &key) != ST_OK) return STATE_ERROR;
    Status st = dict_get(vm, state->items[0].dict, key, &found);
    if (st == ST_OK) {
        List *link = root ? link_of(found) : NULL;
        if (root) retain(found);
        bool good = !root || (link && use(vm, root, link));
        if (good) {
            hits->items[0].i++;
            *out = retain(link ? link->items[LINK_RESULT] : found);
        }
        if (root) release(vm, found);
        release(vm, key);
        return good ? STATE_RESULT : STATE_OTHER;
    }
    if (st == ST_STOP && tuple_of(vm, args, count, &all) == ST_OK) {
        slots[STATE_SPARE] = key;
        slots[STATE_SPARE + 1] = all;
        *total = 2;
        *func = retain(state->items[3]);
        return STATE_CALL;
    }
    release(vm, key);
    return st == ST_DEFER ? STATE_OTHER : STATE_ERROR;
}

StateCall call_state(Vm *vm, const NativeDef *row, Instance *inst, const Value *args, uint32_t count, const Tuple *given,
                     Value *func, Value *slots, uint32_t *total, Tuple **names, Value *out) {
    Value state;
    *names = NULL;
    if (row != &call_state_rows[ROW_PARTIAL] && row != &call_state_rows[ROW_CACHED]) return STATE_OTHER;
    if (instance_get(vm, inst, vm_name(vm, NAME_call_state), &state) != ST_OK) return STATE_OTHER;
    StateCall what = STATE_OTHER;
    if (state.kind == K_TUPLE)
        what = row == &call_state_rows[ROW_PARTIAL]
                   ? call_partial(vm, state.tuple, args, count, given, func, slots, total, names)
                   : call_cached(vm, state.tuple, args, count, given, func, slots, total, out);
    release(vm, state);
    return what;
}
