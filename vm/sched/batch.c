// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds runs of rounds in the list of pending nodes, and batches them. A round is `period` consecutive nodes; the
// next round has nodes of the same operations, of the same places in the program, whose views have the same shapes
// and strides. A storage of the round is one of two:
//
//  - shared: all rounds access the same storage, and an access moves by a fixed step from round to round;
//  - private: nodes of this round alone use it, and nothing else sees it. The batched round has one that holds those
//    of all rounds, one behind the other.
//
// Scalars that differ from round to round become an array of the units' values.
//
// The batched round runs its first node for all rounds, then its second for all, and so on. So an access of one round
// must not meet a write of another to a shared storage: where it would, the run ends before the later of the two.
//
// A round may itself be a batch: of units, along its leading axis. Units of both are then joined along that axis, so
// that a loop of thousands of rounds, of which only some are pending at a time, becomes one round. Where the leading axis
// cannot be continued, as at the end of an inner loop, batches are batched along a further axis.

#include "vm/sched/batch.h"

#include <stdlib.h>
#include <string.h>

#include "vm/kernel/kernel.h"
#include "vm/sched/edit.h"
#include "vm/sched/sched.h"

enum {
    PERIOD_MOST = DEVICE_LOOP_DEPTH / 2,
    PERIODS_TRIED = 3,
    ROUNDS_LEAST = 4,           // fewer are not worth a kernel of their own, which may have to be compiled, unless
    ROUNDS_IN_LOOP = 2,         // a loop goes on
    ELEMENTS_MOST = 1 << 22,    // of a batched node: from here on a kernel takes longer than its launch
    VALUES_MOST = 1 << 14,      // of a scalar: each time rounds are added, the values are copied
    OUTPUT = NODE_INPUTS,       // number of the output among a node's views
};

// How a view of the first round goes on in later rounds.
typedef struct Course {
    int maker;    // the round's node that first writes the view's private storage; -1: the storage is shared
    int64_t step; // bytes from one unit to the next, of a shared storage or in the batched private one
    bool known;   // whether `step` is known
    bool varies;  // a scalar: the units have different ones, or did when they were batched
} Course;

// A run of rounds, and what is known of it so far.
typedef struct Run {
    Node *const *nodes; // all pending nodes from the first round's first on
    int period, rounds;
    int inner; // 1: the first round is a batch, whose leading axis goes on; 0: the rounds become units of a new axis
    int64_t units; // in all rounds
    int64_t unit_bytes[PERIOD_MOST]; // of the private storage that a node makes
    Course courses[PERIOD_MOST][NODE_INPUTS + 1];
} Run;

static const View *view_at(const Node *node, int at) {
    if (at == OUTPUT) return &node->output;
    return at < node->input_count && !node->inputs[at].is_scalar ? &node->inputs[at].view : NULL;
}

// --- One round -----------------------------------------------------------------------------------

static bool is_batchable(const Node *node) {
    OpClass class = (OpClass)op_info[node->op].op_class;
    if (node->op == AOP_ARGMAX || node->op == AOP_ARGMIN || node_can_fail(node)) return false;
    return class == CLASS_ELEMENTWISE || class == CLASS_REDUCTION || node->op == AOP_MATMUL;
}

// Returns how many accesses of the round are to a storage.
static uint32_t accesses_of(Node *const *round, int period, const Storage *storage) {
    uint32_t count = 0;
    for (int n = 0; n < period; n++)
        for (int at = 0; at <= OUTPUT; at++) {
            const View *view = view_at(round[n], at);
            count += view && view->storage == storage;
        }
    return count;
}

static bool is_private(Node *const *round, int period, const Storage *storage) {
    return storage->refs == storage->held && !storage->buffer.valid && !storage->fill && !storage->owner &&
           !storage->sharer && !storage->home && storage->deferral == DEFERRED_NOT &&
           storage->buffer.bytes != SIZE_MAX && storage->held == accesses_of(round, period, storage);
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

// Returns whether an operand has the values of a scalar that differs from unit to unit, which this file has made: in host
// memory, known, and seen by nobody else.
static bool has_values(const NodeInput *input) {
    const Storage *storage = input->view.storage;
    return !input->is_scalar && storage->refs == storage->held && !storage->producer && !storage->fill && !storage->owner &&
           storage->buffer.valid == PLACE_HOST && input->view.offset == 0;
}

// Begins a run with its first round. Returns false if that cannot be batched.
static bool run_begin(Run *run, Node *const *nodes, int period, int inner) {
    int makers[PERIOD_MOST];
    *run = (Run){.nodes = nodes, .period = period, .rounds = 1, .inner = inner};
    find_makers(nodes, period, makers);
    for (int n = 0; n < period; n++) {
        const Node *node = nodes[n];
        if (!is_batchable(node) || node->aside || node->output.ndim < inner || node->output.ndim == NDIM_MAX) return false;
        if (inner && (node->attrs.axes & 1 || (node->op == AOP_MATMUL && node->output.ndim == 2))) return false;
        for (int at = 0; at <= OUTPUT; at++) {
            const View *view = view_at(node, at);
            if (!view) continue;
            if (view->ndim < inner || view->ndim == NDIM_MAX) return false;
            const int64_t units = inner ? view->shape[0] : 1;
            if (units == 0 || (run->units && units != run->units)) return false;
            run->units = units;
            Course *course = &run->courses[n][at];
            course->maker = maker_of(nodes, period, makers, view->storage);
            course->known = inner;
            if (inner) course->step = view->strides[0];
            if (at == OUTPUT || !has_values(&node->inputs[at])) continue;
            const int64_t bytes = (int64_t)view->storage->buffer.bytes;
            if (inner && course->step * units != bytes) return false;
            *course = (Course){.maker = -1, .step = bytes / units, .known = true, .varies = true};
        }
    }
    for (int n = 0; n < period; n++) {
        if (run->courses[n][OUTPUT].maker != n) continue;
        const size_t bytes = nodes[n]->output.storage->buffer.bytes;
        if (bytes % (size_t)run->units) return false;
        run->unit_bytes[n] = (int64_t)(bytes / (size_t)run->units);
    }
    for (int n = 0; n < period; n++)
        for (int at = 0; at <= OUTPUT; at++) {
            Course *course = &run->courses[n][at];
            if (!view_at(nodes[n], at) || course->maker < 0) continue;
            if (inner && course->step != run->unit_bytes[course->maker]) return false;
            *course = (Course){.maker = course->maker, .step = run->unit_bytes[course->maker], .known = true};
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
    return a->op == b->op && a->input_count == b->input_count && a->hints == b->hints && a->place.code == b->place.code &&
           a->place.pc == b->place.pc && !b->aside && same_attrs(&a->attrs, &b->attrs, shift);
}

// Compares what of two views is one unit's. `a_skips`, `b_skips`: the number of their leading axes that units lie along.
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
static bool take_values(Run *run, Node *const *round, int n, int at, int64_t units, int skips) {
    const NodeInput *first = &run->nodes[n]->inputs[at], *input = &round[n]->inputs[at];
    Course *course = &run->courses[n][at];
    const int64_t bytes = course->varies ? course->step : (int64_t)dtype_size(first->dtype);
    if (first->dtype != input->dtype || op_info[round[n]->op].op_class != CLASS_ELEMENTWISE ||
        cast_can_tell(first->dtype, round[n]->attrs.loop))
        return false;
    if (!input->is_scalar && (int64_t)input->view.storage->buffer.bytes != units * bytes) return false;
    if (first->is_scalar && !input->is_scalar && !has_plain_units(input, skips, bytes)) return false;
    if (!first->is_scalar && input->is_scalar && !has_plain_units(first, run->inner, bytes)) return false;
    if (!first->is_scalar && !input->is_scalar &&
        (!same_unit(&first->view, run->inner, &input->view, skips) || (skips && input->view.strides[0] != bytes)))
        return false;
    *course = (Course){.maker = -1, .step = bytes, .known = true, .varies = true};
    return true;
}

// Takes a view of another round in, which has `units` units. The views of a private storage lie in it as in the first
// round's.
static bool take_view(Run *run, Node *const *round, int n, int at, int64_t units, int skips) {
    const View *first = view_at(run->nodes[n], at), *view = view_at(round[n], at);
    Course *course = &run->courses[n][at];
    if (at < round[n]->input_count) {
        const NodeInput *a = &run->nodes[n]->inputs[at], *b = &round[n]->inputs[at];
        if (!first && !view && !course->varies && scalars_equal(a, b)) return true;
        if ((!first || course->varies) && (!view || has_values(b))) return take_values(run, round, n, at, units, skips);
    }
    if (!first || !view) return !first && !view;
    if (!same_unit(first, run->inner, view, skips)) return false;
    if (skips && view->shape[0] != units) return false;
    if (course->maker >= 0) {
        const Storage *storage = round[course->maker]->output.storage;
        return view->storage == storage && view->offset == first->offset &&
               storage != run->nodes[course->maker]->output.storage && is_private(round, run->period, storage) &&
               (int64_t)storage->buffer.bytes == units * run->unit_bytes[course->maker] &&
               (!skips || view->strides[0] == course->step);
    }
    if (view->storage != first->storage) return false;
    const int64_t moved = view->offset - first->offset;
    if (!course->known && moved % run->units) return false;
    if (!course->known) *course = (Course){.maker = -1, .step = moved / run->units, .known = true};
    return moved == run->units * course->step && (!skips || view->strides[0] == course->step);
}

// Takes the next round into the run, if there is one that goes on like it.
static bool run_extend(Run *run, int left) {
    Node *const *round = run->nodes + run->rounds * run->period;
    const Node *lead = run->nodes[0];
    if (left < run->period || round[0]->output.ndim < lead->output.ndim - run->inner) return false;
    const int skips = round[0]->output.ndim - (lead->output.ndim - run->inner);
    if (skips > 1) return false;
    const int64_t units = skips ? round[0]->output.shape[0] : 1;
    for (int n = 0; n < run->period; n++) {
        if (!(run->inner >= skips ? is_like(run->nodes[n], round[n], run->inner - skips)
                                  : is_like(round[n], run->nodes[n], skips - run->inner)))
            return false;
        for (int at = 0; at <= OUTPUT; at++)
            if (!take_view(run, round, n, at, units, skips)) return false;
    }
    run->units += units;
    run->rounds++;
    return true;
}

// --- Independence --------------------------------------------------------------------------------

// The view of all units, or of `units` of them from unit `from` on.
static void view_of_units(View *to, const View *first, int inner, int64_t step, int64_t from, int64_t units) {
    to->storage = first->storage;
    to->offset = first->offset + from * step;
    to->dtype = first->dtype;
    to->ndim = first->ndim - inner + 1;
    to->shape[0] = units;
    to->strides[0] = step;
    memcpy(to->shape + 1, first->shape + inner, (size_t)(first->ndim - inner) * sizeof *first->shape);
    memcpy(to->strides + 1, first->strides + inner, (size_t)(first->ndim - inner) * sizeof *first->strides);
}

// Finds how many units two accesses to a storage allow, one of which writes: as many as there are before one of the two
// meets the other of another unit.
static int64_t units_apart(const View *a, int64_t a_step, const View *b, int64_t b_step, int inner, int64_t units) {
    View at, other;
    if (a_step != b_step) {
        view_of_units(&at, a, inner, a_step, 0, units);
        view_of_units(&other, b, inner, b_step, 0, units);
        return view_meets(&at, &other) ? 1 : units;
    }
    int64_t low, high, b_low, b_high;
    view_of_units(&at, a, inner, a_step, 0, 1);
    view_of_units(&other, b, inner, b_step, 0, 1);
    if (!view_extent(&at, &low, &high) || !view_extent(&other, &b_low, &b_high)) return units;
    const int64_t from = low < b_low ? low : b_low, to = high > b_high ? high : b_high;
    for (int64_t t = 1; t < units && (a_step == 0 || t * llabs(a_step) <= to - from); t++) {
        at.offset = a->offset, other.offset = b->offset + t * b_step;
        if (view_meets(&at, &other)) return t;
        at.offset = a->offset + t * a_step, other.offset = b->offset;
        if (view_meets(&at, &other)) return t;
    }
    return units;
}

// Returns how many of the run's units are independent, from the first on.
static int64_t independent_units(const Run *run) {
    int64_t units = run->units;
    for (int n = 0; n < run->period; n++)
        for (int at = 0; at <= OUTPUT; at++) {
            const View *a = view_at(run->nodes[n], at);
            if (!a || run->courses[n][at].maker >= 0) continue;
            for (int m = 0; m < run->period && units > 1; m++) {
                const View *b = &run->nodes[m]->output;
                if (b->storage != a->storage || run->courses[m][OUTPUT].maker >= 0) continue;
                units = units_apart(a, run->courses[n][at].step, b, run->courses[m][OUTPUT].step, run->inner, units);
            }
        }
    return units;
}

// Returns how many units a batched node may have.
static int64_t units_most(const Run *run) {
    int64_t largest = 1;
    for (int n = 0; n < run->period; n++)
        for (int at = 0; at <= OUTPUT; at++) {
            const View *view = view_at(run->nodes[n], at);
            const int64_t size = view ? view_size(view) / (run->inner ? view->shape[0] : 1) : 1;
            if (size > largest) largest = size;
            if (run->courses[n][at].varies && ELEMENTS_MOST / VALUES_MOST > largest) largest = ELEMENTS_MOST / VALUES_MOST;
        }
    return ELEMENTS_MOST / largest;
}

static int64_t units_of_round(const Run *run, int round) {
    const View *output = &run->nodes[round * run->period]->output;
    return output->ndim == run->nodes[0]->output.ndim - run->inner ? 1 : output->shape[0];
}

// Drops rounds from the run's end until `most` units are left.
static void run_shorten(Run *run, int64_t most) {
    while (run->rounds > 1 && run->units > most) run->units -= units_of_round(run, --run->rounds);
}

// Finds the rounds from nodes[0] on that can be batched. Returns false if there are too few.
static bool run_find(Run *run, Node *const *nodes, int count, int period, int inner, int least) {
    if (!run_begin(run, nodes, period, inner)) return false;
    while (run_extend(run, count - run->rounds * period));
    run_shorten(run, units_most(run));
    if (run->rounds > 1) run_shorten(run, independent_units(run));
    const Node *first = nodes[0];
    return run->rounds >= (inner || first->batched ? 2 : least);
}

// --- Batching ------------------------------------------------------------------------------------

// The storages and nodes of a batched round.
typedef struct Made {
    Storage *storages[PERIOD_MOST];             // by maker
    Storage *values[PERIOD_MOST][NODE_INPUTS];  // of scalars that vary
    Node *nodes[PERIOD_MOST];
} Made;

// Makes the storage with all units' values of an operand. NULL: out of memory.
static Storage *storage_of_values(Vm *vm, const Run *run, int n, int at) {
    const int64_t bytes = run->courses[n][at].step;
    Storage *storage = storage_new_scratch(vm, (size_t)(run->units * bytes));
    if (!storage || !buffer_alloc_host(vm, &storage->buffer, FRESH_ANY)) {
        storage_release(vm, storage);
        return NULL;
    }
    char *to = storage->buffer.host;
    for (int r = 0; r < run->rounds; r++) {
        const NodeInput *input = &run->nodes[r * run->period + n]->inputs[at];
        const int64_t units = units_of_round(run, r);
        if (!input->is_scalar) memcpy(to, input->view.storage->buffer.host, (size_t)(units * bytes));
        for (int64_t u = 0; input->is_scalar && u < units; u++) dtype_store(input->dtype, to + u * bytes, input->scalar);
        to += units * bytes;
    }
    return storage;
}

static void view_of_values(const Run *run, Storage *values, int n, int at, View *to) {
    const NodeInput *first = &run->nodes[n]->inputs[at];
    const int64_t step = run->courses[n][at].step;
    view_of_units(to, &run->nodes[n]->output, run->inner, step, 0, run->units);
    to->storage = values;
    to->offset = 0;
    to->dtype = first->dtype;
    for (int d = 1; d < to->ndim; d++) to->strides[d] = first->is_scalar ? 0 : first->view.strides[d - 1 + run->inner];
}

static void batch_view(const Run *run, const Made *made, int n, int at, View *to) {
    const int maker = run->courses[n][at].maker;
    view_of_units(to, view_at(run->nodes[n], at), run->inner, run->courses[n][at].step, 0, run->units);
    if (maker >= 0) to->storage = made->storages[maker];
}

// Makes the batched node of a round's node. NULL: out of memory.
static Node *batched_node(Vm *vm, const Run *run, const Made *made, int n) {
    const Node *first = run->nodes[n];
    Node *node = graph_node(vm, first->op);
    if (!node) return NULL;
    node->batched = true;
    node->hints = first->hints;
    node->attrs = first->attrs;
    if (!run->inner) node->attrs.axes <<= 1;
    node->place = first->place;
    node->input_count = first->input_count;
    for (int i = 0; i < first->input_count; i++) {
        NodeInput *input = &node->inputs[i];
        input->is_scalar = first->inputs[i].is_scalar && !run->courses[n][i].varies;
        input->dtype = first->inputs[i].dtype;
        if (input->is_scalar) input->scalar = first->inputs[i].scalar;
        else if (run->courses[n][i].varies) view_of_values(run, made->values[n][i], n, i, &input->view);
        else batch_view(run, made, n, i, &input->view);
    }
    batch_view(run, made, n, OUTPUT, &node->output);
    return node;
}

static void release_storages(Vm *vm, const Run *run, Made *made) {
    for (int n = 0; n < run->period; n++) {
        storage_release(vm, made->storages[n]);
        for (int i = 0; i < NODE_INPUTS; i++) storage_release(vm, made->values[n][i]);
    }
}

// Makes the batched round's own storages, and its nodes. False: out of memory, and nothing was made.
static bool make_round(Vm *vm, const Run *run, Made *made) {
    bool good = true;
    *made = (Made){.storages = {NULL}};
    for (int n = 0; good && n < run->period; n++) {
        if (run->courses[n][OUTPUT].maker == n)
            good = (made->storages[n] = storage_new_scratch(vm, (size_t)(run->units * run->unit_bytes[n]))) != NULL;
        for (int i = 0; good && i < run->nodes[n]->input_count; i++)
            if (run->courses[n][i].varies) good = (made->values[n][i] = storage_of_values(vm, run, n, i)) != NULL;
    }
    for (int n = 0; good && n < run->period; n++) good = (made->nodes[n] = batched_node(vm, run, made, n)) != NULL;
    if (good) return true;
    for (int n = 0; n < run->period; n++)
        if (made->nodes[n]) graph_discard(vm, made->nodes[n]);
    release_storages(vm, run, made);
    return false;
}

// Puts the batched round in the place of the run's nodes, which the next graph_sweep unlinks.
static void replace_rounds(Vm *vm, const Run *run, Made *made) {
    Graph *graph = graph_of(vm);
    Node *const *const round = made->nodes;
    Node *const *const last = run->nodes + (run->rounds - 1) * run->period;
    Node *const rest = last[run->period - 1]->next;
    for (int n = 0; n < run->period; n++) {
        Storage *to = round[n]->output.storage;
        const bool is_private = run->courses[n][OUTPUT].maker >= 0;
        node_hold(round[n]);
        if (round[n]->place.code) round[n]->place.code->refs++;
        if (made->storages[n]) graph->promised += to->buffer.bytes;
        round[n]->version = is_private ? ++to->version : last[n]->version;
        if (is_private || to->producer == last[n]) to->producer = round[n];
        round[n]->next = n + 1 < run->period ? round[n + 1] : rest;
        graph->pending_count++;
    }
    last[run->period - 1]->next = round[0];
    for (int i = 0; i < run->rounds * run->period; i++) {
        graph_finish(vm, run->nodes[i], NODE_ELIMINATED);
        graph->eliminated--;
    }
    vm->engine->stats.batched += (uint64_t)((run->rounds - 1) * run->period);
    release_storages(vm, run, made);
}

// --- Looking for rounds --------------------------------------------------------------------------

// Returns whether the nodes may be a round and the next: a comparison that is quick, since most nodes fail it.
static bool seem_rounds(Node *const *nodes, int period) {
    for (int n = 0; n < period; n++) {
        const Node *a = nodes[n], *b = nodes[n + period];
        if (a->op != b->op || a->place.pc != b->place.pc || a->place.code != b->place.code || !is_batchable(b)) return false;
    }
    return true;
}

typedef enum Carried {
    CARRIED_NONE,
    CARRIED_HIDDEN, // in a storage that only pending nodes use: perhaps these are not where rounds begin
    CARRIED,        // from round to round
} Carried;

// Finds whether the second of two rounds needs what the first one writes, or overwrites what it accesses.
static Carried find_carried(Node *const *nodes, int period) {
    Carried carried = CARRIED_NONE;
    for (int n = 0; n < 2 * period; n++) {
        const Node *writer = nodes[n];
        const Storage *to = writer->output.storage;
        Node *const *other = nodes + (n < period ? period : 0);
        for (int m = 0; m < period; m++)
            for (int at = 0; at <= OUTPUT; at++) {
                const View *view = view_at(other[m], at);
                if (!view || view->storage != to || !view_meets(view, &writer->output)) continue;
                if (to->refs > to->held || to->buffer.valid) return CARRIED;
                carried = CARRIED_HIDDEN;
            }
    }
    return carried;
}

// Batches the rounds that begin with nodes[0], if any do. Returns how many nodes have been seen to.
static int batch_at(Vm *vm, Node *const *nodes, int count, int least, bool *batched) {
    Run run;
    Made made;
    for (int period = 1, tried = 0; period <= PERIOD_MOST && 2 * period <= count && tried < PERIODS_TRIED; period++) {
        if (!is_batchable(nodes[0]) || !seem_rounds(nodes, period)) continue;
        tried++;
        const Carried carried = find_carried(nodes, period);
        if (carried == CARRIED) return period;
        if (carried == CARRIED_HIDDEN) continue;
        if (!run_find(&run, nodes, count, period, 1, least) && !run_find(&run, nodes, count, period, 0, least)) continue;
        if (!make_round(vm, &run, &made)) return 1;
        replace_rounds(vm, &run, &made);
        *batched = true;
        return run.rounds * period;
    }
    return 1;
}

// Returns whether nodes may be changed at all.
static bool may_batch(const struct Engine *engine) {
    return engine->placing == PLACING_DEVICE && engine->graph.on_device && !engine->unfused && engine->link.size <= 1 &&
           !engine->graph.apart && !engine->aside && !engine->starved && !is_editing(engine) && !engine->editor;
}

// Goes through the pending nodes once. Returns whether any were batched.
static bool batch_pending(Vm *vm, int least) {
    Node *nodes[DEPTH_MAX];
    int count = 0;
    bool batched = false;
    for (Node *node = graph_of(vm)->first; node && count < DEPTH_MAX; node = node->next) nodes[count++] = node;
    for (int at = 0; at < count;) at += batch_at(vm, nodes + at, count - at, least, &batched);
    if (batched) graph_sweep(vm);
    return batched;
}

void batch_rounds(Vm *vm, bool in_loop) {
    const int least = in_loop ? ROUNDS_IN_LOOP : ROUNDS_LEAST;
    if (!may_batch(vm->engine)) return;
    while (vm->engine->graph.pending_count > 1 && batch_pending(vm, least)); // batches may go on with one another
}
