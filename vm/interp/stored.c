// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Where the result of the running instruction goes. A NumPy scalar is a value, so making one waits for the device. If
// the scalar is only put into an array (`out[i] = a[i].sum()`), a 0-dimensional array, which may be pending, does as
// well.

#include "lang/effects.h"
#include "vm/array/array.h"
#include "vm/interp/interp.h"

enum { LOOKED_AT = 12 }; // instructions behind the running one: a container, and a few indices

// Registers that have other values by then.
typedef struct Defined {
    RegRun registers;
    Value value; // V_UNDEF: not known
} Defined;

// What is known ahead of instructions that have not run yet.
typedef struct Ahead {
    const Frame *frame;
    uint16_t result; // the register that is followed
    Defined defined[LOOKED_AT]; // newest last
    uint32_t count;
    bool followed; // `result` is a ufunc's, of the first one
    bool calm; // no instruction so far may run code of the program, which might change globals
} Ahead;

static bool is_in(RegRun run, uint32_t reg) {
    return reg >= run.first && reg < run.first + run.count;
}

// Returns the value that a register will have; V_UNDEF: it is not known.
static Value value_of(const Ahead *a, uint32_t reg) {
    for (uint32_t i = a->count; i-- > 0;)
        if (is_in(a->defined[i].registers, reg)) return a->defined[i].value;
    return a->frame->regs[reg];
}

// Takes an instruction into account. Returns false if the result is used by it, or control may go elsewhere.
static bool pass_over(Ahead *a, Instr *at) {
    Effects effects;
    const bool loads = at->op == OP_GLOBAL_GET;
    if (op_ends_path((Opcode)at->op) || instr_target(at)) return false;
    instr_effects(at, &effects);
    for (uint32_t i = 0; i < effects.read_count; i++)
        if (effects.reads[i] == a->result) return false;
    const RegRun runs[] = {effects.consumed, effects.updated, effects.defined, effects.dropped};
    for (int i = 0; i < 4; i++) {
        if (is_in(runs[i], a->result)) return false;
        if (!runs[i].count) continue;
        if (a->count == LOOKED_AT) return false;
        a->defined[a->count++] = (Defined){
            runs[i], loads && a->calm ? a->frame->func->module->slots[instr_wide(*at)] : V_UNDEF};
    }
    a->calm &= loads || at->op == OP_MOVE;
    return true;
}

// Returns whether the instruction calls a ufunc with the result as its only argument. The ufunc's result is then
// followed.
static bool follow(Ahead *a, const Instr *at) {
    const uint32_t before = at->op == OP_CALLM ? 2 : 1; // registers of the callee
    if ((at->op != OP_CALL && at->op != OP_CALLM) || at->c != 1 || at->b + before != a->result) return false;
    if (value_of(a, at->b).kind != K_UFUNC) return false;
    if (at->op == OP_CALLM && value_of(a, at->b + 1u).kind != K_UNDEF) return false;
    a->result = at->a;
    a->followed = true;
    return true;
}

bool interp_is_stored(Vm *vm, const Value *args, int dtype) {
    const Frame *frame = vm->interp->frame;
    if (!frame || !frame->pc) return false;
    const Opcode op = (Opcode)frame->pc->op;
    const bool is_call = op == OP_CALL || op == OP_CALLM || op == OP_CALLKW;
    if (args ? !is_call || vm->called != args : op != OP_ADD + BIN_MATMUL) return false;
    Ahead ahead = {.frame = frame, .result = frame->pc->a, .calm = true};
    Instr *at = (Instr *)(uintptr_t)frame->pc;
    for (int n = 0; n < LOOKED_AT; n++) {
        at += bc_op_info[at->op].words;
        if ((at->op == OP_SETITEM || at->op == OP_SETITEMS) && at->c == ahead.result) {
            const Value container = value_of(&ahead, at->a);
            return at->flags & FLAG_LAST_C && container.kind == K_ARRAY &&
                   (ahead.followed || (int)container.array->dtype == dtype);
        }
        if (!follow(&ahead, at) && !pass_over(&ahead, at)) return false;
    }
    return false;
}
