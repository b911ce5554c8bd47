// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command's own libraries, which it opens on demand.

#ifndef NACRE_HOSTS_CLI_PLUGIN_H
#define NACRE_HOSTS_CLI_PLUGIN_H

#include <stdbool.h>

// Opens a library beside this program, as installed or as built, and looks up a function. The caller closes *library
// with dlclose. Returns NULL on failure; *why is then dlerror() of the last attempt, valid until the next call of
// libdl, or NULL if there is no such file.
void *plugin_open(const char *file, const char *function, void **library, const char **why);
// Returns whether the file exists.
bool plugin_is_there(const char *file);

#endif
