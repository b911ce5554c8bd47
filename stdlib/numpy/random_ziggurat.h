// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tables of the ziggurat method. tools/ziggurat.c generates them and describes them.

#ifndef NACRE_STDLIB_NUMPY_RANDOM_ZIGGURAT_H
#define NACRE_STDLIB_NUMPY_RANDOM_ZIGGURAT_H

#include <stdint.h>

#define ZIGGURAT_TABLES(name)                                                                   \
    extern const uint64_t ziggurat_##name##_k[256];                                             \
    extern const double ziggurat_##name##_w[256], ziggurat_##name##_f[256];                     \
    extern const uint32_t ziggurat_##name##_k_float[256];                                       \
    extern const float ziggurat_##name##_w_float[256], ziggurat_##name##_f_float[256];
ZIGGURAT_TABLES(normal)
ZIGGURAT_TABLES(exponential)
#undef ZIGGURAT_TABLES

#endif
