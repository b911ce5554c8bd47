// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Spellings of node kinds and operators, and the tree's few helpers.

#include "lang/ast.h"

void ast_free(Ast *ast) {
    if (ast->arena.mem) arena_free(&ast->arena);
    ast->module = NULL;
}

Expr *ast_spine(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_BINARY: return expr->binary.left;
    case EXPR_CALL: return expr->call.func;
    case EXPR_ATTRIBUTE: return expr->attribute.object;
    case EXPR_SUBSCRIPT: return expr->subscript.object;
    default: return NULL;
    }
}

const char *ast_expr_kind_name(ExprKind kind) {
    static const char *const names[] = {
#define X(id, name) name,
        AST_EXPR_KINDS(X)
#undef X
    };
    return names[kind];
}

const char *ast_stmt_kind_name(StmtKind kind) {
    static const char *const names[] = {
#define X(id, name) name,
        AST_STMT_KINDS(X)
#undef X
    };
    return names[kind];
}

const char *ast_binary_op_text(BinaryOp op) {
    static const char *const texts[] = {
#define X(id, text) text,
        AST_BINARY_OPS(X)
#undef X
    };
    return texts[op];
}

const char *ast_unary_op_text(UnaryOp op) {
    static const char *const texts[] = {
#define X(id, text) text,
        AST_UNARY_OPS(X)
#undef X
    };
    return texts[op];
}

const char *ast_compare_op_text(CompareOp op) {
    static const char *const texts[] = {
#define X(id, text) text,
        AST_COMPARE_OPS(X)
#undef X
    };
    return texts[op];
}
