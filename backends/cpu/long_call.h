// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls of libraries that take long and look at nothing before they are done. Such a call runs in a thread of its own,
// on memory that it owns (vm/plugin/lasting.h), while the caller waits and looks for interrupts. When there is one, the
// caller leaves the call: its results go nowhere, and its thread frees the memory at the end.
//
// A call that was left goes on using a processor; there is no way to stop it. So only a few of them may be running in a
// process: further long calls wait for one to end, which can be interrupted as well.

#ifndef NACRE_BACKENDS_CPU_LONG_CALL_H
#define NACRE_BACKENDS_CPU_LONG_CALL_H

#include "backends/cpu/cpu.h"

// From how many multiplications on a call is long: what a core does in some 50 ms. The thread costs 0.1 ms.
static const double long_work = 1.25e9;
static const double stress_work = 2000; // a matrix of 6 x 6: stacks of the smallest would take minutes

static inline bool is_long_call(const Cpu *cpu, double work) {
    return work >= (cpu->stress ? stress_work : long_work);
}

// A call lies in the same memory as all that it works on.
typedef struct LongCall LongCall;
size_t long_call_bytes(void); // aligned
// Makes one at the beginning of a kernel's workspace, or of one thread's part of it. `wide`: BLIS may use threads.
LongCall *long_call_make(void *memory, struct Lasting *lasting, bool wide);

// Does run(problem), where `problem`, of `size` bytes, has addresses within the call's memory only. It is copied, and
// what it is afterwards copied back, as are the float flags that were raised. False: the call was left, FLAG_INTERRUPTED
// is set, and the memory is not the caller's any more.
typedef void (*LongFn)(void *problem);
bool long_call_run(const Cpu *cpu, LongCall *call, LongFn run, void *problem, size_t size, uint32_t *flags);

#endif
