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
    bool fresh;              // on ranks: nobody has written it before
    bool inside;             // nobody else will see it
    int64_t offset;          // inside: of row 0 in each thread's memory
} Touched;

// What a loop touches of a storage for its row 0: rows of the storage, as skew.c counts them.
typedef struct Reach {
    const Storage *storage;
    int64_t low, high;
    bool written;
} Reach;

// On ranks (ghost.c): which rows of all ranks' arrays a loop goes along, and how many before and behind the rows
// that a rank owns it computes there, since later loops need them.
typedef struct Zone {
    int64_t first, rows;
    int64_t before, behind;
} Zone;

typedef struct ChainLink {
    const Step *step;
    Node *nodes[KERN_SITES];
    Site sites[KERN_SITES];
    Kernel kernel;
    uint32_t dying;
    Exchange exchange;
    Flight flight;
    int64_t rows, in_row; // that it goes along, and elements of dimension 0 in each
    int reach_count;
    Reach reaches[KERN_LOADS + KERN_STORES];
    Zone zone;  // on ranks
    int number; // on ranks: among the loops of the program
} ChainLink;

struct Chain {
    int count;
    ChainLink links[BAND_KERNELS];
    int touched_count;
    Touched touched[TOUCHED_MAX];
    int shared_count; // on ranks: of all loops that are shared out, where `touched` is of those that are run in bands
    Touched shared[TOUCHED_MAX];
    Bands bands;
};

// What the chain does with a storage; NULL: nothing that was noted.
Touched *chain_touched(struct Chain *chain, const Storage *storage);
// Bytes per row, summed over all touched storages (Touched.step).
size_t chain_row_bytes(const struct Chain *chain);

// Takes the loops from `first` on that may be run together, BAND_KERNELS at most, and sets chain->count.
void chain_take(Vm *vm, struct Chain *chain, const Step *first, Node *const *all);
// Whether the backend has seen an interrupt in one of the loops.
bool chain_is_interrupted(const struct Chain *chain);
// Shows the loops, which took so long together, to the engine's watcher.
void chain_show(Vm *vm, const struct Chain *chain, double begin, double seconds);

// skew.c. How many loops, from the first one on, go along rows and depend on rows nearby alone: their rows, reaches and
// bands.first, and the steps of what they touch.
int skew_describe(struct Chain *chain);
// Makes the chain one of its first loops, at least so many, in skewed bands: bands.rows, .band,
// .first, .lag, .ahead. False: there are none.
bool skew_find(struct Chain *chain, const Backend *backend, const Device *device, int least);

// ghost.c: run_bands on ranks.
Status ghost_run(Vm *vm, struct Chain *chain, const Step *first, Node *const *all, int *done);

#endif
