// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lua inside the command (inside.c). Functions that return an int return 0, or the exit status after printing an error.

#ifndef NACRE_HOSTS_CLI_INSIDE_H
#define NACRE_HOSTS_CLI_INSIDE_H

#include "cli.h"

// Reads the configuration: the file that the command line or the environment names, otherwise the user's own if it
// exists.
int inside_configure(Cli *cli, const char *named);
// Sets up a new VM as the configuration says, and runs the files of passes.
int inside_attach(Cli *cli, NacreVm *vm);
// Returns why the configuration does not suit a program on several ranks; NULL: it does.
const char *inside_problem_on_ranks(Cli *cli);
void inside_close(Inside *inside); // closes the Lua state, after the VM has been destroyed
// Decides on file access, as a NacreAccessFn: code called from Lua may not use files, unless Lua is trusted.
int inside_allows(void *ctx, NacreAccess access, const char *path);
void inside_free(Inside *inside);  // closes the state and the library
bool inside_is_there(void);        // returns whether the library can be opened

#endif
