// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Copies structures of nacre.h whose size depends on the header that the host was built with.

#include "vm/api/sizes.h"

#include <string.h>

enum { MOST = 4096 }; // larger sizes are taken for uninitialised memory

static size_t size_of(const void *host) {
    size_t size;
    memcpy(&size, host, sizeof size);
    return size;
}

static bool makes_sense(const void *host, size_t least) {
    return host && size_of(host) >= least && size_of(host) <= MOST;
}

bool api_take(void *to, size_t size, size_t least, const void *given) {
    if (!makes_sense(given, least)) return false;
    size_t theirs = size_of(given), common = theirs < size ? theirs : size;
    for (size_t i = size; i < theirs; i++)
        if (((const char *)given)[i]) return false;
    memset(to, 0, size);
    memcpy(to, given, common);
    memcpy(to, &size, sizeof size);
    return true;
}

bool api_can_give(const void *to, size_t least) {
    return makes_sense(to, least);
}

void api_give(void *to, const void *from, size_t size) {
    size_t theirs = size_of(to);
    memset(to, 0, theirs);
    memcpy(to, from, theirs < size ? theirs : size);
    memcpy(to, &theirs, sizeof theirs);
}
