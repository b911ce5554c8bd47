// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Skewed bands: loops of which a row needs rows of the others that are near, as the statements of a stencil
// have it, and those of its next time step. Each loop stays so many rows behind the first one that all it
// needs is there, and that nothing is overwritten that an earlier loop still has to read (time skewing: D. Wonnacott,
// "Using Time Skewing to Eliminate Idle Time due to Memory Bandwidth and Network Limitations", 2000). So
// arrays go through the cache once for many statements. Threads have a stretch of rows each, of which
// every loop leaves out what needs the neighbour's rows; these gaps are closed at the end.
//
// Rows are those of storages: for all accesses to one, `step` bytes apart.

#include "vm/sched/chain.h"

enum { FAR = 1 << 20 }; // rows: stands for "no limit"

static int64_t rounded_down(int64_t x, int64_t by) {
    return x / by - (x % by < 0);
}

static const KernAccess *access_number(const Kernel *k, int i) {
    return i < k->load_count ? &k->loads[i] : &k->stores[i - k->load_count].to;
}

// --- Rows --------------------------------------------------------------------------------------

// The largest step that any loop makes in each storage.
static void find_steps(struct Chain *c) {
    c->touched_count = 0;
    for (int n = 0; n < c->count; n++) {
        const Kernel *k = &c->links[n].kernel;
        for (int i = 0; i < k->load_count + k->store_count; i++) {
            const KernAccess *access = access_number(k, i);
            Touched *t = chain_touched(c, access->storage);
            if (!t) {
                t = &c->touched[c->touched_count++];
                *t = (Touched){.storage = access->storage};
            }
            if (access->strides[0] > t->step) t->step = access->strides[0];
        }
    }
}

// How many elements of dimension 0 are a row, for all of a loop's accesses. 0: they do not agree.
static int64_t row_elements(struct Chain *c, const Kernel *k) {
    int64_t inner = 0;
    for (int i = 0; i < k->load_count + k->store_count; i++) {
        const KernAccess *access = access_number(k, i);
        int64_t stride = access->strides[0], step = chain_touched(c, access->storage)->step;
        if (stride == 0 && i < k->load_count) continue; // the same row for all
        if (stride <= 0 || step % stride || (inner && step / stride != inner)) return 0;
        inner = step / stride;
    }
    return inner;
}

// What an access touches of its storage for row 0 of the loop.
static Reach reach_of(struct Chain *c, const Kernel *k, int i, int64_t in_row) {
    const KernAccess *access = access_number(k, i);
    int64_t step = chain_touched(c, access->storage)->step;
    int64_t low = access->offset, high = low + (int64_t)dtype_size(access->dtype) - 1;
    Reach reach = {
        .storage = access->storage, .low = -FAR, .high = FAR, .written = i >= k->load_count};
    if (access->strides[0] == 0) return reach;
    for (int d = 0; d < k->ndim; d++) {
        int64_t way = ((d == 0 ? in_row : k->shape[d]) - 1) * access->strides[d];
        *(way < 0 ? &low : &high) += way;
    }
    reach.low = rounded_down(low, step);
    reach.high = rounded_down(high, step);
    return reach;
}

// Whether a loop reads other elements than it writes of the same storage.
static bool meets_itself(const Kernel *k) {
    for (int s = 0; s < k->store_count; s++)
        for (int i = 0; i < k->load_count + s; i++) {
            const KernAccess *a = access_number(k, i), *b = &k->stores[s].to;
            if (a->storage != b->storage) continue;
            if (a->offset != b->offset) return true;
            for (int d = 0; d < k->ndim; d++)
                if (a->strides[d] != b->strides[d]) return true;
        }
    return false;
}

// Rows and reaches of a loop; its row 0 is where its first store is. False: it has none.
static bool describe(struct Chain *c, int number) {
    ChainLink *link = &c->links[number];
    const Kernel *k = &link->kernel;
    if (k->reduction_count || k->store_count == 0 || meets_itself(k)) return false;
    int64_t inner = row_elements(c, k);
    if (inner == 0 || (k->shape[0] % inner && k->shape[0] > inner)) return false;
    link->rows = k->shape[0] <= inner ? 1 : k->shape[0] / inner;
    link->in_row = inner;
    if (inner > 1 && k->ndim == NDIM_MAX) return false;
    int64_t in_row = k->shape[0] <= inner ? k->shape[0] : inner;
    link->reach_count = k->load_count + k->store_count;
    for (int i = 0; i < link->reach_count; i++) link->reaches[i] = reach_of(c, k, i, in_row);
    int64_t first = link->reaches[k->load_count].low;
    c->bands.first[number] = first;
    for (int i = 0; i < link->reach_count; i++) {
        link->reaches[i].low -= first;
        link->reaches[i].high -= first;
    }
    return true;
}

// --- How far loops stay apart --------------------------------------------------------------------

// Of two loops that follow one another. A row of the later one needs rows of the earlier one from `-back`
// up to `on` beside it. False: none.
static bool rows_needed(const ChainLink *early, const ChainLink *late, int64_t *back, int64_t *on) {
    bool any = false;
    for (int i = 0; i < early->reach_count; i++)
        for (int j = 0; j < late->reach_count; j++) {
            const Reach *a = &early->reaches[i], *b = &late->reaches[j];
            if (a->storage != b->storage || !(a->written || b->written)) continue;
            int64_t up = b->high - a->low, down = a->high - b->low;
            *on = !any || up > *on ? up : *on;
            *back = !any || down > *back ? down : *back;
            any = true;
        }
    return any;
}

// Whether at the same row two loops touch rows of a storage that are near each other: far ones have left the
// cache when the other loop comes to them.
static bool shares(const ChainLink *a, const ChainLink *b) {
    enum { NEAR = 8 }; // a part of all rows
    for (int i = 0; i < a->reach_count; i++)
        for (int j = 0; j < b->reach_count; j++) {
            const Reach *x = &a->reaches[i], *y = &b->reaches[j];
            if (x->storage != y->storage) continue;
            int64_t apart = x->low > y->high ? x->low - y->high : y->low - x->high;
            if (apart <= a->rows / NEAR) return true;
        }
    return false;
}

// False: the loop has to wait for too much, or has nothing to do with the ones before.
static bool place(struct Chain *c, int number) {
    Bands *b = &c->bands;
    bool any = false, near = number == 0;
    b->lag[number] = b->ahead[number] = 0;
    for (int i = 0; i < number; i++) {
        int64_t back, on;
        near |= shares(&c->links[i], &c->links[number]);
        if (!rows_needed(&c->links[i], &c->links[number], &back, &on)) continue;
        int64_t lag = b->lag[i] + on, ahead = b->ahead[i] + back;
        b->lag[number] = !any || lag > b->lag[number] ? lag : b->lag[number];
        b->ahead[number] = !any || ahead > b->ahead[number] ? ahead : b->ahead[number];
        any = true;
    }
    return near && b->lag[number] < FAR / 2 && b->ahead[number] < FAR / 2;
}

// Rows that are in use at once beside the band's own.
static int64_t spread(const struct Chain *c, int count) {
    int64_t low = 0, high = 0;
    for (int n = 0; n < count; n++) {
        const ChainLink *link = &c->links[n];
        int64_t lag = c->bands.lag[n];
        for (int i = 0; i < link->reach_count; i++) {
            if (link->reaches[i].high >= FAR / 2) continue;
            if (-lag + link->reaches[i].low < low) low = -lag + link->reaches[i].low;
            if (-lag + link->reaches[i].high > high) high = -lag + link->reaches[i].high;
        }
    }
    return high - low;
}

// Notes what the first loops do with storages, and where their rows begin.
static void finish(struct Chain *c, int count) {
    Bands *b = &c->bands;
    int64_t begin = b->first[0], end = begin;
    find_steps(c);
    for (int n = 0; n < count; n++) {
        if (b->first[n] < begin) begin = b->first[n];
        if (b->first[n] + c->links[n].rows > end) end = b->first[n] + c->links[n].rows;
        for (int i = 0; i < c->links[n].reach_count; i++) {
            Touched *t = chain_touched(c, c->links[n].reaches[i].storage);
            *(c->links[n].reaches[i].written ? &t->stored : &t->loaded) |= (uint32_t)1 << n;
        }
    }
    for (int n = 0; n < count; n++) b->first[n] -= begin;
    b->rows = end - begin;
}

int skew_describe(struct Chain *c) {
    int found;
    do { // steps are those of the loops that are left
        find_steps(c);
        for (found = 0; found < c->count && describe(c, found) && place(c, found);) found++;
    } while (found < c->count && (c->count = found) > 0);
    return found;
}

bool skew_find(struct Chain *c, const Backend *backend, const Device *device, int least) {
    int found = 0;
    if (least < 2) least = 2;
    find_steps(c);
    while (found < c->count && describe(c, found) && place(c, found)) found++;
    for (; found >= least; found--) {
        c->count = found;
        finish(c, found);
        c->bands.band =
            backend->band_rows(device->ctx, c->bands.rows, chain_row_bytes(c), spread(c, found));
        if (c->bands.band > 0) break;
        find_steps(c); // of all that is left
    }
    if (found < least) return false;
    for (int n = 0; n < found; n++)
        if (c->links[n].kernel.shape[0] != c->links[n].rows)
            kernel_split(&c->links[n].kernel, c->links[n].rows);
    return true;
}
