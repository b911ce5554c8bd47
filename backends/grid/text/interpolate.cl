// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Linear interpolation as in NumPy: by the slope from a line's first point; exact at the points. If the result is NaN,
// it is computed from the line's other end.

static inline double row_at(GLOBAL const char *row, int64_t offset, int64_t stride, int64_t i) {
    return *(GLOBAL const double *)(row + offset + i * stride);
}
#define START(i) row_at(xp, g.xp, g.xp_stride, i)
#define VALUE(i) row_at(fp, g.fp, g.fp_stride, i)

// Returns the number of the last point at or before x, which is not NaN; -1: x is before all points.
static inline int64_t line_of(GLOBAL const char *xp, double x, CONST_REF(GridLines) g) {
    int64_t low = 0, high = g.points;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (x < START(middle)) high = middle;
        else low = middle + 1;
    }
    return low - 1;
}

static inline double value_of(GLOBAL const char *xp, GLOBAL const char *fp, double x, CONST_REF(GridLines) g) {
    if (g.points == 1) return VALUE(0);
    if (isnan(x)) return x;
    const int64_t at = line_of(xp, x, g);
    if (at < 0) return VALUE(0);
    const double first = VALUE(at), start = START(at);
    if (at == g.points - 1 || x == start) return first;
    const double last = VALUE(at + 1), end = START(at + 1), slope = (last - first) / (end - start);
    double y = slope * (x - start) + first;
    if (!isnan(y)) return y;
    y = slope * (x - end) + last;
    return isnan(y) && first == last ? first : y;
}

KERNEL nacre_interpolate(GLOBAL const char *x, GLOBAL const char *xp, GLOBAL const char *fp, GLOBAL char *to,
                         const GridLines g) {
    const int64_t i = ITEM;
    if (i >= g.count) return;
    *(GLOBAL double *)(to + g.to + i * g.to_stride) = value_of(xp, fp, row_at(x, g.x, g.x_stride, i), g);
}
