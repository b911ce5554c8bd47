// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A result may take over the memory of an operand that nobody will read again, where elements are read
// just where new ones are written, and nowhere else.

#include "vm/sched/pass.h"

static bool may_hand_over(const Lowering *l, int load, int store) {
    const Kernel *k = &l->kernel;
    const KernAccess *from = &k->loads[load], *to = &k->stores[store].to;
    const Storage *old = from->storage;
    if (old == to->storage || plan_is_wanted(l->making, old->number - 1, l->end)) return false;
    if (dtype_size(from->dtype) != dtype_size(to->dtype)) return false;
    for (int d = 0; d < k->ndim; d++)
        if (from->strides[d] != to->strides[d]) return false;
    for (int i = 0; i < k->load_count; i++)
        if (i != load && k->loads[i].storage == old) return false;
    for (int i = 0; i < k->store_count; i++)
        if (k->stores[i].to.storage == old) return false;
    return true;
}

void pass_handover(Lowering *l) {
    const Kernel *k = &l->kernel;
    uint64_t taken = 0;
    l->handover_count = 0;
    for (int s = k->reduction_count; s < k->store_count; s++)
        for (int i = 0; i < k->load_count; i++) {
            if (taken >> i & 1 || !may_hand_over(l, i, s)) continue;
            taken |= (uint64_t)1 << i;
            l->handovers[l->handover_count++] = (Handover){(uint8_t)s, (uint8_t)i};
            break;
        }
}

const char *check_handover(const Lowering *l) {
    uint64_t loads = 0, stores = 0;
    for (int i = 0; i < l->handover_count; i++) {
        Handover h = l->handovers[i];
        if (h.load >= l->kernel.load_count || h.store >= l->kernel.store_count)
            return "a handover of nothing";
        if (loads >> h.load & 1 || stores >> h.store & 1) return "memory is handed over twice";
        if (!may_hand_over(l, h.load, h.store)) return "memory is handed over that is still read";
        loads |= (uint64_t)1 << h.load;
        stores |= (uint64_t)1 << h.store;
    }
    return NULL;
}
