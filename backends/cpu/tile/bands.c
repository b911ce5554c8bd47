// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Row blocking: each thread runs all kernels of a chain on one band of rows before it takes the
// next band, so that intermediate rows stay in its cache.

#include <unistd.h>

#include "backends/cpu/loops/vector.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/bands.h"
#include "backends/cpu/tile/tile.h"

// Returns the bytes of a core's second-level cache.
static size_t cache_bytes(void) {
    enum { USUAL = 1 << 19 };
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : USUAL;
}

int64_t cpu_band_rows(void *ctx, int64_t rows, size_t row_bytes, int64_t beside) {
    const Cpu *cpu = ctx;
    enum { FEW = 3, WORTH = 4, EACH = 4, SKEWED_LEAST = 2 };
    if (cpu->tile) return rows < FEW ? rows : FEW; // tests want small bands
    size_t near = cache_bytes() / 2;
    if ((double)rows * (double)row_bytes < (double)WORTH * (double)near * cpu->threads) return 0;
    if (beside > 0) near += near / 2;
    int64_t band = (int64_t)(near / (row_bytes ? row_bytes : 1)) - beside;
    if (beside > 0 && band < SKEWED_LEAST) return 0;
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
    if (!some->reduction_count) kernel_simplify(some); // short rows are joined to one long row
}

// Returns a single-threaded copy of the context, for kernels whose operands are in the cache.
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
        if (bands->skewed && bands->kernels[i]->shape[0] < to - from) continue;
        slice(&some, bands, i, from, to, NULL);
        size_t bytes =
            some.reduction_count ? reduce_workspace(one, &some) : elementwise_workspace(one, &some);
        if (bytes > most) most = bytes;
    }
    return aligned_bytes(most);
}

// Returns the bytes of a thread's memory: intermediate rows, then the kernels' workspace.
static size_t thread_bytes(const Cpu *cpu, const Bands *bands) {
    Cpu one = alone(cpu);
    size_t whole = workspace_of(&one, bands, 0, bands->band), last = 0;
    int64_t rest = bands->rows % bands->band;
    for (int64_t rows = 1; bands->skewed && rows < bands->band; rows *= 2) {
        size_t bytes = workspace_of(&one, bands, 0, rows);
        if (bytes > last) last = bytes;
    }
    if (!bands->skewed && rest) last = workspace_of(&one, bands, bands->rows - rest, bands->rows);
    return bands->inside_bytes + (whole > last ? whole : last);
}

size_t cpu_bands_workspace(void *ctx, const Bands *bands) {
    cpu_ready(ctx);
    return (size_t)((Cpu *)ctx)->threads * thread_bytes(ctx, bands);
}

// --- Running -----------------------------------------------------------------------------------

typedef struct BandsJob {
    Job job;
    Cpu one;
    const Bands *bands;
    size_t thread_bytes;
    int64_t back, on;   // time skewing: the largest `ahead` and `lag`
    int stretches;      // number of stretches of rows
    SiteFlags sites[BAND_KERNELS];
} BandsJob;

static void run_rows(BandsJob *b, int number, int64_t from, int64_t to, int worker) {
    const Bands *bands = b->bands;
    char *memory = (char *)bands->workspace + (size_t)worker * b->thread_bytes;
    uint32_t flags[KERN_SITES] = {0};
    Kernel some;
    slice(&some, bands, number, from, to, memory);
    some.workspace = memory + bands->inside_bytes;
    if (some.reduction_count)
        tile_reduce(&b->one, &some, flags);
    else
        tile_elementwise(&b->one, &some, flags);
    sites_tell(&b->sites[number], flags);
}

static void band(void *argument, int part, int worker) {
    BandsJob *b = argument;
    const Bands *bands = b->bands;
    int64_t from = part * bands->band, to = from + bands->band;
    if (to > bands->rows) to = bands->rows;
    for (int i = 0; i < bands->count; i++) run_rows(b, i, from, to, worker);
}

// --- Skewed bands --------------------------------------------------------------------------------

static int64_t clipped(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

// Returns the rows of the next step: a whole band or a power of 2, the numbers that thread_bytes sizes workspace for.
static int64_t rows_at_once(const Bands *bands, int64_t left) {
    if (left >= bands->band) return bands->band;
    int64_t rows = 1;
    while (rows * 2 <= left) rows *= 2;
    return rows;
}

// Runs kernel `number` on those of its rows that are between from and to.
static void run_skewed(BandsJob *b, int number, int64_t from, int64_t to, int worker) {
    const Bands *bands = b->bands;
    int64_t rows = bands->kernels[number]->shape[0], first = bands->first[number];
    from = clipped(from - first, 0, rows);
    to = clipped(to - first, 0, rows);
    for (int64_t some; from < to; from += some) {
        some = rows_at_once(bands, to - from);
        run_rows(b, number, from, from + some, worker);
    }
}

static int64_t stretch_begin(const BandsJob *b, int stretch) {
    return b->bands->rows * stretch / b->stretches;
}

// Time skewing, first phase: runs all kernels on a stretch of rows, except rows that depend on a
// neighbouring stretch: the first `ahead` and last `lag` of each kernel. The first stretch has no
// neighbour before it, the last none after it.
static void run_stretch(void *argument, int part, int worker) {
    BandsJob *b = argument;
    const Bands *bands = b->bands;
    int64_t begin = stretch_begin(b, part), end = stretch_begin(b, part + 1), far = bands->rows + b->back + b->on;
    bool is_first = part == 0, is_last = part == b->stretches - 1;
    int64_t done[BAND_KERNELS];
    bool more = true;
    for (int i = 0; i < bands->count; i++) done[i] = is_first ? -far : begin + bands->ahead[i];
    for (int64_t front = begin + bands->band; more; front += bands->band) {
        more = false;
        for (int i = 0; i < bands->count; i++) {
            int64_t last = is_last ? bands->rows : end - bands->lag[i];
            int64_t to = front - bands->lag[i] < last ? front - bands->lag[i] : last;
            if (to > done[i]) {
                run_skewed(b, i, done[i], to, worker);
                done[i] = to;
            }
            more |= done[i] < last;
        }
        if (bands->poke && worker == 0) bands->poke(bands->poked);
    }
}

// Second phase: runs the rows left over between two stretches.
static void run_gap(void *argument, int part, int worker) {
    BandsJob *b = argument;
    const Bands *bands = b->bands;
    int64_t at = stretch_begin(b, part + 1);
    for (int i = 0; i < bands->count; i++)
        run_skewed(b, i, at - bands->lag[i], at + bands->ahead[i], worker);
}

static void launch_skewed(Cpu *cpu, BandsJob *b) {
    const Bands *bands = b->bands;
    uint32_t none = 0;
    for (int i = 0; i < bands->count; i++) {
        if (bands->ahead[i] > b->back) b->back = bands->ahead[i];
        if (bands->lag[i] > b->on) b->on = bands->lag[i];
    }
    // stretches must be long enough that gaps do not overlap each other
    int64_t least = 2 * (b->back + b->on) + bands->band, most = bands->rows / least;
    b->stretches = (int)clipped(cpu->threads, 1, most > 0 ? most : 1);
    share_out(cpu, run_stretch, b, b->stretches, &none);
    if (b->stretches > 1) share_out(cpu, run_gap, b, b->stretches - 1, &none);
}

void cpu_launch_bands(void *ctx, const Bands *bands, uint32_t *const *flags) {
    Cpu *cpu = ctx;
    cpu_ready(cpu);
    for (int i = 0; i < bands->count; i++) vectors_prepare(cpu, bands->kernels[i]);
    BandsJob b = {.one = alone(cpu), .bands = bands, .thread_bytes = thread_bytes(cpu, bands)};
    for (int i = 0; i < bands->count; i++) sites_clear(&b.sites[i], bands->kernels[i]);
    int64_t parts = (bands->rows + bands->band - 1) / bands->band;
    uint32_t none = 0;
    if (bands->skewed) launch_skewed(cpu, &b);
    else share_out(cpu, band, &b, (int)parts, &none);
    for (int i = 0; i < bands->count; i++) sites_gather(&b.sites[i], flags[i]);
}
