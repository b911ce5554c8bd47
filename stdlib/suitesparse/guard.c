// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Leaving SuiteSparse, and its memory.

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/suitesparse/guard.h"

// Before each block. Blocks that were allocated since a guard's begin are in its list; the others are in none. As long as
// malloc's alignment.
typedef struct Block {
    struct Block *before, *after; // NULL: in no list
} Block;
_Static_assert(sizeof(Block) % 16 == 0, "what comes after it is aligned");

typedef struct Guard {
    const SparseCall *call;
    struct Guard *outer;
    Block blocks; // the list's head
    jmp_buf back;
} Guard;

// Of this thread: kernels have BLAS's arguments, and allocation malloc's. NULL: nothing is guarded.
static _Thread_local Guard *current;

void guard_look(void) {
    Guard *g = current;
    if (g && g->call->host->stopped(g->call)) longjmp(g->back, 1);
}

static void put_in(Block *b) {
    Guard *g = current;
    b->before = b->after = NULL;
    if (!g) return;
    b->before = &g->blocks;
    b->after = g->blocks.after;
    b->after->before = b->before->after = b;
}

static void take_out(Block *b) {
    if (!b->before) return;
    b->before->after = b->after;
    b->after->before = b->before;
}

void *guard_malloc(size_t bytes) {
    guard_look();
    Block *b = bytes < SIZE_MAX - sizeof *b ? malloc(sizeof *b + bytes) : NULL;
    if (!b) return NULL;
    put_in(b);
    return b + 1;
}

void *guard_calloc(size_t count, size_t size) {
    guard_look();
    Block *b = size == 0 || count < (SIZE_MAX - sizeof *b) / size ? calloc(1, sizeof *b + count * size) : NULL;
    if (!b) return NULL;
    put_in(b);
    return b + 1;
}

void *guard_realloc(void *block, size_t bytes) {
    if (!block) return guard_malloc(bytes);
    Block *b = (Block *)block - 1;
    if (bytes >= SIZE_MAX - sizeof *b) return NULL;
    guard_look();
    Block *before = b->before, *after = b->after, *made = realloc(b, sizeof *b + bytes);
    if (!made) return NULL;
    if (before) before->after = after->before = made;
    return made + 1;
}

void guard_free(void *block) {
    if (!block) return;
    Block *b = (Block *)block - 1;
    take_out(b);
    free(b);
}

// Ends the list: its blocks are freed, or stay.
static void empty(Guard *g, bool frees) {
    for (Block *b = g->blocks.after, *next; b != &g->blocks; b = next) {
        next = b->after;
        b->before = b->after = NULL;
        if (frees) free(b);
    }
}

// Nothing of this function changes between setjmp and the jump.
static bool ran(Guard *g, void (*run)(void *job), void *job) {
    if (setjmp(g->back) != 0) return false;
    run(job);
    return true;
}

bool guarded(SparseCall *call, void (*run)(void *job), void *job) {
    Guard g = {.call = call, .outer = current};
    g.blocks.before = g.blocks.after = &g.blocks;
    current = &g;
    bool whole = ran(&g, run, job);
    current = g.outer;
    empty(&g, !whole);
    return whole;
}
