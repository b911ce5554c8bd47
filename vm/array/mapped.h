// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays over a memory-mapped file (np.memmap).

#ifndef NACRE_VM_ARRAY_MAPPED_H
#define NACRE_VM_ARRAY_MAPPED_H

#include "vm/array/array.h"

typedef enum MapMode { MAP_READ, MAP_COPY, MAP_UPDATE, MAP_NEW } MapMode; // r, c, r+, w+

typedef struct Mapping {
    char *at; // start of the first page
    size_t bytes;
    MapMode mode;
    int64_t offset; // offset of the elements in the file
    Str *path;
} Mapping;

// Makes a uint8 array over `bytes` bytes of a file from `offset` on. In modes r and c the file must
// contain them; other modes extend it. In modes r+ and w+ writes reach the file when flushed or
// unmapped. OSError, ValueError, MemoryError. `full`: the path that the array shows.
Status array_map_file(Vm *vm, Str *path, Str *full, MapMode mode, int64_t offset, int64_t bytes, Value *out);

// Returns an array's mapping; NULL: it is not file-backed.
const Mapping *array_mapping(const Array *array);
// Returns whether the array is file-backed, as scripts see it: with several ranks only one has the
// file (effects.h).
Status array_in_file(Vm *vm, Value array, bool *out);

// Writes changes to the file. OSError.
Status mapping_flush(Vm *vm, Array *array);

#endif
