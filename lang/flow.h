// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Control flow of finished instructions, and the forward analysis of which registers hold a value.
//
// Analyses look at 64 registers at a time, a bit each: every register is a problem of its own, and
// memory stays proportional to the number of blocks.

#ifndef NACRE_LANG_FLOW_H
#define NACRE_LANG_FLOW_H

#include "lang/effects.h"
#include "lang/support/arena.h"

enum { NO_BLOCK = 0xffffffffu, FLOW_CHUNK = 64 };

typedef struct FlowBlock {
    uint32_t start, end; // instructions
    uint32_t last;       // the last instruction
    uint32_t next, jump; // blocks, or NO_BLOCK
    uint32_t handler;    // block that exceptions of this one go to, or NO_BLOCK
    uint32_t handler_reg;
    bool reachable;
} FlowBlock;

typedef struct Flow {
    Instr *code;
    uint32_t len;
    FlowBlock *blocks;
    uint32_t count;
} Flow;

// Jump targets, the bounds of ranges and handlers have to be indexes of instructions (the end of a
// range may be `len`). False: no memory. Everything is in the arena.
bool flow_build(Flow *flow, Arena *arena, Instr *code, uint32_t len, const BcHandler *handlers,
                uint32_t handler_count);

// Registers of `run` as bits, bit 0 being register `base`.
uint64_t flow_bits(RegRun run, uint32_t base);
static inline uint64_t flow_bit(uint32_t reg, uint32_t base) {
    return flow_bits((RegRun){reg, 1}, base);
}
// Registers below `reg`.
uint64_t flow_below(uint32_t reg, uint32_t base);

// Which registers surely hold a value where each block begins (one word per block), given those
// that do at entry. NULL: no memory.
uint64_t *defined_solve(const Flow *flow, Arena *arena, uint32_t base, uint64_t entry);
// Takes `state` across an instruction (for FOR: into the loop).
void defined_step(const Instr *at, uint32_t base, uint64_t *state);

// Sets FLAG_LAST_… where registers are read for the last time. `cells`: a flag per register that
// holds a cell, which closures share. False: no memory.
bool liveness_mark(const Flow *flow, Arena *arena, uint32_t reg_count, const bool *cells);

#endif
