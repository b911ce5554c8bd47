// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What every device has: programs, memory, and kernels that are cut and enqueued. A device language's plug-in
// provides a GridDriver; all else is common.

#ifndef NACRE_BACKENDS_GRID_MACHINE_H
#define NACRE_BACKENDS_GRID_MACHINE_H

#include "backends/grid/call.h"
#include "backends/grid/pool.h"
#include "backends/grid/programs.h"
#include "vm/plugin/backend.h"

// One function of a program on so many groups of work items, along the last dimension and along rows. Its
// arguments are memories of the device, then `bytes` of numbers.
typedef struct GridStep {
    void *code;
    size_t groups[2], group[2];
    void *const *memories;
    int memory_count;
    const void *numbers;
    size_t bytes;
} GridStep;

// C = A @ B for a stack of matrices of real or complex floats. A matrix is in rows `lead` elements apart, or in columns
// if it is turned; the next one of the stack is `step` elements on. Operands are A, B, C.
typedef struct GridGemm {
    DType type;
    int64_t rows, cols, depth, count;
    struct GridGemmOperand {
        void *memory;
        int64_t offset, lead, step; // the offset is in bytes
        bool is_turned;
    } operand[3];
} GridGemm;

typedef struct GridDriver {
    const char *name; // of the backend
    const Dialect *dialect;
    GridCompiler compiler;
    GridHeap heap;
    bool (*enqueue)(void *device, const GridStep *step); // false: it was not
    bool (*clear)(void *device, void *memory, size_t bytes); // enqueues zeros; a multiple of 4 bytes
    // Enqueues a large product with a library of the device's vendor. False: it was not, and nothing was written. NULL:
    // there is no such library.
    bool (*gemm)(void *device, const GridGemm *gemm);
    size_t group;     // work items of a group whose items share nothing, at most
    bool few_groups;  // a function is compiled anew for each shape of its groups, so there are few
} GridDriver;

typedef struct GridMachine {
    const GridDriver *driver;
    void *device; // the plug-in's, which the driver's functions receive
    Vm *vm;
    GridPool pool;
    GridPrograms programs;
    size_t argument_bytes; // of one function, at most
} GridMachine;

// The most bytes that the pool keeps, and that the arguments of a function take.
typedef struct GridLimits {
    size_t kept, argument_bytes;
} GridLimits;

bool grid_open(GridMachine *machine, Vm *vm, const GridDriver *driver, void *device, GridLimits limits); // false: no memory
void grid_close(GridMachine *machine); // also what was not opened

const char *grid_lacks(OpId op); // as Backend.lacks
// As Backend.supports and Backend.build, but for AOP_HOST.
bool grid_supports(const GridMachine *machine, const Kernel *kernel);
const GridProgram *grid_build(GridMachine *machine, const Kernel *kernel);
// Whether the program raises flags: a uint32_t for each site of the kernel, which are zero before.
bool grid_tells(const GridProgram *program);
// Enqueues the kernel. False: not all of it was.
bool grid_launch(GridMachine *machine, const Kernel *kernel, const GridProgram *program, void *flags);

#endif
