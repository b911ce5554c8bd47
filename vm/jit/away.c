// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Common parts of running parallel loops on devices and on ranks.

#include "vm/jit/away.h"

bool away_touches(uint8_t op) {
    switch ((RegionOp)op) {
    case RG_LOAD:
    case RG_STORE:
    case RG_ADDRESS:
    case RG_NEST:
    case RG_SPREAD:
    case RG_MAKE: return true;
    default: return false;
    }
}

static bool is_of_loop(const Region *r, int32_t block) {
    for (int p = 0; p < r->parallel_count; p++)
        if (away_has_block(&r->parallels[p], block)) return true;
    return false;
}

bool away_suits(const Region *r) {
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            if (away_touches(r->code[i].op) && !is_of_loop(r, b)) return false;
    return r->parallel_count > 0;
}

void away_leave(AwayRun *run) {
    run->leaves = true;
    run->vm->safe_stop = 0;
}
