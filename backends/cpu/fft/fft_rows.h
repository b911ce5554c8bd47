// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Transforms of many rows (fft.c), and of a long row as many short ones (fft_long.c).

#ifndef NACRE_BACKENDS_CPU_FFT_FFT_ROWS_H
#define NACRE_BACKENDS_CPU_FFT_FFT_ROWS_H

#include "backends/cpu/cpu.h"

// Powers of exp(-2 pi i / points), as products of a coarse and a fine one; their conjugates, if `inverse`.
typedef struct FftTurn {
    int64_t points;
    int bits;             // fine powers are those below 1 << bits
    bool inverse;
    const double *coarse, *fine; // pairs of cosine and sine
} FftTurn;
static inline void fft_turn(const FftTurn *t, int64_t power, double *cosine, double *sine) {
    const double *a = t->coarse + 2 * (power >> t->bits), *b = t->fine + 2 * (power & (((int64_t)1 << t->bits) - 1));
    *cosine = a[0] * b[0] - a[1] * b[1];
    double up = a[0] * b[1] + a[1] * b[0];
    *sine = t->inverse ? -up : up;
}

// Rows of the operand or the result, in memory and in buffers.
typedef struct FftSide {
    char *at;
    size_t size;                // bytes of an element
    int64_t step, extent;       // along the axis: bytes, elements
    int64_t length;             // row elements that the plan reads or writes
    int64_t strides[NDIM_MAX];  // along the other axes
    int64_t row;                // elements between rows of a group, for the plan
    bool direct;                // the plan works directly on the array's memory
    size_t bytes;               // size of the buffer for a group
} FftSide;

typedef struct Fft {
    Job job;
    FftRows rows;           // the plan's shape: a group of rows, or one long row
    bool mirrored, inverse; // real input, so that half of the result mirrors the other half; inverse transform
    double factor;
    int ndim;               // number of other axes; the rows of a group are along the last one
    int64_t shape[NDIM_MAX];
    int64_t group, group_least; // rows of a group; minimum
    int64_t groups, line;   // total number of groups; groups along the last axis
    int parts;
    char *workspace;
    const FftTurn *turn;    // powers that elements of the result are multiplied by, before scaling; NULL: none
    FftSide in, out;
    const FftPlan *whole, *rest; // for full groups, and for the last one along an axis
} Fft;

// Chooses groups, buffers and parts. `rows`, `shape`, and the memory of both sides must be set.
void fft_layout(Fft *f, const Cpu *cpu);
size_t fft_buffers(const Cpu *cpu, const Fft *f); // bytes of workspace
void fft_run(Cpu *cpu, Fft *f, uint32_t *flags);
// Mirrors and scales rows of the result.
void fft_finish(const Fft *f, char *at, int64_t rows);

// fft_long.c: returns whether rows are transformed as many short ones, which threads share; transforms such rows.
bool fft_is_long(const Cpu *cpu, const Fft *f);
size_t fft_long_workspace(const Cpu *cpu, const Fft *f);
void fft_long_run(Cpu *cpu, const Fft *f, uint32_t *flags);

#endif
