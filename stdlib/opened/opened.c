// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The other modules of the standard library in a plug-in, which is opened when a module is imported that the library
// has not. It comes from folders that belong to the library, and is part of it: a sandbox has it too.

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "lang/stdlib_blob.h"
#include "lang/support/libraries.h"

// What this process has found: filled once, under a lock, since it stays open.
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
    dlclose(handle); // it stays
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
