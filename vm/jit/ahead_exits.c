// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Exits of functions compiled ahead of time: results, and exceptions with the values that their
// messages name.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vm/jit/ahead.h"
#include "vm/jit/loop.h"
#include "vm/jit/steps.h"
#include "vm/value/class.h"
#include "vm/value/objects.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// --- Exits -------------------------------------------------------------------------------------

static void set_values(Infer *f, RegionExit *exit, const int32_t *values, int count) {
    exit->first = f->variant->region.link_count;
    exit->count = count;
    for (int i = 0; i < count; i++) region_add_link(f->maker, values[i]);
    region_wants_slots(f->maker, count);
}

int32_t ahead_exit(Infer *f, int why, const int32_t *values, int count) {
    const BcCode *bc = f->place->code->bc;
    RegionExit exit = {.pc = f->pc,
                       .why_pc = f->pc,
                       .why = (uint8_t)why,
                       .detail = (uint8_t)(why >> 8),
                       .scope = (uint16_t)f->scope,
                       .line = bc_span(bc, f->pc < bc->code_len ? f->pc : 0).line,
                       .like = f->variant->region.exit_count};
    set_values(f, &exit, values, count);
    return region_add_exit(f->maker, exit);
}

static void because_of(Infer *f, RegionExit *exit, RegionWhy why, int detail, const int32_t *values,
                       int count) {
    exit->why = (uint8_t)why;
    exit->detail = (uint8_t)detail;
    set_values(f, exit, values, count);
}

static void explain_index(Infer *f, const RegionInstr *in, int32_t number) {
    RegionInstr extent =
        INSTR(.op = RG_EXTENT, .type = DT_INT64, .array = in->array, .dim = in->dim);
    const int32_t values[] = {in->args[0], infer_emit(f, extent)};
    because_of(f, &f->variant->region.exits[number], LEFT_INDEX, in->dim, values, 2);
}

static void explain_division(Infer *f, RegionExit *exit, const RegionInstr *in) {
    bool quotient = in->elementwise == AOP_FLOOR_DIVIDE;
    if (in->dim == DIVIDE_POSITIVE)
        because_of(f, exit, LEFT_STEP, 0, &in->args[1], 1);
    else
        because_of(f, exit, LEFT_DIVISION, quotient ? DIVISION_FLOOR : DIVISION_MODULO,
                   &in->args[1], 1);
}

void ahead_explain(Infer *f, RegionInstr *in) {
    RegionExit *exit = &f->variant->region.exits[in->exit];
    if (f->maker->failed || exit->why != LEFT_NONE) return;
    switch ((RegionOp)in->op) {
    case RG_INDEX: explain_index(f, in, in->exit); break;
    case RG_CHECKED: because_of(f, exit, LEFT_OVERFLOW, 0, NULL, 0); break;
    case RG_SHIFT_LEFT: because_of(f, exit, LEFT_SHIFT, 0, &in->args[1], 1); break;
    case RG_ROUND_DOWN: explain_division(f, exit, in); break;
    case RG_LIBRARY: because_of(f, exit, LEFT_LIBRARY, in->elementwise, in->args, 1); break;
    case RG_POWER: because_of(f, exit, LEFT_POWER, 0, in->args, 2); break;
    case RG_TAKE:
        because_of(f, exit, LEFT_TAKEN, 0, &f->variant->region.links[in->links.first + 3], 1);
        break;
    case RG_MAKE:
    case RG_ROOM: because_of(f, exit, LEFT_MEMORY, 0, NULL, 0); break;
    default: break;
    }
}

// --- Unsupported constructs --------------------------------------------------------------------

void ahead_fail(Ahead *ahead, const Func *func, uint32_t pc, const char *format, ...) {
    va_list args;
    if (ahead->failed) return;
    ahead->failed = true;
    ahead->func = func;
    ahead->pc = pc;
    va_start(args, format);
    vsnprintf(ahead->why, sizeof ahead->why, format, args);
    va_end(args);
}

static const Func *func_of(const Infer *f, int32_t scope) {
    const Func *func = f->variant->scopes[scope].func;
    return func ? func : f->frame->func;
}

// Returns the name of the called function or method; NULL: not known.
static const char *callee_name(const Infer *f, const Instr *at) {
    VarType type = f->regs[at->b].type;
    if (type.kind != VAR_CONST && type.kind != VAR_METHOD) return NULL;
    Value v = f->variant->constants[type.which];
    if (v.kind == K_STR) return v.str->data;
    if (v.kind == K_FUNC) return v.func->qualname->data;
    if (v.kind == K_NATIVE) return v.native->def->name;
    if (v.kind == K_UFUNC) return op_info[v.ufunc->op].name;
    return v.kind == K_CLASS ? v.cls->name->data : NULL;
}

static void say_why(Infer *f, Spot at, const Instr *instr) {
    Ahead *ahead = f->ahead;
    const Func *func = func_of(f, at.scope);
    bool call = instr->op == OP_CALL || instr->op == OP_CALLM || instr->op == OP_CALLKW;
    const char *name = call ? callee_name(f, instr) : NULL;
    // report the line of the program that calls into a built-in module, not one inside the module
    for (; at.scope > 0 && !func->code->unit->source; func = func_of(f, at.scope)) {
        const Scope *scope = &f->variant->scopes[at.scope];
        name = func->name->data;
        at = (Spot){scope->parent, scope->call_pc};
    }
    if (name)
        ahead_fail(ahead, func, at.pc, "this call of %s is not compiled ahead of time", name);
    else if (instr->op == OP_GLOBAL_GET)
        ahead_fail(ahead, func, at.pc,
                   "a variable of the module whose value is no number, function, class or module");
    else
        ahead_fail(ahead, func, at.pc, "%s that is not compiled ahead of time",
                   loop_construct(instr->op));
}

void ahead_give_up(Infer *f, Spot at) {
    RegionInstr leave = INSTR(.op = RG_LEAVE);
    const BcCode *bc = f->place->code->bc;
    if (at.pc < bc->code_len) say_why(f, at, &bc->code[at.pc]);
    f->ahead->failed = true;
    leave.exit = ahead_exit(f, LEFT_NONE, NULL, 0);
    infer_emit(f, leave);
    f->ended = true;
}

// --- Variables of the module -------------------------------------------------------------------

static bool is_plain(Value v) {
    return v.kind == K_NONE || v.kind == K_BOOL || v.kind == K_INT || v.kind == K_FLOAT ||
           v.kind == K_STR || v.kind == K_TUPLE || v.kind == K_DTYPE || is_constant_object(v);
}

bool ahead_source(Infer *f, Source source, Var *out) {
    Value v = source_value(&source, f->frame);
    if (v.kind == K_SCALAR && dtype_kind((DType)v.aux) != DK_COMPLEX && v.aux != DT_FLOAT16) {
        *out = var_of(VAR_SCALAR, infer_number(f, (DType)v.aux, (Scalar){.i = v.i}));
        out->type.dtype = (uint8_t)v.aux;
        return true;
    }
    if (!is_plain(v)) return false;
    *out = infer_object(f, v);
    return true;
}

// --- Sizes -------------------------------------------------------------------------------------

static int array_of_param(const Infer *f, int param) {
    for (int a = 0; a < f->variant->region.array_count; a++)
        if (f->variant->array_vars[a] == param) return a;
    return -1;
}

int32_t ahead_extent(Infer *f, int array, int dim) {
    const AheadFunction *function = f->ahead->function;
    const AheadParam *param = &function->params[f->variant->array_vars[array]];
    const AheadSize *size = &function->sizes[param->type.sizes[dim]];
    if (!size->name[0]) return infer_int(f, size->number);
    int first = array_of_param(f, size->param);
    if (first < 0 || (first == array && size->dim == dim)) return NO_VALUE;
    return infer_emit(f, INSTR(.op = RG_EXTENT, .type = DT_INT64, .array = (uint8_t)first,
                               .dim = (uint8_t)size->dim));
}

// --- Results -----------------------------------------------------------------------------------

static bool type_of_result(const Infer *f, Var v, AheadType *out) {
    *out = (AheadType){.dtype = v.type.dtype};
    switch ((VarKind)v.type.kind) {
    case VAR_NONE: out->kind = AHEAD_NONE; return true;
    case VAR_BOOL: *out = (AheadType){.kind = AHEAD_BOOL, .dtype = DT_BOOL}; return true;
    case VAR_INT: *out = (AheadType){.kind = AHEAD_INT, .dtype = DT_INT64}; return true;
    case VAR_FLOAT: *out = (AheadType){.kind = AHEAD_FLOAT, .dtype = DT_FLOAT64}; return true;
    case VAR_SCALAR: out->kind = AHEAD_SCALAR; return true;
    default: break;
    }
    if (!is_array(v)) return false;
    out->kind = AHEAD_ARRAY;
    out->dtype = (uint8_t)array_type(f, v);
    out->ndim = (uint8_t)array_ndim(f, v);
    return true;
}

static bool same_type(const AheadType *a, const AheadType *b) {
    return a->dtype == b->dtype && a->ndim == b->ndim &&
           (a->kind == AHEAD_NONE) == (b->kind == AHEAD_NONE) &&
           (a->kind == AHEAD_ARRAY) == (b->kind == AHEAD_ARRAY);
}

static uint32_t made_of(const Infer *f, Var v) {
    return v.type.kind == VAR_BODY ? f->bodies[v.type.which].made : var_made(v);
}

// Copies result arrays that alias another array, since results must not.
static bool own_arrays(Infer *f, Items *items) {
    uint32_t held = 0, given = 0;
    for (int i = 0; i < items->count; i++) held |= made_of(f, items->items[i]);
    for (int i = 0; i < items->count; i++) {
        Var *v = &items->items[i];
        if (!is_array(*v)) continue;
        bool own = v->type.kind == VAR_MADE && !(var_made(*v) & given);
        if (!own && !step_make_of(f, *v, array_type(f, *v), held, v)) return false;
        held |= var_made(*v);
        given |= var_made(*v);
    }
    return true;
}

static bool agree(Infer *f, const Items *items, bool tuple) {
    AheadFunction *function = f->ahead->function;
    AheadType types[AHEAD_RESULTS];
    bool same =
        !f->ahead->returned || (function->result_count == items->count && function->tuple == tuple);
    bool declared = f->ahead->declared_count < 0 || f->ahead->declared_count == items->count;
    for (int i = 0; i < items->count; i++) {
        if (!type_of_result(f, items->items[i], &types[i])) return false;
        if (f->ahead->returned && same) same = same_type(&types[i], &function->results[i]);
        if (f->ahead->declared_count >= 0 && declared)
            declared = same_type(&types[i], &f->ahead->declared[i]);
    }
    const Func *func = func_of(f, f->scope);
    if (!same) ahead_fail(f->ahead, func, f->pc, "another return gives values of other types");
    if (!declared)
        ahead_fail(f->ahead, func, f->pc, "the result is not of the type that is annotated");
    f->ahead->returned = true;
    function->tuple = tuple;
    function->result_count = items->count;
    memcpy(function->results, types, (size_t)items->count * sizeof *types);
    return true;
}

bool ahead_return(Infer *f, const Instr *at) {
    Items items = {.count = 1};
    int32_t values[TUPLE_ITEMS * VAR_PARTS];
    Var answer = infer_operand(f, 'x', at->a);
    bool tuple = answer.type.kind == VAR_TUPLE || answer.type.kind == VAR_SHAPE;
    int count = 0;
    if (tuple)
        items_of(f, answer, &items);
    else
        items.items[0] = answer;
    if (items.count > AHEAD_RESULTS || !own_arrays(f, &items) || !agree(f, &items, tuple))
        return false;
    for (int i = 0; i < items.count; i++)
        for (int p = 0; p < var_parts(items.items[i].type); p++)
            values[count++] = items.items[i].parts[p];
    RegionInstr leave = INSTR(.op = RG_LEAVE);
    leave.exit = ahead_exit(f, LEFT_RETURN, values, count);
    f->variant->region.exits[leave.exit].detail = 0;
    infer_emit(f, leave);
    f->ended = true;
    return true;
}

// --- Exceptions of the program -----------------------------------------------------------------

static const Class *exception_class(const Infer *f, Var v) {
    if (v.type.kind != VAR_CONST) return NULL;
    Value cls = f->variant->constants[v.type.which];
    bool is = cls.kind == K_CLASS && class_is_subclass(cls.cls, f->vm->exceptions[EXC_Exception]);
    return is ? cls.cls : NULL;
}

static const Str *text_of(const Infer *f, Var v) {
    if (v.type.kind != VAR_CONST) return NULL;
    Value text = f->variant->constants[v.type.which];
    return text.kind == K_STR ? text.str : NULL;
}

static bool leave_with(Infer *f, const Class *cls, const char *text) {
    AheadCode *code = f->ahead->code;
    if (code->raised_count == AHEAD_RAISED || strlen(text) >= AHEAD_TEXT ||
        cls->name->len >= AHEAD_NAME)
        return false;
    AheadRaise *raised = &code->raised[code->raised_count];
    snprintf(raised->cls, sizeof raised->cls, "%s", cls->name->data);
    snprintf(raised->text, sizeof raised->text, "%s", text);
    RegionInstr leave = INSTR(.op = RG_LEAVE);
    leave.exit = ahead_exit(f, because(LEFT_RAISE, code->raised_count++), NULL, 0);
    infer_emit(f, leave);
    f->ended = true;
    return true;
}

static bool fail_assertion(Infer *f, const Instr *at) {
    const Str *text = at->flags & FLAG_ALT ? text_of(f, infer_operand(f, 'x', at->a)) : NULL;
    if (at->flags & FLAG_ALT && !text) return false;
    return leave_with(f, f->vm->exceptions[EXC_AssertionError], text ? text->data : "");
}

// Translates raise Error, raise Error(), raise Error("text") and a failed assertion.
bool ahead_raise(Infer *f, const Instr *at) {
    const Instr *next = at + bc_op_info[at->op].words;
    if (at->op == OP_ASSERT_FAIL) return fail_assertion(f, at);
    if (at->op == OP_RAISE) {
        const Class *cls =
            at->a & CONST_BIT || at->flags & FLAG_ALT ? NULL : exception_class(f, f->regs[at->a]);
        return cls && leave_with(f, cls, "");
    }
    if (at->op != OP_CALL || at->c > 1 || next->op != OP_RAISE || next->a != at->a ||
        next->flags & FLAG_ALT)
        return false;
    const Class *cls = exception_class(f, f->regs[at->b]);
    const Str *text = at->c == 1 ? text_of(f, f->regs[at->b + 1u]) : NULL;
    if (!cls || (at->c == 1 && !text)) return false;
    return leave_with(f, cls, text ? text->data : "");
}
