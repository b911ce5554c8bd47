// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Orders the stream of all work with other streams: streams of the process, and the stream that reads a few bytes.

#include <string.h>

#include "backends/cuda/cuda.h"

// `stream` 0 stands for the stream that the host program gave. If it gave none, it stands for the legacy default
// stream, which waits for all blocking streams of the process, and which these wait for.
bool cuda_order(void *ctx, int64_t stream, bool theirs_first) {
    enum { LEGACY = 1 };
    Cuda *c = ctx;
    const CudaDriver *d = &c->driver;
    void *theirs = stream ? (void *)(intptr_t)stream : c->is_callers ? c->stream : (void *)LEGACY;
    void *from = theirs_first ? theirs : c->stream, *to = theirs_first ? c->stream : theirs;
    if (from == to && !theirs_first) return true;
    if (c->broken || !cuda_enter(c)) return false;
    cuda_mark_short(c);
    bool good = d->event_record(c->joint, from) == 0 && (from == to || d->stream_wait(to, c->joint, 0) == 0) &&
                (!theirs_first || d->stream_wait(c->reader, c->joint, 0) == 0);
    cuda_leave(c);
    return good;
}

// Waits for all work, and stops using the host program's stream, which may be destroyed once the VM ends.
void cuda_retire(void *ctx) {
    Cuda *c = ctx;
    if (!cuda_enter(c)) return;
    c->driver.stream_synchronize(c->stream);
    if (c->is_callers) c->stream = c->reader;
    cuda_leave(c);
}

// Reads on a second stream, which waits for the last work with this buffer, but not for later launches. The bytes are
// copied to pinned memory first.
bool cuda_fetch(Cuda *c, const Buffer *buffer, BufferPart part, Event *event) {
    const CudaDriver *d = &c->driver;
    const CudaPtr from = (CudaPtr)(uintptr_t)buffer->device + part.offset;
    char *few = (char *)(c->seen + CUDA_SLOTS * KERN_SITES);
    *event = buffer->busy;
    if (part.bytes == 0) return true;
    if (!cuda_enter(c)) return false;
    bool done = buffer->busy <= c->finished;
    void *mark = done ? NULL : c->marks[cuda_mark_of(c, buffer->busy) % CUDA_MARKS].driver;
    bool good = (done || (!c->broken && d->stream_wait(c->reader, mark, 0) == 0)) &&
                d->to_host(few, from, part.bytes, c->reader) == 0;
    if (good && d->stream_synchronize(c->reader) == 0) {
        memcpy(part.to, few, part.bytes);
    } else if (good) { // the failure is reported to whoever waits for the event
        c->broken = true;
        *event = ++c->posted;
    }
    cuda_leave(c);
    return good;
}
