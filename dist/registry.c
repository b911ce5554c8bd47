// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds transports between ranks: those that are linked in, and those in plug-ins.

#include <string.h>

#include "dist/loopback/loopback.h"
#include "lang/support/plugins.h"
#include "vm/plugin/ranks.h"

static const Ranks *const linked_in[] = {&ranks_loopback};
enum { LINKED_IN = sizeof linked_in / sizeof *linked_in };

static bool fits(const void *table, const char *name) {
    const Ranks *found = table;
    return found->abi_version == RANKS_ABI && found->struct_size == sizeof(Ranks) && strcmp(found->name, name) == 0;
}

static const PluginSort ranks_plugins = {.function = "nacre_ranks", .fits = fits};

const Ranks *ranks_find(const char *name) {
    for (int i = 0; i < LINKED_IN; i++)
        if (strcmp(linked_in[i]->name, name) == 0) return linked_in[i];
    return plugin_find(&ranks_plugins, name);
}

static void describe_plugin(void *ctx, const void *table) {
    const Ranks *found = table;
    Buf *out = ctx;
    buf_printf(out, "plug-in: ranks %s\n", found->name);
    if (found->describe) found->describe(out);
}

void ranks_describe(Buf *out) {
    buf_puts(out, "ranks:");
    for (int i = 0; i < LINKED_IN; i++) buf_printf(out, " %s", linked_in[i]->name);
    buf_putc(out, '\n');
    for (int i = 0; i < LINKED_IN; i++)
        if (linked_in[i]->describe) linked_in[i]->describe(out);
    plugins_visit(&ranks_plugins, describe_plugin, out);
}
