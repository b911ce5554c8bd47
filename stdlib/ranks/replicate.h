// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Replicated control: every rank runs the whole program, and what reaches outside is done by rank 0, which tells the
// others how it went. So all ranks come to the same calls, with the same values. And where one rank alone fails, the
// others are told of that.

#ifndef NACRE_STDLIB_RANKS_REPLICATE_H
#define NACRE_STDLIB_RANKS_REPLICATE_H

#include "vm/value/vm.h"

// From now on natives with an effect are rank 0's. Does nothing where the VM runs alone. False: out of memory.
bool replicate_start(Vm *vm);
void replicate_stop(Vm *vm); // while there is an engine; harmless when not started

// --- Errors of one rank ----------------------------------------------------------------------------

// How another rank failed.
typedef struct RemoteError {
    Value exception; // as it was raised here; V_UNDEF: none was
    const char *text; // with the traceback of that rank; "" if it had none
    size_t len;
    int line, rank;
} RemoteError;

// NULL: none has failed, or the VM runs alone.
const RemoteError *replicate_remote(const Vm *vm);

// Whether the others may not come to the exception: memory ran out, or the program has asked which rank it runs on.
bool replicate_is_alone(const Vm *vm, Value exception);
// Makes every other rank raise this exception in its next step with others, as it stands there. It is the last one.
void replicate_tell(Vm *vm, Value exception, const char *text, size_t len, int line);

// From here on the program may do something else than on other ranks.
void replicate_asked_rank(Vm *vm);

#endif
