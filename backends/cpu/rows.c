// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distributes rows to threads.

#include "backends/cpu/rows.h"

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/tile/move.h"

static void some_units(const Rows *r, int64_t from, int64_t to, uint32_t *flags) {
    int64_t index[NDIM_MAX] = {0}, within = from % r->units, left = to - from;
    char *at[ROW_OPERANDS];
    memcpy(at, r->at, sizeof at);
    odometer_set(r->ndim, r->shape, index, at, r->strides, r->operands, from / r->units);
    while (left > 0 && !*flags && !interrupted(r->job.cpu, flags)) {
        int64_t some = r->units - within < left ? r->units - within : left;
        r->run(r, at, within, within + some, flags);
        left -= some;
        within = 0;
        odometer_next(r->ndim, r->shape, index, at, r->strides, r->operands);
    }
}

static int64_t units_of(const Rows *r) {
    int64_t units = r->units;
    for (int d = 0; d < r->ndim; d++) units *= r->shape[d];
    return units;
}

static void rows_part(void *argument, int part, int worker) {
    Rows *r = argument;
    int64_t units = units_of(r);
    uint32_t flags = 0;
    (void)worker;
    flags_clear();
    some_units(r, cut_before(units, part, r->parts), cut_before(units, part + 1, r->parts), &flags);
    atomic_fetch_or(&r->job.flags, flags | flags_raised());
}

void rows_run(const Cpu *cpu, Rows *r, int64_t work, uint32_t *flags) {
    int64_t units = units_of(r);
    if (units == 0) return;
    r->parts = work < PARALLEL_WORK || cpu->threads == 1 ? 1 : parts_for(cpu, units);
    share_out(cpu, rows_part, r, r->parts, flags);
}
