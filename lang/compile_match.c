// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Match statements. Functions of module _match extract the parts of a subject; they return None if the
// subject does not fit the pattern. Captured values stay in registers until the whole pattern has
// matched; then the names are bound.

#include "lang/compile_internal.h"
#include "lang/parser_internal.h"

typedef struct Capture {
    Name name;
    Span span;
    uint32_t reg;
    struct Capture *next;
} Capture;

typedef struct Match {
    Fn *f;
    Capture *captures; // of the case
    uint32_t module;   // register of _match
} Match;

// ---- the names of a pattern ---------------------------------------------------------------------

static Capture *find(Capture *list, Name name) {
    while (list && list->name != name) list = list->next;
    return list;
}

static void collect(Fn *f, const Expr *p, Capture **list, Span *last, bool open);

// Collects the names of `a | b`, and checks that every alternative binds the same ones.
static void collect_alternatives(Fn *f, const Expr *p, Capture **list, Span *last, bool open) {
    Capture *first = NULL;
    uint32_t wanted = 0, end = p->boolean.operands.count;
    for (uint32_t i = 0; i < end; i++) {
        Capture *own = NULL;
        uint32_t count = 0;
        bool same = true;
        collect(f, p->boolean.operands.items[i], &own, last, open && i + 1 == end);
        for (const Capture *at = own; at; at = at->next, count++) {
            same = same && (i == 0 || find(first, at->name));
        }
        if (i == 0) {
            first = own;
            wanted = count;
        }
        if (!same || count != wanted) {
            ctx_fail(f->c->ctx, *last, "alternative patterns bind different names");
        }
    }
    for (Capture *at = first, *next; at; at = next) {
        next = at->next;
        if (find(*list, at->name)) {
            ctx_fail(f->c->ctx, at->span, "multiple assignments to name '%s' in pattern", at->name);
        }
        at->next = *list;
        *list = at;
    }
}

static void collect_items(Fn *f, ExprList items, Capture **list, Span *last) {
    for (uint32_t i = 0; i < items.count; i++) collect(f, items.items[i], list, last, true);
}

// Adds the names that a pattern captures to *list, and reports wildcards and captures that make later
// patterns unreachable. `last` is set to the span of the pattern visited last, which Python's message
// shows. `open`: the pattern may be irrefutable.
static void collect(Fn *f, const Expr *p, Capture **list, Span *last, bool open) {
    *last = p->span;
    switch (p->kind) {
    case EXPR_ELLIPSIS:
        if (!open) {
            ctx_fail(f->c->ctx, p->span, "wildcard makes remaining patterns unreachable");
        }
        break;
    case EXPR_NAME: {
        if (!open) {
            ctx_fail(f->c->ctx, p->span, "name capture '%s' makes remaining patterns unreachable",
                     p->name);
        }
        if (find(*list, p->name)) {
            ctx_fail(f->c->ctx, p->span, "multiple assignments to name '%s' in pattern", p->name);
        }
        Capture *item = ctx_alloc(f->c->ctx, sizeof *item);
        *item = (Capture){p->name, p->span, NO_REG, *list};
        *list = item;
        break;
    }
    case EXPR_STARRED: collect(f, p->operand, list, last, true); break;
    case EXPR_LIST: collect_items(f, p->items, list, last); break;
    case EXPR_DICT: collect_items(f, p->dict.values, list, last); break;
    case EXPR_CALL:
        for (uint32_t i = 0; i < p->call.args.count; i++) {
            collect(f, p->call.args.items[i].value, list, last, true);
        }
        break;
    case EXPR_BOOL: collect_alternatives(f, p, list, last, open); break;
    case EXPR_WALRUS:
        collect(f, p->walrus.value, list, last, open);
        collect(f, p->walrus.target, list, last, true);
        break;
    default: break;
    }
}

// ---- destructuring ------------------------------------------------------------------------------

static void pattern(Match *m, const Expr *p, uint32_t reg, Label fail);

// Begins a call of a function of _match with the subject as its first argument. Returns the base
// register of the call; further arguments go into the temporaries that follow.
static uint32_t call_begin(Match *m, const Expr *p, Name function, uint32_t subject) {
    Emitter *e = &m->f->e;
    uint32_t base = emit_temps(e, 2);
    emit(e, p->span, OP_GETMETHOD, base, m->module, emit_name(e, function));
    emit_move(e, p->span, emit_temp(e), subject);
    return base;
}

static void argument(Match *m, const Expr *p, Operand value) {
    emit_move(&m->f->e, p->span, emit_temp(&m->f->e), value);
}

// Emits the call, whose result replaces `base`, and a jump to `fail` if the result is None.
static void call_end(Match *m, const Expr *p, uint32_t base, Label fail) {
    Emitter *e = &m->f->e;
    emit(e, p->span, OP_CALLM, base, base, e->top - base - 2);
    e->top = base + 1;
    uint32_t test = emit_temp(e);
    emit(e, p->span, OP_IS_NOT, test, base, emit_const_kind(e, BC_NONE));
    emit_jump(e, p->span, OP_JUMP_IFNOT, test, fail);
    e->top = base + 1;
}

// Unpacks the result in `base` into `count` consecutive registers, and returns the first.
static uint32_t unpack(Match *m, const Expr *p, uint32_t base, uint32_t count) {
    Emitter *e = &m->f->e;
    uint32_t row = emit_temps(e, count ? count : 1);
    if (count) emit(e, p->span, OP_UNPACK, row, base, count);
    return row;
}

static void sequence(Match *m, const Expr *p, uint32_t reg, Label fail) {
    Emitter *e = &m->f->e;
    ExprList items = p->items;
    int64_t star = -1, wild = 0;
    for (uint32_t i = 0; i < items.count; i++) {
        if (items.items[i]->kind != EXPR_STARRED) continue;
        if (star >= 0) {
            ctx_fail(m->f->c->ctx, p->span, "multiple starred names in sequence pattern");
        }
        star = i;
        wild = items.items[i]->operand->kind == EXPR_ELLIPSIS;
    }
    uint32_t base = call_begin(m, p, "sequence", reg);
    argument(m, p, emit_const_int(e, items.count));
    argument(m, p, emit_const_int(e, star));
    argument(m, p, emit_const_int(e, wild));
    call_end(m, p, base, fail);
    uint32_t row = unpack(m, p, base, items.count);
    for (uint32_t i = 0; i < items.count; i++) {
        const Expr *item = items.items[i];
        pattern(m, item->kind == EXPR_STARRED ? item->operand : item, row + i, fail);
    }
}

// Reports a constant key that occurs twice, as Python does. Other duplicates are found at run time.
static void check_key(Match *m, const Expr *p, uint32_t index) {
    BcConst value, other;
    ExprList keys = p->dict.keys;
    if (!fold_expr(m->f, keys.items[index], &value)) return;
    for (uint32_t i = 0; i < index; i++) {
        if (!fold_expr(m->f, keys.items[i], &other)) continue;
        if (emit_const(&m->f->e, &value) != emit_const(&m->f->e, &other)) continue;
        if (value.kind == BC_INT) {
            ctx_fail(m->f->c->ctx, p->span, "mapping pattern checks duplicate key (%lld)",
                     (long long)value.i);
        }
        bool text = value.kind == BC_STR;
        ctx_fail(m->f->c->ctx, p->span,
                 text ? "mapping pattern checks duplicate key ('%s')"
                      : "mapping pattern checks duplicate key (%s)",
                 text ? value.text : parse_expr_name(keys.items[i]));
    }
}

static void check_literal(Match *m, const Expr *p, const char *what) {
    if (p->kind != EXPR_FSTRING) return;
    ctx_fail(m->f->c->ctx, p->span, "%s may only match literals and attribute lookups", what);
}

static void mapping(Match *m, const Expr *p, uint32_t reg, Label fail) {
    Emitter *e = &m->f->e;
    uint32_t count = p->dict.keys.count, keys = count;
    if (count && !p->dict.keys.items[count - 1]) keys--;
    uint32_t base = call_begin(m, p, "mapping", reg);
    argument(m, p, emit_const_int(e, keys));
    call_end(m, p, base, fail);
    if (count == 0) return;
    e->top = base;
    call_begin(m, p, "items", reg);
    uint32_t row = e->top;
    for (uint32_t i = 0; i < keys; i++) {
        check_literal(m, p->dict.keys.items[i], "mapping pattern keys");
        check_key(m, p, i);
        expr_next(m->f, p->dict.keys.items[i]);
    }
    e->top = row;
    if (keys == 0) emit_temp(e);
    emit(e, p->span, OP_TUPLE, row, row, keys);
    e->top = row + 1;
    argument(m, p, emit_const_int(e, count > keys));
    call_end(m, p, base, fail);
    row = unpack(m, p, base, count);
    for (uint32_t i = 0; i < count; i++) {
        pattern(m, p->dict.values.items[i], row + i, fail);
    }
}

static uint32_t keyword_count(Match *m, ArgList args) {
    uint32_t keywords = 0;
    for (uint32_t i = 0; i < args.count; i++) {
        if (args.items[i].kind != ARG_KEYWORD) continue;
        keywords++;
        for (uint32_t k = 0; k < i; k++) {
            if (args.items[k].kind != ARG_KEYWORD || args.items[k].name != args.items[i].name) {
                continue;
            }
            ctx_fail(m->f->c->ctx, args.items[i].span,
                     "attribute name repeated in class pattern: %s", args.items[i].name);
        }
    }
    return keywords;
}

static void class_pattern(Match *m, const Expr *p, uint32_t reg, Label fail) {
    Emitter *e = &m->f->e;
    ArgList args = p->call.args;
    uint32_t keywords = keyword_count(m, args);
    uint32_t base = call_begin(m, p, "attributes", reg);
    expr_next(m->f, p->call.func);
    argument(m, p, emit_const_int(e, args.count - keywords));
    argument(m, p, call_keyword_names(m->f, args, keywords) | CONST_BIT);
    call_end(m, p, base, fail);
    uint32_t row = unpack(m, p, base, args.count);
    for (uint32_t i = 0; i < args.count; i++) pattern(m, args.items[i].value, row + i, fail);
}

// ---- patterns -----------------------------------------------------------------------------------

static void alternatives(Match *m, const Expr *p, uint32_t reg, Label fail) {
    Emitter *e = &m->f->e;
    Label done = emit_label(e);
    uint32_t count = p->boolean.operands.count;
    for (uint32_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        Label next = last ? fail : emit_label(e);
        pattern(m, p->boolean.operands.items[i], reg, next);
        if (last) break;
        emit_jump(e, p->span, OP_JUMP, 0, done);
        emit_bind(e, next);
    }
    emit_bind(e, done);
}

static void equal(Match *m, const Expr *p, uint32_t reg, Label fail) {
    Emitter *e = &m->f->e;
    check_literal(m, p, "patterns");
    bool single = p->kind == EXPR_NONE || p->kind == EXPR_TRUE || p->kind == EXPR_FALSE;
    uint32_t test = emit_temp(e);
    Operand value = expr_operand(m->f, p);
    emit(e, p->span, single ? OP_IS : OP_EQ, test, reg, value);
    emit_jump(e, p->span, OP_JUMP_IFNOT, test, fail);
}

// Emits the match of a pattern against the value in `reg`, which is kept, with a jump to `fail` if
// it does not match.
static void pattern(Match *m, const Expr *p, uint32_t reg, Label fail) {
    Emitter *e = &m->f->e;
    uint32_t mark = e->top;
    switch (p->kind) {
    case EXPR_ELLIPSIS: break;
    case EXPR_NAME: emit_move(e, p->span, find(m->captures, p->name)->reg, reg); break;
    case EXPR_WALRUS:
        pattern(m, p->walrus.value, reg, fail);
        pattern(m, p->walrus.target, reg, fail);
        break;
    case EXPR_LIST: sequence(m, p, reg, fail); break;
    case EXPR_DICT: mapping(m, p, reg, fail); break;
    case EXPR_CALL: class_pattern(m, p, reg, fail); break;
    case EXPR_BOOL: alternatives(m, p, reg, fail); break;
    default: equal(m, p, reg, fail); break;
    }
    e->top = mark;
}

// ---- the statement ------------------------------------------------------------------------------

static bool takes_apart(const Expr *p) {
    switch (p->kind) {
    case EXPR_LIST:
    case EXPR_DICT:
    case EXPR_CALL: return true;
    case EXPR_WALRUS: return takes_apart(p->walrus.value);
    case EXPR_BOOL:
        for (uint32_t i = 0; i < p->boolean.operands.count; i++) {
            if (takes_apart(p->boolean.operands.items[i])) return true;
        }
        return false;
    default: return false;
    }
}

static void match_case(Match *m, const MatchCase *item, uint32_t subject, Label next, bool last) {
    Fn *f = m->f;
    Emitter *e = &f->e;
    Span seen;
    uint32_t mark = e->top;
    m->captures = NULL;
    collect(f, item->pattern, &m->captures, &seen, last || item->guard);
    for (Capture *at = m->captures; at; at = at->next) at->reg = emit_temp(e);
    e->statement = true;
    pattern(m, item->pattern, subject, next);
    for (Capture *at = m->captures; at; at = at->next) {
        name_store(f, item->pattern->span, at->name, at->reg);
    }
    if (item->guard) expr_jump(f, item->guard, next, false);
    e->top = mark;
    stmt_body(f, item->body);
}

void stmt_match(Fn *f, const Stmt *stmt) {
    Emitter *e = &f->e;
    Label end = emit_label(e);
    uint32_t mark = e->top, subject = expr_next(f, stmt->match.subject);
    Match m = {.f = f, .module = NO_REG};
    bool parts = false;
    for (uint32_t i = 0; i < stmt->match.count; i++) {
        parts = parts || takes_apart(stmt->match.cases[i].pattern);
    }
    if (parts) {
        m.module = emit_temp(e);
        emit(e, stmt->match.subject->span, OP_IMPORT, m.module, emit_name(e, "_match"), 0);
    }
    for (uint32_t i = 0; i < stmt->match.count; i++) {
        const MatchCase *item = &stmt->match.cases[i];
        bool last = i + 1 == stmt->match.count;
        Label next = last ? end : emit_label(e);
        match_case(&m, item, subject, next, last);
        if (last) break;
        emit_jump(e, item->span, OP_JUMP, 0, end);
        emit_bind(e, next);
    }
    emit_bind(e, end);
    e->top = mark;
}
