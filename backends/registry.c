// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds backends by name: those that are linked in, then those in plug-ins.

#include <string.h>

#include "backends/backend.h"
#include "lang/support/plugins.h"

const Backend *const backends[] = {&backend_cpu, &backend_mirror, NULL};

static bool fits(const void *table, const char *name) {
    const Backend *found = table;
    return found->abi_version == BACKEND_ABI && found->struct_size == sizeof(Backend) && strcmp(found->name, name) == 0;
}

static const PluginSort backend_plugins = {.function = "nacre_backend", .fits = fits};

const Backend *backend_built_in(const char *name) {
    if (!name) return backends[0];
    for (const Backend *const *at = backends; *at; at++)
        if (strcmp((*at)->name, name) == 0) return *at;
    return NULL;
}

const Backend *backend_find(const char *name) {
    const Backend *found = backend_built_in(name);
    return found ? found : plugin_find(&backend_plugins, name);
}

static void describe_plugin(void *ctx, const void *table) {
    const Backend *found = table;
    Buf *out = ctx;
    buf_printf(out, "plug-in: backend %s\n", found->name);
    if (found->describe) found->describe(out);
}

void backends_prepare(bool for_ranks) {
    for (const Backend *const *at = backends; *at; at++)
        if ((*at)->prepare) (*at)->prepare(for_ranks);
}

void backends_describe(Buf *out) {
    buf_puts(out, "backends:");
    for (const Backend *const *at = backends; *at; at++) buf_printf(out, " %s", (*at)->name);
    buf_putc(out, '\n');
    for (const Backend *const *at = backends; *at; at++)
        if ((*at)->describe) (*at)->describe(out);
    plugins_visit(&backend_plugins, describe_plugin, out);
}
