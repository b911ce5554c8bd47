// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of matrix products: C = A @ B for stacks of matrices, and of further steps for each result (GEMM).

#ifndef NACRE_BACKENDS_GRID_TEXT_PRODUCT_H
#define NACRE_BACKENDS_GRID_TEXT_PRODUCT_H

#define GRID_STACK_DIMS 8
#define GRID_PRODUCT_LANES 256 // work items of a tile

// Element i, j is at offset + i * row + j * col bytes.
typedef struct GridMatrix {
    int64_t offset, row, col;
} GridMatrix;

// `steps`: bytes in A, B and C from one product to the next along each of the stacked dimensions.
typedef struct GridProduct {
    int64_t rows, cols, depth, count; // count: products of the stack
    int64_t parts, each;              // parts of each sum, and products per part
    int64_t down, across;             // tiles of a product
    int64_t lanes;                    // lanes that share a sum
    GridMatrix a, b, c, addend;
    int64_t sites[4];         // sites of the steps of KernGemm
    int64_t alpha[2], beta[2]; // the bytes of elements of the type T
    int64_t ndim, extent[GRID_STACK_DIMS], steps[3][GRID_STACK_DIMS];
} GridProduct;

#endif
