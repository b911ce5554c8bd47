// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Contexts, memory calls, streams and events.

#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXTS = 16 };

typedef struct MarkEvent {
    uint64_t asked, done; // how often it was recorded, and which of these have happened
    Stream *stream;
    long waits; // that have it still
    bool gone;
} MarkEvent;

struct Stream {
    Work *first, **last;
    Stream *next;
    bool blocks; // it waits for the default stream, which waits for it
};

static Stream *streams;
static Stream legacy = {.last = &legacy.first};
static bool begun;
static char primary;
static _Thread_local int context_depth;

// --- Doing what waits --------------------------------------------------------------------------------

static void drain(Stream *stream, const MarkEvent *until, uint64_t ticket);

static void fill(Work *w) {
    for (size_t i = 0; i < w->bytes / sizeof w->value; i++) memcpy(w->to + i * sizeof w->value, &w->value, sizeof w->value);
}

static void wait_for(const Work *w) {
    MarkEvent *event = w->event;
    if (event->done < w->ticket) drain(w->other, event, w->ticket);
    if (!--event->waits && event->gone) free(event);
}

static void do_work(Work *w) {
    switch (w->sort) {
    case WORK_COPY: memcpy(w->to, w->from, w->bytes); break;
    case WORK_FILL: fill(w); break;
    case WORK_KERNEL: launch_run(&w->launch); break;
    case WORK_RECORD: w->event->done = w->ticket; break;
    case WORK_WAIT: wait_for(w); break;
    case WORK_FREE: memory_give(w->freed); break;
    case WORK_HOST: w->function(w->context); break;
    }
}

// All that is in the stream, or up to the record of an event.
static void drain(Stream *stream, const MarkEvent *until, uint64_t ticket) {
    while (stream && stream->first && !(until && until->done >= ticket)) {
        Work *w = stream->first;
        if (!(stream->first = w->next)) stream->last = &stream->first;
        if (!sticky) do_work(w);
        free(w->launch.arguments);
        free(w);
    }
}

// The default streams, of the process and of its thread, are one.
static Stream *real(Stream *stream) {
    return (uintptr_t)stream == 1 || (uintptr_t)stream == 2 ? &legacy : stream;
}

// What is in one of the streams that wait for each other is done before something is put into another.
static void join(const Stream *stream) {
    if (stream->blocks) drain(&legacy, NULL, 0);
    for (Stream *s = stream == &legacy ? streams : NULL; s; s = s->next)
        if (s->blocks) drain(s, NULL, 0);
}

void stream_drain_all(void) {
    drain(&legacy, NULL, 0);
    for (Stream *s = streams; s; s = s->next) drain(s, NULL, 0);
}

int stream_put(Stream *stream, Work work) {
    Work *own = malloc(sizeof *own);
    if (!stream || !own) return wrong(INVALID_VALUE, "work without a stream");
    stream = real(stream);
    join(stream);
    *own = work;
    *stream->last = own;
    stream->last = &own->next;
    return sticky;
}

// --- The driver, its device and contexts ----------------------------------------------------------------

API int cuInit(unsigned flags) {
    (void)flags;
    if (!begun) settings_read();
    ENTER();
    if (!settings.devices) return NO_DEVICE;
    if (!begun && !memory_begin()) return OUT_OF_MEMORY;
    if (!begun) launch_begin();
    begun = true;
    return OK;
}

API int cuDriverGetVersion(int *version) {
    ENTER();
    *version = settings.version;
    return OK;
}

// A real NVRTC asks the driver for tables of its own, and does not ask whether there is such a function.
API int cuGetExportTable(const void **table, const void *id) {
    (void)id;
    *table = NULL;
    return NOT_FOUND;
}

API int cuDeviceGetCount(int *count) {
    ENTER();
    *count = settings.devices;
    return OK;
}

API int cuDeviceGet(int *device, int index) {
    ENTER();
    *device = index;
    return OK;
}

API int cuDeviceGetName(char *name, int size, int device) {
    ENTER();
    snprintf(name, (size_t)size, "stand-in %d", device);
    return OK;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    ENTER();
    (void)device;
    *bytes = settings.memory;
    return OK;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device) {
    enum { PROCESSORS = 16, MAJOR = 75, MINOR = 76, POOLS = 115 };
    ENTER();
    (void)device;
    switch (attribute) {
    case PROCESSORS: *value = 4; return OK;
    case MAJOR: *value = settings.arch / 10; return OK;
    case MINOR: *value = settings.arch % 10; return OK;
    case POOLS: *value = settings.has_pools; return OK;
    default: return wrong(INVALID_VALUE, "attribute %d", attribute);
    }
}

API int cuDevicePrimaryCtxRetain(void **context, int device) {
    ENTER();
    (void)device;
    *context = &primary; // there is one, and this stands for it
    return OK;
}

API int cuDevicePrimaryCtxRelease_v2(int device) {
    ENTER();
    (void)device;
    return OK;
}

API int cuCtxPushCurrent_v2(void *context) {
    ENTER();
    if (!context || context_depth == CONTEXTS) return wrong(INVALID_CONTEXT, "too many contexts are pushed");
    context_depth++;
    return OK;
}

API int cuCtxPopCurrent_v2(void **context) {
    static Count count = {.name = __func__};
    count_call(&count); // of a lost device, too
    if (!context_depth) return wrong(INVALID_CONTEXT, "no context is pushed");
    context_depth--;
    *context = &primary;
    return OK;
}

bool has_context(void) {
    return context_depth > 0;
}

// --- Memory ------------------------------------------------------------------------------------------

API int cuMemAlloc_v2(Ptr *address, size_t bytes) {
    ENTER_WITH_CONTEXT();
    return memory_take(address, bytes);
}

API int cuMemFree_v2(Ptr address) {
    ENTER_WITH_CONTEXT();
    stream_drain_all(); // it waits for the device
    return memory_give(address);
}

API int cuMemAllocAsync(Ptr *address, size_t bytes, Stream *stream) {
    ENTER_WITH_CONTEXT();
    (void)stream;
    return memory_take(address, bytes);
}

API int cuMemFreeAsync(Ptr address, Stream *stream) {
    ENTER_WITH_CONTEXT();
    if (!memory_is_begin(address)) return wrong(INVALID_VALUE, "free of %#llx, which is no allocation", address);
    return stream_put(stream, (Work){.sort = WORK_FREE, .freed = address});
}

API int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
    ENTER_WITH_CONTEXT();
    (void)flags;
    *memory = malloc(bytes);
    if (!*memory) return OUT_OF_MEMORY;
    memset(*memory, 0xff, bytes);
    return OK;
}

API int cuMemFreeHost(void *memory) {
    ENTER_WITH_CONTEXT();
    free(memory);
    return OK;
}

static int copy(Stream *stream, char *to, const char *from, size_t bytes) {
    if (!to || !from) return INVALID_VALUE;
    return stream_put(stream, (Work){.sort = WORK_COPY, .to = to, .from = from, .bytes = bytes});
}

API int cuMemcpyHtoDAsync_v2(Ptr to, const void *from, size_t bytes, Stream *stream) {
    ENTER_WITH_CONTEXT();
    return copy(stream, memory_real(to, bytes, __func__), from, bytes);
}

API int cuMemcpyDtoHAsync_v2(void *to, Ptr from, size_t bytes, Stream *stream) {
    ENTER_WITH_CONTEXT();
    return copy(stream, to, memory_real(from, bytes, __func__), bytes);
}

API int cuMemsetD32Async(Ptr to, unsigned value, size_t count, Stream *stream) {
    ENTER_WITH_CONTEXT();
    size_t bytes = count * sizeof value;
    char *real = memory_real(to, bytes, __func__);
    return real ? stream_put(stream, (Work){.sort = WORK_FILL, .to = real, .bytes = bytes, .value = value}) : INVALID_VALUE;
}

// --- Libraries of the device, as the stand-in has them -----------------------------------------------------

int standin_enqueue(Stream *stream, void (*function)(void *), void *context) {
    return stream_put(stream, (Work){.sort = WORK_HOST, .function = function, .context = context});
}

void *standin_memory(Ptr address, size_t bytes, const char *what) {
    return has_context() ? memory_real(address, bytes, what) : NULL;
}

void standin_live(long handles) {
    live_handles += handles;
}

// --- Streams and events ------------------------------------------------------------------------------

API int cuStreamCreate(Stream **out, unsigned flags) {
    ENTER_WITH_CONTEXT();
    Stream *s = calloc(1, sizeof *s);
    if (!s) return OUT_OF_MEMORY;
    s->blocks = !(flags & 1);
    s->last = &s->first;
    s->next = streams;
    streams = s;
    live_streams++;
    *out = s;
    return OK;
}

API int cuStreamDestroy_v2(Stream *stream) {
    ENTER_WITH_CONTEXT();
    drain(stream, NULL, 0);
    for (Stream **at = &streams; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    free(stream);
    live_streams--;
    return OK;
}

API int cuStreamSynchronize(Stream *stream) {
    ENTER_WITH_CONTEXT();
    join(real(stream));
    drain(real(stream), NULL, 0);
    return sticky;
}

API int cuEventCreate(MarkEvent **out, unsigned flags) {
    ENTER_WITH_CONTEXT();
    (void)flags;
    *out = calloc(1, sizeof **out);
    if (!*out) return OUT_OF_MEMORY;
    live_events++;
    return OK;
}

API int cuEventDestroy_v2(MarkEvent *event) {
    ENTER_WITH_CONTEXT();
    drain(event->stream, event, event->asked);
    event->gone = true;
    if (!event->waits) free(event);
    live_events--;
    return OK;
}

API int cuEventRecord(MarkEvent *event, Stream *stream) {
    ENTER_WITH_CONTEXT();
    event->stream = real(stream);
    return stream_put(stream, (Work){.sort = WORK_RECORD, .event = event, .ticket = ++event->asked});
}

API int cuStreamWaitEvent(Stream *stream, MarkEvent *event, unsigned flags) {
    ENTER_WITH_CONTEXT();
    (void)flags;
    if (event->done == event->asked) return OK;
    event->waits++;
    return stream_put(stream, (Work){.sort = WORK_WAIT, .event = event, .ticket = event->asked, .other = event->stream});
}

API int cuEventSynchronize(MarkEvent *event) {
    ENTER_WITH_CONTEXT();
    drain(event->stream, event, event->asked);
    return sticky;
}

API int cuEventQuery(MarkEvent *event) {
    ENTER_WITH_CONTEXT();
    return event->done < event->asked ? NOT_READY : OK; // nobody has waited for it
}
