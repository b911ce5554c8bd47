// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// First half of the resolver: walks the tree once and records in each scope which names it binds,
// uses and declares. The order of the walk is that of Python, so that the same error is found first.

#include <string.h>

#include "lang/resolve.h"

typedef struct Collector {
    Resolution *res;
    Scope *scope;
    uint32_t in_iterable; // above 0: inside the iterable of a comprehension, within this scope
    bool target;          // inside the target of a comprehension's `for`
} Collector;

static void visit_expr(Collector *c, const Expr *expr);
static void visit_body(Collector *c, StmtList body);

// Enters a new scope. Returns the previous state, which the caller restores to leave the scope.
static Collector enter(Collector *c, ScopeKind kind, const void *node) {
    Collector saved = *c;
    *c = (Collector){.res = c->res, .scope = scope_new(c->res, kind, node, c->scope)};
    return saved;
}

static Symbol *symbol_of(Collector *c, Name name) {
    return scope_symbol(c->res, c->scope, resolve_mangle(c->res, c->scope, name));
}

// ---- names --------------------------------------------------------------------------------------

static void bind_name(Collector *c, Name name, Span span) {
    Symbol *symbol = symbol_of(c, name);
    if (symbol->flags & SYM_PARAM) symbol->flags |= SYM_REBOUND;
    symbol->flags |= SYM_BOUND;
    if (!c->target) return;
    if (symbol->flags & (SYM_OUTER | SYM_GLOBAL | SYM_NONLOCAL)) {
        ctx_fail(c->res->ctx, span,
                 "comprehension inner loop cannot rebind assignment expression target '%s'", name);
    }
    symbol->flags |= SYM_TARGET;
}

static void use_name(Collector *c, Name name) {
    symbol_of(c, name)->flags |= SYM_USED;
    if (strcmp(name, "locals") == 0) c->scope->asks_names = true;
    bool in_function = c->scope->kind == SCOPE_FUNCTION || c->scope->kind == SCOPE_COMPREHENSION;
    // `super()` finds its class through the variable __class__.
    if (in_function && strcmp(name, "super") == 0) symbol_of(c, "__class__")->flags |= SYM_USED;
}

// Reports a global or nonlocal declaration of a name that occurred before in the scope.
static void check_declaration(Collector *c, Name name, Span span, const char *kind) {
    Context *ctx = c->res->ctx;
    uint32_t flags = symbol_of(c, name)->flags;
    if (flags & SYM_PARAM) ctx_fail(ctx, span, "name '%s' is parameter and %s", name, kind);
    if (flags & SYM_USED) {
        ctx_fail(ctx, span, "name '%s' is used prior to %s declaration", name, kind);
    }
    if (flags & SYM_ANNOTATED) ctx_fail(ctx, span, "annotated name '%s' can't be %s", name, kind);
    if (flags & SYM_BOUND) {
        ctx_fail(ctx, span, "name '%s' is assigned to before %s declaration", name, kind);
    }
}

static void visit_declaration(Collector *c, const Stmt *stmt) {
    bool global = stmt->kind == STMT_GLOBAL;
    for (uint32_t i = 0; i < stmt->names.items.count; i++) {
        Name name = stmt->names.items.items[i];
        Symbol *symbol = symbol_of(c, name);
        check_declaration(c, name, stmt->span, global ? "global" : "nonlocal");
        bool again = symbol->flags & (SYM_GLOBAL | SYM_NONLOCAL);
        symbol->flags |= global ? SYM_GLOBAL : SYM_NONLOCAL;
        if (!again) symbol->declared = stmt->span;
    }
}

// ---- functions ----------------------------------------------------------------------------------

static void visit_param_expressions(Collector *c, const ParamList *params) {
    for (uint32_t i = 0; i < params->count; i++) {
        const Param *param = &params->items[i];
        if (param->default_value) visit_expr(c, param->default_value);
    }
    if (c->res->future_annotations) return;
    for (uint32_t i = 0; i < params->count; i++) {
        const Param *param = &params->items[i];
        if (param->annotation) visit_expr(c, param->annotation);
    }
}

static void bind_param(Collector *c, const Param *param) {
    Symbol *symbol = symbol_of(c, param->name);
    symbol->flags |= SYM_PARAM | SYM_BOUND | (param->kind == PARAM_VARARGS ? SYM_VARARGS : 0);
}

// Returns the rank of a kind in the order in which parameters bind: *args after the keyword-only ones.
static int binding_rank(ParamKind kind) {
    switch (kind) {
    case PARAM_KEYWORD_ONLY: return 1;
    case PARAM_VARARGS: return 2;
    case PARAM_KWARGS: return 3;
    default: return 0;
    }
}

static void bind_params(Collector *c, const ParamList *params) {
    for (int rank = 0; rank <= 3; rank++) {
        for (uint32_t i = 0; i < params->count; i++) {
            const Param *param = &params->items[i];
            if (binding_rank(param->kind) == rank) bind_param(c, param);
        }
    }
}

static void visit_lambda(Collector *c, const Expr *expr) {
    visit_param_expressions(c, &expr->lambda.params);
    Collector saved = enter(c, SCOPE_FUNCTION, expr);
    c->scope->expr_kind = EXPR_LAMBDA;
    bind_params(c, &expr->lambda.params);
    visit_expr(c, expr->lambda.body);
    *c = saved;
}

static void visit_list(Collector *c, ExprList list) {
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i]) visit_expr(c, list.items[i]);
    }
}

static void visit_def(Collector *c, const Stmt *stmt) {
    bind_name(c, stmt->def.name, stmt->def.name_span);
    visit_param_expressions(c, &stmt->def.params);
    if (stmt->def.returns && !c->res->future_annotations) visit_expr(c, stmt->def.returns);
    visit_list(c, stmt->def.decorators);
    Collector saved = enter(c, SCOPE_FUNCTION, stmt);
    c->scope->name = stmt->def.name;
    bind_params(c, &stmt->def.params);
    visit_body(c, stmt->def.body);
    *c = saved;
}

static void visit_args(Collector *c, ArgList args) {
    for (uint32_t i = 0; i < args.count; i++) visit_expr(c, args.items[i].value);
}

static void visit_class(Collector *c, const Stmt *stmt) {
    bind_name(c, stmt->class_.name, stmt->class_.name_span);
    visit_args(c, stmt->class_.bases);
    visit_list(c, stmt->class_.decorators);
    Collector saved = enter(c, SCOPE_CLASS, stmt);
    c->scope->name = stmt->class_.name;
    c->scope->mangle_class = stmt->class_.name;
    visit_body(c, stmt->class_.body);
    *c = saved;
}

// ---- comprehensions -----------------------------------------------------------------------------

static void visit_iterable(Collector *c, const Expr *iter) {
    c->in_iterable++;
    visit_expr(c, iter);
    c->in_iterable--;
}

static void visit_clauses(Collector *c, const Expr *expr) {
    for (uint32_t i = 0; i < expr->comp.clause_count; i++) {
        const CompClause *clause = &expr->comp.clauses[i];
        c->target = true;
        visit_expr(c, clause->target);
        c->target = false;
        if (i > 0) visit_iterable(c, clause->iter);
        visit_list(c, clause->ifs);
    }
}

// Visits a comprehension. Its first iterable belongs to the enclosing scope.
static void visit_comprehension(Collector *c, const Expr *expr) {
    visit_iterable(c, expr->comp.clauses[0].iter);
    Collector saved = enter(c, SCOPE_COMPREHENSION, expr);
    c->scope->expr_kind = expr->kind;
    c->scope->generator = expr->kind == EXPR_GENERATOR;
    visit_clauses(c, expr);
    if (expr->comp.value) visit_expr(c, expr->comp.value);
    visit_expr(c, expr->comp.element);
    *c = saved;
}

// Binds the name of a `:=` inside comprehensions in the scope around them.
static void bind_walrus_outside(Collector *c, Name name, Span span) {
    Context *ctx = c->res->ctx;
    Scope *scope = c->scope;
    for (; scope->kind == SCOPE_COMPREHENSION; scope = scope->parent) {
        Symbol *symbol = scope_symbol(c->res, scope, resolve_mangle(c->res, scope, name));
        if (symbol->flags & SYM_TARGET) {
            ctx_fail(ctx, span,
                     "assignment expression cannot rebind comprehension iteration variable '%s'",
                     name);
        }
        symbol->flags |= SYM_OUTER;
    }
    if (scope->kind == SCOPE_CLASS) {
        ctx_fail(ctx, span,
                 "assignment expression within a comprehension cannot be used in a class body");
    }
    Collector around = {.res = c->res, .scope = scope};
    bind_name(&around, name, span);
    symbol_of(&around, name)->flags |= SYM_WALRUS;
}

static void visit_walrus(Collector *c, const Expr *expr) {
    const Expr *target = expr->walrus.target;
    if (c->in_iterable) {
        ctx_fail(c->res->ctx, expr->span,
                 "assignment expression cannot be used in a comprehension iterable expression");
    }
    if (c->scope->kind == SCOPE_COMPREHENSION) {
        bind_walrus_outside(c, target->name, target->span);
        visit_expr(c, expr->walrus.value);
        return;
    }
    visit_expr(c, expr->walrus.value);
    bind_name(c, target->name, target->span);
    symbol_of(c, target->name)->flags |= SYM_WALRUS;
}

static void visit_yield(Collector *c, const Expr *expr) {
    if (expr->operand) visit_expr(c, expr->operand);
    if (c->scope->kind == SCOPE_COMPREHENSION) {
        ExprKind kind = c->scope->expr_kind;
        const char *where = kind == EXPR_LIST_COMP   ? "list comprehension"
                            : kind == EXPR_SET_COMP  ? "set comprehension"
                            : kind == EXPR_DICT_COMP ? "dict comprehension"
                                                     : "generator expression";
        ctx_fail(c->res->ctx, expr->span, "'yield' inside %s", where);
    }
    c->scope->generator = true;
}

// ---- expressions --------------------------------------------------------------------------------

static void visit_fparts(Collector *c, const FPart *parts, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!parts[i].value) continue;
        visit_expr(c, parts[i].value);
        visit_fparts(c, parts[i].spec, parts[i].spec_count);
    }
}

static void visit_name(Collector *c, const Expr *expr) {
    if (expr->ctx == CTX_LOAD) {
        use_name(c, expr->name);
    } else {
        bind_name(c, expr->name, expr->span);
    }
}

static void visit_optional(Collector *c, const Expr *expr) {
    if (expr) visit_expr(c, expr);
}

static bool is_name(const Expr *expr, const char *one, const char *other) {
    return expr->kind == EXPR_NAME && (strcmp(expr->name, one) == 0 || strcmp(expr->name, other) == 0);
}

// Visits the operands of a node of a left-associated chain, except its left child.
static void visit_beside_spine(Collector *c, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_BINARY: visit_expr(c, expr->binary.right); break;
    case EXPR_CALL:
        visit_args(c, expr->call.args);
        if (expr->call.args.count == 0 && is_name(expr->call.func, "vars", "dir")) c->scope->asks_names = true;
        break;
    case EXPR_SUBSCRIPT: visit_expr(c, expr->subscript.index); break;
    default: break;
    }
}

static void visit_expr(Collector *c, const Expr *expr) {
    for (const Expr *next; (next = ast_spine(expr)); expr = next) visit_beside_spine(c, expr);
    switch (expr->kind) {
    case EXPR_NAME: visit_name(c, expr); break;
    case EXPR_FSTRING: visit_fparts(c, expr->fstring.parts, expr->fstring.count); break;
    case EXPR_TUPLE:
    case EXPR_LIST:
    case EXPR_SET: visit_list(c, expr->items); break;
    case EXPR_DICT:
        visit_list(c, expr->dict.keys);
        visit_list(c, expr->dict.values);
        break;
    case EXPR_LIST_COMP:
    case EXPR_SET_COMP:
    case EXPR_DICT_COMP:
    case EXPR_GENERATOR: visit_comprehension(c, expr); break;
    case EXPR_LAMBDA: visit_lambda(c, expr); break;
    case EXPR_TERNARY:
        visit_expr(c, expr->ternary.test);
        visit_expr(c, expr->ternary.then);
        visit_expr(c, expr->ternary.otherwise);
        break;
    case EXPR_BOOL: visit_list(c, expr->boolean.operands); break;
    case EXPR_COMPARE:
        visit_expr(c, expr->compare.first);
        visit_list(c, expr->compare.rest);
        break;
    case EXPR_UNARY: visit_expr(c, expr->unary.operand); break;
    case EXPR_SLICE:
        visit_optional(c, expr->slice.lower);
        visit_optional(c, expr->slice.upper);
        visit_optional(c, expr->slice.step);
        break;
    case EXPR_STARRED: visit_expr(c, expr->operand); break;
    case EXPR_WALRUS: visit_walrus(c, expr); break;
    case EXPR_YIELD:
    case EXPR_YIELD_FROM: visit_yield(c, expr); break;
    default: break;
    }
}

// ---- statements ---------------------------------------------------------------------------------

static void visit_annotated(Collector *c, const Stmt *stmt) {
    const Expr *target = stmt->ann_assign.target;
    if (target->kind == EXPR_NAME) {
        Symbol *symbol = symbol_of(c, target->name);
        bool declared = symbol->flags & (SYM_GLOBAL | SYM_NONLOCAL);
        if (declared && c->scope->kind != SCOPE_MODULE && stmt->ann_assign.simple) {
            ctx_fail(c->res->ctx, stmt->span, "annotated name '%s' can't be %s", target->name,
                     symbol->flags & SYM_GLOBAL ? "global" : "nonlocal");
        }
        if (stmt->ann_assign.simple) symbol->flags |= SYM_ANNOTATED;
        if (stmt->ann_assign.simple || stmt->ann_assign.value) {
            bind_name(c, target->name, target->span);
        }
    } else {
        visit_expr(c, target);
    }
    // Annotations of variables are evaluated in modules and classes only.
    bool evaluated = c->scope->kind == SCOPE_MODULE || c->scope->kind == SCOPE_CLASS;
    if (evaluated && !c->res->future_annotations) visit_expr(c, stmt->ann_assign.annotation);
    visit_optional(c, stmt->ann_assign.value);
}

static void visit_import(Collector *c, const AliasList *aliases) {
    for (uint32_t i = 0; i < aliases->count; i++) {
        const Alias *alias = &aliases->items[i];
        bind_name(c, alias->as_name ? alias->as_name : alias->parts.items[0], alias->span);
    }
}

static void visit_import_from(Collector *c, const Stmt *stmt) {
    if (stmt->import_from.star && c->scope->kind != SCOPE_MODULE) {
        Span star = stmt->span; // the `*` is the last character of the statement
        star.line = star.end_line;
        star.col = star.end_col - 1;
        ctx_fail(c->res->ctx, star, "import * only allowed at module level");
    }
    visit_import(c, &stmt->import_from.names);
}

static void visit_if(Collector *c, const Stmt *stmt) {
    for (uint32_t i = 0; i < stmt->if_.branch_count; i++) {
        visit_expr(c, stmt->if_.branches[i].test);
        visit_body(c, stmt->if_.branches[i].body);
    }
    visit_body(c, stmt->if_.orelse);
}

static void visit_try(Collector *c, const Stmt *stmt) {
    visit_body(c, stmt->try_.body);
    visit_body(c, stmt->try_.orelse);
    for (uint32_t i = 0; i < stmt->try_.handler_count; i++) {
        const Handler *handler = &stmt->try_.handlers[i];
        visit_optional(c, handler->type);
        if (handler->name) bind_name(c, handler->name, handler->span);
        visit_body(c, handler->body);
    }
    visit_body(c, stmt->try_.finally);
}

static void visit_with(Collector *c, const Stmt *stmt) {
    for (uint32_t i = 0; i < stmt->with.item_count; i++) {
        visit_expr(c, stmt->with.items[i].context);
        visit_optional(c, stmt->with.items[i].target);
    }
    visit_body(c, stmt->with.body);
}

static void visit_match(Collector *c, const Stmt *stmt) {
    visit_expr(c, stmt->match.subject);
    for (uint32_t i = 0; i < stmt->match.count; i++) {
        const MatchCase *item = &stmt->match.cases[i];
        visit_expr(c, item->pattern);
        visit_optional(c, item->guard);
        visit_body(c, item->body);
    }
}

static void visit_compound(Collector *c, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_IF: visit_if(c, stmt); break;
    case STMT_WHILE:
        visit_expr(c, stmt->while_.test);
        visit_body(c, stmt->while_.body);
        visit_body(c, stmt->while_.orelse);
        break;
    case STMT_FOR:
        visit_expr(c, stmt->for_.target);
        visit_expr(c, stmt->for_.iter);
        visit_body(c, stmt->for_.body);
        visit_body(c, stmt->for_.orelse);
        break;
    case STMT_TRY: visit_try(c, stmt); break;
    case STMT_WITH: visit_with(c, stmt); break;
    case STMT_MATCH: visit_match(c, stmt); break;
    case STMT_DEF: visit_def(c, stmt); break;
    case STMT_CLASS: visit_class(c, stmt); break;
    default: break;
    }
}

static void visit_stmt(Collector *c, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_EXPR:
    case STMT_RETURN: visit_optional(c, stmt->value); break;
    case STMT_ASSIGN:
        visit_list(c, stmt->assign.targets);
        visit_expr(c, stmt->assign.value);
        break;
    case STMT_AUG_ASSIGN:
        visit_expr(c, stmt->aug_assign.target);
        visit_expr(c, stmt->aug_assign.value);
        break;
    case STMT_ANN_ASSIGN: visit_annotated(c, stmt); break;
    case STMT_DELETE: visit_list(c, stmt->targets); break;
    case STMT_GLOBAL:
    case STMT_NONLOCAL: visit_declaration(c, stmt); break;
    case STMT_ASSERT:
        visit_expr(c, stmt->assertion.test);
        visit_optional(c, stmt->assertion.message);
        break;
    case STMT_RAISE:
        visit_optional(c, stmt->raise.exception);
        visit_optional(c, stmt->raise.cause);
        break;
    case STMT_IMPORT: visit_import(c, &stmt->import); break;
    case STMT_IMPORT_FROM: visit_import_from(c, stmt); break;
    default: visit_compound(c, stmt); break;
    }
}

static void visit_body(Collector *c, StmtList body) {
    for (uint32_t i = 0; i < body.count; i++) visit_stmt(c, body.items[i]);
}

void resolve_collect(Resolution *res, const Module *module) {
    Collector c = {.res = res};
    enter(&c, SCOPE_MODULE, module);
    res->module = c.scope;
    visit_body(&c, module->body);
}
