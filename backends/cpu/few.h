// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library ops of a few elements, done at once on the calling thread (direct.c).

#ifndef NACRE_BACKENDS_CPU_FEW_H
#define NACRE_BACKENDS_CPU_FEW_H

#include "backends/cpu/cpu.h"

// select.c: TAKE and PUT with views, whose elements, the places' and the other operand's, lie there.
void select_few(const Cpu *cpu, const Direct *direct, char *places, char *other, char *out);

// A row that is sorted, or its places; where elements belong in a sorted row. `from` is side by side. False: somebody
// broke it off, and nothing has been written.
bool sort_few(const Cpu *cpu, const Direct *d, const char *from, char *to);
void search_few(const Direct *d, const char *row, const char *wanted, char *to);
void convolve_few(const Direct *d, const char *a, const char *v, char *to); // convolve.c
// extreme.c: where the first of the largest or smallest of contiguous elements is.
int64_t extreme_place(DType type, const char *at, int64_t n, bool largest);

#endif
