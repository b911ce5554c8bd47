// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running a program on several ranks: -n, --transport. With the transport "loopback", ranks are VMs of this process.
// Rank 0 is the main thread's VM, which has the standard streams; the others run in threads of their own, without
// streams.

#ifndef NACRE_HOSTS_CLI_RANKS_H
#define NACRE_HOSTS_CLI_RANKS_H

#include "cli.h"

// The other ranks of this process.
typedef struct Team Team;

// Returns whether the options ask for more than one rank.
bool ranks_asked(const Cli *cli);
// Sets cli->options, and starts the other ranks, which wait for the program. Called before rank 0's VM is created.
// Returns 0, or the exit status after printing an error.
int ranks_start(Cli *cli, int argc, char **argv);
// ranks_run lets the other ranks run the program; the first call counts. ranks_ended records how it ended on rank 0.
void ranks_run(Team *team, ProgramFn run, const void *ctx);
void ranks_ended(Team *team, NacreVm *vm, NacreStatus status);
// Waits for the other ranks, reports errors that rank 0 does not have, adds their figures, and frees the team. Called
// after rank 0's VM is destroyed. Returns the exit status, which is `code` if all ranks agree. `team` may be NULL.
int ranks_finish(Team *team, int code, Figures *figures);

#endif
