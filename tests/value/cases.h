// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Table-driven tests of values: a row is a call written as text, and what CPython answers.

#ifndef NACRE_TESTS_VALUE_CASES_H
#define NACRE_TESTS_VALUE_CASES_H

#include "vm/value/vm.h"

// `self` and `args` are literals (see literal.h); `args` is a tuple. `method` is
//   a method's name              find
//   an operator                  + * % < == in [] []= del len hash bool repr str += *=
//   a built-in or a class, with ()   sorted() is not one: enumerate() zip() reversed() iter()
//                                     str() list() tuple() range() slice()
// `expect` is the repr of the result (of the list of its items, for an iterator), or the exception
// with its message. A row whose method changes a list expects the result and the list after it:
// "None -> [1, 2]".
typedef struct Case {
    const char *self, *method, *args, *expect;
} Case;

// Runs the rows, and each of them again with its first, second, third … allocation failing.
// Prints what differs; returns the number of differences.
int cases_run(const Case *cases, size_t count);

// A value layer to test; vm->mem counts and can be told to fail.
typedef struct TestVm {
    Vm vm;
    size_t fail_after; // allocations that still succeed; SIZE_MAX: all
} TestVm;
bool test_vm_init(TestVm *test);
int test_vm_free(TestVm *test); // number of bytes not given back (as a count of failures: 0 or 1)

// Prints and counts a failure.
#define CHECK(failures, condition)                                                              \
    ((condition) ? (void)0                                                                      \
                 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), (*(failures))++))

#endif
