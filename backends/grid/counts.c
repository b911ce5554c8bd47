// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Prefix sums of counts on a device.

#include "backends/grid/counts.h"

#include "backends/grid/text/counts.h"

#include "grid_text_counts.h"
#include "grid_text_counts_h.h"

enum { SUMS, ALL, PARTS }; // functions, in the order of GRID_COUNT_NAMES
enum { EACH = GRID_LANES * 8, FEW = 4 * EACH }; // counts per group; the most counts that a single group sums up

void grid_counts_text(Buf *out) {
    buf_puts(out, GRID_TEXT_COUNTS_H GRID_TEXT_COUNTS);
}

static int64_t groups_of(int64_t count) {
    return (count + EACH - 1) / EACH;
}

bool grid_tally_take(GridRun *run, GridTally *tally, int64_t count) {
    *tally = (GridTally){.count = count};
    tally->counts = grid_scratch(run, (size_t)count * sizeof(int64_t));
    tally->sums = count > FEW ? grid_scratch(run, (size_t)groups_of(count) * sizeof(int64_t)) : NULL;
    return !run->failed;
}

void grid_tally_sum(GridRun *run, int function, const GridTally *tally) {
    const GridCounts all = {tally->count}, sums = {groups_of(tally->count)};
    void *const memories[] = {tally->counts, tally->sums};
    const GridSize groups = {(size_t)sums.count, 1}, one = {1, 1};
    if (tally->count <= FEW) {
        grid_step_groups(run, function + ALL, one, GRID_LANES, (GridArguments){memories, 1, &all, sizeof all});
        return;
    }
    grid_step_groups(run, function + SUMS, groups, GRID_LANES, (GridArguments){memories, 2, &all, sizeof all});
    grid_step_groups(run, function + ALL, one, GRID_LANES, (GridArguments){&memories[1], 1, &sums, sizeof sums});
    grid_step_groups(run, function + PARTS, groups, GRID_LANES, (GridArguments){memories, 2, &all, sizeof all});
}
