// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Packs small operands that are strided along the inner dimension and read repeatedly, for example
// coordinates of a few points that are combined with those of many others.

#include <string.h>

#include "backends/cpu/tile/move.h"
#include "backends/cpu/tile/tile.h"

static int64_t elements(const Kernel *k) {
    int64_t n = 1;
    for (int d = 0; d < k->ndim; d++) n *= k->shape[d];
    return n;
}

// Returns the number of distinct elements of a load.
static int64_t own_elements(const Kernel *k, const KernAccess *load) {
    int64_t n = 1;
    for (int d = 0; d < k->ndim; d++)
        if (load->strides[d]) n *= k->shape[d];
    return n;
}

static bool is_worth_packing(const Kernel *k, const KernAccess *load, int64_t all) {
    enum { AGAIN = 4, BYTES_MOST = 1 << 18 };
    int64_t size = (int64_t)dtype_size(load->dtype), inner = load->strides[k->ndim - 1];
    if (inner == 0 || inner == size || k->shape[k->ndim - 1] == 1) return false;
    int64_t own = own_elements(k, load);
    return own * size <= BYTES_MOST && own <= all / AGAIN;
}

size_t pack_bytes(const Kernel *k) {
    int64_t all = -1;
    size_t bytes = 0;
    for (int i = 0; i < k->load_count; i++) {
        const KernAccess *load = &k->loads[i];
        int64_t inner = load->strides[k->ndim - 1];
        if (inner == 0 || inner == (int64_t)dtype_size(load->dtype)) continue; // the usual case
        if (all < 0) all = elements(k);
        if (is_worth_packing(k, load, all))
            bytes += aligned_bytes((size_t)own_elements(k, load) * dtype_size(load->dtype));
    }
    return bytes;
}

// Copies a load row by row, and redirects it to the copy. Returns the copy's bytes.
static size_t pack_load(const Kernel *k, KernAccess *load, char *memory) {
    int inner = k->ndim - 1, moving = 0;
    size_t size = dtype_size(load->dtype), row = (size_t)k->shape[inner] * size;
    int64_t shape[NDIM_MAX], strides[NDIM_MAX], index[NDIM_MAX] = {0};
    const int64_t *along = strides;
    for (int d = 0; d < inner; d++) {
        if (!load->strides[d]) continue;
        shape[moving] = k->shape[d];
        strides[moving++] = load->strides[d];
    }
    char *from = access_at(load), *to = memory;
    do {
        gather(from, load->strides[inner], to, size, (size_t)k->shape[inner]);
        to += row;
    } while (odometer_next(moving, shape, index, &from, &along, 1));
    int64_t stride = (int64_t)size;
    for (int d = inner; d >= 0; d--) {
        if (!load->strides[d]) continue;
        load->strides[d] = stride;
        stride *= k->shape[d];
    }
    load->base = memory;
    load->offset = 0;
    return aligned_bytes((size_t)(to - memory));
}

void pack_operands(Kernel *k) {
    int64_t all = elements(k);
    char *memory = k->workspace;
    for (int i = 0; i < k->load_count; i++)
        if (is_worth_packing(k, &k->loads[i], all)) memory += pack_load(k, &k->loads[i], memory);
    k->workspace = memory;
}
