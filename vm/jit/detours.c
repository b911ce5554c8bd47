// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides where a loop runs if its arrays are on a device or distributed, and reports loops that do not run as
// requested.

#include <stdio.h>

#include "vm/jit/loop.h"
#include "vm/sched/engine.h"
#include "vm/sched/items.h"
#include "vm/sched/loop_parts.h"

// How often a loop's head is passed before compiled code brings its arrays to the host. The interpreter may bring them
// earlier, when it reads their elements one by one.
enum { HEADS_UNTIL_TAKEN = 2 };

// --- Devices -----------------------------------------------------------------------------------

static bool is_whole_array_work(uint8_t op) {
    return op == RG_NEST || op == RG_MAKE || op == RG_VECTOR || op == RG_REDUCE || op == RG_PRODUCT ||
           op == RG_TAKE || op == RG_DOT;
}

// Returns the first instruction that works on whole arrays; NULL: none.
static const RegionInstr *whole_array_work(const Region *region) {
    for (int32_t i = 0; i < region->code_count; i++)
        if (is_whole_array_work(region->code[i].op)) return &region->code[i];
    return NULL;
}

// Does not refuse a loop if the device takes arrays from some size on only: then loop_take_arrays decides at each
// entry, when sizes are known.
void loop_refuse(const Vm *vm, Variant *variant) {
    const RegionInstr *work = whole_array_work(&variant->region);
    bool for_device = engine_on_device(vm) && engine_device_least(vm) <= 1;
    if (!work || !(for_device || engine_is_unfused(vm))) return;
    variant->failed = true;
    variant->refused = for_device ? "work on whole arrays, which is the device's" : "work on whole arrays, unfused";
    variant->refused_line = work->line;
}

// Returns whether the region leaves at unsupported statements. The interpreter may run these on the device.
static bool has_unknown(const Region *region) {
    for (int32_t e = 0; e < region->exit_count; e++)
        if (region->exits[e].unknown) return true;
    return false;
}

// Returns ST_OK if the host may run a loop that works on whole arrays: the device has launched no kernel in the last
// HEADS_OF_LITTLE_WORK passes of the head, and the arrays are on the host. ST_NOTIMPL: the loop stays interpreted, and
// the device does its work.
static Status take_little_work(Vm *vm, Loop *loop, const Variant *variant) {
    enum { HEADS_OF_LITTLE_WORK = 32 };
    if (++loop->waited < HEADS_OF_LITTLE_WORK) return ST_NOTIMPL;
    uint64_t before = loop->launches;
    Status st = engine_device_launches(vm, &loop->launches);
    if (st != ST_OK) return st;
    if (loop->launches == before && arrays_are_here(&loop->place, variant, vm->interp->frame)) return ST_OK;
    loop->waited = 0;
    return ST_NOTIMPL;
}

Status loop_take_arrays(Vm *vm, Loop *loop, Variant *variant) {
    const Frame *frame = vm->interp->frame;
    CodePlace head = {&loop->place.code->gc.obj, loop->place.head};
    const char *gathers = variant->gathers;
    loop->away = AWAY_NOT;
    if (variant->for_parts && !gathers && engine_has_loop_parts(vm)) loop->away = AWAY_RANKS;
    variant->gathers = NULL;
    if (loop->away == AWAY_RANKS) return ST_OK;
    const bool distributed = arrays_are_distributed(vm, &loop->place, variant, frame);
    if (distributed && whole_array_work(&variant->region)) return ST_NOTIMPL; // interpreted, since ranks then share it
    if (distributed)
        return engine_detour(vm, DETOUR_GATHERED, -1, head, "a loop in machine code", gathers ? gathers : "it works on single elements");
    if (variant->for_items && engine_has_items(vm) && !arrays_are_little(&loop->place, variant, frame, engine_device_least(vm)))
        loop->away = AWAY_DEVICE;
    if (loop->away || !engine_on_device(vm) || arrays_are_little(&loop->place, variant, frame, engine_device_least(vm)) ||
        (!whole_array_work(&variant->region) && arrays_are_here(&loop->place, variant, frame))) {
        loop->waited = 0;
        return ST_OK;
    }
    if (whole_array_work(&variant->region)) return take_little_work(vm, loop, variant);
    if (has_unknown(&variant->region) || loop->waited++ < HEADS_UNTIL_TAKEN) return ST_NOTIMPL;
    loop->waited = 0;
    char why[64];
    snprintf(why, sizeof why, "%s has its arrays", engine_device_name(vm));
    return engine_detour(vm, DETOUR_KERNEL, -1, head, "a loop in machine code", why);
}

// --- No machine code ---------------------------------------------------------------------------

// Loops of the library's own modules are not reported: the user did not ask for them.
static bool is_asked_for(const Vm *vm, const Code *code) {
    return vm->interp->spec->waits && engine_is_strict(vm) && code->unit->source;
}

Status loop_unarmed(Vm *vm, const Frame *frame, const Instr *head, const char *why) {
    CodePlace place = {&frame->code->gc.obj, (uint32_t)(head - frame->code->bc->code)};
    if (!is_asked_for(vm, frame->code)) return ST_OK;
    return engine_detour(vm, DETOUR_INTERPRETED, 0, place, "a loop", why);
}

Status loop_missed(Vm *vm, const Loop *loop, const Variant *variant) {
    if (!is_asked_for(vm, loop->place.code) || (variant && variant->refused)) return ST_OK;
    Reason reason = {.code = loop->place.code, .pc = loop->place.head, .why = "too many kinds of values"};
    if (variant) reason = loop_failure(loop, variant);
    CodePlace place = {&reason.code->gc.obj, reason.pc};
    return engine_detour(vm, DETOUR_INTERPRETED, 0, place, "a loop", reason.why);
}

Status loop_left(Vm *vm, const Loop *loop, const Variant *variant, int32_t exit) {
    Frame *frame = vm->interp->frame;
    if (!is_asked_for(vm, loop->place.code)) return ST_OK;
    Reason reason = loop_reason(loop, variant, exit);
    CodePlace place = {&reason.code->gc.obj, reason.pc};
    const Instr *left_at = frame->pc;
    if (reason.code == frame->code) frame->pc = frame->code->bc->code + reason.pc; // where an exception comes from
    Status st = engine_detour(vm, DETOUR_INTERPRETED, 0, place, "a loop", reason.why);
    if (st == ST_OK) frame->pc = left_at;
    return st;
}
