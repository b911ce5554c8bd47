// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bump allocation for things that die together (a parse tree). Blocks are 16-byte aligned and
// cleared.

#ifndef NACRE_LANG_SUPPORT_ARENA_H
#define NACRE_LANG_SUPPORT_ARENA_H

#include "lang/support/mem.h"

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t size;
} ArenaBlock;

typedef struct Arena {
    Mem *mem;
    ArenaBlock *blocks;
    char *bump, *end;
    bool failed; // sticky: an allocation returned NULL
} Arena;

void arena_init(Arena *arena, Mem *mem);
void arena_free(Arena *arena);

// NULL when out of memory (and `failed` is set).
void *arena_alloc(Arena *arena, size_t size);

// Copies `len` bytes and appends a NUL.
char *arena_text(Arena *arena, const char *bytes, size_t len);

#endif
