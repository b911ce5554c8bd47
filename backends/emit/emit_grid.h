// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Source text of kernels for devices that run a function once for each element, or for each lane of
// a group that reduces. Float conditions are found from operands and results, as such devices keep
// no flags of their own.

#ifndef NACRE_BACKENDS_EMIT_EMIT_GRID_H
#define NACRE_BACKENDS_EMIT_EMIT_GRID_H

#include "backends/emit/emit.h"

// What languages call such things.
typedef struct GridWords {
    const char *kernel;           // in front of a kernel's name
    const char *global, *local;   // memory: of the device, of a group
    const char *item[2];          // which one this is: along the last dimension, and which row
    const char *lane, *group;     // of a group; which group
    const char *barrier;          // lanes wait for one another
} GridWords;

enum { GRID_DIMS = 8, GRID_ACCESSES = KERN_LOADS + KERN_STORES };

// What of a kernel decides its text. Without gaps of unknown bytes: two are the same if their bytes
// are.
typedef struct Grid {
    Form form; // of the values
    uint8_t ndim, store_count, reduction_count, lanes;
    uint32_t reduced; // dimensions
    uint8_t store_types[KERN_STORES], store_motions[KERN_STORES];
    int8_t store_values[KERN_STORES];
    uint8_t ops[KERN_STORES], op_sites[KERN_STORES], begun[KERN_STORES], has_first[KERN_STORES];
    uint8_t sites[KERN_CODE], tells[KERN_CODE];
    uint8_t tells_any, pad[3];
} Grid;
_Static_assert(sizeof(Grid) % sizeof(uint32_t) == 0, "its bytes are compared");

// False: there is no code for it.
bool grid_of(const Dialect *dialect, const Kernel *kernel, Grid *grid);

// Arguments of the kernels: the memory of each load and each store; partial results, one for each
// reduction; the flags, a uint32 a site; then numbers of 8 bytes each, in this order: extents,
// offsets of the accesses, their strides (by access, then dimension), parameters, what reductions
// begin with, and of reductions: elements along the reduced dimensions, in a part, and parts.
// GRID_NAME computes; of reductions each group makes a part of one result, and GRID_JOIN, an item
// for each result, joins the parts.
#define GRID_NAME "nacre_code"
#define GRID_JOIN "nacre_join"
int grid_numbers(const Grid *grid); // how many

void emit_grid(const Dialect *dialect, const Grid *grid, Buf *out);

#endif
