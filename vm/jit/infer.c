// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Forward pass: walks the loop's instructions with the types of its variables, and emits the
// region's blocks. Each block is made once per set of incoming types (basic block versioning:
// Chevalier-Boisvert and Feeley, "Simple and Effective Type Check Removal through Lazy Basic Block
// Versioning", ECOOP 2015).

#include <string.h>

#include "lang/effects.h"
#include "vm/interp/interp.h"
#include "vm/jit/steps.h"
#include "vm/region/loops.h"
#include "vm/region/parallel.h"
#include "vm/region/split.h"
#include "vm/region/version.h"
#include "vm/sched/items.h"
#include "vm/sched/loop_parts.h"
#include "vm/value/class.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"

// --- Blocks ------------------------------------------------------------------------------------

static bool is_target(const LoopPlace *place, uint32_t pc) {
    return pc == place->head || (place->targets[pc / 64] >> pc % 64 & 1);
}

static void take_params(Infer *f, const Version *version) {
    for (uint32_t v = 0; v < version->count; v++) {
        f->vars[v] = (Var){version->types[v], NO_PARTS};
        for (int p = 0; p < var_parts(version->types[v]); p++)
            f->vars[v].parts[p] = infer_emit(
                f, INSTR(.op = RG_PARAM, .type = (uint8_t)var_part_type(version->types[v])));
    }
}

static void make_block(Infer *f, int32_t number) {
    Version version = f->versions[number];
    int32_t first = f->block_first = f->variant->region.code_count;
    infer_enter(f, version.at);
    take_params(f, &version);
    f->told_count = f->body_count = f->tuple_count = 0;
    f->nest_told = f->ended = f->returned = false;
    infer_begin_statement(f);
    for (bool begins = true; !f->ended && !f->maker->failed; begins = false) {
        if (f->pc < f->place->begin || f->pc >= f->place->end) {
            infer_leave(f, false);
            break;
        }
        bool statement = f->place->code->bc->marks[f->pc] & BC_MARK_STATEMENT;
        if (!begins && (is_target(f->place, f->pc) || (statement && f->returned))) {
            infer_jump(f, f->pc);
            break;
        }
        if (!begins && (f->done || statement)) infer_begin_statement(f);
        const Instr *at = &f->place->code->bc->code[f->pc];
        f->next = f->pc + bc_op_info[at->op].words;
        infer_step(f, at);
        f->pc = f->next;
    }
    if (f->maker->failed) return;
    RegionBlock *block = &f->variant->region.blocks[version.block];
    block->first = first;
    block->end = f->variant->region.code_count;
}

// --- Regions -----------------------------------------------------------------------------------

// Returns whether the head leaves at once, so that the region gains nothing.
static bool is_vain(const Region *region) {
    const RegionBlock *head = &region->blocks[1];
    return region->code[head->end - 1].op == RG_LEAVE;
}

// Adds versioned and parallel loops to a finished region.
static void make_loops(const Infer *f) {
    RegionMaker *m = f->maker;
    Variant *variant = f->variant;
    ParallelPlans plans = {.count = 0};
    region_split(m);
    if (!f->ahead) parallel_find(m, (ParallelUse){engine_has_items(f->vm), engine_has_loop_parts(f->vm)}, &plans);
    region_make_fast(m, plans.gates);
    parallel_make(m, &plans);
    variant->serial = plans.why;
    variant->serial_line = plans.line;
    parallel_free(m->mem, &plans);
}

static Status infer(Infer *f) {
    infer_entry(f);
    for (int32_t i = 0; i < f->version_count && !f->maker->failed; i++) make_block(f, i);
    f->variant->failed = f->maker->failed || (!f->ahead && is_vain(&f->variant->region));
    if (!f->variant->failed) make_loops(f);
    f->variant->failed |= f->maker->failed;
    const char *wrong = f->variant->failed ? NULL : region_verify(&f->variant->region);
    if (!wrong && !f->variant->failed) wrong = flow_verify(&f->vm->mem, &f->variant->region);
    return wrong ? vm_raise(f->vm, EXC_SystemError, "a loop in machine code has %s", wrong) : ST_OK;
}

static Status infer_with(Vm *vm, const LoopPlace *place, const Frame *frame, struct Ahead *ahead,
                         Variant *variant, Infer *f) {
    uint32_t room = place_vars(place) + INLINED_VARS;
    variant->maker = (RegionMaker){.mem = &vm->mem, .region = &variant->region};
    variant->scope_count = 1;
    *f = (Infer){.vm = vm,
                 .place = place,
                 .frame = frame,
                 .ahead = ahead,
                 .variant = variant,
                 .maker = &variant->maker,
                 .places = {*place},
                 .root_count = place_vars(place),
                 .var_room = room,
                 .restart_exit = NO_VALUE};
    f->vars = mem_zalloc(&vm->mem, 2 * room * sizeof *f->vars);
    f->restart = f->vars + room;
    variant->region.alone = ahead;
    variant->failed = !f->vars;
    Status st = f->vars ? infer(f) : ST_OK;
    mem_free(&vm->mem, f->vars, 2 * room * sizeof *f->vars);
    for (int32_t i = 0; i < f->version_count; i++)
        mem_free(&vm->mem, f->versions[i].types, f->versions[i].count * sizeof(VarType));
    for (int s = 1; s < variant->scope_count; s++) place_free(vm, &f->places[s]);
    return st;
}

Status variant_make(Vm *vm, const LoopPlace *place, const Frame *frame, Variant **out) {
    return variant_make_ahead(vm, place, frame, NULL, out);
}

Status variant_make_ahead(Vm *vm, const LoopPlace *place, const Frame *frame, struct Ahead *ahead,
                          Variant **out) {
    Variant *variant = mem_zalloc(&vm->mem, sizeof *variant);
    Infer *f = mem_zalloc(&vm->mem, sizeof *f);
    Status st = ST_OK;
    if (variant) variant->entry = mem_zalloc(&vm->mem, place_vars(place) * sizeof *variant->entry);
    bool room = variant && f && variant->entry;
    if (room) st = infer_with(vm, place, frame, ahead, variant, f);
    mem_free(&vm->mem, f, sizeof *f);
    if (!room && variant) {
        variant_free(vm, place, variant);
        variant = NULL;
    }
    *out = variant;
    return st;
}

void variant_free(Vm *vm, const LoopPlace *place, Variant *variant) {
    for (int i = 0; i < variant->constant_count; i++) release(vm, variant->constants[i]);
    for (int i = 0; i < variant->source_count; i++) {
        if (variant->sources[i].holder) release_obj(vm, variant->sources[i].holder);
        release(vm, variant->sources[i].known);
    }
    mem_free(&vm->mem, variant->entry, place_vars(place) * sizeof(VarType));
    mem_free(&vm->mem, variant->exits, variant->exit_room * sizeof *variant->exits);
    mem_free(&vm->mem, variant->exit_vars, variant->exit_var_room * sizeof *variant->exit_vars);
    if (variant->maker.mem) region_free(&vm->mem, &variant->maker);
    mem_free(&vm->mem, variant, sizeof *variant);
}
