// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds other libraries. A package, which may be unpacked anywhere, ships those that it needs.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "lang/support/libraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __has_include("nacre_config.h")
#include "nacre_config.h"
#endif
#ifndef NACRE_LIB_FOLDER
#define NACRE_LIB_FOLDER "lib"
#endif

const char *const library_places[LIBRARY_PLACES] = {"nacre", "../lib/nacre", "../" NACRE_LIB_FOLDER "/nacre"};

bool library_folder(char folder[PATH_MAX]) {
    Dl_info info;
    char *slash;
    if (!dladdr(library_places, &info) || !info.dli_fname) return false;
    const char *file = strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe";
    if (!realpath(file, folder)) return false;
    slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    return slash != NULL;
}

static const char *name_in(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *library_where(const char *path, char at[PATH_MAX]) {
    char folder[PATH_MAX];
    if (!path[0] || !library_folder(folder)) return path;
    for (int i = 0; i < LIBRARY_PLACES; i++) {
        int length = snprintf(at, PATH_MAX, "%s/%s/bundled/%s", folder, library_places[i], name_in(path));
        if (length < PATH_MAX && access(at, R_OK) == 0) return at;
    }
    return path;
}

void *library_open(const char *path, int flags) {
    char at[PATH_MAX];
    if (!path[0]) return NULL;
    void *handle = dlopen(library_where(path, at), flags);
    return handle || name_in(path) == path ? handle : dlopen(name_in(path), flags);
}
