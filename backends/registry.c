// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The list of backends that are linked in, and those in plug-ins.

#include <string.h>

#include "backends/backend.h"
#include "backends/plugins.h"

const Backend *const backends[] = {&backend_cpu, &backend_mirror, NULL};

const Backend *backend_built_in(const char *name) {
    if (!name) return backends[0];
    for (const Backend *const *at = backends; *at; at++)
        if (strcmp((*at)->name, name) == 0) return *at;
    return NULL;
}

const Backend *backend_find(const char *name) {
    const Backend *found = backend_built_in(name);
    return found ? found : plugin_find(name);
}

void backends_describe(Buf *out) {
    buf_puts(out, "backends:");
    for (const Backend *const *at = backends; *at; at++) buf_printf(out, " %s", (*at)->name);
    buf_putc(out, '\n');
    for (const Backend *const *at = backends; *at; at++)
        if ((*at)->describe) (*at)->describe(out);
    plugins_describe(out);
}
