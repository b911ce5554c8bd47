// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranks that are processes, over MPI: -n starts mpirun, and a process that a launcher has started becomes a rank.

#ifndef NACRE_HOSTS_CLI_LAUNCH_H
#define NACRE_HOSTS_CLI_LAUNCH_H

#include "cli.h"

// Sets the options of a process that a launcher started as one of several, so that it becomes a rank. Only the first
// rank has standard streams and writes files of figures. Called once the options are known. Returns 0, or the exit
// status after printing an error.
int launch_join(Cli *cli);
// Restores what `launch` has changed: arguments that mpirun would read itself, and the environment. Called first.
// Returns false if out of memory.
bool launch_arguments(Cli *cli, int argc, char **argv);
// Records, for the launcher, that rank 0 has ended by itself and with which status.
void launch_ended(const Cli *cli, int status);
// Returns why -n cannot start processes, as a static text; NULL: it can.
const char *launch_problem(void);
// Returns the launcher to run, mpirun or NACRE_MPIRUN.
const char *launch_program(void);
// Runs mpirun, which starts this program once per rank. Returns its exit status.
int launch(Cli *cli);

#endif
