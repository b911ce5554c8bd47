// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Joins narrow rows.

#include "backends/cpu/tile/narrow.h"

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
