// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Elimination trees of supernodal factors: copied from CHOLMOD, divided among threads, and used to solve.

#include <suitesparse/cholmod.h>

#include "stdlib/suitesparse/guard.h"
#include "stdlib/suitesparse/tree.h"

void tree_drop(Tree *t) {
    if (!t) return;
    void *const arrays[] = {t->columns, t->first_row, t->first_value, t->rows, t->order, t->pieces, t->groups, t->top, t->top_place};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) guard_free(arrays[i]);
    guard_free(t);
}

static int64_t *copy_wide(const void *from, bool wide, int64_t count) {
    int64_t *to = guard_malloc((size_t)count * sizeof *to);
    for (int64_t i = 0; to && i < count; i++) to[i] = at(from, wide, i);
    return to;
}

static int32_t *copy_narrow(const void *from, bool wide, int64_t count) {
    int32_t *to = guard_malloc((size_t)(count + 1) * sizeof *to);
    for (int64_t i = 0; to && i < count; i++) to[i] = (int32_t)at(from, wide, i);
    return to;
}

static int64_t width_at(const Tree *t, int64_t k) {
    return t->columns[k + 1] - t->columns[k];
}
static int64_t height_at(const Tree *t, int64_t k) {
    return t->first_row[k + 1] - t->first_row[k];
}

// --- Dividing the work ---------------------------------------------------------------------------

// work[k]: the elements of the subtree of supernode k, including its own. first[k]: the first supernode of that
// subtree. Supernodes are in postorder, so each subtree is a contiguous range that ends with its root.
typedef struct Subtrees {
    int64_t *work, *first, total;
    int32_t *owner; // of each column
} Subtrees;

static void sum_subtrees(Tree *t, Subtrees *s) {
    for (int64_t k = 0; k < t->supernodes; k++) {
        for (int64_t j = t->columns[k]; j < t->columns[k + 1]; j++) s->owner[j] = (int32_t)k;
        s->work[k] = 0;
        s->first[k] = k;
    }
    for (int64_t k = 0; k < t->supernodes; k++) {
        int64_t below = height_at(t, k) - width_at(t, k), own = width_at(t, k) * height_at(t, k);
        if (below > t->longest) t->longest = below;
        s->work[k] += own;
        s->total += own;
        if (below == 0) continue; // a root
        int64_t parent = s->owner[t->rows[t->first_row[k + 1] - below]];
        s->work[parent] += s->work[k];
        if (s->first[k] < s->first[parent]) s->first[parent] = s->first[k];
    }
}

// Goes through the supernodes from the last to the first. The root of a subtree that is too large goes to the top, and
// its children are examined. Other subtrees are pieces, collected into groups of about equal work. The result depends
// on the factor alone and not on the number of threads, so sums are reproducible.
static void share_out(Tree *t, const Subtrees *s) {
    enum { GROUPS = 16 };
    int64_t most = s->total / GROUPS, filled = most + 1, pieces = 0;
    for (int64_t k = t->supernodes - 1; k >= 0; k--) {
        if (s->work[k] > most && s->first[k] < k) {
            t->top[t->top_count++] = k;
            for (int64_t j = t->columns[k]; j < t->columns[k + 1]; j++) t->top_place[j] = (int32_t)t->top_columns++;
            continue;
        }
        if (filled + s->work[k] > most) {
            t->groups[t->groups_count++] = pieces;
            filled = 0;
        }
        filled += s->work[k];
        t->pieces[pieces++] = (Piece){s->first[k], k + 1};
        k = s->first[k];
    }
    t->groups[t->groups_count] = pieces;
}

static bool make_groups(Tree *t) {
    size_t count = (size_t)t->supernodes + 1;
    Subtrees s = {.work = guard_malloc(count * 8), .first = guard_malloc(count * 8), .owner = guard_malloc((size_t)(t->n + 1) * 4)};
    t->pieces = guard_malloc(count * sizeof *t->pieces);
    t->groups = guard_malloc((count + 1) * sizeof *t->groups);
    t->top = guard_malloc(count * sizeof *t->top);
    t->top_place = guard_malloc((size_t)(t->n + 1) * sizeof *t->top_place);
    bool room = s.work && s.first && s.owner && t->pieces && t->groups && t->top && t->top_place;
    if (room) {
        sum_subtrees(t, &s);
        share_out(t, &s);
    }
    guard_free(s.work);
    guard_free(s.first);
    guard_free(s.owner);
    return room;
}

Tree *tree_make(const void *factor, bool wide) {
    const cholmod_factor *l = factor;
    Tree *t = guard_calloc(1, sizeof *t);
    if (!t) return NULL;
    t->n = (int64_t)l->n;
    t->supernodes = (int64_t)l->nsuper;
    t->columns = copy_wide(l->super, wide, t->supernodes + 1);
    t->first_row = copy_wide(l->pi, wide, t->supernodes + 1);
    t->first_value = copy_wide(l->px, wide, t->supernodes + 1);
    t->rows = copy_narrow(l->s, wide, (int64_t)l->ssize);
    t->order = copy_narrow(l->Perm, wide, t->n);
    t->values = l->x;
    if (t->columns && t->first_row && t->first_value && t->rows && t->order && make_groups(t)) return t;
    tree_drop(t);
    return NULL;
}

// --- Solving ---------------------------------------------------------------------------------------

typedef struct Solving {
    const Tree *tree;
    TreeLoops loops;
    bool many;
    double *y, *tops, *rooms; // right-hand side; the top's sums of all groups; workspaces by worker
} Solving;

static int64_t across(const Solving *s) {
    return s->many ? TREE_COLUMNS : 1;
}

static TreeStep step_of(const Solving *s, int64_t k, int64_t limit, double *top, double *room) {
    const Tree *t = s->tree;
    return (TreeStep){.block = t->values + t->first_value[k], .rows = t->rows + t->first_row[k], .top_place = t->top_place,
                      .height = height_at(t, k), .width = width_at(t, k), .column = t->columns[k], .limit = limit, .y = s->y,
                      .top = top, .room = room};
}

static void forward_group(void *argument, int part, int worker) {
    const Solving *s = argument;
    const Tree *t = s->tree;
    double *top = s->tops + part * t->top_columns * across(s), *room = s->rooms + worker * t->longest * across(s);
    memset(top, 0, (size_t)(t->top_columns * across(s)) * sizeof *top);
    for (int64_t p = t->groups[part]; p < t->groups[part + 1]; p++)
        for (int64_t k = t->pieces[p].first; k < t->pieces[p].end; k++) {
            TreeStep step = step_of(s, k, t->columns[t->pieces[p].end], top, room);
            (s->many ? s->loops.forward_many : s->loops.forward)(&step);
        }
}

static void backward_group(void *argument, int part, int worker) {
    const Solving *s = argument;
    const Tree *t = s->tree;
    double *room = s->rooms + worker * t->longest * across(s);
    for (int64_t p = t->groups[part]; p < t->groups[part + 1]; p++)
        for (int64_t k = t->pieces[p].end - 1; k >= t->pieces[p].first; k--) {
            TreeStep step = step_of(s, k, 0, NULL, room);
            (s->many ? s->loops.backward_many : s->loops.backward)(&step);
        }
}

// Adds what the groups subtracted from the top's columns to y. Then solves the top, forwards and backwards.
static void solve_top(const Solving *s) {
    const Tree *t = s->tree;
    int64_t width = across(s), place = 0;
    for (int64_t i = 0; i < t->top_count; i++)
        for (int64_t j = t->columns[t->top[i]]; j < t->columns[t->top[i] + 1]; j++, place++)
            for (int64_t g = 0; g < t->groups_count; g++)
                for (int64_t c = 0; c < width; c++)
                    s->y[j * width + c] += s->tops[(g * t->top_columns + place) * width + c];
    for (int64_t i = t->top_count - 1; i >= 0; i--) {
        TreeStep step = step_of(s, t->top[i], t->n, NULL, s->rooms);
        (s->many ? s->loops.forward_many : s->loops.forward)(&step);
    }
    for (int64_t i = 0; i < t->top_count; i++) {
        TreeStep step = step_of(s, t->top[i], 0, NULL, s->rooms);
        (s->many ? s->loops.backward_many : s->loops.backward)(&step);
    }
}

static void put_rows(const Solving *s, const double *b, int64_t columns) {
    const Tree *t = s->tree;
    int64_t width = across(s);
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t c = 0; c < width; c++) s->y[i * width + c] = c < columns ? b[t->order[i] + c * t->n] : 0;
}

static void take_rows(const Solving *s, double *x, int64_t columns) {
    const Tree *t = s->tree;
    int64_t width = across(s);
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t c = 0; c < columns; c++) x[t->order[i] + c * t->n] = s->y[i * width + c];
}

bool tree_solve(SparseCall *call, const Tree *t, double *x, const double *b, int64_t columns) {
    const SparseHost *host = call->host;
    Solving s = {.tree = t, .loops = tree_loops(), .many = columns > 2};
    int64_t width = across(&s), worth = t->first_value[t->supernodes] * width;
    s.y = host->scratch(call, (size_t)(t->n * width) * sizeof *s.y);
    s.tops = host->scratch(call, (size_t)(t->groups_count * t->top_columns * width) * sizeof *s.tops);
    s.rooms = host->scratch(call, (size_t)(call->threads * t->longest * width) * sizeof *s.rooms);
    if (!s.y || !s.tops || !s.rooms) return false;
    for (int64_t k = 0; k < columns; k += width) {
        enum { ALONE = 1 << 16 }; // elements up to which one thread is as fast
        int64_t now = columns - k < width ? columns - k : width;
        put_rows(&s, b + k * t->n, now);
        int parts = (int)t->groups_count;
        if (worth > ALONE) host->share(call, forward_group, &s, parts);
        else
            for (int part = 0; part < parts; part++) forward_group(&s, part, 0);
        solve_top(&s);
        if (worth > ALONE) host->share(call, backward_group, &s, parts);
        else
            for (int part = 0; part < parts; part++) backward_group(&s, part, 0);
        take_rows(&s, x + k * t->n, now);
    }
    return true;
}
