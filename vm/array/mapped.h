// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays whose elements lie in a file that is mapped into memory (np.memmap).

#ifndef NACRE_VM_ARRAY_MAPPED_H
#define NACRE_VM_ARRAY_MAPPED_H

#include "vm/array/array.h"

typedef enum MapMode { MAP_READ, MAP_COPY, MAP_UPDATE, MAP_NEW } MapMode; // r, c, r+, w+

typedef struct Mapping {
    char *at; // a page's begin
    size_t bytes;
    MapMode mode;
    int64_t offset; // of the elements in the file
    Str *path;
} Mapping;

// An array of uint8 over `bytes` bytes of a file from `offset` on, as bytes of it; in modes r and c they have to
// be there, the others make the file longer. What is written in modes r+ and w+ becomes the file's when the
// mapping goes, or is flushed. OSError, ValueError, MemoryError.
// `full`: the path as the array shows it.
Status array_map_file(Vm *vm, Str *path, Str *full, MapMode mode, int64_t offset, int64_t bytes, Value *out);

// NULL: the array's elements are in no file.
const Mapping *array_mapping(const Array *array);
// Whether they lie in a file, for what a script sees: of several ranks one has the file (effects.h).
Status array_in_file(Vm *vm, Value array, bool *out);

// Writes what has changed to the file. OSError.
Status mapping_flush(Vm *vm, Array *array);

#endif
