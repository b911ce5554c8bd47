// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A bump allocator for objects that are freed together, such as a syntax tree. Allocations are
// 16-byte aligned and cleared.

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

// Returns cleared memory. NULL when out of memory; `failed` is set then.
void *arena_alloc(Arena *arena, size_t size);

// Returns a copy of `len` bytes with a NUL appended; NULL when out of memory.
char *arena_text(Arena *arena, const char *bytes, size_t len);

#endif
