// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// enumerate, zip, reversed and iter.
//
// Iterators that cannot be stepped without the interpreter (generators, instances) are left to steppers when the
// outer iterator is made, so that stepping a native iterator never defers.

#include "vm/value/bytes.h"
#include "vm/value/deque.h"
#include "vm/value/dict.h"
#include "vm/value/seq_impl.h"
#include "vm/value/seq_natives.h"
#include "vm/value/stepper.h"

// Depth of iterators in iterators, kept in Iter.version. Deeper ones are left to steppers, which take no C stack.
enum { MAX_NESTING = 32 };

static uint32_t nesting_of(Value it) {
    if (it.kind != K_ITER) return 0;
    IterRole role = (IterRole)it.iter->gc.obj.aux;
    return role == ITER_ENUMERATE || role == ITER_ZIP ? it.iter->version : 0;
}

// Makes an iterator that can be stepped natively; ST_DEFER: it cannot be.
static Status native_iter(Vm *vm, Value iterable, Value *out) {
    Value it;
    if (iterable.kind == K_CELL) return ST_DEFER; // see stepper_ready
    Status st = op_iter(vm, iterable, &it);
    if (st != ST_OK) return st;
    if (!iter_is_native(it) || nesting_of(it) >= MAX_NESTING) {
        release(vm, it);
        return ST_DEFER;
    }
    *out = it;
    return ST_OK;
}

// --- enumerate ---------------------------------------------------------------------------------

static Status set_count(Vm *vm, Iter *it, Value start) {
    Value x = unwrap(start);
    if (x.kind == K_BIGINT) {
        it->extra = retain(x);
        return ST_OK;
    }
    return op_index(vm, start, &it->index);
}

Status iter_make_enumerate(Vm *vm, const Value *args, Value *out) {
    Value inner;
    Status st = native_iter(vm, args[0], &inner);
    if (st != ST_OK) return st;
    Iter *it = iter_new(vm, ITER_ENUMERATE, inner);
    st = vm_check(vm, it);
    if (st == ST_OK) {
        it->version = nesting_of(inner) + 1;
        st = set_count(vm, it, args[1]);
    }
    release(vm, inner);
    if (st == ST_OK)
        *out = v_obj(it);
    else
        release_obj(vm, it);
    return st;
}

// --- zip ---------------------------------------------------------------------------------------

static Status zip_iterators(Vm *vm, const Tuple *iterables, Tuple *iterators, uint32_t *nesting) {
    for (size_t i = 0; i < iterables->len; i++) {
        Value *it = &iterators->items[i];
        Status st = native_iter(vm, iterables->items[i], it);
        if (st != ST_OK) return st;
        if (nesting_of(*it) > *nesting) *nesting = nesting_of(*it);
    }
    return ST_OK;
}

Status iter_make_zip(Vm *vm, const Value *args, Value *out) {
    const Tuple *iterables = args[1].tuple;
    bool strict;
    Status st = op_truth(vm, args[0], &strict);
    if (st != ST_OK) return st;
    Tuple *iterators = tuple_new(vm, iterables->len);
    if (!iterators) return vm_no_memory(vm);
    uint32_t nesting = 0;
    st = zip_iterators(vm, iterables, iterators, &nesting);
    Iter *it = st == ST_OK ? iter_new(vm, ITER_ZIP, v_obj(iterators)) : NULL;
    release_obj(vm, iterators);
    if (st != ST_OK) return st;
    if (!it) return vm_no_memory(vm);
    it->extra = v_bool(strict);
    it->version = nesting + 1;
    *out = v_obj(it);
    return ST_OK;
}

// --- reversed ----------------------------------------------------------------------------------

static Status backwards(Vm *vm, IterRole role, Value over, int64_t from, Value *out) {
    Iter *it = iter_new(vm, role, over);
    if (!it) return vm_no_memory(vm);
    it->index = from;
    *out = v_obj(it);
    return ST_OK;
}

static Status not_reversible(Vm *vm, Value v) {
    return vm_raise(vm, EXC_TypeError, "'%s' object is not reversible", type_name(vm, v));
}

static Status reversed_native(Vm *vm, Value x, Value v, Value *out) {
    int64_t len;
    Status st;
    switch (x.kind) {
    case K_LIST: return backwards(vm, ITER_LIST_REVERSED, x, (int64_t)x.list->len, out);
    case K_TUPLE: return backwards(vm, ITER_TUPLE_REVERSED, x, (int64_t)x.tuple->len, out);
    case K_STR: return backwards(vm, ITER_GETITEM_REVERSED, x, x.str->len, out);
    case K_BYTES: case K_BYTEARRAY:
        return backwards(vm, ITER_GETITEM_REVERSED, x, (int64_t)bytes_of(x)->len, out);
    case K_RANGE: return range_reversed(vm, x, out);
    case K_DEQUE: return deque_reversed(vm, x, out);
    case K_DICT: return dict_iter_new(vm, VIEW_KEYS, true, x.dict, out);
    case K_DICTVIEW: {
        DictView *view = (DictView *)x.obj;
        return dict_iter_new(vm, (DictViewRole)view->gc.obj.aux, true, view->dict, out);
    }
    case K_ARRAY:
        st = op_len(vm, x, &len);
        return st == ST_OK ? backwards(vm, ITER_GETITEM_REVERSED, x, len, out) : st;
    default: return not_reversible(vm, v);
    }
}

static Status reversed_instance(Vm *vm, Value v, Value *out) {
    Value method;
    if (op_special(vm, v, NAME_reversed, &method) == ST_OK) return vm_tail(vm, method, &v, 1);
    Value x = unwrap(v);
    if (op_forbidden(vm, v, NAME_reversed)) return not_reversible(vm, v);
    if (x.kind != K_INSTANCE) return reversed_native(vm, x, v, out);
    if (op_special(vm, v, NAME_getitem, &method) != ST_OK) return not_reversible(vm, v);
    if (op_special(vm, v, NAME_len, &method) == ST_OK) return ST_DEFER;
    return vm_raise(vm, EXC_TypeError, "object of type '%s' has no len()", type_name(vm, v));
}

Status seq_reversed(Vm *vm, Value self, Value *out) {
    return reversed_native(vm, self, self, out);
}

Status iter_make_reversed(Vm *vm, const Value *args, Value *out) {
    bool by_meta = args[0].kind == K_CLASS && args[0].cls->meta;
    if (args[0].kind == K_INSTANCE || by_meta) return reversed_instance(vm, args[0], out);
    return reversed_native(vm, args[0], args[0], out);
}

// --- iter --------------------------------------------------------------------------------------

static Status make_iter(Vm *vm, const Value *args, Value *out) {
    Status st;
    if (args[1].kind == K_UNDEF) {
        st = op_iter(vm, args[0], out);
        if (st == ST_OK) op_keep_instance(vm, true, args[0], out); // of an iterator's class: itself
        return st;
    }
    bool callable;
    st = op_is_callable(vm, args[0], &callable);
    if (st == ST_OK && callable) return stepper_callable(vm, args[0], args[1], out);
    if (st != ST_OK) return st;
    return vm_raise(vm, EXC_TypeError, "iter(v, w): v must be callable");
}

const NativeDef iter_functions[] = {
    {"iter", "object, sentinel=?, /", make_iter, "iter_slow", PURE},
    {NULL, NULL, NULL, NULL, PURE},
};
