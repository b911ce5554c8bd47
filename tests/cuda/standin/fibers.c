// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Threads of a block that wait for one another at barriers: fibres on stacks of their own.

#define _GNU_SOURCE
#include "driver.h"
#include "switch.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 1024, STACK = 64 << 10 };

typedef struct Fiber {
    void *at; // its stack, while others run
    char *stack;
    int line; // of the barrier where it waits; 0: it runs; -1: it has ended
} Fiber;

static struct {
    Fiber fibers[THREADS];
    void *home;
    unsigned current;
    void (*body)(void *, unsigned);
    void *context;
} state;

static void begin_fiber(void) {
    state.body(state.context, state.current);
    state.fibers[state.current].line = -1;
    standin_switch(&state.fibers[state.current].at, state.home);
    __builtin_unreachable();
}

static bool prepare(unsigned number) {
    Fiber *f = &state.fibers[number];
    if (!f->stack) {
        void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) return false;
        f->stack = stack;
    }
    f->line = 0;
    f->at = switch_begin(f->stack + STACK, begin_fiber);
    return true;
}

static void barrier(int line) {
    Fiber *f = &state.fibers[state.current];
    f->line = line;
    standin_switch(&f->at, state.home);
}

// The thread whose turn is number i in this round.
static unsigned turn(unsigned i, unsigned count) {
    switch (settings.order) {
    case REVERSE: return count - 1 - i;
    case RANDOM: return (unsigned)(((uint64_t)i + settings.seed * 2654435761u) % count);
    default: return i;
    }
}

static void go_on(unsigned number) {
    state.current = number;
    state.fibers[number].line = 0;
    standin_switch(&state.home, state.fibers[number].at);
}

static const char *run_block(unsigned count, void (*body)(void *, unsigned), void *context) {
    state.body = body;
    state.context = context;
    for (unsigned i = 0; i < count; i++)
        if (!prepare(i)) return "there is no memory for a thread's stack";
    for (int line = 0; line >= 0;) {
        for (unsigned i = 0; i < count; i++)
            if (state.fibers[turn(i, count)].line >= 0) go_on(turn(i, count));
        line = state.fibers[0].line;
        for (unsigned i = 1; i < count; i++)
            if (state.fibers[i].line != line) return "threads of a block are at different barriers, or have ended before one";
    }
    return NULL;
}

const StandinServices services = {run_block, barrier};
