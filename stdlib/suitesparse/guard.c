// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Leaving SuiteSparse early, and its memory (guard.h).

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/suitesparse/guard.h"

// Header of each allocation. A block that is allocated while a jumping guard is active is in that guard's list; other
// blocks are in none. The size is a multiple of malloc's alignment.
typedef struct Block {
    struct Block *before, *after; // NULL: in no list
} Block;
_Static_assert(sizeof(Block) % 16 == 0, "what comes after it is aligned");

typedef struct Guard {
    SparseCall *call;
    struct Guard *outer;
    bool jumps;   // set by guarded(): may jump out; false: set by guard_call()
    Block blocks; // head of the list, if it jumps
    jmp_buf back;
} Guard;

// This thread's innermost guard; NULL: nothing is guarded. It is global since BLAS's and malloc's signatures cannot
// carry it.
static _Thread_local Guard *current;

void guard_look(void) {
    Guard *g = current;
    if (g && g->jumps && g->call->host->stopped(g->call)) longjmp(g->back, SPARSE_STOPPED);
}

// Returns the caller's memory of an allocated block. If there is none: jumps out where the guard can, else returns
// NULL.
static void *given(Block *b) {
    if (!b && current && current->jumps) longjmp(current->back, SPARSE_NO_MEMORY);
    return b ? b + 1 : NULL;
}

static void put_in(Block *b) {
    Guard *g = current;
    b->before = b->after = NULL;
    if (!g || !g->jumps) return;
    b->before = &g->blocks;
    b->after = g->blocks.after;
    b->after->before = b->before->after = b;
}

static void take_out(Block *b) {
    if (!b->before) return;
    b->before->after = b->after;
    b->after->before = b->before;
}

static bool is_allowed(size_t bytes) {
    guard_look();
    return bytes < SIZE_MAX - sizeof(Block) && (!current || current->call->host->allows(current->call, bytes));
}

void *guard_malloc(size_t bytes) {
    Block *b = is_allowed(bytes) ? malloc(sizeof *b + bytes) : NULL;
    if (b) put_in(b);
    return given(b);
}

void *guard_calloc(size_t count, size_t size) {
    bool fits = size == 0 || count < (SIZE_MAX - sizeof(Block)) / size;
    Block *b = fits && is_allowed(count * size) ? calloc(1, sizeof *b + count * size) : NULL;
    if (b) put_in(b);
    return given(b);
}

void *guard_realloc(void *block, size_t bytes) {
    if (!block) return guard_malloc(bytes);
    Block *b = (Block *)block - 1;
    Block *before = b->before, *after = b->after, *made = is_allowed(bytes) ? realloc(b, sizeof *b + bytes) : NULL;
    if (made && before) before->after = after->before = made;
    return given(made);
}

void guard_free(void *block) {
    if (!block) return;
    Block *b = (Block *)block - 1;
    take_out(b);
    free(b);
}

// Unlinks all blocks of the list, and frees them if `frees`.
static void empty(Guard *g, bool frees) {
    for (Block *b = g->blocks.after, *next; b != &g->blocks; b = next) {
        next = b->after;
        b->before = b->after = NULL;
        if (frees) free(b);
    }
}

// Returns false, with the call's error set, if `run` was left by a jump. The jump's value is the error. No local
// changes between setjmp and longjmp, so none is indeterminate afterwards.
static bool ran(Guard *g, void (*run)(void *job), void *job) {
    switch (setjmp(g->back)) {
    case 0: run(job); return true;
    case SPARSE_NO_MEMORY: g->call->error = SPARSE_NO_MEMORY; return false;
    default: g->call->error = SPARSE_STOPPED; return false;
    }
}

bool guarded(SparseCall *call, void (*run)(void *job), void *job) {
    Guard g = {.call = call, .outer = current, .jumps = true};
    g.blocks.before = g.blocks.after = &g.blocks;
    current = &g;
    bool whole = ran(&g, run, job);
    current = g.outer;
    empty(&g, !whole);
    return whole;
}

void guard_call(SparseCall *call, void (*op)(SparseCall *call)) {
    Guard g = {.call = call, .outer = current};
    current = &g;
    op(call);
    current = g.outer;
}
