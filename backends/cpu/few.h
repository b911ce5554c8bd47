// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library ops of a few elements, done at once on the calling thread (direct.c).

#ifndef NACRE_BACKENDS_CPU_FEW_H
#define NACRE_BACKENDS_CPU_FEW_H

#include "backends/cpu/cpu.h"

// Address of the first element that a view shows, in the host's memory.
static inline char *view_at(const View *view) {
    return view->storage->buffer.host + view->offset;
}

// select.c: TAKE and PUT, whose operands lie at the addresses.
void select_few(const Cpu *cpu, const Node *node, char *places, char *other, char *out);

// sort.c: a contiguous row that is sorted, or its places (SORT, ARGSORT); where n contiguous elements of the row's
// type belong in a sorted row (SEARCHSORTED). False: it was interrupted, and nothing has been written.
bool sort_few(const Cpu *cpu, const Node *node, const char *from, char *to);
void search_few(const Node *node, const char *wanted, int64_t n, char *to);
void convolve_few(const Node *node, char *to); // convolve.c
// extreme.c: where the first of the largest or smallest of contiguous elements is.
int64_t extreme_place(DType type, const char *at, int64_t n, bool largest);

#endif
