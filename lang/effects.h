// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What an instruction does to registers, as its row in opcodes.def says.

#ifndef NACRE_LANG_EFFECTS_H
#define NACRE_LANG_EFFECTS_H

#include "lang/bytecode.h"

typedef struct RegRun {
    uint32_t first, count;
} RegRun;

// `defined` is written only if the instruction succeeds. For FOR, the effects are those of the edge
// into the loop body; on the exit edge it does not write `defined`, and leaves `updated` undefined.
typedef struct Effects {
    uint16_t reads[3];     // s and x registers
    uint8_t read_flags[3]; // the FLAG_LAST_… that belongs to each
    uint32_t read_count;
    RegRun consumed; // read, then undefined
    RegRun updated;  // read and written
    RegRun defined;
    RegRun dropped; // undefined afterwards, not read
} Effects;

// Returns in `out` the effects of the instruction at `at`, which its extension words have to follow.
void instr_effects(const Instr *at, Effects *out);

// Return the number of registers of an S field, of a D field.
uint32_t instr_source_count(const Instr *at);
uint32_t instr_dest_count(const Instr *at);

// Returns whether control never continues with the next instruction.
bool op_ends_path(Opcode op);

// Returns the word whose fields b and c hold the jump target: the instruction itself or its last
// extension word. NULL for instructions that do not jump.
Instr *instr_target(Instr *at);

#endif
