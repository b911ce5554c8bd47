// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides, each time code reaches a parallel loop, whether the device runs it. If not, brings its arrays to the host,
// whose threads or code run it.

#include "vm/jit/items.h"

#include <stdio.h>
#include <string.h>

#include "vm/sched/engine.h"
#include "vm/sched/items.h"

// Returns the arrays (bits) whose elements the loop accesses, also in blocks that leave the region.
static uint32_t touched(const Region *r, const RegionParallel *p) {
    uint32_t arrays = items_arrays(p);
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; away_has_block(p, b) && i < r->blocks[b].end; i++)
            if (away_touches(r->code[i].op)) arrays |= UINT32_C(1) << r->code[i].array;
    return arrays;
}

bool items_suit(const Region *r) {
    for (int p = 0; p < r->parallel_count; p++)
        if (!items_may_run(r, &r->parallels[p])) return false;
    return away_suits(r);
}

// --- Entering and leaving code ---------------------------------------------------------------------

// Runs the pending nodes of all arrays first, since those of one array may move another's memory.
Status items_open(AwayRun *run) {
    const Region *r = &run->variant->region;
    Status st = ST_OK;
    run->stays = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < r->array_count && st == ST_OK; a++) {
            bool away = false;
            if (pass == 0) st = graph_of(run->vm)->hooks.observe(run->vm, run->storages[a], r->arrays[a].written);
            else st = engine_items_open(run->vm, run->storages[a], r->arrays[a].written, &away);
            if (!away && pass) run->stays |= UINT32_C(1) << a;
        }
    return st;
}

void items_close(AwayRun *run) {
    for (int a = 0; a < run->variant->region.array_count; a++) engine_items_close(run->vm, run->storages[a]);
}

// --- A loop ----------------------------------------------------------------------------------------

typedef struct Launch {
    AwayRun *run;
    const RegionParallel *loop;
    Storage *storages[REGION_ARRAYS];
} Launch;

static bool launch(void *context, RegionItems *items) {
    Launch *l = context;
    bool done = false;
    l->run->st = engine_items_run(l->run->vm, items, l->storages, l->loop->written, &done);
    return done;
}

// Reports that the host runs the loop although one of its arrays is on the device.
static Status tell(AwayRun *run, uint32_t arrays, const char *why) {
    const CodePlace head = {&run->place->code->gc.obj, run->place->head};
    bool any = false;
    for (int a = 0; a < run->variant->region.array_count; a++)
        any |= arrays >> a & 1 && run->storages[a]->buffer.valid == PLACE_DEVICE;
    return any ? engine_detour(run->vm, DETOUR_KERNEL, -1, head, "a loop in machine code", why) : ST_OK;
}

static Status come_home(AwayRun *run, const RegionParallel *p, const char *why) {
    const uint32_t arrays = touched(&run->variant->region, p);
    Status st = tell(run, arrays, why);
    for (int a = 0; a < run->variant->region.array_count && st == ST_OK; a++)
        if (arrays >> a & 1) st = engine_items_home(run->vm, run->storages[a], p->written >> a & 1);
    return st;
}

int64_t items_make(AwayRun *run, const ParallelRun *loop, RegionSlot *state) {
    const RegionParallel *p = loop->loop;
    ItemsKey *key = &run->variant->items[p - loop->region->parallels];
    Launch l = {.run = run, .loop = p};
    char *bases[REGION_ARRAYS] = {NULL}, why[64] = "there is little work in it";
    int64_t made = 0;
    for (int a = 0; a < loop->region->array_count; a++) {
        if (!(items_arrays(p) >> a & 1)) continue;
        l.storages[a] = run->storages[a];
        bases[a] = run->storages[a]->buffer.host;
    }
    if (run->stays & items_arrays(p)) {
        snprintf(why, sizeof why, "others have one of its arrays");
    } else if (engine_items_worth(run->vm, items_size(loop, state), l.storages, loop->region->array_count)) {
        made = items_run(loop, key, bases, launch, &l, state);
        snprintf(why, sizeof why, key->refused ? "%s has no words for it" : "%s cannot do all of its rounds",
                 engine_device_name(run->vm));
    }
    if (made == 0 && run->st == ST_OK) run->st = come_home(run, p, why);
    if (run->st != ST_OK) away_leave(run);
    return made;
}
