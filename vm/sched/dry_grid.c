// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Counts, in a dry run, the messages between boxes of all ranks. Which boxes there are is asked of the functions that a
// run lists its messages by (Lies.box); here their number is dealt with. A rank's number has a digit for each level that
// is cut, and each level's extent of its box depends on one digit. So sums over ranks are products of sums over digits,
// and counting an exchange costs at most O(P (p + q)) on a grid of p times q ranks, though it may consist of P * P messages.

#include "vm/sched/dry_impl.h"

#include <string.h>

#include "vm/sched/grid_impl.h"

// --- Boxes by digits ---------------------------------------------------------------------------------

// What of one rank's box is in those of others: bytes, and how many boxes there are.
typedef struct Sum {
    uint64_t bytes, boxes;
} Sum;

typedef struct Digit {
    int step, ranks;
    uint32_t levels; // bits: levels whose extents depend on this digit
    int level;       // the first one of them
    Box *parts;      // the box of the base rank with another digit; all 0 if that is empty
    int64_t *reached, *begun; // the highest end of parts up to this one; the lowest beginning from this one on, along `level`
    int64_t *filled;          // how many parts before this one are not empty
    Sum *sums;                // scratch of ask
} Digit;

// The boxes of all ranks. A rank's box is empty if that of one of its digits is.
typedef struct Boxes {
    const Lies *lies;
    int levels, count; // count 0: all ranks have the base rank's box
    Digit digit[GRID_CUTS]; // slowest first
    Box base;
    bool none;       // all boxes are empty
    bool is_product; // the description is right
    void *block;
    size_t bytes;
} Boxes;

static int part_of(const Digit *digit, int rank) {
    return rank / digit->step % digit->ranks;
}

static int64_t length(Extent e) {
    return e.high > e.low ? e.high - e.low : 0;
}

static void add_digit(Boxes *boxes, int step, int ranks) {
    int at = boxes->count++;
    for (; at > 0 && boxes->digit[at - 1].step < step; at--) boxes->digit[at] = boxes->digit[at - 1];
    boxes->digit[at] = (Digit){.step = step, .ranks = ranks};
}

static void find_digits(const Dry *dry, Boxes *boxes) {
    const Lies *lies = boxes->lies;
    if (lies->rows) {
        add_digit(boxes, 1, dry->size);
    } else if (lies->share) {
        for (int c = 0; c < lies->share->count; c++) add_digit(boxes, lies->share->cut[c].step, lies->share->cut[c].ranks);
    } else {
        for (int l = 0; l < lies->grid->levels && !lies->everywhere; l++)
            if (lies->grid->level[l].ranks > 1) add_digit(boxes, lies->grid->level[l].step, lies->grid->level[l].ranks);
    }
}

static bool make_room(Vm *vm, Boxes *boxes) {
    enum { EACH = sizeof(Box) + 3 * sizeof(int64_t) + sizeof(Sum) };
    size_t parts = 0;
    for (int j = 0; j < boxes->count; j++) parts += (size_t)boxes->digit[j].ranks + 1;
    boxes->bytes = parts * EACH;
    if (parts == 0) return true;
    char *at = boxes->block = mem_alloc(&vm->mem, boxes->bytes);
    for (int j = 0; at && j < boxes->count; j++) {
        Digit *digit = &boxes->digit[j];
        const size_t count = (size_t)digit->ranks + 1;
        digit->parts = (Box *)(void *)at;
        digit->reached = (int64_t *)(void *)(digit->parts + count);
        digit->begun = digit->reached + count;
        digit->filled = digit->begun + count;
        digit->sums = (Sum *)(void *)(digit->filled + count);
        at += count * EACH;
    }
    return at;
}

// Finds the parts of a digit, and the levels that depend on it.
static void fill_digit(const Boxes *boxes, Digit *digit, int base) {
    for (int p = 0; p < digit->ranks; p++) {
        Box *part = &digit->parts[p];
        *part = boxes->lies->box(boxes->lies, base + (p - part_of(digit, base)) * digit->step);
        if (box_is_empty(boxes->levels, part)) memset(part, 0, sizeof *part);
        for (int l = 0; l < boxes->levels && !extent_is_empty(part->along[0]); l++)
            if (memcmp(&part->along[l], &boxes->base.along[l], sizeof part->along[l]) != 0) digit->levels |= 1u << l;
        digit->filled[p + 1] = (p ? digit->filled[p] : 0) + !extent_is_empty(part->along[0]);
    }
    digit->filled[0] = 0;
    while (digit->level < boxes->levels - 1 && !(digit->levels >> digit->level & 1)) digit->level++;
    int64_t reached = INT64_MIN, begun = INT64_MAX;
    for (int p = 0; p < digit->ranks; p++) {
        const Extent e = digit->parts[p].along[digit->level];
        if (!extent_is_empty(e) && e.high > reached) reached = e.high;
        digit->reached[p] = reached;
    }
    for (int p = digit->ranks - 1; p >= 0; p--) {
        const Extent e = digit->parts[p].along[digit->level];
        if (!extent_is_empty(e) && e.low < begun) begun = e.low;
        digit->begun[p] = begun;
    }
}

static Status describe(Vm *vm, const Lies *lies, Boxes *boxes) {
    const int size = dry_of(vm)->size;
    int base = 0;
    uint32_t taken = 0;
    *boxes = (Boxes){.lies = lies, .levels = lies->grid->levels, .is_product = true};
    while (base < size && (boxes->base = lies->box(lies, base), box_is_empty(boxes->levels, &boxes->base))) base++;
    boxes->none = base == size;
    if (boxes->none) return ST_OK;
    find_digits(dry_of(vm), boxes);
    if (!make_room(vm, boxes)) return vm_no_memory(vm);
    for (int j = 0; j < boxes->count; j++) {
        fill_digit(boxes, &boxes->digit[j], base);
        boxes->is_product &= !(taken & boxes->digit[j].levels);
        taken |= boxes->digit[j].levels;
    }
    return ST_OK;
}

static void forget(Vm *vm, const Boxes *boxes) {
    if (boxes->block) mem_free(&vm->mem, boxes->block, boxes->bytes);
}

static uint64_t hash_boxes(uint64_t hash, const Boxes *boxes) {
    hash = hash_mixed(hash, (uint64_t)boxes->none * 2 + boxes->is_product);
    hash = dry_hash(hash, boxes->base.along, GRID_LEVELS);
    for (int j = 0; j < boxes->count; j++) {
        const Digit *digit = &boxes->digit[j];
        hash = hash_mixed(hash, ((uint64_t)digit->step << 32) + (uint64_t)digit->ranks);
        hash = dry_hash(hash, digit->parts->along, digit->ranks * GRID_LEVELS);
    }
    return hash;
}

// Checks the description against each rank's box.
static bool is_right(const Dry *dry, const Boxes *boxes) {
    for (int r = 0; !boxes->none && r < dry->size; r++) {
        const Box box = boxes->lies->box(boxes->lies, r);
        Box made = boxes->base;
        bool is_empty = false;
        for (int j = 0; j < boxes->count; j++) {
            const Digit *digit = &boxes->digit[j];
            const Box *part = &digit->parts[part_of(digit, r)];
            is_empty |= extent_is_empty(part->along[0]);
            for (int l = 0; l < boxes->levels; l++)
                if (digit->levels >> l & 1) made.along[l] = part->along[l];
        }
        if (is_empty != box_is_empty(boxes->levels, &box)) return false;
        if (!is_empty && memcmp(made.along, box.along, (size_t)boxes->levels * sizeof *made.along) != 0) return false;
    }
    return true;
}

// --- Sums --------------------------------------------------------------------------------------------

static Sum times(Sum a, Sum b) {
    return (Sum){a.bytes * b.bytes, a.boxes * b.boxes};
}

static Sum plus(Sum a, Sum b) {
    return (Sum){a.bytes + b.bytes, a.boxes + b.boxes};
}

static Sum minus(Sum a, Sum b) {
    return (Sum){a.bytes - b.bytes, a.boxes - b.boxes};
}

static Sum in_levels(const Box *a, const Box *b, uint32_t levels) {
    Sum sum = {1, 1};
    for (int l = 0; l < GRID_LEVELS; l++)
        if (levels >> l & 1) sum.bytes *= (uint64_t)length(extent_meet(a->along[l], b->along[l]));
    sum.boxes = sum.bytes != 0;
    return sum;
}

static Sum in_part(const Digit *digit, int part, const Box *box) {
    if (extent_is_empty(digit->parts[part].along[0])) return (Sum){0, 0};
    return in_levels(&digit->parts[part], box, digit->levels);
}

// Returns the first part, of those sorted, for which a value is at least `least`.
static int first_from(const int64_t *sorted, int count, int64_t least) {
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (sorted[middle] >= least) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Boxes one after the other, and the others that each is looked for in.
typedef struct Query {
    Boxes *others;
    bool begun;
    Box box;
    Sum outside; // of the levels that depend on no digit
    int first[GRID_CUTS], end[GRID_CUTS]; // other parts of a digit have nothing of the box
} Query;

// Returns the sum over a digit's parts before one.
static Sum sum_before(const Query *q, int j, int part) {
    const Digit *digit = &q->others->digit[j];
    const int at = part < q->end[j] ? part : q->end[j];
    if (!digit->levels) return (Sum){(uint64_t)digit->filled[part], (uint64_t)digit->filled[part]};
    return at > q->first[j] ? digit->sums[at] : (Sum){0, 0};
}

// Looks for a box. What depends on the same extents as for the box before stays as it is.
static void ask(Query *q, const Box *box) {
    Boxes *others = q->others;
    uint32_t free = (1u << others->levels) - 1;
    for (int j = 0; j < others->count; j++) {
        Digit *digit = &others->digit[j];
        const Extent e = box->along[digit->level];
        bool same = q->begun;
        free &= ~digit->levels;
        for (int l = 0; l < others->levels && same; l++)
            if (digit->levels >> l & 1) same = memcmp(&box->along[l], &q->box.along[l], sizeof *box->along) == 0;
        if (same || !digit->levels) continue;
        q->first[j] = first_from(digit->reached, digit->ranks, e.low + 1);
        q->end[j] = first_from(digit->begun, digit->ranks, e.high);
        Sum sum = {0, 0};
        for (int p = q->first[j]; p < q->end[j]; p++) digit->sums[p + 1] = sum = plus(sum, in_part(digit, p, box));
    }
    q->outside = in_levels(&others->base, box, free);
    q->box = *box;
    q->begun = true;
}

// Sums over the ranks below `end`. Of those, some have a lesser first digit, and any others; some the same first digit,
// and a lesser second one; and so on.
static Sum sum_below(const Query *q, int end) {
    Sum sum = {0, 0}, front = q->outside;
    if (q->others->count == 0) return times(q->outside, (Sum){(uint64_t)end, (uint64_t)end});
    for (int j = 0; j < q->others->count && front.bytes; j++) {
        const Digit *digit = &q->others->digit[j];
        const int part = end / digit->step; // no `% ranks` for the first digit, so that `end` may be the number of ranks
        const int own = j ? part % digit->ranks : part;
        Sum each = times(front, sum_before(q, j, own));
        for (int i = j + 1; i < q->others->count; i++) each = times(each, sum_before(q, i, q->others->digit[i].ranks));
        sum = plus(sum, each);
        if (own == digit->ranks) break;
        front = times(front, in_part(digit, own, &q->box));
    }
    return sum;
}

// --- Counting ----------------------------------------------------------------------------------------

static void add_sum(Tally *tally, Sum sum, bool sends) {
    *(sends ? &tally->sent : &tally->received) += sum.bytes;
    *(sends ? &tally->messages_sent : &tally->messages_received) += sum.boxes;
}

// Counts what a rank sends, or receives: what of its box the others' boxes have.
static void count_rank(Dry *dry, int rank, const Boxes *own, Query *q, bool sends) {
    const Boxes *others = q->others;
    const int node = dry->options.node_ranks, socket = dry->options.socket_ranks, size = dry->size;
    const Box box = own->lies->box(own->lies, rank);
    Tally *tallies = dry->listing.tallies[rank];
    if (box_is_empty(own->levels, &box) || others->none) return;
    ask(q, &box);
    const int node_low = rank / node * node, node_high = node_low + node < size ? node_low + node : size;
    const int socket_at = rank / socket * socket, socket_low = socket_at > node_low ? socket_at : node_low;
    const int socket_high = socket_at + socket < node_high ? socket_at + socket : node_high;
    const Sum all = sum_below(q, size);
    if (all.boxes == 0) return;
    const Box mine = others->lies->box(others->lies, rank);
    const Sum itself = box_is_empty(own->levels, &mine) ? (Sum){0, 0} : in_levels(&mine, &box, (1u << own->levels) - 1);
    const Sum on_node = node == size ? all : minus(sum_below(q, node_high), sum_below(q, node_low));
    const Sum on_socket = socket == node ? on_node : minus(sum_below(q, socket_high), sum_below(q, socket_low));
    add_sum(&tallies[DRY_FABRIC], minus(all, on_node), sends);
    add_sum(&tallies[DRY_NODE], minus(on_node, on_socket), sends);
    add_sum(&tallies[DRY_SOCKET], minus(on_socket, itself), sends);
}

// Counts messages one by one.
static void count_each(Vm *vm, const Lies *from, const Lies *to) {
    const int size = dry_of(vm)->size, levels = from->grid->levels;
    for (int r = 0; r < size; r++) {
        const Box wanted = to->box(to, r);
        for (int owner = 0; owner < size && !box_is_empty(levels, &wanted); owner++) {
            const Box has = from->box(from, owner), sent = box_meet(levels, &has, &wanted);
            if (owner != r && !box_is_empty(levels, &sent)) dry_moved(vm, owner, r, box_size(levels, &sent));
        }
    }
}

static void count_boxes(Vm *vm, Boxes *from, Boxes *to) {
    Dry *dry = dry_of(vm);
    if (!from->is_product || !to->is_product || !is_right(dry, from) || !is_right(dry, to)) {
        dry->listing.into->hash = 0; // which the hash does not tell from another exchange
        count_each(vm, from->lies, to->lies);
        return;
    }
    Query sent = {.others = to}, received = {.others = from};
    for (int r = 0; r < dry->size; r++) {
        count_rank(dry, r, from, &sent, true);
        count_rank(dry, r, to, &received, false);
    }
}

Status dry_list(Vm *vm, const Lies *from, const Lies *to, int count) {
    Boxes has, get[GRID_SIDES];
    uint64_t hash;
    int described = 0;
    Status st = describe(vm, from, &has);
    hash = hash_boxes((uint64_t)count + 1, &has);
    for (; st == ST_OK && described < count; described++) {
        st = describe(vm, &to[described], &get[described]);
        if (st == ST_OK) hash = hash_boxes(hash, &get[described]);
        has.is_product &= st != ST_OK || get[described].is_product;
    }
    if (st == ST_OK && !dry_find(dry_of(vm), hash | 1, has.is_product))
        for (int i = 0; i < count; i++) count_boxes(vm, &has, &get[i]);
    forget(vm, &has);
    for (int i = 0; i < described; i++) forget(vm, &get[i]);
    return st == ST_OK ? dry_exchanged(vm) : st;
}

// --- Memory ------------------------------------------------------------------------------------------

void dry_windows(Vm *vm, Grid *grid, bool gone) {
    Dry *dry = dry_of(vm);
    int64_t most = 1;
    dry->beyond -= (size_t)grid->beyond;
    for (int l = 0; l < grid->levels; l++) {
        const GridLevel *level = &grid->level[l];
        int64_t longest = 0;
        for (int p = 0; p < level->ranks; p++) {
            const int64_t room = level->ranks > 1 ? grid->room[l] : 0, low = level->cuts[p] - room, high = level->cuts[p + 1] + room;
            const int64_t own = length(extent_meet((Extent){low, high}, (Extent){0, level->extent}));
            if (level->cuts[p] < level->cuts[p + 1] && own > longest) longest = own;
        }
        most *= longest;
    }
    most -= box_size(grid->levels, &grid->window);
    grid->beyond = most > 0 && !gone ? most : 0;
    dry->beyond += (size_t)grid->beyond;
    dry_note_memory(vm, 0);
}
