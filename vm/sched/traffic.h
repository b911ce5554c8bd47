// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Communication per line of the program, for people: the collective steps that a line leads to, as the transport counts
// them, and how its arrays were distributed. Nothing is decided by these figures.

#ifndef NACRE_VM_SCHED_TRAFFIC_H
#define NACRE_VM_SCHED_TRAFFIC_H

#include "vm/kernel/kernel.h"
#include "vm/plugin/ranks.h"
#include "vm/value/kind.h"

struct Site;

// The figures of one line.
typedef struct TrafficLine {
    SourceLine at;        // file NULL: nowhere in the program
    RanksCounts counts;   // of the steps that the line led to
    uint64_t shared;      // distributed results, of which each rank computed its part
    uint64_t combined;    // results combined from a partial result of each rank
    uint64_t whole;       // results that every rank computed completely
    uint64_t array_exchanges, array_bytes; // exchanges of parts of operands, and bytes that this rank received by them
    uint64_t gathered, gathered_bytes;     // arrays that were brought whole to all ranks
    const char *why;      // why the last one was gathered; static
    AxisSet cut;          // axes along which its results are cut
} TrafficLine;

// What this rank sent to another one: parts of arrays, and what it contributed to gathers and broadcasts.
typedef struct TrafficPeer {
    uint64_t messages, bytes;
} TrafficPeer;

typedef struct Traffic {
    TrafficLine *lines; // in the order of their first steps
    size_t line_count, line_room;
    struct TrafficPlace *places; // a hash table: which line a place of the program belongs to
    size_t place_count, place_room;
    TrafficPeer *peers; // by rank
    bool incomplete;    // memory ran out, so figures are missing
    // The nodes that are being run, to which steps are attributed; count 0: to the line that the interpreter is at.
    Node *const *nodes;
    uint32_t node_count;
    const Storage *about; // the first array that the next step is for, or NULL
    const char *why;      // why every rank runs all of the kernel, or NULL
    bool gathers;         // the exchange gathers a whole array
} Traffic;

bool traffic_open(Vm *vm, Traffic *traffic, int ranks);
void traffic_close(Vm *vm, Traffic *traffic, int ranks); // after traffic_forget
void traffic_forget(Vm *vm, Traffic *traffic); // frees the lines, and releases code objects of the program
void traffic_visit(const Traffic *traffic, Visitor *visitor);

// Attributes the steps from now until traffic_end to these nodes.
void traffic_begin(Vm *vm, Node *const *nodes, uint32_t count);
void traffic_end(Vm *vm);
// Called after a step: adds what the transport has counted since `before`.
void traffic_step(Vm *vm, const RanksCounts *before);
void traffic_sent(Vm *vm, int peer, size_t bytes);
// Notes that the next step brings parts of arrays, of which `first` is one (NULL: attributes them to the first node).
void traffic_parts(Vm *vm, const Storage *first, const Transfer *list, size_t count);
// Notes that a storage was gathered on all ranks.
void traffic_gathered(Vm *vm, const Storage *storage);
// Counts, after a kernel was launched, how its results are distributed.
void traffic_kernel(Vm *vm, const Kernel *kernel, const struct Site *sites);

#endif
