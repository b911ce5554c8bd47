// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of Fourier transforms: rows along one axis of the operand and of the result.

#ifndef NACRE_BACKENDS_GRID_TEXT_FOURIER_H
#define NACRE_BACKENDS_GRID_TEXT_FOURIER_H

#define GRID_FOURIER_DIMS 8
#define GRID_FOURIER_LANES 128
#define GRID_FOURIER_PASSES 32

typedef struct GridFourierSide {
    int64_t offset, step, extent; // along the axis: bytes from one element to the next, elements
    int64_t steps[GRID_FOURIER_DIMS];
} GridFourierSide;

typedef struct GridFourier {
    int64_t points, first, rows; // of each row; the rows of this call, from number `first` on
    int64_t together;            // rows that a group does at a time
    int64_t sign;                // of the exponent
    int64_t factor;              // bytes of a double, which results are multiplied by
    int64_t ndim, extent[GRID_FOURIER_DIMS]; // the other axes
    GridFourierSide in, out;
    int64_t radix[GRID_FOURIER_PASSES], passes;
    int64_t is_packed; // two real numbers are a point, of `points` / 2
    // How many points are transformed. Of a pass by itself: its radix, the product of the radices before it, whether it
    // begins with the operand and ends with the result.
    int64_t length, own_radix, stage, is_first, is_last;
    int64_t inner_sign;
} GridFourier;

#endif
