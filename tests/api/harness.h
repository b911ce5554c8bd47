// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the tests of the public interface share: a VM whose output is kept, and checks.

#ifndef NACRE_TESTS_API_HARNESS_H
#define NACRE_TESTS_API_HARNESS_H

#include <stdbool.h>
#include <stdio.h>

#include "nacre/nacre.h"

// Prints and counts a failure.
#define CHECK(condition)                                                       \
    ((condition) ? (void)0                                                     \
                 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))
extern int failures;

enum { KEPT_BYTES = 4096 };

// The host's side of a VM. Texts are cut at KEPT_BYTES.
typedef struct Host {
    NacreVm *vm;
    char out[KEPT_BYTES], err[KEPT_BYTES], shown[KEPT_BYTES], warned[KEPT_BYTES];
    const char *const *lines; // for input(), ends with NULL
    bool fail_write, fail_read;
    int writes;
    NacreStatus nested[4]; // what calls from inside a callback answered
} Host;

// Options with all callbacks set, and `host` as their context.
NacreOptions host_options(Host *host);
// A VM with these options, which also becomes host->vm. The host is cleared.
NacreVm *host_start(Host *host);
void host_clear(Host *host);

NacreStatus run(NacreVm *vm, const char *text);
// Whether an expression's repr is `expect`; prints it if not.
bool evaluates(NacreVm *vm, const char *expression, const char *expect);
// Whether a text ends with an error of this class at this line (0: any).
bool raises(NacreVm *vm, const char *text, const char *class_name, int line);

// Whether a call has ended with an error of this class.
bool failed(NacreVm *vm, NacreStatus status, const char *class_name);
// The value of an expression; the caller lets go of it.
NacreValue *value_of(NacreVm *vm, const char *text);

// A function for scripts that interrupts the VM it is called in.
NacreStatus interrupt_here(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **result);

typedef struct Test {
    const char *name;
    void (*fn)(void);
} Test;
int run_tests(const Test *tests, size_t count);
#define RUN_TESTS(tests) run_tests(tests, sizeof(tests) / sizeof *(tests))

#endif
