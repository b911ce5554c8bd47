// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Code objects; functions and lambdas.

#include <string.h>

#include "lang/compile_internal.h"

// ---- code objects -------------------------------------------------------------------------------

static void *unit_alloc(Compiler *c, size_t size) {
    void *block = arena_alloc(c->arena, size);
    if (!block) ctx_no_memory(c->ctx);
    return block;
}

static char *unit_text(Compiler *c, const char *text) {
    char *copy = arena_text(c->arena, text, strlen(text));
    if (!copy) ctx_no_memory(c->ctx);
    return copy;
}

// Returns whether a global statement makes a def or class of this name the module's.
static bool named_globally(Fn *f, const char *name) {
    const Symbol *symbol = resolve_symbol(f->c->names, f->scope, name);
    return symbol && symbol->flags & SYM_GLOBAL;
}

static const char *qualified(Compiler *c, Fn *outer, const char *name) {
    if (!outer || outer->frame->kind == SCOPE_MODULE || named_globally(outer, name)) return name;
    const char *joint = outer->frame->kind == SCOPE_CLASS ? "." : ".<locals>.";
    size_t lens[] = {strlen(outer->qualname), strlen(joint), strlen(name)};
    char *text = ctx_alloc(c->ctx, lens[0] + lens[1] + lens[2] + 1);
    memcpy(text, outer->qualname, lens[0]);
    memcpy(text + lens[0], joint, lens[1]);
    memcpy(text + lens[0] + lens[1], name, lens[2]);
    return text;
}

static void wrap_cells(Fn *f, Span span) {
    Scope *frame = f->frame;
    if (frame->class_cell.captured) {
        emit(&f->e, span, OP_CELL_NEW, frame->class_cell.index, 0, 0);
    }
    for (Symbol *symbol = frame->first; symbol; symbol = symbol->next) {
        bool own = symbol->owner == symbol && symbol->place == PLACE_CELL;
        if (own) emit(&f->e, span, OP_CELL_NEW, symbol->index, 0, 0);
    }
}

void fn_begin(Fn *f, Compiler *c, Fn *outer, Scope *scope, const char *name, Span span) {
    *f = (Fn){.c = c, .outer = outer, .frame = scope, .scope = scope, .name = name};
    f->qualname = qualified(c, outer, name);
    emit_init(&f->e, c->ctx, c->arena, span, scope->local_count);
    wrap_cells(f, span);
}

static void fill_names(Fn *f, BcCode *code) {
    Compiler *c = f->c;
    code->name = unit_text(c, f->name);
    code->qualname = unit_text(c, f->qualname);
    code->local_count = (uint16_t)f->frame->local_count;
    code->local_names = unit_alloc(c, (f->frame->local_count + 1) * sizeof(char *));
    for (uint32_t i = 0; i < f->frame->local_count; i++) {
        code->local_names[i] = unit_text(c, f->frame->local_names[i]);
    }
}

// Records where the enclosing function finds each variable that this one captures.
static void fill_captures(Fn *f, BcCode *code) {
    ScopeCaptures *captures = &f->frame->captures;
    code->capture_count = captures->count;
    code->captures = unit_alloc(f->c, (captures->count + 1) * sizeof *code->captures);
    for (uint32_t i = 0; i < captures->count; i++) {
        const Symbol *owner = captures->items[i];
        BcCapture *capture = &code->captures[i];
        capture->name = unit_text(f->c, owner->name);
        capture->from_register = owner->scope->frame == f->outer->frame;
        uint32_t index = owner->index;
        if (!capture->from_register) {
            const ScopeCaptures *outer = &f->outer->frame->captures;
            for (index = 0; outer->items[index] != owner; index++) {
            }
        }
        capture->index = (uint16_t)index;
    }
}

static void count_params(BcCode *code, const ParamList *params) {
    for (uint32_t i = 0; i < params->count; i++) {
        switch (params->items[i].kind) {
        case PARAM_POSITIONAL_ONLY: code->positional_only++; // fall through
        case PARAM_NORMAL: code->positional++; break;
        case PARAM_KEYWORD_ONLY: code->keyword_only++; break;
        case PARAM_VARARGS: code->flags |= BC_VARARGS; break;
        case PARAM_KWARGS: code->flags |= BC_VARKW; break;
        }
    }
}

BcCode *fn_end(Fn *f, const ParamList *params, uint32_t flags, uint32_t line) {
    BcCode *code = unit_alloc(f->c, sizeof *code);
    emit(&f->e, f->e.where, OP_RETURN, expr_none(f), 0, 0); // dropped if unreachable
    code->flags = flags | (f->frame->asks_names ? BC_LOCALS : 0);
    code->line = line;
    if (flags & BC_COMPREHENSION) code->positional = 1;
    if (params) count_params(code, params);
    fill_names(f, code);
    fill_captures(f, code);
    emit_finish(&f->e, code);
    return code;
}

void fn_make(Fn *f, Span span, BcCode *code, uint32_t base, uint32_t dest) {
    Operand constant = emit_const(&f->e, &(BcConst){.kind = BC_CODE, .code = code});
    emit(&f->e, span, OP_FUNC, dest, base, constant & ~(uint32_t)CONST_BIT);
}

void fn_make_plain(Fn *f, Span span, BcCode *code, uint32_t dest) {
    uint32_t mark = f->e.top, base = expr_row(f, dest);
    for (int i = 0; i < 3; i++) emit_move(&f->e, span, emit_temp(&f->e), expr_none(f));
    fn_make(f, span, code, base, dest);
    f->e.top = mark;
}

const Expr *body_docstring(StmtList body) {
    if (body.count == 0 || body.items[0]->kind != STMT_EXPR) return NULL;
    const Expr *value = body.items[0]->value;
    return value->kind == EXPR_STR ? value : NULL;
}

StmtList body_without_docstring(StmtList body) {
    if (!body_docstring(body)) return body;
    return (StmtList){body.items + 1, body.count - 1};
}

// ---- parameters ---------------------------------------------------------------------------------

// Evaluates the defaults of positional parameters, as a tuple or None, into the next temporary.
static void make_defaults(Fn *f, Span span, const ParamList *params) {
    ExprList values = {ctx_alloc(f->c->ctx, (params->count + 1) * sizeof(Expr *)), 0};
    for (uint32_t i = 0; i < params->count; i++) {
        const Param *param = &params->items[i];
        if (param->kind != PARAM_KEYWORD_ONLY && param->default_value) {
            values.items[values.count++] = param->default_value;
        }
    }
    uint32_t dest = emit_temp(&f->e);
    if (values.count == 0) {
        emit_move(&f->e, span, dest, expr_none(f));
        return;
    }
    Expr tuple = {.kind = EXPR_TUPLE, .span = span, .items = values};
    expr_into(f, &tuple, dest);
}

typedef struct DictRow {
    uint32_t dest, count;
} DictRow;

static DictRow dict_row_begin(Fn *f) {
    return (DictRow){f->e.top, 0};
}

static void dict_row_key(Fn *f, Span span, DictRow *row, Name name) {
    name = resolve_mangle(f->c->names, f->scope, name);
    emit_move(&f->e, span, emit_temp(&f->e), emit_const_name(&f->e, name));
    row->count++;
}

// Builds the dict, or None if there are no items, in the next temporary.
static void dict_row_end(Fn *f, Span span, const DictRow *row) {
    f->e.top = row->dest;
    emit_temp(&f->e);
    if (row->count == 0) {
        emit_move(&f->e, span, row->dest, expr_none(f));
    } else {
        emit(&f->e, span, OP_DICT, row->dest, row->dest, row->count);
    }
}

static void make_keyword_defaults(Fn *f, Span span, const ParamList *params) {
    DictRow row = dict_row_begin(f);
    for (uint32_t i = 0; i < params->count; i++) {
        const Param *param = &params->items[i];
        if (param->kind != PARAM_KEYWORD_ONLY || !param->default_value) continue;
        dict_row_key(f, param->span, &row, param->name);
        expr_next(f, param->default_value);
    }
    dict_row_end(f, span, &row);
}

static void add_annotation(Fn *f, DictRow *row, Name name, const Expr *annotation) {
    if (!annotation) return;
    dict_row_key(f, annotation->span, row, name);
    uint32_t dest = emit_temp(&f->e);
    emit_move(&f->e, annotation->span, dest, annotation_operand(f, annotation));
    f->e.top = dest + 1;
}

static void make_annotations(Fn *f, Span span, const ParamList *params, const Expr *returns) {
    DictRow row = dict_row_begin(f);
    for (uint32_t i = 0; i < params->count; i++) {
        add_annotation(f, &row, params->items[i].name, params->items[i].annotation);
    }
    add_annotation(f, &row, "return", returns);
    dict_row_end(f, span, &row);
}

// ---- lambda and def -----------------------------------------------------------------------------

static uint32_t function_flags(const Scope *scope) {
    return scope->generator ? BC_GENERATOR : 0;
}

static BcCode *lambda_code(Fn *f, const Expr *expr) {
    Scope *scope = resolve_scope_of(f->c->names, expr);
    Fn inner;
    fn_begin(&inner, f->c, f, scope, "<lambda>", expr->span);
    emit(&inner.e, expr->lambda.body->span, OP_RETURN, expr_operand(&inner, expr->lambda.body), 0,
         0);
    return fn_end(&inner, &expr->lambda.params, BC_LAMBDA | function_flags(scope), expr->span.line);
}

void expr_lambda(Fn *f, const Expr *expr, uint32_t dest) {
    uint32_t base = expr_row(f, dest);
    make_defaults(f, expr->span, &expr->lambda.params);
    make_keyword_defaults(f, expr->span, &expr->lambda.params);
    emit_move(&f->e, expr->span, emit_temp(&f->e), expr_none(f));
    fn_make(f, expr->span, lambda_code(f, expr), base, dest);
}

static BcCode *def_code(Fn *f, const Stmt *stmt) {
    Scope *scope = resolve_scope_of(f->c->names, stmt);
    const Expr *doc = body_docstring(stmt->def.body);
    Fn inner;
    fn_begin(&inner, f->c, f, scope, stmt->def.name, stmt->span);
    if (doc) emit_const_text(&inner.e, doc->text); // constant 0
    stmt_body(&inner, body_without_docstring(stmt->def.body));
    uint32_t flags = function_flags(scope) | (doc ? BC_HAS_DOC : 0);
    return fn_end(&inner, &stmt->def.params, flags, stmt->span.line);
}

void decorators_begin(Fn *f, ExprList decorators) {
    for (uint32_t i = 0; i < decorators.count; i++) expr_next(f, decorators.items[i]);
}

void decorators_end(Fn *f, ExprList decorators, uint32_t value) {
    for (uint32_t i = decorators.count; i-- > 0; value--) {
        emit(&f->e, decorators.items[i]->span, OP_CALL, value - 1, value - 1, 1);
    }
}

void stmt_def(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    decorators_begin(f, stmt->def.decorators);
    uint32_t reg = name_register(f, stmt->def.name), base = e->top;
    bool direct = reg != NO_REG && stmt->def.decorators.count == 0;
    make_defaults(f, stmt->span, &stmt->def.params);
    make_keyword_defaults(f, stmt->span, &stmt->def.params);
    make_annotations(f, stmt->span, &stmt->def.params, stmt->def.returns);
    fn_make(f, stmt->span, def_code(f, stmt), base, direct ? reg : base);
    decorators_end(f, stmt->def.decorators, base);
    if (!direct) name_store(f, stmt->span, stmt->def.name, mark);
    e->top = mark;
}
