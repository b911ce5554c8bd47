// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a region is made of while instructions are gone through: values, exits, jumps, variables.

#include <string.h>

#include "vm/spec/steps.h"

enum { VERSIONS_OF_A_BLOCK = 8 };

// --- Emitting ----------------------------------------------------------------------------------

int32_t infer_emit(Infer *f, RegionInstr instr) {
    return region_add(f->maker, instr);
}

int32_t infer_number(Infer *f, DType type, Scalar number) {
    return infer_emit(f, INSTR(.op = RG_NUMBER, .type = (uint8_t)type, .number = number.u));
}

int32_t infer_int(Infer *f, int64_t i) {
    return infer_number(f, DT_INT64, (Scalar){.i = i});
}

bool infer_known(const Infer *f, int32_t value, int64_t *number) {
    const RegionInstr *in = &f->variant->region.code[value];
    if (f->maker->failed || in->op != RG_NUMBER) return false;
    *number = (int64_t)in->number;
    return true;
}

int32_t infer_apply(Infer *f, OpId op, DType from, DType type, int32_t a, int32_t b) {
    RegionInstr instr = INSTR(.op = RG_APPLY, .elementwise = (uint8_t)op, .from = (uint8_t)from,
                              .type = (uint8_t)type);
    instr.args[0] = a;
    instr.args[1] = b;
    return infer_emit(f, instr);
}

int32_t infer_cast(Infer *f, DType from, DType to, int32_t value) {
    if (from == to) return value;
    RegionInstr instr = INSTR(.op = RG_CAST, .from = (uint8_t)from, .type = (uint8_t)to);
    instr.args[0] = value;
    return infer_emit(f, instr);
}

// --- Leaving -----------------------------------------------------------------------------------

// Room for the types of one more exit.
static VarType *exit_types(Infer *f) {
    Variant *v = f->variant;
    size_t count = (size_t)v->region.exit_count + 1, row = f->var_count * sizeof(VarType);
    if (!mem_grow(f->maker->mem, (void **)&v->exits, &v->exit_room, count, row)) {
        f->maker->failed = true;
        return NULL;
    }
    return v->exits + (count - 1) * f->var_count;
}

static int32_t make_exit(Infer *f, uint32_t pc, const Var *vars) {
    VarType *types = exit_types(f);
    RegionExit exit = {.pc = pc, .first = f->variant->region.link_count, .why_pc = pc};
    int iters = 0;
    for (uint32_t v = 0; types && v < f->var_count; v++) {
        types[v] = place_is_live(f->place, pc, v) ? vars[v].type : (VarType){0};
        for (int p = 0; p < var_parts(types[v]); p++, exit.count++)
            region_add_link(f->maker, vars[v].parts[p]);
        iters += types[v].kind == VAR_ITER;
        f->maker->failed |= types[v].kind >= VAR_SLICE;
    }
    f->maker->failed |= iters > EXIT_ITERS;
    exit.like = f->variant->region.exit_count;
    return types ? region_add_exit(f->maker, exit) : NO_VALUE;
}

int32_t infer_exit(Infer *f) {
    if (f->restart_exit == NO_VALUE) f->restart_exit = make_exit(f, f->restart_pc, f->restart);
    return f->restart_exit;
}

void infer_leave_if(Infer *f, int32_t condition) {
    RegionInstr instr = INSTR(.op = RG_LEAVE_IF);
    instr.exit = infer_exit(f);
    instr.args[0] = condition;
    infer_emit(f, instr);
}

// There is something that only the region has words for.
static bool holds_rows(const Infer *f, const Var *vars, uint32_t pc) {
    for (uint32_t v = 0; v < f->var_count; v++)
        if (vars[v].type.kind >= VAR_SLICE && place_is_live(f->place, pc, v)) return true;
    return false;
}

void infer_leave_statement(Infer *f, bool unknown, bool whole) {
    infer_quiet(f);
    RegionInstr instr = INSTR(.op = RG_LEAVE);
    // One of its own, that says why.
    instr.exit = whole ? make_exit(f, f->restart_pc, f->restart) : make_exit(f, f->pc, f->vars);
    if (instr.exit != NO_VALUE) {
        f->variant->region.exits[instr.exit].unknown = unknown;
        f->variant->region.exits[instr.exit].why_pc = f->pc;
    }
    infer_emit(f, instr);
    f->ended = true;
}

void infer_leave(Infer *f, bool unknown) {
    infer_leave_statement(f, unknown, holds_rows(f, f->vars, f->pc));
}

void infer_quiet(Infer *f) {
    if (f->told_count == 0 && !f->row_told) return;
    RegionInstr instr = INSTR(.op = RG_QUIET, .dim = f->row_told);
    instr.exit = infer_exit(f);
    memcpy(instr.args, f->told, (size_t)f->told_count * sizeof *f->told);
    infer_emit(f, instr);
    f->told_count = 0;
    f->row_told = false;
}

void infer_row_tells(Infer *f) {
    f->row_told = true;
}

void infer_poll(Infer *f) {
    RegionInstr instr = INSTR(.op = RG_POLL);
    instr.exit = infer_exit(f);
    infer_emit(f, instr);
}

void infer_tells(Infer *f, int32_t value) {
    if (f->told_count == QUIETLY) infer_quiet(f);
    f->told[f->told_count++] = value;
}

// What comes now can be begun again here.
void infer_begin_statement(Infer *f) {
    infer_quiet(f);
    memcpy(f->restart, f->vars, f->var_count * sizeof *f->vars);
    f->restart_pc = f->pc;
    f->restart_exit = NO_VALUE;
    f->done = false;
}

// --- Jumping -----------------------------------------------------------------------------------

static bool types_equal(const Version *version, const VarType *types, uint32_t count) {
    return memcmp(version->types, types, count * sizeof *types) == 0;
}

// The block for these types, made later; -1: there are too many.
static int32_t find_version(Infer *f, uint32_t pc, const VarType *types) {
    int same = 0;
    for (int32_t i = 0; i < f->version_count; i++) {
        if (f->versions[i].pc != pc) continue;
        if (types_equal(&f->versions[i], types, f->var_count)) return i;
        same++;
    }
    if (same == VERSIONS_OF_A_BLOCK || f->version_count == REGION_BLOCKS) return -1;
    Version *version = &f->versions[f->version_count];
    version->pc = pc;
    version->types = mem_alloc(f->maker->mem, f->var_count * sizeof *types);
    version->block = region_add_block(f->maker, pc);
    if (!version->types)
        f->maker->failed = true;
    else
        memcpy(version->types, types, f->var_count * sizeof *types);
    return f->version_count++;
}

RegionEdge infer_edge(Infer *f, uint32_t pc) {
    RegionEdge edge = {.first = f->variant->region.link_count};
    VarType *types = mem_alloc(f->maker->mem, f->var_count * sizeof *types);
    if (!types) {
        f->maker->failed = true;
        return edge;
    }
    for (uint32_t v = 0; v < f->var_count; v++) {
        types[v] = place_is_live(f->place, pc, v) ? f->vars[v].type : (VarType){0};
        f->maker->failed |= types[v].kind >= VAR_SLICE;
        for (int p = 0; p < var_parts(types[v]); p++, edge.count++)
            region_add_link(f->maker, f->vars[v].parts[p]);
    }
    int32_t version = find_version(f, pc, types);
    if (version < 0)
        f->maker->failed = true;
    else
        edge.block = f->versions[version].block;
    mem_free(f->maker->mem, types, f->var_count * sizeof *types);
    return edge;
}

void infer_branch_along(Infer *f, int32_t condition, RegionEdge yes, RegionEdge no) {
    RegionInstr instr = INSTR(.op = RG_BRANCH, .edges = {yes, no});
    instr.args[0] = condition;
    infer_emit(f, instr);
    f->ended = true;
}

void infer_jump(Infer *f, uint32_t pc) {
    infer_quiet(f);
    RegionEdge edge = infer_edge(f, pc);
    infer_emit(f, INSTR(.op = RG_JUMP, .edges = {edge}));
    f->ended = true;
}

void infer_branch(Infer *f, int32_t condition, uint32_t yes, uint32_t no) {
    infer_quiet(f);
    RegionEdge to = infer_edge(f, yes);
    infer_branch_along(f, condition, to, infer_edge(f, no));
}

// --- Variables ---------------------------------------------------------------------------------

Var var_of(VarKind kind, int32_t part) {
    return (Var){{.kind = (uint8_t)kind}, {part, NO_VALUE, NO_VALUE}};
}

void infer_set(Infer *f, uint32_t var, Var to) {
    f->vars[var] = to;
}

int infer_constant(Infer *f, Value value) {
    Variant *v = f->variant;
    for (int i = 0; i < v->constant_count; i++)
        if (v_is(v->constants[i], value)) return i;
    if (v->constant_count == CONSTANTS) return -1;
    v->constants[v->constant_count] = retain(value);
    return v->constant_count++;
}

static Var var_of_constant(Infer *f, Value value) {
    switch (value.kind) {
    case K_NONE: return var_of(VAR_NONE, NO_VALUE);
    case K_BOOL: return var_of(VAR_BOOL, infer_number(f, DT_BOOL, (Scalar){.i = value.i}));
    case K_INT: return var_of(VAR_INT, infer_number(f, DT_INT64, (Scalar){.i = value.i}));
    case K_FLOAT: return var_of(VAR_FLOAT, infer_number(f, DT_FLOAT64, (Scalar){.f = value.f}));
    default: break;
    }
    int number = infer_constant(f, value);
    if (number < 0) f->maker->failed = true;
    return (Var){{.kind = VAR_CONST, .which = (uint16_t)(number < 0 ? 0 : number)},
                 {NO_VALUE, NO_VALUE, NO_VALUE}};
}

Var infer_operand(Infer *f, char letter, uint16_t field) {
    if (letter == 'i') return var_of_constant(f, v_int((int16_t)field));
    if (field & CONST_BIT) return var_of_constant(f, f->place->code->consts[field & ~CONST_BIT]);
    return f->vars[field];
}

uint32_t infer_global(const Infer *f, const Instr *at) {
    uint32_t slot = instr_wide(*at), g = 0;
    while (f->place->globals[g] != slot) g++;
    return f->place->reg_count + g;
}
