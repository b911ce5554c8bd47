// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The entry point of lang/: parses, resolves names, generates code, and reports errors as plain text.

#include "lang/compile.h"

#include <string.h>

#include "lang/compile_internal.h"
#include "lang/parser.h"
#include "lang/unit.h"

// ---- modules ------------------------------------------------------------------------------------

static void module_body(Fn *f, const Module *module) {
    Emitter *e = &f->e;
    const Expr *doc = f->c->mode == COMPILE_FILE ? body_docstring(module->body) : NULL;
    if (f->c->mode == COMPILE_EXPRESSION) {
        const Expr *value = module->body.items[0]->value;
        e->statement = true;
        emit(e, value->span, OP_RETURN, expr_operand(f, value), 0, 0);
        return;
    }
    if (doc) {
        e->statement = true;
        emit_wide(e, doc->span, OP_GLOBAL_SET, emit_const_text(e, doc->text),
                  name_global_slot(f, "__doc__"));
        stmt_body(f, body_without_docstring(module->body));
    } else {
        stmt_body(f, module->body);
    }
}

static const Stmt *last_expression(StmtList body) {
    const Stmt *last = body.count ? body.items[body.count - 1] : NULL;
    return last && last->kind == STMT_EXPR ? last : NULL;
}

static void copy_globals(Compiler *c) {
    BcUnit *unit = c->unit;
    unit->globals = arena_alloc(c->arena, (unit->global_count + 1) * sizeof(char *));
    if (!unit->globals) ctx_no_memory(c->ctx);
    for (uint32_t i = 0; i < unit->global_count; i++) {
        unit->globals[i] = arena_text(c->arena, c->global_names[i], strlen(c->global_names[i]));
        if (!unit->globals[i]) ctx_no_memory(c->ctx);
    }
}

static void generate(Context *ctx, const Module *module, const char *filename, CompileMode mode,
                     BcUnit *unit) {
    Compiler c = {.ctx = ctx, .unit = unit, .arena = unit_arena(unit), .mode = mode};
    unit->filename = arena_text(c.arena, filename, strlen(filename));
    if (!unit->filename) ctx_no_memory(ctx);
    c.names = resolve_module(ctx, module);
    Fn main;
    if (mode == COMPILE_CELL) c.shown = last_expression(module->body);
    fn_begin(&main, &c, NULL, c.names->module, "<module>", module->span);
    module_body(&main, module);
    unit->main = fn_end(&main, NULL, BC_MODULE, 1);
    copy_globals(&c);
}

// Runs the passes. Returns false if one of them reported an error (ctx_fail jumps back here).
static bool generate_or_leave(Context *ctx, const Module *module, const char *filename,
                              CompileMode mode, BcUnit *unit) {
    if (setjmp(ctx->leave)) return false;
    generate(ctx, module, filename, mode, unit);
    return true;
}

static BcUnit *compile_tree(Context *ctx, const Module *module, const char *filename,
                            CompileMode mode) {
    BcUnit *unit = unit_new(ctx->work.mem);
    if (!unit) {
        diag_add(ctx->diags, DIAG_MEMORY, module->span, "out of memory");
        return NULL;
    }
    if (generate_or_leave(ctx, module, filename, mode, unit)) return unit;
    bc_unit_free(unit);
    return NULL;
}

// ---- errors -------------------------------------------------------------------------------------

// Returns a copy of the text in the allocator of `errors`; NULL if there is no memory.
static char *owned_text(CompileErrors *errors, const char *text, size_t len) {
    char *copy = mem_alloc(errors->mem, len + 1);
    if (!copy) return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static void free_text(CompileErrors *errors, const char *text) {
    if (text) mem_free(errors->mem, (void *)(uintptr_t)text, strlen(text) + 1);
}

// Renders a report (diag_render) as a NUL-terminated text. A source line may hold NUL bytes; they
// become spaces.
static char *rendered_text(CompileErrors *errors, const Diag *item, const Context *ctx,
                           const char *filename) {
    Buf buf;
    buf_init(&buf, errors->mem);
    diag_render(item, ctx->text, ctx->len, filename, &buf);
    for (size_t i = 0; i < buf.len; i++) {
        if (!buf.data[i]) buf.data[i] = ' ';
    }
    char *text = buf.failed ? NULL : owned_text(errors, buf.data ? buf.data : "", buf.len);
    buf_free(&buf);
    return text;
}

static bool add_error(CompileErrors *errors, const Diag *item, const Context *ctx,
                      const char *filename) {
    size_t cap = errors->cap;
    void *items = errors->items;
    bool grown = mem_grow(errors->mem, &items, &cap, errors->count + 1u, sizeof *errors->items);
    errors->items = items;
    errors->cap = (uint32_t)cap;
    if (!grown) return false;
    CompileError *error = &errors->items[errors->count];
    Span span = item->span;
    *error = (CompileError){
        .kind = diag_kind_name(item->kind),
        .message = owned_text(errors, item->message, strlen(item->message)),
        .span = {span.line, span.col, span.end_line, span.end_col},
        .rendered = rendered_text(errors, item, ctx, filename),
        .at_end = item->at_end,
    };
    errors->count++; // from here on compile_errors_free frees the texts
    return error->message && error->rendered;
}

static void collect_errors(CompileErrors *errors, const Context *ctx, const char *filename) {
    for (uint32_t i = 0; i < ctx->diags->count && !errors->no_memory; i++) {
        const Diag *item = &ctx->diags->items[i];
        if (item->kind == DIAG_MEMORY || !add_error(errors, item, ctx, filename)) {
            errors->no_memory = true;
        }
    }
}

void compile_errors_free(CompileErrors *errors) {
    for (uint32_t i = 0; i < errors->count; i++) {
        free_text(errors, errors->items[i].message);
        free_text(errors, errors->items[i].rendered);
    }
    mem_free(errors->mem, errors->items, errors->cap * sizeof *errors->items);
    *errors = (CompileErrors){.mem = errors->mem};
}

// ---- entry points -------------------------------------------------------------------------------

static bool still_valid(Context *ctx, const BcUnit *unit, Span span) {
#ifdef NDEBUG
    (void)ctx;
    (void)unit;
    (void)span;
    return true;
#else
    bool no_memory = false;
    if (unit_verify(unit, NULL, &no_memory)) return true;
    if (no_memory) diag_add(ctx->diags, DIAG_MEMORY, span, "out of memory");
    else diag_add(ctx->diags, DIAG_SYNTAX, span, "the compiled code is damaged");
    return false;
#endif
}

BcUnit *compile_source(Mem *mem, const char *text, size_t len, const char *filename,
                       CompileMode mode, CompileErrors *errors) {
    static const ParseMode modes[] = {PARSE_FILE, PARSE_INTERACTIVE, PARSE_EXPRESSION, PARSE_FILE};
    DiagList diags;
    Context ctx = {.diags = &diags, .text = text, .len = len};
    Ast ast = {.module = NULL};
    BcUnit *unit = NULL;
    errors->mem = mem;
    diag_init(&diags, mem);
    arena_init(&ctx.work, mem);
    if (parse_module(mem, text, len, filename, modes[mode], &ast, &diags)) {
        unit = compile_tree(&ctx, ast.module, filename, mode);
    }
    if (unit && !still_valid(&ctx, unit, ast.module->span)) {
        bc_unit_free(unit);
        unit = NULL;
    }
    if (!unit) collect_errors(errors, &ctx, filename);
    ast_free(&ast);
    arena_free(&ctx.work);
    diag_free(&diags);
    return unit;
}

Completeness compile_is_complete(Mem *mem, const char *text, size_t len) {
    switch (parse_is_complete(mem, text, len)) {
    case PARSE_COMPLETE: return TEXT_COMPLETE;
    case PARSE_INCOMPLETE: return TEXT_INCOMPLETE;
    default: return TEXT_INVALID;
    }
}
