// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The program on several ranks: -n, --transport. With the transport "loopback" ranks are VMs of this process; rank
// 0 is the one of the main thread, which has the standard streams, and the others, in threads of their own, have none.

#ifndef NACRE_HOSTS_CLI_RANKS_H
#define NACRE_HOSTS_CLI_RANKS_H

#include "cli.h"

// The other ranks of this process.
typedef struct Team Team;

// Whether the options ask for more than one rank.
bool ranks_asked(const Cli *cli);
// Before rank 0's VM is made: sets cli->options, and starts the others, which wait for the program. Answers 0, or the
// exit status after it has told what is wrong.
int ranks_start(Cli *cli, int argc, char **argv);
// Lets them run it, and tells how it went on rank 0. Each program is run once.
void ranks_run(Team *team, ProgramFn run, const void *ctx);
void ranks_ended(Team *team, NacreVm *vm, NacreStatus status);
// After rank 0's VM is gone: waits for the others, reports errors that rank 0 does not know, adds their figures, and
// returns the exit status, which is `code` where they agree. NULL is fine.
int ranks_finish(Team *team, int code, Figures *figures);

#endif
