// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Row blocking in the cpu backend (see Backend).

#ifndef NACRE_BACKENDS_CPU_TILE_BANDS_H
#define NACRE_BACKENDS_CPU_TILE_BANDS_H

#include "vm/plugin/backend.h"

int64_t cpu_band_rows(void *ctx, int64_t rows, size_t row_bytes, int64_t beside);
size_t cpu_bands_workspace(void *ctx, const Bands *bands);
void cpu_launch_bands(void *ctx, const Bands *bands, uint32_t *const *flags);

#endif
