// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Looking for plug-ins. They are code, so they come from folders that belong to the very file that
// this is part of, and from nowhere that the environment names.

#include "backends/plugins.h"

#include "lang/support/libraries.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 32 };

static bool is_name(const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i])) return false;
    return length > 0 && length <= NAME_MOST;
}

static const Backend *load(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) return NULL;
    const Backend *(*table)(void) = (const Backend *(*)(void))dlsym(handle, "nacre_backend");
    const Backend *backend = table ? table() : NULL;
    bool fits = backend && backend->abi_version == BACKEND_ABI &&
                backend->struct_size == sizeof(Backend);
    dlclose(handle); // it stays
    return fits ? backend : NULL;
}

const Backend *plugin_find(const char *name) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    if (!is_name(name) || !library_folder(folder)) return NULL;
    for (int i = 0; i < LIBRARY_PLACES; i++) {
        int length = snprintf(path, sizeof path, "%s/%s/nacre-%s.so", folder, library_places[i], name);
        const Backend *found = length < (int)sizeof path ? load(path) : NULL;
        if (found && strcmp(found->name, name) == 0) return found;
    }
    return NULL;
}

// "opencl" of "nacre-opencl.so".
static bool plugin_name(const char *file, char name[NAME_MOST + 1]) {
    static const char before[] = "nacre-", behind[] = ".so";
    size_t length = strlen(file), first = sizeof before - 1, last = sizeof behind - 1;
    if (length <= first + last || length - first - last > NAME_MOST) return false;
    if (strncmp(file, before, first) != 0 || strcmp(file + length - last, behind) != 0) return false;
    memcpy(name, file + first, length - first - last);
    name[length - first - last] = '\0';
    return is_name(name);
}

void plugins_describe(Buf *out) {
    char folder[PATH_MAX], path[2 * PATH_MAX], name[NAME_MOST + 1];
    bool any = false;
    if (!library_folder(folder)) return;
    for (int i = 0; i < LIBRARY_PLACES && !any; i++) {
        if (snprintf(path, sizeof path, "%s/%s", folder, library_places[i]) >= (int)sizeof path) continue;
        DIR *dir = opendir(path);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            const Backend *found = plugin_name(entry->d_name, name) ? plugin_find(name) : NULL;
            if (!found) continue;
            any = true;
            buf_printf(out, "plug-in: backend %s\n", found->name);
            if (found->describe) found->describe(out);
        }
        if (dir) closedir(dir);
    }
}
