// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The control flow graph of a code object, and two analyses: which registers hold a value (forward),
// and which are read later (backward).
//
// An analysis solves 64 registers at a time, one bit each. Registers do not depend on each other, and
// so memory is proportional to the number of blocks.

#ifndef NACRE_LANG_FLOW_H
#define NACRE_LANG_FLOW_H

#include "lang/effects.h"
#include "lang/support/arena.h"

enum { NO_BLOCK = 0xffffffffu, FLOW_CHUNK = 64 };

typedef struct FlowBlock {
    uint32_t start, end; // instruction indexes; end is exclusive
    uint32_t last;       // index of the last instruction
    uint32_t next, jump; // successor by fall-through, by jump; or NO_BLOCK
    uint32_t handler;    // block of the exception handler, or NO_BLOCK
    uint32_t handler_reg;
    bool reachable;
} FlowBlock;

typedef struct Flow {
    Instr *code;
    uint32_t len;
    FlowBlock *blocks;
    uint32_t count;
} Flow;

// Builds the graph in the arena. Jump targets, the bounds of exception ranges and handlers have to be
// indexes of instructions (the end of a range may be `len`). Returns false if there is no memory.
bool flow_build(Flow *flow, Arena *arena, Instr *code, uint32_t len, const BcHandler *handlers,
                uint32_t handler_count);

// Returns the registers of `run` as bits; bit 0 is register `base`.
uint64_t flow_bits(RegRun run, uint32_t base);
static inline uint64_t flow_bit(uint32_t reg, uint32_t base) {
    return flow_bits((RegRun){reg, 1}, base);
}
// Returns the bits of all registers below `reg`.
uint64_t flow_below(uint32_t reg, uint32_t base);

// Returns, for each block, the registers that hold a value at its start on every path. `entry` are
// those that do at entry of the code. NULL: no memory.
uint64_t *defined_solve(const Flow *flow, Arena *arena, uint32_t base, uint64_t entry);
// Updates `state` by an instruction (for FOR: along the edge into the loop).
void defined_step(const Instr *at, uint32_t base, uint64_t *state);

// Sets FLAG_LAST_… where a register is read for the last time. `cells` flags the registers that hold
// a cell: they stay live, as closures share them. Returns false if there is no memory.
bool liveness_mark(const Flow *flow, Arena *arena, uint32_t reg_count, const bool *cells);

#endif
