// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions TAKE and PUT. If the array is cut along a dimension that the indices do not replace, each rank uses all
// indices on its part of the array, of which nothing is brought. Otherwise the indices are divided among the ranks. For
// TAKE, a rank fetches the elements at its indices, each once. For PUT, indices and values are sent to the owners of
// the elements, who store them in the order of ranks, so that the last value wins.

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/places.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// --- The space -------------------------------------------------------------------------------------

// The operands: `one` is the array, `at` the indices, and `many` has the elements at all indices.
typedef struct Indexed {
    View *one, *many, *at;
    bool takes;
} Indexed;

static Indexed indexed_of(Kernel *k) {
    if (k->library == AOP_TAKE) return (Indexed){&k->args[0].view, &k->result.view, &k->args[1].view, true};
    return (Indexed){&k->result.view, &k->args[1].view, &k->args[0].view, false};
}

static void clear_access(KernAccess *access, int8_t *dims, const View *view) {
    memset(access->strides, 0, sizeof access->strides);
    memset(dims, -1, NDIM_MAX);
    access->storage = view->storage;
    access->dtype = view->dtype;
    access->offset = view->offset;
}

static void follow(KernAccess *access, int8_t *dims, const View *view, int axis, int dim) {
    access->strides[dim] = view->strides[axis];
    dims[dim] = (int8_t)axis;
}

// Builds the space of the call: the dimensions of the indices, then those of the array that they do not replace, then
// the replaced ones, which may not be cut. Returns false if these are too many.
static bool indexed_space(const Kernel *k, const Indexed *x, CallSpace *space) {
    Kernel *loop = &space->loop;
    const int of_indices = x->at->ndim;
    kernel_clear(loop);
    loop->site_count = k->site_count;
    loop->flags = k->flags;
    loop->may_raise = k->may_raise;
    loop->flags = k->flags;
    loop->may_raise = k->may_raise;
    loop->load_count = 2;
    loop->store_count = 1;
    space->limits = (Limits){.in_place = true};
    if (of_indices + x->one->ndim > NDIM_MAX) return false;
    KernAccess *store = &loop->stores[0].to, *one = x->takes ? &loop->loads[0] : store,
               *at = &loop->loads[x->takes ? 1 : 0], *many = x->takes ? store : &loop->loads[1];
    int8_t *one_dims = space->dims[x->takes ? 0 : 2], *at_dims = space->dims[x->takes ? 1 : 0],
           *many_dims = space->dims[x->takes ? 2 : 1];
    for (int i = 0; i < 2; i++) space->args[i] = (int8_t)i;
    clear_access(one, one_dims, x->one);
    clear_access(at, at_dims, x->at);
    clear_access(many, many_dims, x->many);
    for (int d = 0; d < of_indices; d++) {
        loop->shape[loop->ndim++] = x->at->shape[d];
        follow(at, at_dims, x->at, d, d);
        follow(many, many_dims, x->many, d, d);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int axis = 0; axis < x->one->ndim; axis++) {
            const bool replaced = k->attrs.axes >> axis & 1;
            if (replaced != (pass == 1)) continue;
            follow(one, one_dims, x->one, axis, loop->ndim);
            if (replaced) space->limits.whole |= axis_bit(loop->ndim);
            else follow(many, many_dims, x->many, loop->ndim, loop->ndim);
            loop->shape[loop->ndim++] = x->one->shape[axis];
        }
    }
    return true;
}

// Returns whether the elements at one index always have one owner: this is so if they do along some replaced dimension.
static bool units_have_owners(const Link *link, const CallSpace *space, const KernAccess *one) {
    for (int d = 0; d < space->loop.ndim; d++)
        if (space->limits.whole >> d & 1 && split_follows(link, &space->loop, one, d, link->scratch)) return true;
    return false;
}

// Returns whether no element lies in two blocks.
static bool elements_have_owners(const Link *link, const View *one) {
    const Partition *partition = one->storage->buffer.blocks->partition;
    const int64_t item = (int64_t)dtype_size(one->dtype);
    bool fits = true;
    for (int d = 0; d < one->ndim; d++) fits &= one->strides[d] % item == 0;
    for (int r = 1; r < link->size; r++) {
        const Extent block = block_of(partition, r);
        fits &= extent_is_empty(block) || block.low == 0 || (block.low - one->offset) % item == 0;
    }
    return fits;
}

// --- Indices of this rank --------------------------------------------------------------------------

// Lists the indices in C order, in a new box. NULL: out of memory.
static Storage *list_indices(Vm *vm, const View *at) {
    const int64_t count = view_size(at);
    Storage *list = boxes_temp(vm, count * (int64_t)sizeof(int64_t));
    if (!list || count == 0) return list;
    Unit all;
    unit_of(&all, at, 0, 0);
    unit_pack(&all, 0, list->buffer.host);
    return list;
}

static int64_t *indices_in(const Storage *list) {
    return (int64_t *)(void *)list->buffer.host;
}

// What this rank reads or writes: the units at its indices. If units lie across blocks (`by_element`), each element is
// a unit instead, and its index is its offset in bytes from the array's first element.
typedef struct Named {
    Storage *list;
    int64_t count;
    Unit unit; // what an index of the list stands for
    bool by_element;
} Named;

static Storage *list_elements(Vm *vm, const Unit *unit, const int64_t *indices, int64_t count) {
    const int64_t each = unit->bytes / (int64_t)unit->item;
    Storage *list = boxes_temp(vm, count * each * (int64_t)sizeof *indices);
    if (!list) return NULL;
    int64_t index[NDIM_MAX] = {0}, *to = indices_in(list);
    for (int64_t i = 0; i < count * each; i++) {
        int64_t at = indices[i / each] * unit->step;
        for (int d = 0; d < unit->ndim; d++) at += index[d] * unit->strides[d];
        *to++ = at;
        for (int d = unit->ndim - 1; d >= 0 && ++index[d] == unit->shape[d]; d--) index[d] = 0;
    }
    return list;
}

// Fills in `named` from this rank's indices. False: out of memory.
static bool name_places(Vm *vm, const Kernel *k, const Indexed *x, bool by_element, Named *named) {
    named->by_element = by_element;
    named->count = view_size(x->at);
    named->list = list_indices(vm, x->at);
    unit_of(&named->unit, x->one, k->attrs.axes, k->attrs.step);
    if (!named->list || !by_element) return named->list;
    Storage *elements = list_elements(vm, &named->unit, indices_in(named->list), named->count);
    named->count *= named->unit.bytes / (int64_t)named->unit.item;
    named->list = elements;
    unit_of(&named->unit, x->one, axes_below(x->one->ndim), 1);
    return elements;
}

// Makes the call address single elements, by offsets in bytes: the list contains all dimensions of the array.
static void name_all_axes(Kernel *k, const Indexed *x) {
    k->attrs.axes = axes_below(x->one->ndim);
    k->attrs.step = 1;
}

static void done(Vm *vm, Kernel *k, const CallSpace *space, bool is_empty, Split *split) {
    split_begin(split, &space->loop);
    split->is_empty = is_empty;
    k->split = split;
    vm->engine->stats.kernels_shared++;
}

static void slice(View *view, int axis, Extent range) {
    view->offset += range.low * view->strides[axis];
    view->shape[axis] = range.high - range.low;
}

// --- Reading ---------------------------------------------------------------------------------------

// Makes a TAKE read from packed units, with their numbers as indices.
static void take_from_units(Kernel *k, const Indexed *x, const Named *named, Storage *units, Storage *numbers) {
    const Unit *unit = &named->unit;
    int64_t stride = unit->bytes;
    int rest = 0;
    if (named->by_element) {
        name_all_axes(k, x);
        x->at->ndim = x->many->ndim;
        memcpy(x->at->shape, x->many->shape, sizeof x->at->shape);
    }
    for (int d = 0; d < x->one->ndim; d++) {
        if (k->attrs.axes >> d & 1) continue;
        stride /= unit->shape[rest] ? unit->shape[rest] : 1;
        x->one->strides[d] = stride;
        rest++;
    }
    x->one->storage = units;
    x->one->offset = 0;
    k->attrs.step = unit->bytes;
    x->at->storage = numbers;
    x->at->offset = 0;
    view_fill_strides(x->at);
}

// Partitions a TAKE by its indices: fetches, for each rank, the elements at its part of the indices along `dim`. With
// dim < 0 each rank fetches those at all indices.
static Status take_by_index(Vm *vm, Kernel *k, const Indexed *x, const CallSpace *space, int dim, bool by_element,
                            Split *split) {
    Link *link = link_of(vm);
    const Cost in_place = {.bytes = 0};
    Kernel reading = space->loop; // with the indices as its only load
    Named named;
    Status st = ST_OK;
    reading.loads[0] = reading.loads[1];
    reading.load_count = 1;
    if (dim >= 0) st = split_bring(vm, &reading, dim, &in_place);
    else if (is_cut(x->at->storage)) st = blocks_gather(vm, x->at->storage);
    if (st == ST_OK && dim >= 0) st = split_cut(vm, &space->loop, dim, &in_place);
    if (st != ST_OK) return st;
    const Extent own = dim >= 0 ? link->ranges[link->rank] : (Extent){0, 1};
    const bool is_empty = extent_is_empty(own);
    if (dim >= 0) slice(x->at, dim, is_empty ? (Extent){0, 0} : own);
    if (dim >= 0 && !is_empty) slice(x->many, dim, own);
    Storage *copies[2];
    if (!name_places(vm, k, x, by_element, &named)) st = vm_no_memory(vm);
    else st = places_fetch(vm, &named.unit, indices_in(named.list), named.count, &copies[0], &copies[1]);
    if (st != ST_OK) return st;
    take_from_units(k, x, &named, copies[0], copies[1]);
    done(vm, k, space, is_empty, split);
    return ST_OK;
}

static Status split_take(Vm *vm, Kernel *k, const Indexed *x, CallSpace *space, Split *split) {
    const Link *link = link_of(vm);
    Cost cost;
    const int dim = split_choose(link, &space->loop, &space->limits, &cost);
    if (!is_cut(x->one->storage) || dim >= x->at->ndim) return split_along(vm, k, space, split);
    if (link->dry) return ST_OK; // the indices are unknown
    const bool by_element = !units_have_owners(link, space, &space->loop.loads[0]);
    if (by_element && !elements_have_owners(link, x->one)) return ST_OK;
    return take_by_index(vm, k, x, space, dim, by_element, split);
}

// --- Writing ---------------------------------------------------------------------------------------

// Cuts an array that every rank has whole, if it is large, along a dimension that indices replace.
static Status cut_target(Vm *vm, const Indexed *x, const CallSpace *space) {
    const Link *link = link_of(vm);
    const KernAccess *one = &space->loop.stores[0].to;
    if ((int64_t)x->one->storage->buffer.bytes < link->split_least) return ST_OK;
    for (int d = 0; d < space->loop.ndim; d++)
        if (space->limits.whole >> d & 1 && split_cuts_evenly(link, &space->loop, one, d, link->trial->cuts))
            return blocks_cut(vm, x->one->storage, link->trial->cuts);
    return ST_OK;
}

// Divides indices and values among the ranks along the first dimension of the indices, so that they are in the order of
// ranks.
static Status share_values(Vm *vm, const Indexed *x, CallSpace *space) {
    Link *link = link_of(vm);
    Kernel *loop = &space->loop;
    const int64_t n = loop->shape[0];
    bool found = false;
    for (int i = 1; i >= 0 && !found; i--)
        found = is_cut(loop->loads[i].storage) && split_follows(link, loop, &loop->loads[i], 0, link->ranges);
    for (int r = 0; r < link->size && !found; r++)
        link->ranges[r] = (Extent){n * r / link->size, n * (r + 1) / link->size};
    Status st = split_bring(vm, loop, 0, &(Cost){.bytes = 0});
    const Extent own = link->ranges[link->rank];
    slice(x->at, 0, own);
    slice(x->many, 0, own);
    return st;
}

// Makes a PUT write a list of units at a list of indices.
static void put_units(const Indexed *x, const Unit *unit, Storage *places, Storage *units, int64_t count) {
    const int64_t shape[1] = {count}, strides[1] = {(int64_t)sizeof(int64_t)};
    view_set(x->at, places, 0, DT_INT64, 1, shape, strides);
    x->many->storage = units;
    x->many->offset = 0;
    x->many->ndim = 1 + unit->ndim;
    x->many->shape[0] = count;
    for (int d = 0; d < unit->ndim; d++) x->many->shape[1 + d] = unit->shape[d];
    view_fill_strides(x->many);
}

// Lists all values in the order of the indices, in a new box. NULL: out of memory.
static Storage *list_values(Vm *vm, const Indexed *x) {
    Unit all;
    Storage *list = boxes_temp(vm, view_size(x->many) * (int64_t)dtype_size(x->many->dtype));
    if (!list || view_size(x->many) == 0) return list;
    unit_of(&all, x->many, 0, 0);
    unit_pack(&all, 0, list->buffer.host);
    return list;
}

// Describes the values that belong to each index of `named`, packed in `list`.
static void values_of(const Indexed *x, const Named *named, Storage *list, Unit *values) {
    int64_t stride = (int64_t)dtype_size(x->many->dtype);
    unit_of(values, x->many, axes_below(named->by_element ? x->many->ndim : x->at->ndim), 0);
    values->storage = list;
    values->offset = 0;
    values->step = values->bytes;
    for (int d = values->ndim - 1; d >= 0; stride *= values->shape[d--]) values->strides[d] = stride;
}

static Status put_by_index(Vm *vm, Kernel *k, const Indexed *x, CallSpace *space, bool by_element, Split *split) {
    const bool all = !is_cut(x->at->storage) && !is_cut(x->many->storage);
    Named named;
    Unit values;
    int64_t count = 0;
    Status st = all ? ST_OK : share_values(vm, x, space);
    if (st != ST_OK) return st;
    Storage *list = name_places(vm, k, x, by_element, &named) ? list_values(vm, x) : NULL;
    Storage *copies[2];
    if (list) {
        values_of(x, &named, list, &values);
        const Scattered s = {indices_in(named.list), &values, named.count, all};
        st = places_send(vm, &named.unit, &s, &copies[0], &copies[1], &count);
    } else {
        st = vm_no_memory(vm);
    }
    if (st != ST_OK) return st;
    if (by_element) name_all_axes(k, x);
    put_units(x, &values, copies[0], copies[1], count);
    done(vm, k, space, count == 0, split);
    return ST_OK;
}

// Sets all elements of a view on this rank to the op's identity.
static void fill_identity(const View *view, OpId op) {
    const Scalar identity = op_identity(op, view->dtype);
    int64_t index[NDIM_MAX] = {0};
    for (int d = 0; d >= 0;) {
        int64_t at = view->offset;
        for (d = 0; d < view->ndim; d++) at += index[d] * view->strides[d];
        dtype_store(view->dtype, view->storage->buffer.host + at, identity);
        for (d = view->ndim - 1; d >= 0 && ++index[d] == view->shape[d]; d--) index[d] = 0;
    }
}

// Partitions a PUT that combines values into an array that every rank has whole: ranks combine their parts of the
// values into partial results, as for a reduction.
static Status put_in_parts(Vm *vm, Kernel *k, const Indexed *x, const CallSpace *space, Split *split) {
    const OpId op = k->attrs.combine;
    const DType type = x->one->dtype;
    DType loop, result;
    CallSpace parts = *space;
    if (op >= AOP_COUNT || op_info[op].identity == IDENTITY_NONE || !op_types(op, k->attrs.loop, &loop, &result) ||
        loop != type || result != type || x->many->dtype != type)
        return ST_OK;
    parts.limits.whole |= axes_below(parts.loop.ndim) & ~axes_below(x->at->ndim);
    parts.loop.reduced = axes_below(x->at->ndim);
    parts.loop.reduction_count = 1;
    parts.loop.reductions[0] = (KernReduction){.op = (uint8_t)op};
    Status st = split_along(vm, k, &parts, split);
    if (st != ST_OK || !k->split) return st;
    st = memory_to_host(vm, x->one->storage, true);
    if (st == ST_OK && link_of(vm)->rank != split->first) fill_identity(x->one, op);
    return st;
}

static Status split_put(Vm *vm, Kernel *k, const Indexed *x, CallSpace *space, Split *split) {
    const Link *link = link_of(vm);
    const AxisSet indices = axes_below(x->at->ndim), replaced = space->limits.whole;
    space->limits.whole |= indices;
    Status st = split_along(vm, k, space, split);
    space->limits.whole = replaced;
    // A call that may raise an exception is run by every rank in full, so that it is raised before anything is written.
    if (st != ST_OK || k->split || k->may_raise || x->at->ndim == 0) return st;
    if (!is_cut(x->at->storage) && !is_cut(x->many->storage) && !is_cut(x->one->storage)) return ST_OK;
    if (!is_cut(x->one->storage)) {
        st = cut_target(vm, x, space);
        if (st == ST_OK && !is_cut(x->one->storage)) st = put_in_parts(vm, k, x, space, split);
    }
    if (st != ST_OK || k->split || !is_cut(x->one->storage)) return st;
    if (link->dry) return ST_OK;
    const bool by_element = !units_have_owners(link, space, &space->loop.stores[0].to);
    if (by_element && !elements_have_owners(link, x->one)) return ST_OK;
    return put_by_index(vm, k, x, space, by_element, split);
}

Status split_places(Vm *vm, Kernel *k, Split *split) {
    const Indexed x = indexed_of(k);
    CallSpace space;
    for (int i = 0; i < 2; i++)
        if (k->args[i].is_scalar) return ST_OK;
    if (!indexed_space(k, &x, &space)) return ST_OK;
    for (int d = 0; d < space.loop.ndim; d++)
        if (space.loop.shape[d] == 0) return ST_OK;
    return x.takes ? split_take(vm, k, &x, &space, split) : split_put(vm, k, &x, &space, split);
}
