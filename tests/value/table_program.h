// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Little programs over dictionaries and sets, with what CPython prints for them.

#ifndef NACRE_TESTS_VALUE_TABLE_PROGRAM_H
#define NACRE_TESTS_VALUE_TABLE_PROGRAM_H

#include <stddef.h>

// Statements are separated by "; ". Variables are single letters; X, Y stand for a variable or a
// literal (literal.h).
//   a := kind X        kind is set, frozenset, dict, list or iter
//   a.method X | Y     calls a method;  b = a.method X  keeps the result
//   X @ op Y           op is one of | & - ^ |= &= -= ^= == != < <= > >= in;  b = X @ op Y
//   a[X] · a[X] = Y · del a[X] · len a · next a
//   show a
// Every statement but those that keep a result prints: `show` the repr, a failing one
// "TypeError: message", the others the repr of their result unless it is None.
typedef struct TableProgram {
    const char *text, *expect; // lines of output joined by "\n"
} TableProgram;

// Runs all, each also with its first, second, third … allocation failing; prints what differs.
int table_programs_run(const TableProgram *programs, size_t count);

#endif
