// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lua inside the command (inside.c). Functions that answer an int tell on standard error what went wrong and
// answer the exit status; 0: nothing did.

#ifndef NACRE_HOSTS_CLI_INSIDE_H
#define NACRE_HOSTS_CLI_INSIDE_H

#include "cli.h"

// Reads the configuration: the file that is named, on the command line or in the environment, or the user's own
// where there is one.
int inside_configure(Cli *cli, const char *named);
// Sets a new VM up as it says, and runs the files with passes.
int inside_attach(Cli *cli, NacreVm *vm);
// Why the configuration does not fit a program on several ranks; NULL: it does.
const char *inside_problem_on_ranks(Cli *cli);
void inside_close(Inside *inside); // after the VM
// A NacreAccessFn: what Lua has called may use no files, unless it is trusted.
int inside_allows(void *ctx, NacreAccess access, const char *path);
void inside_free(Inside *inside);  // at the end
bool inside_is_there(void);        // whether the library can be opened

#endif
