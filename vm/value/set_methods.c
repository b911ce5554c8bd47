// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// set and frozenset: their slots, constructors and methods.

#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/set_impl.h"

// --- Memory ------------------------------------------------------------------------------------

static void slot_visit(Obj *obj, Visitor *visitor) {
    Value key;
    uint32_t pos = 0;
    while (set_next((Set *)obj, &pos, &key)) visit_value(visitor, key);
}

static void slot_drop(Vm *vm, Obj *obj) {
    set_clear(vm, (Set *)obj);
}

static size_t slot_size(const Obj *obj) {
    (void)obj;
    return sizeof(Set);
}

// --- Slots -------------------------------------------------------------------------------------

static Status slot_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = self.set->used;
    return ST_OK;
}

static Status slot_contains(Vm *vm, Value self, Value item, bool *out) {
    return set_has(vm, self.set, item, out);
}

static Status slot_iter(Vm *vm, Value self, Value *out) {
    return set_iter_new(vm, self.set, out);
}

static Status frozen_hash(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    if (!self.set->hash) self.set->hash = set_hash_elements(self.set);
    *out = self.set->hash;
    return ST_OK;
}

static Status slot_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (!is_set(a) || !is_set(b)) return ST_NOTIMPL;
    return set_order(vm, op, a.set, b.set, out);
}

typedef Status (*Algebra)(Vm *vm, Set *a, Value other, Value *out);
typedef Status (*Change)(Vm *vm, Set *a, Value other);

static Algebra algebra_of(BinaryOp op) {
    switch (op) {
    case BIN_OR: return set_union;
    case BIN_AND: return set_intersection;
    case BIN_SUB: return set_difference;
    case BIN_XOR: return set_symmetric_difference;
    default: return NULL;
    }
}

static Status intersection_update(Vm *vm, Set *a, Value other) {
    Value common;
    Status st = set_intersection(vm, a, other, &common);
    if (st != ST_OK) return st;
    set_swap(a, common.set);
    release(vm, common);
    return ST_OK;
}

static Change change_of(BinaryOp op) {
    switch (op) {
    case BIN_OR: return set_update;
    case BIN_AND: return intersection_update;
    case BIN_SUB: return set_difference_update;
    default: return set_symmetric_difference_update;
    }
}

static Status slot_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    Algebra algebra = algebra_of(op);
    if (!algebra || !is_set(a) || !is_set(b)) return ST_NOTIMPL;
    if (!in_place || a.kind == K_FROZENSET) return algebra(vm, a.set, b, out);
    Status st = change_of(op)(vm, a.set, b);
    if (st == ST_OK) *out = retain(a);
    return st;
}

static Status write_elements(Vm *vm, const Set *set, Buf *out, int depth) {
    Value key;
    uint32_t pos = 0;
    bool first = true;
    buf_putc(out, '{');
    while (set_next(set, &pos, &key)) {
        if (!first) buf_puts(out, ", ");
        first = false;
        Status st = op_repr_nested(vm, key, out, depth + 1);
        if (st != ST_OK) return st;
    }
    buf_putc(out, '}');
    return ST_OK;
}

// Prints a set without its class name; frozen sets and derived classes with it.
Status set_repr_named(Vm *vm, Set *set, const char *name, Buf *out, int depth) {
    bool bare = !name && set->used;
    if (!name) name = "set";
    if (!repr_enter(&set->gc.obj)) {
        buf_printf(out, "%s(...)", name);
        return ST_OK;
    }
    Status st = ST_OK;
    if (!bare) buf_printf(out, "%s(", name);
    if (set->used) st = write_elements(vm, set, out, depth);
    if (!bare) buf_putc(out, ')');
    repr_leave(&set->gc.obj);
    return st;
}

static Status slot_repr(Vm *vm, Value self, Buf *out, int depth) {
    return set_repr_named(vm, self.set, self.kind == K_FROZENSET ? "frozenset" : NULL, out, depth);
}

// --- Constructors ------------------------------------------------------------------------------

static Status construct_set(Vm *vm, const Value *args, Value *out) {
    Value iterable = args[0].kind == K_UNDEF ? v_obj(vm->empty_tuple) : args[0];
    return set_from(vm, iterable, false, out);
}

static Status construct_frozenset(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind == K_FROZENSET) {
        *out = retain(args[0]);
        return ST_OK;
    }
    Value iterable = args[0].kind == K_UNDEF ? v_obj(vm->empty_tuple) : args[0];
    return set_from(vm, iterable, true, out);
}

// --- Methods that make sets --------------------------------------------------------------------

static Status method_copy(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind == K_FROZENSET) {
        *out = retain(args[0]);
        return ST_OK;
    }
    Set *copy = set_copy(vm, args[0].set, false);
    if (!copy) return vm_no_memory(vm);
    *out = v_obj(copy);
    return ST_OK;
}

// Applies an operation to the first argument and then, as CPython does, changes the result by the
// others (`change`; NULL: applies the operation again). With no argument, a copy.
static Status fold(Vm *vm, const Value *args, Algebra algebra, Change change, Value *out) {
    const Tuple *others = args[1].tuple;
    Value result, next;
    if (others->len == 0) return method_copy(vm, args, out);
    Status st = algebra(vm, args[0].set, others->items[0], &result);
    if (st != ST_OK) return st;
    for (size_t i = 1; i < others->len && st == ST_OK; i++) {
        st = change ? change(vm, result.set, others->items[i])
                    : algebra(vm, result.set, others->items[i], &next);
        if (st == ST_OK && !change) replace(vm, &result, next);
    }
    if (st == ST_OK) {
        *out = result;
    } else {
        release(vm, result);
    }
    return st;
}

// An iterator given to an earlier step of a fold is empty when a later one defers, so the slow path
// takes over at once if any argument but the last is one.
static bool has_early_iterator(const Tuple *others) {
    for (size_t i = 0; i + 1 < others->len; i++)
        if (others->items[i].kind == K_ITER) return true;
    return false;
}

static Status method_union(Vm *vm, const Value *args, Value *out) {
    if (has_early_iterator(args[1].tuple)) return ST_DEFER;
    return fold(vm, args, set_union, set_update, out);
}

static Status method_intersection(Vm *vm, const Value *args, Value *out) {
    if (has_early_iterator(args[1].tuple)) return ST_DEFER;
    return fold(vm, args, set_intersection, NULL, out);
}

static Status method_difference(Vm *vm, const Value *args, Value *out) {
    if (has_early_iterator(args[1].tuple)) return ST_DEFER;
    return fold(vm, args, set_difference, set_difference_update, out);
}

static Status method_symmetric_difference(Vm *vm, const Value *args, Value *out) {
    return set_symmetric_difference(vm, args[0].set, args[1], out);
}

// --- Methods that change a set -----------------------------------------------------------------

// Sets the result of a method that returns None.
static Status none(Status st, Value *out) {
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status change_by_all(Vm *vm, const Value *args, Change change, Value *out) {
    const Tuple *others = args[1].tuple;
    Status st = has_early_iterator(others) ? ST_DEFER : ST_OK;
    for (size_t i = 0; i < others->len && st == ST_OK; i++)
        st = change(vm, args[0].set, others->items[i]);
    return none(st, out);
}

static Status method_update(Vm *vm, const Value *args, Value *out) {
    return change_by_all(vm, args, set_update, out);
}

static Status method_difference_update(Vm *vm, const Value *args, Value *out) {
    return change_by_all(vm, args, set_difference_update, out);
}

static Status method_intersection_update(Vm *vm, const Value *args, Value *out) {
    Value result;
    if (args[1].tuple->len == 0) return none(ST_OK, out);
    Status st = method_intersection(vm, args, &result);
    if (st != ST_OK) return st;
    set_swap(args[0].set, result.set);
    release(vm, result);
    return none(ST_OK, out);
}

static Status method_symmetric_difference_update(Vm *vm, const Value *args, Value *out) {
    return none(set_symmetric_difference_update(vm, args[0].set, args[1]), out);
}

static Status method_init(Vm *vm, const Value *args, Value *out) {
    set_clear(vm, args[0].set);
    if (args[1].kind == K_UNDEF) return none(ST_OK, out);
    return none(set_update(vm, args[0].set, args[1]), out);
}

static Status method_add(Vm *vm, const Value *args, Value *out) {
    return none(set_add(vm, args[0].set, args[1]), out);
}

static Status method_discard(Vm *vm, const Value *args, Value *out) {
    Status st = set_del(vm, args[0].set, args[1]);
    return none(st == ST_STOP ? ST_OK : st, out);
}

static Status method_remove(Vm *vm, const Value *args, Value *out) {
    Status st = set_del(vm, args[0].set, args[1]);
    return st == ST_STOP ? vm_raise_key(vm, args[1]) : none(st, out);
}

static Status method_clear(Vm *vm, const Value *args, Value *out) {
    set_clear(vm, args[0].set);
    return none(ST_OK, out);
}

// Walks on from where the last pop stopped, so that emptying a set takes linear time.
static Status method_pop(Vm *vm, const Value *args, Value *out) {
    Set *set = args[0].set;
    if (set->used == 0) {
        Str *text = str_text(vm, "pop from an empty set");
        if (!text) return vm_no_memory(vm);
        vm_raise_key(vm, v_obj(text));
        release_obj(vm, text);
        return ST_ERROR;
    }
    uint32_t place = set->finger & set->mask;
    while (set->table[place].key.kind == K_UNDEF) place = place == set->mask ? 0 : place + 1;
    *out = retain(set->table[place].key);
    set_remove_at(vm, set, place);
    set->finger = place + 1;
    return ST_OK;
}

// --- Questions ---------------------------------------------------------------------------------

static Status boolean(Status st, bool answer, Value *out) {
    if (st == ST_OK) *out = v_bool(answer);
    return st;
}

static Status method_isdisjoint(Vm *vm, const Value *args, Value *out) {
    bool answer = false;
    Status st = set_is_disjoint(vm, args[0].set, args[1], &answer);
    return boolean(st, answer, out);
}

// Returns the argument in *out if it is a set, otherwise a set made from it.
static Status as_set(Vm *vm, Value v, Value *out) {
    Value inner = op_user_method(vm, v, NAME_iter) ? v : unwrap(v);
    if (!is_set(inner)) return set_from(vm, inner, false, out);
    *out = retain(inner);
    return ST_OK;
}

// Leaves one-shot iterators to the slow path, as a later comparison may defer.
static Status method_issubset(Vm *vm, const Value *args, Value *out) {
    Value other;
    bool answer = false;
    if (args[1].kind == K_ITER) return ST_DEFER;
    Status st = as_set(vm, args[1], &other);
    if (st != ST_OK) return st;
    st = set_is_subset(vm, args[0].set, other.set, &answer);
    release(vm, other);
    return boolean(st, answer, out);
}

static Status method_issuperset(Vm *vm, const Value *args, Value *out) {
    bool answer = false;
    Status st = set_is_superset(vm, args[0].set, args[1], &answer);
    return boolean(st, answer, out);
}

static Status method_contains(Vm *vm, const Value *args, Value *out) {
    bool answer = false;
    Status st = set_has(vm, args[0].set, args[1], &answer);
    return boolean(st, answer, out);
}

static Status method_len(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_int(args[0].set->used);
    return ST_OK;
}

static Status method_iter(Vm *vm, const Value *args, Value *out) {
    return set_iter_new(vm, args[0].set, out);
}

static Status by_operator(Vm *vm, BinaryOp op, bool in_place, const Value *args, Value *out) {
    Status st = slot_binary(vm, op, in_place, args[0], unwrap(args[1]), out);
    if (st != ST_NOTIMPL) return st;
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static Status method_or(Vm *vm, const Value *args, Value *out) {
    return by_operator(vm, BIN_OR, false, args, out);
}
static Status method_and(Vm *vm, const Value *args, Value *out) {
    return by_operator(vm, BIN_AND, false, args, out);
}
static Status method_sub(Vm *vm, const Value *args, Value *out) {
    return by_operator(vm, BIN_SUB, false, args, out);
}
static Status method_xor(Vm *vm, const Value *args, Value *out) {
    return by_operator(vm, BIN_XOR, false, args, out);
}
static Status method_ior(Vm *vm, const Value *args, Value *out) {
    return by_operator(vm, BIN_OR, true, args, out);
}
static Status method_iand(Vm *vm, const Value *args, Value *out) {
    return by_operator(vm, BIN_AND, true, args, out);
}
static Status method_isub(Vm *vm, const Value *args, Value *out) {
    return by_operator(vm, BIN_SUB, true, args, out);
}
static Status method_ixor(Vm *vm, const Value *args, Value *out) {
    return by_operator(vm, BIN_XOR, true, args, out);
}

static Status method_eq(Vm *vm, const Value *args, Value *out) {
    Value other = unwrap(args[1]);
    if (is_set(other)) return set_order(vm, CMP_EQ, args[0].set, other.set, out);
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static Status method_repr(Vm *vm, const Value *args, Value *out) {
    return op_repr_value(vm, args[0], out);
}

// --- Tables ------------------------------------------------------------------------------------

static const NativeDef set_methods[] = {
    {"add", "self, elem, /", method_add, "set_add_slow", PURE},
    {"clear", "self, /", method_clear, NULL, PURE},
    {"copy", "self, /", method_copy, NULL, PURE},
    {"difference", "self, /, *others", method_difference, "set_difference_slow", PURE},
    {"difference_update", "self, /, *others", method_difference_update,
     "set_difference_update_slow", PURE},
    {"discard", "self, elem, /", method_discard, "set_discard_slow", PURE},
    {"intersection", "self, /, *others", method_intersection, "set_intersection_slow", PURE},
    {"intersection_update", "self, /, *others", method_intersection_update,
     "set_intersection_update_slow", PURE},
    {"isdisjoint", "self, other, /", method_isdisjoint, "set_isdisjoint_slow", PURE},
    {"issubset", "self, other, /", method_issubset, "set_issubset_slow", PURE},
    {"issuperset", "self, other, /", method_issuperset, "set_issuperset_slow", PURE},
    {"pop", "self, /", method_pop, NULL, PURE},
    {"remove", "self, elem, /", method_remove, "set_remove_slow", PURE},
    {"symmetric_difference", "self, other, /", method_symmetric_difference,
     "set_symmetric_difference_slow", PURE},
    {"symmetric_difference_update", "self, other, /", method_symmetric_difference_update,
     "set_symmetric_difference_update_slow", PURE},
    {"union", "self, /, *others", method_union, "set_union_slow", PURE},
    {"update", "self, /, *others", method_update, "set_update_slow", PURE},
    {"__init__", "self, iterable=?, /", method_init, "set_init_slow", PURE},
    {"__contains__", "self, elem, /", method_contains, "set_contains_slow", PURE},
    {"__len__", "self, /", method_len, NULL, PURE},
    {"__iter__", "self, /", method_iter, NULL, PURE},
    {"__eq__", "self, other, /", method_eq, "set_eq_slow", PURE},
    {"__repr__", "self, /", method_repr, "repr_slow", PURE},
    {"__or__", "self, other, /", method_or, "set_or_slow", PURE},
    {"__and__", "self, other, /", method_and, "set_and_slow", PURE},
    {"__sub__", "self, other, /", method_sub, "set_sub_slow", PURE},
    {"__xor__", "self, other, /", method_xor, "set_xor_slow", PURE},
    {"__ior__", "self, other, /", method_ior, "set_ior_slow", PURE},
    {"__iand__", "self, other, /", method_iand, "set_iand_slow", PURE},
    {"__isub__", "self, other, /", method_isub, "set_isub_slow", PURE},
    {"__ixor__", "self, other, /", method_ixor, "set_ixor_slow", PURE},
    {0},
};

static const NativeDef frozenset_methods[] = {
    {"copy", "self, /", method_copy, NULL, PURE},
    {"difference", "self, /, *others", method_difference, "set_difference_slow", PURE},
    {"intersection", "self, /, *others", method_intersection, "set_intersection_slow", PURE},
    {"isdisjoint", "self, other, /", method_isdisjoint, "set_isdisjoint_slow", PURE},
    {"issubset", "self, other, /", method_issubset, "set_issubset_slow", PURE},
    {"issuperset", "self, other, /", method_issuperset, "set_issuperset_slow", PURE},
    {"symmetric_difference", "self, other, /", method_symmetric_difference,
     "set_symmetric_difference_slow", PURE},
    {"union", "self, /, *others", method_union, "set_union_slow", PURE},
    {"__contains__", "self, elem, /", method_contains, "set_contains_slow", PURE},
    {"__len__", "self, /", method_len, NULL, PURE},
    {"__iter__", "self, /", method_iter, NULL, PURE},
    {"__eq__", "self, other, /", method_eq, "set_eq_slow", PURE},
    {"__repr__", "self, /", method_repr, "repr_slow", PURE},
    {"__or__", "self, other, /", method_or, "set_or_slow", PURE},
    {"__and__", "self, other, /", method_and, "set_and_slow", PURE},
    {"__sub__", "self, other, /", method_sub, "set_sub_slow", PURE},
    {"__xor__", "self, other, /", method_xor, "set_xor_slow", PURE},
    {0},
};

static const NativeDef set_construct = {"set", "iterable=?, /", construct_set, "set_slow", PURE};
static const NativeDef frozenset_construct = {"frozenset", "iterable=?, /", construct_frozenset,
                                              "frozenset_slow", PURE};

const TypeSlots kind_SET = {
    .visit = slot_visit,
    .drop = slot_drop,
    .size = slot_size,
    .binary = slot_binary,
    .compare = slot_compare,
    .hash = seq_unhashable,
    .len = slot_len,
    .contains = slot_contains,
    .iter = slot_iter,
    .repr = slot_repr,
    .construct = &set_construct,
    .methods = set_methods,
};

const TypeSlots kind_FROZENSET = {
    .visit = slot_visit,
    .drop = slot_drop,
    .size = slot_size,
    .binary = slot_binary,
    .compare = slot_compare,
    .hash = frozen_hash,
    .len = slot_len,
    .contains = slot_contains,
    .iter = slot_iter,
    .repr = slot_repr,
    .construct = &frozenset_construct,
    .methods = frozenset_methods,
};
