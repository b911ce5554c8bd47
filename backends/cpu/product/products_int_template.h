// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of integer matrices and vectors. Integers wrap, so sums may be reordered. Compiled with
// the loops, once per instruction set; T is the element type, LANE the type used to multiply: bytes
// use 16-bit lanes, whose low halves are the byte results. Signed and unsigned give the same bits.
// As for floats (products_template.h), panels of B are packed, bands of rows by two vectors of
// columns of C stay in registers, and blocks of A's rows in the second-level cache.

enum { INT_DEPTH = 256, INT_ROWS = 128, INT_SUMS = 4 };

#define INT_PRODUCT(T, LANE)                                                                        \
    typedef LANE T##_wide_t __attribute__((vector_size(PRODUCT_BYTES)));                            \
    typedef T T##_part_t __attribute__((vector_size(PRODUCT_BYTES / sizeof(LANE) * sizeof(T))));    \
    enum { T##_lanes = PRODUCT_BYTES / sizeof(LANE), T##_cols = 2 * T##_lanes };                    \
    /* `rows` is a constant wherever this is inlined. */                                         \
    static inline __attribute__((always_inline)) void int_band_##T(                              \
        const T *a, int64_t a_row, int64_t a_col, const LANE *packed, T *c, int64_t c_row,          \
        int64_t depth, int rows, int64_t cols, bool more) {                                      \
        T##_wide_t sums[BAND][2] = {{{0}}}, b[2];                                                \
        for (int64_t k = 0; k < depth; k++) {                                                    \
            memcpy(b, packed + k * T##_cols, sizeof b);                                          \
            _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {                             \
                T##_wide_t x = (LANE)a[r * a_row + k * a_col] - (T##_wide_t){0};                    \
                sums[r][0] += x * b[0];                                                          \
                sums[r][1] += x * b[1];                                                          \
            }                                                                                    \
        }                                                                                        \
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {                                 \
            T row[T##_cols], *to = c + r * c_row;                                                \
            for (int v = 0; v < 2; v++) {                                                        \
                T##_part_t part = __builtin_convertvector(sums[r][v], T##_part_t);               \
                memcpy(row + v * T##_lanes, &part, sizeof part);                                 \
            }                                                                                    \
            for (int64_t j = 0; j < cols; j++) to[j] = (T)(more ? to[j] + row[j] : row[j]);      \
        }                                                                                        \
    }                                                                                            \
    static void int_pack_##T(const T *b, int64_t b_row, int64_t b_col, int64_t depth,            \
                             int64_t cols, LANE *packed) {                                          \
        bool whole = b_col == 1 && cols == T##_cols;                                             \
        for (int64_t k = 0; k < depth; k++, b += b_row, packed += T##_cols) {                    \
            if (whole)                                                                           \
                for (int64_t j = 0; j < T##_cols; j++) packed[j] = b[j];                         \
            else                                                                                 \
                for (int64_t j = 0; j < T##_cols; j++) packed[j] = j < cols ? b[j * b_col] : 0;  \
        }                                                                                        \
    }                                                                                            \
    static void int_product_##T(const void *left, int64_t a_row, int64_t a_col,                  \
                                const void *right, int64_t b_row, int64_t b_col, void *to,       \
                                int64_t c_row, int64_t all_rows, int64_t all, int64_t cols) {    \
        LANE packed[INT_DEPTH * T##_cols];                                                          \
        const T *a = left, *b = right;                                                           \
        T *c = to;                                                                               \
        for (int64_t k = 0; k == 0 || k < all; k += INT_DEPTH) {                                 \
            int64_t depth = all - k < INT_DEPTH ? all - k : INT_DEPTH;                           \
            for (int64_t top = 0; top < all_rows; top += INT_ROWS) {                             \
                int64_t rows = all_rows - top < INT_ROWS ? all_rows - top : INT_ROWS;            \
                const T *block = a + top * a_row + k * a_col;                                    \
                for (int64_t j = 0; j < cols; j += T##_cols) {                                   \
                    int64_t wide = cols - j < T##_cols ? cols - j : T##_cols;                    \
                    int_pack_##T(b + k * b_row + j * b_col, b_row, b_col, depth, wide, packed);  \
                    BY_BANDS(rows, int_band_##T(block + i * a_row, a_row, a_col, packed,         \
                                                c + (top + i) * c_row + j, c_row, depth, band,   \
                                                wide, k > 0))                                    \
                }                                                                                \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    static void int_dot_##T(const void *left, const void *right, size_t n, void *to) {           \
        T##_wide_t sums[INT_SUMS] = {{0}};                                                       \
        const T *a = left, *b = right;                                                           \
        size_t i = 0;                                                                            \
        for (; i + INT_SUMS * T##_lanes <= n; i += INT_SUMS * T##_lanes)                         \
            _Pragma("GCC unroll 4") for (size_t s = 0; s < INT_SUMS; s++) {                      \
                T##_part_t x, y;                                                                 \
                memcpy(&x, a + i + s * T##_lanes, sizeof x);                                     \
                memcpy(&y, b + i + s * T##_lanes, sizeof y);                                     \
                sums[s] += __builtin_convertvector(x, T##_wide_t) *                              \
                           __builtin_convertvector(y, T##_wide_t);                               \
            }                                                                                    \
        uint64_t sum = 0;                                                                        \
        for (; i < n; i++) sum += (uint64_t)a[i] * b[i];                                         \
        for (size_t s = 0; s < INT_SUMS; s++)                                                    \
            for (size_t j = 0; j < T##_lanes; j++) sum += sums[s][j];                            \
        *(T *)to = (T)sum;                                                                       \
    }
INT_PRODUCT(uint8_t, uint16_t)
INT_PRODUCT(uint16_t, uint16_t)
INT_PRODUCT(uint32_t, uint32_t)
INT_PRODUCT(uint64_t, uint64_t)
