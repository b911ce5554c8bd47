// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What all devices have in common: a cache of programs, a pool of memory, and kernels cut into steps that are enqueued.
// A device language's plug-in provides a GridDriver.

#ifndef NACRE_BACKENDS_GRID_MACHINE_H
#define NACRE_BACKENDS_GRID_MACHINE_H

#include "backends/grid/call.h"
#include "backends/grid/pool.h"
#include "backends/grid/programs.h"
#include "vm/plugin/backend.h"

// A launch of one function of a program: numbers of groups, and of work items of a group, along the last dimension and
// along rows. The arguments are memories of the device, then `bytes` of numbers.
typedef struct GridStep {
    void *code;
    size_t groups[2], group[2];
    void *const *memories;
    int memory_count;
    const void *numbers;
    size_t bytes;
} GridStep;

// C = A @ B for a stack of matrices of real or complex floats. A matrix is stored by rows, or by columns if it is
// turned, which begin `lead` elements apart. The stack's matrices begin `step` elements apart. Operands are A, B, C.
typedef struct GridGemm {
    DType type;
    int64_t rows, cols, depth, count;
    struct GridGemmOperand {
        void *memory;
        int64_t offset, lead, step; // the offset is in bytes
        bool is_turned;
    } operand[3];
} GridGemm;

// Routines of a vendor's library for dense matrices of float64 or complex128.
typedef enum GridSolveKind {
    GRID_NOT_SOLVED,
    GRID_LU,       // a (n x n) -> its factors; pivots in b, int64_t, from 1 on
    GRID_LU_SOLVE, // a, b as GRID_LU left them; c (n x cols) -> a^-1 c; is_turned: the transpose of a
    GRID_CHOLESKY, // a, whose upper triangle is read -> U of U^H U there; the rest is undefined
    GRID_QR,       // a (rows x cols) -> R and LAPACK's reflectors; their min(rows, cols) factors in b
    GRID_QR_Q,     // a (rows x cols) with `depth` reflectors, b -> the columns of Q
    GRID_EIGH,     // a (n x n), all of it -> eigenvectors (has_vectors); eigenvalues ascending in b, real
    GRID_EIG,      // a (n x n) -> undefined; eigenvalues in b, eigenvectors in c (has_vectors), both in the format of
                   // LAPACK's geev: for a real matrix, b has n real parts, then n imaginary parts
    GRID_SVD,      // a (rows x cols, rows >= cols) -> undefined; singular values descending in b, real; U in c and V^H
                   // in d (has_vectors; is_complete: U has `rows` columns)
    GRID_SOLVES
} GridSolveKind;

// A stack of matrices, stored by columns `lead` elements apart, or of vectors. They begin `step` elements apart, the
// first one `at` elements from the memory's beginning. An element of an operand of real numbers or pivots is one of
// these.
typedef struct GridSolveOperand {
    void *memory;
    int64_t lead, step, at;
} GridSolveOperand;

typedef struct GridSolve {
    GridSolveKind kind;
    DType type;
    int64_t rows, cols, depth, count; // no extent is 0
    bool has_vectors, is_complete, is_turned;
    GridSolveOperand a, b, c, d;
    void *info; // int32_t for each matrix, set to a number other than 0 if there is no result
} GridSolve;

// Fourier transforms of rows, without a factor, from one memory to another. Points of a row are `step` elements apart,
// rows `apart` elements. The type is that of a complex number's parts.
typedef struct GridTransform {
    DType type;
    bool is_real; // the operand is real; only the first half of its transform is computed
    int sign; // of the exponent
    int64_t points, rows;
    struct GridTransformSide {
        void *memory;
        int64_t offset, step, apart; // the offset is in bytes
    } in, out;
} GridTransform;

typedef struct GridDriver {
    const char *name; // of the backend
    const Dialect *dialect;
    GridCompiler compiler;
    GridHeap heap;
    bool (*enqueue)(void *device, const GridStep *step); // false: it was not enqueued
    bool (*clear)(void *device, void *memory, size_t bytes); // enqueues zeros; a multiple of 4 bytes
    bool (*fetch)(void *device, void *memory, void *to, size_t bytes); // waits, and copies a few bytes to the host
    // Enqueues a large product with a library of the device's vendor. False: it was not enqueued, and nothing was
    // written. NULL: there is no such library.
    bool (*gemm)(void *device, const GridGemm *gemm);
    // Enqueues a factorisation, or a solution, with a library of the device's vendor. False: it was not enqueued
    // completely, and the operands are undefined. With a count of 0 it only returns whether the library has the
    // routine. NULL: there is no such library.
    bool (*solve)(void *device, const GridSolve *what);
    // Enqueues large transforms with a library of the device's vendor. False: they were not enqueued, and nothing was
    // written. NULL: there is no such library.
    bool (*transform)(void *device, const GridTransform *transform);
    size_t group;     // the most work items of a group without local memory and barriers
    bool few_groups;  // the device compiles a function anew for each shape of its groups, so few shapes are used
} GridDriver;

typedef struct GridMachine {
    const GridDriver *driver;
    void *device; // the plug-in's, which the driver's functions receive
    Vm *vm;
    GridPool pool;
    GridPrograms programs;
    size_t argument_bytes; // the most bytes of a function's arguments
} GridMachine;

// The most bytes that the pool keeps, and that the arguments of a function take.
typedef struct GridLimits {
    size_t kept, argument_bytes;
} GridLimits;

// False: no memory.
bool grid_open(GridMachine *machine, Vm *vm, const GridDriver *driver, void *device, GridLimits limits);
void grid_close(GridMachine *machine); // does nothing if the machine was not opened

const char *grid_lacks(void *ctx, OpId op); // as Backend.lacks, for a device whose driver has no `solve`
GridSolveKind grid_needs(OpId op);          // the routine of GridDriver.solve that an operation needs, if any
// As Backend.supports and Backend.build, except for AOP_HOST.
bool grid_supports(const GridMachine *machine, const Kernel *kernel);
const GridProgram *grid_build(GridMachine *machine, const Kernel *kernel);
// Returns whether the program raises flags. If so, grid_launch needs `flags`: a uint32_t for each site of the kernel,
// all zero.
bool grid_tells(const GridProgram *program);
// Enqueues the kernel. False: it was not enqueued completely.
bool grid_launch(GridMachine *machine, const Kernel *kernel, const GridProgram *program, void *flags);
// As Backend.items.
bool grid_items(GridMachine *machine, RegionItems *items);

#endif
