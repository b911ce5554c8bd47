// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The least that ranks need, one after the other in one process: what natives with an effect answer in one VM is
// written down, and another VM, which runs the same program, gets it from there.

#ifndef NACRE_TESTS_EFFECTS_REPLAY_H
#define NACRE_TESTS_EFFECTS_REPLAY_H

#include "lang/support/buf.h"
#include "lang/support/mem.h"
#include "vm/value/effects.h"

typedef struct Replay {
    EffectHook hook;
    Mem mem;
    Buf log;        // names of natives, and their outcomes
    size_t at;      // how far that has been read
    bool reading;
    int calls;
    char problem[256]; // the first one; empty: none
} Replay;

void replay_begin(Replay *replay);          // writes
void replay_again(Replay *replay);          // reads what has been written
bool replay_is_at_end(const Replay *replay); // all of it
void replay_free(Replay *replay);

#endif
