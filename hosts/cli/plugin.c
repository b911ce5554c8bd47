// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Libraries of the command's own: where they are.

#include "plugin.h"

#include <dlfcn.h>
#include <libgen.h>
#include <unistd.h>

#include "text.h"

static void *open_file(const char *path, const char **why) {
    if (access(path, F_OK) != 0) return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) *why = dlerror();
    return library;
}

void *plugin_open(const char *file, const char *function, void **library, const char **why) {
    char path[4096];
    *library = NULL;
    *why = NULL;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) return NULL;
    path[length] = '\0';
    static const char *const folders[] = {NACRE_LIBDIR, "lib"};
    const char *prefix = dirname(dirname(path));
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !*library; i++) {
        Text place = {0};
        text_printf(&place, "%s/%s/nacre/%s", prefix, folders[i], file);
        if (!place.failed) *library = open_file(text_string(&place), why);
        text_free(&place);
    }
    return *library ? dlsym(*library, function) : NULL;
}
