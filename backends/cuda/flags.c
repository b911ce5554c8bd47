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

void cuda_mark(Cuda *c) {
    CudaMark *mark = &c->marks[c->mark_count++ % CUDA_MARKS];
    mark->event = c->posted;
    if (c->driver.event_record(mark->driver, c->stream) != 0) c->broken = true;
}

static Event last_marked(const Cuda *c) {
    return c->mark_count ? c->marks[(c->mark_count - 1) % CUDA_MARKS].event : 0;
}

void cuda_mark_short(Cuda *c) {
    if (c->posted > last_marked(c)) cuda_mark(c);
}

static const CudaMark *mark_at(const Cuda *c, uint64_t number) {
    return &c->marks[number % CUDA_MARKS];
}

uint64_t cuda_mark_of(Cuda *c, Event event) {
    if (last_marked(c) < event) cuda_mark(c);
    uint64_t last = c->mark_count - 1, first = last < CUDA_MARKS ? 0 : last - (CUDA_MARKS - 1);
    while (first < last) {
        const uint64_t middle = first + (last - first) / 2;
        if (mark_at(c, middle)->event < event) first = middle + 1;
        else last = middle;
    }
    return first;
}

// Returns the last mark that has happened, given that `mark` has. Fetching the flags of many launches costs as much as
// fetching those of one, and a scheduler whose queue is full waits for the oldest launch again and again.
static uint64_t last_happened(const Cuda *c, uint64_t mark) {
    for (uint64_t step = CUDA_MARKS / 2; step > 0; step /= 2)
        while (mark + step < c->mark_count && c->driver.event_query(mark_at(c, mark + step)->driver) == 0) mark += step;
    return mark;
}

bool cuda_await(Cuda *c, Event event) {
    if (event <= c->finished || c->broken) return event <= c->finished;
    uint64_t mark = cuda_mark_of(c, event);
    bool good = !c->broken && c->driver.event_synchronize(mark_at(c, mark)->driver) == 0;
    if (good) mark = last_happened(c, mark);
    event = mark_at(c, mark)->event;
    good = good && fetch_up_to(c, event);
    if (good)
        c->finished = event;
    else
        c->broken = true;
    return good;
}
