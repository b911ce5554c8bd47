// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dry runs: find what a program would do on many ranks, without its data. The engine decides and partitions as rank 0
// of these ranks would in a run (split.c, rule.c, blocks.c), but does not run kernels on large or distributed arrays,
// and sends nothing. What every rank would send is counted where transfers are listed, and each step is reported.
//
// A storage whose elements were not computed is unknown: it is in PLACE_RANKS or PLACE_UNKNOWN. A program that reads
// such elements sees zeros, or older values, which is reported as DRY_ASSUMED. Small arrays with known operands are
// computed.

#ifndef NACRE_VM_SCHED_DRY_H
#define NACRE_VM_SCHED_DRY_H

#include "vm/kernel/kernel.h"
#include "vm/plugin/ranks.h"
#include "vm/sched/blocks.h"

// How far two ranks are from each other: on one socket, on one node, on different nodes.
typedef enum DryDistance { DRY_SOCKET, DRY_NODE, DRY_FABRIC, DRY_DISTANCES } DryDistance;

// An array that a kernel reads or writes. The figures are of the largest part of the kernel.
typedef struct DryStream {
    double bytes;
    double distance; // bytes that the part touches between one load of an element and this one, by which it may have
                     // left a cache; 0: it is touched for the first time
    bool whole;      // every part touches the same elements: the array does not extend along the cut dimension
} DryStream;

// What the ranks send in an exchange.
typedef struct DryTraffic {
    uint64_t messages, bytes;                     // of all ranks together
    uint64_t received;                            // bytes, by the rank that receives most
    uint64_t rank_messages[DRY_DISTANCES];        // per distance, messages sent or received by the rank with most
    uint64_t rank_bytes[DRY_DISTANCES];
    uint64_t node_bytes;                          // out of or into a node, of the node with most
} DryTraffic;

typedef enum DryKind {
    DRY_KERNEL,    // a loop or a library call
    DRY_EXCHANGE,  // messages between pairs
    DRY_GATHER,    // `bytes` of each rank to all
    DRY_BROADCAST, // `bytes` of one rank to all
    DRY_ASSUMED,   // the program read something unknown
} DryKind;

enum { DRY_STREAMS = KERN_LOADS + KERN_STORES };

typedef struct DryStep {
    DryKind kind;
    const char *file; // borrowed; NULL: nowhere in the program
    uint32_t line;
    const char *what; // the operation; of DRY_ASSUMED, what was assumed
    const char *why;  // why every rank runs all of a kernel with distributed operands; else NULL
    bool is_library, is_shared; // is_shared: each rank runs a part
    int dim;                    // the dimension that is cut (-1: a grid of ranks cuts the space into boxes), of `ndim` with extents `shape`
    int ndim;
    const int64_t *shape;
    int64_t parts;        // ranks that have a part
    double share;         // the largest part's fraction of all work
    double operations;    // of the largest part
    double inner;         // fraction of a part that is computed while messages travel (overlap.h)
    int stream_count;
    const DryStream *streams;
    uint64_t bytes;       // of a gather or a broadcast
    DryTraffic traffic;   // of an exchange
} DryStep;

typedef struct DryOptions {
    int socket_ranks, node_ranks; // ranks per socket and per node; 0: all of them
    void (*step)(void *ctx, const DryStep *step);
    void *ctx;
} DryOptions;

struct Link;
struct Dry *dry_new(Vm *vm, const DryOptions *options, int size); // NULL: out of memory
void dry_free(Vm *vm, struct Dry *dry);
bool is_dry(const Vm *vm);
// What a rank has sent and received. dry_memory_peak is an upper bound of the bytes of arrays on the rank with most.
void dry_counts(const Vm *vm, int rank, RanksCounts *out, uint64_t *array_bytes_received);
uint64_t dry_memory_peak(const Vm *vm);

// --- Called by split.c: how a kernel is partitioned -------------------------------------------------
// Notes that a loop, or the space of a library call, is cut along `dim` into the parts link->ranges.
void dry_share(Vm *vm, const Kernel *k, int dim);
struct GridShare;
void dry_share_boxes(Vm *vm, const Kernel *k, const struct GridShare *share); // the same for a cut over a grid of ranks
void dry_overlaps(Vm *vm, double inner); // notes DryStep.inner of the kernel whose parts were noted last
void dry_gathered(Vm *vm, const char *why); // notes that every rank runs all of it, though operands are distributed

// --- Called by run.c --------------------------------------------------------------------------------
// Begins the report of a kernel whose last node is `node`. Does nothing if this is no dry run.
void dry_begin(Vm *vm, const Node *node);
// Returns whether the kernel is not to be run, since operands are unknown or large. Then dry_launch is called instead
// of launching it.
bool dry_skips(Vm *vm, const Kernel *kernel);
Status dry_launch(Vm *vm, const Kernel *kernel, const Node *node);
// Reports a partitioned loop, whose results the caller accounts for.
void dry_loop(Vm *vm, const Kernel *kernel, const Node *node);
// Called by direct.c: returns whether a small operation reads or overwrites something unknown, so that its result is
// unknown, too. It is computed all the same, of what is there, since the backend may leave it to be recorded.
bool dry_direct(const Node *node);

// --- Called by blocks.c and collective.c ------------------------------------------------------------
// Counts an exchange that brings each rank r what it lacks of needs[r]. True: an equal exchange was counted before, and
// its counts were added once more, so the caller lists no messages. False: the caller lists them.
bool dry_exchange(Vm *vm, const Storage *storage, const Extent *needs);
void dry_moved(Vm *vm, int from, int to, int64_t bytes); // counts one message of the exchange
// Counts a message to rank `to` from each rank that owns bytes of the part `lacks`.
void dry_lacks(Vm *vm, const Partition *partition, int to, Extent lacks);
// Counts and reports an exchange of boxes (boxes.h), from the ranks r that own the indices link->owners[r] along a
// dimension to the ranks with the parts link->ranges[r]; with `to_owners`, in the other direction. row_bytes[r]: bytes
// of one owned index in part r. `crossed`: parts are ranges of another dimension, so that each needs elements of all
// owners.
Status dry_boxes(Vm *vm, const int64_t *row_bytes, bool crossed, bool to_owners);
Status dry_exchanged(Vm *vm); // adds up the exchange that was listed, and reports it
void dry_exchange_made(Vm *vm); // counts one exchange, in which all that was listed since the last one is sent
void dry_cut(Vm *vm, Blocks *blocks);         // sets blocks->beyond of a new storage
void dry_brought(Vm *vm, Blocks *blocks);     // sets it again, after windows have grown
void dry_dropped(Vm *vm, const Blocks *blocks);
void dry_collective(Vm *vm, DryKind kind, int from, size_t bytes);
// Notes temporary memory of this rank, as for partial results or boxes, for the peak.
void dry_borrowed(Vm *vm, size_t bytes);
// Reports that the program is about to read something unknown.
void dry_assume(Vm *vm, const char *what);
// Allocates host memory, of zeros, for an unknown storage without any, so that it can be read.
Status dry_reach(Vm *vm, Storage *storage);

#endif
