// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loading, storing and deleting variables, by the place each lives in.

#include <string.h>

#include "lang/compile_internal.h"

static const Symbol *symbol_of(Fn *f, Name name) {
    return resolve_symbol(f->c->names, f->scope, name);
}

static Name mangled(Fn *f, Name name) {
    return resolve_mangle(f->c->names, f->scope, name);
}

uint32_t name_global_slot(Fn *f, Name name) {
    Compiler *c = f->c;
    name = mangled(f, name);
    NameSlot *slot = namemap_at(c->ctx, &c->globals, name);
    if (!slot->value) {
        uint32_t number = c->unit->global_count;
        c->global_names =
            ctx_grow(c->ctx, c->global_names, &c->global_cap, number + 1, sizeof *c->global_names);
        c->global_names[number] = name;
        c->unit->global_count = number + 1;
        slot->value = (void *)(uintptr_t)(number + 1);
    }
    return (uint32_t)(uintptr_t)slot->value - 1;
}

uint32_t name_register(Fn *f, Name name) {
    const Symbol *symbol = symbol_of(f, name);
    return symbol->place == PLACE_REGISTER ? symbol->index : NO_REG;
}

bool name_may_rebind(Fn *f, Name name) {
    const Symbol *symbol = symbol_of(f, name);
    return symbol->owner && symbol->owner->flags & SYM_WALRUS;
}

// Returns whether the name is read in an inlined comprehension but belongs to the code around it. In
// Python it would be a free variable there, so the error for an unbound one has to say that.
static bool is_free_inside(const Fn *f, const Symbol *symbol) {
    return f->scope->frame != f->scope && symbol->owner != symbol;
}

static void emit_read(Fn *f, Span span, const Symbol *symbol, Opcode op, uint32_t a, uint32_t b) {
    if (is_free_inside(f, symbol)) emit_alt(&f->e, span, op, a, b, 0);
    else emit(&f->e, span, op, a, b, 0);
}

void name_check(Fn *f, Span span, Name name) {
    const Symbol *symbol = symbol_of(f, name);
    emit_read(f, span, symbol, OP_CHECK, symbol->index, 0);
}

void name_load(Fn *f, Span span, Name name, uint32_t dest) {
    Emitter *e = &f->e;
    const Symbol *symbol = symbol_of(f, name);
    switch (symbol->place) {
    case PLACE_GLOBAL: emit_wide(e, span, OP_GLOBAL_GET, dest, name_global_slot(f, name)); break;
    case PLACE_REGISTER:
        name_check(f, span, name);
        emit_move(e, span, dest, symbol->index);
        break;
    case PLACE_CELL: emit_read(f, span, symbol, OP_CELL_GET, dest, symbol->index); break;
    case PLACE_FREE: emit(e, span, OP_FREE_GET, dest, symbol->index, 0); break;
    case PLACE_CLASS:
        emit(e, span, OP_NAME_GET, dest, emit_name(e, symbol->name), 0);
        emit_extension(e, name_global_slot(f, name));
        break;
    case PLACE_CLASS_FREE:
        emit_alt(e, span, OP_NAME_GET, dest, emit_name(e, symbol->name), 0);
        emit_extension(e, symbol->index);
        break;
    }
}

void name_store(Fn *f, Span span, Name name, Operand value) {
    Emitter *e = &f->e;
    const Symbol *symbol = symbol_of(f, name);
    switch (symbol->place) {
    case PLACE_GLOBAL: emit_wide(e, span, OP_GLOBAL_SET, value, name_global_slot(f, name)); break;
    case PLACE_REGISTER: emit_move(e, span, symbol->index, value); break;
    case PLACE_CELL: emit(e, span, OP_CELL_SET, symbol->index, value, 0); break;
    case PLACE_FREE:
    case PLACE_CLASS_FREE: emit(e, span, OP_FREE_SET, symbol->index, value, 0); break;
    case PLACE_CLASS: emit(e, span, OP_NAME_SET, emit_name(e, symbol->name), value, 0); break;
    }
}

void name_delete(Fn *f, Span span, Name name) {
    Emitter *e = &f->e;
    const Symbol *symbol = symbol_of(f, name);
    switch (symbol->place) {
    case PLACE_GLOBAL: emit_wide(e, span, OP_GLOBAL_DEL, 0, name_global_slot(f, name)); break;
    case PLACE_REGISTER:
        name_check(f, span, name);
        emit(e, span, OP_UNDEFINE, symbol->index, 0, 0);
        break;
    case PLACE_CELL: emit(e, span, OP_CELL_DEL, symbol->index, 0, 0); break;
    case PLACE_FREE:
    case PLACE_CLASS_FREE: emit(e, span, OP_FREE_DEL, symbol->index, 0, 0); break;
    case PLACE_CLASS: emit(e, span, OP_NAME_DEL, emit_name(e, symbol->name), 0, 0); break;
    }
}

void name_clear(Fn *f, Span span, Name name) {
    uint32_t reg = name_register(f, name);
    if (reg != NO_REG) {
        emit(&f->e, span, OP_UNDEFINE, reg, 0, 0);
        return;
    }
    name_store(f, span, name, expr_none(f));
    name_delete(f, span, name);
}
