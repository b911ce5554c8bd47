// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What is done while allocations fail: scripts, and calls of the public interface.

#ifndef NACRE_TESTS_FAULT_SCENARIOS_H
#define NACRE_TESTS_FAULT_SCENARIOS_H

#include "nacre/nacre.h"

typedef struct Scenario {
    char *name;
    char *path; // of a script; NULL for a call
    NacreStatus (*call)(NacreVm *vm); // NULL: the scenario is making a VM
    int silent; // NACRE_ERROR comes without a class
    const char *backend, *tier; // NULL: the default
    int publishes; // the host shows values in their forms, and answers questions
} Scenario;

typedef struct Scenarios {
    Scenario *items;
    size_t count;
} Scenarios;

// The scripts of a folder in alphabetical order, those of arrays on the mirror backend, and those of
// loops with machine code, too, and all calls. count 0 on failure.
Scenarios scenarios_load(const char *folder);
void scenarios_free(Scenarios *all);

NacreStatus scenario_run(const Scenario *scenario, NacreVm *vm);

#endif
