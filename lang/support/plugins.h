// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plug-ins: shared objects nacre-NAME.so in folder `nacre` beside the library, or below the lib folder beside the
// program's. Each has a function that gives its table: nacre_backend, nacre_ranks.

#ifndef NACRE_LANG_SUPPORT_PLUGINS_H
#define NACRE_LANG_SUPPORT_PLUGINS_H

#include <stdbool.h>

typedef struct PluginSort {
    const char *function; // that gives the table
    bool (*fits)(const void *table, const char *name); // whether it is that plug-in's, of this version of the engine
} PluginSort;

// The table of plug-in `name`. NULL: there is no such plug-in, or it was built for another version of the engine.
// A plug-in stays loaded as long as the process lives, since drivers have threads of their own.
const void *plugin_find(const PluginSort *sort, const char *name);
// Calls `each` with the table of every plug-in of that sort.
void plugins_visit(const PluginSort *sort, void (*each)(void *ctx, const void *table), void *ctx);

#endif
