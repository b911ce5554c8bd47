// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Translates program instructions: chooses the step that handles each instruction's operands.

#include "vm/jit/steps.h"
#include <string.h>

#include "lang/effects.h"
#include "vm/value/class.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- Instructions ------------------------------------------------------------------------------

static void drop_last_uses(Infer *f, const Instr *at) {
    const uint16_t fields[3] = {at->a, at->b, at->c};
    for (int n = 0; n < 3; n++)
        if (at->flags & FLAG_LAST_A << n) infer_set(f, fields[n], (Var){0});
}

static void drop_run(Infer *f, uint32_t first, uint32_t count) {
    for (uint32_t r = first; r < first + count; r++) infer_set(f, r, (Var){0});
}

static const OpId arithmetic_ops[] = {
    AOP_ADD,        AOP_SUBTRACT,    AOP_MULTIPLY,   AOP_DIVIDE,        AOP_FLOOR_DIVIDE,
    AOP_REMAINDER,  AOP_POWER,       AOP_LEFT_SHIFT, AOP_RIGHT_SHIFT,   AOP_BITWISE_AND,
    AOP_BITWISE_OR, AOP_BITWISE_XOR, AOP_NONE,       AOP_LESS,          AOP_LESS_EQUAL,
    AOP_EQUAL,      AOP_NOT_EQUAL,   AOP_GREATER,    AOP_GREATER_EQUAL,
};

// Returns whether the next instruction stores the result to an element, as for a[i] += b.
static bool is_stored_next(const Infer *f, const Instr *at) {
    const Instr *next = &f->place->code->bc->code[f->next];
    return (next->op == OP_SETITEM || next->op == OP_SETITEMS) && next->c == at->a;
}

static bool step_operator(Infer *f, const Instr *at, Var *out) {
    OpId op = arithmetic_ops[instr_operator(at) - OP_ADD];
    Var a = infer_operand(f, 'x', at->b), b = infer_operand(f, bc_op_info[at->op].c, at->c);
    if (op == AOP_NONE) return step_product(f, a, b, false, out);
    // FLAG_ALT marks an in-place operation, except in comparisons, where it has another meaning
    if (is_array(a) && at->flags & FLAG_ALT && instr_operator(at) < OP_LT)
        return step_in_place(f, op, a, b, is_stored_next(f, at), out);
    if (is_array(a) || is_array(b)) return step_elementwise(f, op, (const Var[]){a, b}, 2, out);
    return op >= AOP_EQUAL && op <= AOP_GREATER_EQUAL ? step_comparison(f, op, a, b, out)
                                                      : step_arithmetic(f, op, a, b, out);
}

// --- Names -------------------------------------------------------------------------------------

// Returns whether a value is an iterator. Regions move iterators and never copy them: two variables
// that hold the same iterator would get one each on leaving.
static bool is_iterator(Var v) {
    return v.type.kind == VAR_ITER || v.type.kind == VAR_WALK || v.type.kind == VAR_GRID ||
           v.type.kind == VAR_EACH;
}

static bool step_move(Infer *f, const Instr *at, Var *out) {
    *out = infer_operand(f, 'x', at->b);
    return !is_iterator(*out) || at->flags & FLAG_LAST_B;
}

static bool step_global(Infer *f, const Instr *at, Var *out) {
    const Var *global = infer_global(f, at);
    if (global && is_iterator(*global)) return false;
    Source source = {.kind = SOURCE_SLOT, .at = instr_wide(*at)};
    source.holder = &f->place->module->gc.obj;
    *out = global ? *global : infer_source(f, source, false);
    return out->type.kind != VAR_UNDEF;
}

static bool step_free(Infer *f, const Instr *at, Var *out) {
    Source source = {.kind = SOURCE_FREE, .at = at->b};
    const Func *func = f->variant->scopes[f->scope].func;
    if (func) {
        source.kind = SOURCE_CELL;
        source.at = 0;
        source.holder = &func->cells[at->b]->gc.obj;
    }
    *out = infer_source(f, source, false);
    return out->type.kind != VAR_UNDEF;
}

// Reads a local variable that inner functions share.
static bool step_captured(Infer *f, const Instr *at, Var *out) {
    VarType cell = f->regs[at->b].type;
    if (f->scope > 0 || cell.kind != VAR_OBJECT || cell.which != at->b) return false;
    *out = infer_source(f, (Source){.kind = SOURCE_CAPTURED, .at = at->b}, false);
    return out->type.kind != VAR_UNDEF;
}

// --- Operators ---------------------------------------------------------------------------------

// Decides `is` if one operand is None and the other's kind is known.
static bool step_is(Infer *f, const Instr *at, Var *out) {
    Var a = infer_operand(f, 'x', at->b), b = infer_operand(f, 'x', at->c);
    if (a.type.kind != VAR_NONE && b.type.kind != VAR_NONE) return false;
    if (a.type.kind == VAR_OBJECT || b.type.kind == VAR_OBJECT) return false;
    bool same = a.type.kind == b.type.kind;
    *out = var_of(VAR_BOOL, infer_number(f, DT_BOOL, (Scalar){.i = same == (at->op == OP_IS)}));
    return true;
}

// Translates `in` and `not in` a constant tuple of a few numbers.
static bool step_contains(Infer *f, const Instr *at, Var *out) {
    enum { FEW = 8 };
    if (!(at->c & CONST_BIT)) return false;
    const Value v = f->place->code->consts[at->c & ~CONST_BIT];
    const Var a = infer_operand(f, 'x', at->b);
    if (v.kind != K_TUPLE || v.tuple->len > FEW || !is_number_var(a)) return false;
    int32_t found = infer_number(f, DT_BOOL, (Scalar){.i = 0});
    for (size_t i = 0; i < (size_t)v.tuple->len; i++) {
        const Value item = v.tuple->items[i];
        Var same,
            number = item.kind == K_INT
                         ? var_of(VAR_INT, infer_int(f, item.i))
                         : var_of(VAR_FLOAT, infer_number(f, DT_FLOAT64, (Scalar){.f = item.f}));
        if (item.kind != K_INT && item.kind != K_FLOAT) return false;
        if (!step_comparison(f, AOP_EQUAL, a, number, &same)) return false;
        found = infer_apply(f, AOP_LOGICAL_OR, DT_BOOL, DT_BOOL, found, same.parts[0]);
    }
    if (at->op == OP_NOT_IN)
        found = infer_apply(f, AOP_LOGICAL_NOT, DT_BOOL, DT_BOOL, found, NO_VALUE);
    *out = var_of(VAR_BOOL, found);
    return true;
}

static bool step_not(Infer *f, const Instr *at, Var *out) {
    int32_t truth;
    if (!truth_of(f, infer_operand(f, 'x', at->b), &truth)) return false;
    *out = var_of(VAR_BOOL, infer_apply(f, AOP_LOGICAL_NOT, DT_BOOL, DT_BOOL, truth, NO_VALUE));
    return true;
}

static bool is_range_class(const Infer *f, Var callee) {
    if (callee.type.kind != VAR_CONST) return false;
    Value v = f->variant->constants[callee.type.which];
    return v.kind == K_CLASS && v.cls->instance_kind == K_RANGE;
}

// Translates a call of range together with the ITER after it, if nothing else uses the range.
static bool step_range_loop(Infer *f, const Instr *at) {
    const Instr *next = at + 1;
    Var args[3], iter;
    bool looped = next->op == OP_ITER && next->b == at->a && at->c >= 1 && at->c <= 3 &&
                  (next->flags & FLAG_LAST_B || next->a == next->b);
    if (!looped || !is_range_class(f, f->regs[at->b])) return false;
    for (int i = 0; i < at->c; i++) args[i] = f->regs[at->b + 1 + i];
    if (!step_range(f, args, at->c, &iter)) return false;
    drop_run(f, at->b, at->c + 1u);
    infer_set(f, at->a, (Var){0});
    infer_set(f, next->a, iter);
    f->next++; // consumes ITER
    return true;
}

static bool step_method_call(Infer *f, const Instr *at, Var *out) {
    enum { ARGS = 4 };
    const char *name = f->variant->constants[f->regs[at->b].type.which].str->data;
    Var args[ARGS];
    if (at->c > ARGS) return false;
    for (uint32_t i = 0; i < at->c; i++) args[i] = f->regs[at->b + 2u + i];
    if (!step_method(f, name, f->regs[at->b + 1u], args, at->c, out)) return false;
    drop_run(f, at->b, at->c + 2u);
    return true;
}

static bool step_plain_call(Infer *f, const Instr *at, Var *out) {
    enum { ARGS = 4 };
    uint32_t first = at->b + 1u;
    int count = at->c;
    Var callee = f->regs[at->b], args[ARGS];
    if (at->op == OP_CALLM) {
        first++;
        if (callee.type.kind == VAR_METHOD) return step_method_call(f, at, out);
        if (f->regs[first - 1].type.kind != VAR_UNDEF) return false;
    }
    if (callee.type.kind != VAR_CONST || count > ARGS) return false;
    for (int i = 0; i < count; i++) args[i] = f->regs[first + (uint32_t)i];
    if (!step_call(f, f->variant->constants[callee.type.which], args, count, out)) return false;
    drop_run(f, at->b, first + (uint32_t)count - at->b);
    return true;
}

// Translates a reduction of an array by a numpy function or a method, with an axis by keyword or
// position, and perhaps keepdims=.
static bool step_axis_call(Infer *f, const Instr *at, Var *out) {
    bool named = at->op == OP_CALLKW;
    bool two = at->op == OP_CALLM || (named && at->flags & FLAG_ALT);
    Var callee = f->regs[at->b], axis = {0};
    const Tuple *names = named ? f->place->code->consts[instr_wide(at[1])].tuple : NULL;
    int64_t keep = 0;
    bool method = callee.type.kind == VAR_METHOD;
    if (callee.type.kind != VAR_CONST && !method) return false;
    Value known = f->variant->constants[callee.type.which];
    const char *name = method ? known.str->data : numpy_name(known);
    uint32_t first = at->b + 1u + (two && !method), last = at->b + 1u + two + at->c;
    uint32_t given = last - first - 1, unnamed = given - (names ? (uint32_t)names->len : 0);
    if (!name || given < 1 || given > 2 || unnamed > 1) return false;
    if (two && !method && f->regs[first - 1].type.kind != VAR_UNDEF) return false;
    if (unnamed == 1) axis = f->regs[first + 1];
    for (uint32_t i = 0; names && i < names->len; i++) {
        Var v = f->regs[first + 1 + unnamed + i];
        if (strcmp(names->items[i].str->data, "axis") == 0)
            axis = v;
        else if (strcmp(names->items[i].str->data, "keepdims") != 0 || v.type.kind != VAR_BOOL ||
                 !infer_known(f, v.parts[0], &keep))
            return false;
    }
    if (!step_reduction_along(f, name, f->regs[first], axis, keep, out)) return false;
    drop_run(f, at->b, last - at->b);
    return true;
}

// Translates a call of a built-in function with the second of two arguments by keyword.
static bool step_named_call(Infer *f, const Instr *at, Var *out) {
    uint32_t first = at->b + 1u + !!(at->flags & FLAG_ALT);
    Value names = f->place->code->consts[instr_wide(at[1])];
    Var callee = f->regs[at->b];
    if (callee.type.kind != VAR_CONST || names.tuple->len != 1 || at->c != 2) return false;
    const Var args[] = {f->regs[first], f->regs[first + 1]};
    if (!step_call_named(f, f->variant->constants[callee.type.which], args,
                         names.tuple->items[0].str->data, out))
        return false;
    drop_run(f, at->b, first + 2 - at->b);
    return true;
}

// Inlines a call of a function of the program. False: not such a call, or not possible.
static bool step_program_call(Infer *f, const Instr *at) {
    bool method = at->op == OP_CALLM || (at->op == OP_CALLKW && at->flags & FLAG_ALT);
    bool named = at->op == OP_CALLKW;
    if (at->op != OP_CALL && at->op != OP_CALLM && !named) return false;
    Var callee = f->regs[at->b];
    if (callee.type.kind != VAR_CONST) return false;
    if (method && f->regs[at->b + 1u].type.kind != VAR_UNDEF) return false;
    Value func = f->variant->constants[callee.type.which];
    const Tuple *names = named ? f->place->code->consts[instr_wide(at[1])].tuple : NULL;
    return func.kind == K_FUNC &&
           step_into(f, func.func, &f->regs[at->b + 1u + method], at->c, names, at->a);
}

static bool is_ufunc(const Infer *f, Var v) {
    return v.type.kind == VAR_CONST && f->variant->constants[v.type.which].kind == K_UFUNC;
}

static bool step_get_method(Infer *f, const Instr *at) {
    Var found, of = f->regs[at->b], self = {0};
    Value name = f->place->code->consts[at->c];
    if (is_array(of) || is_ufunc(f, of)) {
        int number = infer_constant(f, name);
        if (number < 0) return false;
        found = (Var){{.kind = VAR_METHOD, .which = (uint16_t)number}, NO_PARTS};
        self = of;
    } else if (!step_attribute(f, of, name.str, &found)) {
        return false;
    }
    if (at->flags & FLAG_LAST_B) infer_set(f, at->b, (Var){0});
    infer_set(f, at->a, found);
    infer_set(f, at->a + 1u, self);
    return true;
}

// Translates a conditional jump. False: the truth value is not supported.
static bool step_branch(Infer *f, const Instr *at) {
    int32_t truth;
    uint32_t next = f->pc + 1, target = instr_wide(*at);
    Var v = f->regs[at->a];
    if (v.type.kind == VAR_NONE) {
        if (at->flags & FLAG_LAST_A) infer_set(f, at->a, (Var){0});
        infer_jump(f, at->op == OP_JUMP_IF ? next : target);
        return true;
    }
    if (!truth_of(f, v, &truth)) return false;
    if (at->flags & FLAG_LAST_A) infer_set(f, at->a, (Var){0});
    infer_branch(f, truth, at->op == OP_JUMP_IF ? target : next,
                 at->op == OP_JUMP_IF ? next : target);
    return true;
}

// Translates an instruction without a result in register a, or with several results; *known is false
// if the region does not support it. Returns false for any other instruction.
static bool step_other(Infer *f, const Instr *at, bool *known) {
    *known = true;
    switch (at->op) {
    case OP_NOP: return true;
    case OP_LOOP:
    case OP_LOOP_ARMED: infer_poll(f); return true;
    case OP_CHECK: *known = f->regs[at->a].type.kind != VAR_UNDEF; return true;
    case OP_UNDEFINE: infer_set(f, at->a, (Var){0}); return true;
    case OP_GLOBAL_SET: {
        Var v = infer_operand(f, 'x', at->a), *global = infer_global(f, at);
        bool made = v.type.kind != VAR_BODY || step_make(f, v, &v);
        bool copied = is_iterator(v) && !(at->flags & FLAG_LAST_A);
        if (!made || v.type.kind >= VAR_SLICE || !global || copied) {
            *known = false;
            return true;
        }
        if (at->flags & FLAG_LAST_A) infer_set(f, at->a, (Var){0});
        *global = v;
        return true;
    }
    case OP_SETITEM: *known = step_item(f, at, NULL); break;
    case OP_SETITEMS: *known = step_items(f, at, at->a, at->b, false, NULL); break;
    case OP_UNPACK: *known = step_unpack(f, at); return true;
    case OP_GETMETHOD: *known = step_get_method(f, at); return true;
    case OP_JUMP: infer_jump(f, instr_wide(*at)); return true;
    case OP_JUMP_IF:
    case OP_JUMP_IFNOT: *known = step_branch(f, at); return true;
    case OP_FOR:
    case OP_FOR_ARMED: *known = step_for(f, at); return true;
    default: return false;
    }
    if (*known) drop_last_uses(f, at);
    return true;
}

// Translates an instruction that produces a value in register a. False: not supported.
static bool step_value(Infer *f, const Instr *at, Var *out) {
    if (at->op >= OP_ADD && at->op <= OP_GE_INT) return step_operator(f, at, out);
    switch (at->op) {
    case OP_MOVE: return step_move(f, at, out);
    case OP_GLOBAL_GET: return step_global(f, at, out);
    case OP_FREE_GET: return step_free(f, at, out);
    case OP_CELL_GET: return step_captured(f, at, out);
    case OP_IS:
    case OP_IS_NOT: return step_is(f, at, out);
    case OP_IN:
    case OP_NOT_IN: return step_contains(f, at, out);
    case OP_NEG: {
        Var v = infer_operand(f, 'x', at->b);
        return is_array(v) ? step_elementwise(f, AOP_NEGATIVE, &v, 1, out)
                           : step_negative(f, v, out);
    }
    case OP_SLICE:
        if (!step_slice(f, &f->regs[at->b], out)) return false;
        drop_run(f, at->b, 3);
        return true;
    case OP_INVERT: {
        Var v = infer_operand(f, 'x', at->b);
        return is_array(v) ? step_elementwise(f, AOP_INVERT, &v, 1, out) : step_invert(f, v, out);
    }
    case OP_NOT: return step_not(f, at, out);
    case OP_GETITEM: return step_item(f, at, out);
    case OP_GETITEMS: return step_items(f, at, at->b, at->c, true, out);
    case OP_ITER: return step_iter(f, infer_operand(f, 'x', at->b), out);
    case OP_TUPLE: return step_tuple(f, at, out);
    case OP_GETATTR:
        return step_attribute(f, f->regs[at->b], f->place->code->consts[at->c].str, out);
    case OP_CALL:
    case OP_CALLM: return step_axis_call(f, at, out) || step_plain_call(f, at, out);
    case OP_CALLKW: return step_axis_call(f, at, out) || step_named_call(f, at, out);
    default: return false;
    }
}

void infer_step(Infer *f, const Instr *at) {
    Var out = {0};
    bool known;
    if (at->op == OP_CALL && step_range_loop(f, at)) return;
    if (at->op == OP_RETURN && step_return(f, at)) return;
    if (f->ahead && ahead_raise(f, at)) return;
    if (step_extreme(f, at)) return;
    if (!step_other(f, at, &known)) {
        known = step_value(f, at, &out);
        if (!known && step_program_call(f, at)) return;
        bool named = at->a < f->place->code->bc->local_count;
        if (known && named && out.type.kind == VAR_BODY) known = step_make(f, out, &out);
        if (known && named && !f->ahead && out.type.kind >= VAR_SLICE) {
            infer_leave_statement(f, true, true); // variables hold only values that exits can
                                                  // restore
            return;
        }
        if (known) {
            drop_last_uses(f, at);
            infer_set(f, at->a, out);
        }
    }
    if (!known) infer_leave(f, true);
}
