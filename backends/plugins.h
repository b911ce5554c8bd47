// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Backends in plug-ins: shared objects nacre-NAME.so in folder `nacre` beside the library, or below
// the lib folder beside the program's. Each has a function nacre_backend that gives its table.

#ifndef NACRE_BACKENDS_PLUGINS_H
#define NACRE_BACKENDS_PLUGINS_H

#include "vm/plugin/backend.h"

// NULL: there is no such plug-in, or it was built for another version of the engine. A plug-in stays
// loaded as long as the process lives, since drivers have threads of their own.
const Backend *plugin_find(const char *name);
// Lines about all of them.
void plugins_describe(Buf *out);

#endif
