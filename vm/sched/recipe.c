// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Making recipes: dead code, fusion, what is stored; and keeping them.

#include "vm/sched/sched.h"

// --- Dead code ---------------------------------------------------------------------------------

static uint32_t number_of(const View *view) {
    return view->storage->number - 1;
}

// Drops the plan's nodes that nobody will know of: none but the plan's nodes can see what they write,
// and none behind reads it. What may fail or warn is computed all the same. `kept`: the others' numbers.
static void drop_dead(Recipe *recipe, Plan *plan, const PlanKey *key, bool warns, uint16_t *kept) {
    bool read[VIEWS_MAX] = {false}, dead[DEPTH_MAX];
    for (int n = plan->node_count - 1; n >= 0; n--) {
        const Node *node = plan->nodes[n];
        uint32_t to = number_of(&node->output);
        dead[n] = !key->seen[to] && !read[to] && !node_can_fail(node) && !(warns && node_can_tell(node));
        for (int i = 0; !dead[n] && i < node->input_count; i++)
            if (!node->inputs[i].is_scalar) read[number_of(&node->inputs[i].view)] = true;
    }
    int count = 0;
    for (int n = 0; n < plan->node_count; n++) {
        if (dead[n]) {
            recipe->dead[recipe->dead_count++] = (uint16_t)n;
            continue;
        }
        kept[count] = (uint16_t)n;
        plan->nodes[count++] = plan->nodes[n];
    }
    plan->node_count = count;
}

// --- Steps -------------------------------------------------------------------------------------

typedef struct Maker {
    Vm *vm;
    const PlanKey *key;
    const Plan *plan;
    const uint16_t *kept;
    int count;
    uint16_t order[DEPTH_MAX]; // the plan's nodes in the order in which they run
    int last[VIEWS_MAX];       // where in that order a storage is used for the last time
    Step **end;                // where the next step goes
} Maker;

static void put_in_order(Maker *m, Plan *plan) {
    m->count = 0;
    for (int g = 0; g < plan->group_count; g++) {
        int at = plan->groups[g].first;
        for (;; at = plan->next[at]) {
            const Node *node = plan->nodes[at];
            for (int i = 0; i < node->input_count; i++)
                if (!node->inputs[i].is_scalar) m->last[number_of(&node->inputs[i].view)] = m->count;
            m->last[number_of(&node->output)] = m->count;
            m->order[m->count++] = (uint16_t)at;
            if (plan->next[at] == at) break;
        }
    }
}

// Whether a storage is wanted behind place `end` of the order.
static bool is_wanted(const Maker *m, uint32_t number, int end) {
    return m->key->seen[number] || m->last[number] >= end;
}

static bool is_stored(const Maker *m, const Node *node, int end) {
    return op_info[node->op].op_class == CLASS_REDUCTION || is_wanted(m, number_of(&node->output), end);
}

// Elements are read just where a new result is written, and nowhere else in the operand.
static bool may_hand_over(const Maker *m, const Kernel *k, int load, int store, int end) {
    const KernAccess *from = &k->loads[load], *to = &k->stores[store].to;
    const Storage *old = from->storage;
    if (old == to->storage || is_wanted(m, old->number - 1, end)) return false;
    if (dtype_size(from->dtype) != dtype_size(to->dtype)) return false;
    for (int d = 0; d < k->ndim; d++)
        if (from->strides[d] != to->strides[d]) return false;
    for (int i = 0; i < k->load_count; i++)
        if (i != load && k->loads[i].storage == old) return false;
    for (int i = 0; i < k->store_count; i++)
        if (k->stores[i].to.storage == old) return false;
    return true;
}

static int find_handovers(const Maker *m, const Kernel *k, int end, Handover found[KERN_STORES]) {
    int count = 0;
    uint64_t taken = 0;
    for (int s = k->reduce != AOP_NONE; s < k->store_count; s++)
        for (int i = 0; i < k->load_count; i++) {
            if (taken >> i & 1 || !may_hand_over(m, k, i, s, end)) continue;
            taken |= (uint64_t)1 << i;
            found[count++] = (Handover){(uint8_t)s, (uint8_t)i};
            break;
        }
    return count;
}

static Step *step_new(const Maker *m, int from, int end, size_t packed_bytes) {
    size_t count = (size_t)(end - from);
    Step *step = mem_alloc(&m->vm->mem, sizeof *step + count * sizeof *step->nodes + packed_bytes);
    if (!step) return NULL;
    step->next = NULL;
    step->count = (uint32_t)count;
    step->packed_bytes = (uint32_t)packed_bytes;
    step->nodes = (uint16_t *)(step + 1);
    step->packed = packed_bytes ? (char *)(step->nodes + count) : NULL;
    for (int n = from; n < end; n++) step->nodes[n - from] = m->kept[m->order[n]];
    return step;
}

static Status add_step(Maker *m, Step *step) {
    if (!step) return vm_no_memory(m->vm);
    *m->end = step;
    m->end = &step->next;
    return ST_OK;
}

static Status add_kernel(Maker *m, int from, int end, bool none_stored) {
    Kernel kernel;
    KernelMaker maker;
    Handover handovers[KERN_STORES];
    Node *nodes[KERN_SITES] = {m->plan->nodes[m->order[from]]};
    for (int n = from + 1; n < end; n++) nodes[n - from] = m->plan->nodes[m->order[n]];
    kernel_begin(&maker, &kernel, nodes[0]);
    for (int n = 0; n < end - from; n++)
        kernel_add(&maker, nodes[n], is_stored(m, nodes[n], end) || (none_stored && n == end - from - 1));
    kernel_finish(&maker);
    kernel_simplify(&kernel);
    const char *problem = kernel_verify(&kernel);
    if (problem)
        return vm_raise(m->vm, EXC_SystemError, "malformed kernel of %s: %s", op_info[nodes[0]->op].name,
                        problem);
    int count = find_handovers(m, &kernel, end, handovers);
    size_t bytes = kernel_pack(&kernel, &maker, nodes, m->key, handovers, count, NULL);
    Step *step = step_new(m, from, end, bytes);
    if (step) kernel_pack(&kernel, &maker, nodes, m->key, handovers, count, step->packed);
    return add_step(m, step);
}

// A group that stores more than a kernel can becomes several kernels.
static Status add_group(Maker *m, int from, int end, bool open) {
    int stores = 0;
    if (!open) return add_step(m, step_new(m, from, end, 0));
    for (int n = from; n < end; n++) stores += is_stored(m, m->plan->nodes[m->order[n]], end);
    if (stores <= KERN_STORES) return add_kernel(m, from, end, stores == 0);
    int middle = (from + end) / 2;
    Status st = add_group(m, from, middle, true);
    return st == ST_OK ? add_group(m, middle, end, true) : st;
}

static Status add_groups(Maker *m, const Plan *plan) {
    Status st = ST_OK;
    for (int g = 0, from = 0; st == ST_OK && g < plan->group_count; g++) {
        const Group *group = &plan->groups[g];
        st = add_group(m, from, from + group->count, group->open);
        from += group->count;
    }
    return st;
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

Recipe *recipe_make(Vm *vm, Plan *plan, const PlanKey *key, bool warns) {
    uint16_t kept[DEPTH_MAX];
    size_t length = key->hash ? key->length : 0;
    Recipe *recipe = mem_alloc(&vm->mem, sizeof *recipe + length * sizeof *recipe->words);
    if (!recipe) {
        vm_no_memory(vm);
        return NULL;
    }
    *recipe = (Recipe){.hash = key->hash, .length = length, .words = (uint64_t *)(recipe + 1)};
    memcpy(recipe->words, key->words, length * sizeof *recipe->words);
    Maker maker = {.vm = vm, .key = key, .plan = plan, .kept = kept, .end = &recipe->first};
    drop_dead(recipe, plan, key, warns, kept);
    plan_groups(plan);
    put_in_order(&maker, plan);
    if (add_groups(&maker, plan) == ST_OK) return recipe;
    recipe_free(vm, recipe);
    return NULL;
}

// --- Keeping them ------------------------------------------------------------------------------

Recipe *recipe_find(RecipeCache *cache, const PlanKey *key) {
    Recipe **ways = cache->ways[key->hash >> 1 & (RECIPE_SETS - 1)];
    for (int w = 0; key->hash && w < RECIPE_WAYS; w++)
        if (ways[w] && ways[w]->hash == key->hash && ways[w]->length == key->length &&
            memcmp(ways[w]->words, key->words, key->length * sizeof *key->words) == 0)
            return ways[w];
    return NULL;
}

void recipe_keep(Vm *vm, RecipeCache *cache, Recipe *recipe) {
    uint32_t set = (uint32_t)(recipe->hash >> 1 & (RECIPE_SETS - 1));
    Recipe **way = &cache->ways[set][cache->oldest[set]++ % RECIPE_WAYS];
    recipe_free(vm, *way);
    *way = recipe;
}

void recipes_free(Vm *vm, RecipeCache *cache) {
    for (int i = 0; i < RECIPE_SETS; i++)
        for (int w = 0; w < RECIPE_WAYS; w++) recipe_free(vm, cache->ways[i][w]);
}
