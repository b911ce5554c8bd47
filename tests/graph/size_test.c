// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Size expressions: sums and multiples, equal ones being one, values, and what does not fit.

#include <stdio.h>

#include "vm/graph/size.h"

#define CHECK(condition)                                                       \
    ((condition) ? (void)0                                                     \
                 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))
static int failures;

enum { SYMBOLS = 6 };

typedef struct Fixture {
    Mem mem;
    SizeTable table;
    SizeId symbols[SYMBOLS], zero, three;
} Fixture;

static void setup(Fixture *f) {
    mem_init(&f->mem, NULL, NULL, false, 0);
    size_table_init(&f->table, &f->mem);
    for (int i = 0; i < SYMBOLS; i++) CHECK(size_symbol(&f->table, 10 + i, &f->symbols[i]));
    CHECK(size_constant(&f->table, 0, &f->zero) && size_constant(&f->table, 3, &f->three));
}

static void teardown(Fixture *f) {
    size_table_free(&f->table);
    CHECK(f->mem.in_use == 0);
    mem_destroy(&f->mem);
}

static SizeId sum(Fixture *f, SizeId a, SizeId b) {
    SizeId out = f->zero;
    CHECK(size_add(&f->table, a, b, &out));
    CHECK(size_value(&f->table, out) == size_value(&f->table, a) + size_value(&f->table, b));
    return out;
}

static SizeId times(Fixture *f, SizeId a, int64_t factor) {
    SizeId out = f->three;
    CHECK(size_scale(&f->table, a, factor, &out));
    CHECK(size_value(&f->table, out) == factor * size_value(&f->table, a));
    return out;
}

static void test_one_of_each(Fixture *f) {
    SizeId x = f->symbols[0], y = f->symbols[1], again;
    CHECK(x != y && size_value(&f->table, x) == 10 && size_value(&f->table, y) == 11);
    CHECK(size_constant(&f->table, 3, &again) && again == f->three);
    CHECK(size_value(&f->table, f->three) == 3 && f->zero != f->three);
    CHECK(sum(f, x, y) == sum(f, y, x) && sum(f, x, f->zero) == x);
    CHECK(sum(f, sum(f, x, f->three), y) == sum(f, x, sum(f, y, f->three)));
    CHECK(times(f, x, 1) == x && times(f, x, 0) == f->zero && times(f, f->three, 0) == f->zero);
    CHECK(sum(f, x, x) == times(f, x, 2) && sum(f, times(f, x, 3), times(f, x, -3)) == f->zero);
    CHECK(times(f, sum(f, x, f->three), 4) == sum(f, times(f, x, 4), times(f, f->three, 4)));
    CHECK(sum(f, sum(f, x, y), times(f, x, -1)) == y && sum(f, x, y) != sum(f, x, x));
}

static void test_many(Fixture *f) {
    SizeId ids[200];
    for (int i = 0; i < 200; i++) {
        ids[i] = sum(f, times(f, f->symbols[i % 3], i), f->three);
        CHECK(size_value(&f->table, ids[i]) == (10 + i % 3) * i + 3);
    }
    for (int i = 1; i < 200; i++) {
        CHECK(ids[i] == sum(f, f->three, times(f, f->symbols[i % 3], i)));
        for (int k = 0; k < i; k++) CHECK(ids[i] != ids[k]);
    }
}

static void test_limits(Fixture *f) {
    SizeId all = f->zero, out, large;
    for (int i = 0; i < SIZE_TERMS; i++) all = sum(f, all, f->symbols[i]);
    CHECK(size_value(&f->table, all) == 10 + 11 + 12 + 13);
    CHECK(!size_add(&f->table, all, f->symbols[SIZE_TERMS], &out));
    CHECK(!size_add(&f->table, f->symbols[SIZE_TERMS], all, &out));
    CHECK(sum(f, sum(f, all, times(f, f->symbols[0], -1)), f->symbols[SIZE_TERMS]) != all);
    CHECK(size_constant(&f->table, INT64_MAX, &large));
    CHECK(!size_add(&f->table, large, f->three, &out) && !size_scale(&f->table, large, 2, &out));
    CHECK(sum(f, large, f->zero) == large && times(f, large, 1) == large);
    SizeId much = 0;
    CHECK(size_scale(&f->table, f->symbols[0], INT64_MAX / 10, &much));
    CHECK(!size_scale(&f->table, much, 100, &out));
    CHECK(size_scale(&f->table, f->symbols[0], INT64_MAX, &much));
    CHECK(!size_add(&f->table, much, f->symbols[0], &out));
}

static void *refuse(void *ctx, void *block, size_t old_size, size_t new_size) {
    (void)ctx;
    (void)block;
    (void)old_size;
    (void)new_size;
    return NULL;
}

static void test_no_memory(void) {
    Mem mem;
    SizeTable table;
    SizeId out;
    mem_init(&mem, refuse, NULL, true, 0);
    size_table_init(&table, &mem);
    CHECK(!size_constant(&table, 5, &out) && !size_symbol(&table, 5, &out));
    size_table_free(&table);
    mem_destroy(&mem);
}

int main(void) {
    static void (*const tests[])(Fixture *) = {test_one_of_each, test_many, test_limits};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        Fixture f;
        setup(&f);
        tests[i](&f);
        teardown(&f);
    }
    test_no_memory();
    return failures != 0;
}
