// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A layer of a convolutional network. In a row of the image the window's points and their channels
// lie one after another, so a result is a sum over K runs; six results of sixteen channels are kept
// in registers while a run goes by.
//
// Floor: bytes = 4 * n * h * w * (ci + co); flops = n * (h - k + 1) * (w - k + 1) * k * k * ci *
// co; span = 4 * n * h * w * (ci + co).
#include "kernel.h"

enum { POINTS = 6, CHANNELS = 16 };

// What all points share: the extents of the window's runs, and how far the next one is.
typedef struct {
    int64_t k, run, ci, co, line;
    const float *weights, *bias;
} Layer;

static inline __attribute__((always_inline)) void points(const Layer *l, const float *in,
                                                         float *out, int64_t count, int64_t wide) {
    float sum[POINTS][CHANNELS];
    for (int64_t p = 0; p < count; p++)
        for (int64_t c = 0; c < wide; c++) sum[p][c] = 0;
    for (int64_t y = 0; y < l->k; y++)
        for (int64_t x = 0; x < l->run; x++) {
            const float *restrict w = l->weights + (y * l->run + x) * l->co;
            const float *restrict at = in + y * l->line + x;
#pragma GCC unroll 6
            for (int64_t p = 0; p < count; p++)
#pragma omp simd
                for (int64_t c = 0; c < wide; c++) sum[p][c] += at[p * l->ci] * w[c];
        }
    for (int64_t p = 0; p < count; p++)
        for (int64_t c = 0; c < wide; c++) out[p * l->co + c] = sum[p][c] + l->bias[c];
}

// A row of results, for at most sixteen channels.
static void row(const Layer *l, const float *in, float *out, int64_t w_out, int64_t wide) {
    int64_t j = 0;
    if (wide == CHANNELS)
        for (; j + POINTS <= w_out; j += POINTS)
            points(l, in + j * l->ci, out + j * l->co, POINTS, CHANNELS);
    for (; j < w_out; j++) points(l, in + j * l->ci, out + j * l->co, 1, wide);
}

void conv2d_bias(int64_t n, int64_t h, int64_t w, int64_t ci, int64_t k, int64_t co,
                 const float image[restrict n][h][w][ci],
                 const float weights[restrict k][k][ci][co], const float bias[restrict co],
                 float *restrict out) {
    int64_t h_out = h - k + 1, w_out = w - k + 1;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t b = 0; b < n; b++)
        for (int64_t i = 0; i < h_out; i++)
            for (int64_t c = 0; c < co; c += CHANNELS) {
                Layer l = {.k = k,
                           .run = k * ci,
                           .ci = ci,
                           .co = co,
                           .line = w * ci,
                           .weights = &weights[0][0][0][c],
                           .bias = bias + c};
                row(&l, image[b][i][0], out + (b * h_out + i) * w_out * co + c, w_out,
                    least(CHANNELS, co - c));
            }
}
