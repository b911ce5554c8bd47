// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Measured limits of the machine, for the roofline model.

#ifndef NACRE_HOSTS_CLI_ROOF_H
#define NACRE_HOSTS_CLI_ROOF_H

typedef struct Roof {
    int threads;
    double bytes;      // bytes per second to and from memory, in a triad on arrays that exceed the caches
    double operations; // float64 operations per second, by fused multiply-adds in registers
} Roof;

// Measures the machine with that number of threads, or as many as can be started, which takes some tenths of a second.
// If there is no memory, all fields but `threads` are 0.
Roof roof_measure(int threads);
double seconds_now(void); // on the clock of NacreKernel.begin

#endif
