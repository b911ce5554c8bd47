// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Whether views have bytes in common, beside counting every byte of both. view_meets may say so where
// it is not sure, but never the opposite; of boxes of one array, with whatever steps, it is sure.

#include <stdio.h>
#include <string.h>

#include "vm/graph/storage.h"

enum { BYTES = 4096, ROUNDS = 200000 };

static int failures;
static uint64_t state = 20261122;

static int throw_die(int sides) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)sides);
}

static void mark(const View *view, char *bytes) {
    int64_t index[NDIM_MAX] = {0};
    for (;;) {
        int64_t at = view->offset;
        for (int d = 0; d < view->ndim; d++) at += index[d] * view->strides[d];
        memset(bytes + at, 1, dtype_size(view->dtype));
        int d = view->ndim - 1;
        for (; d >= 0 && ++index[d] == view->shape[d]; d--) index[d] = 0;
        if (d < 0) return;
    }
}

static bool really_meet(const View *a, const View *b) {
    static char in_a[BYTES], in_b[BYTES];
    memset(in_a, 0, sizeof in_a);
    memset(in_b, 0, sizeof in_b);
    mark(a, in_a);
    mark(b, in_b);
    for (int i = 0; i < BYTES; i++)
        if (in_a[i] && in_b[i]) return true;
    return false;
}

static bool really_injective(const View *view) {
    static int count[BYTES];
    int64_t index[NDIM_MAX] = {0};
    memset(count, 0, sizeof count);
    for (;;) {
        int64_t at = view->offset;
        for (int d = 0; d < view->ndim; d++) at += index[d] * view->strides[d];
        for (size_t i = 0; i < dtype_size(view->dtype); i++)
            if (count[at + (int64_t)i]++) return false;
        int d = view->ndim - 1;
        for (; d >= 0 && ++index[d] == view->shape[d]; d--) index[d] = 0;
        if (d < 0) return true;
    }
}

// A part of an array: of each axis a range by steps, forwards or backwards, or one index (which takes
// the axis away); then perhaps the real or the imaginary halves, perhaps transposed.
static void part_of(const View *whole, View *part, bool halves) {
    *part = *whole;
    part->ndim = 0;
    for (int d = 0; d < whole->ndim; d++) {
        int64_t extent = whole->shape[d], stride = whole->strides[d];
        int first = throw_die((int)extent), last = first + throw_die((int)extent - first);
        int step = 1 + throw_die(3);
        int64_t count = (last - first) / step + 1;
        part->offset += first * stride;
        if (throw_die(4) == 0) continue;
        bool backwards = throw_die(4) == 0;
        if (backwards) part->offset += (count - 1) * step * stride;
        part->shape[part->ndim] = count;
        part->strides[part->ndim++] = backwards ? -step * stride : step * stride;
    }
    if (halves) {
        part->dtype = DT_FLOAT64;
        part->offset += 8 * throw_die(2);
    }
    if (part->ndim > 1 && throw_die(3) == 0) {
        int64_t t = part->shape[0];
        part->shape[0] = part->shape[1];
        part->shape[1] = t;
        t = part->strides[0];
        part->strides[0] = part->strides[1];
        part->strides[1] = t;
    }
}

static void show(const View *view) {
    printf("  offset %d", (int)view->offset);
    for (int d = 0; d < view->ndim; d++)
        printf(", %d by %d", (int)view->shape[d], (int)view->strides[d]);
    printf("\n");
}

static void wrong(const char *what, const View *a, const View *b) {
    if (failures++ > 5) return;
    printf("%s\n", what);
    show(a);
    show(b);
}

static void parts_of_one_array(Storage *storage) {
    int sure = 0, apart = 0;
    for (int i = 0; i < ROUNDS; i++) {
        bool is_complex = throw_die(5) == 0;
        View whole = {.storage = storage, .dtype = is_complex ? DT_COMPLEX128 : DT_FLOAT64,
                      .ndim = 1 + throw_die(3)}, a, b;
        for (int d = 0; d < whole.ndim; d++) whole.shape[d] = 1 + throw_die(6);
        view_fill_strides(&whole);
        part_of(&whole, &a, is_complex && throw_die(2));
        part_of(&whole, &b, is_complex && throw_die(2));
        bool said = view_meets(&a, &b), truth = really_meet(&a, &b);
        if (!said && truth) wrong("apart, it says", &a, &b);
        if (view_is_injective(&a) && !really_injective(&a)) wrong("injective, it says", &a, &a);
        apart += !truth;
        sure += !truth && !said;
    }
    // Steps of both that do not go into one another cannot be told apart by a grid.
    if (sure < apart * 9 / 10) {
        printf("only %d of %d pairs were told apart\n", sure, apart);
        failures++;
    }
}

// Any strides at all: never wrong.
static void arbitrary_views(Storage *storage) {
    for (int i = 0; i < ROUNDS; i++) {
        View views[2];
        for (int v = 0; v < 2; v++) {
            views[v] = (View){.storage = storage, .dtype = throw_die(2) ? DT_INT32 : DT_FLOAT64,
                              .ndim = throw_die(4), .offset = 1500 + throw_die(64)};
            for (int d = 0; d < views[v].ndim; d++) {
                views[v].shape[d] = 1 + throw_die(5);
                views[v].strides[d] = throw_die(4) ? 4 * (throw_die(41) - 20) : throw_die(160) - 80;
            }
        }
        bool said = view_meets(&views[0], &views[1]);
        if (!said && really_meet(&views[0], &views[1])) wrong("apart, it says", &views[0], &views[1]);
        if (view_is_injective(&views[0]) && !really_injective(&views[0]))
            wrong("injective, it says", &views[0], &views[0]);
    }
}

static void well_known_ones(Storage *storage) {
    const struct {
        View a, b;
        bool meet;
    } rows[] = {
        {{.offset = 0, .ndim = 1, .shape = {9}, .strides = {16}},
         {.offset = 8, .ndim = 1, .shape = {9}, .strides = {16}}, false},    // x[0::2], x[1::2]
        {{.offset = 88, .ndim = 2, .shape = {8, 8}, .strides = {80, 8}},
         {.offset = 0, .ndim = 1, .shape = {10}, .strides = {8}}, false},    // u[1:-1, 1:-1], u[0]
        {{.offset = 88, .ndim = 2, .shape = {8, 8}, .strides = {80, 8}},
         {.offset = 72, .ndim = 1, .shape = {10}, .strides = {80}}, false},  // u[1:-1, 1:-1], u[:, -1]
        {{.offset = 88, .ndim = 2, .shape = {8, 8}, .strides = {80, 8}},
         {.offset = 80, .ndim = 2, .shape = {8, 8}, .strides = {80, 8}}, true}, // a stencil's
        {{.offset = 0, .ndim = 2, .shape = {4, 4}, .strides = {160, 16}},
         {.offset = 8, .ndim = 2, .shape = {4, 4}, .strides = {160, 16}}, false}, // red and black
        {{.offset = 0, .ndim = 1, .shape = {5}, .strides = {8}},
         {.offset = 32, .ndim = 1, .shape = {5}, .strides = {-8}}, true},    // x, x[::-1]
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        View a = rows[i].a, b = rows[i].b;
        a.storage = b.storage = storage;
        a.dtype = b.dtype = DT_FLOAT64;
        if (view_meets(&a, &b) != rows[i].meet || really_meet(&a, &b) != rows[i].meet)
            wrong("a row of the table", &a, &b);
    }
}

int main(void) {
    static Storage storage;
    well_known_ones(&storage);
    parts_of_one_array(&storage);
    arbitrary_views(&storage);
    if (failures) printf("%d failures\n", failures);
    return failures > 0;
}
