// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls.

#include <string.h>

#include "lang/compile_internal.h"

bool call_is_plain(ArgList args) {
    if (args.count > MAX_ROW) return false;
    for (uint32_t i = 0; i < args.count; i++) {
        ArgKind kind = args.items[i].kind;
        if (kind == ARG_STAR || kind == ARG_DOUBLE_STAR) return false;
    }
    return true;
}

uint32_t call_keyword_names(Fn *f, ArgList args, uint32_t count) {
    BcConst *names = ctx_alloc(f->c->ctx, count * sizeof *names);
    for (uint32_t i = 0; i < count; i++) {
        Name name = args.items[args.count - count + i].name;
        names[i] = (BcConst){
            .kind = BC_STR, .len = (uint32_t)strlen(name), .text = (char *)(uintptr_t)name};
    }
    BcConst tuple = {.kind = BC_TUPLE, .len = count, .items = names};
    return emit_const(&f->e, &tuple) & ~(uint32_t)CONST_BIT;
}

void call_plain(Fn *f, const Expr *expr, uint32_t base, bool method, uint32_t dest) {
    Emitter *e = &f->e;
    ArgList args = expr->call.args;
    uint32_t keywords = 0;
    for (uint32_t i = 0; i < args.count; i++) {
        keywords += args.items[i].kind == ARG_KEYWORD;
        expr_next(f, args.items[i].value);
    }
    if (keywords == 0) {
        emit(e, expr->span, method ? OP_CALLM : OP_CALL, dest, base, args.count);
        return;
    }
    uint32_t names = call_keyword_names(f, args, keywords);
    if (method) {
        emit_alt(e, expr->span, OP_CALLKW, dest, base, args.count);
    } else {
        emit(e, expr->span, OP_CALLKW, dest, base, args.count);
    }
    emit_extension(e, names);
}

// ---- * and ** -----------------------------------------------------------------------------------

// Returns the positional arguments as the items of a tuple display.
static ExprList positional_items(Fn *f, ArgList args) {
    ExprList list = {ctx_alloc(f->c->ctx, (args.count + 1) * sizeof(Expr *)), 0};
    for (uint32_t i = 0; i < args.count; i++) {
        const Arg *arg = &args.items[i];
        if (arg->kind == ARG_POSITIONAL) {
            list.items[list.count++] = arg->value;
        } else if (arg->kind == ARG_STAR) {
            Expr *star = ctx_alloc(f->c->ctx, sizeof *star);
            *star = (Expr){.kind = EXPR_STARRED,
                           .span = arg->value->span,
                           .operand = arg->value};
            list.items[list.count++] = star;
        }
    }
    return list;
}

// Returns whether the call is `f(*args)` with the function's own *args, which is never assigned. The
// tuple is then passed without a copy.
static bool is_own_varargs(Fn *f, ExprList items) {
    if (items.count != 1 || items.items[0]->kind != EXPR_STARRED) return false;
    const Expr *value = items.items[0]->operand;
    if (value->kind != EXPR_NAME || f->scope->kind != SCOPE_FUNCTION) return false;
    const Symbol *symbol = resolve_symbol(f->c->names, f->scope, value->name);
    if (symbol->place != PLACE_REGISTER || symbol->flags & SYM_REBOUND) return false;
    return symbol->flags & SYM_VARARGS;
}

// Packs the arguments of `f(*x)`. FLAG_ALT makes the error for an x that is not iterable name the
// callee, which is in the preceding register. With more arguments Python's message does not name it.
static void pack_one_star(Fn *f, Span span, const Expr *star, uint32_t dest) {
    emit(&f->e, span, OP_LIST, dest, dest, 0);
    emit_alt(&f->e, star->span, OP_EXTEND, dest, expr_operand(f, star->operand), 0);
}

static bool pack_positional(Fn *f, Span span, ArgList args, bool names_callee) {
    ExprList items = positional_items(f, args);
    uint32_t dest = emit_temp(&f->e);
    bool one_star = items.count == 1 && items.items[0]->kind == EXPR_STARRED;
    bool own = is_own_varargs(f, items), list = !own;
    if (own) {
        expr_into(f, items.items[0]->operand, dest);
    } else if (one_star && names_callee) {
        pack_one_star(f, span, items.items[0], dest);
    } else {
        list = display_sequence(f, span, items, dest);
    }
    f->e.top = dest + 1;
    return list;
}

// Builds a dict of the keyword arguments from *index up to the next `**`, or as many as fit a row.
static void build_keywords(Fn *f, Span span, ArgList args, uint32_t *index, uint32_t dest) {
    uint32_t count = 0, mark = f->e.top, row = expr_row(f, dest);
    for (; *index < args.count && count < MAX_ROW / 2; ++*index) {
        const Arg *arg = &args.items[*index];
        if (arg->kind == ARG_DOUBLE_STAR) break;
        if (arg->kind != ARG_KEYWORD) continue;
        emit_move(&f->e, arg->span, emit_temp(&f->e), emit_const_name(&f->e, arg->name));
        expr_next(f, arg->value);
        count++;
    }
    emit(&f->e, span, OP_DICT, dest, row, count);
    f->e.top = mark;
}

static void merge_keywords(Fn *f, Span span, ArgList args, uint32_t *index, uint32_t callee,
                           uint32_t dest) {
    uint32_t mark = f->e.top;
    Operand more;
    if (args.items[*index].kind == ARG_DOUBLE_STAR) {
        more = expr_operand(f, args.items[(*index)++].value);
    } else {
        more = emit_temp(&f->e);
        build_keywords(f, span, args, index, more);
    }
    emit(&f->e, span, OP_DICT_MERGE, dest, more, callee);
    f->e.top = mark;
}

static void pack_keywords(Fn *f, Span span, ArgList args, uint32_t callee) {
    uint32_t dest = emit_temp(&f->e), index = 0;
    bool any = false;
    for (uint32_t i = 0; i < args.count; i++) any |= args.items[i].kind >= ARG_KEYWORD;
    if (!any) {
        emit_move(&f->e, span, dest, expr_none(f));
        return;
    }
    build_keywords(f, span, args, &index, dest);
    while (index < args.count) {
        if (args.items[index].kind < ARG_KEYWORD) {
            index++;
        } else {
            merge_keywords(f, span, args, &index, callee, dest);
        }
    }
}

bool call_pack(Fn *f, Span span, ArgList args, uint32_t callee, bool names_callee) {
    bool list = pack_positional(f, span, args, names_callee);
    pack_keywords(f, span, args, callee);
    return list;
}

void call_unpacked(Fn *f, const Expr *expr, uint32_t base, uint32_t dest) {
    call_pack(f, expr->span, expr->call.args, base, true);
    emit(&f->e, expr->span, OP_CALLX, dest, base, 0);
}

// ---- super() ------------------------------------------------------------------------------------

static uint32_t positional_count(const Scope *frame) {
    const ParamList *params;
    uint32_t count = 0;
    if (frame->expr_kind == EXPR_LAMBDA) {
        params = &((const Expr *)frame->node)->lambda.params;
    } else {
        params = &((const Stmt *)frame->node)->def.params;
    }
    for (uint32_t i = 0; i < params->count; i++) {
        ParamKind kind = params->items[i].kind;
        count += kind == PARAM_NORMAL || kind == PARAM_POSITIONAL_ONLY;
    }
    return count;
}

// Returns whether the call is `super()` in a method. Elsewhere it is compiled as an ordinary call,
// which raises the error.
bool call_is_super(Fn *f, const Expr *expr) {
    if (expr->kind != EXPR_CALL || expr->call.args.count > 0) return false;
    const Expr *func = expr->call.func;
    if (func->kind != EXPR_NAME || strcmp(func->name, "super") != 0) return false;
    if (f->c->names->rebinds_super || f->frame->kind != SCOPE_FUNCTION) return false;
    if (resolve_symbol(f->c->names, f->scope, func->name)->place != PLACE_GLOBAL) return false;
    const Symbol *cell = resolve_symbol(f->c->names, f->scope, "__class__");
    return cell && cell->place == PLACE_FREE && positional_count(f->frame) > 0;
}

void call_super(Fn *f, const Expr *expr, uint32_t dest) {
    const Symbol *first = f->frame->first; // parameters come first
    const Symbol *cell = resolve_symbol(f->c->names, f->scope, "__class__");
    if (first->place == PLACE_CELL) {
        emit_alt(&f->e, expr->span, OP_SUPER, dest, first->index, cell->index);
    } else {
        emit(&f->e, expr->span, OP_CHECK, first->index, 0, 0);
        emit(&f->e, expr->span, OP_SUPER, dest, first->index, cell->index);
    }
}
