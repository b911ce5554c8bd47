// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a machine with many nodes can do: for estimates of `nacre plan`. Read from a file of lines `key = value`, with
// units in the keys (docs/ranks.md), or measured on this one.

#ifndef NACRE_HOSTS_CLI_MACHINE_H
#define NACRE_HOSTS_CLI_MACHINE_H

#include <stdbool.h>

#include "text.h"

// Ranks reach others on their socket, on their node, and on other nodes.
enum { NEAR_SOCKET, NEAR_NODE, NEAR_FABRIC, NEARNESSES };

// Numbers are in the units of the keys.
typedef struct Machine {
    double socket_ranks, node_ranks;
    double node_memory_gigabytes;               // 0: not known
    double rank_memory_bandwidth, node_memory_bandwidth; // GB/s: of one rank alone; of all ranks of a node together
    double rank_cache_megabytes;                // a rank's share
    double rank_gigaflops;
    double kernel_overhead_us;                  // of each kernel
    double message_overhead_us;                 // o of LogGP: a rank's own work for each message that it sends or receives
    double latency_us[NEARNESSES];              // L
    double bandwidth[NEARNESSES];               // GB/s of one rank: 1 / G
    double node_injection_bandwidth;            // GB/s that all ranks of a node share, each way
    Text name;                                  // where it comes from
} Machine;

// Reads a file. False: *problem says what is wrong, with its line and key.
bool machine_read(Machine *machine, const char *path, Text *problem);
// This machine, with as many ranks on a node as it has processors. Memory and arithmetic are measured; messages are not,
// and have the numbers of docs/ranks.md.
void machine_measure(Machine *machine);
void machine_free(Machine *machine);

#endif
