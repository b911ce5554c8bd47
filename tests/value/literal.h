// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values written as text, for tests.

#ifndef NACRE_TESTS_VALUE_LITERAL_H
#define NACRE_TESTS_VALUE_LITERAL_H

#include "vm/value/vm.h"

// Reads None, True, False, numbers, strings in either quotes (with \n \t \\ \' \" \xXX \uXXXX
// \UXXXXXXXX), tuples, lists, dicts {a: b}, range(a, b, c) and slice(a, b, c). A ~ before a list
// stands for an iterator over it. Owned; V_UNDEF when the text is none of these.
Value literal(Vm *vm, const char *text);

#endif
