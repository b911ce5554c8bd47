// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The modules of the standard library that are written in the language. They are compiled when the
// library is built.

#ifndef NACRE_LANG_STDLIB_BLOB_H
#define NACRE_LANG_STDLIB_BLOB_H

#include <stddef.h>

typedef struct StdlibModule {
    const char *name;
    const unsigned char *bytes; // a packed unit (bc_unpack_own), deflated if `size` is not `len`
    size_t len, size;
} StdlibModule;

// The module whose packed unit is the dictionary (lang/support/deflate.h) with which the other modules are
// deflated. It is not deflated itself, and stays in memory.
#define STDLIB_DICTIONARY "_prelude"

extern const StdlibModule nacre_stdlib_modules[]; // modules inside the library; ends with name == NULL

// Returns the other modules. The static library has them linked in (stdlib/linked.c); the shared library opens the
// plug-in nacre-modules.so (stdlib/opened/opened.c). NULL: the plug-in is missing, or belongs to another build.
const StdlibModule *stdlib_more(void);

// The table that the plug-in of modules exports. `made_with` is a hash of all packed modules, including the dictionary:
// it has to equal the library's nacre_stdlib_hash.
typedef struct StdlibPlugin {
    unsigned long long made_with;
    const StdlibModule *modules;
} StdlibPlugin;
typedef const StdlibPlugin *(*StdlibPluginFn)(void); // type of nacre_modules, which the plug-in exports
extern const unsigned long long nacre_stdlib_hash;      // in the library
extern const StdlibPlugin nacre_more_plugin;            // in the plug-in, or the static library

#endif
