// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes as a .npy file: the header parser accepts only what can be read.

#include <stdlib.h>

#include "stdlib/numpy/numpy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    NpyHeader header;
    if (npy_parse((const char *)data, size, &header) != NPY_OK) return 0;
    size_t bytes = dtype_size(header.dtype);
    if (header.ndim > NDIM_MAX || header.dtype >= DT_COUNT) abort();
    for (int d = 0; d < header.ndim; d++) {
        if (header.shape[d] < 0) abort();
        if (__builtin_mul_overflow(bytes, (size_t)header.shape[d], &bytes)) abort();
    }
    if (header.data_at > size || bytes > size - header.data_at) abort();
    return 0;
}
