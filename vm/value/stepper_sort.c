// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorting by comparisons that are code of the program: a merge sort of positions that begins with the runs that are
// there, as a stepper that gives one item, the list of positions. It asks nothing but whether keys[x] < keys[y].

#include "vm/value/class.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/stepper_impl.h"

// `a`: the keys. `places`: positions in order, those merged by the pass at work, and where runs end. `index` and `next`:
// while runs are looked for, where the one at hand has come to, and where it begins; later the places compared.
// `stop`: number of ends. `step`: which pair of runs is merged; 0: none yet. `flag`: results are numbers.
typedef struct Sorting {
    int64_t n, *order, *merged, *ends, *out, *falls; // out: length of merged; falls: -1: not known yet
} Sorting;

static Sorting sorting_of(const Stepper *it) {
    const int64_t n = ((int64_t)it->place_count - 3) / 3;
    int64_t *at = it->places;
    return (Sorting){n, at, at + n, at + 2 * n, at + 3 * n + 1, at + 3 * n + 2};
}

enum { ASKED, ASKED_AGAIN }; // phase

static StepWant ask_less(Stepper *it, Act *act, bool plainly) {
    const Sorting s = sorting_of(it);
    const Value *keys = it->a.list->items;
    const int64_t x = it->index, y = it->step ? it->next : x - 1;
    const Value a = retain(keys[s.order[x]]), b = retain(keys[s.order[y]]);
    act->phase = plainly ? ASKED : ASKED_AGAIN;
    if (!plainly || it->func.kind == K_UNDEF) return step_help(act, "step_less", a, b);
    return step_call(act, STEP_CALL, it->func, a, b);
}

// STEP_GIVE: *less is known.
static StepWant understood(Vm *vm, Stepper *it, Act *act, Value said, bool *less) {
    Status st = ST_OK;
    if (act->phase == ASKED && it->flag) {
        *less = said.kind == K_FLOAT ? said.f < 0 : said.i < 0;
        if (said.kind != K_FLOAT && said.kind != K_INT && said.kind != K_BOOL) {
            act->phase = ASKED_AGAIN;
            return step_help(act, "step_negative", said, V_UNDEF);
        }
        return STEP_GIVE;
    }
    if (act->phase == ASKED && said.kind == K_NOTIMPLEMENTED) return ask_less(it, act, false);
    st = op_truth(vm, said, less);
    if (st == ST_DEFER) return step_help(act, "step_truth", said, V_UNDEF);
    release(vm, said);
    return st == ST_OK ? STEP_GIVE : STEP_FAIL;
}

static void end_run(Stepper *it, const Sorting *s) {
    for (int64_t i = it->next, j = it->index - 1; *s->falls == 1 && i < j; i++, j--) {
        const int64_t first = s->order[i];
        s->order[i] = s->order[j];
        s->order[j] = first;
    }
    s->ends[it->stop++] = it->next = it->index;
    it->index++;
    *s->falls = -1;
}

static void begin_pair(Stepper *it, const Sorting *s, int64_t pair) {
    it->step = pair;
    it->next = s->ends[pair - 1];
    it->index = s->ends[pair];
}

static int64_t pair_end(const Stepper *it, const Sorting *s) {
    return s->ends[it->step + 1 < it->stop ? it->step + 1 : it->stop - 1];
}

// The pair is merged: what is left of it, and the next pair or pass.
static void end_pair(Stepper *it, const Sorting *s) {
    const int64_t end = pair_end(it, s), middle = s->ends[it->step];
    while (it->next < middle) s->merged[(*s->out)++] = s->order[it->next++];
    while (it->index < end) s->merged[(*s->out)++] = s->order[it->index++];
    if (it->step + 2 < it->stop) {
        begin_pair(it, s, it->step + 2);
        return;
    }
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++) s->order[i] = s->merged[i];
    for (int64_t i = 0; i < it->stop; i += 2) s->ends[count++] = s->ends[i];
    if (it->stop % 2 == 0) s->ends[count++] = s->ends[it->stop - 1];
    it->stop = count;
    *s->out = 0;
    begin_pair(it, s, 1);
}

// Goes on to the next comparison. False: all is in order.
static bool compares(Stepper *it, const Sorting *s) {
    while (it->step == 0) {
        if (it->index < s->n) return true;
        end_run(it, s);
        if (it->next >= s->n) begin_pair(it, s, 1);
    }
    while (it->stop > 2) {
        if (it->next < s->ends[it->step] && it->index < pair_end(it, s)) return true;
        end_pair(it, s);
    }
    return false;
}

static void learn(Stepper *it, const Sorting *s, bool less) {
    if (it->step) {
        s->merged[(*s->out)++] = s->order[less ? it->index++ : it->next++];
    } else if (*s->falls >= 0 && *s->falls != less) {
        end_run(it, s);
    } else {
        *s->falls = less;
        it->index++;
    }
}

static StepWant give_order(Vm *vm, Stepper *it, Act *act, const Sorting *s) {
    List *list = list_new(vm, (size_t)s->n);
    Status st = vm_check(vm, list);
    for (int64_t i = 0; st == ST_OK && i < s->n; i++)
        st = list_append(vm, list, v_int(s->order[it->turn ? s->n - 1 - i : i]));
    clear(vm, &it->a);
    if (st == ST_OK) return step_give(act, v_obj(list));
    release_obj(vm, list);
    return STEP_FAIL;
}

StepWant step_SORT(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in) {
    const Sorting s = sorting_of(it);
    bool less = false;
    if (event == STEP_END || it->a.kind == K_UNDEF) return STEP_STOP;
    if (event == STEP_RESULT) {
        StepWant want = understood(vm, it, act, in, &less);
        if (want != STEP_GIVE) return want;
        learn(it, &s, less);
    }
    return s.n && compares(it, &s) ? ask_less(it, act, true) : give_order(vm, it, act, &s);
}

// The __lt__ of all keys, if it is one function of the language.
static Value less_of(Vm *vm, const List *keys) {
    const Class *cls = keys->len && keys->items[0].kind == K_INSTANCE ? keys->items[0].inst->cls : NULL;
    for (size_t i = 0; cls && i < keys->len; i++)
        if (keys->items[i].kind != K_INSTANCE || keys->items[i].inst->cls != cls) cls = NULL;
    const Value found = cls ? class_user_method(cls, vm_name(vm, NAME_CMP_LT)) : V_UNDEF;
    return found.kind == K_FUNC ? found : V_UNDEF;
}

// sorter(keys, compare, reverse): compare is None, or says of two keys by a number what their order is.
Status stepper_sorter(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_LIST) return vm_raise(vm, EXC_TypeError, "sorter() takes a list");
    const size_t n = args[0].list->len, count = 3 * n + 3;
    Stepper *it = stepper_new(vm, STEPPER_SORT);
    if (!it) return vm_no_memory(vm);
    it->places = mem_alloc(&vm->mem, count * sizeof(int64_t));
    if (!it->places) {
        release_obj(vm, it);
        return vm_no_memory(vm);
    }
    it->place_count = count;
    it->turn = args[2].i != 0;
    it->flag = args[1].kind != K_NONE;
    List *keys = list_new(vm, n); // which nobody else changes
    Status st = vm_check(vm, keys);
    if (keys) it->a = v_obj(keys);
    for (size_t i = 0; st == ST_OK && i < n; i++) st = list_append(vm, keys, retain(args[0].list->items[i]));
    if (st != ST_OK) {
        release_obj(vm, it);
        return st;
    }
    it->func = retain(it->flag ? args[1] : less_of(vm, args[0].list));
    const Sorting s = sorting_of(it);
    for (size_t i = 0; i < n; i++) s.order[i] = (int64_t)(it->turn ? n - 1 - i : i);
    s.ends[0] = *s.out = 0;
    *s.falls = -1;
    it->stop = it->index = 1;
    *out = v_obj(it);
    return ST_OK;
}
