// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A plug-in's only function. The build says which set: NACRE_LOOPS is the name of its table.

#include "backends/loops/loops.h"

__attribute__((visibility("default"))) const LoopsPlugin *nacre_loops(void) {
    static const LoopsPlugin plugin = {loops_made_for, sizeof(Loops), &NACRE_LOOPS};
    return &plugin;
}
