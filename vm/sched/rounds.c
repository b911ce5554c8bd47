// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds runs of rounds. A run contains independent units only: it ends before the first unit that overwrites what an
// earlier one accesses in a shared storage, or accesses what an earlier one writes there.

#include "vm/sched/rounds.h"

#include <stdlib.h>
#include <string.h>

enum {
    ELEMENTS_MOST = 1 << 22, // of a batched node: from here on a kernel takes longer than its launch
    VALUES_MOST = 1 << 14,   // of a scalar: each time rounds are added, the values are copied
};

// --- One round -----------------------------------------------------------------------------------

bool node_is_batchable(const Node *node) {
    OpClass class = (OpClass)op_info[node->op].op_class;
    if (node->op == AOP_ARGMAX || node->op == AOP_ARGMIN || node_can_fail(node)) return false;
    return class == CLASS_ELEMENTWISE || class == CLASS_REDUCTION || node->op == AOP_MATMUL;
}

// Returns how many accesses of the round are to a storage.
static uint32_t accesses_of(Node *const *round, int period, const Storage *storage) {
    uint32_t count = 0;
    for (int n = 0; n < period; n++)
        for (int at = 0; at <= VIEW_OUTPUT; at++) {
            const View *view = view_at(round[n], at);
            count += view && view->storage == storage;
        }
    return count;
}

bool storage_is_new(const Storage *storage) {
    const Buffer *buffer = &storage->buffer;
    return storage->refs == storage->held &&
           (!buffer->valid || (buffer->valid == PLACE_HOST && buffer->untouched != WRITTEN));
}

static bool is_private(Node *const *round, int period, const Storage *storage) {
    return storage_is_new(storage) && !storage->fill && !storage->owner && !storage->sharer && !storage->home &&
           storage->deferral == DEFERRED_NOT && storage->buffer.bytes != SIZE_MAX &&
           storage->held == accesses_of(round, period, storage);
}

bool storage_is_zeroed(const Storage *storage) {
    return storage->buffer.valid && storage->buffer.untouched == UNTOUCHED_ZEROS;
}

// Finds for each node of a round the one that first writes its output's storage, if that is private; -1: it is shared.
static void find_makers(Node *const *round, int period, int *makers) {
    for (int n = 0; n < period; n++) {
        int first = 0;
        while (round[first]->output.storage != round[n]->output.storage) first++;
        makers[n] = first < n ? makers[first] : is_private(round, period, round[n]->output.storage) ? n : -1;
    }
}

static int maker_of(Node *const *round, int period, const int *makers, const Storage *storage) {
    for (int n = 0; n < period; n++)
        if (round[n]->output.storage == storage) return makers[n];
    return -1;
}

// Returns whether an operand has the values of a scalar that differs from unit to unit, made when these were batched.
static bool has_values(const NodeInput *input) {
    const Storage *storage = input->view.storage;
    return !input->is_scalar && storage->of_scalars && storage->buffer.valid == PLACE_HOST;
}

// Begins a run with its first round. Returns false if that cannot be batched.
static bool run_begin(RoundRun *run, Node *const *nodes, int period, int inner) {
    int makers[PERIOD_MOST];
    *run = (RoundRun){.nodes = nodes, .period = period, .rounds = 1, .inner = inner};
    find_makers(nodes, period, makers);
    for (int n = 0; n < period; n++) {
        const Node *node = nodes[n];
        if (!node_is_batchable(node) || node->aside) return false;
        if (node->output.ndim < inner || node->output.ndim == NDIM_MAX) return false;
        if (inner && (node->attrs.axes & 1 || (node->op == AOP_MATMUL && node->output.ndim == 2))) return false;
        for (int at = 0; at <= VIEW_OUTPUT; at++) {
            const View *view = view_at(node, at);
            if (!view) continue;
            if (view->ndim < inner || view->ndim == NDIM_MAX) return false;
            const int64_t units = inner ? view->shape[0] : 1;
            if (units == 0 || (run->units && units != run->units)) return false;
            run->units = units;
            Progression *progression = &run->progressions[n][at];
            progression->maker = maker_of(nodes, period, makers, view->storage);
            progression->known = inner;
            if (inner) progression->step = view->strides[0];
            if (at == VIEW_OUTPUT || !has_values(&node->inputs[at])) continue;
            const int64_t bytes = (int64_t)view->storage->buffer.bytes;
            if (inner && progression->step * units != bytes) return false;
            *progression = (Progression){.maker = -1, .step = bytes / units, .known = true, .varies = true};
        }
    }
    for (int n = 0; n < period; n++) {
        if (run->progressions[n][VIEW_OUTPUT].maker != n) continue;
        const size_t bytes = nodes[n]->output.storage->buffer.bytes;
        if (bytes % (size_t)run->units) return false;
        run->unit_bytes[n] = (int64_t)(bytes / (size_t)run->units);
    }
    for (int n = 0; n < period; n++)
        for (int at = 0; at <= VIEW_OUTPUT; at++) {
            Progression *progression = &run->progressions[n][at];
            if (!view_at(nodes[n], at) || progression->maker < 0) continue;
            if (inner && progression->step != run->unit_bytes[progression->maker]) return false;
            progression->step = run->unit_bytes[progression->maker];
            progression->known = true;
        }
    return true;
}

// --- Further rounds ------------------------------------------------------------------------------

static bool same_attrs(const NodeAttrs *a, const NodeAttrs *b, int shift) {
    return a->axes == b->axes << shift && a->combine == b->combine && a->begun == b->begun && a->loop == b->loop &&
           a->called == b->called && a->scalar == b->scalar && a->quiet == b->quiet && a->spared == b->spared &&
           a->axis == b->axis;
}

// Returns whether two nodes do the same; `shift`: `a` has so many leading axes more.
static bool is_like(const Node *a, const Node *b, int shift) {
    if (a->place.code != b->place.code || a->place.pc != b->place.pc) return false;
    return a->op == b->op && a->input_count == b->input_count && a->hints == b->hints && !b->aside &&
           same_attrs(&a->attrs, &b->attrs, shift);
}

// Compares what of two views is one unit's. `a_skips`, `b_skips`: number of their leading axes that units lie along.
static bool same_unit(const View *a, int a_skips, const View *b, int b_skips) {
    if (a->dtype != b->dtype || a->ndim - a_skips != b->ndim - b_skips) return false;
    const size_t bytes = (size_t)(a->ndim - a_skips) * sizeof *a->shape;
    return memcmp(a->shape + a_skips, b->shape + b_skips, bytes) == 0 &&
           memcmp(a->strides + a_skips, b->strides + b_skips, bytes) == 0;
}

// Returns whether the values of an operand's units are `bytes` long each and lie along its first `skips` axes only.
static bool has_plain_units(const NodeInput *input, int skips, int64_t bytes) {
    for (int d = skips; d < input->view.ndim; d++)
        if (input->view.strides[d] != 0) return false;
    return bytes == (int64_t)dtype_size(input->dtype) && (!skips || input->view.strides[0] == bytes);
}

// Takes an operand of another round in that is a scalar in both, or was one: the units of the two have other values.
static bool take_values(RoundRun *run, Node *const *round, int n, int at, int64_t units, int skips) {
    const NodeInput *first = &run->nodes[n]->inputs[at], *input = &round[n]->inputs[at];
    Progression *progression = &run->progressions[n][at];
    const int64_t bytes = progression->varies ? progression->step : (int64_t)dtype_size(first->dtype);
    if (first->dtype != input->dtype || op_info[round[n]->op].op_class != CLASS_ELEMENTWISE ||
        cast_can_tell(first->dtype, round[n]->attrs.loop))
        return false;
    if (!input->is_scalar && (int64_t)input->view.storage->buffer.bytes != units * bytes) return false;
    if (first->is_scalar && !input->is_scalar && !has_plain_units(input, skips, bytes)) return false;
    if (!first->is_scalar && input->is_scalar && !has_plain_units(first, run->inner, bytes)) return false;
    if (!first->is_scalar && !input->is_scalar &&
        (!same_unit(&first->view, run->inner, &input->view, skips) || (skips && input->view.strides[0] != bytes)))
        return false;
    *progression = (Progression){.maker = -1, .step = bytes, .known = true, .varies = true};
    return true;
}

// Takes a view of another round in, which has `units` units. The views of a private storage lie in it as in the first
// round's.
static bool take_view(RoundRun *run, Node *const *round, int n, int at, int64_t units, int skips) {
    const View *first = view_at(run->nodes[n], at), *view = view_at(round[n], at);
    Progression *progression = &run->progressions[n][at];
    if (at < round[n]->input_count) {
        const NodeInput *a = &run->nodes[n]->inputs[at], *b = &round[n]->inputs[at];
        if (!first && !view && !progression->varies && scalars_equal(a, b)) return true;
        if ((!first || progression->varies) && (!view || has_values(b)))
            return take_values(run, round, n, at, units, skips);
    }
    if (!first || !view) return !first && !view;
    if (!same_unit(first, run->inner, view, skips)) return false;
    if (skips && view->shape[0] != units) return false;
    if (progression->maker >= 0) {
        const Storage *storage = round[progression->maker]->output.storage;
        return view->storage == storage && view->offset == first->offset &&
               storage != run->nodes[progression->maker]->output.storage && is_private(round, run->period, storage) &&
               (int64_t)storage->buffer.bytes == units * run->unit_bytes[progression->maker] &&
               (!skips || view->strides[0] == progression->step);
    }
    if (view->storage != first->storage) return false;
    const int64_t moved = view->offset - first->offset;
    if (!progression->known && moved % run->units) return false;
    if (!progression->known) *progression = (Progression){.maker = -1, .step = moved / run->units, .known = true};
    return moved == run->units * progression->step && (!skips || view->strides[0] == progression->step);
}

// Takes the next round into the run, if there is one that goes on like it.
static bool run_extend(RoundRun *run, int left) {
    Node *const *round = run->nodes + run->rounds * run->period;
    const Node *lead = run->nodes[0];
    if (left < run->period || round[0]->output.ndim < lead->output.ndim - run->inner) return false;
    const int skips = round[0]->output.ndim - (lead->output.ndim - run->inner);
    if (skips > 1) return false;
    const int64_t units = skips ? round[0]->output.shape[0] : 1;
    int makers[PERIOD_MOST];
    find_makers(round, run->period, makers);
    for (int n = 0; n < run->period; n++) {
        if (makers[n] != run->progressions[n][VIEW_OUTPUT].maker) return false;
        const Storage *first = run->nodes[n]->output.storage, *to = round[n]->output.storage;
        if (makers[n] == n && storage_is_zeroed(to) != storage_is_zeroed(first)) return false;
        if (!(run->inner >= skips ? is_like(run->nodes[n], round[n], run->inner - skips)
                                  : is_like(round[n], run->nodes[n], skips - run->inner)))
            return false;
        for (int at = 0; at <= VIEW_OUTPUT; at++)
            if (!take_view(run, round, n, at, units, skips)) return false;
    }
    run->units += units;
    run->rounds++;
    return true;
}

// --- Independence --------------------------------------------------------------------------------

void view_of_units(View *to, const View *first, int inner, int64_t step, int64_t from, int64_t units) {
    to->storage = first->storage;
    to->offset = first->offset + from * step;
    to->dtype = first->dtype;
    to->ndim = first->ndim - inner + 1;
    to->shape[0] = units;
    to->strides[0] = step;
    memcpy(to->shape + 1, first->shape + inner, (size_t)(first->ndim - inner) * sizeof *first->shape);
    memcpy(to->strides + 1, first->strides + inner, (size_t)(first->ndim - inner) * sizeof *first->strides);
}

// Returns how many units, from the first on, are independent as far as two accesses to a storage go, one of which
// writes: the smallest distance between units at which the two overlap.
static int64_t units_apart(const View *a, int64_t a_step, const View *b, int64_t b_step, int inner, int64_t units) {
    enum { LOOKED_AT = 1024 }; // distances between units that are looked at one by one
    View at, other;
    view_of_units(&at, a, inner, a_step, 0, units);
    view_of_units(&other, b, inner, b_step, 0, units);
    if (!view_meets(&at, &other)) return units;
    if (a_step != b_step) return 1;
    if (view_same(a, b) && view_is_injective(&at)) return units;
    int64_t low, high, b_low, b_high;
    view_of_units(&at, a, inner, a_step, 0, 1);
    view_of_units(&other, b, inner, b_step, 0, 1);
    if (!view_extent(&at, &low, &high) || !view_extent(&other, &b_low, &b_high)) return units;
    const int64_t from = low < b_low ? low : b_low, to = high > b_high ? high : b_high;
    for (int64_t t = 1; t < units && (a_step == 0 || t * llabs(a_step) <= to - from); t++) {
        if (t == LOOKED_AT) return t;
        at.offset = a->offset, other.offset = b->offset + t * b_step;
        if (view_meets(&at, &other)) return t;
        at.offset = a->offset + t * a_step, other.offset = b->offset;
        if (view_meets(&at, &other)) return t;
    }
    return units;
}

// Returns how many of the run's units are independent, from the first on.
static int64_t independent_units(const RoundRun *run) {
    int64_t units = run->units;
    for (int n = 0; n < run->period; n++)
        for (int at = 0; at <= VIEW_OUTPUT; at++) {
            const View *a = view_at(run->nodes[n], at);
            if (!a || run->progressions[n][at].maker >= 0) continue;
            for (int m = 0; m < run->period && units > 1; m++) {
                const View *b = &run->nodes[m]->output;
                if (b->storage != a->storage || run->progressions[m][VIEW_OUTPUT].maker >= 0) continue;
                units = units_apart(a, run->progressions[n][at].step, b, run->progressions[m][VIEW_OUTPUT].step,
                                    run->inner, units);
            }
        }
    return units;
}

// Returns how many units a batched node may have. `bytes`: the most that the private storages may take.
static int64_t units_most(const RoundRun *run, size_t bytes) {
    int64_t largest = 1, each = 1;
    for (int n = 0; n < run->period; n++) each += run->unit_bytes[n];
    for (int n = 0; n < run->period; n++)
        for (int at = 0; at <= VIEW_OUTPUT; at++) {
            const View *view = view_at(run->nodes[n], at);
            const int64_t size = view ? view_size(view) / (run->inner ? view->shape[0] : 1) : 1;
            if (size > largest) largest = size;
            if (run->progressions[n][at].varies && largest < ELEMENTS_MOST / VALUES_MOST)
                largest = ELEMENTS_MOST / VALUES_MOST;
        }
    const int64_t fit = (int64_t)bytes / each;
    return fit < ELEMENTS_MOST / largest ? fit : ELEMENTS_MOST / largest;
}

int64_t run_units_of(const RoundRun *run, int round) {
    const View *output = &run->nodes[round * run->period]->output;
    return output->ndim == run->nodes[0]->output.ndim - run->inner ? 1 : output->shape[0];
}

// Drops rounds from the run's end until `most` units are left.
static void run_shorten(RoundRun *run, int64_t most) {
    while (run->rounds > 1 && run->units > most) run->units -= run_units_of(run, --run->rounds);
}

bool run_find(RoundRun *run, Node *const *nodes, int count, int period, int inner, const RunLimits *limits) {
    if (!run_begin(run, nodes, period, inner)) return false;
    while (run_extend(run, count - run->rounds * period));
    run_shorten(run, units_most(run, limits->bytes));
    if (run->rounds > 1) run_shorten(run, independent_units(run));
    const Node *first = nodes[0];
    return run->rounds >= (inner || first->batched ? 2 : limits->rounds);
}
