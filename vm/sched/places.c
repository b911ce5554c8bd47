// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fetches units of elements from their owners, and sends units to owners.

#include "vm/sched/places.h"

#include <string.h>

#include "vm/sched/boxes.h"
#include "vm/sched/sched.h"
#include "vm/sched/split_impl.h"

// --- Units -----------------------------------------------------------------------------------------

void unit_of(Unit *unit, const View *view, AxisSet axes, int64_t step) {
    *unit = (Unit){.storage = view->storage, .offset = view->offset, .step = step, .item = dtype_size(view->dtype)};
    unit->bytes = unit->high = (int64_t)unit->item;
    for (int d = 0; d < view->ndim; d++) {
        if (axes >> d & 1) continue;
        const int64_t reach = (view->shape[d] - 1) * view->strides[d];
        unit->shape[unit->ndim] = view->shape[d];
        unit->strides[unit->ndim++] = view->strides[d];
        unit->bytes *= view->shape[d];
        if (reach > 0) unit->high += reach;
        else unit->low += reach;
    }
}

// Packs contiguous runs of bytes, one for each index of the first `outer` dimensions.
static void pack_runs(const Unit *unit, const char *base, int outer, int64_t run, char *to) {
    int64_t index[NDIM_MAX] = {0};
    for (int d = 0; d >= 0; to += run) {
        int64_t at = 0;
        for (d = 0; d < outer; d++) at += index[d] * unit->strides[d];
        memcpy(to, base + at, (size_t)run);
        for (d = outer - 1; d >= 0 && ++index[d] == unit->shape[d]; d--) index[d] = 0;
    }
}

void unit_pack(const Unit *unit, int64_t place, char *to) {
    const char *base = unit->storage->buffer.host + unit->offset + place * unit->step;
    int64_t run = (int64_t)unit->item;
    int outer = unit->ndim;
    while (outer > 0 && unit->strides[outer - 1] == run) run *= unit->shape[--outer]; // contiguous
    if (outer > 0) pack_runs(unit, base, outer, run, to);
    else if (run == sizeof(double)) memcpy(to, base, sizeof(double)); // the most frequent case, with a constant size
    else memcpy(to, base, (size_t)run);
}

// --- Owners ----------------------------------------------------------------------------------------

// Returns the rank that owns a unit. Tries rank `last` first, since neighbouring indices mostly have the same owner.
static int owner_of(const Link *link, const Unit *unit, int64_t place, int last) {
    const Partition *partition = unit->storage->buffer.blocks->partition;
    const int64_t at = unit->offset + place * unit->step + unit->low;
    int low = 0, high = link->size - 1;
    Extent block = block_of(partition, last);
    if (block.low <= at && at < block.high) return last;
    while (low < high) { // finds the first rank whose block ends after `at`
        const int middle = (low + high) / 2;
        if (partition->cuts[middle + 1] > at) high = middle;
        else low = middle + 1;
    }
    return low;
}

// --- Memory and messages ---------------------------------------------------------------------------

// Numbers of items (indices or units) that this rank exchanges with each other one.
typedef struct Flow {
    int64_t *counts, *first; // this rank's items for rank r: their number, and where they begin
    int64_t *all;            // `counts` of every rank, a row for each
    int64_t *theirs;         // where rank r's items for this one begin; theirs[size]: the number of them all
    int64_t *next;           // scratch, one per rank
    int64_t *block;          // the memory of these arrays, `bytes` long
    size_t bytes;
} Flow;

static bool flow_begin(Vm *vm, Flow *flow) {
    const size_t size = (size_t)link_of(vm)->size;
    flow->bytes = (size * size + 4 * (size + 1)) * sizeof(int64_t);
    flow->block = mem_zalloc(&vm->mem, flow->bytes);
    if (!flow->block) return false;
    flow->counts = flow->block;
    flow->first = flow->counts + size + 1;
    flow->theirs = flow->first + size + 1;
    flow->next = flow->theirs + size + 1;
    flow->all = flow->next + size + 1;
    return true;
}

static void flow_end(Vm *vm, const Flow *flow) {
    if (flow->block) mem_free(&vm->mem, flow->block, flow->bytes);
}

// Gathers the ranks' `counts`, and sets `first`, `all` and `theirs`. Collective.
static Status flow_tell(Vm *vm, Flow *flow) {
    const Link *link = link_of(vm);
    const int size = link->size;
    for (int r = 0; r < size; r++) flow->first[r + 1] = flow->first[r] + flow->counts[r];
    Status st = link_gather(vm, (StepKey){'c', 0}, flow->counts, flow->all, (size_t)size * sizeof(int64_t));
    for (int r = 0; st == ST_OK && r < size; r++)
        flow->theirs[r + 1] = flow->theirs[r] + flow->all[r * size + link->rank];
    return st;
}

// Returns whether no rank has items for another one.
static bool flow_is_still(const Link *link, const Flow *flow) {
    for (int from = 0; from < link->size; from++)
        for (int to = 0; to < link->size; to++)
            if (from != to && flow->all[from * link->size + to]) return false;
    return true;
}

// Memory of the items of a Flow: `mine` are this rank's, grouped by the other rank (Flow.first); `theirs` are the other
// ranks' items for this one (Flow.theirs).
typedef struct Piles {
    char *mine, *theirs;
    int64_t bytes;    // bytes of an item
    bool sends_mine;  // `mine` is sent and `theirs` received; otherwise the other way round
} Piles;

static bool add_piles(Vm *vm, const Flow *flow, const Piles *piles) {
    Link *link = link_of(vm);
    for (int r = 0; r < link->size; r++) {
        const int64_t mine = flow->counts[r] * piles->bytes;
        const int64_t theirs = (flow->theirs[r + 1] - flow->theirs[r]) * piles->bytes;
        if (r == link->rank) continue;
        if (!blocks_list(vm, r, piles->sends_mine, piles->mine + flow->first[r] * piles->bytes, mine) ||
            !blocks_list(vm, r, !piles->sends_mine, piles->theirs + flow->theirs[r] * piles->bytes, theirs))
            return false;
    }
    return true;
}

// Exchanges the items of piles. Collective.
static Status exchange(Vm *vm, const Flow *flow, const Piles *piles, int count) {
    blocks_begin(vm);
    for (int i = 0; i < count; i++)
        if (!add_piles(vm, flow, &piles[i])) return vm_no_memory(vm);
    vm->engine->stats.array_exchanges++;
    link_of(vm)->moves = true;
    return blocks_exchange(vm);
}

// --- Different indices ---------------------------------------------------------------------------

typedef struct Wanted {
    int64_t place, position;
} Wanted;

// Sorts by place, with `other` as scratch: a radix sort from the lowest digit, over the bits in which places differ.
// Returns the sorted list, which is one of the two.
static Wanted *sort_wanted(Wanted *list, Wanted *other, int64_t count) {
    enum { BITS = 11, DIGITS = 1 << BITS };
    if (count == 0) return list;
    int64_t low = list->place, high = low;
    for (int64_t i = 1; i < count; i++) {
        if (list[i].place < low) low = list[i].place;
        if (list[i].place > high) high = list[i].place;
    }
    const uint64_t span = (uint64_t)high - (uint64_t)low;
    for (int shift = 0; shift < 64 && span >> shift; shift += BITS) {
        int64_t starts[DIGITS + 1] = {0};
        for (int64_t i = 0; i < count; i++)
            starts[(((uint64_t)list[i].place - (uint64_t)low) >> shift & (DIGITS - 1)) + 1]++;
        for (int d = 0; d < DIGITS; d++) starts[d + 1] += starts[d];
        for (int64_t i = 0; i < count; i++)
            other[starts[((uint64_t)list[i].place - (uint64_t)low) >> shift & (DIGITS - 1)]++] = list[i];
        Wanted *sorted = other;
        other = list;
        list = sorted;
    }
    return list;
}

// Writes the distinct places to `places`, in ascending order, and for each position the number of its place to
// `numbers`. Returns how many distinct places there are.
static int64_t number_wanted(const Wanted *sorted, int64_t count, int64_t *places, int64_t *numbers) {
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++) {
        if (made == 0 || places[made - 1] != sorted[i].place) places[made++] = sorted[i].place;
        numbers[sorted[i].position] = made - 1;
    }
    return made;
}

// Finds the distinct indices, in ascending order; numbers[i] is the number of places[i] among them.
static Status find_different(Vm *vm, const int64_t *places, int64_t count, int64_t *different, int64_t *made,
                             int64_t *numbers) {
    const size_t bytes = (size_t)(2 * count + 1) * sizeof(Wanted);
    Wanted *list = mem_alloc(&vm->mem, bytes);
    if (!list) return vm_no_memory(vm);
    for (int64_t i = 0; i < count; i++) list[i] = (Wanted){places[i], i};
    *made = number_wanted(sort_wanted(list, list + count, count), count, different, numbers);
    mem_free(&vm->mem, list, bytes);
    return ST_OK;
}

// --- Fetching --------------------------------------------------------------------------------------

// Counts how many of the indices each rank owns. Fast for sorted indices, whose owners are sorted, too.
static void count_owners(const Link *link, const Unit *unit, const int64_t *places, int64_t count, int64_t *counts) {
    int owner = 0;
    for (int64_t i = 0; i < count; i++) {
        owner = owner_of(link, unit, places[i], owner);
        counts[owner]++;
    }
}

static void pack_units(const Unit *unit, const int64_t *places, int64_t count, char *to) {
    for (int64_t i = 0; i < count; i++) unit_pack(unit, places[i], to + i * unit->bytes);
}

// Reverses indices, and adapts the numbers that refer to them. Used with a negative step, where ascending indices have
// owners in descending order.
static void reverse(int64_t *places, int64_t count, int64_t *numbers, int64_t number_count) {
    for (int64_t i = 0; i < count / 2; i++) {
        const int64_t place = places[i];
        places[i] = places[count - 1 - i];
        places[count - 1 - i] = place;
    }
    for (int64_t i = 0; i < number_count; i++) numbers[i] = count - 1 - numbers[i];
}

// Packs this rank's own units, receives the indices that others want, and exchanges the units.
static Status serve(Vm *vm, const Unit *unit, const Flow *flow, int64_t *wanted, char *units) {
    const Link *link = link_of(vm);
    const int64_t count = flow->theirs[link->size], own = flow->first[link->rank];
    pack_units(unit, wanted + own, flow->counts[link->rank], units + own * unit->bytes);
    if (flow_is_still(link, flow)) return ST_OK;
    Storage *asked = boxes_temp(vm, count * (int64_t)sizeof *wanted), *packed = boxes_temp(vm, count * unit->bytes);
    Status st = asked && packed ? ST_OK : vm_no_memory(vm);
    int64_t *asked_at = asked ? (int64_t *)(void *)asked->buffer.host : NULL;
    if (st == ST_OK)
        st = exchange(vm, flow, &(Piles){(char *)wanted, (char *)asked_at, (int64_t)sizeof *wanted, true}, 1);
    for (int r = 0; st == ST_OK && r < link->size; r++)
        if (r != link->rank)
            pack_units(unit, asked_at + flow->theirs[r], flow->theirs[r + 1] - flow->theirs[r],
                       packed->buffer.host + flow->theirs[r] * unit->bytes);
    if (st == ST_OK) st = exchange(vm, flow, &(Piles){units, packed->buffer.host, unit->bytes, false}, 1);
    return st;
}

// Does places_fetch in given boxes. `different` has room for `count` indices.
static Status fetch(Vm *vm, const Unit *unit, const int64_t *places, int64_t count, Storage *different,
                    Storage *numbers, Storage **units) {
    Flow flow = {.block = NULL};
    int64_t *wanted = (int64_t *)(void *)different->buffer.host, *number = (int64_t *)(void *)numbers->buffer.host;
    int64_t made = 0;
    Status st = flow_begin(vm, &flow) ? find_different(vm, places, count, wanted, &made, number) : vm_no_memory(vm);
    if (st == ST_OK && unit->step < 0) reverse(wanted, made, number, count);
    if (st == ST_OK && !(*units = boxes_temp(vm, made * unit->bytes))) st = vm_no_memory(vm);
    if (st == ST_OK) {
        count_owners(link_of(vm), unit, wanted, made, flow.counts);
        st = flow_tell(vm, &flow);
    }
    if (st == ST_OK) st = serve(vm, unit, &flow, wanted, (*units)->buffer.host);
    flow_end(vm, &flow);
    return st;
}

Status places_fetch(Vm *vm, const Unit *unit, const int64_t *places, int64_t count, Storage **units,
                    Storage **numbers) {
    Storage *different = boxes_temp(vm, count * (int64_t)sizeof *places);
    *units = NULL;
    *numbers = boxes_temp(vm, count * (int64_t)sizeof *places);
    return different && *numbers ? fetch(vm, unit, places, count, different, *numbers, units) : vm_no_memory(vm);
}

// --- Sending ---------------------------------------------------------------------------------------

// Groups this rank's indices and units by owner. If `everyone_has_all`, keeps only those that this rank owns.
static void sort_out(const Link *link, const Unit *to, const Scattered *s, const Flow *flow, int64_t *places,
                     char *units) {
    int owner = 0;
    memcpy(flow->next, flow->first, (size_t)link->size * sizeof *flow->next);
    for (int64_t i = 0; i < s->count; i++) {
        owner = owner_of(link, to, s->places[i], owner);
        if (s->everyone_has_all && owner != link->rank) continue;
        const int64_t at = flow->next[owner]++;
        places[at] = s->places[i];
        unit_pack(s->values, i, units + at * s->values->bytes);
    }
}

static void own_pile(const Link *link, const Flow *flow, const char *from, char *to, int64_t bytes) {
    memcpy(to + flow->theirs[link->rank] * bytes, from + flow->first[link->rank] * bytes,
           (size_t)(flow->counts[link->rank] * bytes));
}

static Status send(Vm *vm, const Flow *flow, int64_t bytes, Storage *const *from, Storage *const *to) {
    const Link *link = link_of(vm);
    const int64_t item = (int64_t)sizeof(int64_t);
    const Piles piles[2] = {{from[0]->buffer.host, to[0]->buffer.host, item, true},
                            {from[1]->buffer.host, to[1]->buffer.host, bytes, true}};
    own_pile(link, flow, from[0]->buffer.host, to[0]->buffer.host, item);
    own_pile(link, flow, from[1]->buffer.host, to[1]->buffer.host, bytes);
    return flow_is_still(link, flow) ? ST_OK : exchange(vm, flow, piles, 2);
}

// Sets the flow for `everyone_has_all`: each rank keeps the items that it owns, and nothing is sent.
static void keep_own(const Link *link, Flow *flow) {
    for (int r = 0; r < link->size; r++)
        if (r != link->rank) flow->counts[r] = 0;
    for (int r = 0; r < link->size; r++) flow->first[r + 1] = flow->first[r] + flow->counts[r];
    flow->theirs[link->size] = flow->counts[link->rank];
}

static Status scatter(Vm *vm, const Unit *to, const Scattered *s, Flow *flow, Storage **into) {
    const Link *link = link_of(vm);
    const int64_t bytes = s->values->bytes, item = (int64_t)sizeof(int64_t);
    count_owners(link, to, s->places, s->count, flow->counts);
    Status st = ST_OK;
    if (s->everyone_has_all) keep_own(link, flow);
    else st = flow_tell(vm, flow);
    if (st != ST_OK) return st;
    const int64_t sent = flow->first[link->size], count = flow->theirs[link->size];
    Storage *from[2] = {boxes_temp(vm, sent * item), boxes_temp(vm, sent * bytes)};
    for (int i = 0; i < 2; i++) into[i] = s->everyone_has_all ? from[i] : boxes_temp(vm, count * (i == 0 ? item : bytes));
    if (!from[0] || !from[1] || !into[0] || !into[1]) return vm_no_memory(vm);
    sort_out(link, to, s, flow, (int64_t *)(void *)from[0]->buffer.host, from[1]->buffer.host);
    return s->everyone_has_all ? ST_OK : send(vm, flow, bytes, from, into);
}

Status places_send(Vm *vm, const Unit *to, const Scattered *s, Storage **places, Storage **units, int64_t *count) {
    Flow flow = {.block = NULL};
    Storage *into[2] = {NULL, NULL};
    Status st = flow_begin(vm, &flow) ? scatter(vm, to, s, &flow, into) : vm_no_memory(vm);
    *places = into[0];
    *units = into[1];
    *count = st == ST_OK ? flow.theirs[link_of(vm)->size] : 0;
    flow_end(vm, &flow);
    return st;
}
