// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compiles programs. The device's code is kept on disk, in the cache of the host's machine code.

#include <stdio.h>

#include "backends/cuda/cuda.h"

// Options that keep results equal to the host's: no fused multiply-add. Divisions, roots and subnormal numbers follow
// IEEE 754 by NVRTC's defaults. Functions without a qualifier are device functions.
#define OPTIONS "--std=c++17", "--fmad=false", "-default-device", "-w"
enum { OPTION_COUNT = 4 };

// --- The architecture --------------------------------------------------------------------------------

bool cuda_choose_arch(Cuda *c) {
    enum { MOST = 256 };
    int major = 0, minor = 0, count = 0, archs[MOST], best = 0;
    if (c->driver.device_attribute(&major, CUDA_DEVICE_MAJOR, c->device) != 0 ||
        c->driver.device_attribute(&minor, CUDA_DEVICE_MINOR, c->device) != 0 || c->nvrtc.arch_count(&count) != 0 ||
        count > MOST || c->nvrtc.archs(archs) != 0)
        return false;
    const int own = 10 * major + minor;
    for (int i = 0; i < count; i++)
        if (archs[i] <= own && archs[i] > best) best = archs[i];
    c->makes_ptx = best != own;
    snprintf(c->arch, sizeof c->arch, "--gpu-architecture=%s_%d", c->makes_ptx ? "compute" : "sm", best);
    return best > 0;
}

// --- Compiling -----------------------------------------------------------------------------------------

// Compiles a text with NVRTC. Returns the code, owned. NULL: a compile error, or out of memory.
static char *image_of(Cuda *c, const char *source, size_t *size) {
    const CudaNvrtc *n = &c->nvrtc;
    const char *const options[] = {c->arch, OPTIONS};
    void *program = NULL;
    char *image = NULL;
    if (n->create(&program, source, "nacre.cu", 0, NULL, NULL) != 0) return NULL;
    bool compiled = n->compile(program, 1 + OPTION_COUNT, options) == 0 &&
                    (c->makes_ptx ? n->ptx_size : n->cubin_size)(program, size) == 0 && *size > 0;
    if (compiled) image = mem_alloc(&c->vm->mem, *size);
    if (image && (c->makes_ptx ? n->ptx : n->cubin)(program, image) != 0) {
        mem_free(&c->vm->mem, image, *size);
        image = NULL;
    }
    n->destroy(&program);
    return image;
}

static bool load(Cuda *c, GridProgram *p, const char *const *names, const char *image) {
    const CudaDriver *d = &c->driver;
    bool loaded = d->module_load(&p->module, image) == 0;
    for (int i = 0; loaded && names[i]; i++) loaded = d->module_function(&p->codes[i], p->module, names[i]) == 0;
    return loaded;
}

static CodeKey key_of(const Cuda *c, const Buf *source) {
    char version[64];
    snprintf(version, sizeof version, "NVRTC %d.%d", c->nvrtc.major, c->nvrtc.minor);
    const char *const command[] = {version, c->arch, OPTIONS, NULL};
    return code_key(source, command);
}

static bool load_kept(Cuda *c, GridProgram *p, const char *const *names, CodeKey key) {
    size_t size, skip;
    char *bytes = code_cache_read(&c->cache, key, &c->vm->mem, &size, &skip);
    if (!bytes) return false;
    bool loaded = load(c, p, names, bytes + skip);
    mem_free(&c->vm->mem, bytes, size);
    if (!loaded) cuda_release(c, p);
    return loaded;
}

bool cuda_compile(void *device, GridProgram *p, const Buf *text, const char *const *names) {
    Cuda *c = device;
    size_t size;
    CodeKey key = key_of(c, text);
    if (load_kept(c, p, names, key)) return true;
    char *image = image_of(c, text->data, &size);
    if (!image) return false;
    bool loaded = load(c, p, names, image);
    if (loaded) code_cache_write(&c->cache, key, image, size);
    mem_free(&c->vm->mem, image, size);
    return loaded;
}

// Unloads a program after waiting for all enqueued work, which may need it.
void cuda_release(void *device, GridProgram *p) {
    const Cuda *c = device;
    if (p->module && c->stream) c->driver.stream_synchronize(c->stream);
    if (p->module) c->driver.module_unload(p->module);
    p->module = NULL;
}
