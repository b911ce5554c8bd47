// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Waits for launches, and delivers their float flags.

#include <string.h>

#include "backends/cuda/cuda.h"

enum { SLOT_BYTES = KERN_SITES * sizeof(uint32_t), FLAGS_BYTES = CUDA_SLOTS * SLOT_BYTES };

bool cuda_flags_open(Cuda *c) {
    return c->driver.alloc(&c->flags, FLAGS_BYTES) == 0 &&
           c->driver.host_alloc((void **)&c->seen, FLAGS_BYTES + CUDA_FEW, 0) == 0 &&
           c->driver.fill(c->flags, 0, FLAGS_BYTES / sizeof(uint32_t), c->stream) == 0;
}

void cuda_flags_close(Cuda *c) {
    if (c->flags) c->driver.free(c->flags);
    if (c->seen) c->driver.host_free(c->seen);
}

CudaPtr cuda_flags_take(Cuda *c, uint32_t *flags, int count) {
    if (c->report_count == CUDA_SLOTS && !cuda_await(c, c->reports[c->first_report].event)) return 0;
    int slot = (c->first_report + c->report_count++) % CUDA_SLOTS;
    c->reports[slot] = (CudaReport){c->posted + 1, flags, count};
    return c->flags + (CudaPtr)slot * SLOT_BYTES;
}

void cuda_flags_drop(Cuda *c) {
    c->report_count--;
}

// --- Runs of slots: `count` slots from `first` on, which do not wrap around the ring's end -------------

typedef struct Slots {
    int first, count;
} Slots;

static bool fetch(Cuda *c, Slots s) {
    return s.count == 0 || c->driver.to_host((char *)c->seen + s.first * SLOT_BYTES,
                                             c->flags + (CudaPtr)s.first * SLOT_BYTES, (size_t)s.count * SLOT_BYTES,
                                             c->reader) == 0;
}

// Delivers the flags. Slots with flags are cleared before later launches use them.
static bool deliver(Cuda *c, Slots s) {
    uint32_t any = 0;
    for (int slot = s.first; slot < s.first + s.count; slot++) {
        const CudaReport *report = &c->reports[slot];
        const uint32_t *seen = c->seen + (size_t)slot * KERN_SITES;
        for (int i = 0; i < report->count; i++) any |= report->flags[i] = seen[i];
    }
    return !any || c->driver.fill(c->flags + (CudaPtr)s.first * SLOT_BYTES, 0, (size_t)s.count * KERN_SITES,
                                  c->stream) == 0;
}

// --- Waiting -----------------------------------------------------------------------------------------

static int reports_up_to(const Cuda *c, Event event) {
    int count = 0;
    while (count < c->report_count && c->reports[(c->first_report + count) % CUDA_SLOTS].event <= event) count++;
    return count;
}

// Fetches and delivers the flags of all launches up to an event that has happened.
static bool fetch_up_to(Cuda *c, Event event) {
    int count = reports_up_to(c, event);
    int to_end = CUDA_SLOTS - c->first_report, near = count < to_end ? count : to_end;
    Slots a = {c->first_report, near}, b = {0, count - near};
    if (count == 0) return true;
    bool good = fetch(c, a) && fetch(c, b) && c->driver.stream_synchronize(c->reader) == 0 && deliver(c, a) &&
                deliver(c, b);
    c->first_report = (c->first_report + count) % CUDA_SLOTS;
    c->report_count -= count;
    return good;
}

// Returns the latest event that has happened, given that `event` has. Fetching the flags of many launches costs as much
// as fetching those of one, and a scheduler whose queue is full waits for the oldest launch again and again.
static Event last_happened(const Cuda *c, Event event) {
    for (Event step = CUDA_MARKS / 2; step > 0; step /= 2)
        while (event + step <= c->posted && c->posted - (event + step) < CUDA_MARKS &&
               c->driver.event_query(c->marks[(event + step) % CUDA_MARKS]) == 0)
            event += step;
    return event;
}

// If the event's mark has been reused for a later event, it waits for that one, which implies that `event` has
// happened.
bool cuda_await(Cuda *c, Event event) {
    if (event <= c->finished || c->broken) return event <= c->finished;
    bool good = c->driver.event_synchronize(c->marks[event % CUDA_MARKS]) == 0;
    if (good) event = last_happened(c, event);
    good = good && fetch_up_to(c, event);
    if (good)
        c->finished = event;
    else
        c->broken = true;
    return good;
}
