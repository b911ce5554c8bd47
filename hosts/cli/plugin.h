// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Libraries of the command's own, which it opens when they are asked for.

#ifndef NACRE_HOSTS_CLI_PLUGIN_H
#define NACRE_HOSTS_CLI_PLUGIN_H

#include <stdbool.h>

// Opens one beside this program, as it is installed or was built, and finds a function in it. *library is to be closed
// with dlclose. NULL: there is none, and dlerror() of the last attempt is in *why, valid until the next call of
// libdl's, or NULL where there is no such file.
void *plugin_open(const char *file, const char *function, void **library, const char **why);
// Whether there is such a file.
bool plugin_is_there(const char *file);

#endif
