// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Counts elements, or sums their weights, in bins on a device.

#include "backends/grid/order.h"
#include "backends/grid/text/bins.h"
#include "backends/grid/text/bins_sum.h"

#include "grid_text_bins.h"
#include "grid_text_bins_count.h"
#include "grid_text_bins_h.h"
#include "grid_text_bins_sum.h"
#include "grid_text_bins_sum_h.h"

enum { LANES = 128, FEW = 4096 };
enum { COUNT, ADD };                                        // functions of the text that counts
enum { NUMBERS = GRID_ORDER_FUNCTIONS, SUM, ROWS };         // functions of the text that sums weights
enum { IS_HISTOGRAM, HAS_WEIGHTS, IS_FEW, INDEX_BYTES };    // parts of the form

static const KernArg *weights_of(const Kernel *k) {
    return &k->args[k->library == AOP_HISTOGRAM ? 2 : 1];
}

static GridBins bins_of(const Kernel *k) {
    const View *from = &k->args[0].view, *edges = &k->args[1].view, *to = &k->result.view;
    const KernArg *weights = weights_of(k);
    GridBins g = {.from = from->offset, .from_stride = from->strides[0], .to = to->offset, .to_stride = to->strides[0],
                  .bins = to->shape[0], .end = from->shape[0]};
    if (k->library == AOP_HISTOGRAM) {
        g.edges = edges->offset;
        g.edges_stride = edges->strides[0];
    }
    if (!weights->is_scalar) {
        g.weights = weights->view.offset;
        g.weights_stride = weights->view.strides[0];
    }
    return g;
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    const GridBins g = bins_of(k);
    form->part[IS_HISTOGRAM] = k->library == AOP_HISTOGRAM;
    form->part[HAS_WEIGHTS] = !weights_of(k)->is_scalar;
    form->part[IS_FEW] = g.bins <= FEW;
    form->part[INDEX_BYTES] = form->part[HAS_WEIGHTS] ? (uint8_t)grid_index_bytes(g.end) : 0;
    return grid_has_type(dialect, DT_FLOAT64) && g.bins < UINT32_MAX;
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const counts[] = {"nacre_bins_count", "nacre_bins_add", NULL};
    static const char *const sums[] = {GRID_ORDER_NAMES, "nacre_bins_numbers", "nacre_bins_sum", "nacre_bins_rows", NULL};
    (void)dialect;
    grid_define_number("IS_HISTOGRAM", form->part[IS_HISTOGRAM], out);
    grid_define_number("FEW", form->part[IS_FEW] ? FEW : 0, out);
    if (form->part[HAS_WEIGHTS]) grid_order_text(DT_UINT32, form->part[INDEX_BYTES], out);
    buf_puts(out, GRID_TEXT_BINS_H GRID_TEXT_BINS);
    buf_puts(out, form->part[HAS_WEIGHTS] ? GRID_TEXT_BINS_SUM_H GRID_TEXT_BINS_SUM : GRID_TEXT_BINS_COUNT);
    return form->part[HAS_WEIGHTS] ? sums : counts;
}

// Counts a limited number of elements at a time, so that counts fit into 32 bits.
static void run_counts(GridRun *run, GridBins g) {
    enum { GROUPS = 1 << 11, LEAST = 32 * LANES };
    const Kernel *k = run->kernel;
    const int64_t count = g.end, most = INT32_MAX;
    const size_t bytes = (size_t)g.bins * sizeof(uint32_t);
    void *counts = grid_scratch(run, bytes), *edges = run->program->key.form.part[IS_HISTOGRAM] ? k->args[1].base : NULL;
    void *const from[] = {k->args[0].base, edges, counts}, *const to[] = {counts, k->result.base};
    for (g.begin = 0; g.begin < count; g.begin = g.end) {
        g.end = count - g.begin < most ? count : g.begin + most;
        g.each = (g.end - g.begin + GROUPS - 1) / GROUPS;
        if (g.each < LEAST) g.each = LEAST;
        const size_t groups = (size_t)((g.end - g.begin + g.each - 1) / g.each);
        grid_clear(run, counts, bytes);
        grid_step_groups(run, COUNT, (GridSize){groups, 1}, LANES, (GridArguments){from, 3, &g, sizeof g});
        grid_step(run, ADD, (GridSize){(size_t)g.bins, 1}, (GridArguments){to, 2, &g, sizeof g});
    }
}

// Returns the bytes of the largest bin number: `bins`, which stands for no bin.
static int number_bytes(int64_t bins) {
    int bytes = 0;
    for (; bins > 0; bins >>= 8) bytes++;
    return bytes;
}

// Returns how many elements are sorted and summed at a time. In histograms the memory for the blocks' sums limits them.
static int64_t most_of(const GridBins *g, bool is_histogram) {
    enum { SUMS = 1 << 24, BLOCKS = 1 << 10 };
    int64_t blocks = SUMS / g->bins;
    if (blocks > BLOCKS) blocks = BLOCKS;
    if (blocks < 1) blocks = 1;
    return is_histogram && g->end > blocks * GRID_BIN_BLOCK ? blocks * GRID_BIN_BLOCK : g->end;
}

static void run_sums(GridRun *run, GridBins g) {
    const Kernel *k = run->kernel;
    const uint8_t *part = run->program->key.form.part;
    const bool is_histogram = part[IS_HISTOGRAM];
    const int64_t count = g.end, most = most_of(&g, is_histogram), blocks = (most + GRID_BIN_BLOCK - 1) / GRID_BIN_BLOCK;
    const size_t bytes = is_histogram ? (size_t)(blocks * g.bins) * sizeof(double) : 0;
    GridSorting s;
    void *sums = is_histogram ? grid_scratch(run, bytes) : k->result.base;
    if (!grid_order_take(run, &s, DT_UINT32, part[INDEX_BYTES], most, most)) return;
    void *const from[] = {k->args[0].base, is_histogram ? k->args[1].base : NULL, s.items[0]};
    void *const all[] = {s.items[0], s.items[1], s.indices[0], s.indices[1], s.varied, weights_of(k)->base, sums};
    void *const rows[] = {sums, k->result.base};
    for (g.begin = 0; g.begin < count; g.begin = g.end) {
        g.end = count - g.begin < most ? count : g.begin + most;
        const int64_t some = g.end - g.begin;
        const GridView view = {.ndim = 1, .extent = {some}, .stride = {sizeof(uint32_t)}};
        grid_order_again(&s, some, some);
        grid_step(run, NUMBERS, (GridSize){(size_t)some, 1}, (GridArguments){from, 3, &g, sizeof g});
        grid_order_sort(run, &s, s.items[0], &view, number_bytes(g.bins));
        const GridBinSums numbers = {g, s.g};
        if (is_histogram) grid_clear(run, sums, bytes);
        grid_step(run, SUM, (GridSize){(size_t)some, 1}, (GridArguments){all, 7, &numbers, sizeof numbers});
        if (is_histogram) grid_step(run, ROWS, (GridSize){(size_t)g.bins, 1}, (GridArguments){rows, 2, &g, sizeof g});
    }
}

static void run(GridRun *run) {
    const GridBins g = bins_of(run->kernel);
    if (g.end == 0 || g.bins == 0) return;
    if (run->program->key.form.part[HAS_WEIGHTS]) run_sums(run, g);
    else run_counts(run, g);
}

const GridRow grid_BINCOUNT = {.form = form, .text = text, .run = run};
const GridRow grid_HISTOGRAM = {.form = form, .text = text, .run = run};
