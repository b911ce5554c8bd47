// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the command share.

#ifndef NACRE_HOSTS_CLI_CLI_H
#define NACRE_HOSTS_CLI_CLI_H

#include <stdbool.h>

#include "nacre/nacre.h"

typedef struct Cli {
    NacreOptions options;
    const char *stats_file;  // or NULL
    const char *counts_file; // or NULL: how often each instruction ran
    int start_status;        // exit status after cli_start gave NULL
} Cli;

int cli_write(void *ctx, int stream, const char *bytes, size_t len);

// A VM with standard streams, Ctrl-C and sys.argv; NULL after saying why not.
NacreVm *cli_start(Cli *cli, int argc, char **argv);

// Prints the error of a run, if there was one, destroys the VM and returns the exit status.
int cli_finish(Cli *cli, NacreVm *vm, NacreStatus status);

// The interactive prompt.
int cli_prompt(Cli *cli, NacreVm *vm);

#endif
