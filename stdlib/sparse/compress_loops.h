// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Template that compress.c includes for each type of indices I and of elements E, with NAME(x): moves entries to their
// buckets, and from there to their lines. Elements are only moved, so there is one type per size.

typedef struct NAME(Entry) {
    E element;
    I line, index;
} NAME(Entry);

// Collects entries in `held` and writes TOGETHER of a bucket at once. There are more buckets than a processor can write
// to alternately without delay. `starts` has where this part's entries of each bucket start: nothing before that is
// written.
static inline void NAME(hold)(NAME(Entry) *restrict to, NAME(Entry) (*restrict held)[TOGETHER], const int64_t *starts,
                              int64_t bucket, int64_t place, NAME(Entry) entry) {
    held[bucket][place % TOGETHER] = entry;
    if (place % TOGETHER < TOGETHER - 1) return;
    if (place - (TOGETHER - 1) >= starts[bucket]) put_aside(&to[place - (TOGETHER - 1)], held[bucket], sizeof held[0]);
    else
        for (int64_t i = starts[bucket]; i <= place; i++) to[i] = held[bucket][i % TOGETHER];
}

static void NAME(let_go)(const Compress *c, NAME(Entry) (*held)[TOGETHER], const int64_t *starts, const int64_t *places) {
    NAME(Entry) *to = c->entries;
    for (int bucket = 0; bucket < c->lines.groups; bucket++) {
        int64_t i = places[bucket] - places[bucket] % TOGETHER;
        for (i = i < starts[bucket] ? starts[bucket] : i; i < places[bucket]; i++) to[i] = held[bucket][i % TOGETHER];
    }
}

// Spreads a part's entries over the buckets, to the part's places. `room` holds `starts` and `held`.
static void NAME(spread)(const Compress *c, int64_t from, int64_t end, int64_t *restrict places, void *room) {
    const I *restrict lines = c->major, *restrict indices = c->minor;
    const E *restrict data = c->data;
    int64_t *starts = room;
    NAME(Entry) (*held)[TOGETHER] = (void *)(starts + c->lines.groups);
    memcpy(starts, places, sizeof *starts * (size_t)c->lines.groups);
    for (int64_t k = from; k < end; k++) {
        const int64_t bucket = lines[k] >> c->shift;
        NAME(hold)(c->entries, held, starts, bucket, places[bucket]++, (NAME(Entry)){data[k], lines[k], indices[k]});
    }
    NAME(let_go)(c, held, starts, places);
}

// Does the same for compressed lines: an entry's index is the line that it is in. `line` is that of entry `from`.
static void NAME(spread_lines)(const Compress *c, int64_t from, int64_t end, int64_t line, int64_t *restrict places,
                               void *room) {
    const I *restrict lines = c->major, *restrict indptr = c->indptr;
    const E *restrict data = c->data;
    int64_t *starts = room;
    NAME(Entry) (*held)[TOGETHER] = (void *)(starts + c->lines.groups);
    memcpy(starts, places, sizeof *starts * (size_t)c->lines.groups);
    for (int64_t k = from; k < end; line++) {
        const int64_t next = indptr[line + 1] < end ? indptr[line + 1] : end;
        for (; k < next; k++) {
            const int64_t bucket = lines[k] >> c->shift;
            NAME(hold)(c->entries, held, starts, bucket, places[bucket]++, (NAME(Entry)){data[k], lines[k], (I)line});
        }
    }
    NAME(let_go)(c, held, starts, places);
}

// Sorts n entries of a bucket into bins of indices with a stable counting sort, unless they are sorted already. Returns
// where they are then: `entries` or `to`. Afterwards lines are nearly sorted, as few entries of a line share a bin.
// `bins` is room for the counts.
static const NAME(Entry) *NAME(bin)(const Compress *c, const NAME(Entry) *entries, int64_t n, NAME(Entry) *to,
                                     uint32_t *bins) {
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

// Moves the n entries of a bucket to its `count` lines from `first`. Their places in the result begin at `place`.
// indptr[line + 1] has first where the line's next entry goes, and in the end where the line ends. `room` is for BINNED
// entries, `bins` for counts; both are NULL if bins are not used.
static void NAME(gather)(const Compress *c, int64_t place, int64_t n, int64_t first, int64_t count, void *room,
                         uint32_t *bins) {
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
    // Touches the memory in sequence first. The writes below are in random order and would fetch it into the cache
    // element by element.
    memset(indices + place, 0, sizeof(I) * (size_t)n);
    memset(data + place, 0, sizeof(E) * (size_t)n);
    for (int64_t k = 0; k < n; k++) {
        I to = next[entries[k].line - first]++;
        indices[to] = entries[k].index;
        data[to] = entries[k].element;
    }
}
