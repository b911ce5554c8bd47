// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// CUDA's driver and its compiler NVRTC, opened at run time. Nothing of CUDA is needed to build: these are
// prototypes of our own, under the names by which the libraries export the functions. Handles are pointers, and
// every function returns 0 if it succeeds.

#ifndef NACRE_BACKENDS_CUDA_DRIVER_H
#define NACRE_BACKENDS_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "lang/support/buf.h"

typedef unsigned long long CudaPtr; // an address in the device's memory

// X(name in the table, exported name, parameters)
#define CUDA_DRIVER(X)                                                                              \
    X(init, cuInit, (unsigned flags))                                                               \
    X(driver_version, cuDriverGetVersion, (int *version))                                           \
    X(device_count, cuDeviceGetCount, (int *count))                                                 \
    X(device_get, cuDeviceGet, (int *device, int index))                                            \
    X(device_name, cuDeviceGetName, (char *name, int size, int device))                             \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))              \
    X(device_memory, cuDeviceTotalMem_v2, (size_t *bytes, int device))                              \
    X(context_retain, cuDevicePrimaryCtxRetain, (void **context, int device))                       \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (int device))                                  \
    X(context_push, cuCtxPushCurrent_v2, (void *context))                                           \
    X(context_pop, cuCtxPopCurrent_v2, (void **context))                                            \
    X(alloc, cuMemAlloc_v2, (CudaPtr *address, size_t bytes))                                       \
    X(free, cuMemFree_v2, (CudaPtr address))                                                        \
    X(host_alloc, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                    \
    X(host_free, cuMemFreeHost, (void *memory))                                                     \
    X(to_device, cuMemcpyHtoDAsync_v2, (CudaPtr to, const void *from, size_t bytes, void *stream))  \
    X(to_host, cuMemcpyDtoHAsync_v2, (void *to, CudaPtr from, size_t bytes, void *stream))          \
    X(fill, cuMemsetD32Async, (CudaPtr to, unsigned value, size_t count, void *stream))             \
    X(stream_create, cuStreamCreate, (void **stream, unsigned flags))                               \
    X(stream_destroy, cuStreamDestroy_v2, (void *stream))                                           \
    X(stream_synchronize, cuStreamSynchronize, (void *stream))                                      \
    X(event_create, cuEventCreate, (void **event, unsigned flags))                                  \
    X(event_destroy, cuEventDestroy_v2, (void *event))                                              \
    X(event_record, cuEventRecord, (void *event, void *stream))                                     \
    X(event_synchronize, cuEventSynchronize, (void *event))                                         \
    X(event_query, cuEventQuery, (void *event))                                                     \
    X(stream_wait, cuStreamWaitEvent, (void *stream, void *event, unsigned flags))                  \
    X(module_load, cuModuleLoadData, (void **module, const void *image))                            \
    X(module_unload, cuModuleUnload, (void *module))                                                \
    X(module_function, cuModuleGetFunction, (void **function, void *module, const char *name))      \
    X(launch, cuLaunchKernel,                                                                       \
      (void *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x, \
       unsigned threads_y, unsigned threads_z, unsigned shared_bytes, void *stream, void **arguments, void **extra))
// Functions that exist since CUDA 11.2; not every device supports them.
#define CUDA_DRIVER_OPTIONAL(X)                                                   \
    X(alloc_async, cuMemAllocAsync, (CudaPtr *address, size_t bytes, void *stream)) \
    X(free_async, cuMemFreeAsync, (CudaPtr address, void *stream))

#define CUDA_NVRTC(X)                                                                                   \
    X(version, nvrtcVersion, (int *major, int *minor))                                                  \
    X(arch_count, nvrtcGetNumSupportedArchs, (int *count))                                              \
    X(archs, nvrtcGetSupportedArchs, (int *archs))                                                      \
    X(create, nvrtcCreateProgram,                                                                       \
      (void **program, const char *source, const char *name, int count, const char *const *headers,     \
       const char *const *names))                                                                       \
    X(compile, nvrtcCompileProgram, (void *program, int count, const char *const *options))             \
    X(destroy, nvrtcDestroyProgram, (void **program))                                                   \
    X(cubin_size, nvrtcGetCUBINSize, (void *program, size_t *size))                                     \
    X(cubin, nvrtcGetCUBIN, (void *program, char *image))                                               \
    X(ptx_size, nvrtcGetPTXSize, (void *program, size_t *size))                                         \
    X(ptx, nvrtcGetPTX, (void *program, char *image))

#define CUDA_MEMBER(member, symbol, parameters) int(*member) parameters;
typedef struct CudaDriver {
    void *library;
    int number; // the newest CUDA version that the driver supports: 1000 * major + 10 * minor
    CUDA_DRIVER(CUDA_MEMBER)
    CUDA_DRIVER_OPTIONAL(CUDA_MEMBER) // NULL if the driver lacks them
} CudaDriver;

typedef struct CudaNvrtc {
    void *library;
    int major, minor;
    CUDA_NVRTC(CUDA_MEMBER)
} CudaNvrtc;
#undef CUDA_MEMBER

enum { // constants of the driver's API
    CUDA_DEVICE_PROCESSORS = 16,
    CUDA_DEVICE_MAJOR = 75, // compute capability
    CUDA_DEVICE_MINOR = 76,
    CUDA_DEVICE_HAS_POOLS = 115,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_DISABLE_TIMING = 2,
};

// Opens and initialises the driver. False: there is none, or it finds no device.
bool cuda_driver_open(CudaDriver *driver);
void cuda_driver_close(CudaDriver *driver); // it need not be open
// Opens the newest NVRTC whose code a driver with this number can load. False: there is none.
bool cuda_nvrtc_open(CudaNvrtc *nvrtc, int driver_number);
void cuda_nvrtc_close(CudaNvrtc *nvrtc);
// Calls `open` with a library's name and with the paths where toolkits keep it, until it returns true. `stem`: as in
// "libnvrtc".
typedef bool CudaTry(void *context, const char *path);
bool cuda_find(const char *stem, CudaTry *open, void *context);
// Appends the lines of `nacre info`: one for each device and library, or one that says what is missing.
void cuda_describe(Buf *out);

#endif
