// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inlines calls of the program's functions: their instructions are translated at the call, with
// registers of their own. An exit inside recreates the frames that the interpreter would have.

#include <string.h>

#include "vm/jit/steps.h"
#include "vm/value/func.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { INLINED_CODE = 1024, ARGUMENTS = 16, DEPTH = 6 };

// --- Arguments ---------------------------------------------------------------------------------

static int parameter(const Signature *sig, const Str *name) {
    for (int p = sig->positional_only; p < sig->positional; p++)
        if (strcmp(sig->params[p].name->data, name->data) == 0) return p;
    return -1;
}

// Uses a default for a missing argument. False: the default is missing or may be mutable.
static bool take_default(Infer *f, Value v, Var *out) {
    bool plain = v.kind == K_NONE || v.kind == K_BOOL || v.kind == K_INT || v.kind == K_FLOAT;
    if (!plain && !is_constant_object(v)) return false;
    *out = infer_object(f, v);
    return true;
}

static bool bind(Infer *f, Func *func, const Var *args, int count, const Tuple *names,
                 Var *bound) {
    const Signature *sig = func_sig(f->vm, func);
    if (!sig) {
        vm_clear_error(f->vm);
        return false;
    }
    int named = names ? (int)names->len : 0, total = (int)func->simple_args;
    if (count > total) return false;
    for (int i = 0; i < count; i++) {
        int p = i < count - named ? i : parameter(sig, names->items[i - (count - named)].str);
        if (p < 0 || bound[p].type.kind != VAR_UNDEF) return false;
        bound[p] = args[i];
        if (bound[p].type.kind == VAR_BODY && !step_make(f, args[i], &bound[p])) return false;
        if (bound[p].type.kind == VAR_UNDEF || bound[p].type.kind >= VAR_SLICE) return false;
    }
    for (int p = 0; p < total; p++)
        if (bound[p].type.kind == VAR_UNDEF && !take_default(f, sig->params[p].fallback, &bound[p]))
            return false;
    return true;
}

// --- Scopes ------------------------------------------------------------------------------------

// Returns whether a function is small enough to inline, and not recursive.
static bool may_inline(const Infer *f, const Func *func) {
    const BcCode *bc = func->code->bc;
    if (code_whole(f->vm, func->code) != ST_OK) {
        vm_clear_error(f->vm);
        return false;
    }
    if (func->simple_args > ARGUMENTS || bc->code_len > INLINED_CODE || bc->handler_count > 0)
        return false;
    if (func->code == f->places[0].code) return false;
    int depth = 0;
    for (int32_t s = f->scope; s > 0; s = f->variant->scopes[s].parent, depth++)
        if (f->variant->scopes[s].func == func) return false;
    return depth < DEPTH;
}

// Finds or adds the scope of this call; -1: no room.
static int32_t find_scope(Infer *f, Func *func, uint16_t dest) {
    Variant *v = f->variant;
    for (int32_t s = 1; s < v->scope_count; s++) {
        const Scope *scope = &v->scopes[s];
        if (scope->parent == f->scope && scope->call_pc == f->pc && scope->func == func) return s;
    }
    uint32_t base = infer_var_count(f, f->scope);
    if (v->scope_count == SCOPES || base + func->code->reg_count > f->var_room) return -1;
    int32_t s = v->scope_count;
    if (!place_whole(f->vm, func->code, func->module, &f->places[s])) return -1;
    v->scopes[s] =
        (Scope){.func = func, .parent = f->scope, .call_pc = f->pc, .dest = dest, .base = base};
    return v->scope_count++;
}

bool step_into(Infer *f, Func *func, const Var *args, int count, const Tuple *names,
               uint16_t dest) {
    Var bound[ARGUMENTS] = {0};
    if (!may_inline(f, func) || !infer_settle(f, f->next) ||
        !bind(f, func, args, count, names, bound))
        return false;
    int32_t scope = find_scope(f, func, dest);
    if (scope < 0) return false;
    Var *regs = f->vars + f->variant->scopes[scope].base;
    memset(regs, 0, func->code->reg_count * sizeof *regs);
    memcpy(regs, bound, func->simple_args * sizeof *bound);
    // the caller's variables must be restorable during the call
    if (infer_holds_pieces(f, (Spot){scope, 0})) return false;
    infer_enter(f, (Spot){scope, 0});
    infer_begin_statement(f);
    return true;
}

bool step_return(Infer *f, const Instr *at) {
    if (f->scope == 0) return f->ahead && ahead_return(f, at);
    const Scope *scope = &f->variant->scopes[f->scope];
    const LoopPlace *caller = &f->places[scope->parent];
    Var answer = infer_operand(f, 'x', at->a);
    // variables hold only values that exits can restore
    bool made = answer.type.kind != VAR_BODY || step_make(f, answer, &answer);
    if (!made) return false;
    if (answer.type.kind >= VAR_SLICE && scope->dest < caller->code->bc->local_count) {
        infer_leave_statement(f, true, true);
        return true;
    }
    uint32_t next = scope->call_pc + bc_op_info[caller->code->bc->code[scope->call_pc].op].words;
    uint16_t dest = scope->dest;
    infer_enter(f, (Spot){scope->parent, next});
    infer_set(f, dest, answer);
    f->returned = true;
    return true;
}
