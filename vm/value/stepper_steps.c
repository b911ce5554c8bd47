// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The steps of map, filter, zip and the iterators of itertools that pass items on. An exception leaves
// the same state as in CPython: a source that CPython releases then is in act->held while its next item
// is computed.

#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq_impl.h"
#include "vm/value/stepper_impl.h"

#define STEP(id) StepWant step_##id(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in)

static StepWant truth_of(Vm *vm, Act *act, Value owned, bool *truth) {
    Status st = op_truth(vm, owned, truth);
    if (st == ST_DEFER) return step_help(act, "step_truth", owned, V_UNDEF);
    release(vm, owned);
    return st == ST_OK ? STEP_GIVE : STEP_FAIL;
}

// Compares a and b, both owned. STEP_GIVE: *equal is known.
static StepWant equality(Vm *vm, Act *act, Value a, Value b, bool *equal) {
    Value answer;
    Status st = ST_OK;
    *equal = true;
    if (!v_is(a, b)) {
        st = op_compare(vm, CMP_EQ, a, b, &answer);
        if (st == ST_OK) {
            st = op_truth(vm, answer, equal);
            release(vm, answer);
        }
    }
    if (st != ST_OK && st != ST_ERROR) return step_help(act, "step_equal", a, b);
    release(vm, a);
    release(vm, b);
    return st == ST_OK ? STEP_GIVE : STEP_FAIL;
}

// Computes a + b (both borrowed). STEP_GIVE: *sum is known.
static StepWant addition(Vm *vm, Act *act, Value a, Value b, Value *sum) {
    Status st = op_binary(vm, BIN_ADD, false, a, b, sum);
    if (st == ST_OK) return STEP_GIVE;
    if (st == ST_ERROR) return STEP_FAIL;
    return step_help(act, "step_add", retain(a), retain(b));
}

static void hold_source(Stepper *it, Act *act) {
    act->held = it->source;
    it->source = V_UNDEF;
}

static void put_back(Vm *vm, Stepper *it, Act *act) {
    replace(vm, &it->source, act->held);
    act->held = V_UNDEF;
}

// --- Rows ----------------------------------------------------------------------------------------

Tuple *stepper_row(Vm *vm, Stepper *it, size_t len) {
    Tuple **made = &it->made[it->turn = !it->turn];
    if (!*made || (*made)->gc.obj.refs != 1) {
        release_obj(vm, *made);
        *made = tuple_new(vm, len);
        if (!*made) return NULL;
    }
    (*made)->gc.obj.refs++;
    return *made;
}

// Collects one item of each iterator of it->source in act->held, from iterator number act->phase on.
// STEP_GIVE: the row is complete.
static StepWant gather(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in) {
    const Tuple *sources = it->source.tuple;
    if (event == STEP_START) {
        Tuple *row = stepper_row(vm, it, sources->len);
        if (vm_check(vm, row) != ST_OK) return STEP_FAIL;
        act->held = v_obj(row);
        act->phase = 0;
    } else {
        replace(vm, &act->held.tuple->items[act->phase++], in);
    }
    if ((size_t)act->phase == sources->len) return STEP_GIVE;
    return step_ask(act, sources->items[act->phase]);
}

static StepWant give_held(Act *act) {
    v_store(&act->value, v_load(&act->held));
    act->held.kind = K_UNDEF;
    return STEP_GIVE;
}

STEP(MAP) {
    if (event == STEP_END) return STEP_STOP;
    if (it->source.kind != K_TUPLE) {
        if (event == STEP_START) return step_ask(act, it->source);
        return step_call(act, STEP_LAST, it->func, in, V_UNDEF);
    }
    StepWant want = gather(vm, it, act, event, in);
    if (want != STEP_GIVE) return want;
    give_held(act);
    return step_call(act, STEP_SPREAD, it->func, act->value, V_UNDEF);
}

// Raises zip's ValueError: the argument after the first `count` ones is shorter or longer than these.
static StepWant uneven(Vm *vm, int64_t count, const char *how) {
    if (count == 1)
        vm_raise(vm, EXC_ValueError, "zip() argument 2 is %s than argument 1", how);
    else
        vm_raise(vm, EXC_ValueError, "zip() argument %lld is %s than arguments 1-%lld",
                 (long long)count + 1, how, (long long)count);
    return STEP_FAIL;
}

// For strict=True, after the first source's end: checks that the others are at their end.
static StepWant zip_rest(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in) {
    const Tuple *sources = it->source.tuple;
    int64_t count = (int64_t)sources->len, at = act->phase - count;
    if (event == STEP_ITEM) {
        release(vm, in);
        return uneven(vm, at, "longer");
    }
    if (at + 1 == count) return STEP_STOP;
    act->phase++;
    return step_ask(act, sources->items[at + 1]);
}

STEP(ZIP) {
    int64_t count = (int64_t)it->source.tuple->len;
    if (count == 0) return STEP_STOP;
    if (act->phase >= count) return zip_rest(vm, it, act, event, in);
    if (event == STEP_END) {
        if (!it->flag) return STEP_STOP;
        if (act->phase > 0) return uneven(vm, act->phase, "shorter");
        act->phase = count;
        return zip_rest(vm, it, act, event, in);
    }
    StepWant want = gather(vm, it, act, event, in);
    return want == STEP_GIVE ? give_held(act) : want;
}

// `c` is what fills the gaps; a source at its end is None; `index` counts those that are not, and is
// 0 (the end) after an exception, so that `next` keeps it while a source is asked.
STEP(ZIP_LONGEST) {
    Tuple *sources = it->source.tuple;
    if (event == STEP_START && it->index == 0) return STEP_STOP;
    if (event != STEP_START) it->index = it->next;
    if (event == STEP_END) {
        replace(vm, &sources->items[act->phase], V_NONE);
        if (--it->index == 0) return STEP_STOP;
        in = retain(it->c);
        event = STEP_ITEM;
    }
    for (;;) {
        StepWant want = gather(vm, it, act, event, in);
        if (want == STEP_GIVE) return give_held(act);
        if (want != STEP_NEXT) return want;
        if (act->callee.kind != K_NONE) {
            it->next = it->index;
            it->index = 0;
            return want;
        }
        in = retain(it->c);
        event = STEP_ITEM;
    }
}

// The count is `index`; beyond 64 bits in `a`.
STEP(ENUMERATE) {
    if (event == STEP_START) return step_ask(act, it->source);
    if (event == STEP_END) return STEP_STOP;
    Value now = it->a.kind == K_UNDEF ? v_int(it->index) : it->a, after = V_UNDEF;
    Tuple *pair = stepper_row(vm, it, 2);
    Status st = vm_check(vm, pair);
    bool small = now.kind == K_INT && now.i < INT64_MAX;
    if (st == ST_OK && !small) st = big_op(vm, BIN_ADD, now, v_int(1), &after);
    if (st != ST_OK) {
        release(vm, in);
        release_obj(vm, pair);
        return STEP_FAIL;
    }
    replace(vm, &pair->items[0], retain(now));
    replace(vm, &pair->items[1], in);
    if (small)
        it->index++;
    else
        replace(vm, &it->a, after);
    return step_give(act, v_obj(pair));
}

STEP(PAIRWISE) {
    if (event == STEP_START) {
        if (it->source.kind == K_UNDEF) return STEP_STOP;
        hold_source(it, act);
        act->phase = it->a.kind == K_UNDEF;
        return step_ask(act, act->held);
    }
    if (event == STEP_END) {
        clear(vm, &it->a);
        return STEP_STOP;
    }
    if (act->phase == 1) {
        act->phase = 0;
        replace(vm, &it->a, in);
        return step_ask(act, act->held);
    }
    Tuple *pair = stepper_row(vm, it, 2);
    if (vm_check(vm, pair) != ST_OK) {
        release(vm, in);
        return STEP_FAIL;
    }
    replace(vm, &pair->items[0], it->a.kind == K_UNDEF ? V_NONE : it->a);
    it->a = retain(in);
    replace(vm, &pair->items[1], in);
    put_back(vm, it, act);
    return step_give(act, v_obj(pair));
}

// --- Choosing items ------------------------------------------------------------------------------

// Takes an item and calls the predicate, for filter and similar roles; holds the item meanwhile. STEP_GIVE: *keep is
// the predicate's truth.
static StepWant judge(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in, bool *keep) {
    if (event == STEP_START) return step_ask(act, it->source);
    if (event == STEP_END) return STEP_STOP;
    if (event == STEP_ITEM) {
        act->held = in;
        if (it->func.kind != K_UNDEF)
            return step_call(act, STEP_CALL, it->func, retain(in), V_UNDEF);
        retain(in);
    }
    return truth_of(vm, act, in, keep);
}

static StepWant filtered(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in, bool wanted) {
    bool keep;
    StepWant want = judge(vm, it, act, event, in, &keep);
    if (want != STEP_GIVE) return want;
    if (keep == wanted) return give_held(act);
    clear(vm, &act->held);
    return step_ask(act, it->source);
}

STEP(FILTER) {
    return filtered(vm, it, act, event, in, true);
}

STEP(FILTERFALSE) {
    return filtered(vm, it, act, event, in, false);
}

STEP(TAKEWHILE) {
    bool keep;
    if (it->flag) return STEP_STOP;
    StepWant want = judge(vm, it, act, event, in, &keep);
    if (want != STEP_GIVE) return want;
    it->flag = !keep;
    return keep ? give_held(act) : STEP_STOP;
}

STEP(DROPWHILE) {
    if (it->flag && event == STEP_ITEM) return step_give(act, in);
    StepWant want = filtered(vm, it, act, event, in, false);
    it->flag |= want == STEP_GIVE;
    return want;
}

// `a` is the iterator of the selectors.
STEP(COMPRESS) {
    bool keep;
    if (event == STEP_END) return STEP_STOP;
    if (event == STEP_ITEM && act->phase == 0) {
        act->held = in;
        act->phase = 1;
        return step_ask(act, it->a);
    }
    if (event != STEP_START) {
        StepWant want = truth_of(vm, act, in, &keep);
        if (want != STEP_GIVE) return want;
        if (keep) return give_held(act);
        clear(vm, &act->held);
    }
    act->phase = 0;
    return step_ask(act, it->source);
}

// `index` items have been taken, `next` is the wanted one, `stop` the first that is not (-1: none).
STEP(ISLICE) {
    if (event == STEP_START) {
        if (it->source.kind == K_UNDEF) return STEP_STOP;
        hold_source(it, act);
    } else if (event == STEP_ITEM) {
        if (it->index++ >= it->next) {
            it->next = it->step > INT64_MAX - it->next ? INT64_MAX : it->next + it->step;
            if (it->stop >= 0 && it->next > it->stop) it->next = it->stop;
            put_back(vm, it, act);
            return step_give(act, in);
        }
        release(vm, in);
    }
    bool over = it->index >= it->next && it->stop >= 0 && it->index >= it->stop;
    return event == STEP_END || over ? STEP_STOP : step_ask(act, act->held);
}

// --- One after the other -------------------------------------------------------------------------

// `a` is the iterator of the current iterable. Phase 1: the step waits for the next iterable; 2: for its iterator.
STEP(CHAIN) {
    if (event == STEP_ITEM && act->phase == 0) return step_give(act, in);
    if (event == STEP_END && act->phase == 1) return STEP_STOP;
    if (event == STEP_ITEM) {
        Value iterator = V_UNDEF;
        Status st = in.kind == K_CLASS ? ST_DEFER : op_iter(vm, in, &iterator);
        act->phase = 2;
        if (st == ST_DEFER) return step_help(act, "step_iter", in, V_UNDEF);
        release(vm, in);
        if (st != ST_OK) return STEP_FAIL;
        in = iterator;
        event = STEP_RESULT;
    }
    if (event == STEP_RESULT) {
        replace(vm, &it->a, in);
        put_back(vm, it, act);
    } else if (event == STEP_END) {
        clear(vm, &it->a);
    }
    act->phase = it->a.kind == K_UNDEF;
    if (act->phase == 0) return step_ask(act, it->a);
    if (it->source.kind == K_UNDEF) return STEP_STOP;
    hold_source(it, act);
    return step_ask(act, act->held);
}

// `a` is the list of the items so far, `index` the next of it.
STEP(CYCLE) {
    List *saved = it->a.list;
    if (event == STEP_START && it->source.kind != K_UNDEF) return step_ask(act, it->source);
    if (event == STEP_ITEM) {
        if (list_append(vm, saved, retain(in)) == ST_OK) return step_give(act, in);
        release(vm, in);
        return STEP_FAIL;
    }
    if (event == STEP_END) clear(vm, &it->source);
    if (saved->len == 0) return STEP_STOP;
    Value item = retain(saved->items[it->index++]);
    if ((size_t)it->index == saved->len) it->index = 0;
    return step_give(act, item);
}

// `a` is the total, `b` the initial one.
STEP(ACCUMULATE) {
    if (event == STEP_END) return STEP_STOP;
    if (event == STEP_START) {
        if (it->b.kind == K_UNDEF) return step_ask(act, it->source);
        replace(vm, &it->a, it->b);
        it->b = V_UNDEF;
        return step_give(act, retain(it->a));
    }
    if (event == STEP_ITEM && it->a.kind != K_UNDEF) {
        if (it->func.kind != K_UNDEF) return step_call(act, STEP_CALL, it->func, retain(it->a), in);
        Value sum = V_UNDEF;
        StepWant want = addition(vm, act, it->a, in, &sum);
        release(vm, in);
        if (want != STEP_GIVE) return want;
        in = sum;
    }
    replace(vm, &it->a, in);
    return step_give(act, retain(in));
}

STEP(STARMAP) {
    (void)vm;
    if (event == STEP_START) return step_ask(act, it->source);
    if (event == STEP_END) return STEP_STOP;
    if (in.kind == K_TUPLE || (in.kind == K_LIST && event == STEP_RESULT))
        return step_call(act, STEP_SPREAD, it->func, in, V_UNDEF);
    return step_help(act, "step_list", in, V_UNDEF);
}

// --- Without a source ----------------------------------------------------------------------------

// The next value and the step: 64-bit ints in `index` and `step` (`a` is UNDEF), anything else in `a` and `b`.
STEP(COUNT) {
    if (it->a.kind == K_UNDEF) {
        int64_t now = it->index;
        if (!__builtin_add_overflow(now, it->step, &it->index)) return step_give(act, v_int(now));
        it->index = now;
        it->a = v_int(now);
        it->b = v_int(it->step);
    }
    if (event == STEP_START) {
        StepWant want = addition(vm, act, it->a, it->b, &in);
        if (want != STEP_GIVE) return want;
    }
    if (event == STEP_END) return STEP_STOP;
    Value now = it->a;
    it->a = in;
    return step_give(act, now);
}

// Repeats `a` `index` times more; for ever if that is negative.
STEP(REPEAT) {
    (void)vm;
    (void)event;
    (void)in;
    if (it->index == 0) return STEP_STOP;
    if (it->index > 0) it->index--;
    return step_give(act, retain(it->a));
}

STEP(CALLABLE) {
    bool equal;
    if (event == STEP_START) {
        if (it->func.kind == K_UNDEF) return STEP_STOP;
        step_call(act, STEP_CALL, it->func, V_UNDEF, V_UNDEF);
        act->count = 0;
        return STEP_CALL;
    }
    StepWant want = STEP_GIVE;
    if (event == STEP_END) {
        equal = true;
    } else if (act->phase == 0) {
        act->phase = 1;
        act->held = in;
        want = equality(vm, act, retain(it->a), retain(in), &equal);
    } else {
        want = truth_of(vm, act, in, &equal);
    }
    if (want != STEP_GIVE) return want;
    if (!equal) return give_held(act);
    clear(vm, &it->func);
    return STEP_STOP;
}

// Reads item `index` of a sequence by step_item of the prelude, which returns a cell at the end.
static StepWant numbered(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in, int by) {
    if (it->source.kind == K_UNDEF) return STEP_STOP;
    if (event == STEP_START) {
        if (it->index >= 0)
            return step_help(act, "step_item", retain(it->source), v_int(it->index));
    } else if (in.kind != K_CELL) {
        it->index += by;
        return step_give(act, in);
    }
    release(vm, in);
    clear(vm, &it->source);
    return STEP_STOP;
}

STEP(GETITEM) {
    return numbered(vm, it, act, event, in, 1);
}

STEP(REVERSED) {
    return numbered(vm, it, act, event, in, -1);
}

// --- groupby and tee -----------------------------------------------------------------------------
//
// In groupby, `a` is the key of the group returned last, `b` and `c` are the key and the item that come
// next; `c` is undefined when the group has returned the item. In phase 0 the step waits for an item, in 1
// for its key, in 2 for the comparison of keys.

// Stores an item and its key, for which it calls the key function. STEP_GIVE: they are in by->c and by->b.
static StepWant next_key(Vm *vm, Stepper *by, Act *act, StepEvent event, Value in) {
    if (event == STEP_ITEM && by->func.kind != K_UNDEF) {
        act->held = in;
        act->phase = GROUP_KEY;
        return step_call(act, STEP_CALL, by->func, retain(in), V_UNDEF);
    }
    if (event == STEP_ITEM) act->held = retain(in);
    replace(vm, &by->c, act->held);
    act->held = V_UNDEF;
    replace(vm, &by->b, in);
    return STEP_GIVE;
}

static StepWant ask_group(Stepper *by, Act *act) {
    act->phase = GROUP_ITEM;
    return step_ask(act, by->source);
}

static StepWant same_key(Vm *vm, Act *act, Value before, Value now, bool *same) {
    act->phase = GROUP_EQUAL;
    return equality(vm, act, retain(before), retain(now), same);
}

Status stepper_give_group(Vm *vm, Stepper *it, Value *out) {
    Stepper *group = stepper_new(vm, STEPPER_GROUP);
    Tuple *pair = group ? tuple_new(vm, 2) : NULL;
    if (!pair) {
        release_obj(vm, group);
        return vm_no_memory(vm);
    }
    replace(vm, &it->a, retain(it->b));
    group->source = retain(v_obj(it));
    group->a = retain(it->b);
    it->group = group;
    pair->items[0] = retain(it->b);
    pair->items[1] = v_obj(group);
    *out = v_obj(pair);
    return ST_OK;
}

static StepWant give_group(Vm *vm, Stepper *it, Act *act) {
    return stepper_give_group(vm, it, &act->value) == ST_OK ? STEP_GIVE : STEP_FAIL;
}

STEP(GROUPBY) {
    bool same = true;
    StepWant want;
    if (event == STEP_END) return STEP_STOP;
    if (event == STEP_START) {
        it->group = NULL;
    } else if (act->phase == GROUP_EQUAL) {
        want = truth_of(vm, act, in, &same);
        if (want != STEP_GIVE) return want;
        return same ? ask_group(it, act) : give_group(vm, it, act);
    } else if ((want = next_key(vm, it, act, event, in)) != STEP_GIVE) {
        return want;
    }
    if (it->b.kind == K_UNDEF) return ask_group(it, act);
    if (it->a.kind == K_UNDEF) return give_group(vm, it, act);
    want = same_key(vm, act, it->a, it->b, &same);
    if (want != STEP_GIVE) return want;
    return same ? ask_group(it, act) : give_group(vm, it, act);
}

STEP(GROUP) {
    Stepper *by = (Stepper *)it->source.obj;
    bool same = true;
    StepWant want;
    if (event == STEP_END) return STEP_STOP;
    if (event == STEP_START && by->group != it) return STEP_STOP;
    if (event != STEP_START && act->phase == GROUP_EQUAL) {
        want = truth_of(vm, act, in, &same);
    } else {
        if (event == STEP_START && by->c.kind == K_UNDEF) return ask_group(by, act);
        if (event != STEP_START && (want = next_key(vm, by, act, event, in)) != STEP_GIVE)
            return want;
        want = same_key(vm, act, it->a, by->b, &same);
    }
    if (want != STEP_GIVE) return want;
    if (!same || by->c.kind == K_UNDEF) return STEP_STOP;
    Value item = by->c;
    by->c = V_UNDEF;
    clear(vm, &by->b);
    return step_give(act, item);
}

// `a` is the link to the next item: a list of the item and the link after it, empty if the item has not been taken.
STEP(TEE) {
    List *link = it->a.list;
    if (event == STEP_END) return STEP_STOP;
    if (event == STEP_START && link->len == 0) return step_ask(act, it->source);
    if (event == STEP_ITEM && link->len == 0) {
        List *after = list_new(vm, 2); // so that nothing fails half-way
        Status st = vm_check(vm, after);
        if (st == ST_OK)
            st = list_append(vm, link, in);
        else
            release(vm, in);
        if (st == ST_OK)
            st = list_append(vm, link, v_obj(after));
        else
            release_obj(vm, after);
        if (st != ST_OK) return STEP_FAIL;
    } else if (event == STEP_ITEM) {
        release(vm, in);
    }
    Value item = retain(link->items[0]);
    replace(vm, &it->a, retain(link->items[1]));
    return step_give(act, item);
}
