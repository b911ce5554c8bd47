// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Packs, sends and unpacks boxes.

#include "vm/sched/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "vm/sched/dry.h"
#include "vm/sched/own.h"
#include "vm/sched/sched.h"

// --- Memory of boxes -------------------------------------------------------------------------------

Storage *boxes_temp(Vm *vm, int64_t bytes) {
    Link *link = link_of(vm);
    if (!mem_grow(&vm->mem, (void **)&link->temps, &link->temp_room, link->temp_count + 1, sizeof *link->temps))
        return NULL;
    Storage *made = storage_new(vm, bytes > 0 ? (size_t)bytes : 1);
    if (made && !buffer_alloc_host(vm, &made->buffer, FRESH_ANY)) {
        storage_release(vm, made);
        return NULL;
    }
    if (made) link->temps[link->temp_count++] = made;
    return made;
}

void boxes_release_from(Vm *vm, size_t first) {
    Link *link = link_of(vm);
    while (link->temp_count > first) storage_release(vm, link->temps[--link->temp_count]);
}

void boxes_release(Vm *vm) {
    boxes_release_from(vm, 0);
}

// --- Shapes ----------------------------------------------------------------------------------------

// Returns a part's indices along dimension d: `part` along `dim`, otherwise all.
static Extent along(Space space, int d, int dim, Extent part) {
    return d == dim ? part : (Extent){0, space.shape[d]};
}

static int64_t length(Extent e) {
    return extent_is_empty(e) ? 0 : e.high - e.low;
}

// Returns the dimension not in `placed` with the smallest stride other than 0; -1: none.
static int fastest(Space space, const KernAccess *access, AxisSet placed) {
    int found = -1;
    for (int d = 0; d < space.ndim; d++) {
        if (access->strides[d] == 0 || placed >> d & 1) continue;
        if (found < 0 || llabs(access->strides[d]) < llabs(access->strides[found])) found = d;
    }
    return found;
}

// Computes the strides of a box whose outermost dimension is `outer`. The others keep the order that they have in the
// access, so that what is contiguous there is contiguous in the box. Returns the box's bytes.
static int64_t box_strides(Space space, const KernAccess *access, int outer, int dim, Extent part,
                           int64_t *strides) {
    int64_t bytes = (int64_t)dtype_size(access->dtype);
    AxisSet placed = axis_bit(outer);
    memset(strides, 0, (size_t)space.ndim * sizeof *strides);
    for (int d; (d = fastest(space, access, placed)) >= 0; placed |= axis_bit(d)) {
        strides[d] = bytes;
        bytes *= length(along(space, d, dim, part));
    }
    strides[outer] = bytes;
    return bytes * length(along(space, outer, dim, part));
}

// Returns an access to a box in a storage, with these strides; byte `at` is where index 0 of all dimensions would be.
static KernAccess access_of(Storage *storage, const KernAccess *like, const int64_t *strides, int ndim, int64_t at) {
    KernAccess access = {.storage = storage, .base = storage->buffer.host, .dtype = like->dtype, .offset = at};
    memcpy(access.strides, strides, (size_t)ndim * sizeof *strides);
    return access;
}

// Copies the elements of a box of indices; the offsets of both accesses are those of index 0.
static Status copy_box(Vm *vm, Space space, KernAccess from, KernAccess to, int dim, Extent part, int outer,
                       Extent piece) {
    int64_t shape[NDIM_MAX];
    for (int d = 0; d < space.ndim; d++) {
        Extent e = d == outer ? piece : along(space, d, dim, part);
        if (to.strides[d] == 0) e = (Extent){0, 1}; // all indices are the same element
        shape[d] = length(e);
        from.offset += e.low * from.strides[d];
        to.offset += e.low * to.strides[d];
    }
    return own_copy(vm, space.ndim, shape, &from, &to);
}

// Returns the indices along `outer` of a rank's part that are in rank `owner`'s block.
static Extent piece_of(Space space, const Extent *owners, int owner, int outer, int dim, Extent part) {
    return extent_meet(owners[owner], along(space, outer, dim, part));
}

// Returns the byte of a box where index 0 would be, if the box begins with index part.low of `dim`.
static int64_t origin(const int64_t *strides, int dim, Extent part) {
    return -part.low * strides[dim];
}

// --- Operands --------------------------------------------------------------------------------------

static int find_owners(const Link *link, Space space, const KernAccess *access) {
    return reach_owners(link, space, access, access->storage->buffer.blocks->partition, 0, link->owners);
}

bool boxes_missing(const Link *link, Space space, const KernAccess *load, int dim, int64_t *missing,
                   int64_t *copied) {
    int64_t strides[NDIM_MAX];
    const int outer = find_owners(link, space, load);
    *missing = *copied = 0;
    if (outer < 0) return false;
    for (int r = 0; r < link->size; r++) {
        const Extent part = link->ranges[r];
        if (extent_is_empty(part)) continue;
        int64_t bytes = box_strides(space, load, outer, dim, part, strides);
        int64_t own = length(piece_of(space, link->owners, r, outer, dim, part)) * strides[outer];
        *missing += bytes - own;
        *copied += own;
    }
    return true;
}

// Counts, in a dry run, what all ranks would send for their boxes.
static Status count_boxes(Vm *vm, Space space, const KernAccess *access, int outer, int dim, bool to_owners) {
    Link *link = link_of(vm);
    int64_t strides[NDIM_MAX], own = 0;
    for (int r = 0; r < link->size; r++) {
        const bool has_part = !extent_is_empty(link->ranges[r]);
        const int64_t bytes = has_part ? box_strides(space, access, outer, dim, link->ranges[r], strides) : 0;
        link->starts[r] = has_part ? strides[outer] : 0;
        if (bytes > own) own = bytes;
    }
    dry_borrowed(vm, (size_t)own);
    return dry_boxes(vm, link->starts, outer != dim, to_owners);
}

// Packs the elements of another rank's box that this rank owns, and lists the message.
static Status send_piece(Vm *vm, Space space, const KernAccess *load, int dim, int outer, int to) {
    const Link *link = link_of(vm);
    const Extent part = link->ranges[to], piece = piece_of(space, link->owners, link->rank, outer, dim, part);
    int64_t strides[NDIM_MAX];
    if (extent_is_empty(part) || extent_is_empty(piece)) return ST_OK;
    box_strides(space, load, outer, dim, part, strides);
    const int64_t bytes = length(piece) * strides[outer];
    Storage *packed = bytes ? boxes_temp(vm, bytes) : NULL;
    if (!packed) return bytes ? vm_no_memory(vm) : ST_OK;
    int64_t at = origin(strides, dim, part) - (outer == dim ? piece.low - part.low : piece.low) * strides[outer];
    Status st = copy_box(vm, space, *load, access_of(packed, load, strides, space.ndim, at), dim, part, outer, piece);
    if (st == ST_OK && !blocks_list(vm, to, true, packed->buffer.host, bytes)) return vm_no_memory(vm);
    return st;
}

Status boxes_want(Vm *vm, Space space, KernAccess *load, int dim, Extent own) {
    Link *link = link_of(vm);
    const int outer = find_owners(link, space, load);
    const bool has_part = !extent_is_empty(link->ranges[link->rank]);
    KernAccess from = *load;
    int64_t strides[NDIM_MAX];
    int64_t bytes = box_strides(space, load, outer, dim, own, strides);
    Storage *box = boxes_temp(vm, bytes);
    if (!box) return vm_no_memory(vm);
    from.base = load->storage->buffer.host;
    *load = access_of(box, &from, strides, space.ndim, origin(strides, dim, own));
    link->moves = true;
    vm->engine->stats.array_exchanges++;
    if (link->dry) return count_boxes(vm, space, &from, outer, dim, false);
    Status st = ST_OK;
    for (int r = 0; st == ST_OK && r < link->size; r++) {
        const Extent piece = piece_of(space, link->owners, r, outer, dim, own);
        const int64_t low = outer == dim ? piece.low - own.low : piece.low;
        if (r != link->rank) st = send_piece(vm, space, &from, dim, outer, r);
        if (st != ST_OK || !has_part || extent_is_empty(piece)) continue;
        if (r == link->rank) st = copy_box(vm, space, from, *load, dim, own, outer, piece);
        else if (!blocks_list(vm, r, false, box->buffer.host + low * strides[outer], length(piece) * strides[outer]))
            st = vm_no_memory(vm);
    }
    return st;
}

// --- Results ---------------------------------------------------------------------------------------

static Space split_space(const Split *split) {
    return (Space){split->ndim, split->shape};
}

Status boxes_make(Vm *vm, Space space, SplitResult *result, KernAccess *store, int dim, Extent own) {
    int64_t strides[NDIM_MAX];
    int64_t bytes = box_strides(space, store, result->owners, dim, own, strides);
    result->box = boxes_temp(vm, bytes);
    if (!result->box) return vm_no_memory(vm);
    *store = access_of(result->box, store, strides, space.ndim, origin(strides, dim, own));
    return ST_OK;
}

// Returns the bytes that rank `owner` receives of rank `from`'s box.
static int64_t bytes_between(const Link *link, const Split *split, const SplitResult *result, int from, int owner) {
    const Space space = split_space(split);
    const Extent part = link->ranges[from];
    int64_t strides[NDIM_MAX];
    if (extent_is_empty(part)) return 0;
    box_strides(space, &result->to, result->owners, split->dim, part, strides);
    return length(piece_of(space, link->owners, owner, result->owners, split->dim, part)) * strides[result->owners];
}

static Extent own_piece(const Link *link, const Split *split, const SplitResult *result, int from) {
    return piece_of(split_space(split), link->owners, link->rank, result->owners, split->dim, link->ranges[from]);
}

// Returns the index of a piece's first row within the box of a part.
static int64_t first_of(const Split *split, const SplitResult *result, Extent part, Extent piece) {
    return result->owners == split->dim ? piece.low - part.low : piece.low;
}

// Lists the message to rank `to`, a slice of this rank's box. False: out of memory.
static bool list_sends(Vm *vm, const Split *split, const SplitResult *result, int to) {
    const Link *link = link_of(vm);
    const Space space = split_space(split);
    const Extent part = link->ranges[link->rank];
    const Extent piece = piece_of(space, link->owners, to, result->owners, split->dim, part);
    int64_t strides[NDIM_MAX];
    if (split->is_empty || extent_is_empty(piece)) return true;
    box_strides(space, &result->to, result->owners, split->dim, part, strides);
    const int64_t stride = strides[result->owners];
    char *at = result->box->buffer.host + first_of(split, result, part, piece) * stride;
    return blocks_list(vm, to, true, at, length(piece) * stride);
}

Status boxes_send(Vm *vm, const Split *split, const SplitResult *result, Storage **inbox) {
    Link *link = link_of(vm);
    int64_t total = 0, at = 0;
    find_owners(link, split_space(split), &result->to);
    if (link->dry) {
        link->moves = true;
        vm->engine->stats.array_exchanges++;
        return count_boxes(vm, split_space(split), &result->to, result->owners, split->dim, true);
    }
    for (int r = 0; r < link->size; r++) total += bytes_between(link, split, result, r, link->rank);
    *inbox = boxes_temp(vm, total);
    if (!*inbox) return vm_no_memory(vm);
    link->moves = true;
    vm->engine->stats.array_exchanges++;
    for (int r = 0; r < link->size; r++) {
        const int64_t bytes = bytes_between(link, split, result, r, link->rank);
        char *to = (*inbox)->buffer.host + at;
        at += bytes;
        if (r == link->rank) {
            const Extent piece = own_piece(link, split, result, r);
            const int64_t first = first_of(split, result, link->ranges[r], piece);
            if (bytes) memcpy(to, result->box->buffer.host + first * (bytes / length(piece)), (size_t)bytes);
        } else if (!list_sends(vm, split, result, r) || !blocks_list(vm, r, false, to, bytes)) {
            return vm_no_memory(vm);
        }
    }
    return ST_OK;
}

Status boxes_place(Vm *vm, const Split *split, const SplitResult *result, Storage *inbox) {
    const Link *link = link_of(vm);
    const Space space = split_space(split);
    KernAccess to = result->to;
    int64_t at = 0;
    Status st = ST_OK;
    find_owners(link, space, &result->to);
    to.base = to.storage->buffer.host;
    for (int r = 0; st == ST_OK && r < link->size; r++) {
        const Extent part = link->ranges[r], piece = own_piece(link, split, result, r);
        const int64_t bytes = bytes_between(link, split, result, r, link->rank);
        int64_t strides[NDIM_MAX];
        if (bytes == 0) continue;
        box_strides(space, &result->to, result->owners, split->dim, part, strides);
        const int64_t first = first_of(split, result, part, piece) * strides[result->owners];
        const KernAccess from = access_of(inbox, &to, strides, space.ndim, at + origin(strides, split->dim, part) - first);
        st = copy_box(vm, space, from, to, split->dim, part, result->owners, piece);
        at += bytes;
    }
    return st;
}

void boxes_sums(Vm *vm, const Split *split, const SplitResult *result, Storage *inbox, Sums *sums) {
    const Link *link = link_of(vm);
    find_owners(link, split_space(split), &result->to);
    const Extent piece = own_piece(link, split, result, split->first);
    *sums = (Sums){.parts = inbox, .apart = bytes_between(link, split, result, split->first, link->rank)};
    box_strides(split_space(split), &result->to, result->owners, split->dim, link->ranges[split->first], sums->strides);
    memcpy(sums->shape, split->shape, (size_t)split->ndim * sizeof *sums->shape);
    sums->shape[result->owners] = length(piece);
    sums->to = result->to;
    sums->to.offset += piece.low * result->to.strides[result->owners];
}
