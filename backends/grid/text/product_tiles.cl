// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products by tiles: a group computes SIDE * DOWN by SIDE * ACROSS results, a work item DOWN by ACROSS of them,
// in runs of WIDTH. While a slice of DEPTH columns of A and DEPTH rows of B is multiplied, the next one is loaded.
// B_VALUE may change elements of B. Operands may have any strides: neighbouring lanes load along the dimension with the
// shorter stride.

// Limits the registers so that two groups fit on a multiprocessor.
#ifdef __CUDACC_RTC__
#define TWO_GROUPS __launch_bounds__(GRID_PRODUCT_LANES, 2)
#else
#define TWO_GROUPS
#endif

#ifndef B_VALUE
#define B_VALUE(x) (x)
#endif

#define SIDE 16
#define ROWS (SIDE * DOWN)
#define COLS (SIDE * ACROSS)
#define FROM_A (ROWS * DEPTH / GRID_PRODUCT_LANES) // elements that a work item loads for a slice
#define FROM_B (COLS * DEPTH / GRID_PRODUCT_LANES)
#define PLACE(n, lane) ((n) / WIDTH * (SIDE * WIDTH) + (lane) * WIDTH + (n) % WIDTH)

#define LOAD_SLICE(from)                                                                                              \
    _Pragma("unroll") for (int n = 0; n < FROM_A; n++) {                                                              \
        const bool is_there = a_line + n * a_lines < lines && (from) + a_k + n * a_ks < end;                          \
        next_a[n] = is_there ? widened(*(GLOBAL const T *)(a_at + n * a_step)) : nothing();                           \
    }                                                                                                                 \
    _Pragma("unroll") for (int n = 0; n < FROM_B; n++) {                                                              \
        const bool is_there = b_line + n * b_lines < columns && (from) + b_k + n * b_ks < end;                        \
        next_b[n] = is_there ? B_VALUE(widened(*(GLOBAL const T *)(b_at + n * b_step))) : nothing();                  \
    }
#define STORE_SLICE(slice)                                                                                            \
    _Pragma("unroll") for (int n = 0; n < FROM_A; n++) as[slice][a_k + n * a_ks][a_line + n * a_lines] = next_a[n];   \
    _Pragma("unroll") for (int n = 0; n < FROM_B; n++) bs[slice][b_k + n * b_ks][b_line + n * b_lines] = next_b[n];

KERNEL TWO_GROUPS nacre_tiles(GLOBAL const char *a, GLOBAL const char *b, GLOBAL const char *addend, GLOBAL char *c, GLOBAL S *sums,
                   GLOBAL uint32_t *flags, const GridProduct g) {
    LOCAL S as[2][DEPTH][ROWS + WIDTH] __attribute__((aligned(16)));
    LOCAL S bs[2][DEPTH][COLS + WIDTH] __attribute__((aligned(16)));
    const int lane = LANE, down = lane / SIDE, across = lane % SIDE;
    const bool is_row = ROW < g.count * g.parts; // no work item may leave before a barrier
    const int64_t row = is_row ? ROW : 0, number = row / g.parts;
    // Numbers tiles in bands of 8 tiles down, so that groups that run together share rows of A and columns of B.
    const int64_t band = GROUP / (8 * g.across), in_band = GROUP % (8 * g.across);
    const int64_t high = g.down - band * 8 < 8 ? g.down - band * 8 : 8;
    const int64_t top = (band * 8 + in_band % high) * ROWS, left = in_band / high * COLS;
    const int lines = (int)(g.rows - top < ROWS ? g.rows - top : ROWS);
    const int columns = (int)(g.cols - left < COLS ? g.cols - left : COLS);
    const int64_t begin = row % g.parts * g.each, end = begin + g.each < g.depth ? begin + g.each : g.depth;
    FIND_MATRICES(number);

    const bool a_across = (g.a.col < 0 ? -g.a.col : g.a.col) < (g.a.row < 0 ? -g.a.row : g.a.row);
    const bool b_down = (g.b.row < 0 ? -g.b.row : g.b.row) < (g.b.col < 0 ? -g.b.col : g.b.col);
    const int a_line = a_across ? lane / DEPTH : lane % ROWS, a_k = a_across ? lane % DEPTH : lane / ROWS;
    const int b_line = b_down ? lane / DEPTH : lane % COLS, b_k = b_down ? lane % DEPTH : lane / COLS;
    const int a_lines = a_across ? GRID_PRODUCT_LANES / DEPTH : 0, a_ks = a_across ? 0 : GRID_PRODUCT_LANES / ROWS;
    const int b_lines = b_down ? GRID_PRODUCT_LANES / DEPTH : 0, b_ks = b_down ? 0 : GRID_PRODUCT_LANES / COLS;
    const int64_t a_step = a_lines * g.a.row + a_ks * g.a.col, b_step = b_lines * g.b.col + b_ks * g.b.row;
    GLOBAL const char *a_at = a + (top + a_line) * g.a.row + (begin + a_k) * g.a.col;
    GLOBAL const char *b_at = b + (left + b_line) * g.b.col + (begin + b_k) * g.b.row;

    S made[DOWN][ACROSS], x[DOWN], y[ACROSS], next_a[FROM_A], next_b[FROM_B];
    _Pragma("unroll") for (int i = 0; i < DOWN; i++)
        _Pragma("unroll") for (int j = 0; j < ACROSS; j++) made[i][j] = nothing();
    LOAD_SLICE(begin)
    STORE_SLICE(0)
    BARRIER;
    int slice = 0;
    for (int64_t from = begin; from < end; from += DEPTH) {
        const bool is_last = from + DEPTH >= end;
        a_at += DEPTH * g.a.col;
        b_at += DEPTH * g.b.row;
        if (!is_last) {
            LOAD_SLICE(from + DEPTH)
        }
        _Pragma("unroll") for (int k = 0; k < DEPTH; k++) {
            _Pragma("unroll") for (int i = 0; i < DOWN; i++) x[i] = as[slice][k][PLACE(i, down)];
            _Pragma("unroll") for (int j = 0; j < ACROSS; j++) y[j] = bs[slice][k][PLACE(j, across)];
            _Pragma("unroll") for (int i = 0; i < DOWN; i++)
                _Pragma("unroll") for (int j = 0; j < ACROSS; j++) made[i][j] = fused(made[i][j], x[i], y[j]);
        }
        if (!is_last) {
            STORE_SLICE(1 - slice)
        }
        slice = 1 - slice;
        BARRIER;
    }
    uint64_t told = 0; // results that may have raised flags, a bit for each
    _Pragma("unroll") for (int i = 0; i < DOWN; i++)
        _Pragma("unroll") for (int j = 0; j < ACROSS; j++) {
            const int64_t at = top + PLACE(i, down), beside = left + PLACE(j, across);
            if (is_row && at < g.rows && beside < g.cols) {
                if (g.parts > 1) sums[kept_at(row, at, beside, g)] = made[i][j];
                else put_result(made[i][j], at, beside, addend, c, flags, g);
                if (g.parts == 1 && IS_TOLD(made[i][j])) told |= (uint64_t)1 << (i * ACROSS + j);
            }
        }
    for (int n = 0; told; n++, told >>= 1)
        if (told & 1) TELL_SUM(top + PLACE(n / ACROSS, down), left + PLACE(n % ACROSS, across));
}
