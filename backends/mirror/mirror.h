// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hooks for tests: figures of use, and requests to be slow or to fail. `ctx` is the mirror's context, Device.ctx.

#ifndef NACRE_BACKENDS_MIRROR_MIRROR_H
#define NACRE_BACKENDS_MIRROR_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct MirrorFigures {
    uint64_t launches, copies, builds, waits;
    uint64_t launches_while_busy; // with something before them in the queue that was not done
} MirrorFigures;

// Numbers count calls since mirror_try, from 1; 0: no call.
typedef struct MirrorTrial {
    bool lazy; // nothing in the queue is done before somebody waits for it: no device is slower
    uint64_t refused_launch, refused_copy, refused_build; // numbers of the calls that return false
    uint64_t refused_each; // each build whose number is a multiple of this fails; 0: none
    uint64_t lost_launch; // the device does not do this one, nor anything behind it; whoever waits hears of it
} MirrorTrial;

MirrorFigures mirror_figures(const void *ctx);
void mirror_try(void *ctx, const MirrorTrial *trial);

#endif
