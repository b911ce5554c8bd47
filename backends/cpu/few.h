// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library ops on a few elements, run on the calling thread (direct.c).

#ifndef NACRE_BACKENDS_CPU_FEW_H
#define NACRE_BACKENDS_CPU_FEW_H

#include "backends/cpu/cpu.h"

// Returns the host address of a view's first element.
static inline char *view_at(const View *view) {
    return view->storage->buffer.host + view->offset;
}

// select.c: TAKE and PUT, on operands at given addresses: the indices, the other operand and the result.
void select_few(const Cpu *cpu, const Node *node, char *places, char *other, char *out);

// sort.c: sorts a contiguous row (SORT), computes the sorting indices (ARGSORT), or finds the
// insertion points of n contiguous elements in a sorted row (SEARCHSORTED). False: interrupted,
// nothing was written.
bool sort_few(const Cpu *cpu, const Node *node, const char *from, char *to);
void search_few(const Node *node, const char *wanted, int64_t n, char *to);
void convolve_few(const Node *node, char *to); // convolve.c
// extreme.c: returns the index of the largest or smallest of n contiguous elements.
int64_t extreme_place(DType type, const char *at, int64_t n, bool largest);

#endif
