// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Moving elements between arrays and tiles.

#include "backends/cpu/cpu.h"
#include "backends/cpu/tile/move.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

// --- With strides ------------------------------------------------------------------------------

#define STRIDED(name, T)                                                           \
    static void gather_##name(const char *from, int64_t stride, void *to, size_t n) { \
        T *out = to;                                                               \
        if (stride == 0 && n > 0) {                                                \
            const T first = *(const T *)from;                                      \
            for (size_t i = 0; i < n; i++) out[i] = first;                         \
        } else if (stride == -(int64_t)sizeof(T)) {                                \
            const T *last = (const T *)from;                                       \
            for (size_t i = 0; i < n; i++) out[i] = last[-(int64_t)i];             \
        } else                                                                     \
            for (size_t i = 0; i < n; i++, from += stride) out[i] = *(const T *)from; \
    }                                                                              \
    static void scatter_##name(const void *from, char *to, int64_t stride, size_t n) { \
        const T *in = from;                                                        \
        for (size_t i = 0; i < n; i++, to += stride) *(T *)to = in[i];             \
    }
STRIDED(8, uint8_t)
STRIDED(16, uint16_t)
STRIDED(32, uint32_t)
STRIDED(64, uint64_t)
STRIDED(128, Wide)

void gather(const char *from, int64_t stride, void *to, size_t size, size_t n) {
    if (stride == (int64_t)size) {
        memcpy(to, from, n * size);
        return;
    }
    switch (size) {
    case 1: gather_8(from, stride, to, n); break;
    case 2: gather_16(from, stride, to, n); break;
    case 4: gather_32(from, stride, to, n); break;
    case 8: gather_64(from, stride, to, n); break;
    default: gather_128(from, stride, to, n); break;
    }
}

void scatter(const void *from, char *to, int64_t stride, size_t size, size_t n) {
    if (stride == (int64_t)size) {
        memmove(to, from, n * size);
        return;
    }
    switch (size) {
    case 1: scatter_8(from, to, stride, n); break;
    case 2: scatter_16(from, to, stride, n); break;
    case 4: scatter_32(from, to, stride, n); break;
    case 8: scatter_64(from, to, stride, n); break;
    default: scatter_128(from, to, stride, n); break;
    }
}

// --- By rows -----------------------------------------------------------------------------------

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

void gather_narrow(const char *from, int64_t row, int64_t column, size_t width, void *to, size_t size, size_t n) {
    switch (size) {
    case 1: some_8(from, row, column, width, to, n); break;
    case 2: some_16(from, row, column, width, to, n); break;
    case 4: rows_32(from, row, column, width, to, n); break;
    case 8: rows_64(from, row, column, width, to, n); break;
    default: some_128(from, row, column, width, to, n); break;
    }
}

// --- Positions ---------------------------------------------------------------------------------

bool odometer_next(int ndim, const int64_t *shape, int64_t *index, char **at,
                   const int64_t *const *strides, int count) {
    for (int d = ndim - 1; d >= 0; d--) {
        if (++index[d] < shape[d]) {
            for (int i = 0; i < count; i++) at[i] += strides[i][d];
            return true;
        }
        index[d] = 0;
        for (int i = 0; i < count; i++) at[i] -= strides[i][d] * (shape[d] - 1);
    }
    return false;
}

void odometer_set(int ndim, const int64_t *shape, int64_t *index, char **at,
                  const int64_t *const *strides, int count, int64_t place) {
    for (int d = ndim - 1; d >= 0; place /= shape[d], d--) {
        index[d] = place % shape[d];
        for (int i = 0; i < count; i++) at[i] += index[d] * strides[i][d];
    }
}

// --- Past the cache ----------------------------------------------------------------------------

// Writes whole cache lines with non-temporal stores, which avoid reading them first; the ends are
// stored normally.
void stream(void *to, const void *from, size_t bytes) {
#if defined(__x86_64__)
    enum { LINE = 64 };
    char *out = to;
    const char *in = from;
    size_t head = -(uintptr_t)out % LINE;
    if (head > bytes) head = bytes;
    memcpy(out, in, head);
    for (out += head, in += head, bytes -= head; bytes >= LINE; out += LINE, in += LINE, bytes -= LINE)
        for (int i = 0; i < LINE; i += 16)
            _mm_stream_si128((__m128i *)(out + i), _mm_loadu_si128((const __m128i *)(in + i)));
    memcpy(out, in, bytes);
#else
    memcpy(to, from, bytes);
#endif
}

void stream_end(void) {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}
