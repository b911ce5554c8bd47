// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The constructors of map, filter, zip and of itertools' classes. If an iterable's __iter__ is code of the
// program, a constructor defers to NAME_slow in the prelude, which calls it again with the iterator in a
// cell (stepper_ready).

#include <string.h>

#include "vm/value/class.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq_impl.h"
#include "vm/value/stepper_impl.h"

#define MAKE(id) Status stepper_make_##id(Vm *vm, const Value *args, Value *out)

Status stepper_ready(Vm *vm, Value iterator, Value *out) {
    return cell_new(vm, retain(iterator), out);
}

static Status take(Vm *vm, Value iterable, Value *out) {
    if (iterable.kind == K_CELL) {
        *out = retain(iterable.cell->value);
        return ST_OK;
    }
    return iterable.kind == K_CLASS ? ST_DEFER : op_iter(vm, iterable, out);
}

static Status take_all(Vm *vm, const Value *iterables, size_t count, Value *out) {
    Tuple *taken = tuple_new(vm, count);
    Status st = vm_check(vm, taken);
    for (size_t i = 0; i < count && st == ST_OK; i++) st = take(vm, iterables[i], &taken->items[i]);
    if (st == ST_OK)
        *out = v_obj(taken);
    else
        release_obj(vm, taken);
    return st;
}

// Makes a stepper with a source (consumed; there is one if st is ST_OK) and a function (borrowed, or None).
static Status make(Vm *vm, StepRole role, Status st, Value source, Value func, Value *out) {
    Stepper *it = st == ST_OK ? stepper_new(vm, role) : NULL;
    if (st != ST_OK) return st;
    if (!it) {
        release(vm, source);
        return vm_no_memory(vm);
    }
    it->source = source;
    if (func.kind != K_NONE) it->func = retain(func);
    *out = v_obj(it);
    return ST_OK;
}

static Status over_one(Vm *vm, StepRole role, Value iterable, Value func, Value *out) {
    Value source = V_UNDEF;
    Status st = take(vm, iterable, &source);
    return make(vm, role, st, source, func, out);
}

static Stepper *of(const Value *out) {
    return (Stepper *)out->obj;
}

MAKE(MAP) {
    const Tuple *all = args[0].tuple;
    if (all->len < 2) return vm_raise(vm, EXC_TypeError, "map() must have at least two arguments.");
    Value source = V_UNDEF;
    Status st = all->len == 2 ? take(vm, all->items[1], &source)
                              : take_all(vm, all->items + 1, all->len - 1, &source);
    st = make(vm, STEPPER_MAP, st, source, all->items[0], out);
    if (st == ST_OK) replace(vm, &of(out)->func, retain(all->items[0]));
    return st;
}

MAKE(FILTER) {
    const Tuple *all = args[0].tuple;
    if (all->len != 2)
        return vm_raise(vm, EXC_TypeError, "filter expected 2 arguments, got %zu", all->len);
    bool plain = v_is(all->items[0], v_obj(vm->classes[K_BOOL]));
    return over_one(vm, STEPPER_FILTER, all->items[1], plain ? V_NONE : all->items[0], out);
}

MAKE(ZIP) {
    Status st = iter_make_zip(vm, args, out);
    if (st != ST_DEFER) return st;
    bool strict;
    Value source = V_UNDEF;
    st = op_truth(vm, args[0], &strict);
    if (st == ST_OK) st = take_all(vm, args[1].tuple->items, args[1].tuple->len, &source);
    st = make(vm, STEPPER_ZIP, st, source, V_NONE, out);
    if (st == ST_OK) of(out)->flag = strict;
    return st;
}

MAKE(ENUMERATE) {
    Status st = iter_make_enumerate(vm, args, out);
    if (st != ST_DEFER) return st;
    Value start = unwrap(args[1]);
    int64_t count = 0;
    if (start.kind != K_BIGINT)
        st = op_index(vm, start, &count);
    else
        st = ST_OK;
    if (st == ST_OK) st = over_one(vm, STEPPER_ENUMERATE, args[0], V_NONE, out);
    if (st != ST_OK) return st;
    of(out)->index = count;
    if (start.kind == K_BIGINT) of(out)->a = retain(start);
    return ST_OK;
}

// After a deferral, the slow path passes a cell with the pair (sequence, length).
MAKE(REVERSED) {
    if (args[0].kind != K_CELL) return iter_make_reversed(vm, args, out);
    const Tuple *pair = args[0].cell->value.tuple;
    Status st = make(vm, STEPPER_REVERSED, ST_OK, retain(pair->items[0]), V_NONE, out);
    if (st == ST_OK) of(out)->index = pair->items[1].i - 1;
    return st;
}

Status stepper_callable(Vm *vm, Value function, Value sentinel, Value *out) {
    Status st = make(vm, STEPPER_CALLABLE, ST_OK, V_UNDEF, V_NONE, out);
    if (st != ST_OK) return st;
    of(out)->func = retain(function);
    of(out)->a = retain(sentinel);
    return ST_OK;
}

Status stepper_getitem(Vm *vm, Value sequence, Value *out) {
    return make(vm, STEPPER_GETITEM, ST_OK, retain(sequence), V_NONE, out);
}

// Constructors of classes that programs cannot call.
#define MADE_ELSEWHERE(id)                                                 \
    MAKE(id) {                                                             \
        (void)args;                                                        \
        (void)out;                                                         \
        return vm_raise(vm, EXC_TypeError, "cannot create '%s' instances", \
                        stepper_name(STEPPER_##id));                       \
    }
MADE_ELSEWHERE(CALLABLE)
MADE_ELSEWHERE(GETITEM)
MADE_ELSEWHERE(GROUP)
MADE_ELSEWHERE(SORT)
MADE_ELSEWHERE(TEE)

// --- itertools -----------------------------------------------------------------------------------

// Slots: iterable, func, initial.
MAKE(ACCUMULATE) {
    Status st = over_one(vm, STEPPER_ACCUMULATE, args[0], args[1], out);
    if (st == ST_OK && args[2].kind != K_NONE) of(out)->b = retain(args[2]);
    return st;
}

MAKE(CHAIN) {
    return over_one(vm, STEPPER_CHAIN, args[0], V_NONE, out);
}

static Status chain_from_iterable(Vm *vm, const Value *args, Value *out) {
    Value made;
    Status st = over_one(vm, STEPPER_CHAIN, args[1], V_NONE, &made);
    return st == ST_OK ? class_wrap(vm, args[0], made, out) : st;
}

MAKE(COMPRESS) {
    Value both = V_UNDEF;
    Status st = take_all(vm, args, 2, &both);
    if (st != ST_OK) return st;
    st = make(vm, STEPPER_COMPRESS, ST_OK, retain(both.tuple->items[0]), V_NONE, out);
    if (st == ST_OK) of(out)->a = retain(both.tuple->items[1]);
    release(vm, both);
    return st;
}

static Status need_number(Vm *vm, Value v) {
    Value method;
    bool number = v.kind == K_INT || v.kind == K_BOOL || v.kind == K_BIGINT || v.kind == K_FLOAT ||
                  v.kind == K_COMPLEX || is_numpy_scalar(v) || v.kind == K_ARRAY ||
                  op_special(vm, v, NAME_index, &method) == ST_OK ||
                  op_special(vm, v, NAME_float_, &method) == ST_OK ||
                  op_special(vm, v, NAME_int_, &method) == ST_OK;
    return number ? ST_OK : vm_raise(vm, EXC_TypeError, "a number is required");
}

MAKE(COUNT) {
    if (need_number(vm, args[0]) != ST_OK || need_number(vm, args[1]) != ST_OK) return ST_ERROR;
    Status st = make(vm, STEPPER_COUNT, ST_OK, V_UNDEF, V_NONE, out);
    if (st != ST_OK) return st;
    if (args[0].kind == K_INT && args[1].kind == K_INT) {
        of(out)->index = args[0].i;
        of(out)->step = args[1].i;
    } else {
        of(out)->a = retain(args[0]);
        of(out)->b = retain(args[1]);
    }
    return ST_OK;
}

MAKE(CYCLE) {
    Status st = over_one(vm, STEPPER_CYCLE, args[0], V_NONE, out);
    List *saved = st == ST_OK ? list_new(vm, 0) : NULL;
    if (st != ST_OK) return st;
    if (saved) {
        of(out)->a = v_obj(saved);
        return ST_OK;
    }
    release(vm, *out);
    return vm_no_memory(vm);
}

MAKE(DROPWHILE) {
    Status st = over_one(vm, STEPPER_DROPWHILE, args[1], V_NONE, out);
    if (st == ST_OK) of(out)->func = retain(args[0]);
    return st;
}

MAKE(TAKEWHILE) {
    Status st = over_one(vm, STEPPER_TAKEWHILE, args[1], V_NONE, out);
    if (st == ST_OK) of(out)->func = retain(args[0]);
    return st;
}

MAKE(FILTERFALSE) {
    bool plain = v_is(args[0], v_obj(vm->classes[K_BOOL]));
    return over_one(vm, STEPPER_FILTERFALSE, args[1], plain ? V_NONE : args[0], out);
}

MAKE(GROUPBY) {
    return over_one(vm, STEPPER_GROUPBY, args[0], args[1], out);
}

MAKE(PAIRWISE) {
    return over_one(vm, STEPPER_PAIRWISE, args[0], V_NONE, out);
}

MAKE(STARMAP) {
    Status st = over_one(vm, STEPPER_STARMAP, args[1], V_NONE, out);
    if (st == ST_OK) of(out)->func = retain(args[0]);
    return st;
}

// Reads a bound of islice; `none` is the value for None. ST_STOP: it is no integer.
static Status bound(Vm *vm, Value given, int64_t none, int64_t *out) {
    Value v = unwrap(given), method;
    *out = none;
    if (v.kind == K_NONE) return ST_OK;
    if (v.kind == K_INSTANCE && op_special(vm, v, NAME_index, &method) == ST_OK) return ST_DEFER;
    if (v.kind != K_INT && v.kind != K_BOOL && v.kind != K_SCALAR) return ST_STOP;
    Status st = op_index(vm, v, out);
    if (st != ST_ERROR) return st;
    vm_clear_error(vm);
    return ST_STOP;
}

static Status bad_bound(Vm *vm, const char *which) {
    return vm_raise(vm, EXC_ValueError,
                    "%s for islice() must be None or an integer: "
                    "0 <= x <= sys.maxsize.",
                    which);
}

MAKE(ISLICE) {
    const Value *all = args[0].tuple->items;
    size_t count = args[0].tuple->len;
    if (count < 2 || count > 4)
        return vm_raise(vm, EXC_TypeError, "islice expected at %s arguments, got %zu",
                        count < 2 ? "least 2" : "most 4", count);
    int64_t start = 0, stop, step = 1;
    Status st = bound(vm, all[count == 2 ? 1 : 2], -1, &stop);
    bool none = all[count == 2 ? 1 : 2].kind == K_NONE;
    if (st == ST_STOP || (st == ST_OK && stop == -1 && !none))
        return bad_bound(vm, "Stop argument");
    if (st == ST_OK && count > 2) st = bound(vm, all[1], 0, &start);
    if (st == ST_STOP || (st == ST_OK && (start < 0 || stop < -1))) return bad_bound(vm, "Indices");
    if (st == ST_OK && count > 3) st = bound(vm, all[3], 1, &step);
    if (st == ST_STOP || (st == ST_OK && step < 1))
        return vm_raise(vm, EXC_ValueError,
                        "Step for islice() must be a positive integer or None.");
    if (st == ST_OK) st = over_one(vm, STEPPER_ISLICE, all[0], V_NONE, out);
    if (st != ST_OK) return st;
    of(out)->next = start;
    of(out)->stop = stop;
    of(out)->step = step;
    return ST_OK;
}

// Slots: fillvalue, iterables.
MAKE(ZIP_LONGEST) {
    const Tuple *iterables = args[1].tuple;
    Value source = V_UNDEF;
    Status st = take_all(vm, iterables->items, iterables->len, &source);
    st = make(vm, STEPPER_ZIP_LONGEST, st, source, V_NONE, out);
    if (st != ST_OK) return st;
    of(out)->c = retain(args[0]);
    of(out)->index = (int64_t)iterables->len;
    return ST_OK;
}

// Slots: object, times.
MAKE(REPEAT) {
    int64_t times = -1;
    if (args[1].kind != K_UNDEF) {
        Status st = op_index(vm, args[1], &times);
        if (st != ST_OK) return st;
        if (times < 0) times = 0;
    }
    Status st = make(vm, STEPPER_REPEAT, ST_OK, V_UNDEF, V_NONE, out);
    if (st != ST_OK) return st;
    of(out)->a = retain(args[0]);
    of(out)->index = times;
    return ST_OK;
}

static Status repeat_hint(Vm *vm, const Value *args, Value *out) {
    int64_t left = ((const Stepper *)args[0].obj)->index;
    if (left < 0) return vm_raise(vm, EXC_TypeError, "len() of unsized object");
    *out = v_int(left);
    return ST_OK;
}

// --- Choices -------------------------------------------------------------------------------------

static Status pool_of(Vm *vm, Value iterable, Value *out) {
    if (iterable.kind == K_TUPLE) {
        *out = retain(iterable);
        return ST_OK;
    }
    Value list;
    Status st = iterable.kind == K_CLASS ? ST_DEFER : op_to_list(vm, iterable, &list);
    if (st != ST_OK) return st;
    st = tuple_of(vm, list.list->items, list.list->len, out);
    release(vm, list);
    return st;
}

// Makes a choice of `count` items (consumed) with initial indexes all 0, or 0, 1, 2 …
static Status choices(Vm *vm, StepRole role, Value items, size_t count, bool rising, Value *out) {
    Status st = make(vm, role, ST_OK, V_UNDEF, V_NONE, out);
    if (st != ST_OK) {
        release(vm, items);
        return st;
    }
    Stepper *it = of(out);
    it->a = items;
    size_t bytes;
    if (!__builtin_mul_overflow(count, sizeof(int64_t), &bytes) && bytes <= PTRDIFF_MAX)
        it->places = mem_alloc(&vm->mem, bytes ? bytes : sizeof(int64_t));
    if (!it->places) {
        release(vm, *out);
        return vm_no_memory(vm);
    }
    it->place_count = count;
    for (size_t i = 0; i < count; i++) it->places[i] = rising ? (int64_t)i : 0;
    return ST_OK;
}

static Status negative(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "r must be non-negative");
}

static Status some_of(Vm *vm, StepRole role, const Value *args, bool rising, Value *out) {
    Value pool;
    int64_t r;
    Status st = op_index(vm, args[1], &r);
    if (st == ST_OK) st = pool_of(vm, args[0], &pool);
    if (st != ST_OK) return st;
    if (r >= 0) return choices(vm, role, pool, (size_t)r, rising, out);
    release(vm, pool);
    return negative(vm);
}

MAKE(COMBINATIONS) {
    return some_of(vm, STEPPER_COMBINATIONS, args, true, out);
}

MAKE(MULTISETS) {
    return some_of(vm, STEPPER_MULTISETS, args, false, out);
}

MAKE(PERMUTATIONS) {
    Value pool, given = unwrap(args[1]);
    Status st = pool_of(vm, args[0], &pool);
    if (st != ST_OK) return st;
    int64_t n = (int64_t)pool.tuple->len, r = n;
    if (given.kind != K_NONE) {
        if (given.kind != K_INT && given.kind != K_BOOL && given.kind != K_BIGINT)
            st = vm_raise(vm, EXC_TypeError, "Expected int as r");
        else
            st = op_index(vm, given, &r);
        if (st == ST_OK && r < 0) st = negative(vm);
    }
    if (st != ST_OK) {
        release(vm, pool);
        return st;
    }
    int64_t turning = r > n ? 0 : r;
    st = choices(vm, STEPPER_PERMUTATIONS, pool, (size_t)(n + turning), true, out);
    if (st != ST_OK) return st;
    of(out)->stop = r;
    for (int64_t i = 0; i < turning; i++) of(out)->places[n + i] = n - i;
    return ST_OK;
}

// Slots: repeat, iterables.
MAKE(PRODUCT) {
    const Tuple *iterables = args[1].tuple;
    int64_t times;
    size_t count;
    Status st = op_index(vm, args[0], &times);
    if (st != ST_OK) return st;
    if (times < 0) return vm_raise(vm, EXC_ValueError, "repeat argument cannot be negative");
    Tuple *pools = tuple_new(vm, times ? iterables->len : 0);
    st = vm_check(vm, pools);
    for (size_t i = 0; st == ST_OK && i < pools->len; i++)
        st = pool_of(vm, iterables->items[i], &pools->items[i]);
    if (st == ST_OK && __builtin_mul_overflow(iterables->len, (size_t)times, &count))
        st = vm_raise(vm, EXC_OverflowError, "repeat argument too large");
    if (st == ST_OK) return choices(vm, STEPPER_PRODUCT, v_obj(pools), count, false, out);
    release_obj(vm, pools);
    return st;
}

// --- tee -----------------------------------------------------------------------------------------

static Status tee_branch(Vm *vm, Value source, Value link, Value *out) {
    Status st = make(vm, STEPPER_TEE, ST_OK, retain(source), V_NONE, out);
    if (st == ST_OK) of(out)->a = retain(link);
    return st;
}

static Status tee_copy(Vm *vm, const Value *args, Value *out) {
    const Stepper *it = (const Stepper *)args[0].obj;
    return tee_branch(vm, it->source, it->a, out);
}

// tee(iterable, n). Branches of an iterable that is a branch itself start at its position.
static Status tee(Vm *vm, const Value *args, Value *out) {
    int64_t n;
    Status st = op_index(vm, args[1], &n);
    if (st != ST_OK) return st;
    if (n < 0) return vm_raise(vm, EXC_ValueError, "n must be >= 0");
    Value source = V_UNDEF, link = V_UNDEF;
    if ((st = take(vm, args[0], &source)) != ST_OK) return st;
    const Stepper *branch = source.kind == K_STEPPER ? (const Stepper *)source.obj : NULL;
    if (branch && branch->gc.obj.aux == STEPPER_TEE) {
        link = retain(branch->a);
        replace(vm, &source, retain(branch->source));
    } else {
        List *empty = list_new(vm, 2);
        st = vm_check(vm, empty);
        if (empty) link = v_obj(empty);
    }
    Tuple *all = st == ST_OK ? tuple_new(vm, (size_t)n) : NULL;
    if (st == ST_OK) st = vm_check(vm, all);
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        st = tee_branch(vm, source, link, &all->items[i]);
    release(vm, source);
    release(vm, link);
    if (st == ST_OK)
        *out = v_obj(all);
    else
        release_obj(vm, all);
    return st;
}

extern const NativeDef stepper_chain_methods[], stepper_tee_methods[], stepper_repeat_methods[],
    stepper_reversed_methods[];

const NativeDef stepper_chain_methods[] = {
    {"from_iterable", "cls, iterable, /", chain_from_iterable, "chain_from_iterable_slow", PURE},
    {0},
};

const NativeDef stepper_tee_methods[] = {
    {"__copy__", "self, /", tee_copy, NULL, PURE},
    {0},
};

const NativeDef stepper_repeat_methods[] = {
    {"__length_hint__", "self, /", repeat_hint, NULL, PURE},
    {0},
};

const NativeDef stepper_reversed_methods[] = {
    {"__length_hint__", "self, /", iter_length_hint, NULL, PURE},
    {0},
};

const NativeDef itertools_functions[] = {
    {"tee", "iterable, n=2, /", tee, "tee_slow", PURE},
    {0},
};

Status itertools_init(Vm *vm, Module *module) {
    Status st = ST_OK;
    for (int i = STEPPER_ACCUMULATE; i < STEPPER_ROLES && st == ST_OK; i++) {
        Class *cls = stepper_class(vm, (StepRole)i);
        st = cls ? module_set(vm, module, cls->name->data, retain(v_obj(cls))) : vm_no_memory(vm);
    }
    return st;
}
