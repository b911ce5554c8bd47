// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds loops in bytecode, their variables, and liveness.

#include <string.h>

#include "lang/effects.h"
#include "vm/jit/infer.h"

enum { CODE_MOST = 1 << 15, LIVE_WORDS_MOST = 1 << 18, GLOBALS_MOST = 256 };

// --- Bounds ------------------------------------------------------------------------------------

static bool is_head(uint8_t op) {
    return op == OP_FOR || op == OP_FOR_ARMED || op == OP_LOOP || op == OP_LOOP_ARMED;
}

static uint32_t target_of(const Instr *at, bool *jumps) {
    const Instr *target = instr_target((Instr *)at);
    *jumps = target;
    return target ? instr_wide(*target) : 0;
}

// Returns, for each instruction, the end of the last jump back to it; 0: none. Owned; NULL: out of memory.
static uint32_t *find_jumps_back(Vm *vm, const BcCode *bc) {
    uint32_t *ends = mem_zalloc(&vm->mem, bc->code_len * sizeof *ends);
    bool jumps;
    for (uint32_t i = 0; ends && i < bc->code_len; i += bc_op_info[bc->code[i].op].words) {
        uint32_t to = target_of(&bc->code[i], &jumps);
        if (jumps && to <= i) ends[to] = i + bc_op_info[bc->code[i].op].words;
    }
    return ends;
}

// Finds a loop's range from its head. The compiler places the head and the test after the body, and an
// inner loop entirely before or after the head. So the loop begins at the target of the first jump after
// the head that leads to the head or before it.
static bool find_bounds(const BcCode *bc, const uint32_t *ends, uint32_t head, uint32_t *begin,
                        uint32_t *end) {
    bool jumps;
    for (uint32_t i = head; i < bc->code_len; i += bc_op_info[bc->code[i].op].words) {
        uint32_t to = target_of(&bc->code[i], &jumps);
        if (!jumps || to > head) continue;
        *begin = to;
        *end = ends[to];
        return true;
    }
    return false;
}

int place_heads(Vm *vm, const Code *code, uint32_t pc, uint32_t *heads, int most) {
    const BcCode *bc = code->bc;
    uint32_t begins[32], begin, end, *ends = NULL;
    int count = 0;
    if (most > 32) most = 32;
    if (bc->code_len <= CODE_MOST) ends = find_jumps_back(vm, bc);
    for (uint32_t i = 0; ends && i < bc->code_len; i += bc_op_info[bc->code[i].op].words) {
        if (!is_head(bc->code[i].op) || !find_bounds(bc, ends, i, &begin, &end) || pc < begin || pc >= end)
            continue;
        int at = count < most ? count++ : most - 1;
        for (; at > 0 && begins[at - 1] > begin; at--) {
            begins[at] = begins[at - 1];
            heads[at] = heads[at - 1];
        }
        begins[at] = begin;
        heads[at] = i;
    }
    mem_free(&vm->mem, ends, bc->code_len * sizeof *ends);
    return count;
}

// --- Variables ---------------------------------------------------------------------------------

static bool names_global(const Instr *at) {
    return at->op == OP_GLOBAL_GET || at->op == OP_GLOBAL_SET;
}

static bool find_globals(Vm *vm, LoopPlace *place) {
    const Instr *all = place->code->bc->code;
    uint32_t most = 0;
    for (uint32_t i = place->begin; i < place->end; i += bc_op_info[all[i].op].words)
        most += names_global(&all[i]);
    place->globals = mem_zalloc(&vm->mem, (GLOBALS_MOST + 1) * sizeof *place->globals);
    if (!place->globals || most > 8 * GLOBALS_MOST) return false;
    for (uint32_t i = place->begin; i < place->end; i += bc_op_info[all[i].op].words) {
        if (!names_global(&all[i])) continue;
        uint32_t slot = instr_wide(all[i]), known = 0;
        while (known < place->global_count && place->globals[known] != slot) known++;
        if (known == GLOBALS_MOST) return false;
        if (known == place->global_count) place->globals[place->global_count++] = slot;
    }
    return true;
}

Value place_value(const LoopPlace *place, const Value *regs, uint32_t var) {
    if (var < place->reg_count) return regs[var];
    uint32_t slot = place->globals[var - place->reg_count];
    Value v = place->module->slots[slot];
    return v.kind == K_UNDEF ? place->module->builtin[slot] : v;
}

Value source_value(const Source *source, const Frame *frame) {
    const Cell *cell = NULL;
    switch ((SourceKind)source->kind) {
    case SOURCE_SLOT: {
        const Module *module = (const Module *)source->holder;
        Value v = module->slots[source->at];
        return v.kind == K_UNDEF ? module->builtin[source->at] : v;
    }
    case SOURCE_CELL: cell = (const Cell *)source->holder; break;
    case SOURCE_FREE: cell = frame->func->cells[source->at]; break;
    case SOURCE_CAPTURED:
        if (frame->regs[source->at].kind == K_CELL) cell = frame->regs[source->at].cell;
        break;
    }
    return cell ? cell->value : V_UNDEF;
}

// --- Liveness ----------------------------------------------------------------------------------

static void mark(uint64_t *set, RegRun run, bool on) {
    for (uint32_t r = run.first; r < run.first + run.count; r++) {
        uint64_t bit = (uint64_t)1 << r % 64;
        set[r / 64] = on ? set[r / 64] | bit : set[r / 64] & ~bit;
    }
}

static void add(uint64_t *to, const uint64_t *from, uint32_t words) {
    for (uint32_t w = 0; w < words; w++) to[w] |= from[w];
}

// Liveness transfer function of one instruction. True: the set grew.
static bool step_back(const LoopPlace *place, uint32_t i, uint64_t *set) {
    const BcCode *bc = place->code->bc;
    const Instr *at = &bc->code[i];
    uint32_t words = place->live_words, next = i + bc_op_info[at->op].words;
    Effects effects;
    bool jumps, news = false;
    uint32_t target = target_of(at, &jumps);
    bool is_for = at->op == OP_FOR || at->op == OP_FOR_ARMED;
    memset(set, 0, words * sizeof *set);
    instr_effects(at, &effects);
    if (jumps) add(set, place->live + (size_t)target * words, words);
    // FOR writes its variable only on the edge into the loop
    if (is_for) mark(set, effects.defined, false);
    if (!op_ends_path((Opcode)at->op) && next < bc->code_len)
        add(set, place->live + (size_t)next * words, words);
    if (!is_for) mark(set, effects.defined, false);
    mark(set, effects.dropped, false);
    mark(set, effects.consumed, true);
    mark(set, effects.updated, true);
    for (uint32_t n = 0; n < effects.read_count; n++)
        mark(set, (RegRun){effects.reads[n], 1}, true);
    for (uint32_t h = 0; h < bc->handler_count; h++)
        if (i >= bc->handlers[h].start && i < bc->handlers[h].end)
            add(set, place->live + (size_t)bc->handlers[h].handler * words, words);
    uint64_t *known = place->live + (size_t)i * words;
    for (uint32_t w = 0; w < words; w++) {
        news |= (set[w] & ~known[w]) != 0;
        known[w] |= set[w];
    }
    return news;
}

// Marks all cells as live, since closures share them.
static void mark_cells(const LoopPlace *place, uint64_t *set) {
    const BcCode *bc = place->code->bc;
    for (uint32_t i = 0; i < bc->code_len; i += bc_op_info[bc->code[i].op].words)
        if (bc->code[i].op == OP_CELL_NEW) mark(set, (RegRun){bc->code[i].a, 1}, true);
}

static bool find_live(Vm *vm, LoopPlace *place) {
    const BcCode *bc = place->code->bc;
    place->live_words = (place->reg_count + 63) / 64;
    size_t size = (size_t)bc->code_len * place->live_words,
           set_size = place->live_words * sizeof(uint64_t);
    if (size > LIVE_WORDS_MOST) return false;
    place->live = mem_zalloc(&vm->mem, size * sizeof(uint64_t));
    uint64_t *set = mem_alloc(&vm->mem, set_size);
    uint32_t *starts = mem_alloc(&vm->mem, bc->code_len * sizeof *starts), count = 0;
    bool fine = place->live && set && starts, news = fine;
    for (uint32_t i = 0; fine && i < bc->code_len; i += bc_op_info[bc->code[i].op].words)
        starts[count++] = i;
    while (news) {
        news = false;
        for (uint32_t n = count; n-- > 0;) news |= step_back(place, starts[n], set);
    }
    if (fine) {
        memset(set, 0, set_size);
        mark_cells(place, set);
    }
    for (uint32_t n = 0; fine && n < count; n++)
        add(place->live + (size_t)starts[n] * place->live_words, set, place->live_words);
    mem_free(&vm->mem, starts, bc->code_len * sizeof *starts);
    mem_free(&vm->mem, set, set_size);
    return fine;
}

bool place_is_live(const LoopPlace *place, uint32_t pc, uint32_t var) {
    if (var >= place->reg_count) return true;
    if (pc >= place->code->bc->code_len) return false; // after the last RETURN
    return place->live[(size_t)pc * place->live_words + var / 64] >> var % 64 & 1;
}

// --- Targets -----------------------------------------------------------------------------------

static size_t target_words(const BcCode *bc) {
    return ((size_t)bc->code_len + 64) / 64; // one bit more: a jump may lead to the end of the code
}

static bool find_targets(Vm *vm, LoopPlace *place) {
    const BcCode *bc = place->code->bc;
    place->targets = mem_zalloc(&vm->mem, target_words(bc) * sizeof *place->targets);
    bool jumps;
    for (uint32_t i = 0; place->targets && i < bc->code_len; i += bc_op_info[bc->code[i].op].words) {
        uint32_t to = target_of(&bc->code[i], &jumps);
        if (jumps) place->targets[to / 64] |= (uint64_t)1 << to % 64;
    }
    return place->targets;
}

// --- Places ------------------------------------------------------------------------------------

bool place_find(Vm *vm, Code *code, Module *module, uint32_t head, LoopPlace *place) {
    *place =
        (LoopPlace){.code = code, .module = module, .head = head, .reg_count = code->reg_count};
    if (code->bc->code_len > CODE_MOST) return false;
    uint32_t *ends = find_jumps_back(vm, code->bc);
    bool found = ends && find_bounds(code->bc, ends, head, &place->begin, &place->end);
    mem_free(&vm->mem, ends, code->bc->code_len * sizeof *ends);
    if (!found) return false;
    // a loop without variables computes nothing
    if (find_globals(vm, place) && place_vars(place) > 0 && find_live(vm, place) && find_targets(vm, place))
        return true;
    place_free(vm, place);
    return false;
}

bool place_whole(Vm *vm, Code *code, Module *module, LoopPlace *place) {
    *place = (LoopPlace){
        .code = code, .module = module, .end = code->bc->code_len, .reg_count = code->reg_count};
    if (code->bc->code_len <= CODE_MOST && code->reg_count > 0 && find_live(vm, place) && find_targets(vm, place))
        return true;
    place_free(vm, place);
    return false;
}

void place_free(Vm *vm, LoopPlace *place) {
    if (place->globals)
        mem_free(&vm->mem, place->globals, (GLOBALS_MOST + 1) * sizeof *place->globals);
    mem_free(&vm->mem, place->live,
             (size_t)place->code->bc->code_len * place->live_words * sizeof *place->live);
    mem_free(&vm->mem, place->targets, target_words(place->code->bc) * sizeof *place->targets);
    place->globals = NULL;
    place->live = place->targets = NULL;
}
