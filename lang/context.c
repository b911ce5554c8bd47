// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Working memory, errors and name tables of a compilation.

#include "lang/context.h"

#include <string.h>

void ctx_fail(Context *ctx, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vadd(ctx->diags, DIAG_SYNTAX, span, format, args);
    va_end(args);
    longjmp(ctx->leave, 1);
}

void ctx_no_memory(Context *ctx) {
    diag_add(ctx->diags, DIAG_MEMORY, (Span){1, 0, 1, 0}, "out of memory");
    longjmp(ctx->leave, 1);
}

void *ctx_alloc(Context *ctx, size_t size) {
    void *block = arena_alloc(&ctx->work, size);
    if (!block) ctx_no_memory(ctx);
    return block;
}

void *ctx_grow(Context *ctx, void *items, uint32_t *cap, uint32_t need, size_t item_size) {
    if (need <= *cap) return items;
    uint32_t want = *cap ? *cap : 8;
    while (want < need) {
        if (want > UINT32_MAX / 2) ctx_no_memory(ctx);
        want *= 2;
    }
    void *grown = ctx_alloc(ctx, want * item_size);
    if (*cap) memcpy(grown, items, *cap * item_size);
    *cap = want;
    return grown;
}

// Hashes a name by FNV-1a (Fowler, Noll, Vo).
static uint32_t name_hash(Name name) {
    uint32_t hash = 2166136261u;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        hash = (hash ^ *c) * 16777619u;
    }
    return hash;
}

// Returns the slot that holds the name, or the empty slot for it. Linear probing; needs cap > count.
static NameSlot *probe(const NameMap *map, Name name, uint32_t hash) {
    uint32_t mask = map->cap - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        NameSlot *slot = &map->slots[i];
        if (!slot->name || slot->name == name) return slot;
        if (slot->hash == hash && strcmp(slot->name, name) == 0) return slot;
    }
}

static void enlarge(Context *ctx, NameMap *map) {
    NameMap larger = {.cap = map->cap ? map->cap * 2 : 8, .count = map->count};
    larger.slots = ctx_alloc(ctx, larger.cap * sizeof *larger.slots);
    for (uint32_t i = 0; i < map->cap; i++) {
        NameSlot *old = &map->slots[i];
        if (old->name) *probe(&larger, old->name, old->hash) = *old;
    }
    *map = larger;
}

NameSlot *namemap_at(Context *ctx, NameMap *map, Name name) {
    if (map->count * 4 >= map->cap * 3) enlarge(ctx, map);
    uint32_t hash = name_hash(name);
    NameSlot *slot = probe(map, name, hash);
    if (!slot->name) {
        *slot = (NameSlot){name, hash, NULL};
        map->count++;
    }
    return slot;
}

NameSlot *namemap_find(const NameMap *map, Name name) {
    if (!map->cap) return NULL;
    NameSlot *slot = probe(map, name, name_hash(name));
    return slot->name ? slot : NULL;
}
