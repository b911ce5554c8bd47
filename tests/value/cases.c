// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Running the rows of cases.h.

#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "literal.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/seq_natives.h"
#include "vm/value/str.h"

// --- A VM whose allocations can fail -----------------------------------------------------------

static void *limited_fn(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    TestVm *test = ctx;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (new_size > old_size) {
        if (test->fail_after == 0) return NULL;
        if (test->fail_after != SIZE_MAX) test->fail_after--;
    }
    return realloc(ptr, new_size);
}

bool test_vm_init(TestVm *test) {
    memset(test, 0, sizeof *test);
    test->fail_after = SIZE_MAX;
    mem_init(&test->vm.mem, limited_fn, test, false, 0);
    return vm_value_init(&test->vm);
}

int test_vm_free(TestVm *test) {
    vm_value_free(&test->vm);
    size_t left = test->vm.mem.in_use;
    mem_destroy(&test->vm.mem);
    if (left) printf("%zu bytes were not given back\n", left);
    return left != 0;
}

// --- One call ----------------------------------------------------------------------------------

static Status bool_out(Status st, const bool *b, Value *out) {
    if (st == ST_OK) *out = v_bool(*b);
    return st;
}

static Status int_out(Status st, const int64_t *i, Value *out) {
    if (st == ST_OK) *out = v_int(*i);
    return st;
}

// ST_STOP: no such operator.
static Status call_unary(Vm *vm, const char *name, Value self, Value *out) {
    int64_t i;
    bool b;
    if (strcmp(name, "len") == 0) return int_out(op_len(vm, self, &i), &i, out);
    if (strcmp(name, "hash") == 0) return int_out(op_hash(vm, self, &i), &i, out);
    if (strcmp(name, "bool") == 0) return bool_out(op_truth(vm, self, &b), &b, out);
    if (strcmp(name, "repr") == 0) return op_repr_value(vm, self, out);
    if (strcmp(name, "str") == 0) return op_str_value(vm, self, out);
    return ST_STOP;
}

static Status call_item(Vm *vm, const char *name, Value self, const Value *args, Value *out) {
    bool b;
    *out = V_NONE;
    if (strcmp(name, "in") == 0) return bool_out(op_contains(vm, self, args[0], &b), &b, out);
    if (strcmp(name, "[]=") == 0) return op_setitem(vm, self, args[0], args[1]);
    if (strcmp(name, "del") == 0) return op_delitem(vm, self, args[0]);
    if (strcmp(name, "[]") == 0) return op_getitem(vm, self, args[0], out);
    return ST_STOP;
}

static Status call_binary(Vm *vm, const char *name, Value self, Value other, Value *out) {
    for (int op = 0; op < BINARY_COUNT; op++) {
        size_t len = strlen(binary_names[op].symbol);
        if (strncmp(name, binary_names[op].symbol, len) != 0) continue;
        if (name[len] == '\0' || strcmp(name + len, "=") == 0)
            return op_binary(vm, (BinaryOp)op, name[len] == '=', self, other, out);
    }
    for (int op = 0; op < COMPARE_COUNT; op++)
        if (strcmp(name, compare_names[op].symbol) == 0)
            return op_compare(vm, (CompareOp)op, self, other, out);
    return ST_STOP;
}

static const NativeDef *row_named(const NativeDef *rows, const char *name) {
    for (; rows && rows->name; rows++)
        if (strcmp(rows->name, name) == 0) return rows;
    return NULL;
}

// The classes whose native half iter_functions.c makes.
static const NativeDef iterators[] = {
    {"enumerate", "iterable, start=0", iter_make_enumerate, NULL, PURE},
    {"zip", "*iterables, strict=False", iter_make_zip, NULL, PURE},
    {"reversed", "sequence, /", iter_make_reversed, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

static const NativeDef *find_row(Value self, const char *name) {
    static const Kind classes[] = {K_STR, K_LIST, K_TUPLE, K_RANGE, K_SLICE};
    size_t len = strlen(name);
    char plain[32] = {0};
    if (len < 3 || len > sizeof plain || strcmp(name + len - 2, "()") != 0)
        return row_named(kind_slots[self.kind]->methods, name);
    memcpy(plain, name, len - 2);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(kind_names[classes[i]], plain) == 0) return kind_slots[classes[i]]->construct;
    const NativeDef *row = row_named(iterators, plain);
    if (!row) row = row_named(iter_functions, plain);
    return row ? row : row_named(seq_internals, plain);
}

enum { MAX_ARGS = 8 };

// The last argument, when it is a dict and the row takes keywords, is given as keywords.
static Status bind(Vm *vm, const Signature *sig, const Value *given, size_t count, Value *slots) {
    Value names = V_UNDEF, args[2 * MAX_ARGS];
    memcpy(args, given, count * sizeof *args);
    bool keywords = count > 0 && given[count - 1].kind == K_DICT &&
                    (sig->has_varkw || sig->keyword_only);
    if (keywords) {
        uint32_t pos = 0;
        Value key, keys[MAX_ARGS];
        size_t plain = --count, n = 0;
        while (dict_next(given[plain].dict, &pos, &key, &args[plain + n])) keys[n++] = key;
        if (tuple_of(vm, keys, n, &names) != ST_OK) return ST_ERROR;
    }
    Status st = signature_bind(vm, sig, args, count, keywords ? names.tuple : NULL, slots);
    release(vm, names);
    return st;
}

static Status call_row(Vm *vm, const NativeDef *def, Value self, const Tuple *args, Value *out) {
    Value given[2 * MAX_ARGS], slots[MAX_ARGS] = {0};
    const Signature *sig = signature_of(vm, def, self.kind == K_CLASS ? self : v_obj(class_of(vm, self)));
    if (!sig) return vm_no_memory(vm);
    size_t count = 0;
    if (sig->bound_self || strncmp(def->signature, "cls", 3) == 0) given[count++] = self;
    for (size_t i = 0; i < args->len; i++) given[count++] = args->items[i];
    Status st = bind(vm, sig, given, count, slots);
    if (st == ST_OK) st = def->fn(vm, slots, out);
    for (int i = 0; i < MAX_ARGS; i++) release(vm, slots[i]);
    return st;
}

static Status call(Vm *vm, const Case *c, Value self, const Tuple *args, Value *out) {
    Status st = call_unary(vm, c->method, self, out);
    if (st == ST_STOP && args->len > 0) {
        st = call_item(vm, c->method, self, args->items, out);
        if (st == ST_STOP) st = call_binary(vm, c->method, self, args->items[0], out);
    }
    if (st != ST_STOP) return st;
    const NativeDef *row = find_row(self, c->method);
    return row ? call_row(vm, row, self, args, out)
               : vm_raise(vm, EXC_AttributeError, "no method %s", c->method);
}

// --- Its outcome as text -----------------------------------------------------------------------

static void write_error(Vm *vm, Buf *out) {
    ExcInstance *exc = exc_of(vm->error);
    buf_puts(out, exc->inst.cls->name->data);
    size_t start = out->len;
    buf_puts(out, ": ");
    if (exc_str(vm, exc, out) != ST_OK || out->len == start + 2) out->len = start;
    vm_clear_error(vm);
}

// Replaces an iterator by the list of its items.
static Status items_of(Vm *vm, Value *v) {
    if (v->kind != K_ITER) return ST_OK;
    List *list = list_new(vm, 0);
    Status st = vm_check(vm, list);
    Value item;
    while (st == ST_OK && (st = op_next(vm, *v, &item)) == ST_OK) st = list_append(vm, list, item);
    if (st == ST_STOP) {
        replace(vm, v, v_obj(list));
        return ST_OK;
    }
    release_obj(vm, list);
    return st;
}

static bool changes_self(const Case *c) {
    return strstr(c->expect, " -> ") != NULL;
}

// The call, and the repr of what it gives.
static Status attempt(Vm *vm, const Case *c, Value self, const Tuple *args, Buf *out) {
    Value result = V_UNDEF;
    Status st = call(vm, c, self, args, &result);
    if (st == ST_OK) st = items_of(vm, &result);
    if (st == ST_OK) st = op_repr(vm, result, out);
    if (st == ST_OK && changes_self(c)) {
        buf_puts(out, " -> ");
        st = op_repr(vm, self, out);
    }
    release(vm, result);
    return st;
}

// The text of the outcome when only `allowed` allocations succeed. *failed: one may have failed.
static void outcome(TestVm *test, const Case *c, size_t allowed, bool *failed, Buf *out) {
    Vm *vm = &test->vm;
    Value self = literal(vm, c->self), args = literal(vm, c->args);
    bool readable = args.kind == K_TUPLE && (self.kind != K_UNDEF || !*c->self);
    Status st = ST_STOP;
    if (readable) {
        test->fail_after = allowed;
        st = attempt(vm, c, self, args.tuple, out);
        *failed = test->fail_after == 0;
        test->fail_after = SIZE_MAX;
    }
    if (st != ST_OK) {
        buf_free(out);
        buf_init(out, &vm->mem);
    }
    if (!readable)
        buf_puts(out, "the row cannot be read");
    else if (st == ST_ERROR)
        write_error(vm, out);
    else if (st != ST_OK)
        buf_printf(out, "status %d", (int)st);
    release(vm, self);
    release(vm, args);
}

static bool is_text(const Buf *buf, const char *text) {
    return buf->len == strlen(text) && memcmp(buf->data, text, buf->len) == 0;
}

static bool run_limited(TestVm *test, const Case *c, size_t allowed, bool *failed) {
    Buf text;
    buf_init(&text, &test->vm.mem);
    *failed = false;
    outcome(test, c, allowed, failed, &text);
    bool good = is_text(&text, c->expect) || (*failed && is_text(&text, "MemoryError"));
    if (!good)
        printf("%s .%s %s\n  expected %s\n  got      %.*s\n", c->self, c->method, c->args,
               c->expect, (int)text.len, text.data ? text.data : "");
    buf_free(&text);
    return good;
}

static int run_case(TestVm *test, const Case *c) {
    bool failed = true;
    if (!run_limited(test, c, SIZE_MAX, &failed)) return 1;
    failed = true;
    for (size_t allowed = 0; failed; allowed++)
        if (!run_limited(test, c, allowed, &failed)) return 1;
    return 0;
}

int cases_run(const Case *cases, size_t count) {
    TestVm test;
    int failures = 0;
    if (!test_vm_init(&test)) return 1;
    for (size_t i = 0; i < count; i++) failures += run_case(&test, &cases[i]);
    return failures + test_vm_free(&test);
}
