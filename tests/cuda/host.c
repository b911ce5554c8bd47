// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Opening the driver.

#include "host.h"

#include <dlfcn.h>

bool driver_open(Driver *driver) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    const struct {
        void *to;
        const char *name;
    } functions[] = {
        {&driver->init, "cuInit"}, {&driver->retain, "cuDevicePrimaryCtxRetain"},
        {&driver->release, "cuDevicePrimaryCtxRelease_v2"}, {&driver->push, "cuCtxPushCurrent_v2"},
        {&driver->pop, "cuCtxPopCurrent_v2"}, {&driver->create, "cuStreamCreate"},
        {&driver->destroy, "cuStreamDestroy_v2"}, {&driver->synchronize, "cuStreamSynchronize"},
        {&driver->alloc, "cuMemAlloc_v2"}, {&driver->free, "cuMemFree_v2"},
        {&driver->to_host, "cuMemcpyDtoHAsync_v2"}, {&driver->to_device, "cuMemcpyHtoDAsync_v2"},
        {&driver->event_create, "cuEventCreate"}, {&driver->event_destroy, "cuEventDestroy_v2"},
        {&driver->event_record, "cuEventRecord"}, {&driver->event_query, "cuEventQuery"},
    };
    bool good = library;
    for (size_t i = 0; good && i < sizeof functions / sizeof *functions; i++) {
        *(void **)functions[i].to = dlsym(library, functions[i].name);
        good = *(void **)functions[i].to;
    }
    return good && driver->init(0) == 0;
}
