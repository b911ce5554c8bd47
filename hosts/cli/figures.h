// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Figures of all ranks, for --stats, `nacre profile` and `nacre graph --ranks`: each rank writes its own as JSON, and
// rank 0 gets them, over the transport where ranks are processes.

#ifndef NACRE_HOSTS_CLI_FIGURES_H
#define NACRE_HOSTS_CLI_FIGURES_H

#include "nacre/nacre.h"
#include "text.h"

// The figures of each rank, by its number; empty if they are not known.
typedef struct Figures {
    Text *ranks; // owned
    int count;
    bool wanted; // on every rank alike: to collect them is a step of all
} Figures;

void figures_put(const NacreVm *vm, Text *out); // of this rank
// Those of this rank, and with `by_message` those of all others, who call it too, while nothing runs. Where ranks have
// parted, they stay empty.
void figures_collect(Figures *figures, NacreVm *vm, bool by_message);
// Those of every rank of a dry run.
void figures_plan(Figures *figures, const NacreVm *vm);
void figures_take(Figures *figures, int rank, Text *own); // which is empty then
void figures_free(Figures *figures);

#endif
