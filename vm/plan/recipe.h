// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Recipes: cached plans. A recipe says, by node number, which nodes of a plan are dropped and which
// form which kernel. It applies to every plan with the same key.

#ifndef NACRE_VM_PLAN_RECIPE_H
#define NACRE_VM_PLAN_RECIPE_H

#include <string.h>

#include "vm/plan/plan.h"

enum { KEY_WORDS = 8192 };

// A storage in a plan: its views.
typedef struct KeyStorage {
    Storage *storage;
    uint16_t views, first, last; // number of compared views; first and last one, counted from 1
    bool by_numbers;      // too many views to compare: the key holds their numeric positions
} KeyStorage;

typedef struct KeyView {
    const View *view;
    int64_t low, high; // byte range that it touches, as view_extent gives it; empty: high < low
    uint64_t word;   // the word that stands for it in the key
    uint16_t before; // previous view of the storage, counted from 1; 0: none
    uint8_t index;   // index among the views of its storage
    bool written;
    bool dense; // touches every byte from low to high
} KeyView;

enum { KEY_SHAPES = 32 };

typedef struct PlanKey {
    uint64_t hash; // 0: too long to be cached
    size_t length;
    int storage_count, view_count, shape_count, scalar_count;
    KeyStorage storages[VIEWS_MAX];
    KeyView views[VIEWS_MAX];
    const View *shapes[KEY_SHAPES]; // one view of each shape
    bool seen[VIEWS_MAX];           // storages that are visible outside the plan
    const NodeInput *scalars[VIEWS_MAX];
    uint64_t words[KEY_WORDS];
} PlanKey;

static inline uint64_t hash_mixed(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

// Computes the key of nodes. `warns`: float errors are reported. Storages keep their numbers and counts
// until plan_key_clear.
void plan_key_make(PlanKey *key, Node *const *nodes, int count, bool warns);
void plan_key_clear(PlanKey *key);

// Nodes that become one kernel or one call. A single node of any class is packed neither as a loop nor
// as a call.
typedef struct Step {
    struct Step *next;
    uint32_t count, packed_bytes;
    uint16_t *nodes; // allocated after the step, followed by the packed kernel
    char *packed;    // NULL: none
    bool is_call;    // `packed` holds a Call that numbers nodes within the step
} Step;

static inline bool step_is_loop(const Step *step) {
    return step->packed && !step->is_call;
}


typedef struct Recipe {
    uint64_t hash;
    size_t length;
    uint64_t *words;     // the key's words
    int dead_count;
    uint16_t dead[DEPTH_MAX];
    Step *first;
} Recipe;

enum { RECIPE_SETS = 32, RECIPE_WAYS = 4 };

typedef struct RecipeCache {
    int sets, ways_used; // capacities, powers of 2
    Recipe *ways[RECIPE_SETS][RECIPE_WAYS];
    uint8_t oldest[RECIPE_SETS];
    PlanKey key;
} RecipeCache;

// recipe.c. Runs the passes over the plan. NULL: an exception is set.
struct Making;
Recipe *recipe_make(struct Making *making);
void recipe_free(Vm *vm, Recipe *recipe);
// Finds the cached recipe of a key, or NULL. recipe_keep takes over a recipe.
Recipe *recipe_find(RecipeCache *cache, const PlanKey *key);
void recipe_keep(Vm *vm, RecipeCache *cache, Recipe *recipe);
void recipes_free(Vm *vm, RecipeCache *cache); // frees all cached recipes

#endif
