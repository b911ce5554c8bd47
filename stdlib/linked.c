// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The part of the standard library that shared builds load as a plug-in. Here it is linked in: this is for programs
// that contain the static library.

#include "lang/stdlib_blob.h"

const StdlibModule *stdlib_more(void) {
    return nacre_more_plugin.modules;
}
