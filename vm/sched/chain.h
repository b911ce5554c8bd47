// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loops that may be run together, in bands of rows: what bands.c and skew.c share.

#ifndef NACRE_VM_SCHED_CHAIN_H
#define NACRE_VM_SCHED_CHAIN_H

#include "vm/plan/pass.h"
#include "vm/sched/operands.h"

enum { TOUCHED_MAX = BAND_KERNELS * (KERN_LOADS + KERN_STORES) };

// What the loops do with a storage.
typedef struct Touched {
    Storage *storage;
    int64_t step;      // bytes from row to row, the same for all accesses if `even`
    int64_t low, high; // the bytes of row 0
    bool even;
    uint32_t loaded, stored; // by which loops
    bool inside;             // nobody else will see it
    int64_t offset;          // inside: of row 0 in each thread's memory
} Touched;

// What a loop touches of a storage for its row 0: rows of the storage, as skew.c counts them.
typedef struct Reach {
    const Storage *storage;
    int64_t low, high;
    bool written;
} Reach;

typedef struct ChainLink {
    const Step *step;
    Node *nodes[KERN_SITES];
    Site sites[KERN_SITES];
    Kernel kernel;
    uint32_t dying;
    Exchange exchange;
    Flight flight;
    int64_t rows; // that it goes along
    int reach_count;
    Reach reaches[KERN_LOADS + KERN_STORES];
} ChainLink;

struct Chain {
    int count;
    ChainLink links[BAND_KERNELS];
    int touched_count;
    Touched touched[TOUCHED_MAX];
    Bands bands;
};

// What the chain does with a storage; NULL: nothing that was noted.
Touched *chain_touched(struct Chain *chain, const Storage *storage);
// Bytes of a row of all that was noted.
size_t chain_row_bytes(const struct Chain *chain);

// skew.c. Makes the chain one of its first loops, at least so many, in skewed bands: bands.rows, .band,
// .first, .lag, .ahead. False: there are none.
bool skew_find(struct Chain *chain, const Backend *backend, const Device *device, int least);

#endif
