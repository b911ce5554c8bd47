// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Modules written in the language, compiled when the library is built.

#ifndef NACRE_LANG_STDLIB_BLOB_H
#define NACRE_LANG_STDLIB_BLOB_H

#include <stddef.h>

typedef struct StdlibModule {
    const char *name;
    const unsigned char *bytes; // a packed unit (bc_unpack_own), deflated if `size` is not `len`
    size_t len, size;
} StdlibModule;

// The module whose packed unit is the dictionary of those that are deflated (lang/support/deflate.h): it is
// there as it is, and as long as any of them.
#define STDLIB_DICTIONARY "_prelude"

extern const StdlibModule nacre_stdlib_modules[]; // ends with name == NULL

#endif
