// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Checks GEMM kernels.

#include "vm/kernel/kernel.h"

const char *kernel_verify_call(const Kernel *k) {
    const View *to = &k->result.view, *a = &k->args[0].view, *b = &k->args[1].view,
               *c = &k->args[2].view;
    const int8_t *sites = k->gemm.sites;
    for (int s = 0; s < GEMM_STEPS; s++)
        if (sites[s] < -1 || sites[s] >= k->site_count) return "a step of no site";
    if (sites[GEMM_PRODUCT] < 0) return "a product without product";
    if (k->param_count != 2) return "a product without its numbers";
    if (sites[GEMM_SCALE_ADDEND] >= 0 && sites[GEMM_SUM] < 0)
        return "a scaled matrix that is not added";
    if ((sites[GEMM_SUM] < 0) != k->args[2].is_scalar) return "a sum of what is not there";
    if (to->ndim != 2 || a->ndim != 2 || b->ndim != 2) return "a product of what is no matrix";
    if (a->shape[1] != b->shape[0] || to->shape[0] != a->shape[0] || to->shape[1] != b->shape[1])
        return "a product of matrices that do not fit";
    if (k->args[2].is_scalar) return NULL;
    bool same = c->ndim == 2 && c->shape[0] == to->shape[0] && c->shape[1] == to->shape[1];
    return same ? NULL : "a sum of other extents";
}
