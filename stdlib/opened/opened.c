// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loads the plug-in that contains the other modules of the standard library, when a module is imported that the library
// does not contain. The plug-in is only looked for in folders of the library, so a sandbox allows it too.

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "lang/stdlib_blob.h"
#include "lang/support/libraries.h"

// The plug-in's modules: filled once in a process, which keeps the plug-in loaded. NULL: none was found.
static struct {
    pthread_once_t once;
    const StdlibModule *modules;
} process = {.once = PTHREAD_ONCE_INIT};

static const StdlibModule *modules_in(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) return NULL;
    StdlibPluginFn fn = (StdlibPluginFn)dlsym(handle, "nacre_modules");
    const StdlibPlugin *plugin = fn ? fn() : NULL;
    const StdlibModule *modules = plugin && plugin->made_with == nacre_stdlib_hash ? plugin->modules : NULL;
    dlclose(handle); // RTLD_NODELETE keeps it loaded
    return modules;
}

static void look(void) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    if (!library_folder(folder)) return;
    for (int i = 0; i < LIBRARY_PLACES && !process.modules; i++) {
        snprintf(path, sizeof path, "%s/%s/nacre-modules.so", folder, library_places[i]);
        if (access(path, R_OK) == 0) process.modules = modules_in(path);
    }
}

const StdlibModule *stdlib_more(void) {
    pthread_once(&process.once, look);
    return process.modules;
}
