// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Makes recipes from the decisions of the passes, and caches them.

#include "vm/plan/pass.h"

// --- Steps -------------------------------------------------------------------------------------

static Step *step_new(const Making *m, const Piece *piece, size_t packed_bytes) {
    size_t count = piece->count;
    Step *step = mem_alloc(&m->vm->mem, sizeof *step + count * sizeof *step->nodes + packed_bytes);
    if (!step) return NULL;
    step->next = NULL;
    step->count = (uint32_t)count;
    step->packed_bytes = (uint32_t)packed_bytes;
    step->is_call = piece->call >= 0;
    step->nodes = (uint16_t *)(step + 1);
    step->packed = packed_bytes ? (char *)(step->nodes + count) : NULL;
    memcpy(step->nodes, m->plan->order + piece->from, count * sizeof *step->nodes);
    return step;
}

// Returns a piece's call, with its nodes numbered within the step.
static Call call_of(const Making *m, const Piece *piece) {
    const Plan *plan = m->plan;
    Call call = plan->calls[piece->call];
    call.takes_over = call_takes_over(m, &call, piece->from + piece->count);
    for (int s = 0; s < GEMM_STEPS; s++)
        for (int n = 0; n < piece->count; n++)
            if (plan->calls[piece->call].steps[s] == plan->order[piece->from + n])
                call.steps[s] = (int16_t)n;
    return call;
}

static Status make_step(const Making *m, const Piece *piece, Step **out) {
    Lowering lowering; // contains a whole kernel: too large to zero needlessly
    size_t bytes = 0;
    lowering.making = m;
    if (piece->is_loop) {
        Status st = passes_lower(&lowering, piece);
        if (st != ST_OK) return st;
        bytes = kernel_pack(&lowering, NULL);
    }
    if (piece->call >= 0) bytes = sizeof(Call);
    Step *step = step_new(m, piece, bytes);
    if (!step) return vm_no_memory(m->vm);
    if (piece->is_loop) kernel_pack(&lowering, step->packed);
    if (step->is_call) memcpy(step->packed, (Call[]){call_of(m, piece)}, sizeof(Call));
    *out = step;
    return ST_OK;
}

// --- Recipes -----------------------------------------------------------------------------------

void recipe_free(Vm *vm, Recipe *recipe) {
    if (!recipe) return;
    for (Step *step = recipe->first, *next; step; step = next) {
        next = step->next;
        mem_free(&vm->mem, step,
                 sizeof *step + step->count * sizeof *step->nodes + step->packed_bytes);
    }
    mem_free(&vm->mem, recipe, sizeof *recipe + recipe->length * sizeof *recipe->words);
}

static Recipe *recipe_new(Vm *vm, const PlanKey *key) {
    size_t length = key->hash ? key->length : 0;
    Recipe *recipe = mem_alloc(&vm->mem, sizeof *recipe + length * sizeof *recipe->words);
    if (!recipe) {
        vm_no_memory(vm);
        return NULL;
    }
    *recipe = (Recipe){.hash = key->hash, .length = length, .words = (uint64_t *)(recipe + 1)};
    memcpy(recipe->words, key->words, length * sizeof *recipe->words);
    return recipe;
}

Recipe *recipe_make(Making *m) {
    const Plan *plan = m->plan;
    Recipe *recipe = recipe_new(m->vm, m->key);
    if (!recipe) return NULL;
    Status st = passes_run(m);
    Step **end = &recipe->first;
    for (int n = 0; st == ST_OK && n < plan->node_count; n++)
        if (!plan_is_live(plan, n)) recipe->dead[recipe->dead_count++] = (uint16_t)n;
    for (int p = 0; st == ST_OK && p < plan->piece_count; p++) {
        st = make_step(m, &plan->pieces[p], end);
        if (st == ST_OK) end = &(*end)->next;
    }
    if (st == ST_OK) return recipe;
    recipe_free(m->vm, recipe);
    return NULL;
}

// --- Keeping them ------------------------------------------------------------------------------

Recipe *recipe_find(RecipeCache *cache, const PlanKey *key) {
    Recipe **ways = cache->ways[key->hash >> 1 & (uint64_t)(cache->sets - 1)];
    for (int w = 0; key->hash && w < RECIPE_WAYS; w++)
        if (ways[w] && ways[w]->hash == key->hash && ways[w]->length == key->length &&
            memcmp(ways[w]->words, key->words, key->length * sizeof *key->words) == 0)
            return ways[w];
    return NULL;
}

void recipe_keep(Vm *vm, RecipeCache *cache, Recipe *recipe) {
    uint32_t set = (uint32_t)(recipe->hash >> 1 & (uint64_t)(cache->sets - 1));
    Recipe **way = &cache->ways[set][cache->oldest[set]++ % cache->ways_used];
    recipe_free(vm, *way);
    *way = recipe;
}

void recipes_free(Vm *vm, RecipeCache *cache) {
    for (int i = 0; i < RECIPE_SETS; i++)
        for (int w = 0; w < RECIPE_WAYS; w++) {
            recipe_free(vm, cache->ways[i][w]);
            cache->ways[i][w] = NULL;
        }
}
