// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Specialisation policy: which loops are compiled, for which types, and when that is given up.

#include "vm/jit/jit.h"

#include <string.h>

#include "vm/jit/items.h"
#include "vm/jit/loop.h"
#include "vm/sched/engine.h"
#include "vm/sched/items.h"
#include "vm/sched/loop_parts.h"
#include "vm/value/grid.h"
#include "vm/value/object.h"

enum { HEADS = 8 };
// Iterations between two samples; ROUNDS_AT_ONCE if the program waits for code. Samples that find
// nothing to do become rarer.
enum { ROUNDS_A_SAMPLE = 1024, ROUNDS_AT_ONCE = 2, ROUNDS_MOST = 1 << 16 };
// Limits: a loop is retired after MISSES attempts to enter it without code for its types, a variant fails after
// LEFT_OFTEN exits if it ran fewer than ROUNDS_WORTH iterations per exit.
enum { MISSES = 64, LEFT_OFTEN = 64, ROUNDS_WORTH = 8 };
enum { PATIENCE = 16 };   // samples after which an armed loop whose head was not reached is passed over
enum { LOOK_EVERY = 64 }; // whether code is ready is asked once in this many passes of the loop's head

// Returns whether a device or ranks run the variant's loops. Without code, the interpreter would bring its arrays to
// the host.
static bool is_for_others(const Vm *vm, const Variant *variant) {
    return (variant->for_items && engine_has_items(vm)) || (variant->for_parts && engine_has_loop_parts(vm));
}

// Called when elements of an array on a device, or of a distributed array, are read one by one. Makes jit_sample arm
// all enclosing loops at once, so that they get code before the array is brought to the host.
static void hurry(Vm *vm) {
    Spec *spec = vm->interp->spec;
    if (!spec || spec->hurries || !(engine_has_items(vm) || engine_has_loop_parts(vm))) return;
    spec->hurries = true;
    vm->interp->rounds = 1;
}

bool jit_start(Vm *vm, bool waits, bool fixed) {
    Spec *spec = mem_zalloc(&vm->mem, sizeof *spec);
    vm->interp->spec = spec;
    if (!spec) return false;
    spec->waits = waits;
    engine_when_lingering(vm, hurry);
    spec->look_at = fixed ? LOOK_EVERY - 1 : 0; // the interpreter runs these heads while code is built
    spec->sample = spec->wait = vm->interp->rounds = waits ? ROUNDS_AT_ONCE : ROUNDS_A_SAMPLE;
    return true;
}

static void loop_free(Vm *vm, Loop *loop) {
    Code *code = loop->place.code;
    Module *module = loop->place.module;
    for (int i = 0; i < loop->variant_count; i++) variant_free(vm, &loop->place, loop->variants[i]);
    place_free(vm, &loop->place);
    release_obj(vm, code);
    release_obj(vm, module);
    mem_free(&vm->mem, loop, sizeof *loop);
}

void jit_stop(Vm *vm) {
    Spec *spec = vm->interp->spec;
    if (!spec) return;
    vm->interp->spec = NULL;
    for (int i = 0; i < LOOPS; i++)
        if (spec->loops[i]) loop_free(vm, spec->loops[i]);
    enter_room_free(vm, &spec->room);
    mem_free(&vm->mem, spec, sizeof *spec);
}

void jit_visit(const Spec *spec, Visitor *visitor) {
    for (int i = 0; spec && i < LOOPS; i++) {
        const Loop *loop = spec->loops[i];
        if (!loop) continue;
        visit_obj(visitor, loop->place.code);
        visit_obj(visitor, loop->place.module);
        for (int v = 0; v < loop->variant_count; v++) {
            const Variant *variant = loop->variants[v];
            for (int c = 0; c < variant->constant_count; c++)
                visit_value(visitor, variant->constants[c]);
            for (int i = 0; i < variant->source_count; i++) {
                if (variant->sources[i].holder) visit_obj(visitor, variant->sources[i].holder);
                visit_value(visitor, variant->sources[i].known);
            }
        }
    }
    if (spec) enter_room_visit(&spec->room, visitor);
}

SpecStats jit_stats(const Vm *vm) {
    const Spec *spec = vm->interp->spec;
    return spec ? spec->stats : (SpecStats){0};
}

// --- Arming ------------------------------------------------------------------------------------

// Returns the hash slot for a head's loop; it holds NULL if the head has none.
static Loop **find(Spec *spec, const Instr *head) {
    size_t at = ((uintptr_t)head >> 3) * 0x9E3779B97F4A7C15u >> 32;
    for (at %= LOOPS; spec->loops[at] && spec->loops[at]->head != head; at = (at + 1) % LOOPS) {
    }
    return &spec->loops[at];
}

static bool arm(Vm *vm, Frame *frame, uint32_t pc) {
    Spec *spec = vm->interp->spec;
    Instr *head = &frame->code->bc->code[pc];
    Loop *loop = mem_zalloc(&vm->mem, sizeof *loop);
    if (!loop) return false;
    if (!place_find(vm, frame->code, frame->func->module, pc, &loop->place)) {
        mem_free(&vm->mem, loop, sizeof *loop);
        return false;
    }
    loop->head = head;
    loop->place.code->gc.obj.refs++;
    loop->place.module->gc.obj.refs++;
    *find(spec, head) = loop;
    loop->number = spec->count++;
    head->op = head->op == OP_FOR ? OP_FOR_ARMED : OP_LOOP_ARMED;
    return true;
}

static void retire(Loop *loop) {
    loop->retired = true;
    loop->head->op = loop->head->op == OP_FOR_ARMED ? OP_FOR : OP_LOOP;
}

static bool is_building(const Loop *loop) {
    for (int i = 0; i < loop->variant_count; i++)
        if (!loop->variants[i]->failed && !loop->variants[i]->run) return true;
    return false;
}

// Returns whether an armed loop is still waiting for its head to be reached. Returns true at most PATIENCE - 1 times.
static bool is_expected(Loop *loop) {
    return !loop->retired && loop->variant_count == 0 && ++loop->samples < PATIENCE;
}

Status jit_sample(Vm *vm, const Instr *at) {
    Interp *interp = vm->interp;
    Frame *frame = interp->frame;
    uint32_t heads[HEADS];
    if (!interp->spec) return ST_OK; // without a JIT this is called once in 2**32 iterations, when the counter wraps
    Spec *spec = interp->spec;
    interp->rounds = spec->wait;
    if (frame->code->bc->flags & BC_LOCALS) return loop_unarmed(vm, frame, at, "its function calls locals()");
    bool known_here = *find(spec, at);
    const bool all = spec->hurries;
    spec->hurries = false;
    if (spec->count >= LOOPS / 2)
        return known_here ? ST_OK : loop_unarmed(vm, frame, at, "there are too many loops with code");
    int count = place_heads(vm, frame->code, (uint32_t)(at - frame->code->bc->code), heads, HEADS);
    // arm the outermost loop first; if its head is not reached (it is in a long iteration), the next
    // inner one
    for (int i = 0; i < count; i++) {
        Loop *known = *find(spec, &frame->code->bc->code[heads[i]]);
        if (!known && all && arm(vm, frame, heads[i]))
            (*find(spec, &frame->code->bc->code[heads[i]]))->early = spec->waits ? 0 : ROUNDS_A_SAMPLE;
        if (all) continue;
        if (known && (is_building(known) || is_expected(known))) return ST_OK;
        if (known || !arm(vm, frame, heads[i])) continue;
        interp->rounds = spec->wait = spec->sample;
        return ST_OK;
    }
    if (all) return ST_OK;
    if (spec->wait < ROUNDS_MOST) interp->rounds = spec->wait *= 2;
    return known_here ? ST_OK : loop_unarmed(vm, frame, at, "its function is too long");
}

// --- Entering ----------------------------------------------------------------------------------

static bool has_code(Vm *vm, Spec *spec, Loop *loop, Variant *variant) {
    if (variant->run) return true;
    const bool waits = spec->waits || is_for_others(vm, variant);
    if (!waits && loop->passed++ % LOOK_EVERY != spec->look_at) return false;
    variant->run = engine_region_code(vm, variant->code, waits, &variant->failed);
    spec->stats.compiled += variant->run != NULL;
    return variant->run;
}

static Status add_variant(Vm *vm, Loop *loop, Variant **out) {
    Status st = variant_make(vm, &loop->place, vm->interp->frame, out);
    Variant *variant = *out;
    if (!variant) return st;
    loop->variants[loop->variant_count++] = variant;
    if (st == ST_OK) loop_refuse(vm, variant);
    variant->for_items = st == ST_OK && !variant->failed && items_suit(&variant->region);
    variant->for_parts = st == ST_OK && !variant->failed && away_suits(&variant->region);
    if (st == ST_OK && !variant->failed) variant->code = jit_ask(vm, loop, variant);
    variant->failed |= !variant->code;
    return st;
}

static void note_reason(Loop *loop, const Variant *variant, int32_t number) {
    Reason reason = loop_reason(loop, variant, number);
    loop->why_line = bc_span(reason.code->bc, reason.pc).line;
    loop->why = reason.why;
}

typedef struct Shared {
    uint64_t rounds, items, parts;
} Shared;

static Shared shared_rounds(const Variant *variant) {
    Shared all = {0, 0, 0};
    for (int p = 0; p < variant->region.parallel_count; p++) {
        all.rounds += variant->tallies[p].rounds;
        all.items += variant->tallies[p].items;
        all.parts += variant->tallies[p].parts;
    }
    return all;
}

static Status run(Vm *vm, Spec *spec, Loop *loop, Variant *variant) {
    Frame *frame = vm->interp->frame;
    int64_t rounds = 0;
    const Shared before = shared_rounds(variant);
    int32_t exit;
    Status st = enter(vm, &spec->room, &loop->place, variant, loop->away, &exit, &rounds);
    if (st != ST_OK) return st;
    uint32_t pc = variant->region.exits[exit].pc;
    bool within = vm->interp->frame != frame; // in a function called by the loop
    bool finished = !within && (pc < loop->place.begin || pc >= loop->place.end);
    frame = vm->interp->frame;
    frame->pc = frame->code->bc->code + pc;
    variant->entered++;
    variant->left += !finished;
    if (!finished) note_reason(loop, variant, exit);
    variant->rounds += (uint64_t)rounds;
    spec->stats.entered++;
    spec->stats.left += !finished;
    spec->stats.rounds += (uint64_t)rounds;
    const Shared shared = shared_rounds(variant);
    spec->stats.parallel += shared.rounds - before.rounds;
    spec->stats.items += shared.items - before.items;
    spec->stats.parts += shared.parts - before.parts;
    if (variant->left >= LEFT_OFTEN && variant->rounds < variant->left * ROUNDS_WORTH)
        variant->failed = true;
    // An exit to a safe point is not reported: the loop is entered again afterwards.
    if (!finished && !safe_point_due(vm) && loop_left(vm, loop, variant, exit) != ST_OK) return ST_ERROR;
    return !within && pc == loop->place.head ? ST_NOTIMPL : ST_OK;
}

// Returns whether a grid's row of points has begun. A region can only be entered at the start of a row.
static bool is_within_row(const Frame *frame, const Instr *head) {
    Value iter = head->op == OP_FOR_ARMED ? frame->regs[head->a] : V_UNDEF;
    return iter.kind == K_ITER && iter.obj->aux == ITER_GRID && !grid_begins_row(iter.iter);
}

Status jit_enter(Vm *vm, const Instr *head) {
    Spec *spec = vm->interp->spec;
    Loop *loop = spec ? *find(spec, head) : NULL;
    const Frame *frame = vm->interp->frame;
    Variant *match = NULL;
    if (!loop || loop->retired || is_within_row(frame, head)) return ST_NOTIMPL;
    for (int i = 0; i < loop->variant_count && !match; i++)
        if (variant_fits(vm, &loop->place, loop->variants[i], frame)) match = loop->variants[i];
    if (!match && loop->variant_count < VARIANTS && add_variant(vm, loop, &match) != ST_OK)
        return ST_ERROR;
    if (match && !is_for_others(vm, match) && loop->early > 0 && loop->early--) return ST_NOTIMPL;
    if (match && !match->failed && has_code(vm, spec, loop, match)) {
        Status st = loop_take_arrays(vm, loop, match);
        return st == ST_OK ? run(vm, spec, loop, match) : st;
    }
    if (match && !match->failed) return ST_NOTIMPL;
    if (++loop->misses >= MISSES) retire(loop);
    return loop_missed(vm, loop, match) == ST_OK ? ST_NOTIMPL : ST_ERROR;
}
