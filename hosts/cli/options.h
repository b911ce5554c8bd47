// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command's options (options.c); cli_set_option is in cli.h, as a configuration uses it too.

#ifndef NACRE_HOSTS_CLI_OPTIONS_H
#define NACRE_HOSTS_CLI_OPTIONS_H

#include "cli.h"

// What the arguments say before a command or a program.
typedef struct Start {
    int at;     // where that is; -1: there is none to be done
    int status; // then
    bool runs;  // `run` was among them, so what follows is a file
} Start;

// Tells on standard error what is wrong, and how the command is used: 2.
int options_error(const char *what, const char *arg);
// Answers 0, or the exit status after it has told what is wrong.
int options_from_environment(Cli *cli);
// Options may stand behind `run` too.
Start options_from_arguments(Cli *cli, int argc, char **argv);

#endif
