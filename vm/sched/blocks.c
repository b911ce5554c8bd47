// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cuts storages over the ranks, exchanges halos, and gathers.

#include "vm/sched/blocks.h"

#include <string.h>

#include "vm/sched/apart.h"
#include "vm/sched/dry.h"
#include "vm/sched/grid.h"
#include "vm/sched/sched.h"

// --- Partitions ----------------------------------------------------------------------------------

size_t partition_bytes(const Link *link) {
    return sizeof(Partition) + ((size_t)link->size + 1) * sizeof(int64_t);
}

static void partition_release(Vm *vm, Partition *partition) {
    Link *link = link_of(vm);
    if (--partition->refs > 0) return;
    for (size_t i = 0; i < link->partition_count; i++)
        if (link->partitions[i] == partition) link->partitions[i] = link->partitions[--link->partition_count];
    mem_free(&vm->mem, partition, partition_bytes(link));
}

static bool note_partition(Vm *vm, Link *link, Partition *partition) {
    if (!mem_grow(&vm->mem, (void **)&link->partitions, &link->partition_room, link->partition_count + 1,
                  sizeof *link->partitions))
        return false;
    link->partitions[link->partition_count++] = partition;
    return true;
}

// Returns the partition with these cuts, retained; NULL: out of memory.
static Partition *partition_of(Vm *vm, const int64_t *cuts) {
    Link *link = link_of(vm);
    size_t bytes = ((size_t)link->size + 1) * sizeof *cuts;
    for (size_t i = 0; i < link->partition_count; i++) {
        if (memcmp(link->partitions[i]->cuts, cuts, bytes) != 0) continue;
        link->partitions[i]->refs++;
        return link->partitions[i];
    }
    Partition *partition = mem_alloc(&vm->mem, partition_bytes(link));
    if (!partition) return NULL;
    partition->refs = 1;
    partition->number = ++link->partition_number;
    memcpy(partition->cuts, cuts, bytes);
    if (note_partition(vm, link, partition)) return partition;
    mem_free(&vm->mem, partition, partition_bytes(link));
    return NULL;
}

// --- Windows -------------------------------------------------------------------------------------

static size_t blocks_bytes(const Link *link) {
    return sizeof(Blocks) + (size_t)link->size * sizeof(Extent);
}

void blocks_drop(Vm *vm, Buffer *buffer) {
    if (!buffer->blocks) return;
    if (is_dry(vm)) dry_dropped(vm, buffer->blocks);
    partition_release(vm, buffer->blocks->partition);
    mem_free(&vm->mem, buffer->blocks, blocks_bytes(link_of(vm)));
    buffer->blocks = NULL;
}

// Allocates memory for a window, with the same alignment (BUFFER_ALIGN) of its bytes as in the whole storage.
// into->host is where byte 0 of the storage would be.
static bool window_alloc(Vm *vm, Extent *window, Buffer *into) {
    window->low -= window->low % BUFFER_ALIGN;
    if (window->high < window->low) window->high = window->low;
    *into = (Buffer){.bytes = (size_t)(window->high - window->low)};
    if (!buffer_alloc_host(vm, into, FRESH_ANY)) return false;
    into->host -= window->low;
    return true;
}

// Enlarges this rank's window to contain `wanted`, and moves what the rank holds.
Status blocks_room(Vm *vm, Storage *storage, Extent wanted) {
    Buffer *buffer = &storage->buffer, grown;
    Blocks *blocks = buffer->blocks;
    if (extent_has(blocks->window, wanted)) return ST_OK;
    Extent held = blocks->held[link_of(vm)->rank], window = extent_hull(held, wanted);
    if (!window_alloc(vm, &window, &grown)) return vm_no_memory(vm);
    if (!extent_is_empty(held) && !is_dry(vm))
        memcpy(grown.host + held.low, buffer->host + held.low, (size_t)(held.high - held.low));
    buffer_free_host(vm, buffer);
    buffer->host = grown.host;
    buffer->block = grown.block;
    buffer->block_bytes = grown.block_bytes;
    blocks->window = window;
    return ST_OK;
}

// Returns a block widened by the widest halo so far, so that the first exchange finds room.
static Extent with_halo(const Link *link, Extent block, size_t bytes) {
    if (extent_is_empty(block)) return (Extent){block.low, block.low};
    int64_t low = block.low - link->halo, high = block.high + link->halo;
    return (Extent){low > 0 ? low : 0, high < (int64_t)bytes ? high : (int64_t)bytes};
}

Status blocks_cut(Vm *vm, Storage *storage, const int64_t *cuts) {
    Link *link = link_of(vm);
    Buffer *buffer = &storage->buffer;
    const Extent whole = {0, (int64_t)buffer->bytes};
    const bool is_blank = !buffer->host;
    blocks_drop(vm, buffer);
    Partition *partition = partition_of(vm, cuts);
    Blocks *blocks = partition ? mem_alloc(&vm->mem, blocks_bytes(link)) : NULL;
    if (!blocks) {
        if (partition) partition_release(vm, partition);
        return vm_no_memory(vm);
    }
    Extent window = is_blank ? with_halo(link, block_of(partition, link->rank), buffer->bytes) : whole;
    Buffer made;
    if (is_blank && !window_alloc(vm, &window, &made)) {
        partition_release(vm, partition);
        mem_free(&vm->mem, blocks, blocks_bytes(link));
        return vm_no_memory(vm);
    }
    if (is_blank) {
        buffer->host = made.host;
        buffer->block = made.block;
        buffer->block_bytes = made.block_bytes;
    }
    blocks->partition = partition;
    blocks->window = window;
    blocks->reads = 0;
    blocks->beyond = 0;
    for (int r = 0; r < link->size; r++) blocks->held[r] = is_blank ? block_of(partition, r) : whole;
    buffer->blocks = blocks;
    buffer->valid = PLACE_RANKS;
    if (is_dry(vm) && is_blank) dry_cut(vm, blocks);
    return ST_OK;
}

void blocks_written(Vm *vm, Storage *storage) {
    Blocks *blocks = storage->buffer.blocks;
    blocks->reads = 0;
    for (int r = 0; r < link_of(vm)->size; r++) blocks->held[r] = block_of(blocks->partition, r);
}

void blocks_written_within(Vm *vm, Storage *storage, const Extent *still) {
    Blocks *blocks = storage->buffer.blocks;
    blocks->reads = 0;
    for (int r = 0; r < link_of(vm)->size; r++)
        blocks->held[r] = extent_hull(block_of(blocks->partition, r), extent_meet(blocks->held[r], still[r]));
}

Status blocks_divide(Vm *vm, const View *view, int64_t *from, int64_t *to) {
    const Link *link = link_of(vm);
    const int64_t size = view_size(view), item = (int64_t)dtype_size(view->dtype);
    int axis = 0;
    *from = 0;
    *to = size;
    if (!is_on_ranks(vm) || size * item < link->split_least || engine_on_device(vm) || size == 0 || view->ndim == 0)
        return ST_OK;
    while (axis < view->ndim - 1 && view->shape[axis] == 1) axis++;
    const int64_t rows = view->shape[axis], row = size / rows;
    for (int r = 0; r <= link->size; r++) link->trial->cuts[r] = rows * r / link->size * row * item;
    Status st = blocks_cut(vm, view->storage, link->trial->cuts);
    *from = link->trial->cuts[link->rank] / item;
    *to = link->trial->cuts[link->rank + 1] / item;
    return st;
}

// --- Exchange ------------------------------------------------------------------------------------

bool blocks_list(Vm *vm, int peer, bool sends, void *at, int64_t bytes) {
    Link *link = link_of(vm);
    if (bytes == 0) return true;
    if (!mem_grow(&vm->mem, (void **)&link->transfers, &link->transfer_room, link->transfer_count + 1,
                  sizeof *link->transfers))
        return false;
    link->transfers[link->transfer_count++] = (Transfer){.peer = peer, .sends = sends, .bytes = (size_t)bytes, .at = at};
    if (!sends) vm->engine->stats.array_bytes_received += (uint64_t)bytes;
    return true;
}

// Returns the first rank whose block ends after a byte; `ranks`: there is none.
static int first_behind(const Partition *partition, int ranks, int64_t byte) {
    int low = 0, high = ranks;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (partition->cuts[middle + 1] > byte) high = middle;
        else low = middle + 1;
    }
    return low;
}

bool owners_of(const Partition *partition, int ranks, Extent part, int *first, int *last) {
    if (extent_is_empty(part)) return false;
    *first = first_behind(partition, ranks, part.low);
    *last = first_behind(partition, ranks, part.high - 1);
    if (*last == ranks) *last = ranks - 1;
    return *first <= *last;
}

// Lists the messages that bring bytes which rank `to` lacks: from each owner its own bytes, if this rank is the owner
// or `to`. False: out of memory.
static bool add_missing(Vm *vm, const Storage *storage, int to, Extent lacks) {
    Link *link = link_of(vm);
    const Partition *partition = storage->buffer.blocks->partition;
    int first, last;
    if (link->dry) {
        dry_lacks(vm, partition, to, lacks);
        return true;
    }
    if (!owners_of(partition, link->size, lacks, &first, &last)) return true;
    for (int from = first; from <= last; from++) {
        Extent part = extent_meet(lacks, block_of(partition, from));
        if (extent_is_empty(part) || from == to || (from != link->rank && to != link->rank)) continue;
        const bool sends = from == link->rank;
        if (!blocks_list(vm, sends ? to : from, sends, storage->buffer.host + part.low, part.high - part.low))
            return false;
    }
    return true;
}

// Lists the messages that bring what a rank lacks of `goal`, before and after what it holds. False: out of memory.
static bool add_needs(Vm *vm, const Storage *storage, int rank, Extent goal) {
    Extent held = storage->buffer.blocks->held[rank];
    if (extent_is_empty(held)) return add_missing(vm, storage, rank, goal);
    return add_missing(vm, storage, rank, (Extent){goal.low, held.low}) &&
           add_missing(vm, storage, rank, (Extent){held.high, goal.high});
}

static void note_halo(Link *link, const Blocks *blocks, Extent goal) {
    enum { HALO_MOST = 1 << 22 }; // bytes; a wider halo gets no room in advance
    Extent block = block_of(blocks->partition, link->rank);
    int64_t wide = block.low - goal.low > goal.high - block.high ? block.low - goal.low : goal.high - block.high;
    if (!extent_is_empty(block) && wide > link->halo && wide <= HALO_MOST && wide <= block.high - block.low) link->halo = wide;
}

// Raises if this rank works by itself and so cannot reach a distributed array. What rank 0 does alone gets gathered
// arrays, so that this is a mistake in the engine.
Status blocks_refuse_alone(Vm *vm) {
    if (is_on_ranks(vm)) return ST_OK;
    if (link_of(vm)->apart) return apart_refuse_cut(vm);
    return vm_raise(vm, EXC_SystemError, "a distributed array is wanted by rank 0 alone");
}

static int64_t length(Extent e) {
    return extent_is_empty(e) ? 0 : e.high - e.low;
}

int64_t blocks_missing(const Link *link, const Storage *storage, const Extent *needs) {
    const Blocks *blocks = storage->buffer.blocks;
    int64_t missing = 0;
    for (int r = 0; r < link->size; r++)
        missing += length(extent_hull(blocks->held[r], needs[r])) - length(blocks->held[r]);
    return missing;
}

void blocks_begin(Vm *vm) {
    Link *link = link_of(vm);
    link->transfer_count = 0;
    link->wanted_count = 0;
    link->arrival_count = 0;
    link->moves = false;
}

Status blocks_want(Vm *vm, Storage *storage, const Extent *needs) {
    Link *link = link_of(vm);
    Blocks *blocks = storage->buffer.blocks;
    bool any = false;
    for (int r = 0; r < link->size; r++) any |= !extent_has(blocks->held[r], needs[r]);
    if (!any) return ST_OK;
    Extent own = extent_hull(blocks->held[link->rank], needs[link->rank]);
    Status st = blocks_room(vm, storage, own);
    if (st != ST_OK) return st;
    note_halo(link, blocks, own);
    const bool is_counted = link->dry && dry_exchange(vm, storage, needs);
    for (int r = 0; !is_counted && r < link->size; r++)
        if (!add_needs(vm, storage, r, extent_hull(blocks->held[r], needs[r]))) return vm_no_memory(vm);
    if (!mem_grow(&vm->mem, (void **)&link->wanted, &link->wanted_room, link->wanted_count + 1, sizeof *link->wanted))
        return vm_no_memory(vm);
    if (link->dry && dry_exchanged(vm) != ST_OK) return ST_ERROR;
    link->wanted[link->wanted_count++] = storage;
    link->moves = true;
    vm->engine->stats.array_exchanges++;
    for (int r = 0; r < link->size; r++) blocks->held[r] = extent_hull(blocks->held[r], needs[r]);
    if (link->dry) dry_brought(vm, blocks);
    return ST_OK;
}

// Returns the storage that stands for an exchange in the traffic's figures; NULL: none.
static const Storage *first_wanted(const Link *link) {
    return link->wanted_count ? link->wanted[0] : NULL;
}

// Forgets what an exchange that failed was to bring: no halo has arrived.
static Status none_came(Vm *vm, Status st) {
    const Link *link = link_of(vm);
    for (size_t i = 0; st != ST_OK && i < link->wanted_count; i++) blocks_written(vm, link->wanted[i]);
    if (st != ST_OK) grid_none_came(vm);
    return st;
}

Status blocks_post(Vm *vm) {
    Link *link = link_of(vm);
    const Storage *first = first_wanted(link);
    if (!link->moves) return ST_OK;
    if (blocks_refuse_alone(vm) != ST_OK) return ST_ERROR;
    if (link->dry) dry_exchange_made(vm);
    traffic_parts(vm, first, link->transfers, link->transfer_count);
    const StepKey key = {'x', first ? first->buffer.bytes : 0};
    Status st = link_post(vm, key, link->transfers, (int)link->transfer_count);
    link->posted = st == ST_OK;
    return none_came(vm, st);
}

Status blocks_finish(Vm *vm) {
    Link *link = link_of(vm);
    if (!link->posted) return ST_OK;
    link->posted = false;
    link->traffic.about = first_wanted(link);
    Status st = link_finish(vm, link->transfers, (int)link->transfer_count);
    if (st == ST_OK) grid_arrive(vm);
    return none_came(vm, st);
}

Extent blocks_sent(const Link *link, size_t n, const Storage *storage) {
    const Transfer *message = &link->transfers[n];
    const int64_t at = (int64_t)((uintptr_t)message->at - (uintptr_t)storage->buffer.host);
    const Extent bytes = {at, at + (int64_t)message->bytes};
    return message->sends && extent_has(storage->buffer.blocks->window, bytes) ? bytes : (Extent){0, 0};
}

Status blocks_exchange(Vm *vm) {
    Status st = blocks_post(vm);
    return st == ST_OK ? blocks_finish(vm) : st;
}

Status blocks_bring(Vm *vm, Storage *storage, const Extent *needs) {
    blocks_begin(vm);
    Status st = blocks_want(vm, storage, needs);
    return st == ST_OK ? blocks_exchange(vm) : st;
}

Status blocks_gather(Vm *vm, Storage *storage) {
    Link *link = link_of(vm);
    Buffer *buffer = &storage->buffer;
    const Extent whole = {0, (int64_t)buffer->bytes};
    Extent *needs = link->scratch;
    bool lacks = false;
    for (int r = 0; r < link->size; r++) {
        needs[r] = whole;
        lacks |= !extent_has(buffer->blocks->held[r], whole);
    }
    Status st = blocks_room(vm, storage, whole);
    link->traffic.gathers = true;
    if (st == ST_OK) st = blocks_bring(vm, storage, needs);
    link->traffic.gathers = false;
    if (st != ST_OK) return st;
    vm->engine->stats.arrays_gathered += lacks;
    if (lacks) traffic_gathered(vm, storage);
    buffer->valid = link->dry ? PLACE_UNKNOWN : PLACE_HOST;
    return ST_OK;
}

void blocks_resume(Vm *vm, Storage *storage) {
    Blocks *blocks = storage->buffer.blocks;
    const bool is_whole = storage->buffer.valid == PLACE_HOST || storage->buffer.valid == PLACE_UNKNOWN;
    if (!blocks || !is_whole || storage->owner) return;
    blocks->reads = 0;
    blocks->window = (Extent){0, (int64_t)storage->buffer.bytes};
    for (int r = 0; r < link_of(vm)->size; r++) blocks->held[r] = blocks->window;
    storage->buffer.valid = PLACE_RANKS;
}

// --- Single elements -------------------------------------------------------------------------------

bool blocks_are_wanted(Vm *vm, const Storage *storage) {
    if (is_cut(storage) || is_on_grid(storage)) return true;
    if (link_of(vm)->apart) return false;
    return storage->producer && !storage->owner && (int64_t)storage->buffer.bytes >= link_of(vm)->split_least;
}

// Returns the rank whose block has the element; -1: it is divided between two blocks.
static int owner_of(const Link *link, const Partition *partition, Extent element) {
    for (int r = 0; r < link->size; r++)
        if (extent_has(block_of(partition, r), element)) return r;
    return -1;
}

int64_t blocks_reads_most(const Storage *storage) {
    enum { READS_MOST = 16, BYTES_EACH = 1 << 14 };
    return READS_MOST + (int64_t)storage->buffer.bytes / BYTES_EACH;
}

const char *blocks_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes) {
    enum { LINGERS = 4 };
    Link *link = link_of(vm);
    Blocks *blocks = storage->buffer.blocks;
    const Extent element = {offset, offset + (int64_t)bytes};
    bool all_have_it = true;
    if (!is_cut(storage)) return memory_to_host(vm, storage, false) == ST_OK ? storage->buffer.host + offset : NULL;
    for (int r = 0; r < link->size; r++) all_have_it &= extent_has(blocks->held[r], element);
    if (link->dry && all_have_it) dry_assume(vm, "an element");
    if (all_have_it) return storage->buffer.host + offset;
    int owner = owner_of(link, blocks->partition, element);
    if (blocks_refuse_alone(vm) != ST_OK) return NULL;
    const bool many = owner < 0 || bytes > sizeof link->element || ++blocks->reads > blocks_reads_most(storage);
    if (blocks->reads >= LINGERS && vm->engine->lingers) vm->engine->lingers(vm);
    if (many && engine_detour_here(vm, DETOUR_GATHERED, "a row of elements", "they are looked at one by one") != ST_OK)
        return NULL;
    if (many)
        return memory_to_host(vm, storage, false) == ST_OK ? storage->buffer.host + offset : NULL;
    if (link->dry) {
        dry_assume(vm, "an element");
        memset(link->element, 0, sizeof link->element);
    }
    if (owner == link->rank) memcpy(link->element, storage->buffer.host + offset, bytes);
    Status st = link_broadcast(vm, (StepKey){'e', (uint64_t)offset}, owner, link->element, bytes);
    return st == ST_OK ? link->element : NULL;
}
