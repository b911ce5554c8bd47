// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A stand-in for libcuda.so.1, for tests on machines without a GPU. It runs the modules that the stand-in NVRTC
// makes, on the processor, and is stricter than a device:
// - The host cannot touch device memory: it lies elsewhere than its addresses say, with a page that nobody has
//   behind each allocation. Pointers among a kernel's arguments are moved there, and have to be in live memory.
// - What is put into a stream waits until somebody waits for it: who forgets to wait sees old bytes, on another
//   stream, too.
// - Blocks and lanes go in an order that can be chosen; fresh memory and __shared__ memory are full of 0xff.
// - A kernel that fails makes every later call fail, as on a device.
// What it does not show: lanes run one after the other, so races are found by order alone; the host's libm stands
// for CUDA's; nothing is said of speed.
//
// STANDIN_FAIL=cuMemAlloc_v2:3[:2]  the third call answers 2 (out of memory); :3+ that and all later ones
// STANDIN_ORDER=forward|reverse|random  of blocks and lanes; STANDIN_SEED=n
// STANDIN_MEMORY=bytes of the device; STANDIN_DEVICES=n; STANDIN_VERSION=12040 (of the driver); STANDIN_ARCH=90;
// STANDIN_POOLS=0
// STANDIN_REPORT=file  what was called how often, and what was still alive at the end, as JSON

#ifndef NACRE_TESTS_CUDA_STANDIN_DRIVER_H
#define NACRE_TESTS_CUDA_STANDIN_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "module.h"

#define API __attribute__((visibility("default")))

typedef unsigned long long Ptr; // CUdeviceptr

enum Result {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719,
};

enum Order { FORWARD, REVERSE, RANDOM };

typedef struct Settings {
    enum Order order;
    unsigned seed;
    int devices, version, arch;
    size_t memory;
    bool has_pools;
} Settings;
extern Settings settings;

// settings.c
typedef struct Count {
    const char *name;
    long calls;
    struct Count *next;
} Count;
extern int sticky; // what every call answers since a kernel failed
void settings_read(void);
API int count_call(Count *count); // what the call is to answer at once; OK: let it do its work
API int wrong(int result, const char *format, ...) __attribute__((format(printf, 2, 3)));
API bool has_context(void);
// What every function begins with.
#define ENTER()                                \
    static Count count_ = {.name = __func__};  \
    const int entered_ = count_call(&count_);  \
    if (entered_) return entered_
#define ENTER_WITH_CONTEXT() \
    ENTER();                 \
    if (!has_context()) return wrong(INVALID_CONTEXT, "%s without a context", __func__)

extern long live_modules, live_streams, live_events, live_handles;

// memory.c
bool memory_begin(void);
int memory_take(Ptr *out, size_t bytes);
int memory_give(Ptr address); // an allocation's beginning
bool memory_is_begin(Ptr address);
void *memory_real(Ptr address, size_t bytes, const char *what); // where it is in truth; NULL: in no allocation
void *memory_moved(Ptr address); // a kernel's argument; NULL: in no allocation
bool memory_has(const void *address); // whether it is in the region of device addresses
long memory_live(size_t *bytes, size_t *peak);

// fibers.c
extern const StandinServices services;

// launch.c
typedef struct Function Function;
typedef struct Launch {
    const Function *function;
    StandinDim grid, block;
    void **arguments; // copies, in one block
} Launch;
void launch_begin(void);
void launch_run(const Launch *launch);

// streams.c
void stream_drain_all(void);
typedef struct Stream Stream;
typedef struct Work {
    enum WorkSort { WORK_COPY, WORK_FILL, WORK_KERNEL, WORK_RECORD, WORK_WAIT, WORK_FREE, WORK_HOST } sort;
    struct Work *next;
    char *to;
    const char *from;
    size_t bytes;
    unsigned value;
    Launch launch;
    struct MarkEvent *event;
    uint64_t ticket;
    struct Stream *other; // WORK_WAIT: where the event was recorded
    Ptr freed;
    void (*function)(void *context);
    void *context;
} Work;
int stream_put(Stream *stream, Work work);
// For stand-ins of other libraries: work of theirs in a stream, and where memory is in truth (NULL: in no allocation).
API int standin_enqueue(Stream *stream, void (*function)(void *), void *context);
API void *standin_memory(Ptr address, size_t bytes, const char *what);
API void standin_live(long handles); // so many more

#endif
