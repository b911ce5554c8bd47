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
    uint64_t launches_while_busy; // launches while the queue had tasks that were not done
} MirrorFigures;

// Numbers count calls since mirror_try, from 1; 0: no call.
typedef struct MirrorTrial {
    bool lazy; // a task does not run before somebody waits for it, or a later one, as on a very slow device
    uint64_t refused_launch, refused_copy, refused_build; // numbers of the calls that return false
    uint64_t refused_each; // each build whose number is a multiple of this fails; 0: none
    uint64_t lost_launch; // the device is lost: this launch and later tasks do nothing, and waiting for them fails
} MirrorTrial;

MirrorFigures mirror_figures(const void *ctx);
void mirror_try(void *ctx, const MirrorTrial *trial);

#endif
