// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reductions: choice of algorithm, initial values, and distribution to threads.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/loops/vector.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/move.h"

// --- Iteration ---------------------------------------------------------------------------------

static void walk(Worker *w, const Way *way, const Kernel *k) {
    int inner = k->ndim - 1, accesses = access_count(k);
    char *at[KERN_ACCESSES];
    const int64_t *strides[KERN_ACCESSES];
    int64_t index[NDIM_MAX] = {0}, shape[NDIM_MAX];
    memcpy(shape, k->shape, (size_t)k->ndim * sizeof *shape);
    if (way->summed >= 0) shape[way->summed] = 1;
    if (way->narrow) shape[inner - 1] = 1;
    for (int i = 0; i < accesses; i++) {
        strides[i] = access_number(k, i)->strides;
        at[i] = access_at(access_number(k, i));
    }
    bool inner_reduced = k->reduced >> inner & 1;
    do {
        if (way->summed >= 0) sum_short(w, k, at, way->summed);
        else if (way->narrow) combine_narrow(w, way, k, at);
        else if (inner_reduced) reduce_run(w, k, at);
        else combine_run(w, k, at);
    } while (!left(w->cpu, k, w->flags) &&
             odometer_next(inner, shape, index, at, strides, accesses));
}

// Long rows that are combined are split by columns, so that the accumulators stay in the cache.
void reduce_part(Worker *w, const Way *way, const Kernel *k) {
    enum { COLUMNS = 4096, ROWS_LEAST = 32 };
    int inner = k->ndim - 1;
    int64_t rows = 1;
    Kernel some;
    for (int d = 0; d < inner; d++)
        if (k->reduced >> d & 1) rows *= k->shape[d];
    if (k->reduced >> inner & 1 || way->narrow || k->shape[inner] <= COLUMNS || rows < ROWS_LEAST) {
        walk(w, way, k);
        return;
    }
    for (int64_t from = 0, to; from < k->shape[inner] && !left(w->cpu, k, w->flags); from = to) {
        to = k->shape[inner] - from < 2 * COLUMNS ? k->shape[inner] : from + COLUMNS;
        kernel_copy(&some, k);
        kernel_slice(&some, inner, from, to);
        walk(w, way, &some);
    }
}

static void as_it_is(Way *way, const Kernel *k) {
    way->given = way->kernel = k;
    way->summed = -1;
    way->narrow = way->rest = 0;
}

static void choose_way(Way *way, const Kernel *k) {
    as_it_is(way, k);
    if (!is_whole(k) && !way_short(way, k) && !is_contraction(k)) way_narrow(way, k);
}

// Returns whether the reduction is vectorised across short rows, with a kept dimension innermost.
static bool is_turned(const Way *way) {
    return way->kernel == &way->turned && !way->narrow;
}

// --- Initial values ----------------------------------------------------------------------------

static bool has_initials(const Kernel *k) {
    for (int r = 0; r < k->reduction_count; r++)
        if (!k->reductions[r].has_initial) return false;
    return true;
}

// Makes the kernel that initialises outputs: from the initial value, or the first value along the
// reduced dimensions. False: all reductions accumulate into existing values.
static bool beginning(Kernel *first, const Kernel *k) {
    kernel_copy(first, k);
    for (int d = 0; d < k->ndim; d++)
        if (k->reduced >> d & 1) first->shape[d] = 1;
    first->reduction_count = first->store_count = 0;
    first->reduced = 0;
    if (has_initials(k)) first->load_count = first->lines_count = first->code_count = first->param_count = 0;
    for (int r = 0; r < k->reduction_count; r++) {
        const KernReduction *reduction = &k->reductions[r];
        if (reduction->begun) continue;
        KernStore *store = &first->stores[first->store_count++];
        *store = k->stores[r];
        if (!reduction->has_initial) continue;
        store->value = (int8_t)(KERN_FIRST_PARAM + first->param_count);
        first->params[first->param_count] = reduction->initial;
        first->param_types[first->param_count++] = store->to.dtype;
    }
    if (first->store_count == 0) return false;
    kernel_simplify(first); // drops dimensions, since an inner one of one element makes rows short
    return true;
}

// --- Splitting over threads --------------------------------------------------------------------

// Returns the dimension to split: the outermost kept one that is long enough for all threads, since its parts
// are far apart in memory; otherwise the longest. -1: all dimensions are reduced.
static int kept_dim(const Cpu *cpu, const Way *way) {
    const Kernel *k = way->kernel;
    int best = -1;
    for (int d = 0; d < k->ndim - (way->narrow > 0); d++) {
        if (k->reduced >> d & 1) continue;
        if (d < k->ndim - 1 && k->shape[d] >= 4 * cpu->threads) return d;
        if (best < 0 || k->shape[d] > k->shape[best]) best = d;
    }
    return best;
}

static size_t block_bytes(const Kernel *k, int r) {
    size_t size = dtype_size(reduced_type(k, r));
    return BLOCK * (size < 8 ? 8 : size);
}

size_t worker_bytes(const Cpu *cpu, const Way *way) {
    const Kernel *k = way->kernel;
    size_t bytes = tiles_bytes(cpu, k, NULL) + narrow_bytes(way);
    for (int r = 0; r < k->reduction_count; r++) bytes += block_bytes(k, r);
    return bytes;
}

void worker_init(Worker *w, const Cpu *cpu, const Way *way, int number) {
    const Kernel *k = way->kernel;
    char *memory = (char *)k->workspace + (size_t)number * worker_bytes(cpu, way);
    w->cpu = cpu;
    w->wary = 0;
    w->begins = w->own_rows = false;
    memset(w->flags, 0, sizeof w->flags);
    w->rows = memory;
    memory += narrow_bytes(way);
    for (int r = 0; r < k->reduction_count; memory += block_bytes(k, r++)) w->blocks[r] = memory;
    w->tiles = tiles_init(cpu, memory, k, NULL);
}

typedef struct ReduceJob {
    Job job;
    SiteFlags sites;
    const Way *way;
    int dim, parts;
} ReduceJob;

// Adds the worker's flags to the sites, including those that its last combinations left raised in the processor.
void worker_finish(Worker *w, const Kernel *k, SiteFlags *sites) {
    if (k->flags && k->reduction_count == 1)
        flags_tell(&w->flags[k->reductions[0].site], ~k->reductions[0].untold, true);
    sites_tell(sites, w->flags);
}

static void reduce_piece(void *argument, int part, int number) {
    ReduceJob *r = argument;
    const Kernel *k = r->way->kernel;
    Kernel piece;
    kernel_copy(&piece, k);
    Worker worker;
    int d = r->dim;
    worker_init(&worker, r->job.cpu, r->way, number);
    if (d >= 0)
        kernel_slice(&piece, d, k->shape[d] * part / r->parts, k->shape[d] * (part + 1) / r->parts);
    flags_clear();
    reduce_part(&worker, r->way, &piece);
    stream_end();
    worker_finish(&worker, k, &r->sites);
}

static int parts_of(const Cpu *cpu, const Way *way) {
    int d = kept_dim(cpu, way);
    return d < 0 || !worth_threads(cpu, way->kernel) ? 1 : parts_for(cpu, way->kernel->shape[d]);
}

static void reduce_by_parts(const Cpu *cpu, const Way *way, uint32_t *flags) {
    ReduceJob r = {.way = way, .dim = kept_dim(cpu, way), .parts = parts_of(cpu, way)};
    sites_clear(&r.sites, way->kernel);
    share_out(cpu, reduce_piece, &r, r.parts, flags);
    sites_gather(&r.sites, flags);
}

// Makes the way for the last rows, which do not fill a long row (reduce_narrow.c).
static void rest_of(Way *rest, const Way *way) {
    const Kernel *k = way->given;
    int d = dim_of_rows(k);
    as_it_is(rest, &rest->turned);
    kernel_copy(&rest->turned, k);
    kernel_slice(&rest->turned, d, k->shape[d] - way->rest, k->shape[d]);
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t parts_workspace(const Cpu *cpu, const Way *way) {
    bool shared = worth_threads(cpu, way->kernel) && (is_whole(way->kernel) || parts_of(cpu, way) > 1);
    return (size_t)(shared ? cpu->threads : 1) * worker_bytes(cpu, way);
}

// The workspace is used first by the initialising kernel, then by the parts, then by the remaining rows.
size_t reduce_workspace(const Cpu *cpu, const Kernel *k) {
    Kernel first;
    Way way, rest;
    choose_way(&way, k);
    size_t begin = beginning(&first, k) ? elementwise_workspace(cpu, &first) : 0;
    size_t parts = row_runs(&way) ? runs_workspace(cpu, &way) : parts_workspace(cpu, &way);
    if (is_turned(&way)) parts += pack_bytes(way.kernel);
    if (way.rest) rest_of(&rest, &way);
    size_t most = larger(begin, contract_workspace(k));
    return larger(larger(most, parts), way.rest ? parts_workspace(cpu, &rest) : 0);
}

void tile_reduce(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Kernel first;
    Way way, rest;
    int64_t n = 1;
    if (contract(cpu, k, flags)) return;
    vectors_prepare(cpu, k);
    if (beginning(&first, k)) tile_elementwise(cpu, &first, flags);
    for (int d = 0; d < k->ndim; d++) n *= k->shape[d];
    if (n == 0) return;
    choose_way(&way, k);
    if (is_turned(&way)) pack_operands(&way.turned);
    if (is_whole(k)) reduce_whole(cpu, &way, n, flags);
    else if (row_runs(&way)) reduce_by_runs(cpu, &way, flags);
    else reduce_by_parts(cpu, &way, flags);
    if (!way.rest || left(cpu, k, flags)) return;
    rest_of(&rest, &way);
    reduce_by_parts(cpu, &rest, flags);
}
