// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Transposes compressed lines whose successive entries go to nearby places, as in banded matrices and grids: each
// thread counts its entries, then moves them straight to their places. For other matrices that would wait for memory at
// each entry; those are sorted into buckets first (compress.c).

#include "stdlib/sparse/lines.h"

typedef struct Turn {
    SparseCall *call;
    DType index, type;
    const void *indptr, *indices, *data;
    void *indptr_to, *indices_to, *data_to;
    int64_t lines, across, count;
    int parts, chunks;
    void *places;     // by part and new line: the number of entries, then where the next one goes
    int64_t *chunk_begins;
    bool *outside;    // by part: an index is outside the shape
} Turn;

static int64_t first_line(const Turn *t, int part) {
    int64_t entry = part_begin(t->count, part, t->parts), low = 0, high = t->lines;
    if (part == t->parts) return t->lines;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (index_in(t->indptr, t->index, middle) < entry) low = middle + 1;
        else high = middle;
    }
    return low;
}

#define TURN_COUNTS(I)                                                                         \
    static void count_##I(Turn *t, int part) {                                                 \
        const I *restrict indices = t->indices, *indptr = t->indptr;                           \
        I *restrict counts = (I *)t->places + (int64_t)part * t->across;                       \
        const int64_t end = indptr[first_line(t, part + 1)];                                   \
        const uint64_t across = (uint64_t)t->across;                                           \
        memset(counts, 0, sizeof(I) * (size_t)across);                                         \
        t->outside[part] = false;                                                              \
        for (int64_t k = indptr[first_line(t, part)]; k < end; k++) {                          \
            if ((uint64_t)(int64_t)indices[k] >= across) {                                     \
                t->outside[part] = true;                                                       \
                return;                                                                        \
            }                                                                                  \
            counts[indices[k]]++;                                                              \
        }                                                                                      \
    }                                                                                          \
    /* Turns the counts of a chunk of new lines into places, relative to the chunk's start. */ \
    static void place_##I(Turn *t, int chunk) {                                                \
        I *ends = (I *)t->indptr_to + 1, place = 0;                                            \
        const int64_t end = part_begin(t->across, chunk + 1, t->chunks);                       \
        for (int64_t line = part_begin(t->across, chunk, t->chunks); line < end; line++) {     \
            for (int part = 0; part < t->parts; part++) {                                      \
                I *at = (I *)t->places + (int64_t)part * t->across + line, n = *at;            \
                *at = place;                                                                   \
                place += n;                                                                    \
            }                                                                                  \
            ends[line] = place;                                                                \
        }                                                                                      \
        t->chunk_begins[chunk + 1] = place;                                                    \
    }                                                                                          \
    static void shift_##I(Turn *t, int chunk) {                                                \
        I *ends = (I *)t->indptr_to + 1, by = (I)t->chunk_begins[chunk];                       \
        const int64_t end = part_begin(t->across, chunk + 1, t->chunks);                       \
        for (int64_t line = part_begin(t->across, chunk, t->chunks); line < end; line++) {     \
            for (int part = 0; part < t->parts; part++) ((I *)t->places)[(int64_t)part * t->across + line] += by; \
            ends[line] += by;                                                                  \
        }                                                                                      \
    }
TURN_COUNTS(int32_t)
TURN_COUNTS(int64_t)

#define TURN_MOVE(I, E)                                                                        \
    static void move_##I##_##E(Turn *t, int part) {                                            \
        const I *restrict indices = t->indices, *restrict indptr = t->indptr;                  \
        const E *restrict data = t->data;                                                      \
        I *restrict next = (I *)t->places + (int64_t)part * t->across, *restrict to = t->indices_to; \
        E *restrict data_to = t->data_to;                                                      \
        const int64_t end = first_line(t, part + 1);                                           \
        for (int64_t line = first_line(t, part); line < end; line++)                           \
            for (int64_t k = indptr[line]; k < indptr[line + 1]; k++) {                        \
                I place = next[indices[k]]++;                                                  \
                to[place] = (I)line;                                                           \
                data_to[place] = data[k];                                                      \
            }                                                                                  \
    }
#define TURN_MOVES(I) \
    TURN_MOVE(I, uint8_t) TURN_MOVE(I, uint16_t) TURN_MOVE(I, uint32_t) TURN_MOVE(I, uint64_t) TURN_MOVE(I, Bytes16)
TURN_MOVES(int32_t)
TURN_MOVES(int64_t)

typedef void (*TurnFn)(Turn *t, int part);
#define MOVES(I) {move_##I##_uint8_t, move_##I##_uint16_t, move_##I##_uint32_t, move_##I##_uint64_t, move_##I##_Bytes16}
static const TurnFn moves[2][SIZE_CLASSES] = {MOVES(int32_t), MOVES(int64_t)};

typedef struct TurnPass {
    Turn *turn;
    TurnFn run;
} TurnPass;

static void turn_part(void *job, int part, int worker) {
    const TurnPass *p = job;
    (void)worker;
    if (!p->turn->call->host->stopped(p->turn->call)) p->run(p->turn, part);
}

// Runs a pass. False: the program is to be stopped.
static bool run_turn(Turn *t, TurnFn run, int parts) {
    TurnPass p = {t, run};
    t->call->host->share(t->call, turn_part, &p, parts);
    return !t->call->host->stopped(t->call);
}

// Estimates from samples whether successive entries often go to the same cache lines.
static bool is_near(const SparseArg *indices, int64_t count) {
    enum { SAMPLES = 64, RUN = 256, LINE = 16, SLOTS = 1024 };
    int64_t fresh = 0, seen = 0;
    for (int s = 0; s < SAMPLES; s++) {
        int64_t slots[SLOTS] = {0}, from = part_begin(count, s, SAMPLES), end = from + RUN < count ? from + RUN : count;
        for (int64_t k = from; k < end; k++, seen++) {
            int64_t line = index_at(indices, k) / LINE + 1, *slot = &slots[(uint64_t)line % SLOTS];
            fresh += *slot != line;
            *slot = line;
        }
    }
    return fresh * 4 <= seen;
}

bool transpose_near(SparseCall *call) {
    const SparseArg *a = call->args;
    Turn t = {.call = call, .index = a[0].type, .type = a[2].type, .indptr = a[0].data, .indices = a[1].data,
              .data = a[2].data, .lines = a[0].count - 1, .across = a[3].whole, .count = index_at(&a[0], a[0].count - 1)};
    const bool wide = t.index == DT_INT64;
    t.parts = parts_of(call, t.count, call->threads);
    if (t.across > t.count || !is_near(&a[1], t.count)) return false;
    t.chunks = t.parts == 1 ? 1 : t.parts * 4;
    t.places = call->host->scratch(call, (size_t)t.parts * (size_t)t.across * dtype_bytes(t.index));
    t.outside = t.places ? call->host->scratch(call, (size_t)t.parts) : NULL;
    t.chunk_begins = t.outside ? call->host->scratch(call, sizeof(int64_t) * ((size_t)t.chunks + 1)) : NULL;
    t.indptr_to = t.chunk_begins ? call->host->array(call, t.index, t.across + 1) : NULL;
    t.indices_to = t.indptr_to ? call->host->array(call, t.index, t.count) : NULL;
    t.data_to = t.indices_to ? call->host->array(call, t.type, t.count) : NULL;
    if (!t.data_to || !run_turn(&t, wide ? count_int64_t : count_int32_t, t.parts)) return true;
    for (int part = 0; part < t.parts; part++) {
        if (!t.outside[part]) continue;
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "an index of a sparse array is outside its shape");
        return true;
    }
    set_index(t.indptr_to, t.index, 0, 0);
    t.chunk_begins[0] = 0;
    if (!run_turn(&t, wide ? place_int64_t : place_int32_t, t.chunks)) return true;
    for (int chunk = 0; chunk < t.chunks; chunk++) t.chunk_begins[chunk + 1] += t.chunk_begins[chunk];
    if (run_turn(&t, wide ? shift_int64_t : shift_int32_t, t.chunks)) run_turn(&t, moves[wide][size_class(t.type)], t.parts);
    return true;
}
