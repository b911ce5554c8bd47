// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Small matrix products and dot products, for which a BLIS call costs more than the work. Compiled
// with the loops, once per instruction set; sums use fused multiply-adds where available, as in
// every BLAS, so last bits may depend on the processor.
// A panel of columns of B is packed; C is computed in bands of rows by two vectors of columns,
// whose sums stay in registers (Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008, without the levels for large matrices).

#ifdef VECTOR_BYTES
#define PRODUCT_BYTES VECTOR_BYTES
#else
#define PRODUCT_BYTES 16
#endif
#if PRODUCT_BYTES == 64
#include <immintrin.h>
#define FUSED_double(x, y, z) (double_lanes_t)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z))
#define FUSED_float(x, y, z) (float_lanes_t)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(z))
#define LESS_double(x, y, z) (double_lanes_t)_mm512_fnmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z))
#define LESS_float(x, y, z) (float_lanes_t)_mm512_fnmadd_ps((__m512)(x), (__m512)(y), (__m512)(z))
#elif PRODUCT_BYTES == 32
#include <immintrin.h>
#define FUSED_double(x, y, z) (double_lanes_t)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z))
#define FUSED_float(x, y, z) (float_lanes_t)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(z))
#define LESS_double(x, y, z) (double_lanes_t)_mm256_fnmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z))
#define LESS_float(x, y, z) (float_lanes_t)_mm256_fnmadd_ps((__m256)(x), (__m256)(y), (__m256)(z))
#else
#define FUSED_double(x, y, z) ((x) * (y) + (z))
#define FUSED_float(x, y, z) ((x) * (y) + (z))
#define LESS_double(x, y, z) ((z) - (x) * (y))
#define LESS_float(x, y, z) ((z) - (x) * (y))
#endif

// Rows of C that are computed together: as many as registers allow.
#if PRODUCT_BYTES == 64
enum { BAND = 8 };
#else
enum { BAND = 4 };
#endif
enum { DOT_SUMS = 8, DEPTH_MAX = 256, COMPLEX_DEPTH = 128, COMPLEX_ROWS = 256, RESIDENT_BYTES = 1 << 15 };

// Covers rows with bands, then smaller bands: BY_BANDS(rows, call), where `call` uses `i`, the
// first row, and the constant `band`.
#define ONE_BAND(rows, count, call)       \
    if (rows - i >= (count)) {            \
        enum { band = (count) };          \
        call;                             \
        i += band;                        \
    }
#define BY_BANDS(rows, call)              \
    int64_t i = 0;                        \
    while (rows - i >= BAND) ONE_BAND(rows, BAND, call) \
    if (BAND > 4) ONE_BAND(rows, 4, call) \
    ONE_BAND(rows, 2, call)               \
    ONE_BAND(rows, 1, call)

#define SMALL_PRODUCT(T)                                                                         \
    typedef T T##_lanes_t __attribute__((vector_size(PRODUCT_BYTES)));                           \
    enum { T##_width = PRODUCT_BYTES / sizeof(T), T##_panel = 2 * T##_width };                   \
    /* `rows` is a constant wherever this is inlined. */                                         \
    static inline __attribute__((always_inline)) void band_##T(                                  \
        const T *a, int64_t a_row, int64_t a_col, const T *from, int64_t from_row, T *c,         \
        int64_t c_row, int64_t depth, int rows, size_t cols, bool more) {                        \
        T##_lanes_t sums[BAND][2] = {{{0}}}, b[2];                                               \
        T row[T##_panel] = {0};                                                                  \
        bool whole = cols == T##_panel;                                                          \
        if (more)                                                                                \
            _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {                             \
                memcpy(row, c + r * c_row, cols * sizeof(T));                                    \
                memcpy(sums[r], row, sizeof row);                                                \
            }                                                                                    \
        for (int64_t k = 0; k < depth; k++) {                                                    \
            memcpy(&b[0], from + k * from_row, sizeof b[0]);                                     \
            memcpy(&b[1], from + k * from_row + T##_width, sizeof b[1]);                         \
            _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {                             \
                T##_lanes_t x = a[r * a_row + k * a_col] - (T##_lanes_t){0};                     \
                sums[r][0] = FUSED_##T(x, b[0], sums[r][0]);                                     \
                sums[r][1] = FUSED_##T(x, b[1], sums[r][1]);                                     \
            }                                                                                    \
        }                                                                                        \
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {                                 \
            if (whole) {                                                                         \
                memcpy(c + r * c_row, &sums[r][0], sizeof sums[r][0]);                           \
                memcpy(c + r * c_row + T##_width, &sums[r][1], sizeof sums[r][1]);               \
                continue;                                                                        \
            }                                                                                    \
            memcpy(row, sums[r], sizeof row);                                                    \
            memcpy(c + r * c_row, row, cols * sizeof(T));                                        \
        }                                                                                        \
    }                                                                                            \
    /* Columns beyond the last repeat it, and so raise no flags but those of the product. */     \
    static void pack_##T(const T *b, int64_t b_row, int64_t b_col, int64_t depth, int64_t cols,  \
                         T *packed) {                                                            \
        for (int64_t k = 0; k < depth; k++)                                                      \
            for (int64_t j = 0; j < T##_panel; j++)                                              \
                packed[k * T##_panel + j] = b[k * b_row + (j < cols ? j : cols - 1) * b_col];    \
    }                                                                                            \
    /* C = A @ B, or C += A @ B, for a depth that fits the panel. Few rows, and a B that stays in \
       the cache, are not worth the packing. */                                                  \
    static void slice_##T(const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row,   \
                          int64_t b_col, T *c, int64_t c_row, int64_t rows, int64_t depth,       \
                          int64_t cols, bool more) {                                             \
        T packed[DEPTH_MAX * T##_panel];                                                         \
        bool resident = depth * b_row * (int64_t)sizeof(T) <= RESIDENT_BYTES && b_row > 0;       \
        for (int64_t j = 0; j < cols; j += T##_panel) {                                          \
            int64_t wide = cols - j < T##_panel ? cols - j : T##_panel;                          \
            bool direct = b_col == 1 && wide == T##_panel && (resident || rows <= BAND);         \
            const T *from = direct ? b + j : packed;                                             \
            int64_t from_row = direct ? b_row : T##_panel;                                       \
            if (!direct) pack_##T(b + j * b_col, b_row, b_col, depth, wide, packed);             \
            BY_BANDS(rows, band_##T(a + i * a_row, a_row, a_col, from, from_row,                 \
                                    c + i * c_row + j, c_row, depth, band, (size_t)wide, more))  \
        }                                                                                        \
    }                                                                                            \
    static void product_##T(const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row, \
                            int64_t b_col, T *c, int64_t c_row, int64_t rows, int64_t depth,     \
                            int64_t cols) {                                                      \
        for (int64_t k = 0; k == 0 || k < depth; k += DEPTH_MAX)                                 \
            slice_##T(a + k * a_col, a_row, a_col, b + k * b_row, b_row, b_col, c, c_row, rows,  \
                      depth - k < DEPTH_MAX ? depth - k : DEPTH_MAX, cols, k > 0);               \
    }                                                                                            \
    /* Complex product: elements are (re, im) pairs, and strides count reals (T). A packed panel \
       has two SIMD vectors per row: the real parts of its columns, then the imaginary parts. */ \
    static inline __attribute__((always_inline)) void complex_band_##T(                          \
        const T *a, int64_t a_row, int64_t a_col, const T *packed, T *c, int64_t c_row,          \
        int64_t depth, int rows, int64_t cols, bool more) {                                      \
        T##_lanes_t re[BAND] = {{0}}, im[BAND] = {{0}}, b[2];                                    \
        for (int64_t k = 0; k < depth; k++) {                                                    \
            memcpy(&b[0], packed + k * T##_panel, sizeof b[0]);                                  \
            memcpy(&b[1], packed + k * T##_panel + T##_width, sizeof b[1]);                      \
            _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {                             \
                T##_lanes_t x = a[r * a_row + k * a_col] - (T##_lanes_t){0};                     \
                T##_lanes_t y = a[r * a_row + k * a_col + 1] - (T##_lanes_t){0};                 \
                re[r] = FUSED_##T(x, b[0], re[r]);                                               \
                im[r] = FUSED_##T(x, b[1], im[r]);                                               \
                re[r] = LESS_##T(y, b[1], re[r]);                                                \
                im[r] = FUSED_##T(y, b[0], im[r]);                                               \
            }                                                                                    \
        }                                                                                        \
        T parts[2][T##_width];                                                                   \
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {                                 \
            T *to = c + r * c_row;                                                               \
            memcpy(parts[0], &re[r], sizeof re[r]);                                              \
            memcpy(parts[1], &im[r], sizeof im[r]);                                              \
            for (int64_t j = 0; j < cols; j++) {                                                 \
                to[2 * j] = more ? to[2 * j] + parts[0][j] : parts[0][j];                        \
                to[2 * j + 1] = more ? to[2 * j + 1] + parts[1][j] : parts[1][j];                \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    static void complex_pack_##T(const T *b, int64_t b_row, int64_t b_col, int64_t depth,        \
                                 int64_t cols, T *packed) {                                      \
        for (int64_t k = 0; k < depth; k++, packed += T##_panel)                                 \
            for (int64_t j = 0; j < T##_width; j++) {                                            \
                const T *from = b + k * b_row + (j < cols ? j : cols - 1) * b_col;               \
                packed[j] = from[0];                                                             \
                packed[T##_width + j] = from[1];                                                 \
            }                                                                                    \
    }                                                                                            \
    /* Multiplies slices of the depth; blocks of A's rows stay in the second-level cache. */     \
    static void complex_product_##T(const T *a, int64_t a_row, int64_t a_col, const T *b,        \
                                    int64_t b_row, int64_t b_col, T *c, int64_t c_row,           \
                                    int64_t all_rows, int64_t depth, int64_t cols) {             \
        T packed[COMPLEX_DEPTH * T##_panel];                                                     \
        for (int64_t k = 0; k == 0 || k < depth; k += COMPLEX_DEPTH) {                           \
            int64_t deep = depth - k < COMPLEX_DEPTH ? depth - k : COMPLEX_DEPTH;                \
            for (int64_t top = 0; top < all_rows; top += COMPLEX_ROWS) {                         \
                int64_t rows = all_rows - top < COMPLEX_ROWS ? all_rows - top : COMPLEX_ROWS;    \
                const T *block = a + top * a_row + k * a_col;                                    \
                for (int64_t j = 0; j < cols; j += T##_width) {                                  \
                    int64_t wide = cols - j < T##_width ? cols - j : T##_width;                  \
                    complex_pack_##T(b + k * b_row + j * b_col, b_row, b_col, deep, wide, packed); \
                    BY_BANDS(rows, complex_band_##T(block + i * a_row, a_row, a_col, packed,     \
                                                    c + (top + i) * c_row + 2 * j, c_row, deep,  \
                                                    band, wide, k > 0))                          \
                }                                                                                \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    /* Dot product of contiguous vectors, in 8 vectors of sums that are added pairwise. */       \
    static T dot_##T(const T *a, const T *b, size_t n) {                                         \
        T##_lanes_t sums[DOT_SUMS] = {{0}}, x, y;                                                \
        size_t i = 0;                                                                            \
        for (; i + DOT_SUMS * T##_width <= n; i += DOT_SUMS * T##_width)                         \
            _Pragma("GCC unroll 8") for (size_t s = 0; s < DOT_SUMS; s++) {                      \
                memcpy(&x, a + i + s * T##_width, sizeof x);                                     \
                memcpy(&y, b + i + s * T##_width, sizeof y);                                     \
                sums[s] = FUSED_##T(x, y, sums[s]);                                              \
            }                                                                                    \
        for (size_t half = DOT_SUMS / 2; half > 0; half /= 2)                                    \
            for (size_t s = 0; s < half; s++) sums[s] += sums[s + half];                         \
        T rest = 0, sum = 0;                                                                     \
        for (; i < n; i++) rest += a[i] * b[i];                                                  \
        for (size_t j = 0; j < T##_width; j++) sum += sums[0][j];                                \
        return sum + rest;                                                                       \
    }
SMALL_PRODUCT(float)
SMALL_PRODUCT(double)
