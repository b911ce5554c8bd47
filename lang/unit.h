// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Creates units. All storage of a unit is in one arena, which is freed with it.

#ifndef NACRE_LANG_UNIT_H
#define NACRE_LANG_UNIT_H

#include "lang/bytecode.h"
#include "lang/support/arena.h"

// The most that code objects, and tuples, may be nested: more than the parser allows, and few enough
// for recursion.
enum { UNIT_MAX_NESTING = 2500 };

// Returns an empty unit, which bc_unit_free frees; NULL when out of memory.
BcUnit *unit_new(Mem *mem);

// Returns the arena that everything the unit points to has to be allocated in.
Arena *unit_arena(BcUnit *unit);

// Like bc_verify, but sets *no_memory (which it never clears) if the cause was lack of memory.
bool unit_verify(const BcUnit *unit, Buf *why, bool *no_memory);

// Check the parts of a code object other than its instructions (verify_parts.c). The first two return
// what is wrong, or NULL.
const char *verify_header(const BcCode *code);
const char *verify_constant(const BcConst *value, uint32_t depth);
bool verify_text(const char *text, size_t len); // UTF-8; lone surrogates are allowed

#endif
