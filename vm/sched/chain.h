// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Chains: loops that may be run together in bands of rows. What bands.c, skew.c and ghost.c share.

#ifndef NACRE_VM_SCHED_CHAIN_H
#define NACRE_VM_SCHED_CHAIN_H

#include "vm/plan/pass.h"
#include "vm/sched/blocks.h"
#include "vm/sched/operands.h"

enum { TOUCHED_MAX = BAND_KERNELS * (KERN_LOADS + KERN_STORES) };

// How the loops of a chain access a storage.
typedef struct Touched {
    Storage *storage;
    int64_t step;      // bytes from row to row, the same for all accesses if `even`
    int64_t low, high; // the bytes that accesses touch for row 0
    bool even;
    uint32_t loaded, stored; // by which loops, as bits
    bool fresh;              // on ranks: it had never been written before the chain
    bool inside;             // only the chain uses it, so it lives in memory of each thread, for one band
    int64_t offset;          // if `inside`: the offset of row 0 there
} Touched;

// The rows of a storage that a loop touches for its own row 0, as skew.c counts rows.
typedef struct Reach {
    const Storage *storage;
    int64_t low, high;
    bool written;
} Reach;

// On ranks (ghost.c): the rows of the whole arrays that a loop iterates over, and how many rows before and behind its
// own a rank computes, too, since later loops need them.
typedef struct Zone {
    int64_t first, rows;
    int64_t in_row; // ChainLink.in_row of the whole loop, while that is of a part
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
    int64_t rows, in_row; // rows that the loop iterates over, and indices of dimension 0 in each
    int reach_count;
    Reach reaches[KERN_LOADS + KERN_STORES];
    Zone zone;  // on ranks
    int number; // on ranks: the loop's number among those with ghost zones, of which `links` may have only some
    Extent inner; // on ranks: the rows that need nothing that travels (ghost_overlap.c)
} ChainLink;

struct Chain {
    int count;
    ChainLink links[BAND_KERNELS];
    int touched_count;
    Touched touched[TOUCHED_MAX];
    int shared_count; // on ranks: of all loops with ghost zones, whereas `touched` is of those run in bands together
    Touched shared[TOUCHED_MAX];
    Bands bands;
    Kernel *wholes; // on ranks: room for a kernel of each loop (ghost_overlap.c); NULL until the first use
};

// Returns the chain's record of a storage; NULL: there is none.
Touched *chain_touched(struct Chain *chain, const Storage *storage);
// Returns the bytes per row (Touched.step), summed over all touched storages.
size_t chain_row_bytes(const struct Chain *chain);

// Fills the chain with the loops from `first` on that may be run together, at most BAND_KERNELS.
void chain_take(Vm *vm, struct Chain *chain, const Step *first, Node *const *all);
// Returns whether the backend has seen an interrupt in one of the loops.
bool chain_is_interrupted(const struct Chain *chain);
// Reports the loops to the engine's watcher, with the time that they took together.
void chain_show(Vm *vm, const struct Chain *chain, double begin, double seconds);

// skew.c. Returns how many loops, from the first one on, iterate over rows and depend on nearby rows only. Sets their
// rows, reaches and bands.first, and the steps of the storages that they touch.
int skew_describe(struct Chain *chain);
// Cuts the chain down to its first loops, at least `least`, that can be run in skewed bands, and sets bands.rows,
// .band, .first, .lag and .ahead. Returns false if there are fewer.
bool skew_find(struct Chain *chain, const Backend *backend, const Device *device, int least);
// Finds which rows of an earlier loop have to be complete before row r of a later one: r - *back … r + *on. Returns
// false if the loops do not depend on each other.
bool skew_rows_needed(const ChainLink *early, const ChainLink *late, int64_t *back, int64_t *on);

// ghost.c: what run_bands does on ranks.
Status ghost_run(Vm *vm, struct Chain *chain, const Step *first, Node *const *all, int *done);
#define GHOST_ENDLESS (INT64_C(1) << 40) // rows: no array has so many
// Returns the rows that a rank owns of every array that the chain writes; beyond the arrays for the first and last rank.
Extent ghost_own_rows(const struct Link *link, int rank);
// Returns the indices of dimension 0 of a loop at some rows; of those of a rank, with its zone.
Extent ghost_indices(const ChainLink *loop, Extent rows);
Extent ghost_part(const struct Link *link, const ChainLink *loop, int rank);
// Runs the chain's loops, in bands as far as possible, and the rest one by one. Kernels may be empty. The loops are in
// another order afterwards.
Status ghost_launch(Vm *vm, const Device *device, struct Chain *chain, bool watched);

// ghost_overlap.c. After blocks_post: runs the loops, whose kernels are whole and have their operands, while messages
// travel, and finishes the exchange. *done false: that does not pay, and nothing has been done.
Status ghost_overlap(Vm *vm, const Device *device, struct Chain *chain, bool *done);
// Decides that alone, and sets each loop's `inner`.
bool ghost_overlaps(Vm *vm, struct Chain *chain);

#endif
