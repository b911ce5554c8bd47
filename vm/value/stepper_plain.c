// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs a step at once if native iterators and functions are enough for it: a short form of stepper_steps.c.
// ST_NOTIMPL: it needs more, and stepper_steps.c continues from it->begun.

#include "vm/value/class.h"
#include "vm/value/effects.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/stepper_impl.h"

enum { POLL_MASK = 0xfff, PLAIN_ARGS = 4 };

// Marks the functions of single roles. They are not inlined, so that each saves no more registers than it needs.
#define APART __attribute__((noinline))

static Status begun(Stepper *it, StepEvent event, Value in, Value held, int phase) {
    it->begun = (uint8_t)event;
    it->begun_phase = (uint8_t)phase;
    it->begun_in = in;
    it->begun_held = held;
    return ST_NOTIMPL;
}

void stepper_give_back(Stepper *it, Value item) {
    begun(it, STEP_BACK, item, V_UNDEF, 0);
}

static inline Status native_item(Vm *vm, Value source, Value *out) {
    Iter *it = source.iter;
    if (it->gc.obj.aux == ITER_LIST && it->over.kind == K_LIST && (size_t)it->index < it->over.list->len) {
        *out = retain(v_load(&it->over.list->items[it->index++]));
        return ST_OK;
    }
    return kind_ITER.next(vm, source, out);
}

static inline Status item_of(Vm *vm, Value source, Value *out) {
    if (source.kind != K_ITER) return stepper_source(vm, source, out);
    return native_item(vm, source, out);
}

static inline Status truth_of(Vm *vm, Value v, bool *truth) {
    *truth = v.kind != K_NONE && v.i != 0;
    return v.kind == K_INT || v.kind == K_BOOL || v.kind == K_NONE ? ST_OK : op_truth(vm, v, truth);
}

static Status stop_is_end(Vm *vm, Status st) {
    if (st != ST_ERROR || !vm_error_is(vm, EXC_StopIteration)) return st;
    vm_clear_error(vm);
    return ST_STOP;
}

// --- Calls ---------------------------------------------------------------------------------------

enum { PLAIN_SLOTS = 8 };

// A native function, or the constructor of a kind that needs no more than its arguments.
typedef struct Plain {
    const NativeDef *def;
    const Signature *sig;
    uint32_t self; // as Native.self_kind
} Plain;

// Returns the constructor of str, int, float or bool, none of whose parameters has a default value.
static inline const NativeDef *conversion(Value callee) {
    if (callee.kind != K_CLASS || callee.cls->flags & CLASS_USER) return NULL;
    const Kind kind = callee.cls->instance_kind;
    return kind == K_STR || kind == K_INT || kind == K_FLOAT || kind == K_BOOL ? kind_slots[kind]->construct : NULL;
}

static bool plain_of(Vm *vm, Value callee, Plain *plain) {
    if (callee.kind == K_NATIVE) {
        *plain = (Plain){callee.native->def, native_signature(vm, callee.native), callee.native->self_kind};
    } else {
        const NativeDef *def = conversion(callee);
        if (!def) return false;
        *plain = (Plain){def, signature_of(vm, def, V_UNDEF), K_UNDEF};
    }
    return plain->sig && plain->sig->total <= PLAIN_SLOTS;
}

static inline bool takes_plainly(Vm *vm, Value callee, uint32_t count) {
    Plain plain;
    return (callee.kind == K_NATIVE && callee.native->simple_args == count) || (count == 1 && conversion(callee)) ||
           plain_of(vm, callee, &plain);
}

// Calls a native whose arguments have to be bound to its parameters.
APART static Status call_bound(Vm *vm, const Plain *plain, const Value *args, uint32_t count, Value *out) {
    Value slots[PLAIN_SLOTS] = {0};
    Status st = signature_bind(vm, plain->sig, args, count, NULL, slots);
    if (st == ST_OK) st = native_run(vm, plain->def, slots, out);
    for (int i = 0; i < plain->sig->total; i++) release(vm, slots[i]);
    return st;
}

Status stepper_call(Vm *vm, Value callee, const Value *args, uint32_t count, Value *out) {
    Plain plain;
    Value one[PLAIN_SLOTS] = {0};
    bool simple = callee.kind == K_NATIVE && callee.native->simple_args == count;
    if (simple) {
        plain.def = callee.native->def, plain.self = callee.native->self_kind;
    } else if (count == 1 && (plain.def = conversion(callee)) != NULL) {
        if (args[0].kind == K_INSTANCE) return ST_NOTIMPL;
        v_store(&one[0], v_load(&args[0]));
        args = one;
        plain.self = K_UNDEF;
        simple = true;
    } else if (!plain_of(vm, callee, &plain)) {
        return ST_NOTIMPL;
    }
    if (plain.self != K_UNDEF && (count == 0 || args[0].kind != plain.self)) return ST_NOTIMPL;
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind == K_INSTANCE) return ST_NOTIMPL;
    Status st = simple ? native_run(vm, plain.def, args, out) : call_bound(vm, &plain, args, count, out);
    if (__builtin_expect(st == ST_OK, 1)) return ST_OK;
    if (st == ST_TAIL) vm_clear_tail(vm); // the native will be called again, and request the tail again
    bool failed = st == ST_ERROR && vm->error.kind != K_UNDEF;
    return failed ? ST_ERROR : ST_NOTIMPL;
}

// --- Without calls -------------------------------------------------------------------------------

// Releases the source after its end or an exception.
static Status ended(Vm *vm, Stepper *it, Status st) {
    if (st != ST_NOTIMPL) clear(vm, &it->source);
    return st;
}

APART static Status plain_slice(Vm *vm, Stepper *it, Value *out) {
    if (it->source.kind == K_UNDEF) return ST_STOP;
    for (;;) {
        if (it->index >= it->next && it->stop >= 0 && it->index >= it->stop) return ended(vm, it, ST_STOP);
        Status st = item_of(vm, it->source, out);
        if (st != ST_OK) return ended(vm, it, st);
        if (it->index++ >= it->next) break;
        release(vm, *out);
        if ((it->index & POLL_MASK) == 0 && vm_poll(vm) != ST_OK) return ended(vm, it, ST_ERROR);
    }
    it->next = it->step > INT64_MAX - it->next ? INT64_MAX : it->next + it->step;
    if (it->stop >= 0 && it->next > it->stop) it->next = it->stop;
    return ST_OK;
}

// Lets an iterator that is at its end, and that nothing else holds, iterate over a list or a tuple (consumed).
static bool reused(Vm *vm, Value iterator, Value over) {
    if (iterator.kind != K_ITER || iterator.obj->refs != 1 || (over.kind != K_TUPLE && over.kind != K_LIST)) return false;
    Iter *it = iterator.iter;
    if (it->gc.obj.aux != ITER_LIST && it->gc.obj.aux != ITER_TUPLE) return false;
    it->gc.obj.aux = over.kind == K_LIST ? ITER_LIST : ITER_TUPLE;
    it->index = 0;
    replace(vm, &it->over, over);
    return true;
}

// Sets it->a to the iterator of the next iterable, if both are native. The last one is kept in it->c meanwhile.
static Status next_link(Vm *vm, Stepper *it) {
    Value iterable, iterator;
    replace(vm, &it->c, it->a);
    it->a = V_UNDEF;
    if (it->source.kind == K_UNDEF) return ST_STOP;
    if (it->source.kind != K_ITER) return ST_NOTIMPL;
    Status st = stepper_source(vm, it->source, &iterable);
    if (st != ST_OK) return ended(vm, it, st);
    if (reused(vm, it->c, iterable)) {
        it->a = it->c;
        it->c = V_UNDEF;
        return ST_OK;
    }
    st = iterable.kind == K_CLASS ? ST_DEFER : op_iter(vm, iterable, &iterator);
    if (st == ST_DEFER) {
        Value held = it->source;
        it->source = V_UNDEF;
        return begun(it, STEP_ITEM, iterable, held, 1);
    }
    release(vm, iterable);
    if (st != ST_OK) return ended(vm, it, st);
    it->a = iterator;
    return ST_OK;
}

APART static Status plain_chain(Vm *vm, Stepper *it, Value *out) {
    for (uint32_t n = 1;; n++) {
        if (it->a.kind == K_ITER) {
            Iter *from = it->a.iter;
            if (from->gc.obj.aux == ITER_TUPLE && from->over.kind == K_TUPLE && (size_t)from->index < from->over.tuple->len) {
                *out = retain(v_load(&from->over.tuple->items[from->index++]));
                return ST_OK;
            }
            Status st = native_item(vm, it->a, out);
            if (st != ST_STOP) return st;
        } else if (it->a.kind != K_UNDEF) {
            return ST_NOTIMPL;
        }
        Status st = next_link(vm, it);
        if (st != ST_OK) return st;
        if ((n & POLL_MASK) == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
    }
}

APART static Status plain_pair(Vm *vm, Stepper *it, Value *out) {
    if (it->source.kind != K_ITER || it->a.kind == K_UNDEF) return it->source.kind == K_UNDEF ? ST_STOP : ST_NOTIMPL;
    Value item;
    Status st = stepper_source(vm, it->source, &item);
    if (st != ST_OK) {
        if (st == ST_STOP) clear(vm, &it->a);
        return ended(vm, it, st);
    }
    Tuple *pair = stepper_row(vm, it, 2);
    if (!pair) {
        release(vm, item);
        return ended(vm, it, vm_no_memory(vm));
    }
    replace(vm, &pair->items[0], it->a);
    it->a = retain(item);
    replace(vm, &pair->items[1], item);
    *out = v_obj(pair);
    return ST_OK;
}

// Runs a step of a role that has no source.
APART static Status plain_choice(Vm *vm, Stepper *it, Value *out) {
    Act act;
    act.of = it;
    StepWant want = stepper_step(vm, &act, STEP_START, V_UNDEF);
    if (want == STEP_CALL) return ST_NOTIMPL; // a count that has become too large
    *out = act.value;
    return want == STEP_GIVE ? ST_OK : want == STEP_STOP ? ST_STOP : ST_ERROR;
}

static Status plain_repeat(Stepper *it, Value *out) {
    if (it->index == 0) return ST_STOP;
    if (it->index > 0) it->index--;
    *out = retain(v_load(&it->a));
    return ST_OK;
}

Status stepper_source(Vm *vm, Value source, Value *out) {
    if (source.kind == K_ITER) return kind_ITER.next(vm, source, out);
    if (source.kind != K_STEPPER) return ST_NOTIMPL;
    Stepper *it = (Stepper *)source.obj;
    switch ((StepRole)(it->begun ? STEPPER_ROLES : it->gc.obj.aux)) {
    case STEPPER_REPEAT: return plain_repeat(it, out);
    case STEPPER_COUNT:
        if (it->a.kind != K_UNDEF) return ST_NOTIMPL; // fallthrough
    case STEPPER_COMBINATIONS:
    case STEPPER_MULTISETS:
    case STEPPER_PERMUTATIONS:
    case STEPPER_PRODUCT: return plain_choice(vm, it, out);
    default: return ST_NOTIMPL;
    }
}

// --- With a native function, or none --------------------------------------------------------------

// Leaves a step of map to its runner with all items of the row (consumed): those before the last in the held tuple.
static Status row_begun(Vm *vm, Stepper *it, const Value *items, uint32_t count) {
    if (count == 1) return begun(it, STEP_ITEM, items[0], V_UNDEF, 0);
    Tuple *row = tuple_new(vm, count);
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (row) row->items[i] = items[i];
        else release(vm, items[i]);
    }
    if (row) return begun(it, STEP_ITEM, items[count - 1], v_obj(row), (int)count - 1);
    release(vm, items[count - 1]);
    return vm_no_memory(vm);
}

// map of a native over one native iterator.
APART static Status plain_map_one(Vm *vm, Stepper *it, Value *out) {
    Value item[1];
    Status st = native_item(vm, it->source, item);
    if (st != ST_OK) return stop_is_end(vm, st);
    st = stepper_call(vm, it->func, item, 1, out);
    if (st == ST_NOTIMPL) return begun(it, STEP_ITEM, item[0], V_UNDEF, 0);
    release(vm, v_load(item));
    return __builtin_expect(st == ST_OK, 1) ? st : stop_is_end(vm, st);
}

APART static Status plain_map(Vm *vm, Stepper *it, Value *out) {
    Value items[PLAIN_ARGS];
    const Value *sources = &it->source;
    uint32_t count = 1;
    if (it->func.kind != K_NATIVE && it->func.kind != K_CLASS) return ST_NOTIMPL;
    if (it->source.kind == K_TUPLE) {
        sources = it->source.tuple->items;
        count = (uint32_t)it->source.tuple->len;
        if (it->source.tuple->len > PLAIN_ARGS) return ST_NOTIMPL;
        for (uint32_t i = 0; i < count; i++)
            if (sources[i].kind != K_ITER) return ST_NOTIMPL;
    }
    if (!takes_plainly(vm, it->func, count)) return ST_NOTIMPL;
    Status st = ST_OK;
    for (uint32_t i = 0; i < count; i++) {
        st = item_of(vm, sources[i], &items[i]);
        if (st == ST_OK) continue;
        while (i-- > 0) release(vm, items[i]);
        return stop_is_end(vm, st);
    }
    st = stepper_call(vm, it->func, items, count, out);
    if (st == ST_NOTIMPL) return row_begun(vm, it, items, count);
    for (uint32_t i = 0; i < count; i++) release(vm, items[i]);
    return stop_is_end(vm, st);
}

// Computes the truth of it->func(item), or of the item itself if there is no function. ST_NOTIMPL: the step is left to
// its runner.
static inline Status judged(Vm *vm, Stepper *it, Value item, bool *truth) {
    Value answer;
    Status st;
    if (it->func.kind == K_UNDEF) {
        st = truth_of(vm, item, truth);
        return st == ST_DEFER ? begun(it, STEP_ITEM, item, V_UNDEF, 0) : st;
    }
    Value pass[1];
    v_store(pass, item);
    st = stepper_call(vm, it->func, pass, 1, &answer);
    if (st != ST_OK) return st == ST_NOTIMPL ? begun(it, STEP_ITEM, item, V_UNDEF, 0) : st;
    const Value said = v_load(&answer);
    st = truth_of(vm, said, truth);
    if (st == ST_DEFER) return begun(it, STEP_RESULT, said, item, 0);
    release(vm, said);
    return st;
}

// Runs a step of filter and filterfalse, which take items until the function's result is as `wanted`, or of takewhile,
// which takes one item.
APART static Status plain_judged(Vm *vm, Stepper *it, Value *out) {
    const bool wanted = it->gc.obj.aux != STEPPER_FILTERFALSE, once = it->gc.obj.aux == STEPPER_TAKEWHILE;
    if (it->func.kind != K_UNDEF && !takes_plainly(vm, it->func, 1)) return ST_NOTIMPL;
    if (once && it->flag) return ST_STOP;
    for (uint32_t n = 1;; n++) {
        bool truth;
        Status st = item_of(vm, it->source, out);
        if (st != ST_OK) return stop_is_end(vm, st);
        const Value item = v_load(out);
        st = judged(vm, it, item, &truth);
        if (st == ST_NOTIMPL || (st == ST_OK && truth == wanted)) return st;
        release(vm, item);
        if (st != ST_OK) return stop_is_end(vm, st);
        if (once) it->flag = true;
        if (once) return ST_STOP;
        if ((n & POLL_MASK) == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
    }
}

static inline Status sum_of(Vm *vm, Value a, Value b, Value *out) {
    int64_t sum;
    if (a.kind == K_INT && b.kind == K_INT && !__builtin_add_overflow(a.i, b.i, &sum)) *out = v_int(sum);
    else if (a.kind == K_FLOAT && b.kind == K_FLOAT) *out = v_float(a.f + b.f);
    else return op_binary(vm, BIN_ADD, false, a, b, out);
    return ST_OK;
}

APART static Status plain_accumulate(Vm *vm, Stepper *it, Value *out) {
    const bool calls = it->func.kind != K_UNDEF;
    if (it->b.kind != K_UNDEF || (calls && !takes_plainly(vm, it->func, 2))) return ST_NOTIMPL;
    Status st = item_of(vm, it->source, out);
    if (st != ST_OK) return stop_is_end(vm, st);
    if (it->a.kind != K_UNDEF) {
        Value pair[2];
        v_store(&pair[0], v_load(&it->a));
        v_store(&pair[1], v_load(out));
        st = calls ? stepper_call(vm, it->func, pair, 2, out) : sum_of(vm, pair[0], pair[1], out);
        if (st != ST_OK && st != ST_ERROR) return begun(it, STEP_ITEM, pair[1], V_UNDEF, 0);
        release(vm, pair[1]);
        if (st != ST_OK) return stop_is_end(vm, st);
    }
    replace(vm, &it->a, retain(v_load(out)));
    return ST_OK;
}

APART static Status plain_compress(Vm *vm, Stepper *it, Value *out) {
    for (uint32_t n = 1;; n++) {
        Value selector;
        bool keep = false;
        Status st = item_of(vm, it->source, out);
        if (st != ST_OK) return stop_is_end(vm, st);
        st = item_of(vm, it->a, &selector);
        if (st == ST_NOTIMPL) return begun(it, STEP_ITEM, *out, V_UNDEF, 0);
        if (st == ST_OK) {
            st = truth_of(vm, selector, &keep);
            if (st == ST_DEFER) return begun(it, STEP_RESULT, selector, *out, 1);
            release(vm, selector);
        }
        if (keep) return ST_OK;
        release(vm, *out);
        if (st != ST_OK) return stop_is_end(vm, st);
        if ((n & POLL_MASK) == 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
    }
}

// See ZIP_LONGEST in stepper_steps.c for the fields.
APART static Status plain_longest(Vm *vm, Stepper *it, Value *out) {
    Tuple *sources = it->source.tuple;
    if (it->index == 0) return ST_STOP;
    for (size_t i = 0; i < sources->len; i++)
        if (sources->items[i].kind != K_ITER && sources->items[i].kind != K_NONE) return ST_NOTIMPL;
    Tuple *row = stepper_row(vm, it, sources->len);
    if (!row) return vm_no_memory(vm);
    for (size_t i = 0; i < sources->len; i++) {
        Value item = retain(it->c);
        if (sources->items[i].kind != K_NONE) {
            Status st = native_item(vm, sources->items[i], out);
            if (st == ST_STOP) {
                replace(vm, &sources->items[i], V_NONE);
                if (--it->index > 0) st = ST_OK;
            } else {
                release(vm, item);
                if (st == ST_OK) item = v_load(out);
                else item = V_UNDEF, it->index = 0;
            }
            if (st != ST_OK) {
                release(vm, item);
                release_obj(vm, row);
                return st;
            }
        }
        replace(vm, &row->items[i], item);
    }
    *out = v_obj(row);
    return ST_OK;
}

// Computes whether keys are equal. ST_NOTIMPL: the runner does, and raises what has to be raised.
APART static Status equal_keys(Vm *vm, Value a, Value b, bool *same) {
    Value answer;
    *same = v_is(a, b);
    if (*same) return ST_OK;
    Status st = op_compare(vm, CMP_EQ, a, b, &answer);
    if (st == ST_TAIL) vm_clear_tail(vm);
    if (st == ST_ERROR) vm_clear_error(vm);
    if (st != ST_OK) return ST_NOTIMPL;
    *same = answer.i != 0;
    if (answer.kind == K_BOOL) return ST_OK;
    release(vm, answer);
    return ST_NOTIMPL;
}

// Takes the next item of groupby's source and its key, to by->c and by->b, and compares the key with by->a. What it
// cannot do is left to the runner of `it`: groupby itself, or one of its groups. ST_STOP: at the end.
APART static Status next_of_group(Vm *vm, Stepper *by, Stepper *it, bool *same) {
    Value item, key;
    Status st = item_of(vm, by->source, &item);
    if (st != ST_OK) return stop_is_end(vm, st);
    if (by->func.kind == K_UNDEF) key = retain(item);
    else st = stepper_call(vm, by->func, &item, 1, &key);
    if (st == ST_NOTIMPL) return begun(it, STEP_ITEM, item, V_UNDEF, 0);
    if (st != ST_OK) release(vm, item);
    if (st != ST_OK) return stop_is_end(vm, st);
    if (by->a.kind == K_UNDEF) *same = false;
    else if (equal_keys(vm, by->a, key, same) != ST_OK) return begun(it, STEP_RESULT, key, item, GROUP_KEY);
    replace(vm, &by->c, item);
    replace(vm, &by->b, key);
    return ST_OK;
}

APART static Status plain_groups(Vm *vm, Stepper *it, Value *out) {
    bool same = true;
    if (it->func.kind != K_UNDEF && !takes_plainly(vm, it->func, 1)) return ST_NOTIMPL;
    it->group = NULL;
    Status st = it->b.kind == K_UNDEF ? ST_OK : it->a.kind == K_UNDEF ? ST_NOTIMPL : equal_keys(vm, it->a, it->b, &same);
    for (uint32_t n = 1; st == ST_OK && same; n++) {
        st = next_of_group(vm, it, it, &same);
        if (st == ST_OK && (n & POLL_MASK) == 0) st = vm_poll(vm);
    }
    return st == ST_OK ? stepper_give_group(vm, it, out) : st;
}

APART static Status plain_group(Vm *vm, Stepper *it, Value *out) {
    Stepper *by = (Stepper *)it->source.obj;
    bool same = true;
    if (it->source.kind != K_STEPPER || by->group != it) return ST_STOP;
    if (by->func.kind != K_UNDEF && !takes_plainly(vm, by->func, 1)) return ST_NOTIMPL;
    Status st = by->c.kind == K_UNDEF ? next_of_group(vm, by, it, &same) : equal_keys(vm, it->a, by->b, &same);
    if (st != ST_OK) return st;
    if (!same) return ST_STOP;
    *out = by->c;
    by->c = V_UNDEF;
    clear(vm, &by->b);
    return ST_OK;
}

Status stepper_plain(Vm *vm, Stepper *it, Value *out) {
    if (it->begun) {
        if (it->begun != STEP_BACK) return ST_NOTIMPL;
        *out = it->begun_in;
        begun(it, STEP_START, V_UNDEF, V_UNDEF, 0);
        return ST_OK;
    }
    switch ((StepRole)it->gc.obj.aux) {
    case STEPPER_MAP:
        if (it->source.kind == K_ITER && takes_plainly(vm, it->func, 1))
            return plain_map_one(vm, it, out);
        return plain_map(vm, it, out);
    case STEPPER_FILTER:
    case STEPPER_FILTERFALSE:
    case STEPPER_TAKEWHILE: return plain_judged(vm, it, out);
    case STEPPER_DROPWHILE: return it->flag ? stop_is_end(vm, stepper_source(vm, it->source, out)) : ST_NOTIMPL;
    case STEPPER_ACCUMULATE: return plain_accumulate(vm, it, out);
    case STEPPER_COMPRESS: return plain_compress(vm, it, out);
    case STEPPER_ISLICE: return plain_slice(vm, it, out);
    case STEPPER_CHAIN: return plain_chain(vm, it, out);
    case STEPPER_PAIRWISE: return plain_pair(vm, it, out);
    case STEPPER_REPEAT: return plain_repeat(it, out);
    case STEPPER_COMBINATIONS:
    case STEPPER_PERMUTATIONS:
    case STEPPER_PRODUCT: return plain_choice(vm, it, out);
    case STEPPER_ZIP_LONGEST: return plain_longest(vm, it, out);
    case STEPPER_GROUPBY: return plain_groups(vm, it, out);
    case STEPPER_GROUP: return plain_group(vm, it, out);
    default: return stepper_source(vm, v_obj(it), out);
    }
}

// --- Many steps at once ----------------------------------------------------------------------------

Status stepper_gather(Vm *vm, const Value *args, Value *out) {
    List *list = args[0].list;
    Status st = args[0].kind == K_LIST && args[1].kind == K_STEPPER ? ST_OK : ST_NOTIMPL;
    for (size_t n = 1; st == ST_OK; n++) {
        Value item;
        st = stepper_plain(vm, (Stepper *)args[1].obj, &item);
        if (st == ST_OK && list->len < list->cap) v_store(&list->items[list->len++], v_load(&item));
        else if (st == ST_OK) st = list_append(vm, list, v_load(&item));
        if (st == ST_OK) st = vm_poll_at(vm, n);
    }
    *out = v_bool(st == ST_STOP);
    return st == ST_ERROR ? st : ST_OK;
}

Status stepper_add_up(Vm *vm, const Value *args, Value *out) {
    Value total = retain(args[0]), item, sum;
    Status st = args[1].kind == K_STEPPER ? ST_OK : ST_NOTIMPL;
    for (size_t n = 1; st == ST_OK; n++) {
        st = stepper_plain(vm, (Stepper *)args[1].obj, &item);
        if (st != ST_OK) break;
        st = item.kind == K_INSTANCE ? ST_DEFER : sum_of(vm, total, item, &sum);
        if (st == ST_OK) {
            release(vm, total);
            total = v_load(&sum);
        }
        if (st == ST_OK || st == ST_ERROR) release(vm, item);
        else stepper_give_back((Stepper *)args[1].obj, item);
        if (st == ST_OK) st = vm_poll_at(vm, n);
    }
    if (st == ST_ERROR) release(vm, total);
    else *out = total;
    return st == ST_ERROR ? st : ST_OK;
}
