// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Builds a kernel's body from the nodes of a kernel group. Dimensions are joined later, at run
// time.

#include "vm/plan/pass.h"

void pass_body(Lowering *l) {
    const Plan *plan = l->making->plan;
    kernel_begin(&l->maker, &l->kernel, l->nodes[0]);
    for (int n = 0; n < l->end - l->from; n++)
        kernel_add(&l->maker, l->nodes[n], plan->fates[plan->order[l->from + n]] == FATE_STORED);
    kernel_finish(&l->maker);
}

const char *check_body(const Lowering *l) {
    const Kernel *k = &l->kernel;
    if (k->site_count != l->end - l->from) return "other sites than nodes";
    return kernel_verify_body(k);
}
