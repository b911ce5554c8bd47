// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operator methods of built-in classes. Instructions never use them; scripts do, through super().__setitem__(k, v) and
// hasattr(x, '__len__').

#include "vm/value/dunder.h"

#include <stddef.h>
#include <string.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

static Status not_implemented(Status st, Value *out) {
    if (st != ST_NOTIMPL) return st;
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static Status by_slot(Vm *vm, BinaryOp op, bool in_place, Value on, Value a, Value b, Value *out) {
    return not_implemented(kind_slots[on.kind]->binary(vm, op, in_place, a, unwrap(b), out), out);
}

#define BINARY(name, symbol, method, reflected, in_place)                              \
    static Status forward_##name(Vm *vm, const Value *args, Value *out) {              \
        return by_slot(vm, BIN_##name, false, args[0], args[0], args[1], out);         \
    }                                                                                  \
    static Status backward_##name(Vm *vm, const Value *args, Value *out) {             \
        return by_slot(vm, BIN_##name, false, args[0], unwrap(args[1]), args[0], out); \
    }                                                                                  \
    static Status inside_##name(Vm *vm, const Value *args, Value *out) {               \
        return by_slot(vm, BIN_##name, true, args[0], args[0], args[1], out);          \
    }
#define COMPARE(name, symbol, method, reflected)                                   \
    static Status compare_##name(Vm *vm, const Value *args, Value *out) {          \
        return not_implemented(kind_slots[args[0].kind]->compare(                  \
            vm, CMP_##name, args[0], unwrap(args[1]), out), out);                  \
    }
#define UNARY(name, symbol, method)                                                \
    static Status unary_##name(Vm *vm, const Value *args, Value *out) {            \
        return not_implemented(kind_slots[args[0].kind]->unary(vm, UN_##name, args[0], out), out); \
    }
#include "vm/value/ops.def"

static Status fn_len(Vm *vm, const Value *args, Value *out) {
    int64_t len;
    Status st = op_len(vm, args[0], &len);
    if (st == ST_OK) *out = v_int(len);
    return st;
}
static Status fn_getitem(Vm *vm, const Value *args, Value *out) {
    return op_getitem(vm, args[0], args[1], out);
}
static Status fn_setitem(Vm *vm, const Value *args, Value *out) {
    Status st = op_setitem(vm, args[0], args[1], args[2]);
    if (st == ST_OK) *out = V_NONE;
    return st;
}
static Status fn_delitem(Vm *vm, const Value *args, Value *out) {
    Status st = op_delitem(vm, args[0], args[1]);
    if (st == ST_OK) *out = V_NONE;
    return st;
}
static Status fn_contains(Vm *vm, const Value *args, Value *out) {
    bool found;
    Status st = op_contains(vm, args[0], args[1], &found);
    if (st == ST_OK) *out = v_bool(found);
    return st;
}
static Status fn_iter(Vm *vm, const Value *args, Value *out) {
    return op_iter(vm, args[0], out);
}
static Status fn_next(Vm *vm, const Value *args, Value *out) {
    Status st = op_next(vm, args[0], out);
    return st == ST_STOP ? vm_raise_stop(vm, V_NONE) : st;
}
static Status fn_hash(Vm *vm, const Value *args, Value *out) {
    int64_t hash;
    Status st = op_hash(vm, args[0], &hash);
    if (st == ST_OK) *out = v_int(hash);
    return st;
}
static Status fn_truth(Vm *vm, const Value *args, Value *out) {
    bool truth;
    Status st = op_truth(vm, args[0], &truth);
    if (st == ST_OK) *out = v_bool(truth);
    return st;
}
static Status fn_repr(Vm *vm, const Value *args, Value *out) {
    return op_repr_value(vm, args[0], out);
}
static Status fn_str(Vm *vm, const Value *args, Value *out) {
    return op_str_value(vm, args[0], out);
}

// A kind has a method if it has the method's slot. An operator's method also requires that the kind has the operator
// (operators_of).
typedef enum RowSet { ROW_ANY, ROW_BINARY, ROW_REFLECTED, ROW_IN_PLACE, ROW_UNARY } RowSet;
typedef struct Row {
    NativeDef def;
    size_t slot; // offset in TypeSlots
    RowSet set;
    int op;      // BinaryOp or UnaryOp
} Row;

#define SLOT(name) offsetof(TypeSlots, name)

static const Row rows[] = {
#define BINARY(name, symbol, method, reflected, in_place)                           \
    {{method, "self, value, /", forward_##name, NULL, PURE}, SLOT(binary), ROW_BINARY, BIN_##name}, \
    {{reflected, "self, value, /", backward_##name, NULL, PURE}, SLOT(binary), ROW_REFLECTED, BIN_##name}, \
    {{in_place, "self, value, /", inside_##name, NULL, PURE}, SLOT(binary), ROW_IN_PLACE, BIN_##name},
#define COMPARE(name, symbol, method, reflected) \
    {{method, "self, value, /", compare_##name, NULL, PURE}, SLOT(compare), ROW_ANY, 0},
#define UNARY(name, symbol, method) \
    {{method, "self, /", unary_##name, NULL, PURE}, SLOT(unary), ROW_UNARY, UN_##name},
#include "vm/value/ops.def"
    {{"__len__", "self, /", fn_len, NULL, PURE}, SLOT(len), ROW_ANY, 0},
    {{"__getitem__", "self, key, /", fn_getitem, "getitem_slow", PURE}, SLOT(getitem), ROW_ANY, 0},
    {{"__setitem__", "self, key, value, /", fn_setitem, "setitem_slow", PURE}, SLOT(setitem), ROW_ANY, 0},
    {{"__delitem__", "self, key, /", fn_delitem, "delitem_slow", PURE}, SLOT(delitem), ROW_ANY, 0},
    {{"__contains__", "self, key, /", fn_contains, "contains_slow", PURE}, SLOT(contains), ROW_ANY, 0},
    {{"__iter__", "self, /", fn_iter, NULL, PURE}, SLOT(iter), ROW_ANY, 0},
    {{"__next__", "self, /", fn_next, NULL, PURE}, SLOT(next), ROW_ANY, 0},
    {{"__hash__", "self, /", fn_hash, "hash_slow", PURE}, SLOT(hash), ROW_ANY, 0},
    {{"__bool__", "self, /", fn_truth, NULL, PURE}, SLOT(truth), ROW_ANY, 0},
    {{"__repr__", "self, /", fn_repr, "repr_slow", PURE}, SLOT(repr), ROW_ANY, 0},
    {{"__str__", "self, /", fn_str, "str_slow", PURE}, SLOT(str), ROW_ANY, 0},
};

// The operators that a kind has as methods, one bit each; `reflected`: methods of the right operand. `in_place`: for
// arrays only, as the other mutable kinds have rows of their own.
typedef struct Operators {
    uint32_t binary, reflected, unary, in_place;
} Operators;

#define BIT(name) (1u << BIN_##name)

static Operators operators_of(Kind kind) {
    const uint32_t arithmetic = BIT(ADD) | BIT(SUB) | BIT(MUL) | BIT(DIV) | BIT(POW);
    const uint32_t real = arithmetic | BIT(FLOORDIV) | BIT(MOD) | BIT(DIVMOD);
    const uint32_t bits = BIT(AND) | BIT(OR) | BIT(XOR), sets = bits | BIT(SUB);
    const uint32_t signs = 1u << UN_NEG | 1u << UN_POS | 1u << UN_ABS, all = UINT32_MAX;
    switch (kind) {
    case K_INT: return (Operators){all ^ BIT(MATMUL), all ^ BIT(MATMUL), all, 0};
    case K_FLOAT: return (Operators){real, real, signs, 0};
    case K_COMPLEX: return (Operators){arithmetic, arithmetic, signs, 0};
    case K_BYTES:
    case K_BYTEARRAY:
    case K_STR: return (Operators){BIT(ADD) | BIT(MUL) | BIT(MOD), BIT(MUL) | BIT(MOD), 0, 0};
    case K_LIST:
    case K_DEQUE:
    case K_TUPLE: return (Operators){BIT(ADD) | BIT(MUL), BIT(MUL), 0, 0};
    case K_CLASS:
    case K_DICT: return (Operators){BIT(OR), BIT(OR), 0, 0};
    case K_SET:
    case K_FROZENSET:
    case K_DICTVIEW: return (Operators){sets, sets, 0, 0};
    case K_ARRAY: return (Operators){all, all, all, all ^ BIT(DIVMOD)};
    default: return (Operators){all, all, all, 0};
    }
}

static bool has_operator(const Operators *has, const Row *row) {
    switch (row->set) {
    case ROW_BINARY: return has->binary >> row->op & 1;
    case ROW_REFLECTED: return has->reflected >> row->op & 1;
    case ROW_IN_PLACE: return has->in_place >> row->op & 1;
    case ROW_UNARY: return has->unary >> row->op & 1;
    case ROW_ANY: break;
    }
    return true;
}

// Returns whether a class has the method of a row. Containers other than ranges and arrays have a truth slot but no
// __bool__, and bool inherits all methods but __repr__ from int.
static bool fits(const Class *cls, const Operators *has, const Row *row) {
    const TypeSlots *slots = kind_slots[cls->instance_kind];
    void (*slot)(void);
    memcpy(&slot, (const char *)slots + row->slot, sizeof slot);
    if (!slot || (cls->instance_kind == K_BOOL && row->slot != SLOT(repr))) return false;
    if (row->slot == SLOT(truth) && slots->len)
        return cls->instance_kind == K_RANGE || cls->instance_kind == K_ARRAY;
    return has_operator(has, row);
}

// Sets __hash__ of mutable containers to None.
static Status forbid_hash(Vm *vm, Class *cls) {
    Kind kind = cls->instance_kind;
    bool view = kind == K_DICTVIEW && !str_is(cls->name, "dict_values");
    if (kind != K_LIST && kind != K_DEQUE && kind != K_DICT && kind != K_SET && !view) return ST_OK;
    return dict_set_str(vm, cls->dict, vm_name(vm, NAME_hash), V_NONE);
}

static Status add_row(Vm *vm, Class *cls, const Row *row, Str *name) {
    Value native;
    if (dict_get_str(cls->dict, name).kind != K_UNDEF) return ST_OK;
    if (native_new(vm, &row->def, v_obj(cls), &native) != ST_OK) return ST_ERROR;
    Status st = dict_set_str(vm, cls->dict, name, native);
    release(vm, native);
    return st;
}

Status dunder_into_class(Vm *vm, Class *cls) {
    const Operators has = operators_of(cls->instance_kind);
    Status st = forbid_hash(vm, cls);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && st == ST_OK; i++) {
        if (!fits(cls, &has, &rows[i])) continue;
        Str *name = str_intern(vm, rows[i].def.name, strlen(rows[i].def.name));
        st = name ? add_row(vm, cls, &rows[i], name) : vm_no_memory(vm);
        release_obj(vm, name);
    }
    return st;
}
