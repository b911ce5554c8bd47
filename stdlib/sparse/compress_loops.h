// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Template, included by compress.c for each type of indices I and of elements E, with NAME(x): entries go to their
// buckets, and from there to their lines. Elements are only moved, so there is one for each size.

typedef struct NAME(Entry) {
    E element;
    I line, index;
} NAME(Entry);

// Entries of a part, to its places in the buckets.
static void NAME(spread)(const Compress *c, int64_t from, int64_t end, int64_t *places) {
    const I *restrict lines = c->major, *restrict indices = c->minor;
    const E *restrict data = c->data;
    NAME(Entry) *restrict to = c->entries;
    for (int64_t k = from; k < end; k++) {
        NAME(Entry) *at = &to[places[lines[k] >> c->shift]++];
        at->element = data[k];
        at->line = lines[k];
        at->index = indices[k];
    }
}

// The same of compressed lines, an entry's index being the line that it is in: the first one is in `line`.
static void NAME(spread_lines)(const Compress *c, int64_t from, int64_t end, int64_t line, int64_t *places) {
    const I *restrict lines = c->major, *restrict indptr = c->indptr;
    const E *restrict data = c->data;
    NAME(Entry) *restrict to = c->entries;
    for (int64_t k = from; k < end; line++) {
        const int64_t next = indptr[line + 1] < end ? indptr[line + 1] : end;
        for (; k < next; k++) {
            NAME(Entry) *at = &to[places[lines[k] >> c->shift]++];
            at->element = data[k];
            at->line = lines[k];
            at->index = (I)line;
        }
    }
}

// Puts n entries of a bucket in the order of their bins of indices, where they are not in order already. Lines are
// nearly sorted then, as few entries of a line share a bin. `bins` is room for the counts.
static const NAME(Entry) *NAME(bin)(const Compress *c, const NAME(Entry) *entries, int64_t n, NAME(Entry) *to, uint32_t *bins) {
    bool ordered = true;
    memset(bins, 0, sizeof(uint32_t) * BINS);
    for (int64_t k = 0; k < n; k++) {
        bins[entries[k].index >> c->bin_shift]++;
        ordered &= k == 0 || entries[k].line > entries[k - 1].line ||
                   (entries[k].line == entries[k - 1].line && entries[k].index >= entries[k - 1].index);
    }
    if (ordered) return entries;
    uint32_t place = 0;
    for (int i = 0; i < BINS; i++) {
        uint32_t count = bins[i];
        bins[i] = place;
        place += count;
    }
    for (int64_t k = 0; k < n; k++) to[bins[entries[k].index >> c->bin_shift]++] = entries[k];
    return to;
}

// A bucket's entries, n of them, to their lines, of which the bucket has `count` from `first`; their places begin at
// `place`. indptr is first where the next entry of a line goes, and then where the line ends. `room` is for
// BINNED entries, `bins` for counts; or they are NULL.
static void NAME(gather)(const Compress *c, int64_t place, int64_t n, int64_t first, int64_t count, void *room, uint32_t *bins) {
    const NAME(Entry) *entries = (const NAME(Entry) *)c->entries + place;
    I *restrict next = (I *)c->lines.indptr + first + 1, *restrict indices = c->lines.indices, at = (I)place;
    E *restrict data = c->lines.data;
    if (room && n <= BINNED && n / LINE_SHORT >= count) entries = NAME(bin)(c, entries, n, room, bins);
    for (int64_t i = 0; i < count; i++) next[i] = 0;
    for (int64_t k = 0; k < n; k++) next[entries[k].line - first]++;
    for (int64_t i = 0; i < count; i++) {
        I entries_of = next[i];
        next[i] = at;
        at += entries_of;
    }
    for (int64_t k = 0; k < n; k++) {
        I to = next[entries[k].line - first]++;
        indices[to] = entries[k].index;
        data[to] = entries[k].element;
    }
}
