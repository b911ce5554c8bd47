// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The only function that the plug-in of modules exports.

#include "lang/stdlib_blob.h"

__attribute__((visibility("default"))) const StdlibPlugin *nacre_modules(void) {
    return &nacre_more_plugin;
}
