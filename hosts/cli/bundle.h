// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Programs of one script: this program, with the script's files behind its own bytes.

#ifndef NACRE_HOSTS_CLI_BUNDLE_H
#define NACRE_HOSTS_CLI_BUNDLE_H

#include "cli.h"
#include "text.h"

// What was found behind the running program's own bytes. All zero: nothing.
typedef struct Bundle {
    Text bytes;  // of each file: path, NUL, length in 8 bytes, text; the script's first
    bool failed; // there is something, and it cannot be read
} Bundle;

void bundle_open(Bundle *bundle);
int bundle_run(Cli *cli, const Bundle *bundle, int count, char **argv); // the exit status

// Writes a program of a script. The exit status of `nacre build`.
int bundle_build(Cli *cli, const char *script, const char *output);

#endif
