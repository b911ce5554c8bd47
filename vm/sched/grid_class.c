// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds ranks of a grid whose parts of an access lie alike, so that what is decided for all ranks costs as much as for a
// few. Parts of the level that a cut follows depend on that cut alone, so classes of its parts make classes of ranks.

#include "vm/sched/grid_impl.h"
#include "vm/sched/sched.h"

// Where a part of a level lies, and what is touched there, relative to each other.
typedef struct Alike {
    int64_t own, low, high;
    bool is_empty;
} Alike;

static bool are_alike(Alike a, Alike b) {
    return a.own == b.own && a.low == b.low && a.high == b.high && a.is_empty == b.is_empty;
}

// What an access touches, and over which levels its storage is cut.
typedef struct Described {
    const Grid *grid;
    const GridAccess *access;
    const GridShare *share;
    Space space;
} Described;

static bool is_empty_along(const GridCut *cut, int part) {
    return cut->dim < 0 ? part != cut->only : extent_is_empty(cut->ranges[part]);
}

static Alike alike_of(const Described *of, int level, const GridCut *cut, int part) {
    const GridLevel *along = &of->grid->level[level];
    const Extent own = {along->cuts[part], along->cuts[part + 1]};
    Alike found = {.own = own.high - own.low, .is_empty = cut && is_empty_along(cut, part)};
    if (found.is_empty) return found;
    const Extent e = grid_touched_along(of->grid, of->access, of->share, of->space, part * along->step, level);
    found.low = e.low - own.low;
    found.high = e.high - own.low;
    return found;
}

// Returns the cut that follows a level, or NULL if nothing is cut. *fits: no other cut moves along the level, nor does
// this one along another level.
static const GridCut *cut_along(const Described *of, int level, bool *fits) {
    const GridCut *found = NULL;
    for (int c = 0; c < of->share->count; c++) {
        const GridCut *cut = &of->share->cut[c];
        const int moves = cut->dim < 0 ? -1 : of->access->level[cut->dim], follows = grid_level_of(of->grid, cut);
        if (follows == level) found = cut;
        *fits &= follows >= 0 && (moves < 0 || moves == follows);
    }
    *fits &= found || of->share->count == 0;
    return found;
}

static bool add_digit(const Described *of, int level, RankClasses *classes) {
    const GridLevel *along = &of->grid->level[level];
    Alike kinds[CLASSES_ALONG];
    bool fits = true;
    const GridCut *cut = cut_along(of, level, &fits);
    int count = 0;
    for (int p = 0; fits && p < along->ranks; p++) {
        const Alike own = alike_of(of, level, cut, p);
        int k = 0;
        while (k < count && !are_alike(kinds[k], own)) k++;
        if (k == CLASSES_ALONG) return false;
        if (k == count) {
            kinds[count++] = own;
            classes->digit[classes->digits].part[k] = p;
            classes->digit[classes->digits].times[k] = 0;
        }
        classes->digit[classes->digits].times[k]++;
    }
    classes->digit[classes->digits].step = along->step;
    classes->digit[classes->digits++].count = count;
    classes->count *= count;
    return fits;
}

void grid_classes(const Link *link, const Grid *grid, const GridAccess *access, const GridShare *share, Space space,
                  RankClasses *classes) {
    const Described of = {grid, access, share, space};
    classes->sorted = true;
    classes->count = 1;
    classes->digits = 0;
    for (int l = 0; l < grid->levels && classes->sorted; l++)
        if (grid->level[l].ranks > 1) classes->sorted = add_digit(&of, l, classes);
    if (!classes->sorted) classes->count = link->size;
}

int grid_class(const RankClasses *classes, int i, int64_t *times) {
    int rank = 0;
    *times = 1;
    for (int d = 0; classes->sorted && d < classes->digits; d++) {
        const int k = i % classes->digit[d].count;
        i /= classes->digit[d].count;
        rank += classes->digit[d].part[k] * classes->digit[d].step;
        *times *= classes->digit[d].times[k];
    }
    return classes->sorted ? rank : i;
}
