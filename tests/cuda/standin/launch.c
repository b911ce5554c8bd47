// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Modules and kernels.

#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <elf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Module Module;

struct Function {
    const Module *module;
    const StandinKernel *kernel;
};

struct Module {
    void *library;
    const StandinModule *code;
    Function *functions;
    int count;
};

// --- Faults of a kernel become its failure -------------------------------------------------------------

static sigjmp_buf fault_back;
static volatile sig_atomic_t in_kernel;

static void on_fault(int signal_number, siginfo_t *info, void *context) {
    static const char text[] = "stand-in: the host touched device memory\n";
    (void)context;
    if (in_kernel) siglongjmp(fault_back, signal_number);
    if (memory_has(info->si_addr) && write(2, text, sizeof text - 1) < 0) _exit(3);
    signal(signal_number, SIG_DFL); // it happens again
}

void launch_begin(void) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static void fail(const Function *f, int result, const char *why) {
    sticky = wrong(result, "%s: %s", f->kernel->name, why);
}

void launch_run(const Launch *l) {
    const StandinKernel *k = l->function->kernel;
    for (int i = 0; i < k->count; i++) {
        Ptr *argument = l->arguments[i], address = k->pointers[i] ? *argument : 0;
        if (!address) continue;
        *argument = (Ptr)(uintptr_t)memory_moved(address);
        if (*argument) continue;
        fail(l->function, ILLEGAL_ADDRESS, "an argument points to no allocation");
        return;
    }
    if (sigsetjmp(fault_back, 1)) {
        in_kernel = 0;
        fail(l->function, ILLEGAL_ADDRESS, "it touched memory that is not there");
        return;
    }
    in_kernel = 1;
    const char *bad = k->run(l->arguments, l->grid, l->block, settings.order == REVERSE);
    in_kernel = 0;
    if (bad) fail(l->function, LAUNCH_FAILED, bad);
}

// --- Modules -----------------------------------------------------------------------------------------

static size_t image_bytes(const void *image) {
    const Elf64_Ehdr *head = image;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return 0;
    return head->e_shoff + (size_t)head->e_shentsize * head->e_shnum;
}

// Under a name of its own, as the loader knows libraries by name.
static void *load_image(const void *image, size_t bytes) {
    char path[] = "/tmp/standin-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return NULL;
    bool written = write(file, image, bytes) == (ssize_t)bytes;
    close(file);
    void *library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    return library;
}

API int cuModuleLoadData(Module **out, const void *image) {
    ENTER_WITH_CONTEXT();
    size_t bytes = image_bytes(image);
    void *library = bytes ? load_image(image, bytes) : NULL;
    const StandinModule *code = library ? dlsym(library, "standin_module") : NULL;
    if (!code) return wrong(INVALID_IMAGE, "an image that the stand-in NVRTC did not make");
    Module *m = calloc(1, sizeof *m);
    if (!m) return OUT_OF_MEMORY;
    *m = (Module){.library = library, .code = code};
    code->begin(&services);
    while (code->kernels[m->count].name) m->count++;
    m->functions = calloc((size_t)m->count + 1, sizeof *m->functions);
    for (int i = 0; m->functions && i < m->count; i++) m->functions[i] = (Function){m, &code->kernels[i]};
    live_modules++;
    *out = m;
    return OK;
}

API int cuModuleUnload(Module *m) {
    ENTER_WITH_CONTEXT();
    stream_drain_all();
    dlclose(m->library);
    free(m->functions);
    free(m);
    live_modules--;
    return OK;
}

API int cuModuleGetFunction(const Function **out, const Module *m, const char *name) {
    ENTER_WITH_CONTEXT();
    for (int i = 0; i < m->count; i++) {
        if (strcmp(m->functions[i].kernel->name, name) != 0) continue;
        *out = &m->functions[i];
        return OK;
    }
    return NOT_FOUND;
}

// --- Launches ----------------------------------------------------------------------------------------

static bool is_launchable(StandinDim grid, StandinDim block) {
    enum { SIDE = 65535, THREADS = 1024, DEPTH = 64 };
    return grid.x && grid.y && grid.z && block.x && block.y && block.z && grid.x <= INT32_MAX && grid.y <= SIDE &&
           grid.z <= SIDE && (uint64_t)block.x * block.y * block.z <= THREADS && block.z <= DEPTH;
}

// Where argument i begins, behind the addresses of all; i == count: where they end.
static size_t argument_offset(const StandinKernel *k, int i) {
    enum { ALIGN = 16 };
    size_t at = (size_t)k->count * sizeof(void *);
    at = (at + ALIGN - 1) / ALIGN * ALIGN;
    for (int a = 0; a < i; a++) at += (size_t)(k->sizes[a] + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

API int cuLaunchKernel(const Function *f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared, Stream *stream, void **arguments,
                       void **extra) {
    enum { ARGUMENTS = 4096, SHARED = 48 << 10 };
    ENTER_WITH_CONTEXT();
    const StandinKernel *k = f->kernel;
    StandinDim grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    size_t bytes = 0;
    for (int i = 0; i < k->count; i++) bytes += k->sizes[i];
    if (extra || !is_launchable(grid, block) || bytes > ARGUMENTS || f->module->code->shared_bytes + shared > SHARED)
        return wrong(INVALID_VALUE, "launch of %u %u %u blocks of %u %u %u threads, with %zu bytes of arguments", grid_x,
                     grid_y, grid_z, block_x, block_y, block_z, bytes);
    void **copies = aligned_alloc(64, (argument_offset(k, k->count) + 64) / 64 * 64);
    if (!copies) return OUT_OF_MEMORY;
    for (int i = 0; i < k->count; i++) {
        copies[i] = (char *)copies + argument_offset(k, i);
        memcpy(copies[i], arguments[i], k->sizes[i]);
    }
    return stream_put(stream, (Work){.sort = WORK_KERNEL, .launch = {f, grid, block, copies}});
}
