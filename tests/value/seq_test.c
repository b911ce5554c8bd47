// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Tuples, lists, ranges, slices and iterators: against CPython's answers; sorting against a model;
// containers that hold themselves.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "literal.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static const Case rows[] = {
#define CASE(self, method, args, expect) {self, method, args, expect},
#include "seq_cases.def"
};

// --- Sorting -----------------------------------------------------------------------------------

typedef enum Pattern { RANDOM, SORTED, FALLING, SAW, FEW, NEARLY, PATTERNS } Pattern;

static int64_t pattern_key(Pattern pattern, int i, int len, uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    int64_t noise = *seed >> 8;
    switch (pattern) {
    case SORTED: return i;
    case FALLING: return -i;
    case SAW: return i % 37;
    case FEW: return noise % 5;
    case NEARLY: return i % 50 ? i : len - i;
    default: return noise % (4 * len) - len;
    }
}

// How a key is stored, so that each way of comparing is met.
typedef enum Form { AS_INT, AS_FLOAT, AS_STR, AS_TUPLE, AS_MIXED, FORMS } Form;

static Value formed(Vm *vm, Form form, int64_t key) {
    char text[40];
    Value v, out = V_UNDEF;
    switch (form) {
    case AS_FLOAT: return v_float((double)key / 4);
    case AS_STR:
        snprintf(text, sizeof text, "common prefix %08lld", (long long)key + 1000000);
        return v_obj(str_text(vm, text));
    case AS_TUPLE:
        v = v_int(key);
        tuple_of(vm, &v, 1, &out);
        return out;
    case AS_MIXED: return key % 2 ? v_int(key) : v_float((double)key);
    default: return v_int(key);
    }
}

// The items are their original positions, so that stability shows.
static int check_sorted(const int64_t *keys, const Value *items, int len, bool reverse) {
    int failures = 0;
    for (int i = 1; i < len; i++) {
        int64_t a = keys[items[i - 1].i], b = keys[items[i].i];
        if (a == b ? items[i - 1].i > items[i].i : reverse ? a < b : a > b) failures++;
    }
    return failures;
}

static int test_sort_one(Vm *vm, Pattern pattern, Form form, int len, bool reverse) {
    int64_t *plain = calloc((size_t)len + 1, sizeof *plain);
    Value *keys = calloc((size_t)len + 1, sizeof *keys);
    Value *items = calloc((size_t)len + 1, sizeof *items);
    uint32_t seed = (uint32_t)len;
    for (int i = 0; i < len; i++) {
        plain[i] = pattern_key(pattern, i, len, &seed);
        keys[i] = formed(vm, form, plain[i]);
        items[i] = v_int(i);
    }
    int failures = 0;
    CHECK(&failures, seq_sort(vm, items, keys, (size_t)len, reverse) == ST_OK);
    CHECK(&failures, check_sorted(plain, items, len, reverse) == 0);
    for (int i = 1; i < len; i++) { // the keys went along
        bool below;
        Status st = op_lt(vm, keys[reverse ? i - 1 : i], keys[reverse ? i : i - 1], &below);
        CHECK(&failures, st == ST_OK && !below);
    }
    for (int i = 0; i < len; i++) release(vm, keys[i]);
    free(plain);
    free(keys);
    free(items);
    return failures;
}

static int test_sort(Vm *vm) {
    static const int lengths[] = {0, 1, 2, 3, 23, 24, 25, 60, 100, 1000, 3001};
    int failures = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int pattern = 0; pattern < PATTERNS; pattern++)
            for (int form = 0; form < FORMS; form++)
                for (int reverse = 0; reverse < 2; reverse++)
                    failures += test_sort_one(vm, (Pattern)pattern, (Form)form, lengths[i],
                                              reverse);
    return failures;
}

// A sort that fails leaves the items as they were.
static int test_sort_error(Vm *vm) {
    int failures = 0;
    Value v = literal(vm, "[3, 2, 1, 'a', 0]"), text = V_UNDEF;
    CHECK(&failures, seq_sort(vm, v.list->items, NULL, v.list->len, false) == ST_ERROR);
    vm_clear_error(vm);
    CHECK(&failures, op_repr_value(vm, v, &text) == ST_OK);
    CHECK(&failures, str_is(text.str, "[3, 2, 1, 'a', 0]"));
    release(vm, text);
    release(vm, v);
    return failures;
}

// --- Containers in themselves, deep ones -------------------------------------------------------

static int test_cycles(Vm *vm) {
    int failures = 0;
    Value list = literal(vm, "[1]"), tuple = V_UNDEF, text = V_UNDEF;
    list_append(vm, list.list, retain(list));
    tuple_of(vm, &list, 1, &tuple);
    list_append(vm, list.list, retain(tuple));
    CHECK(&failures, op_repr_value(vm, tuple, &text) == ST_OK);
    CHECK(&failures, str_is(text.str, "([1, [...], (...)],)"));
    release(vm, text);
    CHECK(&failures, op_repr_value(vm, list, &text) == ST_OK); // no flag stays behind
    CHECK(&failures, str_is(text.str, "[1, [...], ([...],)]"));
    release(vm, text);
    release(vm, list);
    release(vm, tuple);
    CHECK(&failures, gc_collect(vm) == 2);
    return failures;
}

static int test_deep(Vm *vm) {
    enum { DEPTH = 100000 };
    int failures = 0;
    Value a = literal(vm, "[]"), b = literal(vm, "[]"), text;
    for (int i = 0; i < DEPTH; i++) {
        list_steal(vm, &a, 1, &a);
        list_steal(vm, &b, 1, &b);
    }
    bool same;
    CHECK(&failures, op_eq(vm, a, b, &same) == ST_ERROR && vm_error_is(vm, EXC_RecursionError));
    vm_clear_error(vm);
    CHECK(&failures,
          op_repr_value(vm, a, &text) == ST_ERROR && vm_error_is(vm, EXC_RecursionError));
    vm_clear_error(vm);
    release(vm, a);
    release(vm, b);
    return failures;
}

// An iterator sees what its list becomes, and stays at its end.
static int test_list_iterator(Vm *vm) {
    int failures = 0;
    Value list = literal(vm, "[1, 2]"), it, item = V_UNDEF;
    CHECK(&failures, op_iter(vm, list, &it) == ST_OK);
    CHECK(&failures, op_next(vm, it, &item) == ST_OK && item.i == 1);
    list_append(vm, list.list, v_int(3));
    CHECK(&failures, op_next(vm, it, &item) == ST_OK && item.i == 2);
    CHECK(&failures, op_next(vm, it, &item) == ST_OK && item.i == 3);
    CHECK(&failures, op_next(vm, it, &item) == ST_STOP);
    list_append(vm, list.list, v_int(4));
    CHECK(&failures, op_next(vm, it, &item) == ST_STOP);
    release(vm, it);
    release(vm, list);
    return failures;
}

// l.extend(l), l[:] = l, l += l.
static int test_own_items(Vm *vm) {
    int failures = 0;
    Value list = literal(vm, "[1, 'a']"), whole = literal(vm, "slice(1, 1, None)"), text = V_UNDEF;
    CHECK(&failures, list_extend(vm, list.list, list) == ST_OK && list.list->len == 4);
    CHECK(&failures, op_setitem(vm, list, whole, list) == ST_OK);
    CHECK(&failures, op_repr_value(vm, list, &text) == ST_OK);
    CHECK(&failures, str_is(text.str, "[1, 1, 'a', 1, 'a', 'a', 1, 'a']"));
    release(vm, text);
    release(vm, whole);
    release(vm, list);
    return failures;
}

int main(void) {
    TestVm test;
    int failures = cases_run(rows, sizeof rows / sizeof *rows);
    if (!test_vm_init(&test)) return 1;
    failures += test_sort(&test.vm);
    failures += test_sort_error(&test.vm);
    failures += test_cycles(&test.vm);
    failures += test_deep(&test.vm);
    failures += test_list_iterator(&test.vm);
    failures += test_own_items(&test.vm);
    failures += test_vm_free(&test);
    return failures != 0;
}
