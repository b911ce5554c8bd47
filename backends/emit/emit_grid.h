// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders kernels for devices that run one work item per element, or one per lane of a reducing
// group. Such devices have no float flags, so flags are derived from operands and results.

#ifndef NACRE_BACKENDS_EMIT_EMIT_GRID_H
#define NACRE_BACKENDS_EMIT_EMIT_GRID_H

#include "backends/emit/emit.h"

// A device language's spelling of its concepts.
typedef struct GridWords {
    const char *kernel;           // qualifier of a kernel function
    const char *global, *local;   // address spaces: device memory, group memory
    const char *item[2];          // index of the work item: along the last dimension, and of the
                                  // row
    const char *lane, *group;     // lane within the group; number of the group
    const char *barrier;          // barrier between lanes
    const char *atomics;          // defines ATOMIC_ADD, ATOMIC_MAX, ATOMIC_OR of uint32_t in device memory
    int lanes;                    // of a reducing group
    int threads;                  // work items that a reduction is cut into, if it has work for so many
} GridWords;

enum { GRID_DIMS = 8, GRID_ACCESSES = KERN_LOADS + KERN_STORES };

// Signature of a device kernel: everything that determines its text. No uninitialised padding, so
// it is compared by bytes.
typedef struct Grid {
    Form form; // signature of the body
    uint8_t ndim, store_count, reduction_count, lanes;
    uint32_t reduced; // reduced dimensions, as a set
    uint8_t store_types[KERN_STORES], store_motions[KERN_STORES];
    int8_t store_values[KERN_STORES];
    uint8_t ops[KERN_STORES], op_sites[KERN_STORES], begun[KERN_STORES], has_first[KERN_STORES];
    uint8_t sites[KERN_CODE], tells[KERN_CODE];
    uint8_t tells_any, pad[3];
} Grid;
_Static_assert(sizeof(Grid) % sizeof(uint32_t) == 0, "its bytes are compared");

// Computes the signature. False: the kernel is not supported.
bool grid_of(const Dialect *dialect, const Kernel *kernel, Grid *grid);

// Arguments: memory of each load and store; partial results, one per reduction; the flags, a uint32
// per site; then numbers of 8 bytes: extents, offsets of accesses, their strides (by access, then
// dimension), parameters, initial values of reductions, and for reductions GRID_CUT more: results,
// elements along reduced dimensions, elements per part, parts, and whether parts are joined.
//
// GRID_NAME computes. Work items beyond the extents do nothing, so there may be more of them. In a reduction
// each group of `lanes` makes one part of a result, which is the result unless parts are joined; GRID_JOIN then
// combines the parts of a result, by as many lanes.
enum { GRID_CUT = 5 };
#define GRID_NAME "nacre_code"
#define GRID_JOIN "nacre_join"
int grid_numbers(const Grid *grid); // count of these numbers

void emit_grid(const Dialect *dialect, const Grid *grid, Buf *out);

#endif
