// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Deals entries into piles, one for each rank that owns their lines: a counting sort by rank in two passes, each shared
// by all threads. The sort is stable.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/ops.h"

typedef struct Deal {
    SparseCall *call;
    const void *lines, *places, *data;
    void *to_lines, *to_places, *to_data;
    const int64_t *starts; // the first line of each pile, ascending
    int64_t count;
    int piles, parts;
    bool wide;
    int64_t *next; // by part and pile: the number of entries, then where the next one goes
    void (*move)(const struct Deal *d, int64_t from, int64_t end, int64_t *next);
} Deal;

// Returns the last pile that begins at or before the line, by binary search. For a line before all piles it is the
// first pile.
static inline int pile_of(const Deal *d, int64_t line) {
    const int64_t *at = d->starts;
    for (int n = d->piles; n > 1;) {
        const int half = n / 2;
        at = at[half] <= line ? at + half : at; // mostly a conditional move
        n -= half;
    }
    return (int)(at - d->starts);
}

static int64_t line_at(const Deal *d, int64_t k) {
    return d->wide ? ((const int64_t *)d->lines)[k] : ((const int32_t *)d->lines)[k];
}

static void count_part(void *job, int part, int worker) {
    Deal *d = job;
    int64_t *counts = d->next + (int64_t)part * d->piles, end = part_begin(d->count, part + 1, d->parts);
    (void)worker;
    memset(counts, 0, sizeof *counts * (size_t)d->piles);
    for (int64_t k = part_begin(d->count, part, d->parts); k < end; k++) counts[pile_of(d, line_at(d, k))]++;
}

#define MOVE(I, BYTES, E)                                                                               \
    static void move_##I##_##BYTES(const Deal *d, int64_t from, int64_t end, int64_t *next) {           \
        const I *restrict lines = d->lines, *restrict places = d->places;                               \
        const E *restrict data = d->data;                                                               \
        I *restrict to_lines = d->to_lines, *restrict to_places = d->to_places;                         \
        E *restrict to_data = d->to_data;                                                               \
        for (int64_t k = from; k < end; k++) {                                                          \
            const int pile = pile_of(d, lines[k]);                                                      \
            const int64_t to = next[pile]++;                                                            \
            to_lines[to] = (I)(lines[k] - d->starts[pile]);                                             \
            to_places[to] = places[k];                                                                  \
            to_data[to] = data[k];                                                                      \
        }                                                                                               \
    }
SPARSE_SIZES(MOVE, int32_t)
SPARSE_SIZES(MOVE, int64_t)
#define MOVE_ROW(I, BYTES, E) move_##I##_##BYTES,
static void (*const moves[2][5])(const Deal *d, int64_t from, int64_t end, int64_t *next) = {{SPARSE_SIZES(MOVE_ROW, int32_t)},
                                                                                            {SPARSE_SIZES(MOVE_ROW, int64_t)}};

static void move_part(void *job, int part, int worker) {
    Deal *d = job;
    (void)worker;
    d->move(d, part_begin(d->count, part, d->parts), part_begin(d->count, part + 1, d->parts), d->next + (int64_t)part * d->piles);
}

// Turns counts into places: ordered by pile, and within a pile by part. Sets where each pile begins and ends.
static void place_parts(Deal *d, int64_t *ends) {
    int64_t place = 0;
    for (int pile = 0; pile < d->piles; pile++) {
        ends[pile] = place;
        for (int part = 0; part < d->parts; part++) {
            int64_t *at = &d->next[(int64_t)part * d->piles + pile], n = *at;
            *at = place;
            place += n;
        }
    }
    ends[d->piles] = place;
}

static bool deal_args(SparseCall *call, Deal *d) {
    const SparseArg *a = call->args;
    if (!check_index_type(call, &a[0]) || !check_index_type(call, &a[1])) return false;
    if (a[1].type != a[0].type || a[2].kind != SPARSE_ARRAY || !entry_sizes[a[2].type] || a[1].count != a[0].count ||
        a[2].count != a[0].count || a[3].kind != SPARSE_ARRAY || a[3].type != DT_INT64 || a[3].count < 1 ||
        a[3].count > INT32_MAX) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "row, column, and data array must all be the same length");
        return false;
    }
    *d = (Deal){.call = call, .lines = a[0].data, .places = a[1].data, .data = a[2].data, .starts = a[3].data,
                .count = a[0].count, .piles = (int)a[3].count, .wide = a[0].type == DT_INT64};
    d->move = moves[d->wide][size_place(entry_sizes[a[2].type])];
    d->parts = parts_of(call, d->count, d->count);
    if (d->parts > call->threads) d->parts = call->threads; // each part needs its own places
    return true;
}

// deal(lines, places, data, starts): returns the lines, places and data of the entries of pile 0, then those of pile 1,
// …. Pile i has the lines from starts[i] to before starts[i + 1]; lines are counted from the start of their pile. The
// fourth result has where each pile's entries begin, and where the last one's end.
void op_deal(SparseCall *call) {
    const SparseArg *a = call->args;
    const SparseHost *host = call->host;
    Deal d;
    if (!deal_args(call, &d)) return;
    d.to_lines = host->array(call, a[0].type, d.count);
    d.to_places = d.to_lines ? host->array(call, a[1].type, d.count) : NULL;
    d.to_data = d.to_places ? host->array(call, a[2].type, d.count) : NULL;
    int64_t *ends = d.to_data ? host->array(call, DT_INT64, (int64_t)d.piles + 1) : NULL;
    d.next = ends ? host->scratch(call, sizeof *d.next * (size_t)d.parts * (size_t)d.piles) : NULL;
    if (!d.next) return;
    host->share(call, count_part, &d, d.parts);
    place_parts(&d, ends);
    host->share(call, move_part, &d, d.parts);
}
