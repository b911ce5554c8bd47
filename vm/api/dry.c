// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dry runs: options and results for the host.

#include "vm/sched/dry.h"

#include "vm/api/api.h"
#include "vm/api/sizes.h"

_Static_assert((int)NACRE_DISTANCES == (int)DRY_DISTANCES, "distances");
_Static_assert((int)NACRE_DRY_ASSUMED == (int)DRY_ASSUMED && (int)NACRE_DRY_GATHER == (int)DRY_GATHER, "kinds");

bool api_take_dry(NacreVm *handle, const NacreDryRun *given) {
    return API_TAKE(&handle->dry_run, FIRST_DRY_RUN, given);
}

static void put_traffic(const DryTraffic *from, NacreDryStep *to) {
    to->messages = from->messages;
    to->message_bytes = from->bytes;
    to->received = from->received;
    to->node_bytes = from->node_bytes;
    for (int d = 0; d < NACRE_DISTANCES; d++) {
        to->rank_messages[d] = from->rank_messages[d];
        to->rank_bytes[d] = from->rank_bytes[d];
    }
}

void api_dry_step(void *ctx, const DryStep *step) {
    const NacreDryRun *run = ctx;
    NacreDryStream streams[DRY_STREAMS];
    for (int i = 0; i < step->stream_count; i++)
        streams[i] = (NacreDryStream){step->streams[i].bytes, step->streams[i].distance, step->streams[i].whole};
    NacreDryStep told = {
        .struct_size = sizeof told, .kind = (NacreDryKind)step->kind, .file = step->file, .line = (int)step->line,
        .what = step->what, .why = step->why, .is_library = step->is_library, .is_shared = step->is_shared,
        .dimension = step->dim, .ndim = step->ndim, .shape = step->shape, .parts = step->parts, .share = step->share,
        .operations = step->operations, .stream_count = step->stream_count, .streams = streams, .bytes = step->bytes,
        .inner = step->inner};
    put_traffic(&step->traffic, &told);
    if (run->step) run->step(run->ctx, &told);
}
