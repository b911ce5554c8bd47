// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dispatch of the operators and the container protocol to the kinds' slots.
//
// The order is the same everywhere: a method written in the language defers to the interpreter;
// otherwise an instance of a class derived from a built-in kind stands for the value inside it;
// otherwise the kind's slot decides; otherwise Python's TypeError is raised.

#include "vm/value/ops.h"

#include <string.h>

#include "vm/value/asking.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/identity.h"
#include "vm/value/num.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str.h"

enum { COMPARE_DEPTH = 500 };

const OpNames binary_names[BINARY_COUNT] = {
#define BINARY(name, symbol, method, reflected, in_place) {symbol, method, reflected, in_place},
#include "vm/value/ops.def"
};
const OpNames compare_names[COMPARE_COUNT] = {
#define COMPARE(name, symbol, method, reflected) {symbol, method, reflected, ""},
#include "vm/value/ops.def"
};
const OpNames unary_names[UNARY_COUNT] = {
#define UNARY(name, symbol, method) {symbol, method, "", ""},
#include "vm/value/ops.def"
};

static const CompareOp swapped[COMPARE_COUNT] = {
    [CMP_LT] = CMP_GT, [CMP_LE] = CMP_GE, [CMP_EQ] = CMP_EQ,
    [CMP_NE] = CMP_NE, [CMP_GT] = CMP_LT, [CMP_GE] = CMP_LE,
};

// In NameId, the names of binary operators are in groups of three (method, reflected, in place), all others single.
static NameId binary_name(BinaryOp op) {
    return (NameId)(NAME_BIN_ADD + 3 * (int)op);
}
static NameId reflected_name(BinaryOp op) {
    return (NameId)(NAME_RBIN_ADD + 3 * (int)op);
}
static NameId in_place_name(BinaryOp op) {
    return (NameId)(NAME_IBIN_ADD + 3 * (int)op);
}
static NameId compare_name(CompareOp op) {
    return (NameId)(NAME_CMP_LT + (int)op);
}

// Returns whether a method found in a class is the user's. A native is if it belongs to a class made at run time.
static bool is_user_function(Value f) {
    if (f.kind == K_UNDEF || f.kind == K_NONE) return false;
    if (f.kind != K_NATIVE) return true;
    Value owner = f.native->owner;
    return owner.kind == K_CLASS && (owner.cls->flags & CLASS_USER);
}

// Returns whether v may have operator methods of the user's: an instance, or a class with a metaclass.
static bool may_have_methods(Value v) {
    return v.kind == K_INSTANCE || (v.kind == K_CLASS && v.cls->meta);
}

bool op_user_method(const Vm *vm, Value v, NameId name) {
    const Class *cls = v.kind == K_INSTANCE ? v.inst->cls : v.kind == K_CLASS ? v.cls->meta : NULL;
    return cls && is_user_function(class_lookup(cls, vm_name(vm, name)));
}

// Returns whether v is a class with a __class_getitem__ of the user's.
static bool class_has_items(const Vm *vm, Value v) {
    return v.kind == K_CLASS && is_user_function(class_lookup(v.cls, vm_name(vm, NAME_class_getitem)));
}

bool op_forbidden(const Vm *vm, Value v, NameId name) {
    return v.kind == K_INSTANCE && class_lookup(v.inst->cls, vm_name(vm, name)).kind == K_NONE;
}

// --- Binary and unary operators ----------------------------------------------------------------

static bool user_binary(const Vm *vm, BinaryOp op, bool in_place, Value a, Value b) {
    return (in_place && op_user_method(vm, a, in_place_name(op))) ||
           op_user_method(vm, a, binary_name(op)) || op_user_method(vm, b, reflected_name(op));
}

static bool is_sequence(Value v) {
    return v.kind == K_STR || v.kind == K_BYTES || v.kind == K_BYTEARRAY || v.kind == K_TUPLE || v.kind == K_LIST ||
           v.kind == K_DEQUE;
}

// Returns whether b's + or * is tried first: a sequence's is tried after that of a NumPy operand (so list + array is
// the array's).
static bool right_first(BinaryOp op, Value a, Value b) {
    return (op == BIN_ADD || op == BIN_MUL) && is_sequence(a) &&
           (b.kind == K_ARRAY || is_numpy_scalar(b));
}

static Status try_binary(Vm *vm, Value on, BinaryOp op, bool in_place, Value a, Value b,
                         Value *out) {
    const TypeSlots *slots = kind_slots[on.kind];
    return slots->binary ? slots->binary(vm, op, in_place, a, b, out) : ST_NOTIMPL;
}

static Status binary_slots(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    bool reversed = right_first(op, a, b);
    Status st = try_binary(vm, reversed ? b : a, op, in_place && !reversed, a, b, out);
    if (st != ST_NOTIMPL || a.kind == b.kind) return st;
    return try_binary(vm, reversed ? a : b, op, in_place && reversed, a, b, out);
}

void op_keep_instance(Vm *vm, bool in_place, Value a, Value *out) {
    if (!in_place || a.kind != K_INSTANCE || !v_is(*out, unwrap(a))) return;
    if (out->kind == K_LIST || out->kind == K_DICT || out->kind == K_SET || out->kind == K_BYTEARRAY ||
        out->kind == K_DEQUE || out->kind == K_STEPPER || out->kind == K_ITER)
        replace(vm, out, retain(a));
}

Status op_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    if ((may_have_methods(a) || may_have_methods(b)) && user_binary(vm, op, in_place, a, b))
        return ST_DEFER;
    Value x = unwrap(a);
    // Text formatting needs the right operand itself, whose class may define its text; other operators take the value
    // inside.
    Value y = op == BIN_MOD && x.kind == K_STR ? b : unwrap(b);
    Status st = binary_slots(vm, op, in_place, x, y, out);
    if (st == ST_NOTIMPL) return op_binary_error(vm, op, in_place, a, b);
    if (st == ST_OK) op_keep_instance(vm, in_place, a, out);
    return st;
}

static Status sequence_error(Vm *vm, BinaryOp op, Value a, Value b) {
    if (op == BIN_ADD && (a.kind == K_BYTES || a.kind == K_BYTEARRAY))
        return vm_raise(vm, EXC_TypeError, "can't concat %s to %s", type_name(vm, b), kind_names[a.kind]);
    if (op == BIN_ADD && is_sequence(a))
        return vm_raise(vm, EXC_TypeError, "can only concatenate %s (not \"%s\") to %s",
                        kind_names[a.kind], type_name(vm, b), kind_names[a.kind]);
    Value other = is_sequence(a) ? b : a;
    return vm_raise(vm, EXC_TypeError, "can't multiply sequence by non-int of type '%s'",
                    type_name(vm, other));
}

static const char *binary_hint(BinaryOp op, Value a) {
    if (op != BIN_RSHIFT || a.kind != K_NATIVE || strcmp(a.native->def->name, "print") != 0)
        return "";
    return ". Did you mean \"print(<message>, file=<output_stream>)\"?";
}

Status op_binary_error(Vm *vm, BinaryOp op, bool in_place, Value a, Value b) {
    Value x = unwrap(a), y = unwrap(b);
    if ((op == BIN_ADD && is_sequence(x)) || (op == BIN_MUL && (is_sequence(x) || is_sequence(y))))
        return sequence_error(vm, op, x, y);
    const char *symbol = op == BIN_POW && !in_place ? "** or pow()" : binary_names[op].symbol;
    return vm_raise(vm, EXC_TypeError, "unsupported operand type(s) for %s%s: '%s' and '%s'%s",
                    symbol, in_place ? "=" : "", type_name(vm, a), type_name(vm, b),
                    binary_hint(op, a));
}

Status op_unary(Vm *vm, UnaryOp op, Value a, Value *out) {
    if (op_user_method(vm, a, (NameId)(NAME_UN_NEG + (int)op))) return ST_DEFER;
    Value x = unwrap(a);
    const TypeSlots *slots = kind_slots[x.kind];
    Status st = slots->unary ? slots->unary(vm, op, x, out) : ST_NOTIMPL;
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError, "bad operand type for %s: '%s'", unary_names[op].symbol,
                    type_name(vm, a));
}

// --- Comparison --------------------------------------------------------------------------------

// Returns whether a method of the user's decides a comparison. `!=` falls back on __eq__.
static bool user_compare(const Vm *vm, CompareOp op, Value a, Value b) {
    if (op_user_method(vm, a, compare_name(op)) || op_user_method(vm, b, compare_name(swapped[op])))
        return true;
    return op == CMP_NE &&
           (op_user_method(vm, a, NAME_CMP_EQ) || op_user_method(vm, b, NAME_CMP_EQ));
}

static Status try_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    const TypeSlots *slots = kind_slots[a.kind];
    return slots->compare ? slots->compare(vm, op, a, b, out) : ST_NOTIMPL;
}

static Status compare_slots(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    Status st = try_compare(vm, op, a, b, out);
    if (st != ST_NOTIMPL || a.kind == b.kind) return st;
    return try_compare(vm, swapped[op], b, a, out);
}

Status op_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if ((may_have_methods(a) || may_have_methods(b)) && user_compare(vm, op, a, b))
        return ST_DEFER;
    if (vm->compare_depth >= COMPARE_DEPTH)
        return vm_raise(vm, EXC_RecursionError, "maximum recursion depth exceeded in comparison");
    vm->compare_depth++;
    Status st = compare_slots(vm, op, unwrap(a), unwrap(b), out);
    vm->compare_depth--;
    if (st != ST_NOTIMPL) return st;
    if (op != CMP_EQ && op != CMP_NE) return op_compare_error(vm, op, a, b);
    *out = v_bool(v_is(a, b) == (op == CMP_EQ));
    return ST_OK;
}

Status op_compare_error(Vm *vm, CompareOp op, Value a, Value b) {
    return vm_raise(vm, EXC_TypeError, "'%s' not supported between instances of '%s' and '%s'",
                    compare_names[op].symbol, type_name(vm, a), type_name(vm, b));
}

// Computes the truth of a comparison; that of an array's result raises an exception.
static Status compare_truth(Vm *vm, CompareOp op, Value a, Value b, bool *out) {
    Value result;
    Status st = op_compare(vm, op, a, b, &result);
    if (st != ST_OK) return st;
    if (result.kind == K_BOOL) {
        *out = result.i;
        return ST_OK;
    }
    st = op_truth(vm, result, out);
    release(vm, result);
    return st;
}

Status op_eq(Vm *vm, Value a, Value b, bool *out) {
    if (a.kind == K_INT && b.kind == K_INT) {
        *out = a.i == b.i;
    } else if (v_is(a, b)) {
        *out = true;
    } else if (a.kind == K_STR && b.kind == K_STR) {
        *out = str_equal(a.str, b.str);
    } else if (is_number(a) && is_number(b)) {
        *out = num_equal(a, b);
    } else {
        return compare_truth(vm, CMP_EQ, a, b, out);
    }
    return ST_OK;
}

Status op_lt(Vm *vm, Value a, Value b, bool *out) {
    if (a.kind == K_INT && b.kind == K_INT) {
        *out = a.i < b.i;
    } else if (a.kind == K_FLOAT && b.kind == K_FLOAT) {
        *out = a.f < b.f;
    } else if (a.kind == K_STR && b.kind == K_STR) {
        *out = str_cmp(a.str, b.str) < 0;
    } else {
        return compare_truth(vm, CMP_LT, a, b, out);
    }
    return ST_OK;
}

// --- Truth, hash, length -----------------------------------------------------------------------

// Raises the TypeError for a special method that is None: it is found, but calling it fails.
static Status not_callable_none(Vm *vm) {
    return vm_raise(vm, EXC_TypeError, "'NoneType' object is not callable");
}

Status op_truth(Vm *vm, Value v, bool *out) {
    if (v.kind == K_BOOL || v.kind == K_INT) {
        *out = v.i != 0;
        return ST_OK;
    }
    if (v.kind == K_INSTANCE || v.kind == K_CLASS) {
        if (op_user_method(vm, v, NAME_bool) || op_user_method(vm, v, NAME_len)) {
            Value answer;
            Status st = op_ask(vm, ASK_TRUTH, v, &answer);
            if (st == ST_OK) *out = answer.i != 0;
            return st;
        }
        if (op_forbidden(vm, v, NAME_bool)) return not_callable_none(vm);
        v = unwrap(v);
    }
    const TypeSlots *slots = kind_slots[v.kind];
    if (slots->truth) return slots->truth(vm, v, out);
    int64_t len = 1;
    Status st = slots->len ? slots->len(vm, v, &len) : ST_OK;
    if (st == ST_OK) *out = len != 0;
    return st;
}

static Status unhashable(Vm *vm, Value v) {
    return vm_raise(vm, EXC_TypeError, "unhashable type: '%s'", type_name(vm, v));
}

// A class that defines __eq__ and not __hash__ has no hash: the nearest class that defines either
// decides. ST_NOTIMPL: neither is the user's.
static Status user_hash(Vm *vm, Value v) {
    if (!(v.inst->cls->flags & (CLASS_HASH | CLASS_EQ))) return ST_NOTIMPL;
    for (uint32_t i = 0; i < v.inst->cls->mro_count; i++) {
        const Class *cls = v.inst->cls->mro[i];
        Value hash = dict_get_str(cls->dict, vm_name(vm, NAME_hash));
        if (!(cls->flags & CLASS_USER)) {
            if (hash.kind != K_UNDEF) return ST_NOTIMPL;
            continue;
        }
        if (hash.kind == K_NONE) return unhashable(vm, v);
        if (is_user_function(hash)) return ST_DEFER;
        if (hash.kind != K_UNDEF) return ST_NOTIMPL;
        if (hash.kind == K_UNDEF && dict_get_str(cls->dict, vm_name(vm, NAME_CMP_EQ)).kind)
            return unhashable(vm, v);
    }
    return ST_NOTIMPL;
}

Status op_hash(Vm *vm, Value v, int64_t *out) {
    Value whole = v;
    if (v.kind == K_INSTANCE) {
        Status st = user_hash(vm, v);
        if (st != ST_NOTIMPL) return st;
        v = unwrap(v);
    }
    const TypeSlots *slots = kind_slots[v.kind];
    if (slots->hash == seq_unhashable) return unhashable(vm, whole);
    if (!slots->hash) return identity_hash(vm, v, out);
    if (vm->compare_depth >= COMPARE_DEPTH)
        return vm_raise(vm, EXC_RecursionError, "maximum recursion depth exceeded");
    vm->compare_depth++;
    Status st = slots->hash(vm, v, out);
    vm->compare_depth--;
    return st;
}

Status op_len(Vm *vm, Value v, int64_t *out) {
    if (v.kind != K_INSTANCE && v.kind != K_CLASS && kind_slots[v.kind]->len)
        return kind_slots[v.kind]->len(vm, v, out);
    if (op_user_method(vm, v, NAME_len)) {
        Value answer;
        Status st = op_ask(vm, ASK_LEN, v, &answer);
        if (st == ST_OK) *out = answer.i;
        return st;
    }
    if (op_forbidden(vm, v, NAME_len)) return not_callable_none(vm);
    Value x = unwrap(v);
    if (kind_slots[x.kind]->len) return kind_slots[x.kind]->len(vm, x, out);
    return vm_raise(vm, EXC_TypeError, "object of type '%s' has no len()", type_name(vm, v));
}

// --- Items -------------------------------------------------------------------------------------

static Status not_subscriptable(Vm *vm, Value v) {
    if (v.kind == K_CLASS)
        return vm_raise(vm, EXC_TypeError, "type '%s' is not subscriptable", v.cls->name->data);
    return vm_raise(vm, EXC_TypeError, "'%s' object is not subscriptable", type_name(vm, v));
}

// Reads an item of an instance of a dict class that has __missing__.
static Status item_or_missing(Vm *vm, Value v, Value key, Value *out) {
    Value found;
    Status st = dict_get(vm, unwrap(v).dict, key, &found);
    if (st == ST_OK) *out = retain(found);
    if (st != ST_STOP) return st;
    const Value args[2] = {v, key};
    return vm_tail(vm, class_lookup(v.inst->cls, vm_name(vm, NAME_missing)), args, 2);
}

Status op_getitem(Vm *vm, Value v, Value key, Value *out) {
    if (op_user_method(vm, v, NAME_getitem) || class_has_items(vm, v))
        return ST_DEFER;
    Value x = unwrap(v);
    if (x.kind == K_DICT && op_user_method(vm, v, NAME_missing))
        return item_or_missing(vm, v, key, out);
    if (!kind_slots[x.kind]->getitem) return not_subscriptable(vm, v);
    return kind_slots[x.kind]->getitem(vm, x, key, out);
}

Status op_setitem(Vm *vm, Value v, Value key, Value value) {
    if (op_user_method(vm, v, NAME_setitem)) return ST_DEFER;
    Value x = unwrap(v);
    if (kind_slots[x.kind]->setitem) return kind_slots[x.kind]->setitem(vm, x, key, value);
    return vm_raise(vm, EXC_TypeError, "'%s' object does not support item assignment",
                    type_name(vm, v));
}

// Returns whether CPython's type has the methods of sequences, or room for them.
static bool has_sequence_slots(const Vm *vm, Value v) {
    return is_sequence(v) || v.kind == K_RANGE || v.kind == K_SET || v.kind == K_FROZENSET ||
           (v.kind == K_INSTANCE && v.inst->cls != vm->object_class);
}

Status op_delitem(Vm *vm, Value v, Value key) {
    if (op_user_method(vm, v, NAME_delitem)) return ST_DEFER;
    Value x = unwrap(v);
    const TypeSlots *slots = kind_slots[x.kind];
    if (slots->delitem) return slots->delitem(vm, x, key);
    return vm_raise(vm, EXC_TypeError, "'%s' object %s support item deletion", type_name(vm, v),
                    has_sequence_slots(vm, x) && is_int(key) ? "doesn't" : "does not");
}

static bool user_contains(const Vm *vm, Value v) {
    return op_user_method(vm, v, NAME_contains) || op_user_method(vm, v, NAME_iter) ||
           op_user_method(vm, v, NAME_getitem);
}

// Tests membership by iterating. An iterator is left to the slow path: its items cannot be put back if a
// comparison turns out to need user code.
static Status contains_by_iterating(Vm *vm, Value v, Value item, bool *out) {
    Value it, next;
    Status st = op_iter(vm, v, &it);
    if (st != ST_OK) return st;
    bool found = false;
    while (!found && (st = op_next(vm, it, &next)) == ST_OK) {
        st = op_eq(vm, next, item, &found);
        release(vm, next);
        if (st != ST_OK) break;
    }
    release(vm, it);
    if (st == ST_STOP) st = ST_OK;
    if (st == ST_OK) *out = found;
    return st;
}

Status op_contains(Vm *vm, Value v, Value item, bool *out) {
    if (op_forbidden(vm, v, NAME_contains))
        return vm_raise(vm, EXC_TypeError, "'%s' object is not a container", type_name(vm, v));
    if (user_contains(vm, v)) return ST_DEFER;
    Value x = unwrap(v);
    const TypeSlots *slots = kind_slots[x.kind];
    if (slots->contains) return slots->contains(vm, x, item, out);
    if (slots->next) return ST_DEFER;
    if (slots->iter) return contains_by_iterating(vm, x, item, out);
    return vm_raise(vm, EXC_TypeError, "argument of type '%s' is not iterable", type_name(vm, v));
}

// --- Iteration ---------------------------------------------------------------------------------

static Status not_iterable(Vm *vm, Value v) {
    return vm_raise(vm, EXC_TypeError, "'%s' object is not iterable", type_name(vm, v));
}

static Status iter_of_answer(Vm *vm, Value v, Value *out) {
    Value items;
    Status st = op_ask(vm, ASK_ITEMS, v, &items);
    return st == ST_OK ? op_iter(vm, items, out) : st;
}

Status op_iter(Vm *vm, Value v, Value *out) {
    if (v.kind == K_INSTANCE) {
        if (op_forbidden(vm, v, NAME_iter)) return not_iterable(vm, v);
        if (op_user_method(vm, v, NAME_iter)) return iter_of_answer(vm, v, out);
        // A class derived from an iterable built-in kind keeps that kind's iteration, even if it has a __getitem__.
        if (!kind_slots[unwrap(v).kind]->iter && op_user_method(vm, v, NAME_getitem))
            return iter_of_answer(vm, v, out);
    } else if (op_user_method(vm, v, NAME_iter)) {
        return iter_of_answer(vm, v, out);
    }
    Value x = unwrap(v);
    const TypeSlots *slots = kind_slots[x.kind];
    if ((x.kind == K_STEPPER || x.kind == K_ITER) && op_user_method(vm, v, NAME_next)) {
        *out = retain(v);
        return ST_OK;
    }
    if (slots->iter) return slots->iter(vm, x, out);
    if (!slots->next) return not_iterable(vm, v);
    *out = retain(x);
    return ST_OK;
}

Status op_next(Vm *vm, Value it, Value *out) {
    if (op_user_method(vm, it, NAME_next)) return ST_DEFER;
    Value x = unwrap(it);
    if (kind_slots[x.kind]->next) return kind_slots[x.kind]->next(vm, x, out);
    Value native;
    if (it.kind == K_INSTANCE && op_special(vm, it, NAME_next, &native) == ST_OK) return ST_DEFER;
    return vm_raise(vm, EXC_TypeError, "'%s' object is not an iterator", type_name(vm, it));
}
