// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The backend for OpenCL devices. It runs the kernels that its dialect and the operations of backends/grid support; the
// scheduler runs all others elsewhere.

#include "backends/opencl/opencl.h"

// --- The queue -----------------------------------------------------------------------------------

static void free_mark(OpenCl *cl, Event event) {
    cl_event *mark = &cl->marks[event % MARKS];
    if (*mark) clReleaseEvent(*mark);
    *mark = NULL;
}

Event opencl_post(OpenCl *cl) {
    Event event = ++cl->posted;
    cl_event *mark = &cl->marks[event % MARKS];
    free_mark(cl, event);
    if (clEnqueueMarkerWithWaitList(cl->queue, 0, NULL, mark) != CL_SUCCESS) *mark = NULL;
    clFlush(cl->queue);
    return event;
}

// --- Life --------------------------------------------------------------------------------------

static void opencl_close(Vm *vm, void *ctx) {
    OpenCl *cl = ctx;
    if (cl->queue) clFinish(cl->queue);
    for (Event mark = 0; mark < MARKS; mark++) free_mark(cl, mark);
    grid_close(&cl->grid);
    if (cl->flags) clReleaseMemObject(cl->flags);
    if (cl->queue) clReleaseCommandQueue(cl->queue);
    if (cl->context) clReleaseContext(cl->context);
    mem_free(&vm->mem, cl, sizeof *cl);
}

static void *take_memory(void *device, size_t bytes) {
    cl_int status;
    cl_mem memory = clCreateBuffer(((OpenCl *)device)->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    return status == CL_SUCCESS ? memory : NULL;
}

// Releases memory; commands that are enqueued keep it until they end.
static void give_memory(void *device, void *memory, size_t bytes) {
    (void)device, (void)bytes;
    clReleaseMemObject(memory);
}

static bool clear_memory(void *device, void *memory, size_t bytes) {
    const cl_uint none = 0;
    return clEnqueueFillBuffer(((OpenCl *)device)->queue, memory, &none, sizeof none, 0, bytes, 0, NULL, NULL) == CL_SUCCESS;
}

static bool fetch_memory(void *device, void *memory, void *to, size_t bytes) {
    OpenCl *cl = device;
    if (clEnqueueReadBuffer(cl->queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL) != CL_SUCCESS) cl->broken = true;
    return !cl->broken;
}

static const GridDriver grid_driver = {
    .name = "opencl",
    .dialect = &dialect_opencl,
    .compiler = {opencl_compile, opencl_release},
    .heap = {take_memory, give_memory},
    .enqueue = opencl_enqueue,
    .clear = clear_memory,
    .fetch = fetch_memory,
    .group = 64,
    .few_groups = true,
};

static bool begin(OpenCl *cl) {
    size_t bytes = KERN_SITES * sizeof(cl_uint);
    if (!opencl_find(&cl->device)) return false;
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, NULL);
    if (!cl->context) return false;
    cl->queue = clCreateCommandQueue(cl->context, cl->device, 0, NULL);
    cl->flags = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    cl_ulong memory = 0;
    size_t argument_bytes;
    clGetDeviceInfo(cl->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    if (!cl->queue || !cl->flags ||
        clGetDeviceInfo(cl->device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof argument_bytes, &argument_bytes, NULL) != CL_SUCCESS ||
        clGetDeviceInfo(cl->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof cl->units, &cl->units, NULL) != CL_SUCCESS)
        return false;
    return grid_open(&cl->grid, cl->vm, &grid_driver, cl, (GridLimits){(size_t)memory / 4, argument_bytes});
}

static void *opencl_open(Vm *vm, const BackendOptions *options) {
    OpenCl *cl = mem_zalloc(&vm->mem, sizeof *cl);
    (void)options;
    if (!cl) return NULL;
    cl->vm = vm;
    if (begin(cl)) return cl;
    opencl_close(vm, cl);
    return NULL;
}

// --- Memory --------------------------------------------------------------------------------------

// Allocates memory of the device, which the VM's limit does not count.
static bool opencl_alloc(Vm *vm, void *ctx, Buffer *buffer) {
    void *memory = grid_pool_take(&((OpenCl *)ctx)->grid.pool, buffer->bytes);
    (void)vm;
    if (!memory) return false;
    buffer->device = memory;
    buffer->valid |= PLACE_DEVICE;
    return true;
}

// Clears words of 4 bytes; the pool's memory is a multiple of 4 bytes long.
static bool opencl_clear(void *ctx, const Buffer *buffer, Event *event) {
    OpenCl *cl = ctx;
    if (cl->broken) return false;
    bool cleared = clear_memory(cl, buffer->device, (buffer->bytes + 3) / 4 * 4);
    *event = opencl_post(cl);
    return cleared;
}

static void opencl_free(Vm *vm, void *ctx, Buffer *buffer) {
    (void)vm;
    grid_pool_give(&((OpenCl *)ctx)->grid.pool, buffer->device, buffer->bytes);
    buffer->device = NULL;
    buffer->valid &= (uint8_t)~PLACE_DEVICE;
}

static bool opencl_copy(Vm *vm, void *ctx, Buffer *buffer, Place to, Event *event) {
    OpenCl *cl = ctx;
    cl_mem memory = (cl_mem)buffer->device;
    cl_int status = CL_SUCCESS;
    (void)vm;
    if (cl->broken) return false;
    if (buffer->bytes && to == PLACE_HOST)
        status = clEnqueueReadBuffer(cl->queue, memory, CL_FALSE, 0, buffer->bytes, buffer->host, 0,
                                     NULL, NULL);
    else if (buffer->bytes)
        status = clEnqueueWriteBuffer(cl->queue, memory, CL_FALSE, 0, buffer->bytes, buffer->host, 0,
                                      NULL, NULL);
    *event = opencl_post(cl);
    return status == CL_SUCCESS;
}

static bool opencl_read(Vm *vm, void *ctx, const Buffer *buffer, BufferPart part, Event *event) {
    OpenCl *cl = ctx;
    (void)vm;
    if (cl->broken) return false;
    cl_int status = clEnqueueReadBuffer(cl->queue, buffer->device, CL_FALSE, part.offset, part.bytes, part.to, 0, NULL, NULL);
    *event = opencl_post(cl);
    return status == CL_SUCCESS;
}

// Waits for the work that was posted up to the event, or for all work if the event's mark has been reused.
static bool opencl_wait(void *ctx, Event event) {
    OpenCl *cl = ctx;
    if (event <= cl->finished) return !cl->broken;
    const cl_event *mark = cl->posted - event < MARKS ? &cl->marks[event % MARKS] : NULL;
    cl_int status = mark && *mark ? clWaitForEvents(1, mark) : clFinish(cl->queue);
    if (status != CL_SUCCESS) cl->broken = true;
    cl->finished = mark && *mark ? event : cl->posted;
    return !cl->broken;
}

static int opencl_threads(void *ctx) {
    return (int)((OpenCl *)ctx)->units;
}

static const Backend backend = {
    .abi_version = BACKEND_ABI,
    .struct_size = sizeof(Backend),
    .name = "opencl",
    .place = PLACE_DEVICE,
    .lines = true,
    .least = 1 << 14,
    .open = opencl_open,
    .close = opencl_close,
    .alloc = opencl_alloc,
    .free = opencl_free,
    .clear = opencl_clear,
    .copy = opencl_copy,
    .read = opencl_read,
    .supports = opencl_supports,
    .lacks = grid_lacks,
    .build = opencl_build,
    .workspace = opencl_workspace,
    .launch = opencl_launch,
    .wait = opencl_wait,
    .threads = opencl_threads,
    .workers = opencl_threads,
    .items = opencl_items,
    .describe = opencl_describe,
};

// The symbol that the library looks up in a plug-in.
__attribute__((visibility("default"))) const Backend *nacre_backend(void);
const Backend *nacre_backend(void) {
    return &backend;
}
