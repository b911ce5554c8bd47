// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Histograms with bins of equal width. As in NumPy, a bin is computed arithmetically and corrected
// by the edges if off by one, and each block of elements has its own sums, which are added in
// order. So threads that take a block each give NumPy's bits.

#include <math.h>
#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/linalg/linalg.h"

enum { BLOCK = 65536, ROWS_MOST = 64, ROW_BYTES_MOST = 1 << 22 };

typedef struct Histogram {
    Job job;
    const char *a, *weights; // weights NULL: each element counts 1
    int64_t a_stride, weight_stride, n;
    const double *edges; // bins + 1
    int64_t bins;
    char *rows; // sums of each block: `bins` numbers per block
    int64_t first_block;
    int rows_count;
} Histogram;

// Returns the bin of x, which is between the first and the last edge.
static inline int64_t bin_of(const Histogram *h, double x, double first, double width) {
    double place = (x - first) / width * (double)h->bins;
    // a width that overflows makes this NaN
    int64_t at = isless(place, (double)h->bins) ? (int64_t)place : h->bins - 1;
    at -= isless(x, h->edges[at]);
    return at + (isgreaterequal(x, h->edges[at + 1]) && at != h->bins - 1);
}

static void count_block(const Histogram *h, int64_t block, char *row) {
    const double first = h->edges[0], last = h->edges[h->bins], width = last - first;
    int64_t begin = block * BLOCK, end = begin + BLOCK < h->n ? begin + BLOCK : h->n;
    int64_t *counts = (int64_t *)row;
    double *sums = (double *)row;
    for (int64_t i = begin; i < end; i++) {
        double x = *(const double *)(h->a + i * h->a_stride);
        if (!(isgreaterequal(x, first) && islessequal(x, last))) continue;
        int64_t at = bin_of(h, x, first, width);
        if (h->weights) sums[at] += *(const double *)(h->weights + i * h->weight_stride);
        else counts[at]++;
    }
}

static void row_part(void *argument, int part, int worker) {
    Histogram *h = argument;
    size_t bytes = (size_t)h->bins * sizeof(double);
    char *row = h->rows + (size_t)part * bytes;
    (void)worker;
    memset(row, 0, bytes);
    count_block(h, h->first_block + part, row);
}

static void add_rows(const Histogram *h, char *to) {
    int64_t *counts = (int64_t *)to;
    double *sums = (double *)to;
    for (int r = 0; r < h->rows_count; r++) {
        const char *row = h->rows + (size_t)r * (size_t)h->bins * sizeof(double);
        for (int64_t b = 0; b < h->bins; b++) {
            if (h->weights) sums[b] += ((const double *)row)[b];
            else counts[b] += ((const int64_t *)row)[b];
        }
    }
}

// Returns the number of blocks whose sums fit into the workspace.
static int rows_of_bins(int64_t n, int64_t bins) {
    int64_t blocks = (n + BLOCK - 1) / BLOCK, most = ROW_BYTES_MOST / (bins * (int64_t)sizeof(double));
    if (most > ROWS_MOST) most = ROWS_MOST;
    if (most < 1) most = 1;
    return (int)(blocks < most ? blocks : most);
}

// The workspace holds the edges, contiguous, then the blocks' sums.
static size_t histogram_workspace(const Cpu *cpu, const Kernel *k) {
    int64_t bins = k->args[1].view.shape[0] - 1;
    (void)cpu;
    return aligned_bytes((size_t)(bins + 1) * sizeof(double)) +
           (size_t)rows_of_bins(k->args[0].view.shape[0], bins) * (size_t)bins * sizeof(double);
}

static void run_histogram(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view, *edges = &k->args[1].view;
    Histogram h = {.a = arg_at(&k->args[0]), .a_stride = a->strides[0], .n = a->shape[0],
                   .bins = edges->shape[0] - 1};
    char *from = arg_at(&k->args[1]), *to = arg_at(&k->result);
    double *room = k->workspace;
    h.job.cpu = cpu;
    for (int64_t i = 0; i <= h.bins; i++) room[i] = *(const double *)(from + i * edges->strides[0]);
    h.edges = room;
    h.rows = (char *)k->workspace + aligned_bytes((size_t)(h.bins + 1) * sizeof(double));
    if (!k->args[2].is_scalar) {
        h.weights = arg_at(&k->args[2]);
        h.weight_stride = k->args[2].view.strides[0];
    }
    int64_t blocks = (h.n + BLOCK - 1) / BLOCK;
    int most = rows_of_bins(h.n, h.bins);
    while (h.first_block < blocks && !interrupted(cpu, flags)) {
        int64_t left = blocks - h.first_block;
        h.rows_count = (int)(left < most ? left : most);
        share_out(cpu, row_part, &h, h.rows_count, flags);
        add_rows(&h, to);
        h.first_block += h.rows_count;
    }
}

const LibraryFn library_HISTOGRAM = {.run = run_histogram, .workspace = histogram_workspace};
