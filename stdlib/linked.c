// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The other modules of the standard library where they are linked in: in programs that hold the archive.

#include "lang/stdlib_blob.h"

const StdlibModule *stdlib_more(void) {
    return nacre_more_plugin.modules;
}
