// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside of `nacre build`.

#ifndef NACRE_HOSTS_CLI_BUILD_H
#define NACRE_HOSTS_CLI_BUILD_H

#include "cli.h"
#include "text.h"

typedef struct Build {
    const char *file, *output;
    const char *march; // the compiler's option, or NULL
    bool program, only_source;
    char *library; // owned
    Text source, header, config, prefix, libraries;
    bool failed; // a file could not be written
} Build;

// The C compiler's name; and running a program, whose exit status is the answer.
const char *build_compiler(void);
int build_run(char *const *words);

#endif
