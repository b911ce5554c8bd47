// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the passes of one compilation share: working memory, the place errors go to, and the way
// out. Everything made while compiling lives in an arena, so a pass may be left from any depth
// with longjmp and nothing leaks; passes therefore never see a failed allocation.

#ifndef NACRE_LANG_CONTEXT_H
#define NACRE_LANG_CONTEXT_H

#include <setjmp.h>

#include "lang/diag.h"

typedef struct Context {
    Arena work; // dies with the compilation
    DiagList *diags;
    jmp_buf leave;    // set by the driver before the first pass
    const char *text; // the source; borrowed
    size_t len;
} Context;

// Reports a SyntaxError and leaves.
_Noreturn void ctx_fail(Context *ctx, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void ctx_no_memory(Context *ctx);

// Cleared working memory; leaves when there is none.
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

// The slot of a name; `namemap_at` makes one (value NULL) where there was none,
// `namemap_find` returns NULL then. A slot is valid until the next namemap_at.
NameSlot *namemap_at(Context *ctx, NameMap *map, Name name);
NameSlot *namemap_find(const NameMap *map, Name name);

#endif
