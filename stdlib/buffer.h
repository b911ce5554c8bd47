// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory of values that natives write into: bytearrays and arrays.

#ifndef NACRE_STDLIB_BUFFER_H
#define NACRE_STDLIB_BUFFER_H

#include "vm/value/vm.h"

typedef struct MutableBuffer {
    char *at;
    int64_t len; // bytes
} MutableBuffer;

// The bytes of a bytearray, or of a contiguous array that may be written. Valid until the next
// operation on the value. TypeError, ValueError.
Status buffer_for_writing(Vm *vm, Value v, MutableBuffer *out);

#endif
