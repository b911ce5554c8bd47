// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Long library calls that cannot be interrupted. Such a call runs in its own thread, on memory that
// it owns (vm/plugin/lasting.h), while the caller waits and polls for interrupts. On an interrupt
// the caller abandons the call: its results are discarded, and its thread frees the memory at the
// end.
// An abandoned call keeps a processor busy; it cannot be stopped. So a process may only have a few:
// further long calls wait for one to end, and that wait can be interrupted.

#ifndef NACRE_BACKENDS_CPU_LONG_CALL_H
#define NACRE_BACKENDS_CPU_LONG_CALL_H

#include "backends/cpu/cpu.h"

// Multiplications from which a call counts as long: about 50 ms on one core. The thread costs 0.1
// ms.
static const double long_work = 1.25e9;
static const double stress_work = 2000; // a 6 x 6 matrix: stacks of smaller ones would take minutes

static inline bool is_long_call(const Cpu *cpu, double work) {
    return work >= (cpu->stress ? stress_work : long_work);
}

// Lives in the same memory as the data of the call.
typedef struct LongCall LongCall;
size_t long_call_bytes(void); // aligned
// Places a call at the start of a kernel's workspace, or of one thread's share of it. `wide`: BLIS
// may use threads.
LongCall *long_call_make(void *memory, struct Lasting *lasting, bool wide);

// Runs run(problem). `problem` has `size` bytes and only points into the call's memory. It is
// copied in and out, and raised float flags are passed on. False: the call was abandoned,
// FLAG_INTERRUPTED is set, and the caller has lost the memory.
typedef void (*LongFn)(void *problem);
bool long_call_run(const Cpu *cpu, LongCall *call, LongFn run, void *problem, size_t size, uint32_t *flags);

#endif
