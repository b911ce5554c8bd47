// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Programs made from a script: a copy of this program, followed by the script's files.

#ifndef NACRE_HOSTS_CLI_BUNDLE_H
#define NACRE_HOSTS_CLI_BUNDLE_H

#include "cli.h"
#include "text.h"

// The files that follow the running program's own bytes. Zeroed: there are none.
typedef struct Bundle {
    Text bytes;  // for each file: path, NUL, length in 8 bytes, text; the script comes first
    bool failed; // there are files, but they cannot be read
} Bundle;

void bundle_open(Bundle *bundle);
int bundle_run(Cli *cli, const Bundle *bundle, int count, char **argv); // returns the exit status

// Writes a program made from a script. Returns the exit status of `nacre build`.
int bundle_build(Cli *cli, const char *script, const char *output);

#endif
