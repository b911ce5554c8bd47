// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds libraries of CUDA's toolkit.

#define _GNU_SOURCE
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/cuda/driver.h"

// Tries the paths that match a pattern, the last one first, since it is the newest version.
static bool try_pattern(const char *pattern, CudaTry *open, void *context) {
    glob_t found;
    bool opened = false;
    if (glob(pattern, 0, NULL, &found) != 0) return false;
    for (size_t i = found.gl_pathc; i > 0 && !opened; i--) opened = open(context, found.gl_pathv[i - 1]);
    globfree(&found);
    return opened;
}

// Folders of toolkits, and of wheels of Python's package index: relative to the folder that an environment variable
// names, or (NULL) absolute.
static const struct {
    const char *variable, *rest;
} places[] = {
    {"CUDA_HOME", "/lib64"},
    {"CUDA_PATH", "/lib64"},
    {NULL, "/usr/local/cuda/lib64"},
    {NULL, "/usr/local/cuda-*/lib64"},
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*/lib"},
    {"CONDA_PREFIX", "/lib"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/*/lib"},
    {NULL, "/usr/local/lib/python3*/*-packages/nvidia/*/lib"},
};

bool cuda_find(const char *stem, CudaTry *open, void *context) {
    static const char *const endings[] = {"13", "12", "11.2", "11"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s.so.%s", stem, endings[i]);
        if (open(context, path)) return true;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *folder = places[i].variable ? secure_getenv(places[i].variable) : "";
        if (!folder || (places[i].variable && folder[0] != '/')) continue;
        int length = snprintf(path, sizeof path, "%s%s/%s.so.1[1-9]*", folder, places[i].rest, stem);
        if (length < (int)sizeof path && try_pattern(path, open, context)) return true;
    }
    return false;
}
