// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Small products of one type: a template, included by products_template.h.
// T: float or double
// NAME(f): name of a function for T
// OF(x): name of a type or constant for T

typedef T OF(lanes_t) __attribute__((vector_size(PRODUCT_BYTES)));
enum { OF(width) = PRODUCT_BYTES / sizeof(T), OF(panel) = 2 * OF(width) };

// `rows` is a constant wherever this is inlined.
static inline __attribute__((always_inline)) void NAME(band)(
    const T *a, int64_t a_row, int64_t a_col, const T *from, int64_t from_row, T *c, int64_t c_row, int64_t depth,
    int rows, size_t cols, bool more) {
    OF(lanes_t) sums[BAND][2] = {{{0}}}, b[2];
    T row[OF(panel)] = {0};
    bool whole = cols == OF(panel);
    if (more)
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
            memcpy(row, c + r * c_row, cols * sizeof(T));
            memcpy(sums[r], row, sizeof row);
        }
    for (int64_t k = 0; k < depth; k++) {
        memcpy(&b[0], from + k * from_row, sizeof b[0]);
        memcpy(&b[1], from + k * from_row + OF(width), sizeof b[1]);
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
            OF(lanes_t) x = a[r * a_row + k * a_col] - (OF(lanes_t)){0};
            sums[r][0] = NAME(FUSED)(x, b[0], sums[r][0]);
            sums[r][1] = NAME(FUSED)(x, b[1], sums[r][1]);
        }
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
        if (whole) {
            memcpy(c + r * c_row, &sums[r][0], sizeof sums[r][0]);
            memcpy(c + r * c_row + OF(width), &sums[r][1], sizeof sums[r][1]);
            continue;
        }
        memcpy(row, sums[r], sizeof row);
        memcpy(c + r * c_row, row, cols * sizeof(T));
    }
}

// Columns beyond the last repeat it, and so raise no flags but those of the product.
static void NAME(pack)(const T *b, int64_t b_row, int64_t b_col, int64_t depth, int64_t cols, T *packed) {
    for (int64_t k = 0; k < depth; k++)
        for (int64_t j = 0; j < OF(panel); j++)
            packed[k * OF(panel) + j] = b[k * b_row + (j < cols ? j : cols - 1) * b_col];
}

// C = A @ B, or C += A @ B, for a depth that fits the panel. Few rows, and a B that stays in the cache, are not worth
// the packing.
static void NAME(slice)(const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row, int64_t b_col, T *c,
                        int64_t c_row, int64_t rows, int64_t depth, int64_t cols, bool more) {
    T packed[DEPTH_MAX * OF(panel)];
    bool resident = depth * b_row * (int64_t)sizeof(T) <= RESIDENT_BYTES && b_row > 0;
    for (int64_t j = 0; j < cols; j += OF(panel)) {
        int64_t wide = cols - j < OF(panel) ? cols - j : OF(panel);
        bool direct = b_col == 1 && wide == OF(panel) && (resident || rows <= BAND);
        const T *from = direct ? b + j : packed;
        int64_t from_row = direct ? b_row : OF(panel);
        if (!direct) NAME(pack)(b + j * b_col, b_row, b_col, depth, wide, packed);
        BY_BANDS(rows, NAME(band)(a + i * a_row, a_row, a_col, from, from_row, c + i * c_row + j, c_row, depth, band,
                                  (size_t)wide, more))
    }
}

static void NAME(product)(const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row, int64_t b_col, T *c,
                          int64_t c_row, int64_t rows, int64_t depth, int64_t cols) {
    for (int64_t k = 0; k == 0 || k < depth; k += DEPTH_MAX)
        NAME(slice)(a + k * a_col, a_row, a_col, b + k * b_row, b_row, b_col, c, c_row, rows,
                    depth - k < DEPTH_MAX ? depth - k : DEPTH_MAX, cols, k > 0);
}

// Complex product: elements are (re, im) pairs, and strides count reals (T). A packed panel has two SIMD vectors per
// row: the real parts of its columns, then the imaginary parts.
static inline __attribute__((always_inline)) void NAME(complex_band)(
    const T *a, int64_t a_row, int64_t a_col, const T *packed, T *c, int64_t c_row, int64_t depth, int rows,
    int64_t cols, bool more) {
    OF(lanes_t) re[BAND] = {{0}}, im[BAND] = {{0}}, b[2];
    for (int64_t k = 0; k < depth; k++) {
        memcpy(&b[0], packed + k * OF(panel), sizeof b[0]);
        memcpy(&b[1], packed + k * OF(panel) + OF(width), sizeof b[1]);
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
            OF(lanes_t) x = a[r * a_row + k * a_col] - (OF(lanes_t)){0};
            OF(lanes_t) y = a[r * a_row + k * a_col + 1] - (OF(lanes_t)){0};
            re[r] = NAME(FUSED)(x, b[0], re[r]);
            im[r] = NAME(FUSED)(x, b[1], im[r]);
            re[r] = NAME(LESS)(y, b[1], re[r]);
            im[r] = NAME(FUSED)(y, b[0], im[r]);
        }
    }
    T parts[2][OF(width)];
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
        T *to = c + r * c_row;
        memcpy(parts[0], &re[r], sizeof re[r]);
        memcpy(parts[1], &im[r], sizeof im[r]);
        for (int64_t j = 0; j < cols; j++) {
            to[2 * j] = more ? to[2 * j] + parts[0][j] : parts[0][j];
            to[2 * j + 1] = more ? to[2 * j + 1] + parts[1][j] : parts[1][j];
        }
    }
}

static void NAME(complex_pack)(const T *b, int64_t b_row, int64_t b_col, int64_t depth, int64_t cols, T *packed) {
    for (int64_t k = 0; k < depth; k++, packed += OF(panel))
        for (int64_t j = 0; j < OF(width); j++) {
            const T *from = b + k * b_row + (j < cols ? j : cols - 1) * b_col;
            packed[j] = from[0];
            packed[OF(width) + j] = from[1];
        }
}

// Multiplies slices of the depth; blocks of A's rows stay in the second-level cache.
static void NAME(complex_product)(const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row, int64_t b_col,
                                  T *c, int64_t c_row, int64_t all_rows, int64_t depth, int64_t cols) {
    T packed[COMPLEX_DEPTH * OF(panel)];
    for (int64_t k = 0; k == 0 || k < depth; k += COMPLEX_DEPTH) {
        int64_t deep = depth - k < COMPLEX_DEPTH ? depth - k : COMPLEX_DEPTH;
        for (int64_t top = 0; top < all_rows; top += COMPLEX_ROWS) {
            int64_t rows = all_rows - top < COMPLEX_ROWS ? all_rows - top : COMPLEX_ROWS;
            const T *block = a + top * a_row + k * a_col;
            for (int64_t j = 0; j < cols; j += OF(width)) {
                int64_t wide = cols - j < OF(width) ? cols - j : OF(width);
                NAME(complex_pack)(b + k * b_row + j * b_col, b_row, b_col, deep, wide, packed);
                BY_BANDS(rows, NAME(complex_band)(block + i * a_row, a_row, a_col, packed,
                                                  c + (top + i) * c_row + 2 * j, c_row, deep, band, wide, k > 0))
            }
        }
    }
}

// Dot product of contiguous vectors, in 8 vectors of sums that are added pairwise.
static T NAME(dot)(const T *a, const T *b, size_t n) {
    OF(lanes_t) sums[DOT_SUMS] = {{0}}, x, y;
    size_t i = 0;
    for (; i + DOT_SUMS * OF(width) <= n; i += DOT_SUMS * OF(width))
        _Pragma("GCC unroll 8") for (size_t s = 0; s < DOT_SUMS; s++) {
            memcpy(&x, a + i + s * OF(width), sizeof x);
            memcpy(&y, b + i + s * OF(width), sizeof y);
            sums[s] = NAME(FUSED)(x, y, sums[s]);
        }
    for (size_t half = DOT_SUMS / 2; half > 0; half /= 2)
        for (size_t s = 0; s < half; s++) sums[s] += sums[s + half];
    T rest = 0, sum = 0;
    for (; i < n; i++) rest += a[i] * b[i];
    for (size_t j = 0; j < OF(width); j++) sum += sums[0][j];
    return sum + rest;
}

#undef T
#undef NAME
#undef OF
