// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Moving elements: strided, past the cache, across an index space.

#ifndef NACRE_BACKENDS_CPU_TILE_MOVE_H
#define NACRE_BACKENDS_CPU_TILE_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A 16-byte element.
typedef struct Wide {
    uint64_t halves[2];
} Wide;
void gather(const char *from, int64_t stride, void *to, size_t size, size_t n);
void scatter(const void *from, char *to, int64_t stride, size_t size, size_t n);
// Copies n elements, a multiple of the width, from rows `row` bytes apart, whose elements are `column` bytes apart.
void gather_narrow(const char *from, int64_t row, int64_t column, size_t width, void *to, size_t size, size_t n);
// Copies with non-temporal stores. stream_end makes the data visible to other threads.
void stream(void *to, const void *from, size_t bytes);
void stream_end(void);
// Iterates over dims 0 … ndim-1, advancing `count` addresses by their strides. Start with all
// indices 0; false after the last index.
bool odometer_next(int ndim, const int64_t *shape, int64_t *index, char **at,
                   const int64_t *const *strides, int count);
// Advances indices and addresses from the start to position `place` of this iteration.
void odometer_set(int ndim, const int64_t *shape, int64_t *index, char **at,
                  const int64_t *const *strides, int count, int64_t place);

#endif
