// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bands: each thread takes a band of rows through all of the kernels before it takes the next one.

#include <unistd.h>

#include "backends/cpu/bands.h"
#include "backends/cpu/tile.h"

// What a thread has near.
static size_t cache_bytes(void) {
    enum { USUAL = 1 << 19 };
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : USUAL;
}

int64_t cpu_band_rows(void *ctx, int64_t rows, size_t row_bytes) {
    const Cpu *cpu = ctx;
    enum { FEW = 3, WORTH = 4, EACH = 4 };
    if (cpu->tile) return rows < FEW ? rows : FEW; // small ones are wanted
    size_t near = cache_bytes() / 2;
    if ((double)rows * (double)row_bytes < (double)WORTH * (double)near * cpu->threads) return 0;
    int64_t band = (int64_t)(near / (row_bytes ? row_bytes : 1));
    if (band > rows / (cpu->threads * EACH)) band = rows / (cpu->threads * EACH);
    return band > TILE ? band - band % TILE : band;
}

// --- A kernel for a band -----------------------------------------------------------------------

static void advance(KernAccess *access, int64_t from, char *inside) {
    if (inside)
        access->base = inside;
    else
        access->offset += from * access->strides[0];
}

static void slice(Kernel *some, const Bands *bands, int number, int64_t from, int64_t to,
                  char *inside) {
    const Kernel *k = bands->kernels[number];
    kernel_copy(some, k);
    for (int i = 0; i < k->load_count; i++)
        advance(&some->loads[i], from, bands->loads_inside[number] >> i & 1 ? inside : NULL);
    for (int i = 0; i < k->store_count; i++)
        advance(&some->stores[i].to, from, bands->stores_inside[number] >> i & 1 ? inside : NULL);
    some->shape[0] = to - from;
    if (!some->reduction_count) kernel_simplify(some); // rows of few elements become one long one
}

// One thread does all of a band.
static Cpu alone(const Cpu *cpu) {
    Cpu one = *cpu;
    one.threads = 1;
    one.near = true;
    return one;
}

static size_t workspace_of(const Cpu *one, const Bands *bands, int64_t from, int64_t to) {
    size_t most = 0;
    for (int i = 0; i < bands->count; i++) {
        Kernel some;
        slice(&some, bands, i, from, to, NULL);
        size_t bytes =
            some.reduction_count ? reduce_workspace(one, &some) : elementwise_workspace(one, &some);
        if (bytes > most) most = bytes;
    }
    return aligned_bytes(most);
}

// A thread's memory: what is inside, and then the kernels' workspace.
static size_t thread_bytes(const Cpu *cpu, const Bands *bands) {
    Cpu one = alone(cpu);
    size_t whole = workspace_of(&one, bands, 0, bands->band), last = 0;
    int64_t rest = bands->rows % bands->band;
    if (rest) last = workspace_of(&one, bands, bands->rows - rest, bands->rows);
    return bands->inside_bytes + (whole > last ? whole : last);
}

size_t cpu_bands_workspace(void *ctx, const Bands *bands) {
    return (size_t)((Cpu *)ctx)->threads * thread_bytes(ctx, bands);
}

// --- Running -----------------------------------------------------------------------------------

typedef struct BandsJob {
    Job job;
    Cpu one;
    const Bands *bands;
    size_t thread_bytes;
    SiteFlags sites[BAND_KERNELS];
} BandsJob;

static void band(void *argument, int part, int worker) {
    BandsJob *b = argument;
    const Bands *bands = b->bands;
    char *memory = (char *)bands->workspace + (size_t)worker * b->thread_bytes;
    int64_t from = part * bands->band, to = from + bands->band;
    if (to > bands->rows) to = bands->rows;
    for (int i = 0; i < bands->count; i++) {
        uint32_t flags[KERN_SITES] = {0};
        Kernel some;
        slice(&some, bands, i, from, to, memory);
        some.workspace = memory + bands->inside_bytes;
        if (some.reduction_count)
            tile_reduce(&b->one, &some, flags);
        else
            tile_elementwise(&b->one, &some, flags);
        sites_tell(&b->sites[i], flags);
    }
}

void cpu_launch_bands(void *ctx, const Bands *bands, uint32_t *const *flags) {
    Cpu *cpu = ctx;
    for (int i = 0; i < bands->count; i++) vectors_prepare(cpu, bands->kernels[i]);
    BandsJob b = {.one = alone(cpu), .bands = bands, .thread_bytes = thread_bytes(cpu, bands)};
    for (int i = 0; i < bands->count; i++) sites_clear(&b.sites[i], bands->kernels[i]);
    int64_t parts = (bands->rows + bands->band - 1) / bands->band;
    uint32_t none = 0;
    share_out(cpu, band, &b, (int)parts, &none);
    for (int i = 0; i < bands->count; i++) sites_gather(&b.sites[i], flags[i]);
}
