// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Conversions of values of any kind (to an index, a double, a list), and tests: whether a value is
// callable, or an instance of a class.

#include "vm/value/asking.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/dict_impl.h"
#include "vm/value/effects.h"
#include "vm/value/func.h"
#include "vm/value/list.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str.h"

enum { POLL_MASK = 0xffff, ITER_NESTING = 32 };

// --- Numbers -----------------------------------------------------------------------------------

// Converts by a native method of the value's kind, such as NumPy scalars' __index__ and __float__.
static Status convert_by_row(Vm *vm, Value v, NameId name, Value *out) {
    if (v.kind == K_INSTANCE) return ST_NOTIMPL;
    Value method = dict_get_str(class_of(vm, v)->dict, vm_name(vm, name));
    if (method.kind != K_NATIVE) return ST_NOTIMPL;
    return native_run(vm, method.native->def, &v, out);
}

static Status index_of_int(Vm *vm, Value of, Value v, int64_t *out) {
    if (int_to_i64(v, out)) return ST_OK;
    return vm_raise(vm, EXC_IndexError, "cannot fit '%s' into an index-sized integer", type_name(vm, of));
}

Status op_index(Vm *vm, Value v, int64_t *out) {
    if (v.kind == K_INT || v.kind == K_BOOL) {
        *out = v.i;
        return ST_OK;
    }
    Value x = unwrap(v), converted;
    if (is_int(x)) return index_of_int(vm, v, x, out);
    if (op_user_method(vm, v, NAME_index)) {
        Status st = op_ask(vm, ASK_INDEX, v, &converted);
        return st == ST_OK ? index_of_int(vm, v, converted, out) : st;
    }
    Status st = convert_by_row(vm, x, NAME_index, &converted);
    if (st == ST_OK) {
        st = index_of_int(vm, v, converted, out);
        release(vm, converted);
    }
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer",
                    type_name(vm, v));
}

Status op_index_or(Vm *vm, Value v, ExcKind kind, const char *text, int64_t *out) {
    Status st = op_index(vm, v, out);
    return st == ST_ERROR && vm_error_is(vm, EXC_IndexError) ? vm_raise(vm, kind, text, type_name(vm, v)) : st;
}

Status op_refused(const Vm *vm) {
    return vm->error.kind == K_UNDEF ? ST_DEFER : ST_ERROR;
}

static Status double_by_row(Vm *vm, Value x, double *out) {
    Value converted;
    Status st = convert_by_row(vm, x, NAME_float_, &converted);
    if (st != ST_OK) return st;
    if (converted.kind == K_FLOAT) *out = converted.f;
    bool is_float = converted.kind == K_FLOAT;
    release(vm, converted);
    return is_float ? ST_OK : ST_NOTIMPL;
}

static Status double_of_answer(Vm *vm, Value v, double *out) {
    Value answer;
    Status st = op_ask(vm, ASK_FLOAT, v, &answer);
    if (st == ST_OK) *out = answer.f;
    return st;
}

Status op_as_double(Vm *vm, Value v, double *out) {
    if (v.kind == K_FLOAT) {
        *out = v.f;
        return ST_OK;
    }
    if (op_user_method(vm, v, NAME_float_)) return double_of_answer(vm, v, out);
    Value x = unwrap(v);
    if (is_int(x)) return int_to_double(vm, x, out);
    if (x.kind == K_FLOAT) {
        *out = x.f;
        return ST_OK;
    }
    if (op_user_method(vm, v, NAME_index)) return double_of_answer(vm, v, out);
    Status st = x.kind == K_COMPLEX ? ST_NOTIMPL : double_by_row(vm, x, out);
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError, "must be real number, not %s", type_name(vm, v));
}

// CPython's tuple hash: a round of xxHash64 per item (Objects/tupleobject.c names the source,
// Yann Collet's xxHash).
int64_t hash_combine_items(const int64_t *hashes, size_t n) {
    const uint64_t prime1 = 11400714785074694791u, prime2 = 14029467366897019727u,
                   prime5 = 2870177450012600261u;
    uint64_t acc = prime5;
    for (size_t i = 0; i < n; i++) {
        acc += (uint64_t)hashes[i] * prime2;
        acc = (acc << 31 | acc >> 33) * prime1;
    }
    acc += n ^ (prime5 ^ 3527539u);
    return acc == UINT64_MAX ? 1546275796 : (int64_t)acc;
}

// --- Classes -----------------------------------------------------------------------------------

bool class_is_subclass(const Class *cls, const Class *base) {
    for (uint32_t i = 0; i < cls->mro_count; i++)
        if (cls->mro[i] == base) return true;
    return false;
}

bool op_isinstance(Vm *vm, Value v, const Class *cls) {
    return class_is_subclass(class_of(vm, v), cls);
}

Status op_is_callable(Vm *vm, Value v, bool *out) {
    switch (v.kind) {
    case K_FUNC:
    case K_NATIVE:
    case K_BOUND:
    case K_UFUNC:
    case K_HOST_FUNC:
    case K_CLASS: *out = true; break;
    case K_DESCR: *out = v.descr->role == DESCR_STATICMETHOD; break;
    default: *out = class_lookup(class_of(vm, v), vm_name(vm, NAME_call)).kind > K_NONE; break;
    }
    return ST_OK;
}

// --- Iterables ---------------------------------------------------------------------------------

// Returns whether an iterator can be run to its end without the interpreter, as far as its nesting tells.
static bool iterates_natively(Value it, int depth) {
    if (it.kind != K_ITER) return iter_is_native(it);
    if (depth > ITER_NESTING) return false;
    IterRole role = (IterRole)it.iter->gc.obj.aux;
    Value over = it.iter->over;
    if (role == ITER_GETITEM_REVERSED) return false;
    if (role == ITER_ENUMERATE && over.kind != K_UNDEF) return iterates_natively(over, depth + 1);
    if (role != ITER_ZIP || over.kind != K_TUPLE) return true;
    for (size_t i = 0; i < over.tuple->len; i++)
        if (!iterates_natively(over.tuple->items[i], depth + 1)) return false;
    return true;
}

static Status append_all(Vm *vm, Value it, List *list) {
    Value item;
    Status st = ST_OK;
    for (size_t n = 1; st == ST_OK; n++) {
        st = op_next(vm, it, &item);
        if (st == ST_OK) st = list_append(vm, list, item);
        if (st == ST_OK && (n & POLL_MASK) == 0) st = vm_poll(vm);
    }
    return st == ST_STOP ? ST_OK : st;
}

static Status list_of_bytes(Vm *vm, const Bytes *bytes, Value *out) {
    List *list = list_new(vm, bytes->len);
    if (!list) return vm_no_memory(vm);
    for (size_t i = 0; i < bytes->len; i++) list->items[i] = v_int((unsigned char)bytes->data[i]);
    list->len = bytes->len;
    *out = v_obj(list);
    return ST_OK;
}

Status op_to_list(Vm *vm, Value iterable, Value *out) {
    Value it;
    if (iterable.kind == K_LIST) return list_of(vm, iterable.list->items, iterable.list->len, out);
    if (iterable.kind == K_TUPLE) return list_of(vm, iterable.tuple->items, iterable.tuple->len, out);
    if (iterable.kind == K_BYTES || iterable.kind == K_BYTEARRAY)
        return list_of_bytes(vm, bytes_of(iterable), out);
    Status st = op_iter(vm, iterable, &it);
    if (st != ST_OK) return st;
    List *list = NULL;
    if (!iterates_natively(it, 0)) {
        st = op_ask(vm, ASK_ITEMS, iterable, out);
        if (st == ST_OK) st = list_of(vm, out->list->items, out->list->len, out);
        release(vm, it);
        return st;
    } else if (!(list = list_new(vm, 0))) {
        st = vm_no_memory(vm);
    } else {
        st = append_all(vm, it, list);
    }
    release(vm, it);
    if (st == ST_OK) {
        *out = v_obj(list);
    } else {
        release_obj(vm, list);
    }
    return st;
}

void op_put_back(Vm *vm, Value iterable, Value list) {
    if (iterable.kind != K_ITER) return;
    Iter *it = iterable.iter;
    it->gc.obj.aux = ITER_LIST;
    it->index = it->stop = it->step = 0;
    it->version = 0;
    clear(vm, &it->extra);
    replace(vm, &it->over, retain(list));
}
