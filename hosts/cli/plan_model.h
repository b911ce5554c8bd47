// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cost model of dry runs: estimates how long a step takes on a machine. All times are in seconds.
//
// The model assumes that ranks proceed in lockstep: a step ends when its slowest rank has finished its part. So it
// accounts for load imbalance, but not for overlap of communication and computation.

#ifndef NACRE_HOSTS_CLI_PLAN_MODEL_H
#define NACRE_HOSTS_CLI_PLAN_MODEL_H

#include "machine.h"
#include "nacre/nacre.h"

// Estimate a kernel by the roofline model (Williams, Waterman, Patterson, 2009): model_kernel its largest part,
// model_kernel_alone all of it on one rank with the same share of the memory bandwidth.
//
//   overhead + max(bytes / bandwidth, operations / arithmetic)
//
// The bytes of each array that the part reads or writes count once, and again for each load that returns to elements
// after more bytes than a rank's cache holds: for a stencil, the rows above and below once rows are long. The bandwidth
// is the smaller one of a rank's own and its share of its node's.
double model_kernel(const Machine *machine, int ranks, const NacreDryStep *step);
double model_kernel_alone(const Machine *machine, int ranks, const NacreDryStep *step);

// Estimates an exchange by LogGP (Alexandrov, Ionescu, Schauser, Scheiman, 1995), for the rank that has most messages:
//
//   max L + o * messages + sum of bytes / bandwidth, over the distance classes
//
// The transfer takes at least (bytes that leave or enter a node) / (injection bandwidth).
double model_exchange(const Machine *machine, const NacreDryStep *step);
// The time of an exchange in which a rank may compute: all but the overheads of its messages.
double model_exchange_idle(const Machine *machine, const NacreDryStep *step);

// Estimate collective steps, which take log2 P rounds, the first ones within a node. A gather is an allgather by
// recursive doubling, in which a rank receives (P - 1) * bytes. A broadcast is a binomial tree, or for many bytes a
// scatter followed by an allgather, whichever is faster (Thakur, Rabenseifner, Gropp, 2005).
double model_gather(const Machine *machine, int ranks, double bytes);
double model_broadcast(const Machine *machine, int ranks, double bytes);

#endif
