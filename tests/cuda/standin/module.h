// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the stand-in driver and the modules that the stand-in NVRTC makes agree on. C and C++, without headers,
// since kernels' own texts define int64_t and the like.

#ifndef NACRE_TESTS_CUDA_STANDIN_MODULE_H
#define NACRE_TESTS_CUDA_STANDIN_MODULE_H

typedef unsigned long long StandinWide;

typedef struct StandinDim {
    unsigned x, y, z;
} StandinDim;

typedef struct StandinServices {
    // Runs `count` threads of a block as fibres; each calls body(context, thread). NULL, or what is wrong.
    const char *(*run_block)(unsigned count, void (*body)(void *context, unsigned thread), void *context);
    // __syncthreads; line: where it stands.
    void (*barrier)(int line);
} StandinServices;

// One kernel of a module.
typedef struct StandinKernel {
    const char *name; // NULL: the table's end
    int count;        // of parameters
    const unsigned short *sizes;   // bytes of each
    const unsigned char *pointers; // whether each is a pointer, which the driver moves to where the memory is
    // Runs all blocks of the grid, the last one first if `backwards`; NULL, or what went wrong.
    const char *(*run)(void *const *arguments, StandinDim grid, StandinDim block, int backwards);
} StandinKernel;

typedef struct StandinModule {
    const StandinKernel *kernels;
    StandinWide shared_bytes; // of __shared__ memory
    void (*begin)(const StandinServices *services);
} StandinModule;

#endif
