// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reduces many rows to one (column sums). Walking down columns would jump through memory, so runs
// of whole rows are reduced, each to a row of its own, and then these rows. The number of runs
// depends on the shape only, so the result does not depend on the threads.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/move.h"

enum { RUNS_MOST = 32, ROWS_LEAST = 8, RUN_LEAST = 1 << 15, ROW_BYTES_MOST = 1 << 17 };

static int64_t result_elements(const Kernel *k) {
    int64_t n = 1;
    for (int d = 0; d < k->ndim; d++)
        if (!(k->reduced >> d & 1)) n *= k->shape[d];
    return n;
}

// Returns the bytes of a run's results for the first `reductions` reductions.
static size_t row_bytes(const Kernel *given, int reductions) {
    size_t bytes = 0;
    for (int r = 0; r < reductions; r++) {
        size_t each = (size_t)result_elements(given) * dtype_size(reduced_type(given, r));
        bytes += aligned_bytes(each);
    }
    return bytes;
}

int row_runs(const Way *way) {
    const Kernel *k = way->given;
    if (!reduces_rows(k)) return 0;
    int64_t apart = 1, rows = k->shape[dim_of_rows(k)], elements = rows * result_elements(k);
    for (int d = 0; d < dim_of_rows(k); d++) apart *= k->shape[d];
    if (apart >= RUNS_MOST) return 0; // other dimensions already give enough parts
    for (int r = 0; r < k->reduction_count; r++)
        if (!may_reorder(k, r)) return 0;
    if (row_bytes(k, k->reduction_count) > ROW_BYTES_MOST) return 0;
    int64_t runs = way->kernel->shape[dim_of_rows(k)] / ROWS_LEAST;
    if (runs > elements / RUN_LEAST) runs = elements / RUN_LEAST;
    return runs < 2 ? 0 : runs < RUNS_MOST ? (int)runs : RUNS_MOST;
}

// Sets the strides of a contiguous result whose inner dimension has `row` elements.
static void compact(KernAccess *access, const Kernel *k, int64_t row) {
    int64_t stride = (int64_t)dtype_size(access->dtype);
    for (int d = k->ndim - 1; d >= 0; d--) {
        bool kept = !(k->reduced >> d & 1);
        access->strides[d] = kept ? stride : 0;
        if (kept) stride *= d == k->ndim - 1 ? row : k->shape[d];
    }
    access->storage = NULL;
    access->offset = 0;
}

// Makes the way that combines the runs' results.
static void join_runs(Way *join, const Way *way, char *rows, size_t stride) {
    const Kernel *k = way->given;
    Kernel *to = &join->turned;
    int d = dim_of_rows(k);
    kernel_copy(to, k);
    to->load_count = to->store_count = k->reduction_count;
    to->code_count = to->param_count = 0;
    to->shape[d] = row_runs(way);
    for (int r = 0; r < k->reduction_count; r++) {
        to->stores[r].value = (int8_t)r;
        to->loads[r] = k->stores[r].to;
        to->loads[r].base = rows ? rows + row_bytes(k, r) : NULL; // NULL: only sizes matter
        compact(&to->loads[r], k, k->shape[k->ndim - 1]);
        to->loads[r].strides[d] = (int64_t)stride;
    }
    join->given = join->kernel = to;
    join->summed = -1;
    join->narrow = join->rest = 0;
}

typedef struct RunsJob {
    Job job;
    SiteFlags sites;
    const Way *way;
    int runs;
    char *rows; // results of all runs
    size_t stride;
} RunsJob;

// Reduces one run. Its first row initialises the result.
static void reduce_rows(void *argument, int part, int number) {
    RunsJob *j = argument;
    const Kernel *k = j->way->kernel;
    Kernel piece, first;
    Worker worker;
    int d = dim_of_rows(k);
    int64_t from = k->shape[d] * part / j->runs, to = k->shape[d] * (part + 1) / j->runs;
    worker_init(&worker, j->job.cpu, j->way, number);
    kernel_copy(&piece, k);
    for (int r = 0; r < k->reduction_count; r++) {
        KernAccess *own = &piece.stores[r].to;
        own->base = j->rows + (size_t)part * j->stride + row_bytes(j->way->given, r);
        compact(own, k, j->way->narrow ? j->way->narrow : k->shape[k->ndim - 1]);
    }
    kernel_copy(&first, &piece);
    kernel_slice(&first, d, from, from + 1);
    kernel_slice(&piece, d, from + 1, to);
    flags_clear();
    worker.own_rows = worker.begins = true;
    reduce_part(&worker, j->way, &first);
    worker.begins = false;
    reduce_part(&worker, j->way, &piece);
    stream_end();
    worker_finish(&worker, k, &j->sites);
}

// Returns the bytes of the workspace's first part, for all workers; the worker that combines the rows reuses it.
static size_t workers_bytes(const Cpu *cpu, const Way *way) {
    Way join;
    join_runs(&join, way, NULL, 0);
    size_t all = (size_t)(worth_threads(cpu, way->kernel) ? cpu->threads : 1) * worker_bytes(cpu, way);
    size_t one = worker_bytes(cpu, &join);
    return all > one ? all : one;
}

size_t runs_workspace(const Cpu *cpu, const Way *way) {
    return workers_bytes(cpu, way) + (size_t)row_runs(way) * row_bytes(way->given, way->given->reduction_count);
}

void reduce_by_runs(const Cpu *cpu, const Way *way, uint32_t *flags) {
    const Kernel *k = way->kernel;
    RunsJob j = {.way = way, .runs = row_runs(way), .stride = row_bytes(way->given, k->reduction_count)};
    j.rows = (char *)k->workspace + workers_bytes(cpu, way);
    sites_clear(&j.sites, k);
    if (worth_threads(cpu, k)) {
        share_out(cpu, reduce_rows, &j, j.runs, flags);
    } else {
        j.job.cpu = cpu;
        for (int i = 0; i < j.runs; i++) reduce_rows(&j, i, 0);
    }
    sites_gather(&j.sites, flags);
    if (left(cpu, k, flags)) return;
    Way join;
    Worker worker;
    join_runs(&join, way, j.rows, j.stride);
    worker_init(&worker, cpu, &join, 0);
    flags_clear();
    reduce_part(&worker, &join, &join.turned);
    sites_clear(&j.sites, k);
    worker_finish(&worker, &join.turned, &j.sites);
    sites_gather(&j.sites, flags);
}
