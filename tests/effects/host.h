// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A VM with a host that keeps what is written and counts what is asked of it, for the tests of this folder.

#ifndef NACRE_TESTS_EFFECTS_HOST_H
#define NACRE_TESTS_EFFECTS_HOST_H

#include <stdio.h>

#include "vm/api/api.h"

#define CHECK(condition)                                                       \
    ((condition) ? (void)0                                                     \
                 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))
extern int failures;

typedef struct Host {
    char out[1 << 16];
    int writes, reads, modules;
    const char *line; // what is read
} Host;

NacreVm *host_start(Host *host, const char *tier);
// Runs a text; prints what goes wrong.
bool host_run(NacreVm *vm, const char *text);
// The text of a global variable, or of what repr() says of another value; valid until the next call on the VM.
const char *host_text(NacreVm *vm, const char *expression);

#endif
