// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Groups of ranks that are VMs of one process. A NacreGroup is the transport's LoopbackGroup.

#include <string.h>

#include "dist/loopback/loopback.h"
#include "vm/api/sizes.h"
#include "vm/sched/engine.h"

NacreGroup *nacre_group_new(const NacreGroupOptions *given) {
    NacreGroupOptions options;
    if (!API_TAKE(&options, FIRST_GROUP, given)) return NULL;
    engine_prepare(true);
    const LoopbackOptions each = {.ranks = options.ranks, .seed = options.seed, .stall = options.stall,
                                  .lost_rank = options.lost_rank, .lost_step = options.lost_step};
    return (NacreGroup *)loopback_group_new(&each);
}

void nacre_group_free(NacreGroup *group) {
    loopback_group_free((LoopbackGroup *)group);
}

void api_group_miss(const NacreOptions *options) {
    bool in_group = options->group && options->ranks && strcmp(options->ranks, ranks_loopback.name) == 0;
    if (in_group) loopback_group_miss((LoopbackGroup *)options->group, options->rank);
}
