// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dependence tests of Goff, Kennedy and Tseng ("Practical Dependence Testing", PLDI 1991), one
// dimension at a time: ZIV for indexes without a loop counter, strong SIV for one loop with equal
// steps in both accesses, and GCD and Banerjee bounds for all others. A distance found in one
// dimension is substituted into the equations of the others until nothing changes.

#include "vm/region/depend.h"

typedef __int128 Wide;

// Larger than any loop's count, and small enough that sums of products fit into a Wide.
#define ROUNDS_MOST ((int64_t)1 << 56)

// An interval of integers; `open` intervals are unbounded.
typedef struct Span {
    Wide low, high;
    bool open; // unbounded
} Span;

static bool is_open(int64_t rounds) {
    return rounds < 0 || rounds > ROUNDS_MOST;
}

static Wide wide_abs(Wide x) {
    return x < 0 ? -x : x;
}

static Wide common_divisor(Wide a, Wide b) {
    a = wide_abs(a);
    b = wide_abs(b);
    while (b) {
        Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void widen(Span *span, Wide step, Wide low, Wide high) {
    span->low += step * (step < 0 ? high : low);
    span->high += step * (step < 0 ? low : high);
}

static bool can_be(const Span *span, Wide divisor, Wide sum) {
    if (divisor == 0) return sum == 0;
    if (sum % divisor != 0) return false;
    return span->open || (sum >= span->low && sum <= span->high);
}

static bool has_same_terms(const DependIndex *a, const DependIndex *b) {
    if (a->term_count != b->term_count) return false;
    for (int t = 0; t < a->term_count; t++)
        if (a->terms[t].name != b->terms[t].name || a->terms[t].times != b->terms[t].times)
            return false;
    return true;
}

static bool has_same_steps(const DependNest *nest, const DependIndex *a, const DependIndex *b) {
    for (int l = 0; l < nest->levels; l++)
        if (a->steps[l] != b->steps[l]) return false;
    return true;
}

// --- Different steps ---------------------------------------------------------------------------

// Tests whether integers i and j exist so that a's steps times i, minus b's steps times j, is
// `sum`.
static bool can_meet(const DependNest *nest, const DependIndex *a, const DependIndex *b) {
    Span span = {0, 0, false};
    Wide divisor = 0, sum = (Wide)b->constant - a->constant;
    for (int l = 0; l < nest->levels; l++) {
        Wide last = is_open(nest->rounds[l]) ? 0 : (Wide)nest->rounds[l] - 1;
        divisor = common_divisor(common_divisor(divisor, a->steps[l]), b->steps[l]);
        span.open |= is_open(nest->rounds[l]) && (a->steps[l] || b->steps[l]);
        widen(&span, a->steps[l], 0, last);
        widen(&span, -(Wide)b->steps[l], 0, last);
    }
    return can_be(&span, divisor, sum);
}

// --- The same steps ----------------------------------------------------------------------------

static bool set_distance(const DependNest *nest, Depend *depend, int level, Wide distance) {
    if (nest->rounds[level] >= 0 && wide_abs(distance) >= nest->rounds[level]) return false;
    if (wide_abs(distance) > ROUNDS_MOST) return false;
    if (depend->exact[level]) return depend->distance[level] == distance;
    depend->exact[level] = true;
    depend->distance[level] = (int64_t)distance;
    return true;
}

// Solves the equation that the sum of steps times distances equals the difference of the constants.
// False: it has no solution.
static bool narrow_distances(const DependNest *nest, const DependIndex *a, const DependIndex *b,
                             Depend *depend) {
    Span span = {0, 0, false};
    Wide divisor = 0, sum = (Wide)a->constant - b->constant;
    int level = -1, left = 0;
    for (int l = 0; l < nest->levels; l++) {
        if (a->steps[l] == 0) continue;
        if (depend->exact[l]) {
            sum -= (Wide)a->steps[l] * depend->distance[l];
            continue;
        }
        Wide most = is_open(nest->rounds[l]) ? 0 : (Wide)nest->rounds[l] - 1;
        divisor = common_divisor(divisor, a->steps[l]);
        span.open |= is_open(nest->rounds[l]);
        widen(&span, a->steps[l], -most, most);
        level = l;
        left++;
    }
    if (!can_be(&span, divisor, sum)) return false;
    return left != 1 || set_distance(nest, depend, level, sum / a->steps[level]);
}

// --- All dimensions ----------------------------------------------------------------------------

static int exact_count(const DependNest *nest, const Depend *depend) {
    int count = 0;
    for (int l = 0; l < nest->levels; l++) count += depend->exact[l];
    return count;
}

// Narrows the distances by each dimension in turn. False: the indexes cannot be equal in all dimensions
// at once, so there is no dependence.
static bool look_at_dimensions(const DependNest *nest, const DependAccess *a, const DependAccess *b,
                               Depend *depend) {
    for (int d = 0; d < a->ndim; d++) {
        const DependIndex *x = &a->index[d], *y = &b->index[d];
        if (!x->known || !y->known || !has_same_terms(x, y)) continue;
        bool meet = has_same_steps(nest, x, y) ? narrow_distances(nest, x, y, depend)
                                               : can_meet(nest, x, y);
        if (!meet) return false;
    }
    return true;
}

static DependKind kind_of(const DependNest *nest, const Depend *depend) {
    bool apart = false;
    if (exact_count(nest, depend) < nest->levels) return DEPEND_UNKNOWN;
    for (int l = 0; l < nest->levels; l++) apart |= depend->distance[l] != 0;
    return apart ? DEPEND_CARRIED : DEPEND_SAME;
}

Depend region_depend(const DependNest *nest, const DependAccess *a, const DependAccess *b) {
    Depend depend = {.kind = DEPEND_NONE};
    for (int l = 0; l < nest->levels; l++) {
        if (nest->rounds[l] == 0) return depend;
        depend.exact[l] = nest->rounds[l] == 1;
    }
    int before;
    do {
        before = exact_count(nest, &depend);
        if (!look_at_dimensions(nest, a, b, &depend)) return depend;
    } while (exact_count(nest, &depend) > before);
    depend.kind = kind_of(nest, &depend);
    return depend;
}

bool depend_lets_go(const DependNest *nest, const Depend *depend, int level) {
    if (depend->kind == DEPEND_NONE || level >= nest->levels) return true;
    for (int l = 0; l < level; l++)
        if (depend->exact[l] && depend->distance[l] != 0) return true; // carried by an outer loop
    return depend->exact[level] && depend->distance[level] == 0;
}
