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
#include "vm/spec/region_loops.h"
#include "vm/spec/region_version.h"
#include "vm/spec/steps.h"
#include "vm/value/class.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"

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
    infer_begin_statement(f);
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
            if (f->done || marks[f->pc] & BC_MARK_STATEMENT) infer_begin_statement(f);
        }
        const Instr *at = &code[f->pc];
        infer_step(f, at);
        f->pc += bc_op_info[at->op].words;
    }
    if (f->maker->failed) return;
    RegionBlock *block = &f->variant->region.blocks[version.block];
    block->first = first;
    block->end = f->variant->region.code_count;
}

// --- All of it ---------------------------------------------------------------------------------

// The head's block leaves at once: there is nothing to be gained.
static bool is_vain(const Region *region) {
    const RegionBlock *head = &region->blocks[1];
    return region->code[head->end - 1].op == RG_LEAVE;
}

static Status infer(Infer *f, const Value *regs) {
    infer_entry(f, regs);
    for (int32_t i = 0; i < f->version_count && !f->maker->failed; i++) make_block(f, i);
    f->variant->failed = f->maker->failed || is_vain(&f->variant->region);
    if (!f->variant->failed) region_make_fast(f->maker);
    f->variant->failed |= f->maker->failed;
    const char *wrong = f->variant->failed ? NULL : region_verify(&f->variant->region);
    if (!wrong && !f->variant->failed) wrong = flow_verify(&f->vm->mem, &f->variant->region);
    return wrong ? vm_raise(f->vm, EXC_SystemError, "a loop in machine code has %s", wrong) : ST_OK;
}

static Status infer_with(Vm *vm, const LoopPlace *place, const Value *regs, Variant *variant,
                         Infer *f) {
    uint32_t vars = place_vars(place);
    variant->maker = (RegionMaker){.mem = &vm->mem, .region = &variant->region};
    *f = (Infer){.vm = vm,
                 .place = place,
                 .variant = variant,
                 .maker = &variant->maker,
                 .var_count = vars,
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
