// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the passes of one compilation share: working memory, the list of errors, and the jump buffer
// for errors. Everything that a compilation allocates is in an arena, so an error may longjmp out of
// any depth without a leak. An allocation that fails does so too, so passes never see NULL.

#ifndef NACRE_LANG_CONTEXT_H
#define NACRE_LANG_CONTEXT_H

#include <setjmp.h>

#include "lang/diag.h"

typedef struct Context {
    Arena work; // freed at the end of the compilation
    DiagList *diags;
    jmp_buf leave;    // set by the driver before the first pass
    const char *text; // the source; borrowed
    size_t len;
} Context;

// Reports a SyntaxError and jumps to ctx->leave.
_Noreturn void ctx_fail(Context *ctx, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void ctx_no_memory(Context *ctx);

// Returns cleared working memory. Reports a MemoryError and jumps to ctx->leave if there is none.
void *ctx_alloc(Context *ctx, size_t size);

// Returns `items` (of capacity *cap) or a larger copy of it that holds at least `need`. Old copies
// stay in the arena: sizes double, so they add up to less than the last one.
void *ctx_grow(Context *ctx, void *items, uint32_t *cap, uint32_t need, size_t item_size);

// Hash table keyed by the text of names. Zeroed: empty.
typedef struct NameSlot {
    Name name;
    uint32_t hash;
    void *value;
} NameSlot;

typedef struct NameMap {
    NameSlot *slots;
    uint32_t cap, count;
} NameMap;

// Return the slot of a name. If there is none, `namemap_at` adds one with value NULL, and
// `namemap_find` returns NULL. A slot is valid until the next namemap_at.
NameSlot *namemap_at(Context *ctx, NameMap *map, Name name);
NameSlot *namemap_find(const NameMap *map, Name name);

#endif
