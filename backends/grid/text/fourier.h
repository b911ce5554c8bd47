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
    int64_t points, first, rows; // points of a row; the rows of this call: their number, from row `first` on
    int64_t together;            // rows that a group transforms at a time
    int64_t sign;                // of the exponent
    int64_t factor;              // bit pattern of the double by which results are scaled
    int64_t ndim, extent[GRID_FOURIER_DIMS]; // the other axes
    GridFourierSide in, out;
    int64_t radix[GRID_FOURIER_PASSES], passes;
    int64_t is_packed; // two real numbers are transformed as one complex point
    // The length of transforms. Of a pass of a long row: its radix, the product of the radices of earlier passes,
    // whether it reads the operand, and whether it writes the result.
    int64_t length, own_radix, stage, is_first, is_last;
    int64_t inner_sign;
} GridFourier;

#endif
