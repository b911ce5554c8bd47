// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The instruction table, and the making and freeing of units.

#include "lang/unit.h"

const BcOpInfo bc_op_info[OP_COUNT] = {
#define OP(name, words, a, b, c) {#name, words, #a[0], #b[0], #c[0]},
#include "lang/opcodes.def"
#undef OP
};

// A unit with the arena that owns its memory. Callers see the first member only.
typedef struct OwnedUnit {
    BcUnit unit;
    Arena arena;
} OwnedUnit;

BcUnit *unit_new(Mem *mem) {
    OwnedUnit *owned = mem_zalloc(mem, sizeof *owned);
    if (!owned) return NULL;
    owned->unit.mem = mem;
    arena_init(&owned->arena, mem);
    return &owned->unit;
}

Arena *unit_arena(BcUnit *unit) {
    return &((OwnedUnit *)unit)->arena;
}

void bc_unit_free(BcUnit *unit) {
    if (!unit) return;
    OwnedUnit *owned = (OwnedUnit *)unit;
    arena_free(&owned->arena);
    mem_free(unit->mem, unit->bytes, unit->byte_count);
    mem_free(unit->mem, owned, sizeof *owned);
}
