// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The bump allocator of arena.h.

#include "lang/support/arena.h"

#include <string.h>

enum { BLOCK_BYTES = 8192, ALIGNMENT = 16 };

void arena_init(Arena *arena, Mem *mem) {
    *arena = (Arena){.mem = mem};
}

void arena_free(Arena *arena) {
    while (arena->blocks) {
        ArenaBlock *next = arena->blocks->next;
        mem_free(arena->mem, arena->blocks, arena->blocks->size);
        arena->blocks = next;
    }
    arena->bump = arena->end = NULL;
}

static bool add_block(Arena *arena, size_t size) {
    size_t bytes = size + ALIGNMENT > BLOCK_BYTES ? size + ALIGNMENT : BLOCK_BYTES;
    ArenaBlock *block = mem_alloc(arena->mem, bytes);
    if (!block) return false;
    block->next = arena->blocks;
    block->size = bytes;
    arena->blocks = block;
    arena->bump = (char *)block + ALIGNMENT;
    arena->end = (char *)block + bytes;
    return true;
}

void *arena_alloc(Arena *arena, size_t size) {
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if ((size_t)(arena->end - arena->bump) < size && !add_block(arena, size)) {
        arena->failed = true;
        return NULL;
    }
    void *block = arena->bump;
    arena->bump += size;
    return memset(block, 0, size);
}

char *arena_text(Arena *arena, const char *bytes, size_t len) {
    char *text = arena_alloc(arena, len + 1);
    if (text && len) memcpy(text, bytes, len);
    return text;
}
