// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Array elements that an instruction of a loop nest reads and writes.

#ifndef NACRE_VM_REGION_PARALLEL_ACCESS_H
#define NACRE_VM_REGION_PARALLEL_ACCESS_H

#include "vm/region/parallel_index.h"

typedef struct Access {
    int array;
    bool store;
    bool element;    // a single element, from RG_LOAD or RG_STORE
    DependAccess at; // the index is unknown in dimensions that the access spans
} Access;

// Lists an instruction's accesses and returns their number; -1: unknown, or more than `room`.
int accesses_of(IndexForms *forms, int32_t instr, Access *out, int room);

#endif
