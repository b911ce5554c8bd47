// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Opens CUDA's driver and NVRTC. Libraries stay loaded (RTLD_NODELETE), since the driver has threads of its own.

#define _GNU_SOURCE
#include "backends/cuda/driver.h"

#include <dlfcn.h>
#include <string.h>

#include "backends/cuda/blas.h"
#include "backends/cuda/fourier.h"
#include "backends/cuda/solver.h"

enum { FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

static void *find(void *library, const char *symbol) {
    return dlsym(library, symbol);
}

// --- The driver ------------------------------------------------------------------------------------

static bool look_up_driver(CudaDriver *d) {
    bool all = true;
#define REQUIRED(member, symbol, parameters) all &= (*(void **)&d->member = find(d->library, #symbol)) != NULL;
#define OPTIONAL(member, symbol, parameters) *(void **)&d->member = find(d->library, #symbol);
    CUDA_DRIVER(REQUIRED)
    CUDA_DRIVER_OPTIONAL(OPTIONAL)
#undef OPTIONAL
#undef REQUIRED
    return all;
}

static bool load_driver(CudaDriver *d) {
    memset(d, 0, sizeof *d);
    d->library = dlopen("libcuda.so.1", FLAGS);
    return d->library && look_up_driver(d);
}

static bool has_device(const CudaDriver *d) {
    int count = 0;
    return d->init(0) == 0 && d->device_count(&count) == 0 && count > 0;
}

void cuda_driver_close(CudaDriver *d) {
    if (d->library) dlclose(d->library);
    d->library = NULL;
}

bool cuda_driver_open(CudaDriver *d) {
    if (load_driver(d) && has_device(d) && d->driver_version(&d->number) == 0) return true;
    cuda_driver_close(d);
    return false;
}

// --- NVRTC -----------------------------------------------------------------------------------------

static bool look_up_nvrtc(CudaNvrtc *n) {
    bool all = true;
#define REQUIRED(member, symbol, parameters) all &= (*(void **)&n->member = find(n->library, #symbol)) != NULL;
    CUDA_NVRTC(REQUIRED)
#undef REQUIRED
    return all && n->version(&n->major, &n->minor) == 0;
}

void cuda_nvrtc_close(CudaNvrtc *n) {
    if (n->library) dlclose(n->library);
    n->library = NULL;
}

typedef struct Search {
    CudaNvrtc *nvrtc;
    int driver_number;
} Search;

static bool open_one(void *context, const char *path) {
    const Search *search = context;
    CudaNvrtc *n = search->nvrtc;
    memset(n, 0, sizeof *n);
    n->library = dlopen(path, FLAGS);
    if (n->library && look_up_nvrtc(n) && n->major <= search->driver_number / 1000) return true;
    cuda_nvrtc_close(n);
    return false;
}

bool cuda_nvrtc_open(CudaNvrtc *n, int driver_number) {
    Search search = {n, driver_number};
    return cuda_find("libnvrtc", open_one, &search);
}

// --- For people --------------------------------------------------------------------------------------

static void describe_device(const CudaDriver *d, const CudaNvrtc *n, int index, Buf *out) {
    enum { NAME = 256 };
    char name[NAME] = "";
    int device = 0, major = 0, minor = 0;
    d->device_get(&device, index);
    d->device_name(name, sizeof name - 1, device);
    d->device_attribute(&major, CUDA_DEVICE_MAJOR, device);
    d->device_attribute(&minor, CUDA_DEVICE_MINOR, device);
    buf_printf(out, "CUDA: %s, compute capability %d.%d, driver of CUDA %d.%d, NVRTC %d.%d\n", name, major, minor,
               d->number / 1000, d->number % 1000 / 10, n->major, n->minor);
}

static void describe_devices(const CudaDriver *d, Buf *out) {
    CudaNvrtc nvrtc;
    int count = 0;
    if (!cuda_nvrtc_open(&nvrtc, d->number)) {
        buf_printf(out, "CUDA: no NVRTC for a driver of CUDA %d.%d: install libnvrtc of CUDA's toolkit, or Python's "
                   "package nvidia-cuda-nvrtc\n", d->number / 1000, d->number % 1000 / 10);
        return;
    }
    d->device_count(&count);
    for (int i = 0; i < count; i++) describe_device(d, &nvrtc, i, out);
    cuda_blas_describe(d->number, out);
    cuda_solver_describe(d->number, out);
    cuda_fourier_describe(d->number, out);
    cuda_nvrtc_close(&nvrtc);
}

void cuda_describe(Buf *out) {
    CudaDriver driver;
    bool loaded = load_driver(&driver);
    if (!loaded)
        buf_puts(out, "CUDA: no driver (libcuda.so.1): install that of NVIDIA, of CUDA 11 or newer\n");
    else if (!has_device(&driver) || driver.driver_version(&driver.number) != 0)
        buf_puts(out, "CUDA: no device that the driver can use: nvidia-smi says more\n");
    else
        describe_devices(&driver, out);
    cuda_driver_close(&driver);
}
