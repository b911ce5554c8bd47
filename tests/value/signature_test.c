// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Signatures: parsing rows, binding calls, and the TypeErrors of calls that do not fit.

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "literal.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { MAX_ARGS = 8, MAX_SLOTS = 8 };

// A call of `signature` with the items of the tuple `args`, the last ones of which are named by the
// words of `names`. `expect` is the repr of the slots as a list, with ? where nothing was given, or
// the message of the TypeError.
typedef struct CallCase {
    const char *name, *signature, *args, *names, *expect;
} CallCase;

static const CallCase function_cases[] = {
    {"f", "a, b, c=1", "(5, 6)", "", "5, 6, 1"},
    {"f", "a, b, c=1", "(5, 6, 7)", "", "5, 6, 7"},
    {"f", "a, b, c=1", "(5, 6, 7)", "c", "5, 6, 7"},
    {"f", "a, b, c=1", "(5, 6, 7)", "c b", "5, 7, 6"},
    {"f", "a, b, c=1", "()", "", "f() missing 2 required positional arguments: 'a' and 'b'"},
    {"f", "a, b, c=1", "(1,)", "", "f() missing 1 required positional argument: 'b'"},
    {"f", "a, b, c=1", "(1,)", "b", "f() missing 1 required positional argument: 'a'"},
    {"f", "a, b, c=1", "(1, 2, 3, 4)", "",
     "f() takes from 2 to 3 positional arguments but 4 were given"},
    {"f", "a, b, c=1", "(1, 2, 3)", "a", "f() got multiple values for argument 'a'"},
    {"f", "a, b, c=1", "(1, 2, 3)", "z", "f() got an unexpected keyword argument 'z'"},
    {"q", "", "(1,)", "", "q() takes 0 positional arguments but 1 was given"},
    {"q", "", "(1, 2)", "", "q() takes 0 positional arguments but 2 were given"},
    {"q", "", "()", "", ""},
    {"g", "a, /, b, *, k", "(1, 2, 3)", "k", "1, 2, 3"},
    {"g", "a, /, b, *, k", "(1, 2, 3)", "k b", "1, 3, 2"},
    {"g", "a, /, b, *, k", "(1, 2)", "", "g() missing 1 required keyword-only argument: 'k'"},
    {"g", "a, /, b, *, k", "(1, 2, 3, 4)", "k",
     "g() takes 2 positional arguments but 3 positional arguments (and 1 keyword-only argument) "
     "were given"},
    {"g", "a, /, b, *, k", "(1, 2, 3)", "a b k",
     "g() got some positional-only arguments passed as keyword arguments: 'a'"},
    {"p", "a, b, /", "(1, 2)", "a b",
     "p() got some positional-only arguments passed as keyword arguments: 'a, b'"},
    {"h", "*, k, l, m", "()", "",
     "h() missing 3 required keyword-only arguments: 'k', 'l', and 'm'"},
    {"h", "*, k, l, m", "(1,)", "l", "h() missing 2 required keyword-only arguments: 'k' and 'm'"},
    {"h", "*, k, l, m", "(1, 2, 3)", "k",
     "h() takes 0 positional arguments but 2 positional arguments (and 1 keyword-only argument) "
     "were given"},
    {"v", "a, *rest, k=2, **others", "(1,)", "", "1, 2, (), {}"},
    {"v", "a, *rest, k=2, **others", "(1, 2, 3)", "", "1, 2, (2, 3), {}"},
    {"v", "a, *rest, k=2, **others", "(1, 2, 3, 4)", "k z", "1, 3, (2,), {'z': 4}"},
    {"v", "a, *rest, k=2, **others", "(1, 2)", "a", "v() got multiple values for argument 'a'"},
    {"v", "a, /, **others", "(1, 2)", "a", "1, {'a': 2}"},
};

static const CallCase native_cases[] = {
    {"d", "a=None, b=True, c=False, e=-12, f=1.5, g=?", "()", "", "None, True, False, -12, 1.5, ?"},
    {"s", "*args, sep=', ', end='\\n', quote=\"it's\"", "(1,)", "", "', ', '\\n', \"it's\", (1,)"},
    {"len", "obj, /", "()", "", "len() takes exactly one argument (0 given)"},
    {"len", "obj, /", "(1, 2)", "", "len() takes exactly one argument (2 given)"},
    {"len", "obj, /", "(1,)", "obj", "len() takes no keyword arguments"},
    {"locals", "", "(1,)", "", "locals() takes no arguments (1 given)"},
    {"append", "self, item, /", "([],)", "", "list.append() takes exactly one argument (0 given)"},
    {"append", "self, item, /", "([], 1)", "item", "list.append() takes no keyword arguments"},
    {"append", "self, item, /", "()", "", "unbound method list.append() needs an argument"},
    {"append", "self, item, /", "(1,)", "",
     "descriptor 'append' for 'list' objects doesn't apply to a 'int' object"},
    {"clear", "self, /", "([], 1)", "", "list.clear() takes no arguments (1 given)"},
    {"pop", "self, index=-1, /", "([], 1, 2)", "", "pop expected at most 1 argument, got 2"},
    {"insert", "self, index, item, /", "([], 1)", "", "insert expected 2 arguments, got 1"},
    {"get", "self, key, default=None, /", "([],)", "", "get expected at least 1 argument, got 0"},
    {"sort", "self, /, *, key=None, reverse=False", "([], 1)", "",
     "sort() takes no positional arguments"},
    {"sort", "self, /, *, key=None, reverse=False", "([], 1)", "a",
     "'a' is an invalid keyword argument for sort()"},
    {"sorted", "iterable, /, *, key=None, reverse=False", "()", "",
     "sorted expected 1 argument, got 0"},
    {"sum", "iterable, /, start=0", "()", "",
     "sum() takes at least 1 positional argument (0 given)"},
    {"sum", "iterable, /, start=0", "(1, 2, 3)", "", "sum() takes at most 2 arguments (3 given)"},
    {"round", "number, ndigits=None", "()", "",
     "round() missing required argument 'number' (pos 1)"},
    {"round", "number, ndigits=None", "(1, 2)", "number",
     "argument for round() given by name ('number') and position (1)"},
    {"isclose", "a, b, *, rel_tol=1e-09", "(1, 2, 3)", "",
     "isclose() takes exactly 2 positional arguments (3 given)"},
    {"isclose", "a, b, *, rel_tol=1e-09", "(1,)", "",
     "isclose() missing required argument 'b' (pos 2)"},
    {"split", "self, sep=None, maxsplit=-1", "([], 1, 2)", "sep",
     "argument for split() given by name ('sep') and position (1)"},
    {"split", "self, sep=None, maxsplit=-1", "([], 1, 2, 3)", "",
     "split() takes at most 2 arguments (3 given)"},
    {"print", "*args, sep=' '", "(1,)", "x", "'x' is an invalid keyword argument for print()"},
    {"fromkeys", "cls, iterable, value=None, /", "(1,)", "",
     "fromkeys expected at least 1 argument, got 0"},
};

// --- Running -----------------------------------------------------------------------------------

static Status nothing(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    *out = V_NONE;
    return ST_OK;
}

// The words of a text as a tuple of str, or NULL when there is none.
static Tuple *words(Vm *vm, const char *text) {
    Value items[MAX_ARGS], tuple;
    size_t count = 0;
    while (*text) {
        size_t len = strcspn(text, " ");
        items[count++] = v_obj(str_new(vm, text, len));
        text += len + (text[len] == ' ');
    }
    if (count == 0) return NULL;
    return tuple_steal(vm, items, count, &tuple) == ST_OK ? tuple.tuple : NULL;
}

static void write_slots(Vm *vm, const Signature *sig, const Value *slots, Buf *out) {
    for (int i = 0; i < sig->total; i++) {
        if (i) buf_puts(out, ", ");
        if (slots[i].kind == K_UNDEF)
            buf_putc(out, '?');
        else
            op_repr(vm, slots[i], out);
    }
}

static void write_error(Vm *vm, Buf *out) {
    Value error = vm->error;
    vm->error = V_UNDEF;
    if (error.inst->cls != vm->exceptions[EXC_TypeError])
        buf_puts(out, error.inst->cls->name->data);
    exc_str(vm, exc_of(error), out);
    release(vm, error);
}

static bool all_undefined(const Value *slots) {
    for (int i = 0; i < MAX_SLOTS; i++)
        if (slots[i].kind != K_UNDEF) return false;
    return true;
}

// Binds once; what happened goes to `out`.
static int bind(Vm *vm, const Signature *sig, Tuple *args, const Tuple *names, Buf *out) {
    int failures = 0;
    Value slots[MAX_SLOTS] = {0};
    size_t count = args->len - (names ? names->len : 0);
    Status st = signature_bind(vm, sig, args->items, count, names, slots);
    if (st == ST_OK) {
        write_slots(vm, sig, slots, out);
    } else {
        CHECK(&failures, st == ST_ERROR && all_undefined(slots));
        write_error(vm, out);
    }
    for (int i = 0; i < sig->total; i++) release(vm, slots[i]);
    return failures;
}

static int check_call(TestVm *test, const Signature *sig, const CallCase *c) {
    enum { STARVED = 6 };
    int failures = 0;
    Vm *vm = &test->vm;
    Value args = literal(vm, c->args);
    Tuple *names = words(vm, c->names);
    Buf out;
    for (int n = -1; n < STARVED; n++) {
        buf_init(&out, &vm->mem);
        test->fail_after = n < 0 ? SIZE_MAX : (size_t)n;
        failures += bind(vm, sig, args.tuple, names, &out);
        test->fail_after = SIZE_MAX;
        buf_putc(&out, '\0');
        bool same = !out.failed && strcmp(out.data, c->expect) == 0;
        if (n < 0) CHECK(&failures, same);
        if (n < 0 && !same) printf("%s(%s): %s\n", c->name, c->signature, out.data);
        buf_free(&out);
    }
    release(vm, args);
    release_obj(vm, names);
    return failures;
}

// Functions written in the language have no row.
static int check_function(TestVm *test, const CallCase *c, const NativeDef *def) {
    Signature sig = *signature_of(&test->vm, def, V_UNDEF);
    sig.def = NULL;
    return check_call(test, &sig, c);
}

static int check_native(TestVm *test, const CallCase *c, const NativeDef *def) {
    int failures = 0;
    Vm *vm = &test->vm;
    bool method = strncmp(c->signature, "self", 4) == 0 || strncmp(c->signature, "cls", 3) == 0;
    Value native, module, owner;
    CHECK(&failures, module_new(vm, "builtins", &module) == ST_OK);
    owner = method                             ? v_obj(vm->classes[K_LIST])
            : strcmp(c->name, "reversed") == 0 ? V_UNDEF
                                               : module;
    CHECK(&failures, native_new(vm, def, owner, &native) == ST_OK);
    failures += check_call(test, native_signature(vm, native.native), c);
    release(vm, native);
    release(vm, module);
    return failures;
}

// Classes count their arguments in other words than functions.
static int constructors_count(Vm *vm) {
    int failures = 0;
    Value slots[MAX_SLOTS] = {0};
    const Signature *sig = signature_of(vm, &staticmethod_construct, V_UNDEF);
    CHECK(&failures, signature_bind(vm, sig, NULL, 0, NULL, slots) == ST_ERROR);
    Buf out;
    buf_init(&out, &vm->mem);
    write_error(vm, &out);
    buf_putc(&out, '\0');
    CHECK(&failures, strcmp(out.data, "staticmethod expected 1 argument, got 0") == 0);
    buf_free(&out);
    return failures;
}

// The same row gives the same signature, also after the table has grown many times.
static int table_grows(Vm *vm) {
    enum { ROWS = 2000 };
    NativeDef rows[ROWS];
    const Signature *first[ROWS];
    int failures = 0;
    for (int i = 0; i < ROWS; i++) {
        rows[i] = (NativeDef){"f", "a, b=2", nothing, NULL, PURE};
        first[i] = signature_of(vm, &rows[i], V_UNDEF);
    }
    for (int i = 0; i < ROWS; i++)
        CHECK(&failures, first[i]->def == &rows[i] && signature_of(vm, &rows[i], V_UNDEF) == first[i]);
    return failures;
}

static int shows(Vm *vm, Value v, const char *expect) {
    int failures = 0;
    Value text;
    CHECK(&failures, op_repr_value(vm, v, &text) == ST_OK);
    CHECK(&failures, strncmp(text.str->data, expect, strlen(expect)) == 0);
    if (failures) printf("%s\n", text.str->data);
    release(vm, text);
    return failures;
}

static int callables_show_themselves(Vm *vm) {
    static const NativeDef row = {"sin", "x, /", nothing, NULL, PURE};
    int failures = 0;
    Value native, bound, cell, descr;
    CHECK(&failures, native_new(vm, &row, V_UNDEF, &native) == ST_OK);
    CHECK(&failures, bound_new(vm, v_int(3), native, &bound) == ST_OK);
    CHECK(&failures, cell_new(vm, V_UNDEF, &cell) == ST_OK);
    CHECK(&failures, descr_new(vm, DESCR_STATICMETHOD, native, V_UNDEF, V_UNDEF, &descr) == ST_OK);
    failures += shows(vm, native, "<built-in function sin>");
    failures += shows(vm, bound, "<built-in method sin of int object at 0x3>");
    failures += shows(vm, cell, "<cell at 0x");
    failures += shows(vm, descr, "<staticmethod(<built-in function sin>)>");
    Str *append = str_intern(vm, "append", 6);
    failures +=
        shows(vm, class_lookup(vm->classes[K_LIST], append), "<method 'append' of 'list' objects>");
    CHECK(&failures, class_of(vm, descr) == vm->static_class);
    release_obj(vm, append);
    release(vm, native);
    release(vm, bound);
    release(vm, cell);
    release(vm, descr);
    return failures;
}

enum {
    FUNCTIONS = sizeof function_cases / sizeof *function_cases,
    NATIVES = sizeof native_cases / sizeof *native_cases
};

int main(void) {
    TestVm test;
    NativeDef rows[FUNCTIONS + NATIVES]; // as long as the VM
    if (!test_vm_init(&test)) return 1;
    int failures = callables_show_themselves(&test.vm) + constructors_count(&test.vm);
    for (int i = 0; i < FUNCTIONS + NATIVES; i++) {
        const CallCase *c = i < FUNCTIONS ? &function_cases[i] : &native_cases[i - FUNCTIONS];
        rows[i] = (NativeDef){c->name, c->signature, nothing, NULL, PURE};
        failures +=
            i < FUNCTIONS ? check_function(&test, c, &rows[i]) : check_native(&test, c, &rows[i]);
    }
    failures += test_vm_free(&test);
    if (!test_vm_init(&test)) return 1;
    failures += table_grows(&test.vm);
    return (failures + test_vm_free(&test)) != 0;
}
