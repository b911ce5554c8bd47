// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Buffer donation: a result may reuse the memory of an operand that is not read again. This pass
// finds such operands; whether the layouts match is decided when the kernel runs (vm/sched/run.c).

#include "vm/plan/pass.h"

static bool is_dying(const Lowering *l, int load) {
    const Kernel *k = &l->kernel;
    const Storage *storage = k->loads[load].storage;
    if (kernel_is_of_lines(k, load)) return false;
    if (plan_is_wanted(l->making, storage->number - 1, l->end)) return false;
    for (int i = 0; i < k->load_count; i++)
        if (i != load && k->loads[i].storage == storage) return false;
    for (int i = 0; i < k->store_count; i++)
        if (k->stores[i].to.storage == storage) return false;
    return true;
}

void pass_handover(Lowering *l) {
    l->dying = 0;
    if (l->kernel.store_count == l->kernel.reduction_count) return; // only reductions: they accumulate in place
    for (int i = 0; i < l->kernel.load_count; i++)
        if (is_dying(l, i)) l->dying |= (uint32_t)1 << i;
}

const char *check_handover(const Lowering *l) {
    for (int i = 0; i < KERN_LOADS; i++) {
        if (!(l->dying >> i & 1)) continue;
        if (i >= l->kernel.load_count) return "a handover of nothing";
        if (!is_dying(l, i)) return "memory is handed over that is still read";
    }
    return NULL;
}
