// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dependences between accesses of random loop nests, compared with all pairs of their rounds.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/region/depend.h"

enum { NESTS = 4000, NAMES = 4, MOST_ROUNDS = 5 };

typedef struct Found {
    int pairs;
    bool exact[DEPEND_LEVELS];
    int64_t distance[DEPEND_LEVELS];
} Found;

static uint64_t state = 88172645463325252u;

static int below(int n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)n);
}

static DependIndex any_index(const DependNest *nest) {
    DependIndex index = {.known = below(12) > 0, .constant = below(9) - 4};
    for (int l = 0; l < nest->levels; l++) index.steps[l] = below(3) ? 0 : below(7) - 3;
    if (below(3) == 0)
        index.terms[index.term_count++] = (DependTerm){below(NAMES), below(2) ? 1 : -2};
    return index;
}

// Often the same but for a constant, as in stencils.
static DependIndex like(const DependNest *nest, const DependIndex *other) {
    DependIndex index = *other;
    if (below(4) == 0) return any_index(nest);
    if (below(2)) index.constant += below(7) - 3;
    return index;
}

static int64_t value_of(const DependIndex *index, const DependNest *nest, const int64_t *round,
                        const int64_t *names) {
    int64_t value = index->constant;
    for (int l = 0; l < nest->levels; l++) value += index->steps[l] * round[l];
    for (int t = 0; t < index->term_count; t++)
        value += index->terms[t].times * names[index->terms[t].name];
    return value;
}

static bool next_round(const DependNest *nest, int64_t *round) {
    for (int l = nest->levels - 1; l >= 0; l--) {
        if (++round[l] < nest->rounds[l]) return true;
        round[l] = 0;
    }
    return false;
}

static bool touch(const DependNest *nest, const DependAccess *a, const int64_t *i,
                  const DependAccess *b, const int64_t *j, const int64_t *names) {
    for (int d = 0; d < a->ndim; d++)
        if (a->index[d].known && b->index[d].known &&
            value_of(&a->index[d], nest, i, names) != value_of(&b->index[d], nest, j, names))
            return false;
    return true;
}

static void note(const DependNest *nest, const int64_t *i, const int64_t *j, Found *found) {
    for (int l = 0; l < nest->levels; l++) {
        if (!found->pairs) {
            found->exact[l] = true;
            found->distance[l] = j[l] - i[l];
        }
        found->exact[l] &= found->distance[l] == j[l] - i[l];
    }
    found->pairs++;
}

static Found all_pairs(const DependNest *nest, const DependAccess *a, const DependAccess *b,
                       const int64_t *names) {
    Found found = {0};
    int64_t i[DEPEND_LEVELS] = {0}, j[DEPEND_LEVELS];
    for (int l = 0; l < nest->levels; l++)
        if (nest->rounds[l] == 0) return found;
    do {
        memset(j, 0, sizeof j);
        do {
            if (touch(nest, a, i, b, j, names)) note(nest, i, j, &found);
        } while (next_round(nest, j));
    } while (next_round(nest, i));
    return found;
}

// NULL: what is said holds for these pairs.
static const char *contradiction(const DependNest *nest, const Depend *said, const Found *found) {
    if (found->pairs == 0) return NULL;
    if (said->kind == DEPEND_NONE) return "never, but they do";
    for (int l = 0; l < nest->levels; l++) {
        if (!said->exact[l]) continue;
        if (!found->exact[l] || found->distance[l] != said->distance[l])
            return "a distance that is another one";
    }
    bool apart = false;
    for (int l = 0; l < nest->levels; l++) apart |= found->distance[l] != 0 || !found->exact[l];
    if (said->kind == DEPEND_SAME && apart) return "the same round, but there are others";
    if (said->kind == DEPEND_CARRIED && !apart) return "other rounds, but it is the same";
    for (int l = 0; l < nest->levels; l++) {
        bool outer_same = true;
        for (int o = 0; o < l; o++) outer_same &= found->exact[o] && found->distance[o] == 0;
        bool moves = !found->exact[l] || found->distance[l] != 0;
        if (depend_lets_go(nest, said, l) && outer_same && moves) return "a level let go";
    }
    return NULL;
}

// Each dimension has one loop at most, with the same step in both: nothing may stay unknown that
// these pairs tell.
static bool is_plain(const DependNest *nest, const DependAccess *a, const DependAccess *b) {
    for (int d = 0; d < a->ndim; d++) {
        int loops = 0;
        const DependIndex *x = &a->index[d], *y = &b->index[d];
        if (!x->known || !y->known || x->term_count || y->term_count) return false;
        for (int l = 0; l < nest->levels; l++) {
            if (x->steps[l] != y->steps[l]) return false;
            loops += x->steps[l] != 0;
        }
        if (loops > 1) return false;
    }
    return true;
}

static const char *vagueness(const DependNest *nest, const Depend *said, const Found *found) {
    if (found->pairs == 0) return said->kind == DEPEND_NONE ? NULL : "perhaps, but they never do";
    for (int l = 0; l < nest->levels; l++)
        if (found->exact[l] && !said->exact[l]) return "a distance not found";
    return NULL;
}

static int check_nest(int number, int *plain, int *kinds) {
    DependNest nest = {.levels = 1 + below(3)}, hidden;
    DependAccess a = {.ndim = 1 + below(3)}, b = {.ndim = a.ndim};
    int64_t names[NAMES];
    for (int l = 0; l < nest.levels; l++) nest.rounds[l] = 1 + below(MOST_ROUNDS);
    if (below(40) == 0) nest.rounds[0] = 0;
    for (int n = 0; n < NAMES; n++) names[n] = below(7) - 3;
    for (int d = 0; d < a.ndim; d++) {
        a.index[d] = any_index(&nest);
        b.index[d] = like(&nest, &a.index[d]);
    }
    hidden = nest;
    for (int l = 0; l < nest.levels; l++)
        if (below(3) == 0 && nest.rounds[l] > 0) hidden.rounds[l] = -1;
    Found found = all_pairs(&nest, &a, &b, names);
    Depend said = region_depend(&nest, &a, &b), less = region_depend(&hidden, &a, &b);
    const char *wrong = contradiction(&nest, &said, &found);
    if (!wrong) wrong = contradiction(&nest, &less, &found);
    if (!wrong && is_plain(&nest, &a, &b)) {
        (*plain)++;
        wrong = vagueness(&nest, &said, &found);
    }
    kinds[said.kind]++;
    if (wrong) printf("nest %d: %s\n", number, wrong);
    return wrong != NULL;
}

// Numbers near the ends of 64 bits.
static int check_large(void) {
    DependNest nest = {.levels = 2, .rounds = {-1, -1}};
    DependAccess a = {.ndim = 1, .index = {{.known = true, .constant = INT64_MIN}}}, b = a;
    a.index[0].steps[0] = b.index[0].steps[0] = INT64_MAX;
    a.index[0].steps[1] = b.index[0].steps[1] = INT64_MIN;
    b.index[0].constant = INT64_MAX;
    int wrong = region_depend(&nest, &a, &b).kind != DEPEND_UNKNOWN;
    b.index[0].steps[1] = a.index[0].steps[1] = 0;
    wrong += region_depend(&nest, &a, &b).kind != DEPEND_NONE; // 2**64 - 1 by 2**63 - 1
    if (wrong) printf("%d wrong about large numbers\n", wrong);
    return wrong;
}

// a[i + j, i] and a[i + j + 1, i]: the second dimension tells the distance that the first one lacks.
static int check_coupled(void) {
    DependNest nest = {.levels = 2, .rounds = {-1, 9}};
    DependAccess a = {.ndim = 2,
                      .index = {{.known = true, .steps = {1, 1}}, {.known = true, .steps = {1}}}};
    DependAccess b = a;
    b.index[0].constant = 1;
    Depend said = region_depend(&nest, &a, &b);
    bool right = said.kind == DEPEND_CARRIED && said.distance[0] == 0 && said.distance[1] == -1 &&
                 depend_lets_go(&nest, &said, 0) && !depend_lets_go(&nest, &said, 1);
    if (!right) printf("a distance of coupled indexes is not found\n");
    return !right;
}

int main(void) {
    int wrong = check_large() + check_coupled(), plain = 0, kinds[4] = {0};
    for (int n = 0; n < NESTS; n++) wrong += check_nest(n, &plain, kinds);
    printf("%d nests, %d of one loop a dimension; %d never, %d in the same round, %d apart, %d "
           "unknown; %d wrong\n",
           NESTS, plain, kinds[0], kinds[1], kinds[2], kinds[3], wrong);
    for (int k = 0; k < 4; k++) wrong += kinds[k] < NESTS / 100;
    return wrong || plain < NESTS / 20;
}
