// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Second half of the resolver: finds the owner of every name, decides which comprehensions are
// inlined as loops, and assigns variables to registers, cells and free variables.

#include "lang/resolve.h"

#include <string.h>

// ---- scopes and names ---------------------------------------------------------------------------

typedef struct ScopeEntry {
    const void *node;
    Scope *scope;
} ScopeEntry;

static ScopeEntry *table_probe(const Resolution *res, const void *node) {
    uint32_t mask = res->table_cap - 1;
    uint32_t i = (uint32_t)(((uintptr_t)node >> 4) * 0x9e3779b1u) & mask;
    while (res->table[i].node && res->table[i].node != node) i = (i + 1) & mask;
    return &res->table[i];
}

static void table_add(Resolution *res, const void *node, Scope *scope) {
    if (res->table_count * 2 >= res->table_cap) {
        Resolution old = *res;
        res->table_cap = old.table_cap ? old.table_cap * 2 : 64;
        res->table = ctx_alloc(res->ctx, res->table_cap * sizeof *res->table);
        for (uint32_t i = 0; i < old.table_cap; i++) {
            if (old.table[i].node) *table_probe(res, old.table[i].node) = old.table[i];
        }
    }
    *table_probe(res, node) = (ScopeEntry){node, scope};
    res->table_count++;
}

Scope *resolve_scope_of(const Resolution *res, const void *node) {
    return table_probe(res, node)->scope;
}

Scope *scope_new(Resolution *res, ScopeKind kind, const void *node, Scope *parent) {
    Scope *scope = ctx_alloc(res->ctx, sizeof *scope);
    scope->kind = kind;
    scope->node = node;
    scope->parent = parent;
    scope->class_cell = (Symbol){.name = "__class__", .scope = scope};
    scope->class_cell.owner = &scope->class_cell;
    if (parent) {
        scope->mangle_class = parent->mangle_class;
        if (parent->last_child) {
            parent->last_child->sibling = scope;
        } else {
            parent->children = scope;
        }
        parent->last_child = scope;
    }
    table_add(res, node, scope);
    return scope;
}

Symbol *scope_find(const Scope *scope, Name mangled) {
    NameSlot *slot = namemap_find(&scope->symbols, mangled);
    return slot ? slot->value : NULL;
}

Symbol *scope_symbol(Resolution *res, Scope *scope, Name mangled) {
    NameSlot *slot = namemap_at(res->ctx, &scope->symbols, mangled);
    if (slot->value) return slot->value;
    Symbol *symbol = ctx_alloc(res->ctx, sizeof *symbol);
    slot->value = symbol;
    symbol->name = mangled;
    symbol->scope = scope;
    if (scope->last) {
        scope->last->next = symbol;
    } else {
        scope->first = symbol;
    }
    scope->last = symbol;
    return symbol;
}

Symbol *resolve_symbol(Resolution *res, const Scope *scope, Name name) {
    return scope_find(scope, resolve_mangle(res, scope, name));
}

Name resolve_mangle(Resolution *res, const Scope *scope, Name name) {
    if (!scope->mangle_class || name[0] != '_' || name[1] != '_') return name;
    size_t len = strlen(name);
    if (name[len - 1] == '_' && name[len - 2] == '_') return name;
    if (strchr(name, '.')) return name;
    const char *class_name = scope->mangle_class;
    while (*class_name == '_') class_name++;
    if (!*class_name) return name;
    size_t class_len = strlen(class_name);
    char *text = ctx_alloc(res->ctx, class_len + len + 2);
    text[0] = '_';
    memcpy(text + 1, class_name, class_len);
    memcpy(text + 1 + class_len, name, len); // memory comes cleared: a NUL follows
    return namemap_at(res->ctx, &res->mangled, text)->name;
}

// ---- owners -------------------------------------------------------------------------------------

static bool owns(const Symbol *symbol) {
    return symbol->flags & (SYM_BOUND | SYM_PARAM) &&
           !(symbol->flags & (SYM_GLOBAL | SYM_NONLOCAL | SYM_OUTER));
}

// Returns the symbol in the nearest enclosing function that has the variable, or NULL. Class bodies
// are skipped; the only name that functions inside them can reach is __class__.
static Symbol *find_outside(const Scope *scope, Name name) {
    for (Scope *at = scope->parent; at && at->kind != SCOPE_MODULE; at = at->parent) {
        if (at->kind == SCOPE_CLASS) {
            if (strcmp(name, "__class__") == 0) return &at->class_cell;
            continue;
        }
        Symbol *symbol = scope_find(at, name);
        if (!symbol) continue;
        if (symbol->flags & SYM_GLOBAL) return NULL;
        if (owns(symbol)) return symbol;
    }
    return NULL;
}

static void link_symbol(Resolution *res, Symbol *symbol) {
    const Scope *scope = symbol->scope;
    uint32_t flags = symbol->flags;
    if ((flags & (SYM_GLOBAL | SYM_NONLOCAL)) == (SYM_GLOBAL | SYM_NONLOCAL)) {
        ctx_fail(res->ctx, symbol->declared, "name '%s' is nonlocal and global", symbol->name);
    }
    bool top = scope->kind == SCOPE_MODULE;
    if (top && flags & SYM_NONLOCAL) {
        ctx_fail(res->ctx, symbol->declared, "nonlocal declaration not allowed at module level");
    }
    if (!(flags & SYM_GLOBAL) && !top) {
        if (owns(symbol)) {
            if (scope->kind != SCOPE_CLASS) symbol->owner = symbol;
            return;
        }
        symbol->owner = find_outside(scope, symbol->name);
    }
    if (flags & SYM_NONLOCAL && !symbol->owner) {
        ctx_fail(res->ctx, symbol->declared, "no binding for nonlocal '%s' found", symbol->name);
    }
    bool global = !symbol->owner;
    if (global && flags & SYM_BOUND && strcmp(symbol->name, "super") == 0) {
        res->rebinds_super = true;
    }
}

static void link_owners(Resolution *res, Scope *scope) {
    for (Symbol *symbol = scope->first; symbol; symbol = symbol->next) link_symbol(res, symbol);
    for (Scope *child = scope->children; child; child = child->sibling) link_owners(res, child);
}

// ---- frames -------------------------------------------------------------------------------------

// Sets the frame of `scope` and of the comprehensions that are inlined into it.
static void set_frame(Scope *scope, Scope *frame) {
    scope->frame = frame;
    for (Scope *child = scope->children; child; child = child->sibling) {
        if (child->frame != child) set_frame(child, frame);
    }
}

static void mark_captured(Scope *scope) {
    for (Symbol *symbol = scope->first; symbol; symbol = symbol->next) {
        Symbol *owner = symbol->owner;
        if (!owner) continue;
        if (owner->scope->frame != scope->frame || owner == &owner->scope->class_cell) {
            owner->captured = true;
        }
    }
    for (Scope *child = scope->children; child; child = child->sibling) {
        if (child->frame == scope->frame) mark_captured(child);
    }
}

// Returns whether a comprehension can be inlined as a loop into the code around it. It cannot if it is
// a generator, or if an inner function captures one of its variables: each run then needs fresh ones.
static bool can_inline(const Scope *scope) {
    if (scope->kind != SCOPE_COMPREHENSION || scope->generator) return false;
    const Scope *at = scope;
    while (at->kind == SCOPE_COMPREHENSION && !at->asks_names) at = at->parent;
    if (at->asks_names) return false; // locals() has the names of one code object
    for (const Symbol *symbol = scope->first; symbol; symbol = symbol->next) {
        if (symbol->captured) return false;
    }
    return true;
}

// Decides which scopes have a code object, innermost scopes first, as what a scope captures is known
// only once it is decided that it has one. An inlined scope keeps frame NULL until its parent's frame
// is set.
static void decide_frames(Scope *scope) {
    for (Scope *child = scope->children; child; child = child->sibling) decide_frames(child);
    if (can_inline(scope)) return;
    set_frame(scope, scope);
    mark_captured(scope);
}

// ---- registers ----------------------------------------------------------------------------------

// A register for a target of inlined comprehensions. Comprehensions that are not nested share the
// registers of targets with the same name.
typedef struct Shared {
    uint32_t reg;
    struct Shared *next;
} Shared;

static uint32_t new_local(Resolution *res, Scope *frame, Name name) {
    frame->local_names = ctx_grow(res->ctx, frame->local_names, &frame->local_cap,
                                  frame->local_count + 1, sizeof *frame->local_names);
    frame->local_names[frame->local_count] = name;
    return frame->local_count++;
}

static bool used_around(const Scope *scope, uint32_t reg) {
    for (const Scope *at = scope->parent; at != scope->frame; at = at->parent) {
        for (const Symbol *symbol = at->first; symbol; symbol = symbol->next) {
            if (symbol->owner == symbol && symbol->index == reg) return true;
        }
    }
    return false;
}

static uint32_t shared_local(Resolution *res, NameMap *shared, Scope *scope, Name name) {
    NameSlot *slot = namemap_at(res->ctx, shared, name);
    for (Shared *item = slot->value; item; item = item->next) {
        if (!used_around(scope, item->reg)) return item->reg;
    }
    Shared *item = ctx_alloc(res->ctx, sizeof *item);
    *item = (Shared){new_local(res, scope->frame, name), slot->value};
    slot->value = item;
    return item->reg;
}

static void place_inlined(Resolution *res, NameMap *shared, Scope *scope) {
    for (Scope *child = scope->children; child; child = child->sibling) {
        if (child->frame != scope->frame) continue;
        for (Symbol *symbol = child->first; symbol; symbol = symbol->next) {
            if (symbol->owner != symbol) continue;
            symbol->place = PLACE_REGISTER;
            symbol->index = shared_local(res, shared, child, symbol->name);
        }
        place_inlined(res, shared, child);
    }
}

static void place_owned(Resolution *res, Scope *frame, Symbol *symbol) {
    symbol->place = symbol->captured ? PLACE_CELL : PLACE_REGISTER;
    symbol->index = new_local(res, frame, symbol->name);
}

static void place_registers(Resolution *res, Scope *scope) {
    if (scope->frame == scope) {
        if (scope->kind == SCOPE_COMPREHENSION) new_local(res, scope, ".0");
        if (scope->class_cell.captured) place_owned(res, scope, &scope->class_cell);
        for (Symbol *symbol = scope->first; symbol; symbol = symbol->next) {
            if (symbol->owner == symbol) place_owned(res, scope, symbol);
        }
        NameMap shared = {.cap = 0};
        place_inlined(res, &shared, scope);
    }
    for (Scope *child = scope->children; child; child = child->sibling) place_registers(res, child);
}

// ---- captures -----------------------------------------------------------------------------------

// Returns the number that `owner`'s variable has among the free variables of `frame`. On first use,
// adds it to those of `frame` and of the frames between.
static uint32_t capture(Resolution *res, Scope *frame, Symbol *owner) {
    ScopeCaptures *captures = &frame->captures;
    for (uint32_t i = 0; i < captures->count; i++) {
        if (captures->items[i] == owner) return i;
    }
    Scope *around = frame->parent->frame;
    if (owner->scope->frame != around) capture(res, around, owner);
    captures->items =
        ctx_grow(res->ctx, captures->items, &captures->cap, captures->count + 1, sizeof(Symbol *));
    captures->items[captures->count] = owner;
    return captures->count++;
}

static void place_used(Resolution *res, Symbol *symbol) {
    Scope *scope = symbol->scope;
    Symbol *owner = symbol->owner;
    bool in_class = scope->kind == SCOPE_CLASS;
    if (owner == symbol) return;
    if (!owner) {
        symbol->place = in_class && !(symbol->flags & SYM_GLOBAL) ? PLACE_CLASS : PLACE_GLOBAL;
    } else if (owner->scope->frame == scope->frame) {
        symbol->place = owner->place;
        symbol->index = owner->index;
    } else {
        symbol->place = in_class ? PLACE_CLASS_FREE : PLACE_FREE;
        symbol->index = capture(res, scope->frame, owner);
    }
}

static void place_names(Resolution *res, Scope *scope) {
    for (Symbol *symbol = scope->first; symbol; symbol = symbol->next) place_used(res, symbol);
    for (Scope *child = scope->children; child; child = child->sibling) place_names(res, child);
}

// ---- driver -------------------------------------------------------------------------------------

static bool is_future_annotations(const Stmt *stmt) {
    if (stmt->kind != STMT_IMPORT_FROM || stmt->import_from.level > 0) return false;
    if (!stmt->import_from.module || strcmp(stmt->import_from.module, "__future__") != 0) {
        return false;
    }
    for (uint32_t i = 0; i < stmt->import_from.names.count; i++) {
        if (strcmp(stmt->import_from.names.items[i].name, "annotations") == 0) return true;
    }
    return false;
}

Resolution *resolve_module(Context *ctx, const Module *module) {
    Resolution *res = ctx_alloc(ctx, sizeof *res);
    res->ctx = ctx;
    for (uint32_t i = 0; i < module->body.count; i++) {
        if (is_future_annotations(module->body.items[i])) res->future_annotations = true;
    }
    resolve_collect(res, module);
    link_owners(res, res->module);
    decide_frames(res->module);
    place_registers(res, res->module);
    place_names(res, res->module);
    return res;
}
