// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running mpirun as a child process.

#ifndef NACRE_HOSTS_CLI_MPIRUN_H
#define NACRE_HOSTS_CLI_MPIRUN_H

// Runs mpirun, argv[0], waits for it, and prints how the job has ended if no rank could. `path`: the file in which rank 0
// leaves its exit status; "": there is none. Returns mpirun's exit status.
int mpirun_run(char **argv, const char *path);

#endif
