// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Linear interpolation as in NumPy: by slopes, with exact values at the points, and from the other end of a line
// if the first end gives NaN.

#include <math.h>
#include <string.h>

#include "backends/cpu/library.h"
#include "backends/cpu/linalg/linalg.h"

enum { BLOCK = 1 << 13, POINTS_AHEAD = 4 };

typedef struct Lines {
    Job job;
    const char *x, *xp, *fp;
    char *to;
    int64_t x_stride, xp_stride, fp_stride, to_stride, n, points;
    const double *slopes; // of all lines; NULL: computed as needed, for few values
} Lines;

static inline double start_of(const Lines *l, int64_t line) {
    return *(const double *)(l->xp + line * l->xp_stride);
}

static inline double value_at(const Lines *l, int64_t point) {
    return *(const double *)(l->fp + point * l->fp_stride);
}

static double slope_of(const Lines *l, int64_t line) {
    return (value_at(l, line + 1) - value_at(l, line)) /
           (start_of(l, line + 1) - start_of(l, line));
}

// Finds the last point <= x (x is not NaN); -1: x is before all points. `guess`: the previous
// result.
static int64_t find_line(const Lines *l, double x, int64_t guess) {
    int64_t low = 0, high = l->points; // the result is one less than an index in low … high
    if (guess >= 0 && start_of(l, guess) <= x) {
        low = guess + 1;
        for (int ahead = 0; ahead < POINTS_AHEAD && low < high; ahead++) {
            if (x < start_of(l, low)) return low - 1;
            low++;
        }
    } else if (guess >= 0) {
        high = guess;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        bool above = x < start_of(l, middle);
        low = above ? low : middle + 1;
        high = above ? middle : high;
    }
    return low - 1;
}

static double interpolated(const Lines *l, double x, int64_t *line) {
    if (l->points == 1) return value_at(l, 0);
    if (isnan(x)) return x;
    int64_t at = *line = find_line(l, x, *line);
    if (at < 0) return value_at(l, 0);
    double first = value_at(l, at), start = start_of(l, at);
    if (at == l->points - 1 || x == start) return first;
    double slope = l->slopes ? l->slopes[at] : slope_of(l, at), y = slope * (x - start) + first;
    if (!isnan(y)) return y;
    double last = value_at(l, at + 1);
    y = slope * (x - start_of(l, at + 1)) + last;
    return isnan(y) && first == last ? first : y;
}

static void interpolate_block(void *argument, int part, int worker) {
    const Lines *l = argument;
    int64_t begin = (int64_t)part * BLOCK, end = begin + BLOCK < l->n ? begin + BLOCK : l->n,
            line = -1;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        *(double *)(l->to + i * l->to_stride) =
            interpolated(l, *(const double *)(l->x + i * l->x_stride), &line);
}

static bool wants_slopes(const Kernel *k) {
    return k->args[1].view.shape[0] <= k->args[0].view.shape[0];
}

static size_t interpolate_workspace(const Cpu *cpu, const Kernel *k) {
    (void)cpu;
    return wants_slopes(k) ? (size_t)k->args[1].view.shape[0] * sizeof(double) : 0;
}

static void run_interpolate(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *x = &k->args[0].view, *xp = &k->args[1].view, *fp = &k->args[2].view;
    Lines l = {.x = arg_at(&k->args[0]),
               .xp = arg_at(&k->args[1]),
               .fp = arg_at(&k->args[2]),
               .to = arg_at(&k->result),
               .x_stride = x->strides[0],
               .xp_stride = xp->strides[0],
               .fp_stride = fp->strides[0],
               .to_stride = k->result.view.strides[0],
               .n = x->shape[0],
               .points = xp->shape[0]};
    double *slopes = k->workspace;
    l.job.cpu = cpu;
    for (int64_t line = 0; wants_slopes(k) && line < l.points - 1; line++)
        slopes[line] = slope_of(&l, line);
    if (wants_slopes(k)) l.slopes = slopes;
    share_out(cpu, interpolate_block, &l, (int)((l.n + BLOCK - 1) / BLOCK), flags);
}

const LibraryFn library_INTERPOLATE = {.run = run_interpolate, .workspace = interpolate_workspace};
