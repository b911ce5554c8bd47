// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds plug-ins. They are code, so only folders relative to the file of this library are searched, and
// none that an environment variable names.

#include "lang/support/plugins.h"

#include "lang/support/libraries.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 32 };

typedef const void *(*TableFn)(void);

static bool is_name(const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i])) return false;
    return length > 0 && length <= NAME_MOST;
}

static const void *load(const PluginSort *sort, const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) return NULL;
    TableFn table = NULL;
    *(void **)&table = dlsym(handle, sort->function);
    const void *found = table ? table() : NULL;
    dlclose(handle); // stays loaded, because of RTLD_NODELETE
    return found;
}

const void *plugin_find(const PluginSort *sort, const char *name) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    if (!is_name(name) || !library_folder(folder)) return NULL;
    for (int i = 0; i < LIBRARY_PLACES; i++) {
        int length = snprintf(path, sizeof path, "%s/%s/nacre-%s.so", folder, library_places[i], name);
        const void *found = length < (int)sizeof path ? load(sort, path) : NULL;
        if (found && sort->fits(found, name)) return found;
    }
    return NULL;
}

// Extracts the name of a plug-in: "opencl" from "nacre-opencl.so". Returns false for other files.
static bool plugin_name(const char *file, char name[NAME_MOST + 1]) {
    static const char before[] = "nacre-", behind[] = ".so";
    size_t length = strlen(file), first = sizeof before - 1, last = sizeof behind - 1;
    if (length <= first + last || length - first - last > NAME_MOST) return false;
    if (strncmp(file, before, first) != 0 || strcmp(file + length - last, behind) != 0) return false;
    memcpy(name, file + first, length - first - last);
    name[length - first - last] = '\0';
    return is_name(name);
}

void plugins_visit(const PluginSort *sort, void (*each)(void *ctx, const void *table), void *ctx) {
    char folder[PATH_MAX], path[2 * PATH_MAX], name[NAME_MOST + 1];
    bool any = false;
    if (!library_folder(folder)) return;
    for (int i = 0; i < LIBRARY_PLACES && !any; i++) {
        if (snprintf(path, sizeof path, "%s/%s", folder, library_places[i]) >= (int)sizeof path) continue;
        DIR *dir = opendir(path);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            const void *found = plugin_name(entry->d_name, name) ? plugin_find(sort, name) : NULL;
            if (found) each(ctx, found);
            any |= found != NULL;
        }
        if (dir) closedir(dir);
    }
}
