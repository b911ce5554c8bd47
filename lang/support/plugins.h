// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plug-ins: shared objects nacre-NAME.so in the folder `nacre` next to the library, or in lib/nacre next to the
// program's folder. Each exports a function that returns its table: nacre_backend, nacre_ranks.

#ifndef NACRE_LANG_SUPPORT_PLUGINS_H
#define NACRE_LANG_SUPPORT_PLUGINS_H

#include <stdbool.h>

typedef struct PluginSort {
    const char *function; // name of the exported function that returns the table
    // Returns whether the table is that of plug-in `name` and was built for this version of the engine.
    bool (*fits)(const void *table, const char *name);
} PluginSort;

// Loads plug-in `name` and returns its table. NULL: there is no such plug-in, or it was built for another version of
// the engine. A plug-in is never unloaded, since drivers have threads of their own.
const void *plugin_find(const PluginSort *sort, const char *name);
// Calls `each` with the table of every plug-in of that sort in the first folder that has any.
void plugins_visit(const PluginSort *sort, void (*each)(void *ctx, const void *table), void *ctx);

#endif
