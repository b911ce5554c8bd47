// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library ops that do the same work on each row: rows, or parts of long ones, are distributed to threads.

#ifndef NACRE_BACKENDS_CPU_ROWS_H
#define NACRE_BACKENDS_CPU_ROWS_H

#include "backends/cpu/cpu.h"

typedef struct Rows Rows;
// Processes units from … to of a row; `at` holds the addresses of the row's operands.
typedef void (*RowFn)(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags);

enum { ROW_OPERANDS = 3 };

struct Rows {
    Job job;
    RowFn run;
    const void *what; // argument of `run`
    int operands, ndim;
    const int64_t *shape;                  // of the index space of rows
    const int64_t *strides[ROW_OPERANDS];
    char *at[ROW_OPERANDS];
    int64_t units; // units of a row, which may be processed separately
    int parts;
};

// Processes all rows. `work`: number of elements. Adds raised float flags to `flags`; a caller whose op reports none
// discards them.
void rows_run(const Cpu *cpu, Rows *rows, int64_t work, uint32_t *flags);

#endif
