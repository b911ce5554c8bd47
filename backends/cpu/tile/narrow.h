// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Kernels whose results have a narrow contiguous dimension, for example points × coordinates: rows of it are joined
// into long ones, so that tiles are long and stores contiguous. Operands that cannot be joined, such as a value per
// point or per coordinate, are copied into a tile's buffer row by row.

#ifndef NACRE_BACKENDS_CPU_TILE_NARROW_H
#define NACRE_BACKENDS_CPU_TILE_NARROW_H

#include "vm/kernel/kernel.h"

typedef struct NarrowRows {
    int64_t width;             // elements of a narrow row
    bool by_rows[KERN_LOADS];  // loads that are copied row by row
    int64_t row[KERN_LOADS];   // their strides from row to row, and within a row
    int64_t column[KERN_LOADS];
} NarrowRows;

// Returns whether narrow rows of an elementwise kernel can be joined. Then `joined` is a kernel without the narrow
// dimension; its loads by rows have the strides of their buffers in the last dimension.
bool narrow_join(const Kernel *kernel, Kernel *joined, NarrowRows *rows);

#endif
