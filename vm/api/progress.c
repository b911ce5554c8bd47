// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Progress reports to the host. The thread of deadline.c requests one with BREAK_REPORT, which is not a real break: any
// thread that polls sees it, the VM's own thread then calls the host and clears it, and other threads continue.

#include "vm/api/progress.h"

#include <time.h>

#include "vm/api/deadline.h"
#include "vm/sched/engine.h"

static const double usual_interval = 0.1;

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t instructions_of(const Vm *vm) {
    uint64_t sum = 0;
    for (int i = 0; vm->interp->op_counts && i < OP_COUNT; i++) sum += vm->interp->op_counts[i];
    return sum;
}

static bool report(Vm *vm) {
    NacreVm *handle = (NacreVm *)vm;
    int why = BREAK_REPORT;
    if (!pthread_equal(handle->thread, pthread_self())) return false;
    if (!atomic_compare_exchange_strong(&vm->interrupt, &why, BREAK_NONE)) return why != BREAK_NONE;
    EngineStats stats = engine_stats(vm);
    const NacreProgress progress = {.struct_size = sizeof progress,
                                    .seconds = seconds_now() - handle->begun,
                                    .nodes_executed = stats.executed,
                                    .kernels = stats.kernels,
                                    .instructions = instructions_of(vm),
                                    .memory_in_use = vm->mem.in_use};
    if (handle->options.progress(handle->options.ctx, &progress)) interp_interrupt(vm);
    deadline_reported(handle->deadline);
    why = atomic_load(&vm->interrupt); // perhaps the next report is due
    return why == BREAK_INTERRUPT || why == BREAK_TIME;
}

double progress_begin(NacreVm *handle) {
    if (!handle->options.progress) return 0;
    handle->vm.report = report;
    handle->thread = pthread_self();
    handle->begun = seconds_now();
    return handle->options.progress_interval > 0 ? handle->options.progress_interval : usual_interval;
}

void progress_end(NacreVm *handle) {
    int why = BREAK_REPORT;
    atomic_compare_exchange_strong(&handle->vm.interrupt, &why, BREAK_NONE);
}
