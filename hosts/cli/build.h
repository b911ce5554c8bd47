// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Declarations of `nacre build`.

#ifndef NACRE_HOSTS_CLI_BUILD_H
#define NACRE_HOSTS_CLI_BUILD_H

#include "cli.h"
#include "text.h"

typedef struct Build {
    const char *file, *output;
    const char *march; // -march option for the compiler, or NULL
    bool program, only_source;
    char *library; // name of the library for the linker; owned
    Text source, header, config, prefix, libraries;
    bool failed; // a file could not be written
} Build;

#endif
