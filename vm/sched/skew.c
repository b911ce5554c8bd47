// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Skewed bands, for loops in which a row depends on nearby rows of the other loops, as in the statements of a stencil
// and of its next time steps. Each loop lags behind the first one by so many rows that the rows that it reads are
// computed, and that it overwrites none that an earlier loop still has to read (time skewing: D. Wonnacott, "Using Time
// Skewing to Eliminate Idle Time due to Memory Bandwidth and Network Limitations", 2000). So arrays pass through the
// cache once for many statements. Each thread has a range of rows. In it, every loop leaves out the rows that depend on
// the neighbouring thread's; these gaps are computed at the end.
//
// Rows are counted in each storage: they are `step` bytes apart, for all accesses to it.

#include "vm/sched/chain.h"

enum { FAR = 1 << 20 }; // rows: stands for "no limit"

static int64_t rounded_down(int64_t x, int64_t by) {
    return x / by - (x % by < 0);
}

static const KernAccess *access_number(const Kernel *k, int i) {
    return i < k->load_count ? &k->loads[i] : &k->stores[i - k->load_count].to;
}

// --- Rows --------------------------------------------------------------------------------------

// Finds, for each storage, the largest stride of dimension 0 of any loop.
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

// Returns how many indices of a loop's dimension 0 make a row of each storage; 0: its accesses disagree.
static int64_t row_elements(struct Chain *c, const Kernel *k) {
    int64_t inner = 0;
    for (int i = 0; i < k->load_count + k->store_count; i++) {
        const KernAccess *access = access_number(k, i);
        int64_t stride = access->strides[0], step = chain_touched(c, access->storage)->step;
        if (stride == 0 && i < k->load_count) continue; // all rows read the same elements
        if (stride <= 0 || step % stride || (inner && step / stride != inner)) return 0;
        inner = step / stride;
    }
    return inner;
}

// Returns the rows of its storage that an access touches for row 0 of the loop.
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

// Returns whether a loop reads or writes elements of a storage that it also writes by a different access.
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

// Sets the rows and reaches of a loop, relative to the row of its first store. Returns false if it has no such rows.
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

bool skew_rows_needed(const ChainLink *early, const ChainLink *late, int64_t *back, int64_t *on) {
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

// Returns whether two loops touch nearby rows of a storage when they are at the same row. Rows that are far apart have
// left the cache when the other loop reaches them.
static bool shares(const ChainLink *a, const ChainLink *b) {
    enum { NEAR = 8 }; // nearby rows are at most 1 / NEAR of all rows apart
    for (int i = 0; i < a->reach_count; i++)
        for (int j = 0; j < b->reach_count; j++) {
            const Reach *x = &a->reaches[i], *y = &b->reaches[j];
            if (x->storage != y->storage) continue;
            int64_t apart = x->low > y->high ? x->low - y->high : y->low - x->high;
            if (apart <= a->rows / NEAR) return true;
        }
    return false;
}

// Sets `lag` and `ahead` of a loop: how far it stays behind the first one. Returns false if this is too far, or if the
// loop shares no nearby rows with an earlier one.
static bool place(struct Chain *c, int number) {
    Bands *b = &c->bands;
    bool any = false, near = number == 0;
    b->lag[number] = b->ahead[number] = 0;
    for (int i = 0; i < number; i++) {
        int64_t back, on;
        near |= shares(&c->links[i], &c->links[number]);
        if (!skew_rows_needed(&c->links[i], &c->links[number], &back, &on)) continue;
        int64_t lag = b->lag[i] + on, ahead = b->ahead[i] + back;
        b->lag[number] = !any || lag > b->lag[number] ? lag : b->lag[number];
        b->ahead[number] = !any || ahead > b->ahead[number] ? ahead : b->ahead[number];
        any = true;
    }
    return near && b->lag[number] < FAR / 2 && b->ahead[number] < FAR / 2;
}

// Returns how many rows are in use at once, in addition to the band's own.
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

// Records which of the first `count` loops load and store each storage, and makes their first rows relative to the
// lowest one.
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
    do { // again with fewer loops, since steps depend on them
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
        find_steps(c); // for the loops that are left
    }
    if (found < least) return false;
    for (int n = 0; n < found; n++)
        if (c->links[n].kernel.shape[0] != c->links[n].rows)
            kernel_split(&c->links[n].kernel, c->links[n].rows);
    return true;
}
