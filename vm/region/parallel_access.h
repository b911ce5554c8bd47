// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Which elements of the region's arrays an instruction of a nest of loops reads and writes.

#ifndef NACRE_VM_REGION_PARALLEL_ACCESS_H
#define NACRE_VM_REGION_PARALLEL_ACCESS_H

#include "vm/region/parallel_index.h"

typedef struct Access {
    int array;
    bool store;
    bool element;    // one, by an RG_LOAD or RG_STORE
    DependAccess at; // of dimensions that are gone along, the index is not known
} Access;

// How many there are, at most `room`; -1: it is not known, or they are more.
int accesses_of(IndexForms *forms, int32_t instr, Access *out, int room);

#endif
