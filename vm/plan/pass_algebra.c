// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The pass that simplifies a kernel's instructions (vm/kernel/algebra.c).

#include "vm/plan/pass.h"

void pass_algebra(Lowering *l) {
    kernel_algebra(&l->maker);
}

const char *check_algebra(const Lowering *l) {
    return kernel_verify_body(&l->kernel);
}
