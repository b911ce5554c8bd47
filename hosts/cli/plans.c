// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Watches a script and keeps its plans.

#include <stdlib.h>
#include <string.h>

#include "plans.h"

// --- Copies ------------------------------------------------------------------------------------

static bool copy_of(void *to, const void *from, size_t bytes) {
    void **at = to;
    *at = malloc(bytes ? bytes : 1);
    if (*at && bytes) memcpy(*at, from, bytes);
    return *at;
}

static bool own_text(const char **text) {
    return !*text || copy_of(text, *text, strlen(*text) + 1);
}

static bool own_view(NacreView *view) {
    size_t bytes = (size_t)view->ndim * sizeof *view->shape;
    const int64_t *shape = view->shape, *strides = view->strides;
    view->shape = view->strides = NULL;
    return copy_of(&view->shape, shape, bytes) && copy_of(&view->strides, strides, bytes);
}

static void free_view(NacreView *view) {
    free((void *)view->shape);
    free((void *)view->strides);
}

static bool own_node(NacreNode *node) {
    bool done = own_text(&node->file) && own_view(&node->result);
    for (int i = 0; i < node->operand_count; i++)
        done = done && (node->operands[i].is_scalar || own_view(&node->operands[i].view));
    return done;
}

static bool own_storage(NacreStorage *storage) {
    const void *data = storage->data;
    storage->data = NULL;
    return own_text(&storage->name) && (!storage->name || own_view(&storage->array)) &&
           (!data || copy_of(&storage->data, data, storage->bytes));
}

static void free_plan(KeptPlan *plan) {
    for (int i = 0; plan->nodes && i < plan->node_count; i++) {
        NacreNode *node = &plan->nodes[i];
        free((void *)node->file);
        free_view(&node->result);
        for (int j = 0; j < node->operand_count; j++)
            if (!node->operands[j].is_scalar) free_view(&node->operands[j].view);
    }
    for (int i = 0; plan->storages && i < plan->storage_count; i++) {
        free((void *)plan->storages[i].name);
        free((void *)plan->storages[i].data);
        if (plan->storages[i].name) free_view(&plan->storages[i].array);
    }
    for (int i = 0; i < plan->stage_count; i++) free(plan->stages[i].fates);
    free(plan->nodes);
    free(plan->storages);
}

// --- Watching ----------------------------------------------------------------------------------

static KeptPlan *plan_at(Plans *plans, uint64_t number) {
    while (plans->cap <= number) {
        size_t cap = plans->cap ? 2 * plans->cap : 16;
        KeptPlan *more = realloc(plans->plans, cap * sizeof *more);
        if (!more) return NULL;
        memset(more + plans->cap, 0, (cap - plans->cap) * sizeof *more);
        plans->plans = more;
        plans->cap = cap;
    }
    if (plans->count <= number) plans->count = (size_t)number + 1;
    return &plans->plans[number];
}

static bool keep_nodes(const Plans *plans, KeptPlan *kept, const NacrePlan *plan) {
    kept->nodes = calloc((size_t)plan->node_count, sizeof *kept->nodes);
    kept->storages = calloc((size_t)plan->storage_count + 1, sizeof *kept->storages);
    if (!kept->nodes || !kept->storages) return false;
    for (; kept->node_count < plan->node_count; kept->node_count++) {
        NacreNode node = {.struct_size = sizeof node};
        if (nacre_plan_node(plans->vm, kept->node_count, &node) != NACRE_OK || !own_node(&node))
            return false;
        kept->nodes[kept->node_count] = node;
    }
    for (; kept->storage_count < plan->storage_count; kept->storage_count++) {
        NacreStorage storage = {.struct_size = sizeof storage};
        if (nacre_plan_storage(plans->vm, kept->storage_count, &storage) != NACRE_OK) return false;
        if (!own_storage(&storage)) return false;
        kept->storages[kept->storage_count] = storage;
    }
    return true;
}

static bool keep_stage(const Plans *plans, KeptPlan *kept, const NacrePlan *plan) {
    if (kept->stage_count == STAGES_MAX) return true;
    NodeFate *fates = malloc((size_t)plan->node_count * sizeof *fates);
    if (!fates) return false;
    for (int i = 0; i < plan->node_count; i++) {
        NacreNode node = {.struct_size = sizeof node};
        if (nacre_plan_node(plans->vm, i, &node) != NACRE_OK)
            node = (NacreNode){.group = -1, .kernel = -1};
        fates[i] = (NodeFate){node.fate, node.group, node.kernel, node.why_node, node.why, node.routine};
    }
    kept->stages[kept->stage_count++] = (Stage){plan->pass, fates};
    return true;
}

static void on_pass(void *ctx, const NacrePlan *plan) {
    Plans *plans = ctx;
    KeptPlan *kept = plan_at(plans, plan->number);
    bool done = kept && (plan->pass || keep_nodes(plans, kept, plan)) &&
                kept->node_count == plan->node_count && keep_stage(plans, kept, plan);
    plans->failed |= !done;
    if (!kept) return;
    kept->number = plan->number;
    kept->use = plan->use;
}

static void on_run(void *ctx, const NacrePlan *plan) {
    Plans *plans = ctx;
    KeptPlan *kept = plan_at(plans, plan->number);
    if (kept) kept->runs = plan->runs;
    plans->failed |= !kept;
}

bool plans_start(Plans *plans, NacreVm *vm, bool data) {
    NacreWatch watch = {
        .struct_size = sizeof watch, .ctx = plans, .pass = on_pass, .run = on_run, .data = data, .all = 1};
    plans->vm = vm;
    return nacre_watch(vm, &watch) == NACRE_OK;
}

void plans_free(Plans *plans) {
    for (size_t i = 0; i < plans->count; i++) free_plan(&plans->plans[i]);
    free(plans->plans);
    *plans = (Plans){0};
}

const char *stage_name(const Stage *stage) {
    return stage->pass ? stage->pass : "recorded";
}
