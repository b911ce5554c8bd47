// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A plug-in's only exported function. The build defines NACRE_LOOPS as the name of its table of loops.

#include "backends/loops/loops.h"

__attribute__((visibility("default"))) const LoopsPlugin *nacre_loops(void) {
    static const LoopsPlugin plugin = {loops_made_for, sizeof(Loops), &NACRE_LOOPS};
    return &plugin;
}
