// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Access to the memory of values that natives write into: bytearrays and arrays.

#ifndef NACRE_STDLIB_BUFFER_H
#define NACRE_STDLIB_BUFFER_H

#include "vm/value/vm.h"

typedef struct MutableBuffer {
    char *at;
    int64_t len; // bytes
} MutableBuffer;

// Finds the bytes of a bytearray or of a writable array, or of a memoryview of one. They are valid
// until the next operation on the value. Raises TypeError for other values, and ValueError for an
// array that is not contiguous.
Status buffer_for_writing(Vm *vm, Value v, MutableBuffer *out);

#endif
