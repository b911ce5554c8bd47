// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Performance of a machine with many nodes, for the estimates of `nacre plan`. It is read from a file of lines `key =
// value`, with units in the keys (docs/ranks.md), or measured on this machine.

#ifndef NACRE_HOSTS_CLI_MACHINE_H
#define NACRE_HOSTS_CLI_MACHINE_H

#include <stdbool.h>

#include "text.h"

// Distance classes of two ranks: on one socket, on one node, on different nodes.
enum { NEAR_SOCKET, NEAR_NODE, NEAR_FABRIC, NEARNESSES };

// Parameters of a machine, in the units of the file's keys.
typedef struct Machine {
    double socket_ranks, node_ranks;
    double node_memory_gigabytes;               // 0: not known
    double rank_memory_bandwidth, node_memory_bandwidth; // GB/s: of one rank alone; of all ranks of a node together
    double rank_cache_megabytes;                // share of a rank
    double rank_gigaflops;
    double kernel_overhead_us;                  // per kernel
    double message_overhead_us;                 // o of LogGP: a rank's own work per message that it sends or receives
    double latency_us[NEARNESSES];              // L of LogGP
    double bandwidth[NEARNESSES];               // GB/s of one rank: 1 / G of LogGP
    double node_injection_bandwidth;            // GB/s that all ranks of a node share, in each direction
    Text name;                                  // where the parameters come from
} Machine;

// Reads a file. Returns false after setting *problem to a message with the line and key.
bool machine_read(Machine *machine, const char *path, Text *problem);
// Measures this machine, as a node with one rank per processor. Memory and arithmetic are measured; for messages, it
// uses the numbers of docs/ranks.md.
void machine_measure(Machine *machine);
void machine_free(Machine *machine);

#endif
