// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sums up the communication between ranks, per line of the program.

#include "vm/sched/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "vm/sched/grid.h"
#include "vm/sched/operands.h"
#include "vm/sched/sched.h"
#include "vm/sched/split.h"

struct TrafficPlace {
    CodePlace place; // its code is held; code NULL: the slot is free
    size_t line;     // the line's number in Traffic.lines
};

// --- Lines -----------------------------------------------------------------------------------------

static struct TrafficPlace *slot_of(const Traffic *t, CodePlace place) {
    const uint64_t hash = ((uint64_t)(uintptr_t)place.code >> 4 ^ (uint64_t)place.pc << 32) * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash >> 32) & (t->place_room - 1);
    for (; t->places[at].place.code; at = (at + 1) & (t->place_room - 1))
        if (t->places[at].place.code == place.code && t->places[at].place.pc == place.pc) break;
    return &t->places[at];
}

static bool grow_places(Vm *vm, Traffic *t) {
    Traffic grown = {.place_room = t->place_room ? 2 * t->place_room : 64};
    grown.places = mem_zalloc(&vm->mem, grown.place_room * sizeof *grown.places);
    if (!grown.places) return false;
    for (size_t i = 0; i < t->place_room; i++)
        if (t->places[i].place.code) *slot_of(&grown, t->places[i].place) = t->places[i];
    mem_free(&vm->mem, t->places, t->place_room * sizeof *t->places);
    t->places = grown.places;
    t->place_room = grown.place_room;
    return true;
}

static bool is_same_line(const SourceLine *a, const SourceLine *b) {
    if (a->line != b->line || !a->file != !b->file) return false;
    return !a->file || strcmp(a->file, b->file) == 0;
}

// Returns the record of a line, which is added if it is new. NULL: out of memory.
static TrafficLine *line_at(Vm *vm, Traffic *t, const SourceLine *at) {
    for (size_t i = 0; i < t->line_count; i++)
        if (is_same_line(&t->lines[i].at, at)) return &t->lines[i];
    if (!mem_grow(&vm->mem, (void **)&t->lines, &t->line_room, t->line_count + 1, sizeof *t->lines)) return NULL;
    t->lines[t->line_count] = (TrafficLine){.at = *at};
    return &t->lines[t->line_count++];
}

static TrafficLine *line_of(Vm *vm, CodePlace place) {
    Traffic *t = &link_of(vm)->traffic;
    SourceLine at = {.line = 0};
    if (!place.code) return line_at(vm, t, &at);
    if (2 * t->place_count >= t->place_room && !grow_places(vm, t)) return NULL;
    struct TrafficPlace *slot = slot_of(t, place);
    if (slot->place.code) return &t->lines[slot->line];
    vm->locate(vm, place, &at);
    TrafficLine *line = line_at(vm, t, &at);
    if (!line) return NULL;
    *slot = (struct TrafficPlace){.place = place, .line = (size_t)(line - t->lines)};
    place.code->refs++;
    t->place_count++;
    return line;
}

// --- Which line a step belongs to --------------------------------------------------------------------

static bool reads(const Node *node, const Storage *storage) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && node->inputs[i].view.storage == storage) return true;
    return false;
}

// Returns the place of the first running node that reads or writes the storage, or of the first running node; without
// running nodes, where the program is.
static CodePlace place_now(Vm *vm, const Storage *about) {
    const Traffic *t = &link_of(vm)->traffic;
    CodePlace here = {.code = NULL};
    for (uint32_t n = 0; n < t->node_count && about; n++)
        if (reads(t->nodes[n], about) || t->nodes[n]->output.storage == about) return t->nodes[n]->place;
    if (t->node_count) return t->nodes[0]->place;
    if (vm->where) vm->where(vm, 0, &here);
    return here;
}

static TrafficLine *line_now(Vm *vm, const Storage *about) {
    TrafficLine *line = line_of(vm, place_now(vm, about));
    link_of(vm)->traffic.incomplete |= !line;
    return line;
}

// --- Notes -------------------------------------------------------------------------------------------

void traffic_begin(Vm *vm, Node *const *nodes, uint32_t count) {
    Traffic *t = &link_of(vm)->traffic;
    t->nodes = nodes;
    t->node_count = count;
    t->about = NULL;
    t->why = NULL;
}

void traffic_end(Vm *vm) {
    traffic_begin(vm, NULL, 0);
}

void traffic_step(Vm *vm, const RanksCounts *before) {
    Link *link = link_of(vm);
    TrafficLine *line = line_now(vm, link->traffic.about);
    RanksCounts after;
    link->traffic.about = NULL;
    if (!line) return;
    link->fns->counts(link->ctx, &after);
    RanksCounts *sum = &line->counts;
    sum->messages_sent += after.messages_sent - before->messages_sent;
    sum->messages_received += after.messages_received - before->messages_received;
    sum->bytes_sent += after.bytes_sent - before->bytes_sent;
    sum->bytes_received += after.bytes_received - before->bytes_received;
    sum->exchanges += after.exchanges - before->exchanges;
    sum->gathers += after.gathers - before->gathers;
    sum->broadcasts += after.broadcasts - before->broadcasts;
    sum->waited += after.waited - before->waited;
}

void traffic_sent(Vm *vm, int peer, size_t bytes) {
    TrafficPeer *to = &link_of(vm)->traffic.peers[peer];
    to->messages++;
    to->bytes += bytes;
}

void traffic_parts(Vm *vm, const Storage *first, const Transfer *list, size_t count) {
    Traffic *t = &link_of(vm)->traffic;
    TrafficLine *line = t->gathers ? NULL : line_now(vm, first);
    t->about = first;
    if (!line) return;
    line->array_exchanges++;
    for (size_t i = 0; i < count; i++)
        if (!list[i].sends) line->array_bytes += list[i].bytes;
}

void traffic_gathered(Vm *vm, const Storage *storage) {
    const Traffic *t = &link_of(vm)->traffic;
    TrafficLine *line = line_now(vm, storage);
    if (!line) return;
    line->gathered++;
    line->gathered_bytes += storage->buffer.bytes;
    line->why = t->why ? t->why : t->node_count ? "an operand that has to be whole" : "the program looks at its elements";
}

// Returns the axis of a view along which its storage is presumably cut: that with the largest stride.
static AxisSet axis_of_cut(const View *view) {
    int found = -1;
    for (int d = 0; d < view->ndim; d++)
        if (view->shape[d] > 1 && (found < 0 || llabs(view->strides[d]) > llabs(view->strides[found]))) found = d;
    return found < 0 ? 0 : axis_bit(found);
}

// Returns the axes of a view along which its storage is cut over a grid of ranks.
static AxisSet grid_axes(const View *view) {
    const Grid *grid = view->storage->buffer.grid;
    AxisSet axes = 0;
    for (int d = 0; d < view->ndim; d++)
        for (int l = 0; l < grid->levels; l++)
            if (grid->level[l].ranks > 1 && view->shape[d] > 1 && llabs(view->strides[d]) == grid->level[l].stride) axes |= axis_bit(d);
    return axes;
}

// Returns whether a result is combined from partial results of the ranks.
static bool is_combined(const Kernel *kernel, int site) {
    const Split *split = kernel->split;
    for (int s = 0; split && s < split->result_count; s++)
        if (split->results[s].sums && (kernel->library != AOP_NONE || split->results[s].reduction.site == site)) return true;
    return false;
}

// Counts, per line of the program, how results of the kernel's nodes are distributed. Skips results without memory:
// another node of the kernel consumed them.
void traffic_kernel(Vm *vm, const Kernel *kernel, const Site *sites) {
    for (int n = 0; n < kernel->site_count; n++) {
        const Node *node = sites[n].node;
        const Storage *to = node->output.storage;
        const bool cut = is_cut(to) || is_on_grid(to), combined = is_combined(kernel, n);
        if (!cut && is_blank(&to->buffer)) continue;
        TrafficLine *line = line_of(vm, node->place);
        link_of(vm)->traffic.incomplete |= !line;
        if (!line) continue;
        line->shared += cut;
        line->combined += combined;
        line->whole += !cut && !combined;
        if (cut) line->cut |= is_on_grid(to) ? grid_axes(&node->output) : axis_of_cut(&node->output);
    }
}

// --- Life --------------------------------------------------------------------------------------------

bool traffic_open(Vm *vm, Traffic *traffic, int ranks) {
    traffic->peers = mem_zalloc(&vm->mem, (size_t)ranks * sizeof *traffic->peers);
    return traffic->peers;
}

void traffic_visit(const Traffic *t, Visitor *visitor) {
    for (size_t i = 0; i < t->place_room; i++)
        if (t->places[i].place.code) visit_obj(visitor, t->places[i].place.code);
}

void traffic_forget(Vm *vm, Traffic *t) {
    for (size_t i = 0; i < t->place_room; i++)
        if (t->places[i].place.code) release_obj(vm, t->places[i].place.code);
    mem_free(&vm->mem, t->places, t->place_room * sizeof *t->places);
    mem_free(&vm->mem, t->lines, t->line_room * sizeof *t->lines);
    t->places = NULL;
    t->lines = NULL;
    t->place_room = t->place_count = t->line_room = t->line_count = 0;
}

void traffic_close(Vm *vm, Traffic *t, int ranks) {
    traffic_forget(vm, t);
    mem_free(&vm->mem, t->peers, (size_t)ranks * sizeof *t->peers);
    t->peers = NULL;
}
