// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Kernels without reductions: iterates over the space tile by tile, with threads if it is large.

#include "backends/cpu/flags.h"
#include "backends/cpu/loops/vector.h"
#include "backends/cpu/tile/move.h"
#include "backends/cpu/tile/tile.h"

int access_count(const Kernel *k) {
    return k->load_count + k->store_count;
}

const KernAccess *access_number(const Kernel *k, int i) {
    return i < k->load_count ? &k->loads[i] : &k->stores[i - k->load_count].to;
}

// --- Iteration ---------------------------------------------------------------------------------

// Returns the distance of a load from one tile to the next.
static int64_t tiles_step(const Tiles *tiles, const Kernel *k, int load) {
    int64_t length = (int64_t)tiles->length;
    const NarrowRows *rows = tiles->rows;
    if (rows && rows->by_rows[load]) return rows->row[load] * (length / rows->width);
    return k->loads[load].strides[k->ndim - 1] * length;
}

// Runs tiles `from` … `to`; a row is a run of the innermost dimension. False: interrupted.
static bool some_tiles(Tiles *tiles, const Kernel *k, int64_t from, int64_t to, bool by_site, uint32_t *flags) {
    int inner = k->ndim - 1, accesses = access_count(k);
    int64_t n = k->shape[inner], length = (int64_t)tiles->length, per_row = (n + length - 1) / length;
    const int64_t *strides[KERN_ACCESSES];
    char *row_at[KERN_ACCESSES], *at[KERN_ACCESSES];
    int64_t step[KERN_ACCESSES], index[NDIM_MAX], row = from / per_row, column = from % per_row;
    for (int i = 0; i < accesses; i++) {
        strides[i] = access_number(k, i)->strides;
        step[i] = i < k->load_count ? tiles_step(tiles, k, i) : strides[i][inner] * length;
        row_at[i] = access_at(access_number(k, i));
    }
    for (int d = inner - 1; d >= 0; d--) {
        index[d] = row % k->shape[d];
        row /= k->shape[d];
        for (int i = 0; i < accesses; i++) row_at[i] += index[d] * strides[i][d];
    }
    for (int64_t end; from < to; from += end - column, column = 0) {
        end = to - from < per_row - column ? column + to - from : per_row;
        for (int i = 0; i < accesses; i++) at[i] = row_at[i] + column * step[i];
        for (int64_t t = column; t < end; t++) {
            int64_t rest = n - t * length;
            if (left(tiles->cpu, k, flags)) return false;
            tiles_run(tiles, k, at, (size_t)(rest < length ? rest : length), by_site, flags);
            for (int i = 0; i < accesses; i++) at[i] += step[i];
        }
        odometer_next(inner, k->shape, index, row_at, strides, accesses);
    }
    return true;
}

static int64_t tile_count(const Cpu *cpu, const Kernel *k, const NarrowRows *narrow) {
    int64_t rows = 1, n = k->shape[k->ndim - 1], length = (int64_t)tile_length(cpu, k, narrow);
    for (int d = 0; d < k->ndim - 1; d++) rows *= k->shape[d];
    return rows * ((n + length - 1) / length);
}

// Reads flags after each span of tiles, since a read waits for all pending arithmetic. After a span
// with flags, the next ones attribute flags per instruction straight away.
static void by_spans(Tiles *tiles, const Kernel *k, int64_t from, int64_t to, uint32_t *flags) {
    enum { SPAN = 16 * TILE, WARY = 16 }; // elements; spans
    int64_t span = SPAN / (int64_t)tiles->length;
    int wary = 0;
    for (int64_t end; from < to; from = end) {
        end = to - from < span ? to : from + span;
        if (!some_tiles(tiles, k, from, end, wary > 0, flags)) return;
        if (wary > 0) {
            wary--;
        } else if (flags_any()) {
            flags_clear();
            if (!some_tiles(tiles, k, from, end, true, flags)) return;
            wary = WARY;
        }
    }
}

static void tiles_between(const Cpu *cpu, const Kernel *k, const NarrowRows *rows, int worker, int64_t from,
                          int64_t to, uint32_t *flags) {
    Tiles *tiles = tiles_init(cpu, (char *)k->workspace + (size_t)worker * tiles_bytes(cpu, k, rows), k, rows);
    flags_clear();
    if (tiles->telling == TELL_BY_SPAN) by_spans(tiles, k, from, to, flags);
    else some_tiles(tiles, k, from, to, false, flags);
    if (tiles->telling == TELL_AT_END) flags_tell(&flags[0], ~0u, true);
    stream_end();
}

// --- Threads -----------------------------------------------------------------------------------

bool worth_threads(const Cpu *cpu, const Kernel *k) {
    int64_t work = 1;
    for (int d = 0; d < k->ndim; d++) work *= k->shape[d];
    for (int i = 0; i < k->lines_count; i++) work += k->lines[i].entries;
    return work >= PARALLEL_WORK && cpu->threads > 1;
}

static bool is_empty(const Kernel *k) {
    for (int d = 0; d < k->ndim; d++)
        if (k->shape[d] == 0) return true;
    return false;
}

size_t elementwise_workspace(const Cpu *cpu, const Kernel *k) {
    Kernel joined;
    NarrowRows rows;
    if (is_empty(k)) return 0;
    size_t workers = (size_t)(worth_threads(cpu, k) ? cpu->threads : 1);
    // Of both ways, so that fewer rows of a band never need more.
    size_t bytes = pack_bytes(k) + workers * tiles_bytes(cpu, k, NULL), joint = 0;
    if (narrow_join(k, &joined, &rows)) joint = workers * tiles_bytes(cpu, &joined, &rows);
    return joint > bytes ? joint : bytes;
}

typedef struct ElementwiseJob {
    Job job;
    SiteFlags sites;
    const Kernel *kernel;
    const NarrowRows *rows;
    int64_t tiles;
    int parts;
} ElementwiseJob;

static void elementwise_part(void *argument, int part, int worker) {
    ElementwiseJob *e = argument;
    int64_t from = e->tiles * part / e->parts, to = e->tiles * (part + 1) / e->parts;
    uint32_t raised[KERN_SITES] = {0};
    tiles_between(e->job.cpu, e->kernel, e->rows, worker, from, to, raised);
    sites_tell(&e->sites, raised);
}

static void run_tiles(Cpu *cpu, const Kernel *k, const NarrowRows *rows, uint32_t *flags) {
    int64_t tiles = tile_count(cpu, k, rows);
    if (!worth_threads(cpu, k)) {
        tiles_between(cpu, k, rows, 0, 0, tiles, flags);
        return;
    }
    ElementwiseJob e = {.kernel = k, .rows = rows, .tiles = tiles, .parts = parts_for(cpu, tiles)};
    sites_clear(&e.sites, k);
    share_out(cpu, elementwise_part, &e, e.parts, flags);
    sites_gather(&e.sites, flags);
}

void tile_elementwise(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    if (is_empty(k)) return;
    vectors_prepare(cpu, k);
    Kernel copy;
    NarrowRows rows;
    if (narrow_join(k, &copy, &rows)) {
        run_tiles(cpu, &copy, &rows, flags);
        return;
    }
    if (pack_bytes(k) == 0) {
        run_tiles(cpu, k, NULL, flags);
        return;
    }
    kernel_copy(&copy, k);
    pack_operands(&copy);
    run_tiles(cpu, &copy, NULL, flags);
}
