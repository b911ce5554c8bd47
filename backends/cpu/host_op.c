// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs operations registered by the host program.

#include "vm/kernel/host_op.h"

#include "backends/cpu/cpu.h"
#include "backends/cpu/library.h"

static void run_host(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const HostCall call = {.backend = "cpu", .kernel = k, .threads = cpu->threads};
    if (!host_op_run(&call)) *flags |= FLAG_FAILED;
}
const LibraryFn library_HOST = {.run = run_host};
