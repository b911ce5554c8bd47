// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// How long a step of a dry run takes on a machine, as formulas have it. All times are in seconds.
//
// Ranks are taken to work in step: a step ends when its slowest rank has done its part. So imbalance counts, and
// overlapping of messages with work does not.

#ifndef NACRE_HOSTS_CLI_PLAN_MODEL_H
#define NACRE_HOSTS_CLI_PLAN_MODEL_H

#include "machine.h"
#include "nacre/nacre.h"

// A kernel's largest part, and all of it on one rank with the same share of the memory's bandwidth:
//
//     overhead + max(bytes / bandwidth, operations / arithmetic)
//
// The roofline (Williams, Waterman, Patterson, 2009). Bytes are those of each array that the part reads or writes, once,
// and again for each load that comes back to elements after more bytes than a rank's cache holds: of a stencil, the rows
// above and below once the lines are long. The bandwidth is the lesser one of a rank's own and its share of its node's.
double model_kernel(const Machine *machine, int ranks, const NacreDryStep *step);
double model_kernel_alone(const Machine *machine, int ranks, const NacreDryStep *step);

// Messages between pairs, by LogGP (Alexandrov, Ionescu, Schauser, Scheiman, 1995), of the rank that has most of them:
//
//     max L + o * messages + sum of bytes / bandwidth, by distance
//
// and what leaves a node, or comes to it, has at least node bytes / injection bandwidth.
double model_exchange(const Machine *machine, const NacreDryStep *step);

// Collective steps, of log2 P rounds, the first ones on a node: allgather by recursive doubling, in which a rank receives
// (P - 1) * bytes; broadcast by a binomial tree, or for many bytes by scattering and gathering them, whichever is faster
// (Thakur, Rabenseifner, Gropp, 2005).
double model_gather(const Machine *machine, int ranks, double bytes);
double model_broadcast(const Machine *machine, int ranks, double bytes);

#endif
