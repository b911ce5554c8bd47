// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The part of the standard library that libnacre.so loads as a plug-in (opened/opened.c), linked into programs that
// contain the static library.

#include "lang/stdlib_blob.h"

const StdlibModule *stdlib_more(void) {
    return nacre_more_plugin.modules;
}
