// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitioning a kernel: which dimension is cut, and what each rank needs for its part.

#include "vm/sched/split_impl.h"

#include <stdlib.h>
#include <string.h>

#include "vm/sched/dry.h"
#include "vm/sched/rule.h"
#include "vm/sched/sched.h"

// --- The bytes that an access touches --------------------------------------------------------------

// Of index 0 along dimension `but`, which is -1 for all dimensions: lowest and highest byte, relative to the storage.
static Extent touched(const Kernel *k, const KernAccess *access, int but) {
    Extent e = {access->offset, access->offset + (int64_t)dtype_size(access->dtype)};
    for (int d = 0; d < k->ndim; d++) {
        int64_t reach = d == but ? 0 : (k->shape[d] - 1) * access->strides[d];
        if (reach > 0) e.high += reach;
        else e.low += reach;
    }
    return e;
}

// Moves what index 0 touches along by the indices from … to, each `stride` bytes from the one before.
static Extent moved(Extent e, int64_t stride, Extent range) {
    if (extent_is_empty(range)) return (Extent){0, 0};
    int64_t first = range.low * stride, last = (range.high - 1) * stride;
    e.low += first < last ? first : last;
    e.high += first < last ? last : first;
    return e;
}

// --- Ranges of indices -----------------------------------------------------------------------------

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t clamp(int64_t i, int64_t n) {
    return i < 0 ? 0 : i > n ? n : i;
}

// The indices below n whose elements lie in a block: index 0 touches the bytes `at`, and each one is a step further.
static Extent indices_in(Extent at, int64_t step, int64_t n, Extent block) {
    int64_t low, high;
    if (step > 0) {
        low = -floor_div(at.low - block.low, step); // the first with at.low + low * step >= block.low
        high = floor_div(block.high - at.high, step) + 1;
    } else {
        low = -floor_div(block.high - at.high, -step);
        high = floor_div(at.low - block.low, -step) + 1;
    }
    return (Extent){clamp(low, n), clamp(high, n)};
}

// Ranges so that each rank touches its own block alone. False: some index touches two blocks.
static bool find_ranges(const RangesKey *key, const Partition *partition, int size, Extent *ranges) {
    int64_t total = 0;
    for (int r = 0; r < size; r++) {
        ranges[r] = indices_in(key->at, key->step, key->count, block_of(partition, r));
        if (extent_is_empty(ranges[r])) ranges[r] = (Extent){0, 0};
        total += ranges[r].high - ranges[r].low;
    }
    return total == key->count;
}

// The same. A kernel asks several times, and so does the next one: what was found last is kept, where there are many ranks.
static bool ranges_of(const Link *link, const Kernel *k, const KernAccess *access, int dim,
                      const Partition *partition, Extent *ranges) {
    KnownRanges *known = link->known_ranges;
    const RangesKey key = {partition->number, touched(k, access, dim), access->strides[dim], k->shape[dim]};
    if (key.step == 0) return false;
    if (!partition->number) return find_ranges(&key, partition, link->size, ranges); // a trial
    if (memcmp(&known->key, &key, sizeof key) != 0) {
        known->key = key;
        known->fit = find_ranges(&key, partition, link->size, known->ranges);
    }
    memcpy(ranges, known->ranges, (size_t)link->size * sizeof *ranges);
    return known->fit;
}

// The dimension along which an access moves furthest from one index to the next; -1: it has only one element.
static int slowest_dim(const Kernel *k, const KernAccess *access, AxisSet without) {
    int found = -1;
    for (int d = 0; d < k->ndim; d++) {
        bool is_unit = k->shape[d] <= 1 && k->ndim > 1;
        if (is_unit || access->strides[d] == 0 || without >> d & 1) continue;
        if (found < 0 || llabs(access->strides[d]) > llabs(access->strides[found])) found = d;
    }
    return found;
}

// Cuts of a new storage so that each rank's range of indices is in its own block. False: they lie across each other.
static bool cuts_for(const Link *link, const Kernel *k, const KernAccess *access, int dim, const Extent *ranges,
                     int64_t *cuts) {
    int64_t bytes = (int64_t)access->storage->buffer.bytes, step = access->strides[dim];
    Extent at = touched(k, access, dim);
    if (step <= 0 || at.high - at.low > step) return false;
    int64_t next = 0; // index
    cuts[0] = 0;
    for (int r = 0; r < link->size; r++) {
        if (!extent_is_empty(ranges[r])) {
            if (ranges[r].low != next) return false;
            next = ranges[r].high;
        }
        int64_t cut = next == 0 ? 0 : next == k->shape[dim] ? bytes : at.low + next * step;
        cuts[r + 1] = cut < bytes ? cut : bytes;
    }
    return next == k->shape[dim];
}

// --- Choosing --------------------------------------------------------------------------------------

static bool is_reduction(const Kernel *k, int store) {
    return store < k->reduction_count;
}

// Memory of others stays whole.
static bool is_own(const Storage *storage) {
    return !storage->owner && !storage->doubted;
}

// Along which dimension an access of a cut storage can be followed; -1: along none.
static int dim_of_cut(const Link *link, const Kernel *k, AxisSet whole, const KernAccess *access, Extent *ranges) {
    AxisSet tried = whole;
    for (int dim; (dim = slowest_dim(k, access, tried)) >= 0; tried |= axis_bit(dim))
        if (ranges_of(link, k, access, dim, access->storage->buffer.blocks->partition, ranges)) return dim;
    return -1;
}

// A store into a storage that is cut: owner computes.
static int dim_of_stores(const Link *link, const Kernel *k, AxisSet whole, Extent *ranges) {
    for (int s = 0; s < k->store_count; s++) {
        if (!is_cut(k->stores[s].to.storage)) continue;
        int dim = dim_of_cut(link, k, whole, &k->stores[s].to, ranges);
        if (dim >= 0) return dim;
    }
    return -1;
}

// The largest cut operand: it stays where it is.
static int dim_of_loads(const Link *link, const Kernel *k, AxisSet whole, Extent *ranges) {
    uint32_t tried = 0;
    for (;;) {
        int best = -1;
        for (int i = 0; i < k->load_count; i++) {
            const Storage *storage = k->loads[i].storage;
            if (!is_cut(storage) || tried >> i & 1) continue;
            if (best < 0 || storage->buffer.bytes > k->loads[best].storage->buffer.bytes) best = i;
        }
        if (best < 0) return -1;
        int dim = dim_of_cut(link, k, whole, &k->loads[best], ranges);
        if (dim >= 0) return dim;
        tried |= (uint32_t)1 << best;
    }
}

static bool touches_cut(const Kernel *k) {
    for (int i = 0; i < k->load_count; i++)
        if (is_cut(k->loads[i].storage)) return true;
    for (int i = 0; i < k->store_count; i++)
        if (is_cut(k->stores[i].to.storage)) return true;
    if (k->library == AOP_NONE) return false;
    for (int i = 0; i < op_info[k->library].arity; i++)
        if (!k->args[i].is_scalar && is_cut(k->args[i].view.storage)) return true;
    return is_cut(k->result.view.storage);
}

static bool same_ranges(const Link *link, const Extent *a, const Extent *b) {
    return memcmp(a, b, (size_t)link->size * sizeof *a) == 0;
}

// Whether each rank's part of a store goes to its own block. *cuts: how a storage that is whole has to be cut.
static bool store_fits(const Link *link, const Kernel *k, int s, int dim, const Extent *ranges, bool *cuts) {
    const KernAccess *to = &k->stores[s].to;
    *cuts = false;
    if (!is_own(to->storage)) return false;
    if (is_cut(to->storage)) {
        return ranges_of(link, k, to, dim, to->storage->buffer.blocks->partition, link->scratch) &&
               same_ranges(link, ranges, link->scratch);
    }
    *cuts = true;
    return to->strides[dim] != 0 && cuts_for(link, k, to, dim, ranges, link->trial->cuts);
}

static size_t largest_load(const Kernel *k) {
    size_t most = 0;
    for (int i = 0; i < k->load_count; i++)
        if (k->loads[i].storage->buffer.bytes > most) most = k->loads[i].storage->buffer.bytes;
    return most;
}

// Results that are combined are whole, no operand of the kernel, and not larger than what is reduced; the order of
// their parts does not matter.
static bool partial_fits(const Kernel *k, int s) {
    const Storage *to = k->stores[s].to.storage;
    const OpInfo *op = &op_info[k->reductions[s].op];
    if (!op->commutative || op->dtype_rule == RULE_COMPARE) return false;
    for (int i = 0; i < k->load_count; i++)
        if (k->loads[i].storage == to) return false;
    return !is_cut(to) && to->buffer.bytes <= largest_load(k);
}

// An earlier store into the same storage; -1: there is none.
static int same_target(const Kernel *k, int s) {
    for (int o = 0; o < s; o++)
        if (k->stores[o].to.storage == k->stores[s].to.storage) return o;
    return -1;
}

// Whether a store into a whole storage has the same owners as another one, as the storage will be cut for that. Those
// into other rows (of a concatenation) have not.
static bool fits_beside(const Link *link, const Kernel *k, int s, int other, int dim, const Extent *ranges) {
    return cuts_for(link, k, &k->stores[other].to, dim, ranges, link->trial->cuts) &&
           ranges_of(link, k, &k->stores[s].to, dim, link->trial, link->scratch) &&
           same_ranges(link, ranges, link->scratch);
}

static bool stores_fit(const Link *link, const Kernel *k, int dim, const Extent *ranges) {
    bool cuts;
    for (int s = 0; s < k->store_count; s++) {
        const int other = same_target(k, s);
        bool partial = is_reduction(k, s) && k->reduced >> dim & 1;
        if (other >= 0 && (partial || (is_reduction(k, other) && k->reduced >> dim & 1))) return false;
        if (other >= 0 && !is_cut(k->stores[s].to.storage)) {
            if (!fits_beside(link, k, s, other, dim, ranges)) return false;
            continue;
        }
        if (!(partial ? partial_fits(k, s) : store_fits(link, k, s, dim, ranges, &cuts))) return false;
    }
    return true;
}

// --- Operands --------------------------------------------------------------------------------------

Status split_cut(Vm *vm, const Kernel *k, int dim) {
    Link *link = link_of(vm);
    Status st = ST_OK;
    for (int s = 0; st == ST_OK && s < k->store_count; s++) {
        bool cuts;
        if (is_reduction(k, s) && k->reduced >> dim & 1) continue;
        if (!store_fits(link, k, s, dim, link->ranges, &cuts)) // two stores to one storage that do not agree
            return vm_raise(vm, EXC_SystemError, "a kernel writes one array in two distributions");
        if (cuts) st = blocks_cut(vm, k->stores[s].to.storage, link->trial->cuts);
    }
    return st;
}

// What every rank's part reads of a storage, by all loads together.
static Status bring_load(Vm *vm, const Kernel *k, int dim, Storage *storage) {
    Link *link = link_of(vm);
    uint32_t done = 0;
    memset(link->scratch, 0, (size_t)link->size * sizeof *link->scratch);
    for (int i = 0; i < k->load_count; i++) {
        const int64_t stride = k->loads[i].strides[dim];
        Extent first = {0, 0}; // of all loads that move alike
        if (k->loads[i].storage != storage || done >> i & 1) continue;
        for (int o = i; o < k->load_count; o++) {
            if (k->loads[o].storage != storage || k->loads[o].strides[dim] != stride) continue;
            first = extent_hull(first, touched(k, &k->loads[o], dim));
            done |= (uint32_t)1 << o;
        }
        for (int r = 0; r < link->size; r++)
            link->scratch[r] = extent_hull(link->scratch[r], moved(first, stride, link->ranges[r]));
    }
    return blocks_bring(vm, storage, link->scratch);
}

static bool is_loaded_before(const Kernel *k, int load) {
    for (int i = 0; i < load; i++)
        if (k->loads[i].storage == k->loads[load].storage) return true;
    return false;
}

Status split_bring(Vm *vm, const Kernel *k, int dim) {
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < k->load_count; i++)
        if (is_cut(k->loads[i].storage) && !is_loaded_before(k, i)) st = bring_load(vm, k, dim, k->loads[i].storage);
    return st;
}

// Only the first part accumulates into what the result holds.
static void part_of_reductions(Kernel *k, const Split *split, int rank) {
    for (int r = 0; r < k->reduction_count && rank != split->first; r++)
        split_start_afresh(&k->reductions[r], k->stores[r].to.dtype);
}

void split_keep(Split *split, const Kernel *k) {
    split->ndim = k->ndim;
    split->reduced = 0;
    for (int d = 0; d < k->ndim; d++)
        if (k->store_count && k->stores[0].to.strides[d] == 0) split->reduced |= axis_bit(d);
    split->site_count = k->site_count;
    split->flags = k->flags || k->may_raise;
    split->result_count = split->is_partial ? k->reduction_count : 0;
    for (int d = 0; d < k->ndim; d++) split->shape[d] = k->shape[d];
    for (int s = 0; s < split->result_count; s++) {
        KernAccess *to = &split->results[s];
        const KernAccess *from = &k->stores[s].to;
        to->storage = from->storage;
        to->dtype = from->dtype;
        to->offset = from->offset;
        memcpy(to->strides, from->strides, (size_t)k->ndim * sizeof *to->strides);
        split->reductions[s] = k->reductions[s];
    }
}

// The largest store that is to be distributed and was not tried; -1: there is none.
static int largest_new(const Link *link, const Kernel *k, uint32_t tried) {
    int best = -1;
    for (int s = 0; s < k->store_count; s++) {
        const Storage *to = k->stores[s].to.storage;
        if (tried >> s & 1 || (int64_t)to->buffer.bytes < link->split_least || !is_own(to)) continue;
        if (best < 0 || to->buffer.bytes > k->stores[best].to.storage->buffer.bytes) best = s;
    }
    return best;
}

// A result that is large enough to be distributed: even parts, into which the other results fit.
static int dim_of_new(const Link *link, const Kernel *k, AxisSet whole, Extent *ranges) {
    uint32_t tried = 0;
    for (int s; (s = largest_new(link, k, tried)) >= 0; tried |= (uint32_t)1 << s) {
        int dim = slowest_dim(k, &k->stores[s].to, whole);
        for (int r = 0; dim >= 0 && r < link->size; r++)
            ranges[r] = (Extent){k->shape[dim] * r / link->size, k->shape[dim] * (r + 1) / link->size};
        if (dim >= 0 && stores_fit(link, k, dim, ranges)) return dim;
    }
    return -1;
}

int split_choose(const Link *link, const Kernel *k, AxisSet whole) {
    Extent *ranges = link->ranges;
    int dim = dim_of_stores(link, k, whole, ranges);
    if (dim < 0) dim = dim_of_loads(link, k, whole, ranges);
    if (dim >= 0 && stores_fit(link, k, dim, ranges)) return dim;
    return dim_of_new(link, k, whole, ranges);
}

static bool is_nothing(const Kernel *k) {
    for (int d = 0; d < k->ndim; d++)
        if (k->shape[d] == 0) return true;
    return false;
}

// Decides how a loop is shared out, and brings what that needs. *dim: -1 if it is not.
static Status prepare(Vm *vm, const Kernel *k, AxisSet whole, Split *split, int *dim) {
    Link *link = link_of(vm);
    *dim = is_nothing(k) ? -1 : split_choose(link, k, whole);
    if (*dim < 0) return ST_OK;
    // Loads first: an operand that the kernel overwrites still has its halo then.
    Status st = split_bring(vm, k, *dim);
    if (st == ST_OK) st = split_cut(vm, k, *dim);
    split->is_empty = extent_is_empty(link->ranges[link->rank]);
    split->is_partial = k->reduced >> *dim & 1;
    split->first = 0;
    while (extent_is_empty(link->ranges[split->first])) split->first++;
    split_keep(split, k);
    if (st == ST_OK && link->dry) dry_share(vm, k, *dim);
    vm->engine->stats.kernels_shared += st == ST_OK;
    return st;
}

// This rank's part; of one that is not run, something that is well formed.
static Extent own_part(const Link *link, const Split *split) {
    return split->is_empty ? (Extent){0, 1} : link->ranges[link->rank];
}

// A kernel of one element gets one dimension, so that it has an owner as others have.
static void with_dimension(Kernel *k) {
    for (int d = 0; d < k->ndim; d++)
        if (k->shape[d] != 1) return;
    k->ndim = 1;
    k->shape[0] = 1;
    k->order[0] = 1;
    k->reduced = 0;
    for (int i = 0; i < k->load_count; i++) k->loads[i].strides[0] = (int64_t)dtype_size(k->loads[i].dtype);
    for (int s = 0; s < k->store_count; s++) k->stores[s].to.strides[0] = (int64_t)dtype_size(k->stores[s].to.dtype);
}

static Status split_loop(Vm *vm, Kernel *k, Split *split) {
    const Link *link = link_of(vm);
    int dim;
    if (!k->reduction_count) with_dimension(k);
    Status st = prepare(vm, k, 0, split, &dim);
    if (st != ST_OK || dim < 0) return st;
    const Extent own = own_part(link, split);
    kernel_slice(k, dim, own.low, own.high);
    part_of_reductions(k, split, split->is_partial ? link->rank : split->first);
    kernel_sum_runs(k);
    k->split = split;
    return ST_OK;
}

static Status split_call(Vm *vm, Kernel *k, Split *split) {
    CallSpace space;
    int dim;
    if (strchr(op_info[k->library].partition, '?')) return split_masked(vm, k, split);
    if (!call_space(k, &space)) return ST_OK;
    Status st = prepare(vm, &space.loop, space.whole, split, &dim);
    if (st != ST_OK || dim < 0) return st;
    const Extent own = own_part(link_of(vm), split);
    call_slice(k, &space, dim, own.low, own.high);
    k->split = split;
    return ST_OK;
}

static Status gathered(Vm *vm, const Kernel *k, const Node *node) {
    const char *name = node->attrs.called ? node->attrs.called : op_info[node->op].name, *why;
    if (k->library == AOP_NONE) why = "its operands are cut along different dimensions";
    else if (strcmp(op_info[k->library].partition, "NONE") == 0) why = "there is no rule for its parts";
    else why = "the dimension that is cut has to stay whole";
    vm->engine->stats.kernels_gathered++;
    if (is_dry(vm)) dry_gathered(vm, why);
    return engine_detour(vm, DETOUR_GATHERED, node->op, node->place, name, why);
}

Status split_kernel(Vm *vm, Kernel *k, const Node *node, Split *split) {
    k->split = NULL;
    // Blocks are in the host's memory: with a device every rank does all of it on its own.
    if (!is_on_ranks(vm) || vm->engine->device.backend->place != PLACE_HOST) return ST_OK;
    Status st = k->library == AOP_NONE ? split_loop(vm, k, split) : split_call(vm, k, split);
    return st == ST_OK && !k->split && touches_cut(k) ? gathered(vm, k, node) : st;
}

Status split_agree(Vm *vm, const Split *split, bool is_so, bool *everywhere) {
    const Link *link = link_of(vm);
    const int64_t own = is_so || split->is_empty;
    int64_t *all = link->trial->cuts; // scratch
    Status st = link_gather(vm, (StepKey){'a', 0}, &own, all, sizeof own);
    *everywhere = st == ST_OK;
    for (int r = 0; st == ST_OK && r < link->size; r++) *everywhere &= all[r] != 0;
    return st;
}
