// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products on devices: how a product is made, for the rows that make some.

#ifndef NACRE_BACKENDS_GRID_LIBRARY_PRODUCT_H
#define NACRE_BACKENDS_GRID_LIBRARY_PRODUCT_H

#include "backends/grid/library.h"
#include "backends/grid/text/product.h"

// Most columns, or rows, of a thin product.
enum { PRODUCT_THIN = 4 };

typedef enum ProductManner { PRODUCT_TILES, PRODUCT_ROWS, PRODUCT_COLUMNS, PRODUCT_EACH } ProductManner;

// `side`: how many results along each dimension a work item of a tile makes; columns of a thin product.
typedef struct ProductPlan {
    ProductManner manner;
    int down, across, columns;
    bool is_turned; // A and B have changed places, and rows with columns
} ProductPlan;

// Chooses the way, turns the product where that is better, and cuts it. What the arguments say about stacks and
// about the addend stays.
void product_plan(DType type, GridProduct *g, ProductPlan *plan);
size_t product_sums(DType type, const GridProduct *g); // bytes of parts of sums; 0: there are none

// Writes what `number.cl` needs for elements of the type, and that text.
void product_define_number(const Dialect *dialect, DType type, Buf *out);
bool product_has_type(const Dialect *dialect, DType type);
// Writes constants of tiles; `down` and `across` results of a work item.
void product_define_tiles(DType type, int down, int across, Buf *out);
GridMatrix product_matrix(const View *view, int64_t offset); // its last two dimensions
void product_number(DType type, Scalar scalar, int64_t word[2]);
size_t product_sum_size(DType type); // bytes of an accumulator

#endif
