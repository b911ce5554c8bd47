// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Thin products (A with few columns), one band of rows at a time. B is packed once for all bands,
// into the panels of own products (products_template.h). So a band can be flat enough to stay in
// the cache until its epilogue has run.

#include "backends/cpu/product/blis.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/tile/move.h"

enum { PANEL_VECTORS = 2, LEAST_VECTOR = 16 };

static int64_t panel_cols(const Cpu *cpu, DType type) {
    int64_t bytes =
        cpu->loops->vector_width > LEAST_VECTOR ? cpu->loops->vector_width : LEAST_VECTOR;
    return PANEL_VECTORS * bytes / (int64_t)dtype_size(type);
}

int thin_panels(const Cpu *cpu, DType type, int64_t cols) {
    int64_t wide = panel_cols(cpu, type);
    return (int)((cols + wide - 1) / wide);
}

static size_t panel_bytes(const Cpu *cpu, DType type, int64_t depth) {
    return (size_t)(panel_cols(cpu, type) * depth) * dtype_size(type);
}

size_t thin_workspace(const Cpu *cpu, DType type, int64_t depth, int64_t cols) {
    return panel_bytes(cpu, type, depth) * (size_t)thin_panels(cpu, type, cols);
}

void thin_pack(const Cpu *cpu, DType type, const Matrix *b, int panel, char *packed) {
    int64_t wide = panel_cols(cpu, type), left = panel * wide, size = (int64_t)dtype_size(type);
    int64_t cols = b->cols - left < wide ? b->cols - left : wide;
    char *to = packed + (size_t)panel * panel_bytes(cpu, type, b->rows);
    const char *from = b->data + left * b->col_stride;
    for (int64_t k = 0; k < b->rows; k++, to += wide * size, from += b->row_stride) {
        gather(from, b->col_stride, to, (size_t)size, (size_t)cols);
        gather(to + (cols - 1) * size, 0, to + cols * size, (size_t)size, (size_t)(wide - cols));
    }
}

// Multiplies a band of rows by the panels of B from `first` on, which give contiguous columns of C.
void thin_rows(const Cpu *cpu, DType type, const Matrix *a, const char *packed, int first,
               const Matrix *c) {
    int64_t wide = panel_cols(cpu, type), size = (int64_t)dtype_size(type);
    const char *b = packed + (size_t)first * panel_bytes(cpu, type, a->cols);
    for (int64_t left = 0; left < c->cols; left += wide, b += panel_bytes(cpu, type, a->cols)) {
        int64_t cols = c->cols - left < wide ? c->cols - left : wide;
        int64_t a_row = a->row_stride / size, a_col = a->col_stride / size,
                c_row = c->row_stride / size;
        char *to = c->data + left * size;
        if (type == DT_FLOAT64)
            cpu->loops->product_f64((const double *)a->data, a_row, a_col, (const double *)b, wide,
                                    1, (double *)to, c_row, a->rows, a->cols, cols);
        else
            cpu->loops->product_f32((const float *)a->data, a_row, a_col, (const float *)b, wide, 1,
                                    (float *)to, c_row, a->rows, a->cols, cols);
    }
}
