// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The plan key: everything about a plan that its recipe depends on, as words: operations and types;
// which storages, views and shapes are identical; which views of a written storage overlap; whether
// storages are visible outside. It excludes addresses, exact sizes and scalar values, so a loop
// with growing slices keeps one plan. Equal keys mean the same recipe.

#include <stdlib.h>

#include "vm/plan/recipe.h"

static void put(PlanKey *s, uint64_t word) {
    if (s->length < KEY_WORDS) s->words[s->length] = word;
    s->length++;
}

static void put_numbers(PlanKey *s, const int64_t *numbers, int count) {
    for (int i = 0; i < count; i++) put(s, (uint64_t)numbers[i]);
}

// --- Views -------------------------------------------------------------------------------------

// Up to this many views of a storage are compared pairwise.
enum { RELATED = 63, BY_NUMBERS = RELATED, SHAPE_BY_NUMBERS = KEY_SHAPES };

// Bit fields of a view's word, from the lowest. If AT_MEETS is set, a word with the set of
// overlapping views follows.
enum {
    AT_NUMBER = 0,
    AT_INDEX = 11,
    AT_SHAPE = 17,
    AT_SIZE = 23,
    AT_DTYPE = 25,
    AT_NDIM = 33,
    AT_REPEATS = 40,
    AT_INJECTIVE = 41,
    AT_MEETS = 42
};
_Static_assert(VIEWS_MAX <= 1 << (AT_INDEX - AT_NUMBER) && RELATED < 1 << (AT_SHAPE - AT_INDEX) &&
                   KEY_SHAPES < 1 << (AT_SIZE - AT_SHAPE) &&
                   DT_COUNT <= 1 << (AT_NDIM - AT_DTYPE) && NDIM_MAX < 1 << (AT_REPEATS - AT_NDIM),
               "a view's word is too small");

// Returns the key's entry of a storage. Storages are numbered by first appearance.
static KeyStorage *storage_of(PlanKey *s, Storage *storage) {
    if (!storage->number) {
        s->storages[s->storage_count] = (KeyStorage){.storage = storage};
        storage->number = (uint32_t)++s->storage_count;
    }
    storage->counted++;
    return &s->storages[storage->number - 1];
}

static bool same_shape(const View *a, const View *b) {
    return a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

// Returns the number of a shape. Shapes are numbered by first appearance, up to the capacity.
static uint64_t shape_number(PlanKey *s, const View *view) {
    int64_t first = view->ndim > 0 ? view->shape[0] : 0;
    for (int i = s->shape_count - 1; i >= 0; i--)
        if ((s->shapes[i]->ndim == 0 || s->shapes[i]->shape[0] == first) &&
            same_shape(s->shapes[i], view))
            return (uint64_t)i;
    if (s->shape_count == KEY_SHAPES) return SHAPE_BY_NUMBERS;
    s->shapes[s->shape_count] = view;
    return (uint64_t)s->shape_count++;
}

// Finds the same view among those already recorded of the storage; NULL: none.
static KeyView *known_view(PlanKey *s, const KeyStorage *of, const View *view) {
    for (uint32_t at = of->last; at; at = s->views[at - 1].before) {
        KeyView *known = &s->views[at - 1];
        if (known->view->offset == view->offset && view_same(known->view, view)) return known;
    }
    return NULL;
}

static void find_extent(KeyView *known) {
    if (!view_extent(known->view, &known->low, &known->high)) known->high = known->low - 1;
    known->dense = known->low <= known->high && view_is_contiguous(known->view);
}

// Adds a view. Byte ranges matter only from the second view of a storage on.
static KeyView *new_view(PlanKey *s, KeyStorage *of, const View *view, uint64_t word) {
    KeyView *new = &s->views[s->view_count++];
    *new = (KeyView){.view = view,
                     .word = word | (uint64_t)of->views << AT_INDEX,
                     .before = of->last,
                     .index = (uint8_t)of->views++};
    if (of->views == 2) find_extent(&s->views[of->first - 1]);
    if (of->views > 1) find_extent(new);
    of->last = (uint16_t)s->view_count;
    if (!of->first) of->first = of->last;
    return new;
}

// Returns the views of the storage that overlap `known`, as bits: the written ones, or `all`.
static uint64_t meetings(const PlanKey *s, const KeyStorage *of, const KeyView *known, bool all) {
    uint64_t meets = 0;
    for (uint32_t at = of->last; at; at = s->views[at - 1].before) {
        const KeyView *other = &s->views[at - 1];
        if (other == known || !(all || other->written)) continue;
        if (other->low > known->high || known->low > other->high) continue;
        bool meet = (other->dense && known->dense) || view_meets(other->view, known->view);
        meets |= (uint64_t)meet << other->index;
    }
    return meets;
}

static void put_place(PlanKey *s, const KeyStorage *of, const View *view) {
    int64_t first = s->views[of->first - 1].view->offset;
    put(s, (uint64_t)(view->offset - first));
    put_numbers(s, view->shape, view->ndim);
    put_numbers(s, view->strides, view->ndim);
}

// Writes the positions of a storage's views as numbers: there are too many views to compare.
static void put_places(PlanKey *s, KeyStorage *of) {
    of->by_numbers = true;
    for (uint32_t at = of->last; at; at = s->views[at - 1].before)
        put_place(s, of, s->views[at - 1].view);
}

// Writes a compared view's word, and the overlaps that the key does not have yet.
static void put_known(PlanKey *s, const KeyStorage *of, KeyView *known, bool is_new, bool writes) {
    bool newly_written = writes && !known->written;
    uint64_t meets = is_new || newly_written ? meetings(s, of, known, newly_written) : 0;
    known->written |= writes;
    put(s, known->word |
               (uint64_t)(newly_written && view_is_injective(known->view)) << AT_INJECTIVE |
               (uint64_t)(meets != 0) << AT_MEETS);
    if (meets) put(s, meets);
}

static void put_view(PlanKey *s, const View *view, bool writes) {
    KeyStorage *of = storage_of(s, view->storage);
    KeyView *known = of->by_numbers ? NULL : known_view(s, of, view);
    if (known) {
        put_known(s, of, known, false, writes);
        return;
    }
    uint64_t shape = shape_number(s, view);
    uint64_t word = (uint64_t)(of - s->storages) << AT_NUMBER | shape << AT_SHAPE |
                    (uint64_t)view_size_class(view) << AT_SIZE | (uint64_t)view->dtype << AT_DTYPE |
                    (uint64_t)view->ndim << AT_NDIM | (uint64_t)view_repeats(view) << AT_REPEATS;
    if (!of->by_numbers && of->views < RELATED) {
        put_known(s, of, new_view(s, of, view, word), true, writes);
        if (shape == SHAPE_BY_NUMBERS) put_numbers(s, view->shape, view->ndim);
        return;
    }
    put(s, word | (uint64_t)BY_NUMBERS << AT_INDEX |
               (uint64_t)(writes && view_is_injective(view)) << AT_INJECTIVE);
    if (!of->by_numbers) put_places(s, of);
    put_place(s, of, view);
}

// Writes the rank of each dimension by magnitude of stride, eight to a word.
static void put_order(PlanKey *s, const View *view) {
    uint64_t word = 0;
    for (int d = 0; d < view->ndim; d++) {
        uint64_t smaller = 0;
        for (int e = 0; e < view->ndim; e++)
            smaller += llabs(view->strides[e]) < llabs(view->strides[d]);
        word = word << 8 | smaller;
        if (d % 8 == 7 || d == view->ndim - 1) put(s, word);
    }
}

// --- Nodes -------------------------------------------------------------------------------------

// Writes a scalar's number among the distinct ones, since equal scalars become one parameter, and the
// class that algebra uses.
static void put_scalar(PlanKey *s, OpId op, const NodeInput *input) {
    int i = 0;
    while (i < s->scalar_count && !scalars_equal(s->scalars[i], input)) i++;
    if (i == s->scalar_count) s->scalars[s->scalar_count++] = input;
    put(s, (uint64_t)1 << 63 | (uint64_t)scalar_class(op, input->dtype, input->scalar) << 32 |
               (uint64_t)i << 8 | input->dtype);
}

// Writes a product's depth, rounded up to a power of two: whether a large product becomes a library
// call depends on it. Decisions about other sizes are made at run time.
static void put_depth(PlanKey *s, const Node *product) {
    const View *a = &product->inputs[0].view;
    int64_t depth = product->inputs[0].is_scalar || a->ndim == 0 ? 0 : a->shape[a->ndim - 1];
    put(s, depth > 1 ? 64 - (uint64_t)__builtin_clzll((uint64_t)depth - 1) : 0);
}

static void put_node(PlanKey *s, const Node *node) {
    const NodeAttrs *a = &node->attrs;
    put(s, (uint64_t)node->op | (uint64_t)a->spared << 15 | (uint64_t)a->combine << 16 | (uint64_t)a->loop << 32 |
               (uint64_t)a->begun << 40 | (uint64_t)a->quiet << 41 | (uint64_t)a->scalar << 42 |
               (uint64_t)a->right << 43 | (uint64_t)node->hints << 44);
    put(s, a->axes);
    if (node->op == AOP_HOST) put(s, (uint64_t)(uintptr_t)a->host);
    for (int i = 0; i < node->input_count; i++) {
        if (node->inputs[i].is_scalar)
            put_scalar(s, node->op, &node->inputs[i]);
        else
            put_view(s, &node->inputs[i].view, false);
    }
    put_view(s, &node->output, true);
    if (node->op == AOP_MATMUL && view_size_class(&node->output) == SIZE_MANY) put_depth(s, node);
    bool reduces = op_info[node->op].op_class == CLASS_REDUCTION;
    if (reduces && node->inputs[0].view.ndim > 1) put_order(s, &node->inputs[0].view);
}

// --- The key -----------------------------------------------------------------------------------

// Hashes the words as four independent streams, for instruction-level parallelism. Never returns 0.
static uint64_t hash_of(const PlanKey *s) {
    uint64_t h[4] = {1, 2, 3, 4};
    size_t i = 0;
    for (; i + 4 <= s->length; i += 4)
        for (int lane = 0; lane < 4; lane++) h[lane] = hash_mixed(h[lane], s->words[i + (size_t)lane]);
    for (; i < s->length; i++) h[0] = hash_mixed(h[0], s->words[i]);
    return hash_mixed(hash_mixed(h[0], h[1]), hash_mixed(h[2], h[3])) | 1;
}

void plan_key_make(PlanKey *s, Node *const *nodes, int count, bool warns) {
    s->length = 0;
    s->storage_count = s->view_count = s->shape_count = s->scalar_count = 0;
    put(s, (uint64_t)count << 1 | warns);
    for (int n = 0; n < count; n++) put_node(s, nodes[n]);
    for (int i = 0; i < s->storage_count; i += 64) { // which storages are visible outside
        uint64_t seen = 0;
        for (int j = i; j < s->storage_count && j < i + 64; j++) {
            const Storage *storage = s->storages[j].storage;
            s->seen[j] = storage->refs != storage->counted;
            seen |= (uint64_t)s->seen[j] << (j - i);
        }
        put(s, seen);
    }
    s->hash = s->length <= KEY_WORDS ? hash_of(s) : 0;
}

void plan_key_clear(PlanKey *s) {
    for (int i = 0; i < s->storage_count; i++)
        s->storages[i].storage->number = s->storages[i].storage->counted = 0;
}
