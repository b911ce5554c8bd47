// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds and opens the command's own libraries.

#include "plugin.h"

#include <dlfcn.h>
#include <libgen.h>
#include <unistd.h>

#include "text.h"

// Calls `visit` with each existing path of `file`, until it returns non-NULL. Returns that value.
static void *search(const char *file, void *(*visit)(const char *path, void *ctx), void *ctx) {
    char path[4096];
    void *found = NULL;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) return NULL;
    path[length] = '\0';
    static const char *const folders[] = {NACRE_LIBDIR, "lib"};
    const char *prefix = dirname(dirname(path));
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++) {
        Text place = {0};
        text_printf(&place, "%s/%s/nacre/%s", prefix, folders[i], file);
        if (!place.failed && access(text_string(&place), F_OK) == 0) found = visit(text_string(&place), ctx);
        text_free(&place);
    }
    return found;
}

static void *open_file(const char *path, void *ctx) {
    const char **why = ctx;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) *why = dlerror();
    return library;
}

void *plugin_open(const char *file, const char *function, void **library, const char **why) {
    *why = NULL;
    *library = search(file, open_file, why);
    return *library ? dlsym(*library, function) : NULL;
}

static void *is_there(const char *path, void *ctx) {
    (void)path;
    return ctx;
}

bool plugin_is_there(const char *file) {
    bool yes = true;
    return search(file, is_there, &yes) != NULL;
}
