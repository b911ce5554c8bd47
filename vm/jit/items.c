// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Deciding, each time that code comes to a parallel loop, where it is run: on the device, or, once its arrays have come
// home, by threads or code of the host.

#include "vm/jit/items.h"

#include <stdio.h>
#include <string.h>

#include "vm/sched/engine.h"
#include "vm/sched/items.h"

// --- Code ------------------------------------------------------------------------------------------

static bool touches_elements(uint8_t op) {
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

static bool has_block(const RegionParallel *p, int32_t block) {
    return p->blocks[block / 64] >> block % 64 & 1;
}

static bool is_of_loop(const Region *r, int32_t block) {
    for (int p = 0; p < r->parallel_count; p++)
        if (has_block(&r->parallels[p], block)) return true;
    return false;
}

// Arrays that the loop touches elements of, on the way out of the region too.
static uint32_t touched(const Region *r, const RegionParallel *p) {
    uint32_t arrays = items_arrays(p);
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; has_block(p, b) && i < r->blocks[b].end; i++)
            if (touches_elements(r->code[i].op)) arrays |= UINT32_C(1) << r->code[i].array;
    return arrays;
}

bool items_suit(const Region *r) {
    for (int p = 0; p < r->parallel_count; p++)
        if (!items_may_run(r, &r->parallels[p])) return false;
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            if (touches_elements(r->code[i].op) && !is_of_loop(r, b)) return false;
    return r->parallel_count > 0;
}

// --- Before and behind -----------------------------------------------------------------------------

// What is pending for one array may move another's memory, so all of it is run first.
Status items_open(ItemsRun *run) {
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

void items_close(ItemsRun *run) {
    for (int a = 0; a < run->variant->region.array_count; a++) engine_items_close(run->vm, run->storages[a]);
}

// --- A loop ----------------------------------------------------------------------------------------

typedef struct Launch {
    ItemsRun *run;
    const RegionParallel *loop;
    Storage *storages[REGION_ARRAYS];
} Launch;

static bool launch(void *context, RegionItems *items) {
    Launch *l = context;
    bool done = false;
    l->run->st = engine_items_run(l->run->vm, items, l->storages, l->loop->written, &done);
    return done;
}

// Reports that the host does it, though an array is on the device.
static Status tell(ItemsRun *run, uint32_t arrays, const char *why) {
    const CodePlace head = {&run->place->code->gc.obj, run->place->head};
    bool any = false;
    for (int a = 0; a < run->variant->region.array_count; a++)
        any |= arrays >> a & 1 && run->storages[a]->buffer.valid == PLACE_DEVICE;
    return any ? engine_detour(run->vm, DETOUR_KERNEL, -1, head, "a loop in machine code", why) : ST_OK;
}

static Status come_home(ItemsRun *run, const RegionParallel *p, const char *why) {
    const uint32_t arrays = touched(&run->variant->region, p);
    Status st = tell(run, arrays, why);
    for (int a = 0; a < run->variant->region.array_count && st == ST_OK; a++)
        if (arrays >> a & 1) st = engine_items_home(run->vm, run->storages[a], p->written >> a & 1);
    return st;
}

// Code polls at the head of each loop, before it touches an element.
static void leave(ItemsRun *run) {
    run->vm->safe_stop = 0;
}

int64_t items_make(ItemsRun *run, const ParallelRun *loop, RegionSlot *state) {
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
    if (run->st != ST_OK) leave(run);
    return made;
}
