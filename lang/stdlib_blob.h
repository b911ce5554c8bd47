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

extern const StdlibModule nacre_stdlib_modules[]; // those that the library begins with; ends with name == NULL

// The other modules. The archive has them linked in (stdlib/linked.c), the shared library opens a plug-in beside it
// (stdlib/opened/opened.c). NULL: the plug-in is missing, or was made with another library.
const StdlibModule *stdlib_more(void);

// What a plug-in of modules gives. `made_with` is a hash of all packed modules, and the dictionary is among them.
typedef struct StdlibPlugin {
    unsigned long long made_with;
    const StdlibModule *modules;
} StdlibPlugin;
typedef const StdlibPlugin *(*StdlibPluginFn)(void); // nacre_modules
extern const unsigned long long nacre_stdlib_hash;      // in the library
extern const StdlibPlugin nacre_more_plugin;            // in the plug-in, or the archive

#endif
