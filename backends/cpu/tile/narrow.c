// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Joins narrow rows.

#include "backends/cpu/tile/narrow.h"

#include <string.h>

#include "backends/cpu/tile/move.h"

// Elements of the widest row that is joined. Wider ones fill a good part of a tile by themselves.
enum { WIDEST = 128 };

// Finds dimensions of the results that are contiguous with each other: `narrow` has a stride of one element. False:
// there are none.
static bool find_dims(const Kernel *k, int *outer, int *narrow) {
    const KernAccess *to = &k->stores[0].to;
    int64_t size = (int64_t)dtype_size(to->dtype);
    *outer = *narrow = -1;
    for (int d = 0; d < k->ndim; d++)
        if (to->strides[d] == size) *narrow = d;
    if (*narrow < 0 || k->shape[*narrow] > WIDEST) return false;
    for (int d = 0; d < k->ndim; d++)
        if (d != *narrow && to->strides[d] == size * k->shape[*narrow]) *outer = d;
    return *outer >= 0;
}

static bool is_contiguous(const KernAccess *access, int outer, int narrow, int64_t width) {
    int64_t size = (int64_t)dtype_size(access->dtype);
    return access->strides[narrow] == size && access->strides[outer] == size * width;
}

static bool stores_contiguous(const Kernel *k, int outer, int narrow) {
    for (int s = 0; s < k->store_count; s++)
        if (!is_contiguous(&k->stores[s].to, outer, narrow, k->shape[narrow])) return false;
    return true;
}

static void join_load(KernAccess *load, const Kernel *k, int i, NarrowRows *rows) {
    int outer = k->ndim - 2, narrow = k->ndim - 1;
    rows->row[i] = load->strides[outer];
    rows->column[i] = load->strides[narrow];
    rows->by_rows[i] = load->strides[outer] != load->strides[narrow] * rows->width;
    load->strides[outer] = rows->by_rows[i] ? (int64_t)dtype_size(load->dtype) : load->strides[narrow];
}

bool narrow_join(const Kernel *k, Kernel *joined, NarrowRows *rows) {
    enum { LEAST = 4 }; // rows
    int outer, narrow, last = k->ndim - 1;
    if (k->ndim < 2 || k->reduction_count || k->lines_count || !find_dims(k, &outer, &narrow)) return false;
    if (k->shape[outer] < LEAST || !stores_contiguous(k, outer, narrow)) return false;
    kernel_copy(joined, k);
    if (narrow != last) kernel_swap_dims(joined, narrow, last);
    if (outer == last) outer = narrow;
    if (outer != last - 1) kernel_swap_dims(joined, outer, last - 1);
    rows->width = joined->shape[last];
    for (int i = 0; i < joined->load_count; i++) join_load(&joined->loads[i], joined, i, rows);
    for (int s = 0; s < joined->store_count; s++) {
        int64_t *strides = joined->stores[s].to.strides;
        strides[last - 1] = strides[last];
    }
    joined->shape[last - 1] *= rows->width;
    joined->ndim--;
    return true;
}

// --- Loads -------------------------------------------------------------------------------------

// Defines a copy of rows.
#define COPIES(name, T)                                                                                       \
    static inline __attribute__((always_inline)) void some_##name(const char *from, int64_t row, int64_t column, \
                                                                  size_t width, void *to, size_t n) {         \
        T *out = to;                                                                                          \
        for (size_t i = 0; i < n; i += width, from += row)                                                    \
            for (size_t j = 0; j < width; j++) out[i + j] = *(const T *)(from + (int64_t)j * column);         \
    }
COPIES(8, uint8_t)
COPIES(16, uint16_t)
COPIES(32, uint32_t)
COPIES(64, uint64_t)
COPIES(128, Wide)

// Rows of the usual sizes of elements, compiled for the narrowest rows, whose loops would cost more than their elements,
// and for elements that are repeated or contiguous.
#define ROWS(name, T)                                                                                          \
    static void rows_##name(const char *from, int64_t row, int64_t column, size_t width, void *to, size_t n) { \
        if (width == 2) some_##name(from, row, column, 2, to, n);                                             \
        else if (width == 3) some_##name(from, row, column, 3, to, n);                                        \
        else if (column == 0) some_##name(from, row, 0, width, to, n);                                        \
        else if (column == sizeof(T)) some_##name(from, row, sizeof(T), width, to, n);                        \
        else some_##name(from, row, column, width, to, n);                                                    \
    }
ROWS(32, uint32_t)
ROWS(64, uint64_t)

void narrow_load(const NarrowRows *rows, int i, size_t size, const char *from, char *to, size_t n) {
    int64_t row = rows->row[i], column = rows->column[i];
    size_t width = (size_t)rows->width;
    switch (size) {
    case 1: some_8(from, row, column, width, to, n); break;
    case 2: some_16(from, row, column, width, to, n); break;
    case 4: rows_32(from, row, column, width, to, n); break;
    case 8: rows_64(from, row, column, width, to, n); break;
    default: some_128(from, row, column, width, to, n); break;
    }
}
