// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files of the CUDA plug-in.

#ifndef NACRE_BACKENDS_CUDA_CUDA_H
#define NACRE_BACKENDS_CUDA_CUDA_H

#include "backends/cpu/native/code_cache.h"
#include "backends/cuda/blas.h"
#include "backends/cuda/driver.h"
#include "backends/cuda/fourier.h"
#include "backends/cuda/solver.h"
#include "backends/grid/machine.h"
#include "vm/plugin/backend.h"

enum { CUDA_MARKS = 256, CUDA_SLOTS = 256, CUDA_FEW = 4096 }; // CUDA_FEW: the most bytes of cuda_fetch

// Where the flags of a launch are delivered once its event has happened.
typedef struct CudaReport {
    Event event;
    uint32_t *flags;
    int count;
} CudaReport;

// A driver's event, which happens when all work up to `event` is done.
typedef struct CudaMark {
    void *driver;
    Event event;
} CudaMark;

// All work goes through one stream. A kernel raises its flags in a slot of the device's memory; after a wait, the flags
// of all launches up to the event are fetched on a second stream, which does not wait for later work.
typedef struct Cuda {
    Vm *vm;
    CudaDriver driver;
    CudaNvrtc nvrtc;
    CudaBlas blas; // opened by the first large product
    CudaSolver solver; // opened by the first factorisation
    CudaFourier fourier; // opened by the first large transform
    int device, processors;
    bool has_pools; // the driver allocates in the order of a stream
    void *context;  // the device's primary one, which other libraries of the process use, too
    void *stream, *reader;
    bool is_callers; // the stream is the host program's
    CudaPtr flags;  // CUDA_SLOTS slots of KERN_SITES words, zero unless in use
    uint32_t *seen; // as many slots in pinned memory of the host, then CUDA_FEW bytes
    CudaReport reports[CUDA_SLOTS]; // by slot, a ring
    int first_report, report_count;
    CudaMark marks[CUDA_MARKS]; // a ring: mark n is at n modulo CUDA_MARKS
    uint64_t mark_count; // how many have been recorded
    void *joint; // the driver's event that orders `stream` with other streams of the process
    Event posted, finished;  // the last posted event, and the last one that is known to have happened
    bool broken;
    char arch[64];    // NVRTC's option for the architecture
    bool makes_ptx;   // NVRTC does not know the device, so it makes PTX, which the driver translates
    GridMachine grid; // its memories are CudaPtr
    CodeCache cache;
} Cuda;

// plugin.c
// cuda_enter makes the context current for this thread, cuda_leave restores the one that was current before. Functions
// of the backend call the driver between these two, so that a host's own use of CUDA is not disturbed.
bool cuda_enter(const Cuda *cuda);
void cuda_leave(const Cuda *cuda);
// Returns an event that happens when all earlier work is done. It is marked in the stream at once if `is_long`: the
// work takes longer than marking it, which the device does, too. Otherwise a later mark stands for it.
Event cuda_post(Cuda *cuda, bool is_long);

// streams.c, as in Backend
bool cuda_order(void *ctx, int64_t stream, bool theirs_first);
void cuda_retire(void *ctx);
// Reads at most CUDA_FEW bytes before it returns.
bool cuda_fetch(Cuda *cuda, const Buffer *buffer, BufferPart part, Event *event);

// flags.c
bool cuda_flags_open(Cuda *cuda);
void cuda_flags_close(Cuda *cuda);
// Takes a slot for the launch that is posted next. Returns the device's address of its flags; 0: the device is lost.
CudaPtr cuda_flags_take(Cuda *cuda, uint32_t *flags, int count);
void cuda_flags_drop(Cuda *cuda); // the launch did not happen
// Waits for the event, and delivers the flags of all launches up to it. False: the device is lost.
bool cuda_await(Cuda *cuda, Event event);
void cuda_mark(Cuda *cuda); // marks the last posted event in the stream
// Marks it unless it is marked. Called before work that takes long, or that others enqueue, is added to the stream, so
// that nobody who waits for earlier work waits for that, too.
void cuda_mark_short(Cuda *cuda);
// Returns the number of a mark that does not happen before an event; marks the last posted event if there is none.
uint64_t cuda_mark_of(Cuda *cuda, Event event);

// programs.c, as GridCompiler
bool cuda_compile(void *device, GridProgram *program, const Buf *text, const char *const *names);
void cuda_release(void *device, GridProgram *program);
bool cuda_choose_arch(Cuda *cuda); // false: NVRTC compiles for no device that old

// launch.c
bool cuda_enqueue(void *device, const GridStep *step); // as in GridDriver
bool cuda_gemm(void *device, const GridGemm *gemm); // as in GridDriver
bool cuda_solve(void *device, const GridSolve *what); // as in GridDriver
bool cuda_transform(void *device, const GridTransform *transform); // as in GridDriver
const char *cuda_lacks(void *ctx, OpId op);
Support cuda_supports(void *ctx, const Kernel *kernel);
bool cuda_build(Vm *vm, void *ctx, const Kernel *kernel, void **built);
size_t cuda_workspace(void *ctx, const Kernel *kernel);
bool cuda_items(void *ctx, RegionItems *items);
bool cuda_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event);

#endif
