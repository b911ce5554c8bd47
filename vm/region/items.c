// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inputs and results of the work items of a parallel loop.

#include "vm/region/items.h"

#include <string.h>

#include "vm/region/parallel_box.h"

bool items_may_run(const Region *r, const RegionParallel *p) {
    if (p->folded || p->nests || items_results(p) > ITEMS_RESULTS) return false;
    if (__builtin_popcount(items_arrays(p)) > ITEMS_ARRAYS) return false;
    for (int i = 0; i < p->param_count; i++)
        if (p->params[i].kind == PARALLEL_FOLD) return false;
    int words = ITEMS_PARAMS + p->param_count;
    for (int a = 0; a < r->array_count; a++)
        words += items_array_words(&r->arrays[a]);
    for (int32_t i = 0; i < r->code_count; i++) words += r->code[i].op == RG_INPUT;
    return words <= ITEMS_WORDS;
}

// --- Numbers -------------------------------------------------------------------------------------

// Estimates the most iterations of the inner loop, from those in the first and the last outer iteration. If an outer
// iteration has more, its item fails.
static int64_t width_of(const ParallelRun *run, int64_t rounds) {
    const RegionParallel *p = run->loop;
    if (!p->within.head) return 1;
    const ParallelSum *sum = &p->levels[p->within.level].rounds;
    int64_t first = box_sum(run, sum, 0), last = box_sum(run, sum, rounds - 1);
    int64_t width = first > last ? first : last;
    return width < 1 ? 1 : width;
}

ItemsSize items_size(const ParallelRun *run, const RegionSlot *state) {
    int64_t rounds = state[run->loop->count_param].i;
    return (ItemsSize){round_work(run, rounds) * (double)rounds, (double)rounds * (double)width_of(run, rounds)};
}

static void put(RegionItems *items, int64_t word) {
    items->words[items->word_count++] = word;
}

static void put_words(const ParallelRun *run, char *const *bases, const RegionSlot *state, RegionItems *items) {
    const Region *r = run->region;
    const RegionParallel *p = run->loop;
    int64_t rounds = state[p->count_param].i;
    put(items, rounds);
    put(items, width_of(run, rounds));
    for (int i = 0; i < p->param_count; i++)
        put(items, p->params[i].kind == PARALLEL_LAST ? parallel_unset((DType)p->params[i].type).i : state[i].i);
    for (int a = 0; a < r->array_count; a++) {
        const RegionArray *array = &r->arrays[a];
        const bool used = items_arrays(p) >> a & 1;
        put(items, used ? run->slots[array->slot].address - bases[a] : 0);
        for (int d = 1; d <= 2 * array->ndim; d++) put(items, run->slots[array->slot + d].i);
    }
    for (int32_t i = 0; i < r->code_count; i++)
        if (r->code[i].op == RG_INPUT) put(items, run->slots[r->code[i].number].i);
}

// --- Variables -----------------------------------------------------------------------------------

// Finds the last iteration that set a result; false: the inner loop set it under a condition, so it may be from an
// earlier item.
static bool find_last(const RegionParallel *p, const int64_t *results, int number, int64_t rounds, RegionSlot *out) {
    const int each = 1 + 2 * items_lasts(p);
    for (int back = 0; back < ITEMS_TAIL && back < rounds; back++) {
        const int64_t *row = results + 1 + back * each;
        out->i = row[2 + 2 * number];
        if (row[1 + 2 * number]) return true;
        if (row[0]) return false;
    }
    return false;
}

static bool go_on(const RegionParallel *p, const int64_t *results, int64_t rounds, RegionSlot *state) {
    RegionSlot after[PARALLEL_PARAMS];
    int number = 0;
    for (int i = 0; i < p->param_count; i++) {
        after[i] = parallel_advanced(p, state, i, rounds);
        if (p->params[i].kind == PARALLEL_COUNT) after[i].i -= rounds;
        if (p->params[i].kind == PARALLEL_LAST && !find_last(p, results, number++, rounds, &after[i])) return false;
    }
    memcpy(state, after, (size_t)p->param_count * sizeof *state);
    return true;
}

// --- Runs ----------------------------------------------------------------------------------------

typedef struct Made {
    RegionItems items; // first member, so that a pointer to it can be cast to Made
    int64_t rounds;
    RegionSlot *state;
} Made;

static bool accept(RegionItems *items) {
    Made *made = (Made *)items;
    const RegionParallel *p = &items->region->parallels[items->number];
    return !items->results[0] && go_on(p, items->results, made->rounds, made->state);
}

int64_t items_run(const ParallelRun *run, ItemsKey *key, char *const *bases, ItemsFn fn, void *context, RegionSlot *state) {
    const RegionParallel *p = run->loop;
    const int64_t rounds = state[p->count_param].i;
    if (rounds < 1 || key->refused || run->tally->given_up >= ITEMS_GIVEN_UP || !arrays_are_apart(run)) return 0;
    Made *made = mem_alloc(run->mem, sizeof *made);
    if (!made) return 0;
    *made = (Made){.items = {.region = run->region, .number = (int)(p - run->region->parallels), .key = key, .accept = accept,
                             .result_count = items_results(p)},
                   .rounds = rounds,
                   .state = state};
    put_words(run, bases, state, &made->items);
    bool done = fn(context, &made->items);
    run->tally->given_up += !done && !key->refused;
    run->tally->items += done ? (uint64_t)rounds : 0;
    mem_free(run->mem, made, sizeof *made);
    return done ? rounds : 0;
}
