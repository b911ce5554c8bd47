// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products on devices: chooses the method of a product, for the operations that need products.

#ifndef NACRE_BACKENDS_GRID_LIBRARY_PRODUCT_H
#define NACRE_BACKENDS_GRID_LIBRARY_PRODUCT_H

#include "backends/grid/library.h"
#include "backends/grid/text/product.h"

// Most columns, or rows, of a thin product.
enum { PRODUCT_THIN = 4 };

typedef enum ProductManner { PRODUCT_TILES, PRODUCT_ROWS, PRODUCT_COLUMNS, PRODUCT_EACH } ProductManner;

// `down`, `across`: results along each dimension that a work item of a tile computes; `columns`: of a thin product.
typedef struct ProductPlan {
    ProductManner manner;
    int down, across, columns;
    bool is_turned; // A and B have changed places, and rows with columns
} ProductPlan;

// Chooses the method, transposes the product if that is better (with its addend and the steps of the stack), and cuts
// it into work items.
void product_plan(DType type, GridProduct *g, ProductPlan *plan);
size_t product_sums(DType type, const GridProduct *g); // bytes of partial sums; 0: sums have one part

// Writes the definitions that number.cl needs for elements of the type, and then number.cl.
void product_define_number(const Dialect *dialect, DType type, Buf *out);
bool product_has_type(const Dialect *dialect, DType type);
// Writes the constants of product_tiles.cl for a work item with `down` by `across` results.
void product_define_tiles(DType type, int down, int across, Buf *out);
GridMatrix product_matrix(const View *view, int64_t offset); // the view's last two dimensions
void product_number(DType type, Scalar scalar, int64_t word[2]);
size_t product_sum_size(DType type); // bytes of an accumulator

#endif
