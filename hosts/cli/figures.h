// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Figures of all ranks, for --stats, `nacre profile` and `nacre graph --ranks`. Each rank writes its own figures as
// JSON, and rank 0 collects them: through the transport if ranks are processes, otherwise in memory.

#ifndef NACRE_HOSTS_CLI_FIGURES_H
#define NACRE_HOSTS_CLI_FIGURES_H

#include "nacre/nacre.h"
#include "text.h"

// Figures as JSON, indexed by rank; empty if not known.
typedef struct Figures {
    Text *ranks; // owned array of `count` texts
    int count;
    bool wanted; // figures are to be collected; must be equal on all ranks, since collecting them is collective
} Figures;

void figures_put(const NacreVm *vm, Text *out); // appends this rank's figures
// Stores this rank's figures, and with `by_message` those of all ranks. The latter is collective: every rank must call
// it, while nothing runs. If the collective step fails, the other ranks' figures stay empty.
void figures_collect(Figures *figures, NacreVm *vm, bool by_message);
// Stores the figures of every rank of a dry run.
void figures_plan(Figures *figures, const NacreVm *vm);
void figures_take(Figures *figures, int rank, Text *own); // stores a rank's figures; consumes `own`
void figures_free(Figures *figures);

#endif
