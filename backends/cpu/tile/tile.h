// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Tiles: a kernel's body is evaluated for a run of elements that is short enough for everything in
// between to stay in the first-level cache.

#ifndef NACRE_BACKENDS_CPU_TILE_TILE_H
#define NACRE_BACKENDS_CPU_TILE_TILE_H

#include "backends/cpu/cpu.h"
#include "backends/emit/emit.h"

enum { TILE = 1024 }; // elements, at most
enum { KERN_ACCESSES = KERN_LOADS + KERN_STORES };

// How it is found out which of a kernel's sites has met float conditions.
typedef enum Telling {
    TELL_NEVER,   // nobody asks
    TELL_AT_END,  // there is only one site to name
    TELL_BY_SPAN, // spans of tiles are evaluated again, instruction by instruction, if there is a flag
    TELL_BY_TILE, // so is each tile before it is stored, as that overwrites what has been loaded
} Telling;

// An instruction, ready to be called.
typedef struct Call {
    LoopFn loop;
    VectorFn vector; // NULL: the loop does it
    VectorRun run;
    LoopFn exact;    // the op's own loop, which tells of underflow
    bool special;    // may raise, or tells of underflow beside the vector function
    uint8_t args[3]; // values; those that are not there are anything
    int8_t access;   // whose memory takes the result at once; -1: the buffer does
    char *buffer;
} Call;

// What one thread evaluates tiles with.
typedef struct Tiles {
    const Cpu *cpu;
    size_t length; // elements of a whole tile
    size_t bytes;  // of a buffer
    Telling telling;
    bool plain;    // nothing but loops is called
    bool direct[KERN_LOADS]; // loads that are used where they are
    bool streamed[KERN_STORES];
    int8_t value_access[KERN_STORES]; // where a reduction's values are: a load, or a reduction's place
    char *load_buffer[KERN_LOADS];
    size_t repeated[KERN_LOADS]; // so often a load's buffer holds its first element
    BodyFn body;   // the kernel's code, of which these instructions' results are stored; NULL: there is none
    int out_count;
    uint8_t outs[KERN_STORES];
    char params[KERN_PARAMS * PARAM_BYTES];
    Call calls[KERN_CODE];
    const void *values[KERN_VALUES];
} Tiles;

// tile_layout.c
size_t tile_length(const Cpu *cpu, const Kernel *kernel);
size_t tiles_bytes(const Cpu *cpu, const Kernel *kernel); // a multiple of BUFFER_ALIGN
Tiles *tiles_init(const Cpu *cpu, void *memory, const Kernel *kernel);

// pack.c: bytes for copies of operands that are better read side by side; makes the copies in the kernel's
// workspace, which begins behind them afterwards, and has the kernel read them.
size_t pack_bytes(const Kernel *kernel);
void pack_operands(Kernel *kernel);

// tile.c
// Computes the body for `n` elements, at most a tile, and does the stores; `at` holds the address of
// each access's first element, loads first. A reduction's store is the place, contiguous, for the values
// that are to be combined. `told`: every instruction's flags go to its site's `flags`.
void tiles_run(Tiles *tiles, const Kernel *kernel, char *const *at, size_t n, bool told, uint32_t *flags);
// Whether an op is asked for powers of integers with a negative exponent, which Python has not.
bool refuses_exponents(OpId op, DType type, const char *exponents, int64_t stride, size_t n);

// elementwise.c: kernels without a reduction; the workspace they want.
size_t elementwise_workspace(const Cpu *cpu, const Kernel *kernel);
void tile_elementwise(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
// Whether the work is enough for several threads.
bool worth_threads(const Cpu *cpu, const Kernel *kernel);
int access_count(const Kernel *kernel);
const KernAccess *access_number(const Kernel *kernel, int i); // loads first

#endif
