// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operators whose operands are instances of user classes: which methods are tried, in which order,
// and what happens when one returns NotImplemented.

#include "vm/interp/interp.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// One attempt at an operation: a method to be called as method(self, other). A frame stores the attempt's number in
// `phase`.
typedef struct Attempt {
    Value method; // borrowed; V_UNDEF: nothing to try here
    Value self, other;
    bool invert;  // `!=` through __eq__
} Attempt;

enum { ATTEMPTS = 3 };

static Value user_method(Vm *vm, Value v, NameId id) {
    if (v.kind != K_INSTANCE && !(v.kind == K_CLASS && v.cls->meta)) return V_UNDEF;
    Value method = v.kind == K_CLASS ? class_user_method(v.cls->meta, vm_name(vm, id))
                                     : cached_operator(vm, v.inst, vm_name(vm, id));
    return method.kind == K_NONE ? V_UNDEF : method;
}

// Returns whether a % b is formatting: a is text, and b's class is not derived from a's. (For a derived class, b's
// __rmod__ goes first.)
static bool formats(Vm *vm, BinaryOp op, Value a, Value b) {
    Kind kind = unwrap(a).kind;
    return op == BIN_MOD && (kind == K_STR || kind == K_BYTES || kind == K_BYTEARRAY) &&
           !class_is_subclass(class_of(vm, b), class_of(vm, a));
}

// Returns whether the right operand's method (`right`) goes first, as its class derives from the left one's.
static bool right_first(Vm *vm, Value a, Value b, Value right) {
    if (right.kind == K_UNDEF) return false;
    const Class *left = class_of(vm, a), *cls = class_of(vm, b);
    return cls != left && class_is_subclass(cls, left);
}

static bool same_class(Value a, Value b) {
    return a.kind == K_INSTANCE && b.kind == K_INSTANCE && a.inst->cls == b.inst->cls;
}

static void order(Vm *vm, Attempt *first, Value a, Value b, Attempt left, Attempt right) {
    bool swap = right_first(vm, a, b, right.method);
    first[0] = swap ? right : left;
    first[1] = swap ? left : right;
}

// Tries an array's operator first if NumPy would convert the other operand to an array (it has __array__, or is a
// sequence), unless the other's class opts out by __array_ufunc__ or __array_priority__.
static bool array_first(Vm *vm, Value a, Value b) {
    if (a.kind != K_ARRAY || b.kind != K_INSTANCE) return false;
    if (class_lookup(b.inst->cls, vm_name(vm, NAME_array_ufunc)).kind != K_UNDEF) return false;
    if (class_lookup(b.inst->cls, vm_name(vm, NAME_array_priority)).kind != K_UNDEF) return false;
    return op_user_method(vm, b, NAME_array) || (op_user_method(vm, b, NAME_len) && op_user_method(vm, b, NAME_getitem));
}

static void binary_attempts(Vm *vm, BinaryOp op, bool in_place, Value a, Value b,
                            Attempt attempts[ATTEMPTS]) {
    NameId names = (NameId)(NAME_BIN_ADD + 3 * (int)op); // method, reflected, in place
    Attempt left = {user_method(vm, a, names), a, b, false};
    bool left_only = same_class(a, b) || formats(vm, op, a, b) || array_first(vm, a, b);
    Attempt right = {left_only ? V_UNDEF : user_method(vm, b, (NameId)(names + 1)), b, a, false};
    attempts[0] = (Attempt){in_place ? user_method(vm, a, (NameId)(names + 2)) : V_UNDEF, a, b,
                            false};
    order(vm, attempts + 1, a, b, left, right);
}

static Attempt compare_attempt(Vm *vm, CompareOp op, Value self, Value other) {
    Attempt attempt = {user_method(vm, self, (NameId)(NAME_CMP_LT + (int)op)), self, other, false};
    if (attempt.method.kind == K_UNDEF && op == CMP_NE) {
        attempt.method = user_method(vm, self, NAME_CMP_EQ);
        attempt.invert = true;
    }
    return attempt;
}

static const CompareOp mirrored[COMPARE_COUNT] = {
    [CMP_LT] = CMP_GT, [CMP_LE] = CMP_GE, [CMP_EQ] = CMP_EQ,
    [CMP_NE] = CMP_NE, [CMP_GT] = CMP_LT, [CMP_GE] = CMP_LE,
};

static void compare_attempts(Vm *vm, CompareOp op, Value a, Value b, Attempt attempts[ATTEMPTS]) {
    attempts[0] = (Attempt){0};
    order(vm, attempts + 1, a, b, compare_attempt(vm, op, a, b),
          compare_attempt(vm, mirrored[op], b, a));
}

static Status inverted(Vm *vm, Value *value) {
    bool truth;
    Status st = op_truth(vm, *value, &truth);
    if (st != ST_OK) return call_finish(vm, st, RET_DISCARD, 0, value);
    replace(vm, value, v_bool(!truth));
    return ST_OK;
}

// Calls method(self, other) as the attempt with the number `phase`.
static Status call_pair(Vm *vm, Value method, Value self, Value other, int phase, uint16_t dest, Value *out) {
    Value slots[4] = {V_UNDEF, V_UNDEF, retain(self), retain(other)};
    Status st = call_value(vm, method, slots + 2, 2, NULL, RET_BINARY, dest, out);
    if (st == ST_TAIL) vm->interp->frame->phase = (uint8_t)phase;
    return st;
}

// Makes the attempts from number `phase` on, until one does not return NotImplemented. ST_STOP: none is left.
static Status attempt_from(Vm *vm, const Attempt attempts[ATTEMPTS], int phase, uint16_t dest,
                           Value *out) {
    for (; phase < ATTEMPTS; phase++) {
        const Attempt *attempt = &attempts[phase];
        if (attempt->method.kind == K_UNDEF) continue;
        Status st = call_pair(vm, attempt->method, attempt->self, attempt->other,
                              phase | (attempt->invert ? PHASE_INVERT : 0), dest, out);
        if (st != ST_OK) return st;
        if (out->kind == K_NOTIMPLEMENTED) continue;
        return attempt->invert ? inverted(vm, out) : ST_OK;
    }
    return ST_STOP;
}

// Computes the operator by the operands' kinds: instances of classes derived from a built-in kind have its operators.
static Status by_kind(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    Status st = ST_NOTIMPL;
    if (kind_slots[a.kind]->binary) st = kind_slots[a.kind]->binary(vm, op, in_place, a, b, out);
    if (st == ST_NOTIMPL && b.kind != a.kind && kind_slots[b.kind]->binary)
        st = kind_slots[b.kind]->binary(vm, op, false, a, b, out);
    return st;
}

static Status binary_slowly(Vm *vm, const char *slow, BinaryOp op, bool in_place, Value a, Value b,
                            uint16_t dest, Value *out) {
    const Value args[4] = {v_int(op), a, b, v_bool(in_place)};
    return call_prelude(vm, slow, args, 4, RET_STORE, dest, out);
}

static Status binary_from(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, int phase,
                          uint16_t dest, Value *out) {
    Attempt attempts[ATTEMPTS];
    binary_attempts(vm, op, in_place, a, b, attempts);
    Status st = attempt_from(vm, attempts, phase, dest, out);
    if (st == ST_STOP) st = by_kind(vm, op, in_place, unwrap(a), unwrap(b), out);
    if (st == ST_DEFER)
        return binary_slowly(vm, "binary_kind_slow", op, in_place, unwrap(a), unwrap(b), dest, out);
    if (st == ST_OK) op_keep_instance(vm, in_place, a, out);
    return st == ST_NOTIMPL ? op_binary_error(vm, op, in_place, a, b) : st;
}

static Status compare_slowly(Vm *vm, CompareOp op, Value a, Value b, uint16_t dest, Value *out) {
    Str *symbol = str_text(vm, compare_names[op].symbol);
    if (!symbol) return vm_no_memory(vm);
    const Value args[3] = {v_obj(symbol), a, b};
    Status st = call_prelude(vm, "seq_compare_slow", args, 3, RET_STORE, dest, out);
    release_obj(vm, symbol);
    return st;
}

// Compares by the operands' kinds. Instances of classes derived from a built-in kind count as the value inside.
static Status compare_by_kind(Vm *vm, CompareOp op, Value a, Value b, uint16_t dest, Value *out) {
    Value x = unwrap(a), y = unwrap(b);
    Status st = ST_NOTIMPL;
    if (kind_slots[x.kind]->compare) st = kind_slots[x.kind]->compare(vm, op, x, y, out);
    if (st == ST_NOTIMPL && y.kind == K_ARRAY) st = kind_slots[K_ARRAY]->compare(vm, mirrored[op], y, x, out);
    return st == ST_DEFER ? compare_slowly(vm, op, x, y, dest, out) : st;
}

static Status compare_from(Vm *vm, CompareOp op, Value a, Value b, int phase, uint16_t dest,
                           Value *out) {
    Attempt attempts[ATTEMPTS];
    compare_attempts(vm, op, a, b, attempts);
    Status st = attempt_from(vm, attempts, phase, dest, out);
    if (st != ST_STOP) return st;
    st = compare_by_kind(vm, op, a, b, dest, out);
    if (st != ST_NOTIMPL) return st;
    if (op != CMP_EQ && op != CMP_NE) return op_compare_error(vm, op, a, b);
    *out = v_bool(v_is(a, b) == (op == CMP_EQ));
    return ST_OK;
}

enum { FIRST_PHASE = 1 }; // number of the left operand's attempt, unless right_first swaps them

static Status first_attempt(Vm *vm, BinaryOp op, Value method, Value a, Value b, uint16_t dest,
                            Value *out) {
    Status st = call_pair(vm, method, a, b, FIRST_PHASE, dest, out);
    if (st != ST_OK || out->kind != K_NOTIMPLEMENTED) return st;
    return binary_from(vm, op, false, a, b, FIRST_PHASE + 1, dest, out);
}

Status user_compare_quick(Vm *vm, CompareOp op, Value a, Value b, uint16_t dest, Value *out) {
    if (a.kind != K_INSTANCE || (b.kind == K_INSTANCE && a.inst->cls != b.inst->cls)) return ST_STOP;
    Value method = cached_operator(vm, a.inst, vm_name(vm, (NameId)(NAME_CMP_LT + (int)op)));
    if (method.kind != K_FUNC) return ST_STOP;
    Status st = call_pair(vm, method, a, b, FIRST_PHASE, dest, out);
    if (st != ST_OK || out->kind != K_NOTIMPLEMENTED) return st;
    return compare_from(vm, op, a, b, FIRST_PHASE + 1, dest, out);
}

Status user_binary_quick(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, uint16_t dest,
                         Value *out) {
    if (in_place || a.kind != K_INSTANCE || (b.kind == K_INSTANCE && a.inst->cls != b.inst->cls))
        return ST_STOP;
    Value method = user_method(vm, a, (NameId)(NAME_BIN_ADD + 3 * (int)op));
    return method.kind == K_FUNC ? first_attempt(vm, op, method, a, b, dest, out) : ST_STOP;
}

Status user_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, uint16_t dest,
                   Value *out) {
    Status quick = user_binary_quick(vm, op, in_place, a, b, dest, out);
    if (quick != ST_STOP) return quick;
    Attempt attempts[ATTEMPTS];
    binary_attempts(vm, op, in_place, a, b, attempts);
    for (int i = 0; i < ATTEMPTS; i++)
        if (attempts[i].method.kind != K_UNDEF)
            return binary_from(vm, op, in_place, a, b, i, dest, out);
    // Neither has a method for the operator: a built-in operand needs another method (__index__, __str__, __iter__).
    return binary_slowly(vm, "binary_slow", op, in_place, a, b, dest, out);
}

Status user_compare(Vm *vm, CompareOp op, Value a, Value b, uint16_t dest, Value *out) {
    bool by_class = a.kind == K_CLASS || b.kind == K_CLASS;
    if (by_class || a.kind == K_INSTANCE || b.kind == K_INSTANCE)
        return compare_from(vm, op, a, b, 0, dest, out);
    return compare_slowly(vm, op, a, b, dest, out);
}

Status user_unary(Vm *vm, UnaryOp op, Value a, uint16_t dest, Value *out) {
    Status st = call_special(vm, (NameId)(NAME_UN_NEG + (int)op), &a, 1, RET_STORE, dest, out);
    if (st != ST_STOP) return st;
    return vm_raise(vm, EXC_TypeError, "bad operand type for %s: '%s'", unary_names[op].symbol,
                    type_name(vm, a));
}

static Value operand(const Frame *frame, char letter, uint16_t field) {
    if (letter == 'i') return v_int((int16_t)field);
    return field & CONST_BIT ? frame->code->consts[field & ~CONST_BIT] : frame->regs[field];
}

Status user_binary_again(Vm *vm, Frame *caller, int phase, uint16_t dest, Value *out) {
    const Instr *instr = caller->pc;
    Opcode op = instr_operator(instr);
    Value a = operand(caller, bc_op_info[instr->op].b, instr->b);
    Value b = operand(caller, bc_op_info[instr->op].c, instr->c);
    int next = (phase & ~PHASE_INVERT) + 1;
    if (out->kind != K_NOTIMPLEMENTED) return phase & PHASE_INVERT ? inverted(vm, out) : ST_OK;
    if (op >= OP_LT && op <= OP_GE)
        return compare_from(vm, (CompareOp)(op - OP_LT), a, b, next, dest, out);
    return binary_from(vm, (BinaryOp)(op - OP_ADD), instr->flags & FLAG_ALT, a, b, next, dest, out);
}
