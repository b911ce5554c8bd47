// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Integer products of one type: a template, included by products_int_template.h.
// T: unsigned integers of the elements' width
// LANE: the type used to multiply
// NAME(f): name of a function for T
// OF(x): name of a type or constant for T

typedef LANE OF(wide_t) __attribute__((vector_size(PRODUCT_BYTES)));
typedef T OF(part_t) __attribute__((vector_size(PRODUCT_BYTES / sizeof(LANE) * sizeof(T))));
enum { OF(lanes) = PRODUCT_BYTES / sizeof(LANE), OF(cols) = 2 * OF(lanes) };

// `rows` is a constant wherever this is inlined.
static inline __attribute__((always_inline)) void NAME(int_band)(
    const T *a, int64_t a_row, int64_t a_col, const LANE *packed, T *c, int64_t c_row, int64_t depth, int rows,
    int64_t cols, bool more) {
    OF(wide_t) sums[BAND][2] = {{{0}}}, b[2];
    for (int64_t k = 0; k < depth; k++) {
        memcpy(b, packed + k * OF(cols), sizeof b);
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
            OF(wide_t) x = (LANE)a[r * a_row + k * a_col] - (OF(wide_t)){0};
            sums[r][0] += x * b[0];
            sums[r][1] += x * b[1];
        }
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) {
        T row[OF(cols)], *to = c + r * c_row;
        for (int v = 0; v < 2; v++) {
            OF(part_t) part = __builtin_convertvector(sums[r][v], OF(part_t));
            memcpy(row + v * OF(lanes), &part, sizeof part);
        }
        for (int64_t j = 0; j < cols; j++) to[j] = (T)(more ? to[j] + row[j] : row[j]);
    }
}

static void NAME(int_pack)(const T *b, int64_t b_row, int64_t b_col, int64_t depth, int64_t cols, LANE *packed) {
    bool whole = b_col == 1 && cols == OF(cols);
    for (int64_t k = 0; k < depth; k++, b += b_row, packed += OF(cols)) {
        if (whole)
            for (int64_t j = 0; j < OF(cols); j++) packed[j] = b[j];
        else
            for (int64_t j = 0; j < OF(cols); j++) packed[j] = j < cols ? b[j * b_col] : 0;
    }
}

static void NAME(int_product)(const void *left, int64_t a_row, int64_t a_col, const void *right, int64_t b_row,
                              int64_t b_col, void *to, int64_t c_row, int64_t all_rows, int64_t all, int64_t cols) {
    LANE packed[INT_DEPTH * OF(cols)];
    const T *a = left, *b = right;
    T *c = to;
    for (int64_t k = 0; k == 0 || k < all; k += INT_DEPTH) {
        int64_t depth = all - k < INT_DEPTH ? all - k : INT_DEPTH;
        for (int64_t top = 0; top < all_rows; top += INT_ROWS) {
            int64_t rows = all_rows - top < INT_ROWS ? all_rows - top : INT_ROWS;
            const T *block = a + top * a_row + k * a_col;
            for (int64_t j = 0; j < cols; j += OF(cols)) {
                int64_t wide = cols - j < OF(cols) ? cols - j : OF(cols);
                NAME(int_pack)(b + k * b_row + j * b_col, b_row, b_col, depth, wide, packed);
                BY_BANDS(rows, NAME(int_band)(block + i * a_row, a_row, a_col, packed,
                                              c + (top + i) * c_row + j, c_row, depth, band, wide, k > 0))
            }
        }
    }
}

static void NAME(int_dot)(const void *left, const void *right, size_t n, void *to) {
    OF(wide_t) sums[INT_SUMS] = {{0}};
    const T *a = left, *b = right;
    size_t i = 0;
    for (; i + INT_SUMS * OF(lanes) <= n; i += INT_SUMS * OF(lanes))
        _Pragma("GCC unroll 4") for (size_t s = 0; s < INT_SUMS; s++) {
            OF(part_t) x, y;
            memcpy(&x, a + i + s * OF(lanes), sizeof x);
            memcpy(&y, b + i + s * OF(lanes), sizeof y);
            sums[s] += __builtin_convertvector(x, OF(wide_t)) * __builtin_convertvector(y, OF(wide_t));
        }
    uint64_t sum = 0;
    for (; i < n; i++) sum += (uint64_t)a[i] * b[i];
    for (size_t s = 0; s < INT_SUMS; s++)
        for (size_t j = 0; j < OF(lanes); j++) sum += sums[s][j];
    *(T *)to = (T)sum;
}

#undef T
#undef LANE
#undef NAME
#undef OF
