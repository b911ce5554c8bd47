// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dry runs: what a program would do on many ranks, without its data. The engine decides and partitions as in a run
// (split.c, rule.c, blocks.c), as rank 0 of so many; but kernels on large or distributed arrays are not run, and
// nothing is sent. What every rank would send is counted where transfers are listed, and each step is reported.
//
// What is not computed is unknown: a storage in PLACE_RANKS or PLACE_UNKNOWN. A program that looks at it sees zeros, or
// what was there before, and that is reported too. Small arrays whose operands are known are computed.

#ifndef NACRE_VM_SCHED_DRY_H
#define NACRE_VM_SCHED_DRY_H

#include "vm/kernel/kernel.h"
#include "vm/plugin/ranks.h"
#include "vm/sched/blocks.h"

// How far two ranks are from each other.
typedef enum DryDistance { DRY_SOCKET, DRY_NODE, DRY_FABRIC, DRY_DISTANCES } DryDistance;

// An array that a kernel reads or writes, of the largest part of it.
typedef struct DryStream {
    double bytes;
    double distance; // bytes that the part touches between one load of an element and this one, by which it may have
                     // left a cache; 0: it is touched for the first time
    bool whole;      // the same for every part: the cut dimension does not go along it
} DryStream;

// What the ranks send in an exchange.
typedef struct DryTraffic {
    uint64_t messages, bytes;                     // of all ranks together
    uint64_t received;                            // bytes, by the rank that receives most
    uint64_t rank_messages[DRY_DISTANCES];        // of the rank that has most, sent or received, to each distance
    uint64_t rank_bytes[DRY_DISTANCES];
    uint64_t node_bytes;                          // out of a node, or into it, where that is most
} DryTraffic;

typedef enum DryKind {
    DRY_KERNEL,    // a loop or a library call
    DRY_EXCHANGE,  // messages between pairs
    DRY_GATHER,    // `bytes` of each rank to all
    DRY_BROADCAST, // `bytes` of one rank to all
    DRY_ASSUMED,   // the program looked at what is not known
} DryKind;

enum { DRY_STREAMS = KERN_LOADS + KERN_STORES };

typedef struct DryStep {
    DryKind kind;
    const char *file; // borrowed; NULL: nowhere
    uint32_t line;
    const char *what; // the operation; of DRY_ASSUMED, what was assumed
    const char *why;  // of a kernel with distributed operands that every rank does whole; else NULL
    bool is_library, is_shared; // each rank does its part
    int dim;                    // that is cut, of `ndim` extents
    int ndim;
    const int64_t *shape;
    int64_t parts;        // ranks that have one
    double share;         // the largest part, of all
    double operations;    // of the largest part
    int stream_count;
    const DryStream *streams;
    uint64_t bytes;       // of a gather or a broadcast
    DryTraffic traffic;   // of an exchange
} DryStep;

typedef struct DryOptions {
    int socket_ranks, node_ranks; // 0: all of them
    void (*step)(void *ctx, const DryStep *step);
    void *ctx;
} DryOptions;

struct Link;
struct Dry *dry_new(Vm *vm, const DryOptions *options, int size); // NULL: out of memory
void dry_free(Vm *vm, struct Dry *dry);
bool is_dry(const Vm *vm);
// Figures of any rank, and of memory: the bytes of arrays on the rank that holds most, at most.
void dry_counts(const Vm *vm, int rank, RanksCounts *out, uint64_t *array_bytes_received);
uint64_t dry_memory_peak(const Vm *vm);

// --- From split.c: what became of a kernel ----------------------------------------------------------
// A loop, or the space of a library call, is cut along `dim` as link->ranges says.
void dry_share(Vm *vm, const Kernel *k, int dim);
void dry_gathered(Vm *vm, const char *why); // it is not, though operands are distributed

// --- From run.c -------------------------------------------------------------------------------------
// What follows is about a kernel with this last node; nothing in a run.
void dry_begin(Vm *vm, const Node *node);
// Whether the kernel is not to be run, as its operands are not known or large; then dry_launch takes the place of
// a launch.
bool dry_skips(Vm *vm, const Kernel *kernel);
Status dry_launch(Vm *vm, const Kernel *kernel, const Node *node);
// Of a loop that was shared out, whose results are accounted for elsewhere: reports it alone.
void dry_loop(Vm *vm, const Kernel *kernel, const Node *node);
// Of direct.c: a small operation that reads something unknown.
bool dry_direct(Vm *vm, const Node *node);

// --- From blocks.c and collective.c -----------------------------------------------------------------
// Counts an exchange that brings each rank r what it lacks of needs[r]. True: an equal exchange was counted before, and
// its counts were added once more, so the caller lists no messages. False: the caller lists them.
bool dry_exchange(Vm *vm, const Storage *storage, const Extent *needs);
void dry_moved(Vm *vm, int from, int to, int64_t bytes); // a message of it
// Of each owner of the part that `to` lacks, a message.
void dry_lacks(Vm *vm, const Partition *partition, int to, Extent lacks);
// The same of boxes (boxes.h), from who owns the indices link->owners[r] along a dimension to who has the part
// link->ranges[r], or the other way round. row_bytes[r]: bytes of one such index in part r. With `crossed` the parts
// are of another dimension, so that each needs all owners; otherwise they are of the same one.
Status dry_boxes(Vm *vm, const int64_t *row_bytes, bool crossed, bool to_owners);
Status dry_exchanged(Vm *vm); // reports it
void dry_exchange_made(Vm *vm); // what was listed since the last one goes at once
void dry_cut(Vm *vm, Blocks *blocks);         // sets blocks->beyond
void dry_brought(Vm *vm, Blocks *blocks);
void dry_dropped(Vm *vm, const Blocks *blocks);
void dry_collective(Vm *vm, DryKind kind, int from, size_t bytes);
// Memory for partial results of all ranks, for a while.
void dry_borrowed(Vm *vm, size_t bytes);
// The program is about to look at something unknown.
void dry_assume(Vm *vm, const char *what);
// Makes host memory of an unknown storage readable.
Status dry_reach(Vm *vm, Storage *storage);

#endif
