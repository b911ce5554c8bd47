// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tree as text.

#include "lang/ast_dump.h"

#include <stdio.h>

typedef struct Dump {
    Buf *out;
    bool spans;
} Dump;

static void dump_expr(Dump *dump, const Expr *expr);
static void dump_body(Dump *dump, const char *name, StmtList body);

static void put(Dump *dump, const char *text) {
    buf_puts(dump->out, text);
}

static void open_node(Dump *dump, const char *kind, Span span) {
    buf_putc(dump->out, '(');
    put(dump, kind);
    if (dump->spans) {
        buf_printf(dump->out, "@%u:%u-%u:%u", (unsigned)span.line, (unsigned)span.col,
                   (unsigned)span.end_line, (unsigned)span.end_col);
    }
}

static void close_node(Dump *dump) {
    buf_putc(dump->out, ')');
}

static void put_quoted(Dump *dump, Text text) {
    buf_putc(dump->out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (c == '"' || c == '\\') {
            buf_printf(dump->out, "\\%c", c);
        } else if (c < 0x20 || c == 0x7F) {
            buf_printf(dump->out, "\\x%02x", c);
        } else {
            buf_putc(dump->out, (char)c);
        }
    }
    buf_putc(dump->out, '"');
}

// Writes a space and the child, or `_` if there is none.
static void child(Dump *dump, const Expr *expr) {
    buf_putc(dump->out, ' ');
    if (expr) {
        dump_expr(dump, expr);
    } else {
        buf_putc(dump->out, '_');
    }
}

static void children(Dump *dump, ExprList list) {
    for (uint32_t i = 0; i < list.count; i++) child(dump, list.items[i]);
}

// ---- parts of expressions -----------------------------------------------------------------------

static void dump_parts(Dump *dump, const FPart *parts, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const FPart *part = &parts[i];
        if (!part->value) {
            put(dump, " ");
            put_quoted(dump, part->literal);
            continue;
        }
        put(dump, " (field");
        child(dump, part->value);
        if (part->conversion) buf_printf(dump->out, " !%c", part->conversion);
        if (part->has_spec) put(dump, " :");
        dump_parts(dump, part->spec, part->spec_count); // specs nest twice at most
        close_node(dump);
    }
}

static void dump_clauses(Dump *dump, const CompClause *clauses, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put(dump, " (for");
        child(dump, clauses[i].target);
        child(dump, clauses[i].iter);
        children(dump, clauses[i].ifs);
        close_node(dump);
    }
}

static void dump_args(Dump *dump, ArgList args) {
    for (uint32_t i = 0; i < args.count; i++) {
        const Arg *arg = &args.items[i];
        switch (arg->kind) {
        case ARG_POSITIONAL: child(dump, arg->value); continue;
        case ARG_STAR: put(dump, " (*"); break;
        case ARG_DOUBLE_STAR: put(dump, " (**"); break;
        case ARG_KEYWORD: buf_printf(dump->out, " (%s=", arg->name); break;
        }
        child(dump, arg->value);
        close_node(dump);
    }
}

static void dump_params(Dump *dump, ParamList params) {
    static const char *const kinds[] = {"positional", "param", "*", "keyword", "**"};
    put(dump, " (params");
    for (uint32_t i = 0; i < params.count; i++) {
        const Param *param = &params.items[i];
        buf_printf(dump->out, " (%s %s", kinds[param->kind], param->name);
        if (param->annotation) {
            put(dump, " :");
            child(dump, param->annotation);
        }
        if (param->default_value) {
            put(dump, " =");
            child(dump, param->default_value);
        }
        close_node(dump);
    }
    close_node(dump);
}

static void dump_dict(Dump *dump, const Expr *expr) {
    for (uint32_t i = 0; i < expr->dict.keys.count; i++) {
        const Expr *key = expr->dict.keys.items[i];
        put(dump, " (");
        if (key) {
            dump_expr(dump, key);
        } else {
            put(dump, "**");
        }
        child(dump, expr->dict.values.items[i]);
        close_node(dump);
    }
}

static void dump_compare(Dump *dump, const Expr *expr) {
    child(dump, expr->compare.first);
    for (uint32_t i = 0; i < expr->compare.rest.count; i++) {
        buf_printf(dump->out, " %s", ast_compare_op_text(expr->compare.ops[i]));
        child(dump, expr->compare.rest.items[i]);
    }
}

static void dump_int(Dump *dump, const Expr *expr) {
    int base = expr->integer.base;
    put(dump, base == 16 ? " 0x" : base == 8 ? " 0o" : base == 2 ? " 0b" : " ");
    buf_put(dump->out, expr->integer.digits.bytes, expr->integer.digits.len);
}

static void dump_comp(Dump *dump, const Expr *expr) {
    child(dump, expr->comp.element);
    if (expr->kind == EXPR_DICT_COMP) child(dump, expr->comp.value);
    dump_clauses(dump, expr->comp.clauses, expr->comp.clause_count);
}

// ---- expressions --------------------------------------------------------------------------------

static void open_expr(Dump *dump, const Expr *expr) {
    static const char *const marks[] = {"", "=", "~"};
    char kind[32];
    snprintf(kind, sizeof kind, "%s%s", ast_expr_kind_name(expr->kind), marks[expr->ctx]);
    open_node(dump, kind, expr->span);
}

// Writes what follows a node's kind and, on a spine, its left child; then closes the node.
static void dump_rest(Dump *dump, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_NAME: buf_printf(dump->out, " %s", expr->name); break;
    case EXPR_INT: dump_int(dump, expr); break;
    case EXPR_FLOAT:
    case EXPR_IMAG: buf_printf(dump->out, " %.17g", expr->number); break;
    case EXPR_STR:
    case EXPR_BYTES:
        put(dump, " ");
        put_quoted(dump, expr->text);
        break;
    case EXPR_FSTRING: dump_parts(dump, expr->fstring.parts, expr->fstring.count); break;
    case EXPR_NONE:
    case EXPR_TRUE:
    case EXPR_FALSE:
    case EXPR_ELLIPSIS: break;
    case EXPR_TUPLE:
    case EXPR_LIST:
    case EXPR_SET: children(dump, expr->items); break;
    case EXPR_DICT: dump_dict(dump, expr); break;
    case EXPR_LIST_COMP:
    case EXPR_SET_COMP:
    case EXPR_DICT_COMP:
    case EXPR_GENERATOR: dump_comp(dump, expr); break;
    case EXPR_LAMBDA:
        dump_params(dump, expr->lambda.params);
        child(dump, expr->lambda.body);
        break;
    case EXPR_TERNARY:
        child(dump, expr->ternary.test);
        child(dump, expr->ternary.then);
        child(dump, expr->ternary.otherwise);
        break;
    case EXPR_BOOL:
        put(dump, expr->boolean.is_or ? " or" : " and");
        children(dump, expr->boolean.operands);
        break;
    case EXPR_COMPARE: dump_compare(dump, expr); break;
    case EXPR_UNARY:
        buf_printf(dump->out, " %s", ast_unary_op_text(expr->unary.op));
        child(dump, expr->unary.operand);
        break;
    case EXPR_BINARY: child(dump, expr->binary.right); break;
    case EXPR_CALL: dump_args(dump, expr->call.args); break;
    case EXPR_ATTRIBUTE: buf_printf(dump->out, " %s", expr->attribute.name); break;
    case EXPR_SUBSCRIPT: child(dump, expr->subscript.index); break;
    case EXPR_SLICE:
        child(dump, expr->slice.lower);
        child(dump, expr->slice.upper);
        child(dump, expr->slice.step);
        break;
    case EXPR_STARRED:
    case EXPR_YIELD:
    case EXPR_YIELD_FROM: child(dump, expr->operand); break;
    case EXPR_WALRUS:
        child(dump, expr->walrus.target);
        child(dump, expr->walrus.value);
        break;
    }
    close_node(dump);
}

// Writes a left-associated chain without recursion, since it may be of any length: opens the nodes
// from the outermost inwards, then completes them from the innermost outwards.
static void dump_spine(Dump *dump, const Expr *expr) {
    const Expr **chain = NULL;
    size_t cap = 0, count = 0;
    Mem *mem = dump->out->mem;
    for (const Expr *at = expr; at; at = ast_spine(at)) {
        if (!mem_grow(mem, (void **)&chain, &cap, count + 1, sizeof *chain)) {
            dump->out->failed = true;
            break;
        }
        chain[count++] = at;
        open_expr(dump, at);
        if (at->kind == EXPR_BINARY) {
            put(dump, " ");
            put(dump, ast_binary_op_text(at->binary.op));
        }
        if (ast_spine(at)) put(dump, " ");
    }
    while (count > 0) dump_rest(dump, chain[--count]);
    mem_free(mem, chain, cap * sizeof *chain);
}

static void dump_expr(Dump *dump, const Expr *expr) {
    if (ast_spine(expr)) {
        dump_spine(dump, expr);
        return;
    }
    open_expr(dump, expr);
    dump_rest(dump, expr);
}

// ---- statements ---------------------------------------------------------------------------------

static void dump_list(Dump *dump, const char *name, ExprList list) {
    buf_printf(dump->out, " (%s", name);
    children(dump, list);
    close_node(dump);
}

static void dump_alias(Dump *dump, const Alias *alias) {
    buf_printf(dump->out, " (%s", alias->name);
    if (alias->as_name) buf_printf(dump->out, " as %s", alias->as_name);
    close_node(dump);
}

static void dump_aliases(Dump *dump, AliasList list) {
    for (uint32_t i = 0; i < list.count; i++) dump_alias(dump, &list.items[i]);
}

static void dump_import_from(Dump *dump, const Stmt *stmt) {
    put(dump, " ");
    buf_fill(dump->out, '.', stmt->import_from.level);
    if (stmt->import_from.module) put(dump, stmt->import_from.module);
    if (stmt->import_from.star) put(dump, " *");
    dump_aliases(dump, stmt->import_from.names);
}

static void dump_if(Dump *dump, const Stmt *stmt) {
    for (uint32_t i = 0; i < stmt->if_.branch_count; i++) {
        child(dump, stmt->if_.branches[i].test);
        dump_body(dump, "then", stmt->if_.branches[i].body);
    }
    dump_body(dump, "else", stmt->if_.orelse);
}

static void dump_try(Dump *dump, const Stmt *stmt) {
    dump_body(dump, "body", stmt->try_.body);
    for (uint32_t i = 0; i < stmt->try_.handler_count; i++) {
        const Handler *handler = &stmt->try_.handlers[i];
        put(dump, " (except");
        child(dump, handler->type);
        if (handler->name) buf_printf(dump->out, " as %s", handler->name);
        dump_body(dump, "body", handler->body);
        close_node(dump);
    }
    dump_body(dump, "else", stmt->try_.orelse);
    dump_body(dump, "finally", stmt->try_.finally);
}

static void dump_with(Dump *dump, const Stmt *stmt) {
    for (uint32_t i = 0; i < stmt->with.item_count; i++) {
        put(dump, " (item");
        child(dump, stmt->with.items[i].context);
        if (stmt->with.items[i].target) child(dump, stmt->with.items[i].target);
        close_node(dump);
    }
    dump_body(dump, "body", stmt->with.body);
}

static void dump_def(Dump *dump, const Stmt *stmt) {
    buf_printf(dump->out, " %s", stmt->def.name);
    dump_list(dump, "decorators", stmt->def.decorators);
    dump_params(dump, stmt->def.params);
    child(dump, stmt->def.returns);
    dump_body(dump, "body", stmt->def.body);
}

static void dump_class(Dump *dump, const Stmt *stmt) {
    buf_printf(dump->out, " %s", stmt->class_.name);
    dump_list(dump, "decorators", stmt->class_.decorators);
    put(dump, " (bases");
    dump_args(dump, stmt->class_.bases);
    close_node(dump);
    dump_body(dump, "body", stmt->class_.body);
}

static void dump_loop(Dump *dump, StmtList body, StmtList orelse) {
    dump_body(dump, "body", body);
    dump_body(dump, "else", orelse);
}

static void dump_match(Dump *dump, const Stmt *stmt) {
    child(dump, stmt->match.subject);
    for (uint32_t i = 0; i < stmt->match.count; i++) {
        const MatchCase *item = &stmt->match.cases[i];
        put(dump, " (case");
        child(dump, item->pattern);
        child(dump, item->guard);
        dump_body(dump, "body", item->body);
        close_node(dump);
    }
}

static void dump_small(Dump *dump, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_EXPR: child(dump, stmt->value); break;
    case STMT_RETURN: child(dump, stmt->value); break;
    case STMT_ASSIGN:
        dump_list(dump, "targets", stmt->assign.targets);
        child(dump, stmt->assign.value);
        break;
    case STMT_AUG_ASSIGN:
        buf_printf(dump->out, " %s", ast_binary_op_text(stmt->aug_assign.op));
        child(dump, stmt->aug_assign.target);
        child(dump, stmt->aug_assign.value);
        break;
    case STMT_ANN_ASSIGN:
        if (stmt->ann_assign.simple) put(dump, " simple");
        child(dump, stmt->ann_assign.target);
        child(dump, stmt->ann_assign.annotation);
        child(dump, stmt->ann_assign.value);
        break;
    case STMT_DELETE: children(dump, stmt->targets); break;
    case STMT_GLOBAL:
    case STMT_NONLOCAL:
        for (uint32_t i = 0; i < stmt->names.items.count; i++) {
            buf_printf(dump->out, " %s", stmt->names.items.items[i]);
        }
        break;
    case STMT_ASSERT:
        child(dump, stmt->assertion.test);
        child(dump, stmt->assertion.message);
        break;
    case STMT_RAISE:
        child(dump, stmt->raise.exception);
        child(dump, stmt->raise.cause);
        break;
    case STMT_IMPORT: dump_aliases(dump, stmt->import); break;
    case STMT_IMPORT_FROM: dump_import_from(dump, stmt); break;
    default: break;
    }
}

static void dump_stmt(Dump *dump, const Stmt *stmt) {
    open_node(dump, ast_stmt_kind_name(stmt->kind), stmt->span);
    switch (stmt->kind) {
    case STMT_IF: dump_if(dump, stmt); break;
    case STMT_WHILE:
        child(dump, stmt->while_.test);
        dump_loop(dump, stmt->while_.body, stmt->while_.orelse);
        break;
    case STMT_FOR:
        child(dump, stmt->for_.target);
        child(dump, stmt->for_.iter);
        dump_loop(dump, stmt->for_.body, stmt->for_.orelse);
        break;
    case STMT_TRY: dump_try(dump, stmt); break;
    case STMT_WITH: dump_with(dump, stmt); break;
    case STMT_MATCH: dump_match(dump, stmt); break;
    case STMT_DEF: dump_def(dump, stmt); break;
    case STMT_CLASS: dump_class(dump, stmt); break;
    default: dump_small(dump, stmt); break;
    }
    close_node(dump);
}

// Writes a named list of statements, or nothing if it is empty.
static void dump_body(Dump *dump, const char *name, StmtList body) {
    if (body.count == 0) return;
    buf_printf(dump->out, " (%s", name);
    for (uint32_t i = 0; i < body.count; i++) {
        put(dump, " ");
        dump_stmt(dump, body.items[i]);
    }
    close_node(dump);
}

void ast_dump(const Module *module, bool spans, Buf *out) {
    Dump dump = {out, spans};
    for (uint32_t i = 0; i < module->body.count; i++) {
        dump_stmt(&dump, module->body.items[i]);
        put(&dump, "\n");
    }
}
