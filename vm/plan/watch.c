// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by watchers: texts of reasons, and the clock.

#include "vm/plan/watch.h"

#include <time.h>

const char *why_text(WhyId id) {
    static const char *const texts[] = {
#define WHY_TEXT(ID, text) text,
        WHYS(WHY_TEXT)
#undef WHY_TEXT
    };
    return texts[id];
}

double watch_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
