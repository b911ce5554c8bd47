// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to emit_region.c and emit_rounds.c.

#ifndef NACRE_BACKENDS_EMIT_EMIT_REGION_H
#define NACRE_BACKENDS_EMIT_EMIT_REGION_H

#include "backends/emit/emit.h"

char emit_slot_member(uint8_t type);
void emit_locals(const Region *region, Buf *out); // local variables that every region function has
void emit_value(const Dialect *dialect, const Region *region, int32_t at, Buf *out); // declares the value's variable
// `rounds`: the parallel loop whose function is rendered; NULL: the region's own.
void emit_block(const Dialect *dialect, const Region *region, int32_t block,
                const RegionParallel *rounds, const RegionNotes *notes, Buf *out);

// emit_rounds.c: renders the function of a parallel loop, and RG_PARALLEL.
void emit_rounds(const Dialect *dialect, const Region *region, int number, const RegionNotes *notes,
                 Buf *out);
void emit_parallel(const Region *region, const RegionInstr *instr, int32_t at, Buf *out);

#endif
