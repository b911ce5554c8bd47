// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The forward pass: goes through the loop's instructions with the types that its variables have,
// and makes the region's blocks on the way. A block is made once for every set of types that it is
// reached with (basic block versioning: Chevalier-Boisvert and Feeley, "Simple and Effective Type
// Check Removal through Lazy Basic Block Versioning", ECOOP 2015).

#include <string.h>

#include "lang/effects.h"
#include "vm/interp/interp.h"
#include "vm/spec/steps.h"
#include "vm/value/class.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"

enum { VERSIONS_OF_A_BLOCK = 8 };

// --- Emitting ----------------------------------------------------------------------------------

int32_t infer_emit(Infer *f, RegionInstr instr) {
    return region_add(f->maker, instr);
}

int32_t infer_number(Infer *f, DType type, Scalar number) {
    return infer_emit(f, INSTR(.op = RG_NUMBER, .type = (uint8_t)type, .number = number.u));
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
    return types ? region_add_exit(f->maker, exit) : NO_VALUE;
}

int32_t infer_exit(Infer *f) {
    if (f->restart_exit == NO_VALUE)
        f->restart_exit = make_exit(f, f->restart_pc, f->restart);
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

static void leave(Infer *f, bool unknown, bool whole) {
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
    leave(f, unknown, holds_rows(f, f->vars, f->pc));
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
static void begin_statement(Infer *f) {
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

static uint32_t global_var(const Infer *f, const Instr *at) {
    uint32_t slot = instr_wide(*at), g = 0;
    while (f->place->globals[g] != slot) g++;
    return f->place->reg_count + g;
}

// --- Instructions ------------------------------------------------------------------------------

static void drop_last_uses(Infer *f, const Instr *at) {
    const uint16_t fields[3] = {at->a, at->b, at->c};
    for (int n = 0; n < 3; n++)
        if (at->flags & FLAG_LAST_A << n) infer_set(f, fields[n], (Var){0});
}

static void drop_run(Infer *f, uint32_t first, uint32_t count) {
    for (uint32_t r = first; r < first + count; r++) infer_set(f, r, (Var){0});
}

static const OpId arithmetic_ops[] = {
    AOP_ADD,        AOP_SUBTRACT,    AOP_MULTIPLY,   AOP_DIVIDE,        AOP_FLOOR_DIVIDE,
    AOP_REMAINDER,  AOP_POWER,       AOP_LEFT_SHIFT, AOP_RIGHT_SHIFT,   AOP_BITWISE_AND,
    AOP_BITWISE_OR, AOP_BITWISE_XOR, AOP_NONE,       AOP_LESS,          AOP_LESS_EQUAL,
    AOP_EQUAL,      AOP_NOT_EQUAL,   AOP_GREATER,    AOP_GREATER_EQUAL,
};

static bool step_operator(Infer *f, const Instr *at, Var *out) {
    OpId op = arithmetic_ops[instr_operator(at) - OP_ADD];
    Var a = infer_operand(f, 'x', at->b), b = infer_operand(f, bc_op_info[at->op].c, at->c);
    if (op == AOP_NONE) return step_dot(f, a, b, false, out);
    if (is_row(f, a) || is_row(f, b)) return step_rows(f, op, (const Var[]){a, b}, 2, out);
    return op >= AOP_EQUAL && op <= AOP_GREATER_EQUAL ? step_comparison(f, op, a, b, out)
                                                      : step_arithmetic(f, op, a, b, out);
}

// Two kinds that say whether one of them is None.
static bool step_is(Infer *f, const Instr *at, Var *out) {
    Var a = infer_operand(f, 'x', at->b), b = infer_operand(f, 'x', at->c);
    if (a.type.kind != VAR_NONE && b.type.kind != VAR_NONE) return false;
    if (a.type.kind == VAR_OBJECT || b.type.kind == VAR_OBJECT) return false;
    bool same = a.type.kind == b.type.kind;
    *out = var_of(VAR_BOOL, infer_number(f, DT_BOOL, (Scalar){.i = same == (at->op == OP_IS)}));
    return true;
}

static bool step_not(Infer *f, const Instr *at, Var *out) {
    int32_t truth;
    if (!truth_of(f, infer_operand(f, 'x', at->b), &truth)) return false;
    *out = var_of(VAR_BOOL, infer_apply(f, AOP_LOGICAL_NOT, DT_BOOL, DT_BOOL, truth, NO_VALUE));
    return true;
}

static bool step_items(Infer *f, const Instr *at, uint32_t array, uint32_t keys, bool get,
                       Var *out) {
    uint32_t count = instr_wide(at[1]);
    if (count > REGION_DIMS) return false;
    Var each[REGION_DIMS];
    for (uint32_t i = 0; i < count; i++) each[i] = f->vars[keys + i];
    bool known = get ? step_get(f, f->vars[array], each, (int)count, out)
                     : step_set(f, f->vars[array], each, (int)count, infer_operand(f, 'x', at->c));
    if (known) drop_run(f, keys, count);
    return known;
}

static bool step_item(Infer *f, const Instr *at, Var *out) {
    Var array, key;
    if (at->op == OP_GETITEM) {
        array = infer_operand(f, 'x', at->b);
        key = infer_operand(f, 'x', at->c);
        return step_get(f, array, &key, 1, out);
    }
    key = infer_operand(f, 'x', at->b);
    return step_set(f, f->vars[at->a], &key, 1, infer_operand(f, 'x', at->c));
}

static bool is_range_class(const Infer *f, Var callee) {
    if (callee.type.kind != VAR_CONST) return false;
    Value v = f->variant->constants[callee.type.which];
    return v.kind == K_CLASS && v.cls->instance_kind == K_RANGE;
}

// What iterates over a range only: the call and ITER together.
static bool step_range_loop(Infer *f, const Instr *at) {
    const Instr *next = at + 1;
    Var args[3], iter;
    bool looped = next->op == OP_ITER && next->b == at->a && at->c >= 1 && at->c <= 3 &&
                  (next->flags & FLAG_LAST_B || next->a == next->b);
    if (!looped || !is_range_class(f, f->vars[at->b])) return false;
    for (int i = 0; i < at->c; i++) args[i] = f->vars[at->b + 1 + i];
    if (!step_range(f, args, at->c, &iter)) return false;
    drop_run(f, at->b, at->c + 1u);
    infer_set(f, at->a, (Var){0});
    infer_set(f, next->a, iter);
    f->pc += 1; // ITER's
    return true;
}

static bool step_plain_call(Infer *f, const Instr *at, Var *out) {
    enum { ARGS = 4 };
    uint32_t first = at->b + 1u;
    int count = at->c;
    Var callee = f->vars[at->b], args[ARGS];
    if (at->op == OP_CALLM) {
        if (f->vars[first].type.kind != VAR_UNDEF) return false;
        first++;
    }
    if (callee.type.kind != VAR_CONST || count > ARGS) return false;
    for (int i = 0; i < count; i++) args[i] = f->vars[first + (uint32_t)i];
    if (!step_call(f, f->variant->constants[callee.type.which], args, count, out)) return false;
    drop_run(f, at->b, first + (uint32_t)count - at->b);
    return true;
}

static bool step_method(Infer *f, const Instr *at) {
    Var found;
    if (!step_attribute(f, f->vars[at->b], f->place->code->consts[at->c].str, &found)) return false;
    if (at->flags & FLAG_LAST_B) infer_set(f, at->b, (Var){0});
    infer_set(f, at->a, found);
    infer_set(f, at->a + 1u, (Var){0});
    return true;
}

// Goes along a conditional jump. False: the truth of that is not known here.
static bool step_branch(Infer *f, const Instr *at) {
    int32_t truth;
    uint32_t next = f->pc + 1, target = instr_wide(*at);
    Var v = f->vars[at->a];
    if (v.type.kind == VAR_NONE) {
        if (at->flags & FLAG_LAST_A) infer_set(f, at->a, (Var){0});
        infer_jump(f, at->op == OP_JUMP_IF ? next : target);
        return true;
    }
    if (!truth_of(f, v, &truth)) return false;
    if (at->flags & FLAG_LAST_A) infer_set(f, at->a, (Var){0});
    infer_branch(f, truth, at->op == OP_JUMP_IF ? target : next,
                 at->op == OP_JUMP_IF ? next : target);
    return true;
}

// Instructions without an answer for register a, or with more than one. *known is false where the
// region has no words for it. False: it is none of them.
static bool step_other(Infer *f, const Instr *at, bool *known) {
    *known = true;
    switch (at->op) {
    case OP_NOP: return true;
    case OP_LOOP:
    case OP_LOOP_ARMED: infer_poll(f); return true;
    case OP_CHECK: *known = f->vars[at->a].type.kind != VAR_UNDEF; return true;
    case OP_UNDEFINE: infer_set(f, at->a, (Var){0}); return true;
    case OP_GLOBAL_SET: {
        Var v = infer_operand(f, 'x', at->a);
        if (v.type.kind >= VAR_SLICE) {
            *known = false;
            return true;
        }
        if (at->flags & FLAG_LAST_A) infer_set(f, at->a, (Var){0});
        infer_set(f, global_var(f, at), v);
        return true;
    }
    case OP_SETITEM: *known = step_item(f, at, NULL); break;
    case OP_SETITEMS: *known = step_items(f, at, at->a, at->b, false, NULL); break;
    case OP_GETMETHOD: *known = step_method(f, at); return true;
    case OP_JUMP: infer_jump(f, instr_wide(*at)); return true;
    case OP_JUMP_IF:
    case OP_JUMP_IFNOT: *known = step_branch(f, at); return true;
    case OP_FOR:
    case OP_FOR_ARMED: *known = step_for(f, at); return true;
    default: return false;
    }
    if (*known) drop_last_uses(f, at);
    return true;
}

// Instructions that make a value for register a.
static bool step_value(Infer *f, const Instr *at, Var *out) {
    if (at->op >= OP_ADD && at->op <= OP_GE_INT) return step_operator(f, at, out);
    switch (at->op) {
    case OP_MOVE: *out = infer_operand(f, 'x', at->b); return true;
    case OP_GLOBAL_GET: *out = f->vars[global_var(f, at)]; return out->type.kind != VAR_UNDEF;
    case OP_IS:
    case OP_IS_NOT: return step_is(f, at, out);
    case OP_NEG: {
        Var v = infer_operand(f, 'x', at->b);
        return is_row(f, v) ? step_rows(f, AOP_NEGATIVE, &v, 1, out) : step_negative(f, v, out);
    }
    case OP_SLICE:
        if (!step_slice(f, &f->vars[at->b], out)) return false;
        drop_run(f, at->b, 3);
        return true;
    case OP_INVERT: return step_invert(f, infer_operand(f, 'x', at->b), out);
    case OP_NOT: return step_not(f, at, out);
    case OP_GETITEM: return step_item(f, at, out);
    case OP_GETITEMS: return step_items(f, at, at->b, at->c, true, out);
    case OP_GETATTR:
        return step_attribute(f, f->vars[at->b], f->place->code->consts[at->c].str, out);
    case OP_CALL:
    case OP_CALLM: return step_plain_call(f, at, out);
    default: return false;
    }
}

static void step(Infer *f, const Instr *at) {
    Var out = {0};
    bool known;
    if (at->op == OP_CALL && step_range_loop(f, at)) return;
    if (!step_other(f, at, &known)) {
        known = step_value(f, at, &out);
        if (known && out.type.kind >= VAR_SLICE && at->a < f->place->code->bc->local_count) {
            leave(f, true, true); // names hold what can be put back into them
            return;
        }
        if (known) {
            drop_last_uses(f, at);
            infer_set(f, at->a, out);
        }
    }
    if (!known) infer_leave(f, true);
}

// --- Blocks ------------------------------------------------------------------------------------

static bool is_target(const LoopPlace *place, uint32_t pc) {
    const BcCode *bc = place->code->bc;
    if (pc == place->head) return true;
    for (uint32_t i = place->begin; i < place->end; i += bc_op_info[bc->code[i].op].words) {
        const Instr *target = instr_target(&bc->code[i]);
        if (target && instr_wide(*target) == pc) return true;
    }
    return false;
}

static void take_params(Infer *f, const Version *version) {
    for (uint32_t v = 0; v < f->var_count; v++) {
        f->vars[v] = (Var){version->types[v], {NO_VALUE, NO_VALUE, NO_VALUE}};
        for (int p = 0; p < var_parts(version->types[v]); p++)
            f->vars[v].parts[p] = infer_emit(
                f, INSTR(.op = RG_PARAM, .type = (uint8_t)var_part_type(version->types[v])));
    }
}

static void make_block(Infer *f, int32_t number) {
    const LoopPlace *place = f->place;
    Version version = f->versions[number];
    const Instr *code = place->code->bc->code;
    const uint8_t *marks = place->code->bc->marks;
    int32_t first = f->variant->region.code_count;
    take_params(f, &version);
    f->pc = version.pc;
    f->told_count = f->body_count = 0;
    f->row_told = f->ended = false;
    begin_statement(f);
    while (!f->ended && !f->maker->failed) {
        if (f->pc < place->begin || f->pc >= place->end) {
            infer_leave(f, false);
            break;
        }
        if (f->pc != version.pc) {
            if (is_target(place, f->pc)) {
                infer_jump(f, f->pc);
                break;
            }
            if (f->done || marks[f->pc] & BC_MARK_STATEMENT) begin_statement(f);
        }
        const Instr *at = &code[f->pc];
        step(f, at);
        f->pc += bc_op_info[at->op].words;
    }
    if (f->maker->failed) return;
    RegionBlock *block = &f->variant->region.blocks[version.block];
    block->first = first;
    block->end = f->variant->region.code_count;
}

// --- Entry -------------------------------------------------------------------------------------

bool is_constant_object(Value v) {
    return v.kind == K_CLASS || v.kind == K_NATIVE || v.kind == K_MODULE || v.kind == K_UFUNC ||
           v.kind == K_FUNC;
}

static bool is_type_with_code(DType type) {
    return type != DT_FLOAT16 && dtype_kind(type) != DK_COMPLEX;
}

// An array whose elements the region can get at: aligned, and of a type that it has words for.
static bool is_usable(Array *array) {
    int64_t size = (int64_t)dtype_size(array->dtype);
    if (!is_type_with_code(array->dtype) || array->ndim < 1 || array->ndim > REGION_DIMS)
        return false;
    bool aligned = array->offset % size == 0;
    for (int d = 0; d < array->ndim; d++) aligned &= array_strides(array)[d] % size == 0;
    return aligned;
}

static bool is_dense(Array *array) {
    return array_strides(array)[array->ndim - 1] == (int64_t)dtype_size(array->dtype);
}

static VarType add_array(Infer *f, Array *array, uint32_t var) {
    Region *r = &f->variant->region;
    if (r->array_count == REGION_ARRAYS || !is_usable(array))
        return (VarType){.kind = VAR_OBJECT, .which = (uint16_t)var};
    f->variant->array_vars[r->array_count] = (uint16_t)var;
    r->arrays[r->array_count] = (RegionArray){
        .dtype = (uint8_t)array->dtype, .ndim = (uint8_t)array->ndim, .dense = is_dense(array)};
    return (VarType){
        .kind = VAR_ARRAY, .dtype = (uint8_t)array->dtype, .which = (uint16_t)r->array_count++};
}

static VarType walk_type(Infer *f, Array *array, uint32_t var) {
    VarType type = {.kind = VAR_OBJECT, .which = (uint16_t)var};
    if (array->ndim == 1) type = add_array(f, array, var);
    if (type.kind != VAR_ARRAY) return type;
    return (VarType){.kind = VAR_WALK, .dtype = (uint8_t)type.which, .which = (uint16_t)var};
}

static VarType entry_type(Infer *f, uint32_t var, Value v) {
    switch (v.kind) {
    case K_UNDEF: return (VarType){0};
    case K_NONE: return (VarType){.kind = VAR_NONE};
    case K_BOOL: return (VarType){.kind = VAR_BOOL};
    case K_INT: return (VarType){.kind = VAR_INT};
    case K_FLOAT: return (VarType){.kind = VAR_FLOAT};
    case K_SCALAR:
        if (!is_type_with_code((DType)v.aux)) break;
        return (VarType){.kind = VAR_SCALAR, .dtype = (uint8_t)v.aux};
    case K_ITER:
        if (v.obj->aux == ITER_RANGE && v.obj->refs == 1) return (VarType){.kind = VAR_ITER};
        if (v.obj->aux == ITER_ARRAY && v.obj->refs == 1 && v.iter->over.kind == K_ARRAY)
            return walk_type(f, v.iter->over.array, var);
        break;
    case K_ARRAY: return add_array(f, v.array, var);
    default: break;
    }
    int number = is_constant_object(v) ? infer_constant(f, v) : -1;
    if (number >= 0) return (VarType){.kind = VAR_CONST, .which = (uint16_t)number};
    return (VarType){.kind = VAR_OBJECT, .which = (uint16_t)var};
}

// Block 0: takes the slots, and jumps to the loop's head.
static void make_entry(Infer *f, const Value *regs) {
    Variant *variant = f->variant;
    int32_t block = region_add_block(f->maker, f->place->head), slot = 0;
    for (uint32_t v = 0; v < f->var_count; v++) {
        bool live = place_is_live(f->place, f->place->head, v);
        VarType type = live ? entry_type(f, v, place_value(f->place, regs, v)) : (VarType){0};
        f->vars[v] = (Var){type, {NO_VALUE, NO_VALUE, NO_VALUE}};
        variant->entry[v] = type;
        for (int p = 0; p < var_parts(type); p++)
            f->vars[v].parts[p] =
                infer_emit(f, INSTR(.op = RG_INPUT, .type = (uint8_t)var_part_type(type),
                                    .number = (uint64_t)slot++));
    }
    for (int a = 0; a < variant->region.array_count; a++) {
        variant->region.arrays[a].slot = slot;
        slot += 1 + 2 * variant->region.arrays[a].ndim;
    }
    region_wants_slots(f->maker, slot);
    f->pc = f->place->head;
    infer_jump(f, f->place->head);
    if (!f->maker->failed)
        variant->region.blocks[block] = (RegionBlock){0, variant->region.code_count, f->pc};
}

// The head's block leaves at once: there is nothing to be gained.
static bool is_vain(const Region *region) {
    const RegionBlock *head = &region->blocks[1];
    return region->code[head->end - 1].op == RG_LEAVE;
}

static Status infer(Infer *f, const Value *regs) {
    make_entry(f, regs);
    for (int32_t i = 0; i < f->version_count && !f->maker->failed; i++) make_block(f, i);
    f->variant->failed = f->maker->failed || is_vain(&f->variant->region);
    const char *wrong = f->variant->failed ? NULL : region_verify(&f->variant->region);
    return wrong ? vm_raise(f->vm, EXC_SystemError, "a loop in machine code has %s", wrong) : ST_OK;
}

static Status infer_with(Vm *vm, const LoopPlace *place, const Value *regs, Variant *variant, Infer *f) {
    uint32_t vars = place_vars(place);
    variant->maker = (RegionMaker){.mem = &vm->mem, .region = &variant->region};
    *f = (Infer){.vm = vm, .place = place, .variant = variant, .maker = &variant->maker, .var_count = vars,
                 .restart_exit = NO_VALUE};
    f->vars = mem_zalloc(&vm->mem, 2 * vars * sizeof *f->vars);
    f->restart = f->vars + vars;
    variant->failed = !f->vars;
    Status st = f->vars ? infer(f, regs) : ST_OK;
    mem_free(&vm->mem, f->vars, 2 * vars * sizeof *f->vars);
    for (int32_t i = 0; i < f->version_count; i++)
        mem_free(&vm->mem, f->versions[i].types, vars * sizeof(VarType));
    return st;
}

Status variant_make(Vm *vm, const LoopPlace *place, const Value *regs, Variant **out) {
    Variant *variant = mem_zalloc(&vm->mem, sizeof *variant);
    Infer *f = mem_zalloc(&vm->mem, sizeof *f);
    Status st = ST_OK;
    if (variant) variant->entry = mem_zalloc(&vm->mem, place_vars(place) * sizeof *variant->entry);
    bool room = variant && f && variant->entry;
    if (room) st = infer_with(vm, place, regs, variant, f);
    mem_free(&vm->mem, f, sizeof *f);
    if (!room && variant) {
        variant_free(vm, place, variant);
        variant = NULL;
    }
    *out = variant;
    return st;
}

void variant_free(Vm *vm, const LoopPlace *place, Variant *variant) {
    uint32_t vars = place_vars(place);
    for (int i = 0; i < variant->constant_count; i++) release(vm, variant->constants[i]);
    for (int i = 0; i < variant->guard_count; i++) {
        release_obj(vm, variant->guards[i].module);
        release(vm, variant->guards[i].value);
    }
    mem_free(&vm->mem, variant->entry, vars * sizeof(VarType));
    mem_free(&vm->mem, variant->exits, variant->exit_room * vars * sizeof(VarType));
    if (variant->maker.mem) region_free(&vm->mem, &variant->maker);
    mem_free(&vm->mem, variant, sizeof *variant);
}
