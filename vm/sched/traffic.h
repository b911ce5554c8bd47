// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What each line of the program has to do with the other ranks: the collective steps that it leads to, by the
// transport's own count, and what became of its arrays. For people: nothing is decided by it.

#ifndef NACRE_VM_SCHED_TRAFFIC_H
#define NACRE_VM_SCHED_TRAFFIC_H

#include "vm/kernel/kernel.h"
#include "vm/plugin/ranks.h"
#include "vm/value/kind.h"

struct Site;

// Of one line.
typedef struct TrafficLine {
    SourceLine at;        // file NULL: nowhere in the program
    RanksCounts counts;   // of the steps that it led to
    uint64_t shared;      // results of which each rank made its part
    uint64_t combined;    // … of all elements, where parts were combined
    uint64_t whole;       // results that every rank made itself
    uint64_t array_exchanges, array_bytes; // parts of operands that this rank lacked, beside
    uint64_t gathered, gathered_bytes;     // arrays that were brought whole to all ranks
    const char *why;      // the last one of these; static
    AxisSet cut;          // axes along which its results are cut
} TrafficLine;

// What went from this rank to another one: parts of arrays, and what it gave to all.
typedef struct TrafficPeer {
    uint64_t messages, bytes;
} TrafficPeer;

typedef struct Traffic {
    TrafficLine *lines; // in the order in which they were met first
    size_t line_count, line_room;
    struct TrafficPlace *places; // a hash table: which line a place of the program belongs to
    size_t place_count, place_room;
    TrafficPeer *peers; // by rank
    bool incomplete;    // memory ran out: something is missing
    // What is being run, for whose operands steps are made; count 0: what the interpreter is at.
    Node *const *nodes;
    uint32_t node_count;
    const Storage *about; // the first array that the next step is for, or NULL
    const char *why;      // all of it is done whole by every rank, or NULL
    bool gathers;         // what is brought is an array as a whole
} Traffic;

bool traffic_open(Vm *vm, Traffic *traffic, int ranks);
void traffic_close(Vm *vm, Traffic *traffic, int ranks); // after traffic_forget
void traffic_forget(Vm *vm, Traffic *traffic); // lets go of the program
void traffic_visit(const Traffic *traffic, Visitor *visitor);

// The steps from here to traffic_end are for these nodes.
void traffic_begin(Vm *vm, Node *const *nodes, uint32_t count);
void traffic_end(Vm *vm);
// After a step: what the transport had counted before it.
void traffic_step(Vm *vm, const RanksCounts *before);
void traffic_sent(Vm *vm, int peer, size_t bytes);
// The next step brings parts of arrays, of which this is the first one (NULL: of those that are being worked on).
void traffic_parts(Vm *vm, const Storage *first, const Transfer *list, size_t count);
// It was brought whole to all ranks.
void traffic_gathered(Vm *vm, const Storage *storage);
// After a kernel has been launched: what became of its results.
void traffic_kernel(Vm *vm, const Kernel *kernel, const struct Site *sites);

#endif
