// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reports on loops: whether they are compiled, why they were left, the generated source.

#include <string.h>

#include "vm/jit/loop.h"
#include "vm/sched/engine.h"

// --- Reasons -----------------------------------------------------------------------------------

// Names an instruction's construct in the language.
const char *loop_construct(uint8_t op) {
    switch (op) {
    case OP_CALL:
    case OP_CALLM:
    case OP_CALLKW:
    case OP_CALLX: return "a call";
    case OP_GETATTR:
    case OP_GETMETHOD: return "an attribute";
    case OP_GETITEM:
    case OP_GETITEMS: return "an index";
    case OP_SETITEM:
    case OP_SETITEMS: return "an assignment to items";
    case OP_ITER:
    case OP_FOR:
    case OP_FOR_ARMED: return "what is iterated over";
    case OP_MOVE:
    case OP_GLOBAL_SET: return "an array with a name";
    default: return op >= OP_ADD && op <= OP_NOT ? "operands of an operator" : "a statement";
    }
}

// Returns the code that contains the reason of an exit.
static Code *code_of(const Loop *loop, const Variant *variant, int32_t exit) {
    const Func *func =
        variant->scopes[variant->exits[variant->region.exits[exit].like].why_scope].func;
    return func ? func->code : loop->place.code;
}

Reason loop_reason(const Loop *loop, const Variant *variant, int32_t number) {
    const RegionExit *exit = &variant->region.exits[number];
    Reason reason = {.code = code_of(loop, variant, number), .pc = exit->why_pc};
    reason.why = exit->unknown ? loop_construct(reason.code->bc->code[exit->why_pc].op)
                               : "a number, an index or a warning that its types do not cover";
    return reason;
}

Reason loop_failure(const Loop *loop, const Variant *variant) {
    Reason head = {.code = loop->place.code, .pc = loop->place.head};
    if (variant->region.exit_count && variant->region.exits[0].unknown) return loop_reason(loop, variant, 0);
    head.why = variant->code ? "the compiler made no code of it" : "too many kinds of values";
    return head;
}

// --- Parallel loops ----------------------------------------------------------------------------

static void tell_parallel(const Variant *variant, SpecLoop *out) {
    for (int p = 0; p < variant->region.parallel_count; p++) {
        const ParallelTally *tally = &variant->tallies[p];
        if (tally->rounds > 0 && out->parallel == 0)
            out->parallel_line = variant->region.parallels[p].line;
        out->parallel += tally->rounds;
        if (tally->items > 0 && out->items == 0) out->items_line = variant->region.parallels[p].line;
        out->items += tally->items;
        if (tally->parts > 0 && out->parts == 0) out->parts_line = variant->region.parallels[p].line;
        out->parts += tally->parts;
        if ((uint32_t)tally->threads > out->threads) out->threads = (uint32_t)tally->threads;
    }
    out->serial = variant->serial;
    out->serial_line = variant->serial_line;
}

// --- Loops -------------------------------------------------------------------------------------

static void tell_failure(const Loop *loop, const Variant *variant, SpecLoop *out) {
    Reason reason = loop_failure(loop, variant);
    out->why = variant->refused ? variant->refused : reason.why;
    out->why_line = variant->refused ? variant->refused_line : bc_span(reason.code->bc, reason.pc).line;
}

static const Loop *find_loop(const Spec *spec, int index) {
    for (int i = 0; spec && i < LOOPS; i++)
        if (spec->loops[i] && spec->loops[i]->number == index) return spec->loops[i];
    return NULL;
}

bool jit_loop(const Vm *vm, int index, SpecLoop *out) {
    const Loop *loop = find_loop(vm->interp->spec, index);
    if (!loop) return false;
    {
        const BcCode *bc = loop->place.code->bc;
        *out = (SpecLoop){.file = loop->place.code->unit->bc->filename,
                          .why = loop->why,
                          .line = bc_span(bc, loop->place.head).line,
                          .why_line = loop->why ? loop->why_line : 0,
                          .variants = (uint32_t)loop->variant_count};
        for (int v = 0; v < loop->variant_count; v++) {
            const Variant *variant = loop->variants[v];
            out->compiled += variant->run != NULL;
            out->entered += variant->entered;
            out->left += variant->left;
            out->rounds += variant->rounds;
            tell_parallel(variant, out);
            if (!variant->run && variant->failed && !out->why) tell_failure(loop, variant, out);
        }
        return true;
    }
}

// --- Generated source --------------------------------------------------------------------------

typedef struct Lines {
    const Loop *loop;
    const Variant *variant;
} Lines;

static const Unit *unit_of(const Lines *lines, uint16_t scope) {
    const Func *func = lines->variant->scopes[scope].func;
    return (func ? func->code : lines->loop->place.code)->unit;
}

static const char *file_of(void *context, uint16_t scope) {
    return unit_of(context, scope)->bc->filename;
}

static void put_line(void *context, uint16_t scope, uint32_t number, Buf *out) {
    const Unit *unit = unit_of(context, scope);
    const char *at = unit->source, *end = at ? at + unit->source_len : NULL;
    for (uint32_t line = 1; at && line < number; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) at++;
    }
    const char *stop = at ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (at) buf_put(out, at, (size_t)((stop ? stop : end) - at));
}

void *jit_ask(Vm *vm, const Loop *loop, const Variant *variant) {
    Lines lines = {loop, variant};
    RegionNotes notes = {.context = &lines, .file = file_of};
    return engine_region(vm, &variant->region, &notes);
}

bool jit_source(const Vm *vm, int index, int variant, Buf *out) {
    const Loop *loop = find_loop(vm->interp->spec, index);
    if (!loop || variant >= loop->variant_count || !loop->variants[variant]->run) return false;
    Lines lines = {loop, loop->variants[variant]};
    RegionNotes notes = {.context = &lines, .text = put_line};
    return engine_region_source(vm, &lines.variant->region, &notes, out);
}
