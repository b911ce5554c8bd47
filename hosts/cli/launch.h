// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranks that are processes, over MPI: -n starts mpirun, and a process that a launcher has started joins the others.

#ifndef NACRE_HOSTS_CLI_LAUNCH_H
#define NACRE_HOSTS_CLI_LAUNCH_H

#include "cli.h"

// Once the options are known: where a launcher started this program as one of several processes, sets them so that
// it becomes a rank. Of these only the first has standard streams and writes files of figures. Answers 0, or the exit
// status after telling what is wrong.
int launch_join(Cli *cli);
// Why -n cannot start processes, a static text; NULL: it can.
const char *launch_problem(void);
// The program that starts them.
const char *launch_program(void);
// Runs mpirun, which starts this program again, so often: its exit status.
int launch(Cli *cli);

#endif
