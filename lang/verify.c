// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Checks everything that the interpreter assumes of a unit: each field against the rows of opcodes.def,
// then, by data flow analysis, that no path reads a register without a value.

#include <string.h>

#include "lang/flow.h"
#include "lang/unit.h"

typedef struct Verifier {
    const BcUnit *unit;
    const BcCode *code;
    Arena arena;       // working memory for this code object
    bool *starts;      // per word: an instruction begins here
    bool *cells;       // per register: it holds a cell
    uint32_t prologue; // number of CELL_NEW instructions at the start
    Buf *why;
    bool *no_memory;
} Verifier;

enum { MOST_INDEXES = 32 };

static bool fail_at(Verifier *v, uint32_t index, const char *what) {
    if (v->why && v->code) {
        buf_printf(v->why, "%s, instruction %u: %s", v->code->qualname, (unsigned)index, what);
    }
    return false;
}

static bool fail(Verifier *v, const char *what) {
    if (v->why) buf_puts(v->why, what);
    return false;
}

static bool out_of_memory(Verifier *v) {
    *v->no_memory = true;
    return fail(v, "out of memory");
}

// ---- fields -------------------------------------------------------------------------------------

static bool good_run(const Verifier *v, uint32_t first, uint32_t count) {
    return first <= v->code->reg_count && count <= v->code->reg_count - first;
}

static bool good_const(const Verifier *v, uint32_t number, BcConstKind kind) {
    return number < v->code->const_count && v->code->consts[number].kind == kind;
}

static bool good_operand(const Verifier *v, uint16_t value) {
    if (!(value & CONST_BIT)) return value < v->code->reg_count;
    uint32_t number = value & ~(uint32_t)CONST_BIT;
    return number < v->code->const_count && v->code->consts[number].kind != BC_CODE;
}

static bool good_field(const Verifier *v, const Instr *at, char letter, uint16_t value) {
    switch (letter) {
    case 'd':
    case 's':
    case 'r': return value < v->code->reg_count;
    case 'D': return value < v->code->reg_count && good_run(v, value, instr_dest_count(at));
    case 'S': return good_run(v, value, instr_source_count(at));
    case 'x': return good_operand(v, value);
    case 'k': return good_const(v, value, at->op == OP_FUNC ? BC_CODE : BC_STR);
    default: return true;
    }
}

static bool may_be_alt(const Instr *at) {
    switch (at->op) {
    case OP_CHECK:
    case OP_CELL_GET:
    case OP_NAME_GET:
    case OP_EXTEND:
    case OP_CALLKW:
    case OP_SUPER:
    case OP_RAISE:
    case OP_ASSERT_FAIL:
    case OP_IMPORT: return true;
    default: return op_is_test(at->op) || (instr_operator(at) >= OP_ADD && instr_operator(at) <= OP_MATMUL);
    }
}

// Checks flags: FLAG_ALT only on instructions that have it, last-use flags only on fields that are
// read, and at most one per register.
static bool good_flags(const Instr *at) {
    Effects effects;
    uint8_t allowed = may_be_alt(at) ? FLAG_ALT : 0;
    instr_effects(at, &effects);
    for (uint32_t i = 0; i < effects.read_count; i++) {
        allowed |= effects.read_flags[i];
        if (!(at->flags & effects.read_flags[i])) continue;
        uint32_t reg = effects.reads[i];
        if (reg - effects.defined.first < effects.defined.count) return false;
        for (uint32_t k = 0; k < i; k++) {
            if (effects.reads[k] == reg && at->flags & effects.read_flags[k]) return false;
        }
    }
    return !(at->flags & ~allowed);
}

static bool good_extensions(const Instr *at) {
    const BcOpInfo *info = &bc_op_info[at->op];
    bool cache = info->words == 3;
    for (int i = 1; i < info->words; i++) {
        if (at[i].op != OP_EXT || at[i].flags || at[i].a) return false;
        if (cache && instr_wide(at[i])) return false;
    }
    return true;
}

static bool good_names(const Verifier *v, const Instr *at) {
    uint32_t number = instr_wide(at[1]);
    if (!good_const(v, number, BC_TUPLE)) return false;
    const BcConst *names = &v->code->consts[number];
    for (uint32_t i = 0; i < names->len; i++) {
        if (names->items[i].kind != BC_STR) return false;
    }
    return names->len > 0 && names->len <= at->c;
}

static bool jump_follows(const Verifier *v, const Instr *at) {
    const Instr *next = at + bc_op_info[at->op].words;
    return next < v->code->code + v->code->code_len && next->a == at->a &&
           (next->op == OP_JUMP_IF || next->op == OP_JUMP_IFNOT);
}

// Checks what the letters of the instruction's row do not express. Returns what is wrong, or NULL.
static const char *check_special(const Verifier *v, const Instr *at) {
    uint32_t flags = v->code->flags, captures = v->code->capture_count;
    if (op_is_test(at->op) && at->flags & FLAG_ALT && !jump_follows(v, at)) return "no jump";
    switch (at->op) {
    case OP_NAME_GET:
    case OP_NAME_SET:
    case OP_NAME_DEL:
        if (!(flags & BC_CLASS_BODY)) return "only in class bodies";
        if (at->op != OP_NAME_GET) return NULL;
        if (at->flags & FLAG_ALT) return instr_wide(at[1]) < captures ? NULL : "free variable";
        return instr_wide(at[1]) < v->unit->global_count ? NULL : "global";
    case OP_FOR_ARMED:
    case OP_LOOP_ARMED: return "not of a fresh unit";
    case OP_FREE_GET: return at->b < captures ? NULL : "free variable";
    case OP_FREE_SET:
    case OP_FREE_DEL: return at->a < captures ? NULL : "free variable";
    case OP_SUPER: return at->c < captures ? NULL : "free variable";
    case OP_YIELD:
    case OP_YIELD_FROM: return flags & BC_GENERATOR ? NULL : "only in generators";
    case OP_ANNOTATE: return flags & (BC_MODULE | BC_CLASS_BODY) ? NULL : "not in a function";
    case OP_IMPORT_STAR: return flags & BC_MODULE ? NULL : "only in modules";
    case OP_CONVERT: return at->c == 's' || at->c == 'r' || at->c == 'a' ? NULL : "conversion";
    case OP_GETITEMS:
    case OP_SETITEMS: {
        uint32_t count = instr_wide(at[1]);
        return count >= 2 && count <= MOST_INDEXES ? NULL : "number of indexes";
    }
    case OP_EXC_ENTER:
    case OP_EXC_LEAVE: return good_run(v, at->a, 2) ? NULL : "register";
    case OP_CALLKW: return good_names(v, at) ? NULL : "names";
    case OP_EXTEND: return at->flags & FLAG_ALT && at->a == 0 ? "no callee" : NULL;
    default: return NULL;
    }
}

static bool check_instr(Verifier *v, uint32_t index) {
    const Instr *at = &v->code->code[index];
    if (at->op >= OP_COUNT || at->op == OP_EXT) return fail_at(v, index, "opcode");
    const BcOpInfo *info = &bc_op_info[at->op];
    if (info->words > v->code->code_len - index) return fail_at(v, index, "cut short");
    if (!good_extensions(at)) return fail_at(v, index, "extension words");
    const char *wrong = check_special(v, at);
    if (wrong) return fail_at(v, index, wrong);
    if (!good_field(v, at, info->a, at->a)) return fail_at(v, index, "field a");
    if (!good_field(v, at, info->b, at->b)) return fail_at(v, index, "field b");
    if (!good_field(v, at, info->c, at->c)) return fail_at(v, index, "field c");
    bool global = info->b == 'w';
    if (global && instr_wide(*at) >= v->unit->global_count) return fail_at(v, index, "global");
    return good_flags(at) ? true : fail_at(v, index, "flags");
}

// ---- jumps and ranges ---------------------------------------------------------------------------

static bool check_instructions(Verifier *v) {
    const BcCode *code = v->code;
    uint32_t last = 0;
    if (code->code_len == 0) return fail(v, "no instructions");
    for (uint32_t i = 0; i < code->code_len; i += bc_op_info[code->code[i].op].words) {
        if (!check_instr(v, i)) return false;
        v->starts[i] = true;
        last = i;
    }
    if (!op_ends_path(code->code[last].op)) return fail_at(v, last, "runs off the end");
    return true;
}

static bool good_target(const Verifier *v, uint32_t target) {
    return target < v->code->code_len && v->starts[target] && target >= v->prologue;
}

static bool check_targets(Verifier *v) {
    const BcCode *code = v->code;
    for (uint32_t i = 0; i < code->code_len; i += bc_op_info[code->code[i].op].words) {
        const Instr *target = instr_target(&code->code[i]);
        if (target && !good_target(v, instr_wide(*target))) return fail_at(v, i, "jump");
    }
    for (uint32_t i = 0; i < code->handler_count; i++) {
        const BcHandler *row = &code->handlers[i];
        bool good = row->start < row->end && row->end <= code->code_len && v->starts[row->start] &&
                    (row->end == code->code_len || v->starts[row->end]) &&
                    good_target(v, row->handler) && row->reg < code->reg_count &&
                    row->reg >= code->local_count;
        if (!good) return fail(v, "bad exception range");
    }
    return true;
}

// ---- cells --------------------------------------------------------------------------------------

// Finds the registers that hold cells. CELL_NEW may occur only at the start of the code, on named
// registers; check_targets refuses jumps to there.
static bool find_cells(Verifier *v) {
    const BcCode *code = v->code;
    while (v->prologue < code->code_len && code->code[v->prologue].op == OP_CELL_NEW) {
        uint16_t reg = code->code[v->prologue].a;
        if (reg >= code->local_count || v->cells[reg]) return fail_at(v, v->prologue, "cell");
        v->cells[reg] = true;
        v->prologue++;
    }
    for (uint32_t i = v->prologue; i < code->code_len; i += bc_op_info[code->code[i].op].words) {
        if (code->code[i].op == OP_CELL_NEW) return fail_at(v, i, "cell made late");
    }
    return true;
}

static bool run_has_cell(const Verifier *v, RegRun run) {
    for (uint32_t i = 0; i < run.count; i++) {
        if (v->cells[run.first + i]) return true;
    }
    return false;
}

// Returns the register that the instruction uses as a cell, or -1.
static int cell_field(const Verifier *v, const Instr *at) {
    switch (at->op) {
    case OP_CELL_GET: return at->b;
    case OP_CELL_SET:
    case OP_CELL_DEL: return at->a;
    case OP_SUPER: return at->flags & FLAG_ALT ? at->b : -1;
    case OP_NAME_SET: {
        const BcConst *name = &v->code->consts[at->a];
        bool class_cell = name->len == 13 && memcmp(name->text, "__classcell__", 13) == 0;
        return class_cell && !(at->b & CONST_BIT) && v->cells[at->b] ? at->b : -1;
    }
    default: return -1;
    }
}

static bool check_cells(Verifier *v) {
    const BcCode *code = v->code;
    for (uint32_t i = v->prologue; i < code->code_len; i += bc_op_info[code->code[i].op].words) {
        const Instr *at = &code->code[i];
        Effects effects;
        instr_effects(at, &effects);
        int cell = cell_field(v, at);
        if (cell >= 0 && !v->cells[cell]) return fail_at(v, i, "not a cell");
        if (run_has_cell(v, effects.consumed) || run_has_cell(v, effects.updated) ||
            run_has_cell(v, effects.defined) || run_has_cell(v, effects.dropped)) {
            return fail_at(v, i, "overwrites a cell");
        }
        for (uint32_t k = 0; k < effects.read_count; k++) {
            uint16_t reg = effects.reads[k];
            bool field = reg == cell && !(at->flags & effects.read_flags[k]);
            if (v->cells[reg] && !field) return fail_at(v, i, "reads a cell");
        }
    }
    return true;
}

// ---- data flow ----------------------------------------------------------------------------------

static uint64_t needed_bits(const Instr *at, uint32_t base) {
    Effects effects;
    if (at->op == OP_CHECK || at->op == OP_CELL_NEW) return 0; // their register may be undefined
    instr_effects(at, &effects);
    uint64_t bits = flow_bits(effects.consumed, base) | flow_bits(effects.updated, base);
    for (uint32_t i = 0; i < effects.read_count; i++) bits |= flow_bit(effects.reads[i], base);
    // The callee in a-1, which a later call consumes.
    if (at->op == OP_EXTEND && at->flags & FLAG_ALT) bits |= flow_bit(at->a - 1u, base);
    return bits;
}

static bool check_chunk(Verifier *v, const Flow *flow, uint32_t base, const uint64_t *in) {
    for (uint32_t i = 0; i < flow->count; i++) {
        const FlowBlock *block = &flow->blocks[i];
        uint64_t state = in[i];
        if (!block->reachable) continue;
        for (uint32_t k = block->start; k < block->end; k += bc_op_info[flow->code[k].op].words) {
            if (needed_bits(&flow->code[k], base) & ~state) {
                return fail_at(v, k, "reads a register without a value");
            }
            defined_step(&flow->code[k], base, &state);
        }
    }
    return true;
}

static bool check_flow(Verifier *v) {
    const BcCode *code = v->code;
    uint32_t params = (uint32_t)code->positional + code->keyword_only +
                      !!(code->flags & BC_VARARGS) + !!(code->flags & BC_VARKW);
    Flow flow;
    if (!flow_build(&flow, &v->arena, code->code, code->code_len, code->handlers,
                    code->handler_count)) {
        return out_of_memory(v);
    }
    for (uint32_t base = 0; base < code->reg_count; base += FLOW_CHUNK) {
        const uint64_t *in = defined_solve(&flow, &v->arena, base, flow_below(params, base));
        if (!in) return out_of_memory(v);
        if (!check_chunk(v, &flow, base, in)) return false;
    }
    return true;
}

// ---- code objects -------------------------------------------------------------------------------

static bool check_captures(Verifier *v, const BcCode *inner) {
    for (uint32_t i = 0; i < inner->capture_count; i++) {
        const BcCapture *capture = &inner->captures[i];
        bool good = capture->from_register
                        ? capture->index < v->code->reg_count && v->cells[capture->index]
                        : capture->index < v->code->capture_count;
        if (!good) return fail(v, "captures what is not there");
    }
    return true;
}

static bool check_constants(Verifier *v) {
    for (uint32_t i = 0; i < v->code->const_count; i++) {
        const char *wrong = verify_constant(&v->code->consts[i], 0);
        if (wrong) return fail(v, wrong);
    }
    return true;
}

static bool check_code_itself(Verifier *v) {
    const BcCode *code = v->code;
    const char *wrong = verify_header(code);
    if (wrong) return fail(v, wrong);
    v->starts = arena_alloc(&v->arena, code->code_len + 1u);
    v->cells = arena_alloc(&v->arena, code->reg_count + 1u);
    if (!v->starts || !v->cells) return out_of_memory(v);
    if (!check_constants(v) || !check_instructions(v) || !find_cells(v)) return false;
    if (!check_targets(v) || !check_cells(v) || !check_flow(v)) return false;
    for (uint32_t i = 0; i < code->const_count; i++) {
        const BcConst *value = &code->consts[i];
        if (value->kind == BC_CODE && !check_captures(v, value->code)) return false;
    }
    return true;
}

static bool check_code(Verifier *outer, const BcCode *code, uint32_t depth) {
    if (depth > UNIT_MAX_NESTING) return fail(outer, "code nested too deeply");
    Verifier v = {
        .unit = outer->unit, .code = code, .why = outer->why, .no_memory = outer->no_memory};
    arena_init(&v.arena, v.unit->mem);
    bool good = check_code_itself(&v);
    arena_free(&v.arena); // before the recursion, so that memory does not grow with the nesting
    for (uint32_t i = 0; good && i < code->const_count; i++) {
        if (code->consts[i].kind != BC_CODE) continue;
        const BcCode *inner = code->consts[i].code;
        if (inner->flags & BC_MODULE) return fail(outer, "a module inside a function");
        good = check_code(&v, inner, depth + 1);
    }
    return good;
}

bool unit_verify(const BcUnit *unit, Buf *why, bool *no_memory) {
    Verifier v = {.unit = unit, .why = why, .no_memory = no_memory};
    if (!unit->main || !(unit->main->flags & BC_MODULE)) return fail(&v, "no module");
    if (unit->main->capture_count > 0) return fail(&v, "a module captures");
    for (uint32_t i = 0; i < unit->global_count; i++) {
        const char *name = unit->globals[i];
        if (!name || !verify_text(name, strlen(name))) return fail(&v, "bad name of a global");
    }
    return check_code(&v, unit->main, 0);
}

bool bc_verify(const BcUnit *unit, Buf *why) {
    bool no_memory = false;
    return unit_verify(unit, why, &no_memory);
}
