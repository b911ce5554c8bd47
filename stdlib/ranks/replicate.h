// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Replicated control: every rank runs the whole program, but natives with an effect run on rank 0 only, which
// broadcasts the outcome. So all ranks make the same calls with the same values. If one rank alone fails, it reports
// that to the others.

#ifndef NACRE_STDLIB_RANKS_REPLICATE_H
#define NACRE_STDLIB_RANKS_REPLICATE_H

#include "vm/value/vm.h"

// Installs the hook, by which natives with an effect run on rank 0 only. Does nothing with a single rank. Returns false
// if memory ran out.
bool replicate_start(Vm *vm);
void replicate_stop(Vm *vm); // to be called before the engine is freed; does nothing if not started

// --- Errors of one rank ----------------------------------------------------------------------------

// The failure of another rank.
typedef struct RemoteError {
    Value exception; // its copy that was raised here; V_UNDEF: none was
    const char *text; // the error text with the traceback of that rank; "" if it had none
    size_t len;
    int line, rank;
} RemoteError;

// Returns the failure of another rank that was raised here; NULL: there is none.
const RemoteError *replicate_remote(const Vm *vm);

// Returns whether other ranks may not raise the same exception: memory ran out, or the program has asked for its rank.
bool replicate_is_alone(const Vm *vm, Value exception);
// Makes every other rank raise a copy of this exception in its next collective step. `text`: the error text with the
// traceback. Only the first call has an effect.
void replicate_tell(Vm *vm, Value exception, const char *text, size_t len, int line);

// Notes that the program has asked for its rank, so from now on ranks may do different things.
void replicate_asked_rank(Vm *vm);

#endif
