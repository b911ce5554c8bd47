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

// --- Functions with a cache: (links, [hits, misses], root, function, limit, keep, missed) -------------------

enum { OF_LINKS, OF_COUNTS, OF_ROOT, OF_FUNC, OF_LIMIT, OF_KEEP, OF_MISSED, CACHE_FIELDS };
enum { LINK_BEFORE, LINK_AFTER, LINK_KEY, LINK_RESULT, LINK_FIELDS };

static List *link_of(Value v) {
    return v.kind == K_LIST && v.list->len == LINK_FIELDS ? v.list : NULL;
}

static bool take_out(Vm *vm, const List *link) {
    List *before = link_of(link->items[LINK_BEFORE]), *after = link_of(link->items[LINK_AFTER]);
    if (!before || !after) return false;
    replace(vm, &before->items[LINK_AFTER], retain(v_obj(after)));
    replace(vm, &after->items[LINK_BEFORE], retain(v_obj(before)));
    return true;
}

// Puts a link that is held elsewhere in front of `root`, where the one used last is.
static bool put_last(Vm *vm, List *root, List *link) {
    List *last = link_of(root->items[LINK_BEFORE]);
    if (!last) return false;
    replace(vm, &last->items[LINK_AFTER], retain(v_obj(link)));
    replace(vm, &link->items[LINK_BEFORE], retain(v_obj(last)));
    replace(vm, &root->items[LINK_BEFORE], retain(v_obj(link)));
    replace(vm, &link->items[LINK_AFTER], retain(v_obj(root)));
    return true;
}

static bool use(Vm *vm, List *root, List *link) {
    return root->items[LINK_BEFORE].list == link || (take_out(vm, link) && put_last(vm, root, link));
}

// One plain int or str stands for itself, as in _call_key of functools.
static Status key_of(Vm *vm, const Value *args, uint32_t count, Value *key) {
    bool plain = count == 1 && (args[0].kind == K_INT || args[0].kind == K_BIGINT || args[0].kind == K_STR);
    if (!plain) return tuple_of(vm, args, count, key);
    *key = retain(args[0]);
    return ST_OK;
}

// A link for a new result: the oldest one where there are enough. ST_DEFER: for the method.
static Status link_for(Vm *vm, Dict *links, const List *root, int64_t limit, Value *out) {
    if ((int64_t)links->count < limit) {
        List *made = list_new(vm, LINK_FIELDS);
        for (int i = 0; made && i < LINK_FIELDS; i++) list_append(vm, made, V_NONE);
        if (made) *out = v_obj(made);
        return vm_check(vm, made);
    }
    List *oldest = link_of(root->items[LINK_AFTER]);
    if (!oldest || oldest == root) return ST_DEFER;
    *out = retain(v_obj(oldest));
    Status st = dict_del(vm, links, oldest->items[LINK_KEY]);
    if (st == ST_OK && !take_out(vm, oldest)) st = ST_DEFER;
    if (st != ST_OK) release(vm, *out);
    return st;
}

static Status keep(Vm *vm, const Tuple *state, Value key, Value result) {
    Dict *links = state->items[OF_LINKS].dict;
    List *root = link_of(state->items[OF_ROOT]);
    Value found, link;
    if (!root) return dict_set(vm, links, key, result);
    Status st = dict_get(vm, links, key, &found);
    if (st != ST_STOP) return st;
    st = link_for(vm, links, root, state->items[OF_LIMIT].i, &link);
    if (st != ST_OK) return st;
    replace(vm, &link.list->items[LINK_KEY], retain(key));
    replace(vm, &link.list->items[LINK_RESULT], retain(result));
    st = dict_set(vm, links, key, link);
    if (st == ST_OK && !put_last(vm, root, link.list)) st = ST_ERROR;
    release(vm, link);
    return st;
}

Status cached_result(Vm *vm, Value of, Value result, RetKind ret, uint16_t dest, Value *out) {
    const Tuple *state = of.tuple->items[0].tuple;
    Status st = keep(vm, state, of.tuple->items[1], result);
    if (st == ST_OK) *out = result;
    else if (st == ST_ERROR) release(vm, result);
    if (st == ST_OK || st == ST_ERROR) return st;
    Value slots[STATE_SPARE + 2] = {V_UNDEF, V_UNDEF, retain(of.tuple->items[1]), result};
    return call_value(vm, state->items[OF_KEEP], slots + STATE_SPARE, 2, NULL, ret, dest, out);
}

static bool is_cache(const Tuple *state) {
    if (state->len != CACHE_FIELDS || state->items[OF_LINKS].kind != K_DICT) return false;
    const Value counts = state->items[OF_COUNTS], limit = state->items[OF_LIMIT];
    return counts.kind == K_LIST && counts.list->len == 2 && counts.list->items[0].kind == K_INT &&
           counts.list->items[1].kind == K_INT && (limit.kind == K_INT || limit.kind == K_NONE);
}

// STATE_MISS: *out is the pair that cached_result has to be given with the function's result.
static StateCall call_cached(Vm *vm, Tuple *state, const Value *args, uint32_t count, const Tuple *given,
                             bool stores, Value *func, Value *slots, uint32_t *total, Value *out) {
    if (given || !is_cache(state) || count + STATE_SPARE > STATE_SLOTS) return STATE_OTHER;
    List *counts = state->items[OF_COUNTS].list, *root = link_of(state->items[OF_ROOT]);
    Value key, found;
    if (key_of(vm, args, count, &key) != ST_OK) return STATE_ERROR;
    Status st = dict_get(vm, state->items[OF_LINKS].dict, key, &found);
    if (st == ST_OK) {
        List *link = root ? link_of(found) : NULL;
        if (root) retain(found);
        bool good = !root || (link && use(vm, root, link));
        if (good) {
            counts->items[0].i++;
            *out = retain(link ? link->items[LINK_RESULT] : found);
        }
        if (root) release(vm, found);
        release(vm, key);
        return good ? STATE_RESULT : STATE_OTHER;
    }
    const Value pair[2] = {v_obj(state), key};
    const bool direct = stores && state->items[OF_FUNC].kind == K_FUNC;
    if (st == ST_STOP && tuple_of(vm, direct ? pair : args, direct ? 2 : count, out) != ST_OK) st = ST_ERROR;
    if (st != ST_STOP || direct) release(vm, key);
    if (st != ST_STOP) return st == ST_DEFER ? STATE_OTHER : STATE_ERROR;
    if (!direct) {
        slots[STATE_SPARE] = key;
        slots[STATE_SPARE + 1] = *out;
        *total = 2;
        *func = retain(state->items[OF_MISSED]);
        return STATE_CALL;
    }
    counts->items[1].i++;
    for (uint32_t i = 0; i < count; i++) slots[STATE_SPARE + i] = retain(args[i]);
    *total = count;
    *func = retain(state->items[OF_FUNC]);
    return STATE_MISS;
}

StateCall call_state(Vm *vm, const NativeDef *row, Instance *inst, const Value *args, uint32_t count, const Tuple *given,
                     bool stores, Value *func, Value *slots, uint32_t *total, Tuple **names, Value *out) {
    *names = NULL;
    if (row != &call_state_rows[ROW_PARTIAL] && row != &call_state_rows[ROW_CACHED]) return STATE_OTHER;
    const Value state = retain(cached_slot(vm, inst, vm_name(vm, NAME_call_state)));
    StateCall what = STATE_OTHER;
    if (state.kind == K_TUPLE)
        what = row == &call_state_rows[ROW_PARTIAL]
                   ? call_partial(vm, state.tuple, args, count, given, func, slots, total, names)
                   : call_cached(vm, state.tuple, args, count, given, stores, func, slots, total, out);
    release(vm, state);
    return what;
}
