// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts coordinates to compressed lines (CSR or CSC), and compressed lines to those of the other axis. A bucket is a
// range of lines whose entries fit in a cache. Entries are counted per bucket, then spread over the buckets, then put
// in order within each bucket. Entries of a line stay in their order; with `sort` they are sorted and duplicates added
// up, while they are in the cache. Threads share each pass, and memory is traversed a fixed number of times, whatever
// the order of the entries.

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "stdlib/sparse/lines.h"

enum {
    TOGETHER = 4,                   // entries that are written at once
    BUCKET_ENTRIES = 1 << 14,       // entries that a bucket should have
    BINS = 1 << 11,                 // bins of indices in a bucket whose lines are to be sorted
    BINNED = 4 * BUCKET_ENTRIES,    // fuller buckets are not binned: the buffer would not stay in a cache
    LINE_SHORT = 4,                 // nor are buckets with fewer entries per line
};

typedef struct Compress {
    Lines lines;             // the result
    const void *major, *minor, *data; // of the entries: lines, indices, elements
    const void *indptr;      // in place of `minor`: an entry's index is the line that it has in this indptr
    int64_t indptr_lines;
    int64_t count, across;   // number of entries; number of possible indices
    int shift, parts;        // a bucket has 1 << shift lines; parts of the counting and spreading passes
    int64_t *places;         // by part and bucket: the number of entries, then where the next one goes
    bool *outside;           // by part: an entry is outside the shape
    void *entries;           // the entries in their buckets
    int bin_shift;           // a bin has 1 << bin_shift indices
    char *rooms;             // by worker: bin counts, then a bucket's entries; NULL: no binning
    size_t room_bytes;
    char *held;              // by worker: where buckets begin, then TOGETHER collected entries per bucket
    size_t held_bytes;
} Compress;

// Copies with non-temporal stores, for data that is not read again soon: the caches need not fetch what is overwritten.
// Both places are aligned to 16 bytes.
static inline void put_aside(void *to, const void *from, size_t bytes) {
#if defined(__SSE2__)
    enum { CACHE_LINE = 64 };
    if (bytes % CACHE_LINE == 0) {
        __m128i *wide = to;
        const __m128i *wide_from = from;
        for (size_t i = 0; i < bytes / sizeof *wide; i++) _mm_stream_si128(wide + i, _mm_loadu_si128(wide_from + i));
        return;
    }
#endif
    memcpy(to, from, bytes);
}

// Makes what put_aside wrote visible to other threads.
static inline void end_aside(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#define SIZE_TEMPLATE "stdlib/sparse/compress_loops.h"
#include "stdlib/sparse/each_size.h"

typedef struct Loops {
    size_t entry;
    void (*spread)(const Compress *c, int64_t from, int64_t end, int64_t *places, void *room);
    void (*spread_lines)(const Compress *c, int64_t from, int64_t end, int64_t line, int64_t *places, void *room);
    void (*gather)(const Compress *c, int64_t place, int64_t n, int64_t first, int64_t count, void *room, uint32_t *bins);
} Loops;
#define LOOPS(I, E) {sizeof(Entry_##I##_##E), spread_##I##_##E, spread_lines_##I##_##E, gather_##I##_##E}
#define SIZES(I) {LOOPS(I, uint8_t), LOOPS(I, uint16_t), LOOPS(I, uint32_t), LOOPS(I, uint64_t), LOOPS(I, Bytes16)}
static const Loops all_loops[2][SIZE_CLASSES] = {SIZES(int32_t), SIZES(int64_t)};

static const Loops *loops_of(const Compress *c) {
    return &all_loops[c->lines.index == DT_INT64][size_class(c->lines.type)];
}

// --- Counting ------------------------------------------------------------------------------------

#define COUNT(I)                                                                         \
    static bool count_##I(const Compress *c, int64_t from, int64_t end, int64_t *counts) {   \
        const I *restrict lines = c->major, *restrict indices = c->minor;                    \
        const uint64_t limit = (uint64_t)c->lines.lines, across = (uint64_t)c->across;       \
        bool outside = false;                                                                \
        for (int64_t k = from; indices && k < end; k++) outside |= (uint64_t)(int64_t)indices[k] >= across; \
        for (int64_t k = from; k < end; k++) {                                               \
            if ((uint64_t)(int64_t)lines[k] >= limit) return true;                           \
            counts[lines[k] >> c->shift]++;                                                  \
        }                                                                                    \
        return outside;                                                                      \
    }
COUNT(int32_t)
COUNT(int64_t)

static void count_part(void *job, int part, int worker) {
    Compress *c = job;
    int64_t from = part_begin(c->count, part, c->parts), end = part_begin(c->count, part + 1, c->parts);
    int64_t *counts = c->places + (size_t)part * (size_t)c->lines.groups;
    (void)worker;
    memset(counts, 0, sizeof(int64_t) * (size_t)c->lines.groups);
    c->outside[part] = c->lines.index == DT_INT64 ? count_int64_t(c, from, end, counts) : count_int32_t(c, from, end, counts);
}

// Turns counts into places: ordered by bucket, and within a bucket by part, so that entries stay in order.
static void place_parts(Compress *c) {
    int64_t place = 0;
    for (int bucket = 0; bucket < c->lines.groups; bucket++) {
        c->lines.begins[bucket] = place;
        for (int part = 0; part < c->parts; part++) {
            int64_t *at = &c->places[(size_t)part * (size_t)c->lines.groups + (size_t)bucket], n = *at;
            *at = place;
            place += n;
        }
    }
    c->lines.begins[c->lines.groups] = place;
}

// --- Spreading and gathering ---------------------------------------------------------------------

// Returns the line that entry k is in, by binary search.
static int64_t line_of(const Compress *c, int64_t k) {
    int64_t low = 0, high = c->indptr_lines;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (index_in(c->indptr, c->lines.index, middle) <= k) low = middle;
        else high = middle;
    }
    return low;
}

static void spread_part(void *job, int part, int worker) {
    const Compress *c = job;
    int64_t from = part_begin(c->count, part, c->parts), end = part_begin(c->count, part + 1, c->parts);
    int64_t *places = c->places + (size_t)part * (size_t)c->lines.groups;
    char *room = c->held + (size_t)worker * c->held_bytes;
    if (c->lines.call->host->stopped(c->lines.call)) return;
    if (c->indptr) loops_of(c)->spread_lines(c, from, end, line_of(c, from), places, room);
    else loops_of(c)->spread(c, from, end, places, room);
    end_aside();
}

static void gather_bucket(void *job, int bucket, int worker) {
    Compress *c = job;
    const int64_t first = (int64_t)bucket << c->shift, most = (int64_t)1 << c->shift, rest = c->lines.lines - first;
    const int64_t place = c->lines.begins[bucket], n = c->lines.begins[bucket + 1] - place;
    char *bins = c->rooms ? c->rooms + (size_t)worker * c->room_bytes : NULL;
    if (c->lines.call->host->stopped(c->lines.call)) return;
    loops_of(c)->gather(c, place, n, first, most < rest ? most : rest, bins ? bins + BINS * sizeof(uint32_t) : NULL,
                        (uint32_t *)(void *)bins);
    c->lines.kept[bucket] = n;
    if (c->lines.sort) finish_group(&c->lines, bucket);
}

// Returns a shift for which a bucket has about BUCKET_ENTRIES entries, if entries are evenly spread.
static int bucket_shift(int64_t count, int64_t lines) {
    int shift = 0;
    while ((lines >> shift) > count / BUCKET_ENTRIES + 1) shift++;
    return shift;
}

static bool results_of(Compress *c) {
    SparseCall *call = c->lines.call;
    if (c->lines.index == DT_INT32 && c->count > INT32_MAX) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "so many entries need indices of int64");
        return false;
    }
    c->lines.indptr = call->host->array(call, c->lines.index, c->lines.lines + 1);
    c->lines.indices = c->lines.indptr ? call->host->array(call, c->lines.index, c->count) : NULL;
    c->lines.data = c->lines.indices ? call->host->array(call, c->lines.type, c->count) : NULL;
    if (!c->lines.data) return false;
    set_index(c->lines.indptr, c->lines.index, 0, 0);
    return true;
}

static bool bins_of(Compress *c) {
    while ((c->across >> c->bin_shift) >= BINS) c->bin_shift++;
    c->room_bytes = BINS * sizeof(uint32_t) + BINNED * loops_of(c)->entry;
    c->rooms = c->lines.call->host->scratch(c->lines.call, (size_t)c->lines.call->threads * c->room_bytes);
    return c->rooms != NULL;
}

static bool room_of(Compress *c) {
    SparseCall *call = c->lines.call;
    c->lines.shift = bucket_shift(c->count, c->lines.lines);
    if (!lines_begin(&c->lines)) return false;
    c->shift = c->lines.shift;
    c->parts = parts_of(call, c->count, c->count);
    if (c->parts > call->threads) c->parts = call->threads; // each part needs its own places
    c->outside = call->host->scratch(call, sizeof(bool) * (size_t)c->parts);
    const size_t places = (size_t)c->parts * (size_t)c->lines.groups;
    c->places = c->outside ? call->host->scratch(call, sizeof(int64_t) * places) : NULL;
    if (!c->places) return false;
    c->lines.room_each = loops_of(c)->entry;
    c->held_bytes = (sizeof(int64_t) + TOGETHER * c->lines.room_each) * (size_t)c->lines.groups;
    c->held = call->host->scratch(call, (size_t)call->threads * c->held_bytes);
    if (!c->held) return false;
    c->entries = call->host->scratch(call, (size_t)c->count * c->lines.room_each);
    c->lines.room = c->entries; // the bucketed entries are no longer needed when their lines are sorted
    return c->entries != NULL && (!c->lines.sort || bins_of(c));
}

// Makes the call's results: indptr, indices and data. With `sort` a fourth one is the number of entries that are left;
// indices and data may be longer than that.
static void compress(Compress *c) {
    SparseCall *call = c->lines.call;
    if (!results_of(c) || !room_of(c)) return;
    call->host->share(call, count_part, c, c->parts);
    for (int part = 0; part < c->parts; part++) {
        if (!c->outside[part]) continue;
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "an index of a sparse array is outside its shape");
        return;
    }
    place_parts(c);
    call->host->share(call, spread_part, c, c->parts);
    call->host->share(call, gather_bucket, c, c->lines.groups);
    if (!c->lines.sort || call->host->stopped(call)) return;
    int64_t left = pack_lines(&c->lines);
    if (left >= 0) call->host->whole(call, left);
}

static bool check_extents(SparseCall *call, int64_t lines, int64_t across) {
    if (lines >= 0 && lines < INT64_MAX && across >= 0) return true;
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "'shape' elements cannot be negative");
    return false;
}

// compress(major, minor, data, lines, across, sum): returns indptr, indices and data. `major` has the line of each
// entry, `minor` its index. With `sum` lines are sorted and duplicates added up; then a fourth result is the number of
// entries that are left, and indices and data may be longer.
void op_compress(SparseCall *call) {
    const SparseArg *a = call->args;
    Compress c = {.lines = {.call = call, .index = a[0].type, .type = a[2].type, .lines = a[3].whole},
                  .major = a[0].data, .minor = a[1].data, .data = a[2].data, .count = a[0].count, .across = a[4].whole};
    c.lines.sort = c.lines.add = a[5].whole != 0;
    if (!check_index_type(call, &a[0]) || !check_index_type(call, &a[1])) return;
    if (!check_extents(call, a[3].whole, a[4].whole)) return;
    if (a[1].type != a[0].type || a[2].kind != SPARSE_ARRAY || a[2].type == DT_FLOAT16 || a[1].count != a[0].count ||
        a[2].count != a[0].count) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "row, column, and data array must all be the same length");
        return;
    }
    compress(&c);
}

// transpose(indptr, indices, data, across): returns the same entries compressed along the other axis, with sorted
// indices.
void op_transpose(SparseCall *call) {
    const SparseArg *a = call->args;
    if (!check_lines(call, &a[0], &a[1], &a[2]) || !check_extents(call, a[3].whole, 0)) return;
    if (transpose_near(call)) return;
    Compress c = {.lines = {.call = call, .index = a[0].type, .type = a[2].type, .lines = a[3].whole},
                  .major = a[1].data, .indptr = a[0].data, .indptr_lines = a[0].count - 1, .data = a[2].data,
                  .count = index_at(&a[0], a[0].count - 1)};
    compress(&c);
}
