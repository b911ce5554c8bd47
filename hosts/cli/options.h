// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command's options (options.c). cli_set_option is in cli.h, as configurations use it too.

#ifndef NACRE_HOSTS_CLI_OPTIONS_H
#define NACRE_HOSTS_CLI_OPTIONS_H

#include "cli.h"

// Result of reading the options in front of a command or a program.
typedef struct Start {
    int at;     // index in argv of the command or program; -1: exit with `status`
    int status; // exit status if `at` is -1
    bool runs;  // `run` was given, so what follows is a file
} Start;

// Prints an error and the usage to standard error. Returns 2.
int options_error(const char *what, const char *arg);
// Reads options from the environment. Returns 0, or the exit status after printing an error.
int options_from_environment(Cli *cli);
// Reads options from the command line, also between `run` and the file.
Start options_from_arguments(Cli *cli, int argc, char **argv);

#endif
