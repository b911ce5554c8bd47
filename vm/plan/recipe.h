// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plans that are kept. A recipe says what is done with the nodes of a plan, by their numbers: which are
// dropped, and which become which kernel. It holds for every plan with the same key.

#ifndef NACRE_VM_PLAN_RECIPE_H
#define NACRE_VM_PLAN_RECIPE_H

#include <string.h>

#include "vm/plan/plan.h"

enum { KEY_WORDS = 8192 };

// What a plan does with a storage: how often, and which views it has of it.
typedef struct KeyStorage {
    Storage *storage;
    uint16_t views, first, last; // how many are told apart; the first and the last one, from 1
    bool by_numbers;      // too many of them: their numbers stand in the key
} KeyStorage;

typedef struct KeyView {
    const View *view;
    int64_t low, high; // bytes that it touches, as view_extent gives them; none: high < low
    uint64_t word;   // what the key says of it wherever it is met
    uint16_t before; // the one before of the same storage, from 1; 0: none
    uint8_t index;   // among those of its storage
    bool written;
    bool dense; // it touches every byte from low to high
} KeyView;

enum { KEY_SHAPES = 32 };

typedef struct PlanKey {
    uint64_t hash; // 0: too long to be kept
    size_t length;
    int storage_count, view_count, shape_count, scalar_count;
    KeyStorage storages[VIEWS_MAX];
    KeyView views[VIEWS_MAX];
    const View *shapes[KEY_SHAPES]; // views of different shapes
    bool seen[VIEWS_MAX];           // storages by others than the plan's nodes
    const NodeInput *scalars[VIEWS_MAX];
    uint64_t words[KEY_WORDS];
} PlanKey;

static inline uint64_t hash_mixed(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

// `warns`: float errors do. Storages keep their numbers and counts until plan_key_clear.
void plan_key_make(PlanKey *key, Node *const *nodes, int count, bool warns);
void plan_key_clear(PlanKey *key);

// Nodes that become one kernel, or one call. One node alone may be anything, and then has neither here.
typedef struct Step {
    struct Step *next;
    uint32_t count, packed_bytes;
    uint16_t *nodes; // behind the step, and behind them the kernel
    char *packed;    // NULL: none
    bool is_call;    // what is packed is a Call, with places among the step's nodes
} Step;

static inline bool step_is_loop(const Step *step) {
    return step->packed && !step->is_call;
}


typedef struct Recipe {
    uint64_t hash;
    size_t length;
    uint64_t *words;     // of its key
    int dead_count;
    uint16_t dead[DEPTH_MAX];
    Step *first;
} Recipe;

enum { RECIPE_SETS = 32, RECIPE_WAYS = 4 };

typedef struct RecipeCache {
    int sets, ways_used; // at most, powers of 2
    Recipe *ways[RECIPE_SETS][RECIPE_WAYS];
    uint8_t oldest[RECIPE_SETS];
    PlanKey key;
} RecipeCache;

// recipe.c. Runs the passes over the plan. NULL: an exception is set.
struct Making;
Recipe *recipe_make(struct Making *making);
void recipe_free(Vm *vm, Recipe *recipe);
// Finds the recipe for the key, or NULL; keeps one, taking it over.
Recipe *recipe_find(RecipeCache *cache, const PlanKey *key);
void recipe_keep(Vm *vm, RecipeCache *cache, Recipe *recipe);
void recipes_free(Vm *vm, RecipeCache *cache); // all that are kept

#endif
