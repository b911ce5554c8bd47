// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Scopes of the forward pass: variables, their liveness, and the values to restore on leaving,
// including the frames of calls in progress.

#include "vm/jit/steps.h"

// --- Variables ---------------------------------------------------------------------------------

uint32_t infer_var_count(const Infer *f, int32_t scope) {
    return scope == 0 ? f->root_count : f->variant->scopes[scope].base + f->places[scope].reg_count;
}

void infer_enter(Infer *f, Spot at) {
    f->scope = at.scope;
    f->place = &f->places[at.scope];
    f->regs = f->vars + f->variant->scopes[at.scope].base;
    f->pc = f->next = at.pc;
}

// Returns whether a variable is live at a position. In a calling frame, the call's result register counts as written.
bool infer_is_live(const Infer *f, Spot at, uint32_t var) {
    uint32_t answer = UINT32_MAX;
    for (;;) {
        const Scope *scope = &f->variant->scopes[at.scope];
        const LoopPlace *place = &f->places[at.scope];
        if (at.scope == 0) return place_is_live(place, at.pc, var) && var != answer;
        if (var >= scope->base)
            return var < scope->base + place->reg_count && var - scope->base != answer &&
                   place_is_live(place, at.pc, var - scope->base);
        answer = scope->dest;
        at = (Spot){scope->parent, scope->call_pc};
        const Instr *call = &f->places[at.scope].code->bc->code[at.pc];
        at.pc += bc_op_info[call->op].words;
    }
}

uint32_t infer_made(const Infer *f, Spot at, const Var *vars) {
    uint32_t count = infer_var_count(f, at.scope), made = 0;
    for (uint32_t v = 0; v < count; v++) {
        VarType type = vars[v].type;
        if (type.kind < VAR_MADE || !infer_is_live(f, at, v)) continue;
        if (type.kind == VAR_BODY) made |= f->bodies[type.which].made;
        if (type.kind > VAR_EACH) continue;
        int owner = view_of_code(type.which).owner;
        if (owner >= FIRST_MADE) made |= 1u << (owner - FIRST_MADE);
    }
    return made;
}

// Returns whether a live variable has a kind that exists only inside regions.
bool infer_holds_pieces(const Infer *f, Spot at) {
    uint32_t count = infer_var_count(f, at.scope);
    for (uint32_t v = 0; v < count; v++)
        if (f->vars[v].type.kind >= VAR_SLICE && infer_is_live(f, at, v)) return true;
    return false;
}

// --- Exits -------------------------------------------------------------------------------------

// Returns whether a variable is certainly unchanged. Registers not read on entry may hold anything.
static bool is_kept(const Infer *f, uint32_t var, VarType after) {
    if (var >= f->root_count) return after.kind == VAR_UNDEF;
    VarType before = f->variant->entry[var];
    bool same =
        before.kind == after.kind && before.which == after.which && before.dtype == after.dtype;
    return same && var_parts(after) == 0 &&
           (after.kind != VAR_UNDEF || var >= f->places[0].reg_count);
}

static bool add_exit_var(Infer *f, uint32_t var, VarType type) {
    Variant *v = f->variant;
    if (!mem_grow(f->maker->mem, (void **)&v->exit_vars, &v->exit_var_room, v->exit_var_count + 1,
                  sizeof *v->exit_vars))
        return false;
    v->exit_vars[v->exit_var_count++] = (ExitVar){var, type};
    return true;
}

// Raises the variant's bounds on frames to what an exit in this scope needs.
static void want_frames(Infer *f, int32_t scope) {
    Variant *v = f->variant;
    uint32_t bytes = 0;
    int count = 0;
    for (; scope > 0; scope = v->scopes[scope].parent, count++)
        bytes += f->places[scope].code->frame_size;
    if (bytes > v->frame_bytes) v->frame_bytes = bytes;
    if (count > v->frame_count) v->frame_count = count;
}

int32_t infer_make_exit(Infer *f, Spot at, const Var *vars) {
    Variant *variant = f->variant;
    size_t number = (size_t)variant->region.exit_count;
    RegionExit exit = {.pc = at.pc,
                       .first = variant->region.link_count,
                       .why_pc = at.pc,
                       .like = variant->region.exit_count};
    Exit own = {
        .scope = at.scope, .first = (int32_t)variant->exit_var_count, .why_scope = at.scope};
    uint32_t count = infer_var_count(f, at.scope);
    int iters = 0, views = 0;
    bool room = mem_grow(f->maker->mem, (void **)&variant->exits, &variant->exit_room, number + 1,
                         sizeof own);
    for (uint32_t v = 0; room && v < count; v++) {
        VarType type = infer_is_live(f, at, v) ? vars[v].type : (VarType){0};
        if (is_kept(f, v, type)) continue;
        room = add_exit_var(f, v, type);
        for (int p = 0; p < var_parts(type); p++, exit.count++)
            region_add_link(f->maker, vars[v].parts[p]);
        iters += type.kind == VAR_ITER || type.kind == VAR_EACH;
        views += type.kind == VAR_VIEW || type.kind == VAR_EACH;
        f->maker->failed |= type.kind >= VAR_SLICE;
    }
    if (views > variant->view_count) variant->view_count = views;
    if (!room || iters > EXIT_ITERS || views > EXIT_VIEWS) f->maker->failed = true;
    if (!room) return NO_VALUE;
    want_frames(f, at.scope);
    own.count = (int32_t)variant->exit_var_count - own.first;
    variant->exits[number] = own;
    return region_add_exit(f->maker, exit);
}
