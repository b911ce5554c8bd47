// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Moving elements: with strides, past the cache, through an index space.

#ifndef NACRE_BACKENDS_CPU_TILE_MOVE_H
#define NACRE_BACKENDS_CPU_TILE_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An element of 16 bytes, to be moved.
typedef struct Wide {
    uint64_t halves[2];
} Wide;
void gather(const char *from, int64_t stride, void *to, size_t size, size_t n);
void scatter(const void *from, char *to, int64_t stride, size_t size, size_t n);
// Copies to memory that is not wanted in the cache. When all is copied, stream_end lets other threads
// see it.
void stream(void *to, const void *from, size_t bytes);
void stream_end(void);
// Walks the index space of dims 0 … ndim-1: adds the strides of `count` addresses. Begin with all
// indexes 0; false when every index has been visited.
bool odometer_next(int ndim, const int64_t *shape, int64_t *index, char **at,
                   const int64_t *const *strides, int count);
// From the beginning to a place, counted as odometer_next walks.
void odometer_set(int ndim, const int64_t *shape, int64_t *index, char **at,
                  const int64_t *const *strides, int count, int64_t place);

#endif
