// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides by instruction counts, never by time, whether to use threads and how to split the work:
// results must be reproducible. A chunk has a few more parts than threads, so that a delayed thread
// holds the others up less. A chunk is small enough that its writes stay in caches.

#include "vm/region/items.h"

#include <fenv.h>
#include <stdatomic.h>
#include <string.h>

#include "vm/graph/dtype.h"
#include "vm/region/parallel_box.h"
#include "vm/region/parallel_fold.h"
#include "vm/region/parallel_folded.h"

enum { PARTS_MOST = 128, PARTS_A_THREAD = 4 };
// Instructions: minimum of a loop worth threads, minimum and maximum of a part.
enum { WORK_LEAST = 1 << 17, PART_LEAST = 1 << 15, PART_MOST = 1 << 20 };
// bytes saved for rollback: maximum of a chunk, maximum kept allocated between loops
enum { KEPT_MOST = 1 << 26, KEPT_STAYS = 1 << 23 };
enum { FAILED_OFTEN = 8 };
enum { ROUNDED_PARTS = 64 }; // parts of an order-dependent reduction, whatever the number of threads

void parallel_room_free(Mem *mem, ParallelRoom *room) {
    mem_free(mem, room->kept, room->kept_room);
    mem_free(mem, room->calls, room->calls_room * sizeof *room->calls);
    mem_free(mem, room->scratch, room->scratch_room);
    mem_free(mem, room->folded, room->folded_room);
    mem_free(mem, room->states, room->state_room * sizeof *room->states);
    *room = (ParallelRoom){0};
}

typedef struct Stretch {
    int64_t first, count; // iterations
    size_t kept;          // offset of its saved elements
    int64_t went;
    bool made;
} Stretch;

typedef struct Chunk {
    const ParallelRun *run;
    const RegionSlot *state;       // head parameters before the loop
    int64_t before;                // iterations run before this chunk
    bool apart;                    // parts save what they write separately
    RegionSlot *states;            // per part: before, after
    atomic_uint_least64_t workers; // workers that took part, as bits
    int part_count;
    Stretch parts[PARTS_MOST];
} Chunk;

// --- Parameters --------------------------------------------------------------------------------

// Returns a sentinel that is hardly ever a variable's value. A variable that still has it after a part
// was not set there.
RegionSlot parallel_unset(DType type) {
    RegionSlot slot;
    if (dtype_kind(type) == DK_FLOAT) {
        slot.i = INT64_C(0x7ffabcde) << 32; // a NaN, also after rounding to float32
        return slot;
    }
    int bits = 8 * (int)dtype_size(type), away = 64 - bits;
    uint64_t odd = UINT64_C(0x93c5a7e1db462f8d) << away;
    slot.i = dtype_kind(type) == DK_INT ? (int64_t)odd >> away : (int64_t)(odd >> away);
    return slot;
}

RegionSlot parallel_advanced(const RegionParallel *p, const RegionSlot *state, int param, int64_t rounds) {
    RegionSlot slot = state[param];
    int by = p->params[param].by;
    uint64_t step = (uint64_t)(by == NO_VALUE ? p->params[param].step : state[by].i);
    if (p->params[param].kind == PARALLEL_STEPS)
        slot.i = (int64_t)((uint64_t)slot.i + step * (uint64_t)rounds);
    return slot;
}

static RegionSlot *state_of(const Chunk *c, int part, bool behind) {
    return c->states + (2 * part + behind) * c->run->loop->param_count;
}

static void begin_part(Chunk *c, int number) {
    const RegionParallel *p = c->run->loop;
    const Stretch *part = &c->parts[number];
    RegionSlot *in = state_of(c, number, false);
    for (int i = 0; i < p->param_count; i++) {
        in[i] = parallel_advanced(p, c->state, i, part->first - c->before);
        if (p->params[i].kind == PARALLEL_COUNT) in[i].i = part->count;
        DType type = (DType)p->params[i].type;
        if (p->params[i].kind == PARALLEL_LAST) in[i] = parallel_unset(type);
        if (p->params[i].kind == PARALLEL_FOLD)
            in[i] = fold_begin((OpId)p->params[i].op, type, c->state[i]);
    }
}

// Tests that a part has set all PARALLEL_LAST variables.
static bool is_whole(const Chunk *c, int number) {
    const RegionParallel *p = c->run->loop;
    const RegionSlot *in = state_of(c, number, false), *out = state_of(c, number, true);
    for (int i = 0; i < p->param_count; i++)
        if (p->params[i].kind == PARALLEL_LAST && in[i].i == out[i].i) return false;
    return true;
}

// Combines folds of the first `good` parts. Returns how many could be combined.
static int put_together(const Chunk *c, RegionSlot *state, int good) {
    const RegionParallel *p = c->run->loop;
    for (int number = 0; number < good; number++) {
        RegionSlot sums[PARALLEL_PARAMS];
        const RegionSlot *out = state_of(c, number, true);
        for (int i = 0; i < p->param_count; i++) {
            sums[i] = state[i];
            if (p->params[i].kind == PARALLEL_FOLD &&
                !fold_together((OpId)p->params[i].op, (DType)p->params[i].type, &sums[i], out[i]))
                return number;
        }
        memcpy(state, sums, (size_t)p->param_count * sizeof *state);
    }
    return good;
}

// Advances the head's parameters by `rounds` iterations, the last of which ran in part `last`.
static void go_on(const Chunk *c, RegionSlot *state, int64_t rounds, int last) {
    const RegionParallel *p = c->run->loop;
    for (int i = 0; i < p->param_count; i++) {
        state[i] = parallel_advanced(p, state, i, rounds);
        if (p->params[i].kind == PARALLEL_COUNT) state[i].i -= rounds;
        if (p->params[i].kind == PARALLEL_LAST) state[i] = state_of(c, last, true)[i];
    }
}

// --- Saving elements ---------------------------------------------------------------------------

static size_t bytes_of(const ParallelRun *run, int64_t first, int64_t count) {
    size_t bytes = 0;
    for (int w = 0; w < run->loop->write_count; w++) {
        Box box = box_of(run, &run->loop->writes[w], run->skipped + first, count);
        bytes += box_bytes(&box);
    }
    return bytes;
}

static void keep(const ParallelRun *run, int64_t first, int64_t count, char *kept) {
    for (int w = 0; w < run->loop->write_count; w++) {
        Box box = box_of(run, &run->loop->writes[w], run->skipped + first, count);
        box_keep(&box, kept);
        kept += box_bytes(&box);
    }
}

static void put_back(const ParallelRun *run, int64_t first, int64_t count, char *kept) {
    for (int w = 0; w < run->loop->write_count; w++) {
        Box box = box_of(run, &run->loop->writes[w], run->skipped + first, count);
        box_put_back(&box, kept);
        kept += box_bytes(&box);
    }
}

// --- Parts -------------------------------------------------------------------------------------

static void run_part(void *job, int number, int worker) {
    Chunk *c = job;
    const ParallelRun *run = c->run;
    Stretch *part = &c->parts[number];
    atomic_fetch_or(&c->workers, UINT64_C(1) << worker % 64);
    if (c->apart) keep(run, part->first, part->count, run->room->kept + part->kept);
    begin_part(c, number);
    const RegionSlot *slots = run->slots;
    if (run->loop->folded) slots = folded_begin(run, run->room->folded, number);
    part->went = 0;
    feclearexcept(FE_ALL_EXCEPT);
    part->made =
        *run->stop != 0 && run->rounds(slots, run->stop, &part->went, &run->room->calls[worker],
                                       state_of(c, number, false), state_of(c, number, true));
    part->made = part->made && is_whole(c, number);
    feclearexcept(FE_ALL_EXCEPT);
}

// Creates each worker's calls, with a scratch buffer if the loop has nests.
static bool make_calls(const ParallelRun *run) {
    ParallelRoom *room = run->room;
    size_t threads = (size_t)run->calls->threads, each = SCRATCH_ELEMENTS * 8;
    if (!mem_grow(run->mem, (void **)&room->calls, &room->calls_room, threads, sizeof *room->calls))
        return false;
    if (run->loop->nests &&
        !mem_grow(run->mem, (void **)&room->scratch, &room->scratch_room, threads * each, 1))
        return false;
    for (size_t i = 0; i < threads; i++) {
        room->calls[i] = *run->calls;
        room->calls[i].scratch = run->loop->nests ? room->scratch + i * each : NULL;
    }
    return true;
}

static bool make_room(const ParallelRun *run, size_t bytes, int parts) {
    ParallelRoom *room = run->room;
    if (run->loop->folded && !mem_grow(run->mem, (void **)&room->folded, &room->folded_room,
                                       folded_bytes(run, parts), 1))
        return false;
    return mem_grow(run->mem, (void **)&room->kept, &room->kept_room, bytes + 1, 1) &&
           mem_grow(run->mem, (void **)&room->states, &room->state_room,
                    (size_t)(2 * parts * run->loop->param_count), sizeof *room->states);
}

// Cuts the next chunk into parts of at most `part_rounds` iterations. Returns the chunk's iterations; 0:
// out of memory, or too many bytes to save.
static int64_t cut(Chunk *c, int64_t left, int64_t part_rounds) {
    const ParallelRun *run = c->run;
    int most = run->loop->folded ? FOLDED_PARTS : run->calls->threads * PARTS_A_THREAD;
    size_t bytes = 0;
    int64_t rounds = 0;
    if (most > PARTS_MOST) most = PARTS_MOST;
    for (c->part_count = 0; c->part_count < most && rounds < left; c->part_count++) {
        Stretch *part = &c->parts[c->part_count];
        *part = (Stretch){.first = c->before + rounds, .kept = bytes};
        part->count = part_rounds < left - rounds ? part_rounds : left - rounds;
        if (c->apart) bytes += bytes_of(run, part->first, part->count);
        if (bytes > KEPT_MOST && c->part_count > 0) break;
        rounds += part->count;
    }
    if (!c->apart) bytes = bytes_of(run, c->before, rounds);
    if (bytes > KEPT_MOST || !make_room(run, bytes, c->part_count)) return 0;
    c->states = run->room->states;
    return rounds;
}

// Runs a chunk. Returns how many of its iterations are valid.
static int64_t make_chunk(Chunk *c, int64_t rounds, RegionSlot *state, int64_t *went) {
    const ParallelRun *run = c->run;
    RegionSlot after[PARALLEL_PARAMS];
    int good = 0;
    int64_t made = 0;
    if (!c->apart) keep(run, c->before, rounds, run->room->kept);
    run->calls->share(run->calls->context, run_part, c, c->part_count);
    while (good < c->part_count && c->parts[good].made) good++;
    memcpy(after, state, (size_t)run->loop->param_count * sizeof *state);
    good = put_together(c, after, good);
    if (run->loop->folded && good == c->part_count &&
        !folded_together(run, run->room->folded, c->part_count))
        good = 0;
    if (good < c->part_count && !c->apart) {
        put_back(run, c->before, rounds, run->room->kept);
        return 0;
    }
    for (int i = good; i < c->part_count; i++)
        put_back(run, c->parts[i].first, c->parts[i].count, run->room->kept + c->parts[i].kept);
    for (int i = 0; i < good; i++) {
        made += c->parts[i].count;
        *went += c->parts[i].went;
    }
    if (good == 0) return 0;
    memcpy(state, after, (size_t)run->loop->param_count * sizeof *state);
    go_on(c, state, made, good - 1);
    return made;
}

// --- Loops -------------------------------------------------------------------------------------

static int64_t part_size(const ParallelRun *run, int64_t rounds) {
    double work = round_work(run, rounds);
    int64_t each = rounds / (run->calls->threads * PARTS_A_THREAD),
            most = (int64_t)(PART_MOST / work), least = (int64_t)(PART_LEAST / work);
    if (work * (double)rounds < WORK_LEAST) return 0;
    if (run->loop->folded)
        return work * (double)rounds < 2 * folded_work(run) ? 0 : (rounds - 1) / FOLDED_PARTS + 1;
    if (run->loop->rounded) each = rounds / ROUNDED_PARTS;
    if (each > most) each = most;
    if (each < least) each = least;
    return each < 1 ? 1 : each;
}

static int64_t make_rounds(const ParallelRun *run, RegionSlot *state, int64_t rounds,
                           int64_t part_rounds, int64_t *went) {
    Chunk c = {
        .run = run, .state = state, .apart = !run->loop->folded && writes_are_apart(run->loop)};
    while (c.before < rounds && *run->stop != 0) {
        int64_t chunk = cut(&c, rounds - c.before, part_rounds);
        if (chunk == 0) break;
        int64_t made = make_chunk(&c, chunk, state, went);
        c.before += made;
        if (made == chunk) continue;
        run->tally->failed += *run->stop != 0;
        break;
    }
    int threads = __builtin_popcountll(atomic_load(&c.workers));
    if (threads > run->tally->threads) run->tally->threads = threads;
    return c.before;
}

int64_t parallel_run(const ParallelRun *run, RegionSlot *state, int64_t *went) {
    int64_t rounds = state[run->loop->count_param].i;
    if (run->calls->threads < 2 || rounds < 2 || run->tally->failed >= FAILED_OFTEN) return 0;
    if (run->loop->rounded && run->calls->reproducible) return 0;
    int64_t part_rounds = part_size(run, rounds);
    if (part_rounds == 0 || part_rounds >= rounds || !arrays_are_apart(run)) return 0;
    if (!make_calls(run)) return 0;
    int64_t made = make_rounds(run, state, rounds, part_rounds, went);
    run->tally->rounds += (uint64_t)made;
    if (run->room->kept_room > KEPT_STAYS) parallel_room_free(run->mem, run->room);
    return made;
}
