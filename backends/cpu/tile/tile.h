// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Tiles: runs of elements short enough that all intermediate values of a kernel's body stay in the
// first-level cache.

#ifndef NACRE_BACKENDS_CPU_TILE_TILE_H
#define NACRE_BACKENDS_CPU_TILE_TILE_H

#include "backends/cpu/cpu.h"
#include "backends/cpu/tile/narrow.h"
#include "backends/emit/emit.h"

enum { TILE = 1024 }; // maximum elements
enum { KERN_ACCESSES = KERN_LOADS + KERN_STORES };

// How float flags are attributed to a kernel's sites.
typedef enum Telling {
    TELL_NEVER,   // not needed
    TELL_AT_END,  // there is only one site
    TELL_BY_SPAN, // reruns a span of tiles per instruction if a flag is raised
    TELL_BY_TILE, // the same for each tile, before its stores overwrite the loads
} Telling;

// An instruction, resolved to the function to call.
typedef struct Call {
    LoopFn loop;
    VectorFn vector; // NULL: `loop` is called
    VectorRun run;
    LoopFn exact;    // the op's own loop, which reports underflow
    bool special;    // may raise an error, or must report underflow in addition to the vector
                     // function
    uint8_t args[3]; // values; unused ones are arbitrary
    int8_t access;   // store that receives the result directly; -1: a buffer
    char *buffer;
} Call;

// One thread's state for evaluating tiles.
typedef struct Tiles {
    const Cpu *cpu;
    size_t length; // elements of a full tile
    size_t bytes;  // size of a buffer
    Telling telling;
    bool plain;    // only plain loops are called
    bool direct[KERN_LOADS]; // loads that are used in place
    const KernLines *lines[KERN_LOADS]; // of computed loads; otherwise NULL
    const NarrowRows *rows; // narrow rows that the kernel's were joined from, or NULL
    bool streamed[KERN_STORES];
    int8_t value_access[KERN_STORES]; // which access holds a reduction's values: a load or a store
    char *load_buffer[KERN_LOADS];
    size_t repeated[KERN_LOADS]; // how many times a load's buffer holds its first element
    BodyFn body;   // machine code that computes the stored values; NULL: none
    int out_count;
    uint8_t outs[KERN_STORES];
    char params[KERN_PARAMS * PARAM_BYTES];
    Call calls[KERN_CODE];
    const void *values[KERN_VALUES];
} Tiles;

// tile_layout.c; `rows`: narrow rows that the kernel's rows were joined from, or NULL. A tile has whole ones.
size_t tile_length(const Cpu *cpu, const Kernel *kernel, const NarrowRows *rows);
size_t tiles_bytes(const Cpu *cpu, const Kernel *kernel, const NarrowRows *rows); // a multiple of BUFFER_ALIGN
Tiles *tiles_init(const Cpu *cpu, void *memory, const Kernel *kernel, const NarrowRows *rows);

// pack.c: pack_bytes returns the bytes of packed copies of operands. pack_operands makes the copies at the start of
// the kernel's workspace, which shrinks by them, and redirects the loads.
size_t pack_bytes(const Kernel *kernel);
void pack_operands(Kernel *kernel);

// tile.c: computes the body for `n` elements, at most a tile, and its stores. `at` holds the first
// address of each access, loads first. For a reduction it is the address at which the values to combine are stored,
// contiguously. `by_site`: runs instruction by instruction and records the flags of each at its site.
void tiles_run(Tiles *tiles, const Kernel *kernel, char *const *at, size_t n, bool by_site, uint32_t *flags);
// Returns whether an integer power has a negative exponent, which NumPy refuses.
bool refuses_exponents(OpId op, DType type, const char *exponents, int64_t stride, size_t n);

// elementwise.c: runs kernels without reductions, and returns the bytes of their workspace.
size_t elementwise_workspace(const Cpu *cpu, const Kernel *kernel);
void tile_elementwise(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
// Returns whether there is enough work for several threads.
bool worth_threads(const Cpu *cpu, const Kernel *kernel);
int access_count(const Kernel *kernel);
const KernAccess *access_number(const Kernel *kernel, int i); // loads first

#endif
