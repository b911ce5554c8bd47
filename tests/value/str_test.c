// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text values: operators and methods against CPython's answers; appending, interning, UTF-8.

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "vm/value/dict.h"
#include "vm/value/str.h"

static const Case rows[] = {
#define CASE(self, method, args, expect) {self, method, args, expect},
#include "str_cases.def"
};

// Appending one character at a time moves the text rarely, and shares nothing it should not.
static int test_append(Vm *vm) {
    enum { LENGTH = 20000 };
    int failures = 0;
    Str *s = str_text(vm, "ab"), *piece = str_text(vm, "x"), *wide = str_text(vm, "\xC3\xA9");
    size_t asked = vm->mem.requests;
    int64_t first = str_hash(s);
    for (int i = 0; i < LENGTH; i++) s = str_append(vm, s, piece);
    CHECK(&failures, s->len == LENGTH + 2 && s->chars == LENGTH + 2);
    CHECK(&failures, s->data[LENGTH + 1] == 'x' && s->data[LENGTH + 2] == '\0');
    CHECK(&failures, vm->mem.requests - asked < 200);
    CHECK(&failures, str_is_ascii(s) && str_hash(s) != first);
    s = str_append(vm, s, wide);
    CHECK(&failures, !str_is_ascii(s) && s->chars == LENGTH + 3 && s->len == LENGTH + 4);
    s->obj.refs++;
    Str *other = str_append(vm, s, piece); // shared: a copy is made
    CHECK(&failures, other != s && s->chars == LENGTH + 3 && other->chars == LENGTH + 4);
    other = str_append(vm, other, other);
    CHECK(&failures, other && other->chars == 2 * (LENGTH + 4));
    release_obj(vm, s);
    release_obj(vm, other);
    release_obj(vm, piece);
    release_obj(vm, wide);
    return failures;
}

static int test_intern(Vm *vm) {
    enum { NAMES = 5000 };
    static Str *names[NAMES];
    int failures = 0;
    uint32_t before = vm->interned_count;
    char text[32];
    for (int i = 0; i < NAMES; i++) {
        int len = snprintf(text, sizeof text, "name%d", i);
        names[i] = str_intern(vm, text, (size_t)len);
    }
    CHECK(&failures, vm->interned_count == before + NAMES);
    for (int i = 0; i < NAMES; i += 2) release_obj(vm, names[i]);
    for (int i = 1; i < NAMES; i += 2) { // the others are still found
        Str *again = str_intern(vm, names[i]->data, names[i]->len);
        CHECK(&failures, again == names[i]);
        release_obj(vm, again);
        release_obj(vm, names[i]);
    }
    CHECK(&failures, vm->interned_count == before);
    return failures;
}

static int test_equality(Vm *vm) {
    int failures = 0;
    Str *a = str_text(vm, "equal text"), *b = str_text(vm, "equal text");
    Str *c = str_text(vm, "equal_text"), *d = str_intern_str(vm, a);
    CHECK(&failures, a != b && str_equal(a, b) && str_hash(a) == str_hash(b));
    CHECK(&failures, !str_equal(a, c) && str_hash(a) != str_hash(c));
    CHECK(&failures, str_equal(a, d) && str_is(a, "equal text") && !str_is(a, "equal"));
    CHECK(&failures, str_cmp(a, b) == 0 && str_cmp(a, c) < 0);
    Str *all[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) release_obj(vm, all[i]);
    return failures;
}

static int test_utf8(Vm *vm) {
    static const char *const bad[] = {"\x80", "a\xC3", "\xC0\x80", "\xE2\x82", "\xF5\x80\x80\x80",
                                      "\xE0\x80\x80", "\xF4\x90\x80\x80", "\xC3(", "\xFF",
                                      "\xED\xA0\x80", "\xED\xBF\xBF"};
    static const char *const good[] = {"", "abcdefghijk", "\xC3\xA9", "\xE2\x82\xAC",
                                       "\xF0\x9F\x98\x80", "\xED\x9F\xBF"};
    int failures = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(&failures, str_utf8_check(vm, bad[i], strlen(bad[i])) == ST_ERROR);
        CHECK(&failures, vm_error_is(vm, EXC_UnicodeDecodeError));
        vm_clear_error(vm);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK(&failures, str_utf8_check(vm, good[i], strlen(good[i])) == ST_OK);
    return failures;
}

int main(void) {
    TestVm test;
    int failures = cases_run(rows, sizeof rows / sizeof *rows);
    if (!test_vm_init(&test)) return 1;
    failures += test_append(&test.vm);
    failures += test_intern(&test.vm);
    failures += test_equality(&test.vm);
    failures += test_utf8(&test.vm);
    failures += test_vm_free(&test);
    return failures != 0;
}
