// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a plan depends on, as a row of numbers: operations, types, shapes, strides, which storages are
// the same ones, who else can see them. Not on where they are, nor on the numbers that scalars hold.
// Plans with equal keys are the same plan.

#include "vm/sched/recipe.h"

static void put(PlanKey *s, uint64_t word) {
    if (s->length < KEY_WORDS) s->words[s->length] = word;
    s->length++;
}

// Storages are numbered in the order in which they appear. Offsets count from where one is first seen.
static uint32_t number_of(PlanKey *s, const View *view) {
    Storage *storage = view->storage;
    if (!storage->number) {
        s->storages[s->storage_count] = storage;
        s->origins[s->storage_count] = view->offset;
        storage->number = (uint32_t)++s->storage_count;
    }
    storage->counted++;
    return storage->number - 1;
}

static void put_view(PlanKey *s, const View *view) {
    uint32_t number = number_of(s, view);
    put(s, (uint64_t)number << 32 | (uint64_t)view->ndim << 8 | view->dtype);
    put(s, (uint64_t)(view->offset - s->origins[number]));
    for (int d = 0; d < view->ndim; d++) put(s, (uint64_t)view->shape[d]);
    for (int d = 0; d < view->ndim; d++) put(s, (uint64_t)view->strides[d]);
}

// Equal scalars become one parameter, so it matters which ones are equal; and algebra looks at classes.
static void put_scalar(PlanKey *s, OpId op, const NodeInput *input) {
    int i = 0;
    while (i < s->scalar_count && !scalars_equal(s->scalars[i], input)) i++;
    if (i == s->scalar_count) s->scalars[s->scalar_count++] = input;
    put(s, (uint64_t)1 << 63 | (uint64_t)scalar_class(op, input->dtype, input->scalar) << 32 |
               (uint64_t)i << 8 | input->dtype);
}

static void put_node(PlanKey *s, const Node *node) {
    const NodeAttrs *a = &node->attrs;
    put(s, (uint64_t)node->op | (uint64_t)a->combine << 16 | (uint64_t)a->loop << 32 |
               (uint64_t)a->begun << 40 | (uint64_t)a->quiet << 41 | (uint64_t)a->scalar << 42);
    put(s, a->axes);
    for (int i = 0; i < node->input_count; i++) {
        if (node->inputs[i].is_scalar) put_scalar(s, node->op, &node->inputs[i]);
        else put_view(s, &node->inputs[i].view);
    }
    put_view(s, &node->output);
}

static uint64_t mixed(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

// Four rows of words are mixed side by side.
static uint64_t hash_of(const PlanKey *s) {
    uint64_t h[4] = {1, 2, 3, 4};
    size_t i = 0;
    for (; i + 4 <= s->length; i += 4)
        for (int lane = 0; lane < 4; lane++) h[lane] = mixed(h[lane], s->words[i + (size_t)lane]);
    for (; i < s->length; i++) h[0] = mixed(h[0], s->words[i]);
    return mixed(mixed(h[0], h[1]), mixed(h[2], h[3])) | 1;
}

void plan_key_make(PlanKey *s, Node *const *nodes, int count, bool warns) {
    s->length = 0;
    s->storage_count = s->scalar_count = 0;
    put(s, (uint64_t)count << 1 | warns);
    for (int n = 0; n < count; n++) put_node(s, nodes[n]);
    for (int i = 0; i < s->storage_count; i += 64) { // who else sees them
        uint64_t seen = 0;
        for (int j = i; j < s->storage_count && j < i + 64; j++) {
            s->seen[j] = s->storages[j]->refs != s->storages[j]->counted;
            seen |= (uint64_t)s->seen[j] << (j - i);
        }
        put(s, seen);
    }
    s->hash = s->length <= KEY_WORDS ? hash_of(s) : 0;
}

void plan_key_clear(PlanKey *s) {
    for (int i = 0; i < s->storage_count; i++) s->storages[i]->number = s->storages[i]->counted = 0;
}
