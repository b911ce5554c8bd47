// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Making units. All storage of a unit is in one arena that goes with it.

#ifndef NACRE_LANG_UNIT_H
#define NACRE_LANG_UNIT_H

#include "lang/bytecode.h"
#include "lang/support/arena.h"

// Nesting of code in code and of tuples in tuples: more than the parser lets through, and little
// enough to recurse on.
enum { UNIT_MAX_NESTING = 2500 };

// An empty unit; NULL when out of memory.
BcUnit *unit_new(Mem *mem);

// Where everything the unit points to has to be allocated.
Arena *unit_arena(BcUnit *unit);

// bc_verify, telling damage from lack of memory (*no_memory is set, not cleared).
bool unit_verify(const BcUnit *unit, Buf *why, bool *no_memory);

// The items of a code object besides its code: verify_parts.c. They return what is wrong, or NULL.
const char *verify_header(const BcCode *code);
const char *verify_constant(const BcConst *value, uint32_t depth);
bool verify_text(const char *text, size_t len); // UTF-8; lone surrogates are allowed

#endif
