// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Preloaded by hidden_test.py: to this process there is no FFTW.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <string.h>

void *dlopen(const char *path, int flags) {
    void *(*real)(const char *, int) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return path && strstr(path, "fftw") ? NULL : real(path, flags);
}
