// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Emission into a region during the forward pass: values, exits, jumps, variables.

#include <string.h>

#include "vm/jit/steps.h"

enum { VERSIONS_OF_A_BLOCK = 8 };

// --- Emitting ----------------------------------------------------------------------------------

// Returns whether an instruction is pure: equal operands give equal results anywhere.
static bool is_plain(uint8_t op) {
    return op == RG_NUMBER || op == RG_APPLY || op == RG_CAST || op == RG_ADDRESS ||
           op == RG_EXTENT || op == RG_STRIDE || op == RG_SAFE;
}

// Finds an equal instruction of this block (local value numbering).
static int32_t find_same(const Infer *f, const RegionInstr *instr) {
    enum { LOOK_BACK = 512 };
    const Region *r = &f->variant->region;
    int32_t first = r->code_count - LOOK_BACK;
    if (first < f->block_first) first = f->block_first;
    for (int32_t i = r->code_count; i-- > first;) {
        const RegionInstr *in = &r->code[i];
        if (in->op == instr->op && in->elementwise == instr->elementwise &&
            in->from == instr->from && in->type == instr->type && in->array == instr->array &&
            in->dim == instr->dim && in->number == instr->number &&
            memcmp(in->args, instr->args, sizeof in->args) == 0)
            return i;
    }
    return NO_VALUE;
}

int32_t infer_emit(Infer *f, RegionInstr instr) {
    int32_t same = is_plain(instr.op) ? find_same(f, &instr) : NO_VALUE;
    if (same != NO_VALUE) return same;
    const BcCode *bc = f->place->code->bc;
    if (f->ahead && instr.exit != NO_VALUE) ahead_explain(f, &instr);
    instr.scope = (uint16_t)f->scope;
    instr.line = bc_span(bc, f->pc < bc->code_len ? f->pc : 0).line;
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

int32_t infer_choice(Infer *f, int32_t condition, int32_t yes, int32_t no) {
    return infer_emit(f, region_choice(DT_INT64, condition, yes, no));
}

int32_t infer_cast(Infer *f, DType from, DType to, int32_t value) {
    if (from == to) return value;
    RegionInstr instr = INSTR(.op = RG_CAST, .from = (uint8_t)from, .type = (uint8_t)to);
    instr.args[0] = value;
    return infer_emit(f, instr);
}

// --- Leaving -----------------------------------------------------------------------------------

int32_t infer_exit(Infer *f) {
    if (f->ahead) return ahead_exit(f, LEFT_NONE, NULL, 0);
    if (f->restart_exit == NO_VALUE)
        f->restart_exit = infer_make_exit(f, f->restart_at, f->restart);
    return f->restart_exit;
}

void infer_leave_if(Infer *f, int32_t condition) {
    RegionInstr instr = INSTR(.op = RG_LEAVE_IF);
    instr.exit = infer_exit(f);
    instr.args[0] = condition;
    infer_emit(f, instr);
}

void infer_leave_for(Infer *f, int32_t condition, int why, int32_t a, int32_t b) {
    if (!f->ahead) {
        infer_leave_if(f, condition);
        return;
    }
    RegionInstr instr = INSTR(.op = RG_LEAVE_IF);
    instr.exit = ahead_exit(f, why, (const int32_t[]){a, b}, (a != NO_VALUE) + (b != NO_VALUE));
    instr.args[0] = condition;
    infer_emit(f, instr);
}

void infer_leave_shapes(Infer *f, int32_t condition, ShapesKind kind, int a_ndim, const int32_t *a,
                        int b_ndim, const int32_t *b) {
    int32_t values[2 * REGION_DIMS];
    if (!f->ahead) {
        infer_leave_if(f, condition);
        return;
    }
    memcpy(values, a, (size_t)a_ndim * sizeof *a);
    if (b_ndim > 0) memcpy(values + a_ndim, b, (size_t)b_ndim * sizeof *b);
    RegionInstr instr = INSTR(.op = RG_LEAVE_IF);
    instr.exit = ahead_exit(f, because(LEFT_SHAPES, shapes_detail(kind, a_ndim, b_ndim)), values,
                            a_ndim + b_ndim);
    instr.args[0] = condition;
    infer_emit(f, instr);
}

void infer_leave_statement(Infer *f, bool unknown, bool whole) {
    if (f->ahead) {
        ahead_give_up(f, (Spot){f->scope, f->pc});
        return;
    }
    infer_quiet(f);
    RegionInstr instr = INSTR(.op = RG_LEAVE);
    // This exit is not shared, since it records the reason.
    Spot here = {f->scope, f->pc};
    instr.exit =
        whole ? infer_make_exit(f, f->restart_at, f->restart) : infer_make_exit(f, here, f->vars);
    if (instr.exit != NO_VALUE) {
        f->variant->region.exits[instr.exit].unknown = unknown;
        f->variant->region.exits[instr.exit].why_pc = f->pc;
        f->variant->exits[instr.exit].why_scope = f->scope;
    }
    infer_emit(f, instr);
    f->ended = true;
}

void infer_leave(Infer *f, bool unknown) {
    infer_leave_statement(f, unknown, infer_holds_pieces(f, (Spot){f->scope, f->pc}));
}

// Leaves if noted values or the last nest raised float flags. AOT functions report none, and note none.
void infer_quiet(Infer *f) {
    if (f->told_count == 0 && !f->nest_told) return;
    RegionInstr instr = INSTR(.op = RG_QUIET, .dim = f->nest_told);
    instr.exit = infer_exit(f);
    memcpy(instr.args, f->told, (size_t)f->told_count * sizeof *f->told);
    infer_emit(f, instr);
    f->told_count = 0;
    f->nest_told = false;
}

void infer_nest_tells(Infer *f) {
    f->nest_told = !f->ahead;
}

void infer_poll(Infer *f) {
    RegionInstr instr = INSTR(.op = RG_POLL);
    instr.exit = infer_exit(f);
    infer_emit(f, instr);
}

void infer_tells(Infer *f, int32_t value) {
    if (f->ahead) return;
    if (f->told_count == QUIETLY) infer_quiet(f);
    f->told[f->told_count++] = value;
}

// Marks a restart point: the interpreter could resume here.
void infer_begin_statement(Infer *f) {
    infer_quiet(f);
    memcpy(f->restart, f->vars, infer_var_count(f, f->scope) * sizeof *f->vars);
    f->restart_at = (Spot){f->scope, f->pc};
    f->restart_exit = NO_VALUE;
    f->done = false;
    if (!infer_holds_pieces(f, f->restart_at)) f->body_count = f->tuple_count = 0;
}

// --- Jumping -----------------------------------------------------------------------------------

static bool is_version(const Version *version, Spot at, const VarType *types) {
    return version->at.scope == at.scope && version->at.pc == at.pc &&
           memcmp(version->types, types, version->count * sizeof *types) == 0;
}

// Finds the block version for these types, or requests it; -1: too many.
static int32_t find_version(Infer *f, Spot at, const VarType *types, uint32_t count) {
    int same = 0;
    for (int32_t i = 0; i < f->version_count; i++) {
        if (is_version(&f->versions[i], at, types)) return i;
        same += f->versions[i].at.scope == at.scope && f->versions[i].at.pc == at.pc;
    }
    if (same == VERSIONS_OF_A_BLOCK || f->version_count == REGION_BLOCKS) return -1;
    Version *version = &f->versions[f->version_count];
    *version = (Version){.at = at, .block = region_add_block(f->maker, at.pc), .count = count};
    version->types = mem_alloc(f->maker->mem, count * sizeof *types);
    if (!version->types)
        f->maker->failed = true;
    else
        memcpy(version->types, types, count * sizeof *types);
    return f->version_count++;
}

RegionEdge infer_edge(Infer *f, uint32_t pc) {
    RegionEdge edge = {.first = f->variant->region.link_count};
    Spot at = {f->scope, pc};
    uint32_t count = infer_var_count(f, at.scope);
    VarType *types = mem_alloc(f->maker->mem, count * sizeof *types);
    if (!types) {
        f->maker->failed = true;
        return edge;
    }
    for (uint32_t v = 0; v < count; v++) {
        types[v] = infer_is_live(f, at, v) ? f->vars[v].type : (VarType){0};
        f->maker->failed |= types[v].kind >= VAR_SLICE;
        for (int p = 0; p < var_parts(types[v]); p++, edge.count++)
            region_add_link(f->maker, f->vars[v].parts[p]);
    }
    int32_t version = find_version(f, at, types, count);
    if (version < 0)
        f->maker->failed = true;
    else
        edge.block = f->versions[version].block;
    mem_free(f->maker->mem, types, count * sizeof *types);
    return edge;
}

void infer_branch_along(Infer *f, int32_t condition, RegionEdge yes, RegionEdge no) {
    RegionInstr instr = INSTR(.op = RG_BRANCH, .edges = {yes, no});
    instr.args[0] = condition;
    infer_emit(f, instr);
    f->ended = true;
}

// Emits deferred operations that are live at pc, since neither an exit nor another block could restore them.
bool infer_settle(Infer *f, uint32_t pc) {
    uint32_t count = infer_var_count(f, f->scope);
    for (uint32_t v = 0; v < count; v++)
        if (f->vars[v].type.kind == VAR_BODY && infer_is_live(f, (Spot){f->scope, pc}, v) &&
            !step_make(f, f->vars[v], &f->vars[v]))
            return false;
    return true;
}

void infer_jump(Infer *f, uint32_t pc) {
    bool settled = infer_settle(f, pc);
    infer_quiet(f);
    if (!settled || infer_holds_pieces(f, (Spot){f->scope, pc})) {
        infer_leave_statement(f, true, true);
        return;
    }
    RegionEdge edge = infer_edge(f, pc);
    infer_emit(f, INSTR(.op = RG_JUMP, .edges = {edge}));
    f->ended = true;
}

void infer_branch(Infer *f, int32_t condition, uint32_t yes, uint32_t no) {
    bool settled = infer_settle(f, yes) && infer_settle(f, no);
    infer_quiet(f);
    if (!settled || infer_holds_pieces(f, (Spot){f->scope, yes}) ||
        infer_holds_pieces(f, (Spot){f->scope, no})) {
        infer_leave_statement(f, true, true);
        return;
    }
    RegionEdge to = infer_edge(f, yes);
    infer_branch_along(f, condition, to, infer_edge(f, no));
}

// --- Variables ---------------------------------------------------------------------------------

Var var_of(VarKind kind, int32_t part) {
    Var v = {{.kind = (uint8_t)kind}, NO_PARTS};
    v.parts[0] = part;
    return v;
}

void infer_set(Infer *f, uint32_t reg, Var to) {
    f->regs[reg] = to;
}

int infer_constant(Infer *f, Value value) {
    Variant *v = f->variant;
    for (int i = 0; i < v->constant_count; i++)
        if (v_is(v->constants[i], value)) return i;
    if (v->constant_count == CONSTANTS) return -1;
    v->constants[v->constant_count] = retain(value);
    return v->constant_count++;
}

Var infer_object(Infer *f, Value value) {
    switch (value.kind) {
    case K_NONE: return var_of(VAR_NONE, NO_VALUE);
    case K_BOOL: return var_of(VAR_BOOL, infer_number(f, DT_BOOL, (Scalar){.i = value.i}));
    case K_INT: return var_of(VAR_INT, infer_number(f, DT_INT64, (Scalar){.i = value.i}));
    case K_FLOAT: return var_of(VAR_FLOAT, infer_number(f, DT_FLOAT64, (Scalar){.f = value.f}));
    default: break;
    }
    int number = infer_constant(f, value);
    if (number < 0) f->maker->failed = true;
    return (Var){{.kind = VAR_CONST, .which = (uint16_t)(number < 0 ? 0 : number)}, NO_PARTS};
}

Var infer_operand(Infer *f, char letter, uint16_t field) {
    if (letter == 'i') return infer_object(f, v_int((int16_t)field));
    if (field & CONST_BIT) return infer_object(f, f->place->code->consts[field & ~CONST_BIT]);
    return f->regs[field];
}

Var *infer_global(Infer *f, const Instr *at) {
    const LoopPlace *root = &f->places[0];
    uint32_t slot = instr_wide(*at);
    if (f->place->module != root->module) return NULL;
    for (uint32_t g = 0; g < root->global_count; g++)
        if (root->globals[g] == slot) return &f->vars[root->reg_count + g];
    return NULL;
}
