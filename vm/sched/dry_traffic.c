// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Counts the messages of exchanges for all ranks. Most often a rank lacks a few bytes of its neighbours. If it lacks
// a whole array, all ranks between the first and the last owner send their whole blocks, and are counted together. So
// counting an exchange costs O(P log P), though it may consist of P * P messages.

#include "vm/sched/dry_impl.h"

#include <string.h>

// --- Memory ------------------------------------------------------------------------------------------

static int node_count(const Dry *dry) {
    return (dry->size - 1) / dry->options.node_ranks + 1;
}

static size_t tally_bytes(const Dry *dry) {
    return (size_t)dry->size * sizeof(Tally);
}

static size_t listing_bytes(const Dry *dry) {
    return (size_t)dry->size * sizeof(Tally[DRY_DISTANCES]);
}

static size_t prefix_bytes(const Dry *dry) {
    return ((size_t)dry->size + 1) * sizeof(int64_t);
}

bool traffic_new(Vm *vm, Dry *dry) {
    enum { ROOM = 64 << 20, LEAST = 4 }; // bytes for known exchanges, and the least number of these
    Listing *l = &dry->listing;
    const size_t nodes = (size_t)node_count(dry) * sizeof(uint64_t), fit = ROOM / tally_bytes(dry);
    bool good = true;
    dry->known_count = fit < LEAST ? LEAST : fit > KNOWN_MOST ? KNOWN_MOST : (int)fit;
    good &= (dry->exchanged = mem_zalloc(&vm->mem, tally_bytes(dry))) != NULL;
    good &= (dry->rooted = mem_zalloc(&vm->mem, tally_bytes(dry))) != NULL;
    good &= (l->tallies = mem_zalloc(&vm->mem, listing_bytes(dry))) != NULL;
    good &= (l->filled = mem_zalloc(&vm->mem, prefix_bytes(dry))) != NULL;
    for (int d = 0; d < DRY_DISTANCES; d++) good &= (l->whole[d] = mem_zalloc(&vm->mem, prefix_bytes(dry))) != NULL;
    good &= (l->node_out = mem_zalloc(&vm->mem, nodes)) != NULL;
    good &= (l->node_in = mem_zalloc(&vm->mem, nodes)) != NULL;
    return good;
}

void traffic_free(Vm *vm, Dry *dry) {
    Listing *l = &dry->listing;
    const size_t nodes = (size_t)node_count(dry) * sizeof(uint64_t);
    for (int i = 0; i < dry->known_count; i++) mem_free(&vm->mem, dry->known[i].tallies, tally_bytes(dry));
    mem_free(&vm->mem, dry->exchanged, tally_bytes(dry));
    mem_free(&vm->mem, dry->rooted, tally_bytes(dry));
    mem_free(&vm->mem, l->tallies, listing_bytes(dry));
    mem_free(&vm->mem, l->filled, prefix_bytes(dry));
    for (int d = 0; d < DRY_DISTANCES; d++) mem_free(&vm->mem, l->whole[d], prefix_bytes(dry));
    mem_free(&vm->mem, l->node_out, nodes);
    mem_free(&vm->mem, l->node_in, nodes);
}

// --- Known exchanges ---------------------------------------------------------------------------------

uint64_t dry_hash(uint64_t hash, const Extent *all, int count) {
    uint64_t a = hash, b = ~hash;
    for (int r = 0; r < count; r++) {
        a = (a ^ (uint64_t)all[r].low) * 0x9e3779b97f4a7c15u;
        b = (b ^ (uint64_t)all[r].high) * 0xc2b2ae3d27d4eb4fu;
        a ^= a >> 32;
        b ^= b >> 29;
    }
    return hash_mixed(hash_mixed(hash, a), b);
}

static void fold(Dry *dry, KnownExchange *known) {
    for (int r = 0; known->times && r < dry->size; r++) {
        Tally *to = &dry->exchanged[r];
        const Tally *from = &known->tallies[r];
        to->sent += known->times * from->sent;
        to->received += known->times * from->received;
        to->messages_sent += known->times * from->messages_sent;
        to->messages_received += known->times * from->messages_received;
    }
    known->times = 0;
}

// Returns the known exchange that has not been seen for longest.
static KnownExchange *oldest(Dry *dry) {
    KnownExchange *found = &dry->known[0];
    for (int i = 1; i < dry->known_count; i++)
        if (dry->known[i].used < found->used) found = &dry->known[i];
    return found;
}

bool dry_find(Dry *dry, uint64_t hash, bool is_exact) {
    Listing *l = &dry->listing;
    l->into = NULL;
    for (int i = 0; is_exact && !l->into && i < dry->known_count; i++)
        if (dry->known[i].hash == hash) l->into = &dry->known[i];
    l->again = l->into != NULL;
    if (!l->into) l->into = oldest(dry);
    l->into->used = ++dry->seen;
    if (l->again) return true;
    fold(dry, l->into);
    l->into->hash = is_exact ? hash : 0;
    return false;
}

bool dry_exchange(Vm *vm, const Storage *storage, const Extent *needs) {
    Dry *dry = dry_of(vm);
    const Blocks *blocks = storage->buffer.blocks;
    uint64_t hash = dry_hash(blocks->partition->number, blocks->held, dry->size);
    return dry_find(dry, dry_hash(hash, needs, dry->size) | 1, true);
}

// --- Listing -----------------------------------------------------------------------------------------

static DryDistance distance(const Dry *dry, int a, int b) {
    if (a / dry->options.node_ranks != b / dry->options.node_ranks) return DRY_FABRIC;
    return a / dry->options.socket_ranks == b / dry->options.socket_ranks ? DRY_SOCKET : DRY_NODE;
}

static void add(Dry *dry, int from, int to, uint64_t bytes) {
    Listing *l = &dry->listing;
    const DryDistance far = distance(dry, from, to);
    Tally *sender = &l->tallies[from][far], *receiver = &l->tallies[to][far];
    sender->sent += bytes;
    sender->messages_sent++;
    receiver->received += bytes;
    receiver->messages_received++;
}

void dry_moved(Vm *vm, int from, int to, int64_t bytes) {
    add(dry_of(vm), from, to, (uint64_t)bytes);
}

static void count_filled(Dry *dry, const Partition *partition) {
    Listing *l = &dry->listing;
    if (l->partition == partition) return;
    l->partition = partition;
    for (int r = 0; r < dry->size; r++) l->filled[r + 1] = l->filled[r] + !extent_is_empty(block_of(partition, r));
}

// Counts messages with which ranks from … end - 1 send their whole blocks to rank `to`, which is none of them and
// equally far from all.
static void add_blocks(Dry *dry, int from, int end, int to) {
    Listing *l = &dry->listing;
    if (from >= end) return;
    const DryDistance far = distance(dry, from, to);
    l->tallies[to][far].received += (uint64_t)(l->partition->cuts[end] - l->partition->cuts[from]);
    l->tallies[to][far].messages_received += (uint64_t)(l->filled[end] - l->filled[from]);
    l->whole[far][from]++;
    l->whole[far][end]--;
}

static int within(int i, int low, int high) {
    return i < low ? low : i > high ? high : i;
}

// Counts whole blocks from any range of ranks, which is divided by the distance to `to`.
static void add_range(Dry *dry, int from, int end, int to) {
    const int node = dry->options.node_ranks, socket = dry->options.socket_ranks;
    const int node_at = to / node * node, socket_at = to / socket * socket;
    int socket_low = socket_at > node_at ? socket_at : node_at, socket_high = socket_at + socket;
    if (socket_high > node_at + node) socket_high = node_at + node;
    enum { ITSELF = 3 };
    const int bounds[] = {from, node_at, socket_low, to, to + 1, socket_high, node_at + node, end};
    for (int i = 0; i + 1 < (int)(sizeof bounds / sizeof *bounds); i++)
        if (i != ITSELF)
            add_blocks(dry, within(bounds[i], from, end), within(bounds[i + 1], from, end), to);
}

void dry_lacks(Vm *vm, const Partition *partition, int to, Extent lacks) {
    enum { FEW = 8 };
    Dry *dry = dry_of(vm);
    int first, last;
    if (!owners_of(partition, dry->size, lacks, &first, &last)) return;
    const int count = last - first + 1;
    for (int from = first; from <= last; from++) {
        if (count > FEW && from == first + 1) {
            count_filled(dry, partition);
            add_range(dry, from, last, to);
            from = last;
        }
        const Extent part = extent_meet(lacks, block_of(partition, from));
        if (from != to && !extent_is_empty(part)) add(dry, from, to, (uint64_t)(part.high - part.low));
    }
}

// --- Boxes -------------------------------------------------------------------------------------------

// Sums over all ranks below one: indices that they own, bytes per index of their parts, how many own indices, and how
// many have a part.
typedef struct Sums {
    uint64_t rows, bytes, owners, parts;
} Sums;

static void add_sums(Tally *tally, const Sums *sums, int from, int end, uint64_t rows, uint64_t bytes, bool to_owners) {
    if (from >= end) return;
    Tally part = {.received = (sums[end].rows - sums[from].rows) * bytes, .sent = rows * (sums[end].bytes - sums[from].bytes)};
    part.messages_received = bytes ? sums[end].owners - sums[from].owners : 0;
    part.messages_sent = rows ? sums[end].parts - sums[from].parts : 0;
    if (to_owners)
        part = (Tally){part.received, part.sent, part.messages_received, part.messages_sent};
    tally->sent += part.sent;
    tally->received += part.received;
    tally->messages_sent += part.messages_sent;
    tally->messages_received += part.messages_received;
}

// Counts messages where parts and blocks are cut along different dimensions, so that every part needs something of
// every owner.
static void add_crossed(Dry *dry, const Link *link, const int64_t *row_bytes, Sums *sums, bool to_owners) {
    enum { ITSELF = 3 };
    const int node = dry->options.node_ranks, socket = dry->options.socket_ranks;
    for (int r = 0; r < dry->size; r++) {
        const Extent own = link->owners[r];
        const uint64_t rows = extent_is_empty(own) ? 0 : (uint64_t)(own.high - own.low), bytes = (uint64_t)row_bytes[r];
        sums[r + 1] = (Sums){sums[r].rows + rows, sums[r].bytes + bytes, sums[r].owners + (rows > 0), sums[r].parts + (bytes > 0)};
    }
    for (int r = 0; r < dry->size; r++) {
        const int node_at = r / node * node, node_end = within(node_at + node, 0, dry->size);
        const int socket_low = within(r / socket * socket, node_at, node_end), socket_high = within(r / socket * socket + socket, node_at, node_end);
        const int bounds[] = {0, node_at, socket_low, r, r + 1, socket_high, node_end, dry->size};
        const DryDistance far[] = {DRY_FABRIC, DRY_NODE, DRY_SOCKET, DRY_SOCKET, DRY_SOCKET, DRY_NODE, DRY_FABRIC};
        const Extent own = link->owners[r];
        const uint64_t rows = extent_is_empty(own) ? 0 : (uint64_t)(own.high - own.low);
        for (int i = 0; i < (int)(sizeof far / sizeof *far); i++)
            if (i != ITSELF)
                add_sums(&dry->listing.tallies[r][far[i]], sums, bounds[i], bounds[i + 1], rows, (uint64_t)row_bytes[r], to_owners);
    }
}

// Counts the messages between a part and neighbouring owners, from `at` on upwards (by 1) or downwards (by -1), as far as
// these have something of the part. Those without a block are passed by.
static void add_neighbours(Dry *dry, const Link *link, const int64_t *row_bytes, int part, int at, int by, bool to_owners) {
    for (int owner = at; owner >= 0 && owner < dry->size; owner += by) {
        const Extent piece = extent_meet(link->ranges[part], link->owners[owner]);
        if (extent_is_empty(piece) && !extent_is_empty(link->owners[owner])) break;
        if (owner != part && !extent_is_empty(piece))
            add(dry, to_owners ? part : owner, to_owners ? owner : part, (uint64_t)((piece.high - piece.low) * row_bytes[part]));
    }
}

// Counts messages where parts and blocks are ranges of the same dimension. Both are sorted, ascending or descending, so
// each part intersects only a few neighbouring blocks, not far from those of the part before.
static void add_meeting(Dry *dry, const Link *link, const int64_t *row_bytes, bool to_owners) {
    for (int part = 0, near = 0; part < dry->size; part++) {
        if (extent_is_empty(link->ranges[part])) continue;
        for (int i = 0; i < 2 * dry->size; i++) {
            const int owner = near + (i % 2 ? -(i + 1) / 2 : i / 2); // ever farther on both sides
            if (owner < 0 || owner >= dry->size || extent_is_empty(extent_meet(link->ranges[part], link->owners[owner]))) continue;
            add_neighbours(dry, link, row_bytes, part, owner, 1, to_owners);
            add_neighbours(dry, link, row_bytes, part, owner - 1, -1, to_owners);
            near = owner;
            break;
        }
    }
}

Status dry_boxes(Vm *vm, const int64_t *row_bytes, bool crossed, bool to_owners) {
    Dry *dry = dry_of(vm);
    const Link *link = link_of(vm);
    uint64_t hash = dry_hash(2 * (uint64_t)crossed + to_owners, link->owners, dry->size);
    hash = dry_hash(hash, link->ranges, dry->size);
    for (int r = 0; r < dry->size; r++) hash = hash_mixed(hash, (uint64_t)row_bytes[r]);
    if (!dry_find(dry, hash | 1, true)) {
        const size_t bytes = ((size_t)dry->size + 1) * sizeof(Sums);
        Sums *sums = mem_zalloc(&vm->mem, bytes);
        if (!sums) return vm_no_memory(vm);
        if (crossed) add_crossed(dry, link, row_bytes, sums, to_owners);
        else add_meeting(dry, link, row_bytes, to_owners);
        mem_free(&vm->mem, sums, bytes);
    }
    return dry_exchanged(vm);
}

void dry_exchange_made(Vm *vm) {
    dry_of(vm)->exchanges++;
}

// --- Summing up --------------------------------------------------------------------------------------

// Adds to each rank's tally what was counted for many senders together (add_blocks).
static void spread_blocks(Dry *dry) {
    Listing *l = &dry->listing;
    for (int d = 0; l->partition && d < DRY_DISTANCES; d++) {
        int64_t count = 0;
        for (int r = 0; r < dry->size; r++) {
            count += l->whole[d][r];
            const Extent block = block_of(l->partition, r);
            if (extent_is_empty(block)) continue;
            l->tallies[r][d].sent += (uint64_t)(count * (block.high - block.low));
            l->tallies[r][d].messages_sent += (uint64_t)count;
        }
        memset(l->whole[d], 0, prefix_bytes(dry));
    }
    l->partition = NULL;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static Tally sum_of(const Tally *of) {
    Tally sum = {0};
    for (int d = 0; d < DRY_DISTANCES; d++) {
        sum.sent += of[d].sent;
        sum.received += of[d].received;
        sum.messages_sent += of[d].messages_sent;
        sum.messages_received += of[d].messages_received;
    }
    return sum;
}

static void sum_up(Dry *dry, KnownExchange *into) {
    Listing *l = &dry->listing;
    DryTraffic *t = &into->traffic;
    *t = (DryTraffic){0};
    memset(l->node_out, 0, (size_t)node_count(dry) * sizeof *l->node_out);
    memset(l->node_in, 0, (size_t)node_count(dry) * sizeof *l->node_in);
    for (int r = 0; r < dry->size; r++) {
        const Tally *each = l->tallies[r], sum = into->tallies[r] = sum_of(each);
        const int node = r / dry->options.node_ranks;
        t->messages += sum.messages_received;
        t->bytes += sum.received;
        t->received = larger(t->received, sum.received);
        for (int d = 0; d < DRY_DISTANCES; d++) {
            t->rank_messages[d] = larger(t->rank_messages[d], larger(each[d].messages_sent, each[d].messages_received));
            t->rank_bytes[d] = larger(t->rank_bytes[d], larger(each[d].sent, each[d].received));
        }
        l->node_out[node] += each[DRY_FABRIC].sent;
        l->node_in[node] += each[DRY_FABRIC].received;
        t->node_bytes = larger(t->node_bytes, larger(l->node_out[node], l->node_in[node]));
    }
    memset(l->tallies, 0, listing_bytes(dry));
}

Status dry_exchanged(Vm *vm) {
    Dry *dry = dry_of(vm);
    KnownExchange *into = dry->listing.into;
    if (!into->tallies && !(into->tallies = mem_alloc(&vm->mem, tally_bytes(dry)))) return vm_no_memory(vm);
    if (!dry->listing.again) {
        spread_blocks(dry);
        sum_up(dry, into);
    }
    into->times++;
    DryStep step = {.kind = DRY_EXCHANGE, .traffic = into->traffic};
    dry_report(vm, &step);
    return ST_OK;
}

Tally traffic_of(const Dry *dry, int rank) {
    Tally sum = dry->exchanged[rank];
    for (int i = 0; i < dry->known_count; i++) {
        const KnownExchange *known = &dry->known[i];
        if (!known->times) continue;
        const Tally *each = &known->tallies[rank];
        sum.sent += known->times * each->sent;
        sum.received += known->times * each->received;
        sum.messages_sent += known->times * each->messages_sent;
        sum.messages_received += known->times * each->messages_received;
    }
    return sum;
}
