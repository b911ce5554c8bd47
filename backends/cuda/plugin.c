// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The backend for CUDA devices. It runs the kernels that its dialect and the operations of backends/grid support; the
// scheduler runs all others elsewhere.

#include <string.h>

#include "backends/cuda/cuda.h"

// --- The stream ------------------------------------------------------------------------------------

bool cuda_enter(const Cuda *c) {
    return c->driver.context_push(c->context) == 0;
}

void cuda_leave(const Cuda *c) {
    void *context;
    c->driver.context_pop(&context);
}

Event cuda_post(Cuda *c, bool is_long) {
    enum { UNMARKED = 8 }; // the most short launches between two marks
    const Event last = c->mark_count ? c->marks[(c->mark_count - 1) % CUDA_MARKS].event : 0;
    c->posted++;
    // Others may enqueue work in a stream of theirs at any time.
    if (is_long || c->is_callers || c->posted - last >= UNMARKED) cuda_mark(c);
    return c->posted;
}

// --- Memory of the device: the VM's limit does not count it ---------------------------------------------

static void *take_memory(void *device, size_t bytes) {
    Cuda *c = device;
    CudaPtr address = 0;
    int failed = c->has_pools ? c->driver.alloc_async(&address, bytes, c->stream) : c->driver.alloc(&address, bytes);
    return failed ? NULL : (void *)(uintptr_t)address;
}

static void give_memory(void *device, void *memory, size_t bytes) {
    Cuda *c = device;
    CudaPtr address = (CudaPtr)(uintptr_t)memory;
    (void)bytes;
    if (c->has_pools)
        c->driver.free_async(address, c->stream);
    else
        c->driver.free(address); // waits for all work
}

static bool clear_memory(void *device, void *memory, size_t bytes) {
    const Cuda *c = device;
    return c->driver.fill((CudaPtr)(uintptr_t)memory, 0, bytes / sizeof(uint32_t), c->stream) == 0;
}

static bool fetch_memory(void *device, void *memory, void *to, size_t bytes) {
    Cuda *c = device;
    char *few = (char *)(c->seen + CUDA_SLOTS * KERN_SITES);
    if (bytes > CUDA_FEW || c->driver.to_host(few, (CudaPtr)(uintptr_t)memory, bytes, c->stream) != 0) return false;
    if (c->driver.stream_synchronize(c->stream) != 0) c->broken = true;
    else memcpy(to, few, bytes);
    return !c->broken;
}

static const GridDriver grid_driver = {
    .name = "cuda",
    .dialect = &dialect_cuda,
    .compiler = {cuda_compile, cuda_release},
    .heap = {take_memory, give_memory},
    .enqueue = cuda_enqueue,
    .clear = clear_memory,
    .fetch = fetch_memory,
    .gemm = cuda_gemm,
    .solve = cuda_solve,
    .transform = cuda_transform,
    .group = 256,
};

// Takes memory. If this fails, it tries once more after waiting for the stream, since the driver reuses memory of a
// stream only after a synchronisation.
static void *take_waiting(Cuda *c, size_t bytes) {
    void *memory = grid_pool_take(&c->grid.pool, bytes);
    if (memory || c->broken || c->driver.stream_synchronize(c->stream) != 0) return memory;
    return grid_pool_take(&c->grid.pool, bytes);
}

static bool cuda_alloc(Vm *vm, void *ctx, Buffer *buffer) {
    Cuda *c = ctx;
    (void)vm;
    if (!cuda_enter(c)) return false;
    void *memory = take_waiting(c, buffer->bytes);
    cuda_leave(c);
    if (!memory) return false;
    buffer->device = memory;
    buffer->valid |= PLACE_DEVICE;
    return true;
}

// Clears words of 4 bytes; the pool's memory is a multiple of 4 bytes long.
static bool cuda_clear(void *ctx, const Buffer *buffer, Event *event) {
    Cuda *c = ctx;
    if (c->broken || !cuda_enter(c)) return false;
    cuda_mark_short(c);
    bool cleared = clear_memory(c, buffer->device, (buffer->bytes + 3) / 4 * 4);
    *event = cuda_post(c, true);
    cuda_leave(c);
    return cleared && !c->broken;
}

static void cuda_free(Vm *vm, void *ctx, Buffer *buffer) {
    Cuda *c = ctx;
    (void)vm;
    bool entered = cuda_enter(c);
    grid_pool_give(&c->grid.pool, buffer->device, buffer->bytes);
    if (entered) cuda_leave(c);
    buffer->device = NULL;
    buffer->valid &= (uint8_t)~PLACE_DEVICE;
}

static bool cuda_copy(Vm *vm, void *ctx, Buffer *buffer, Place to, Event *event) {
    Cuda *c = ctx;
    CudaPtr memory = (CudaPtr)(uintptr_t)buffer->device;
    int failed = 0;
    (void)vm;
    if (c->broken) return false;
    if (to == PLACE_HOST && buffer->bytes <= CUDA_FEW)
        return cuda_fetch(c, buffer, (BufferPart){0, buffer->bytes, buffer->host}, event);
    if (!cuda_enter(c)) return false;
    cuda_mark_short(c);
    if (buffer->bytes && to == PLACE_HOST)
        failed = c->driver.to_host(buffer->host, memory, buffer->bytes, c->stream);
    else if (buffer->bytes)
        failed = c->driver.to_device(memory, buffer->host, buffer->bytes, c->stream);
    *event = cuda_post(c, true);
    cuda_leave(c);
    return !failed && !c->broken;
}

static bool cuda_read(Vm *vm, void *ctx, const Buffer *buffer, BufferPart part, Event *event) {
    Cuda *c = ctx;
    (void)vm;
    if (!c->broken && part.bytes <= CUDA_FEW) return cuda_fetch(c, buffer, part, event);
    if (c->broken || !cuda_enter(c)) return false;
    cuda_mark_short(c);
    int failed = c->driver.to_host(part.to, (CudaPtr)(uintptr_t)buffer->device + part.offset, part.bytes, c->stream);
    *event = cuda_post(c, true);
    cuda_leave(c);
    return !failed && !c->broken;
}

static bool cuda_wait(void *ctx, Event event) {
    Cuda *c = ctx;
    if (event <= c->finished || c->broken || !cuda_enter(c)) return event <= c->finished;
    bool good = cuda_await(c, event);
    cuda_leave(c);
    return good;
}

// --- Life --------------------------------------------------------------------------------------------

static void end(Cuda *c) {
    const CudaDriver *d = &c->driver;
    if (c->stream) d->stream_synchronize(c->stream);
    grid_close(&c->grid);
    cuda_blas_close(&c->blas);
    cuda_fourier_close(&c->fourier);
    cuda_solver_close(&c->solver);
    cuda_flags_close(c);
    for (int i = 0; i < CUDA_MARKS; i++)
        if (c->marks[i].driver) d->event_destroy(c->marks[i].driver);
    if (c->joint) d->event_destroy(c->joint);
    if (c->reader) d->stream_destroy(c->reader);
    if (c->stream && !c->is_callers) d->stream_destroy(c->stream);
}

static void cuda_close(Vm *vm, void *ctx) {
    Cuda *c = ctx;
    if (c->context && cuda_enter(c)) {
        end(c);
        cuda_leave(c);
    }
    if (c->context) c->driver.context_release(c->device);
    cuda_nvrtc_close(&c->nvrtc);
    cuda_driver_close(&c->driver);
    code_cache_close(&c->cache);
    mem_free(&vm->mem, c, sizeof *c);
}

static bool begin_stream(Cuda *c) {
    const CudaDriver *d = &c->driver;
    if ((!c->is_callers && d->stream_create(&c->stream, CUDA_STREAM_NON_BLOCKING) != 0) ||
        d->stream_create(&c->reader, CUDA_STREAM_NON_BLOCKING) != 0 ||
        d->event_create(&c->joint, CUDA_EVENT_DISABLE_TIMING) != 0)
        return false;
    for (int i = 0; i < CUDA_MARKS; i++)
        if (d->event_create(&c->marks[i].driver, CUDA_EVENT_DISABLE_TIMING) != 0) return false;
    return cuda_flags_open(c);
}

static bool begin(Cuda *c) {
    enum { ARGUMENT_BYTES = 4096 }; // limit that every device and driver supports
    const CudaDriver *d = &c->driver;
    size_t bytes = 0;
    int has_pools = 0;
    if (d->device_memory(&bytes, c->device) != 0 ||
        d->device_attribute(&c->processors, CUDA_DEVICE_PROCESSORS, c->device) != 0)
        return false;
    d->device_attribute(&has_pools, CUDA_DEVICE_HAS_POOLS, c->device); // fails in drivers that do not know it
    c->has_pools = has_pools && d->alloc_async && d->free_async;
    const GridLimits limits = {bytes / 4, ARGUMENT_BYTES};
    return cuda_choose_arch(c) && grid_open(&c->grid, c->vm, &grid_driver, c, limits) && begin_stream(c);
}

static bool begin_context(Cuda *c) {
    const CudaDriver *d = &c->driver;
    if (d->device_get(&c->device, 0) != 0 || d->context_retain(&c->context, c->device) != 0 || !cuda_enter(c))
        return false;
    bool begun = begin(c);
    cuda_leave(c);
    return begun;
}

static void *cuda_open(Vm *vm, const BackendOptions *options) {
    Cuda *c = mem_zalloc(&vm->mem, sizeof *c);
    if (!c) return NULL;
    c->vm = vm;
    c->stream = options->stream;
    c->is_callers = options->stream;
    code_cache_open(&c->cache);
    if (cuda_driver_open(&c->driver) && cuda_nvrtc_open(&c->nvrtc, c->driver.number) && begin_context(c)) return c;
    cuda_close(vm, c);
    return NULL;
}

static int cuda_threads(void *ctx) {
    return ((Cuda *)ctx)->processors;
}

static const Backend backend = {
    .abi_version = BACKEND_ABI,
    .struct_size = sizeof(Backend),
    .name = "cuda",
    .place = PLACE_DEVICE,
    .lines = true,
    .least = 1 << 14,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .clear = cuda_clear,
    .copy = cuda_copy,
    .read = cuda_read,
    .supports = cuda_supports,
    .lacks = cuda_lacks,
    .build = cuda_build,
    .workspace = cuda_workspace,
    .launch = cuda_launch,
    .wait = cuda_wait,
    .threads = cuda_threads,
    .workers = cuda_threads,
    .items = cuda_items,
    .describe = cuda_describe,
    .takes = TAKES_STREAM,
    .shares = 2, // kDLCUDA
    .order = cuda_order,
    .retire = cuda_retire,
};

// The symbol that the library looks up in a plug-in.
__attribute__((visibility("default"))) const Backend *nacre_backend(void);
const Backend *nacre_backend(void) {
    return &backend;
}
