// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the machine can do at most, measured.

#ifndef NACRE_HOSTS_CLI_ROOF_H
#define NACRE_HOSTS_CLI_ROOF_H

typedef struct Roof {
    int threads;
    double bytes;      // a second, to and from memory: a triad on arrays that no cache holds
    double operations; // a second, on float64: fused multiplications and additions in registers
} Roof;

// Takes some tenths of a second; all zero but the threads where memory or threads cannot be had.
Roof roof_measure(int threads);
double seconds_now(void); // of the clock that NacreKernel counts in

#endif
