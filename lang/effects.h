// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What one instruction does to the registers, read off its row in opcodes.def.

#ifndef NACRE_LANG_EFFECTS_H
#define NACRE_LANG_EFFECTS_H

#include "lang/bytecode.h"

typedef struct RegRun {
    uint32_t first, count;
} RegRun;

// `defined` is written only if the instruction succeeds. FOR is described for the way into the
// loop; on the way out it leaves `defined` alone and `updated` undefined.
typedef struct Effects {
    uint16_t reads[3];     // s and x registers
    uint8_t read_flags[3]; // the FLAG_LAST_… that belongs to each
    uint32_t read_count;
    RegRun consumed; // read, then undefined
    RegRun updated;  // read and written
    RegRun defined;
    RegRun dropped; // undefined afterwards, not read
} Effects;

// `at`: the instruction with its extension words.
void instr_effects(const Instr *at, Effects *out);

// Length of the run of an S or D field.
uint32_t instr_source_count(const Instr *at);
uint32_t instr_dest_count(const Instr *at);

// Control never reaches the instruction behind.
bool op_ends_path(Opcode op);

// Where an instruction that can jump goes: its target field (b and c of the instruction itself,
// or of the last extension word). NULL for instructions that do not jump.
Instr *instr_target(Instr *at);

#endif
