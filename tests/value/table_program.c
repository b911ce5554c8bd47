// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The interpreter of table_program.h.

#include "table_program.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "literal.h"
#include "vm/value/class.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { VARIABLES = 26, MAX_ARGS = 4, TEXT_MAX = 4096 };

typedef struct Run {
    TestVm *test;
    Vm *vm;
    Value vars[VARIABLES];
    Buf out;
} Run;

// --- Reading -----------------------------------------------------------------------------------

static bool is_variable(const char *text) {
    return islower((unsigned char)text[0]) && !text[1];
}

// A variable or a literal; owned.
static Status operand(Run *run, const char *text, Value *out) {
    if (is_variable(text)) {
        *out = retain(run->vars[text[0] - 'a']);
        return ST_OK;
    }
    size_t fail_after = run->test->fail_after; // the reader of literals has no care for failures
    run->test->fail_after = SIZE_MAX;
    *out = literal(run->vm, text);
    run->test->fail_after = fail_after;
    return out->kind == K_UNDEF ? vm_no_memory(run->vm) : ST_OK;
}

// Cuts `text` at the first `separator`; returns what follows or NULL.
static char *cut(char *text, const char *separator) {
    char *at = strstr(text, separator);
    if (!at) return NULL;
    *at = '\0';
    return at + strlen(separator);
}

// --- Statements --------------------------------------------------------------------------------

static Status construct(Run *run, const char *kind_name, const char *text, Value *out) {
    Value arg;
    Status st = operand(run, text, &arg);
    if (st != ST_OK) return st;
    if (strcmp(kind_name, "list") == 0) {
        st = op_to_list(run->vm, arg, out);
    } else if (strcmp(kind_name, "iter") == 0) {
        st = op_iter(run->vm, arg, out);
    } else {
        Kind kind = *kind_name == 's' ? K_SET : *kind_name == 'f' ? K_FROZENSET : K_DICT;
        const NativeDef *def = kind_slots[kind]->construct;
        Value slots[2] = {V_UNDEF, V_UNDEF};
        const Signature *sig = signature_of(run->vm, def, V_UNDEF);
        st = sig ? signature_bind(run->vm, sig, &arg, 1, NULL, slots) : vm_no_memory(run->vm);
        if (st == ST_OK) st = def->fn(run->vm, slots, out);
        release(run->vm, slots[0]);
        release(run->vm, slots[1]);
    }
    release(run->vm, arg);
    return st;
}

static Status call_native(Run *run, Value func, const Value *args, size_t count, Value *out) {
    Native *native = func.native;
    Value slots[MAX_ARGS + 2] = {0};
    const Signature *sig = native_signature(run->vm, native);
    Status st = !sig ? vm_no_memory(run->vm) : signature_bind(run->vm, sig, args, count, NULL, slots);
    if (st == ST_OK) st = native->def->fn(run->vm, slots, out);
    for (int i = 0; sig && i < sig->total; i++) release(run->vm, slots[i]);
    return st;
}

static Status find_method(Run *run, Value *self, const char *name, Value *func) {
    Str *key = str_intern(run->vm, name, strlen(name));
    if (!key) return vm_no_memory(run->vm);
    *func = class_lookup(class_of(run->vm, *self), key);
    release_obj(run->vm, key);
    if (func->kind == K_DESCR) { // a class method
        replace(run->vm, self, retain(v_obj(class_of(run->vm, *self))));
        *func = func->descr->get;
    }
    if (func->kind == K_NATIVE) return ST_OK;
    return vm_raise(run->vm, EXC_AttributeError, "'%s' object has no attribute '%s'",
                    type_name(run->vm, *self), name);
}

static Status call_method(Run *run, Value self, char *name, Value *out) {
    char *rest = cut(name, " ");
    Value func = V_UNDEF, args[MAX_ARGS] = {retain(self)};
    size_t count = 1;
    Status st = find_method(run, &args[0], name, &func);
    while (st == ST_OK && rest) {
        char *next = cut(rest, " | ");
        st = operand(run, rest, &args[count]);
        if (st == ST_OK) count++;
        rest = next;
    }
    if (st == ST_OK) st = call_native(run, func, args, count, out);
    for (size_t i = 0; i < count; i++) release(run->vm, args[i]);
    return st;
}

static const struct {
    const char *text;
    int op;
    bool compare, in_place;
} operators[] = {
    {"|", BIN_OR, false, false},  {"&", BIN_AND, false, false}, {"-", BIN_SUB, false, false},
    {"^", BIN_XOR, false, false}, {"|=", BIN_OR, false, true},  {"&=", BIN_AND, false, true},
    {"-=", BIN_SUB, false, true}, {"^=", BIN_XOR, false, true}, {"==", CMP_EQ, true, false},
    {"!=", CMP_NE, true, false},  {"<", CMP_LT, true, false},   {"<=", CMP_LE, true, false},
    {">", CMP_GT, true, false},   {">=", CMP_GE, true, false},
};

static Status operate(Run *run, const char *op, Value a, Value b, Value *out) {
    if (strcmp(op, "in") == 0) {
        bool found = false;
        Status st = op_contains(run->vm, b, a, &found);
        if (st == ST_OK) *out = v_bool(found);
        return st;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(op, operators[i].text) != 0) continue;
        if (operators[i].compare) return op_compare(run->vm, (CompareOp)operators[i].op, a, b, out);
        return op_binary(run->vm, (BinaryOp)operators[i].op, operators[i].in_place, a, b, out);
    }
    return vm_raise(run->vm, EXC_SyntaxError, "unknown operator %s", op);
}

static Status items(Run *run, Value self, char *text, Value *out) {
    char *value_text = cut(text, "] = ");
    Value key, value;
    if (!value_text) *strrchr(text, ']') = '\0';
    Status st = operand(run, text, &key);
    if (st != ST_OK) return st;
    if (value_text) {
        st = operand(run, value_text, &value);
        if (st == ST_OK) {
            st = op_setitem(run->vm, self, key, value);
            release(run->vm, value);
        }
        if (st == ST_OK) *out = V_NONE;
    } else {
        st = op_getitem(run->vm, self, key, out);
    }
    release(run->vm, key);
    return st;
}

static Status word(Run *run, const char *name, char *text, Value *out) {
    Value v, key;
    int64_t len = 0;
    Status st;
    if (strcmp(name, "del") == 0) {
        *strrchr(text, ']') = '\0';
        st = operand(run, text + 2, &key);
        if (st != ST_OK) return st;
        st = op_delitem(run->vm, run->vars[*text - 'a'], key);
        release(run->vm, key);
        if (st == ST_OK) *out = V_NONE;
        return st;
    }
    st = operand(run, text, &v);
    if (st != ST_OK) return st;
    if (strcmp(name, "len") == 0) {
        st = op_len(run->vm, v, &len);
        if (st == ST_OK) *out = v_int(len);
    } else if (strcmp(name, "next") == 0) {
        st = op_next(run->vm, v, out);
        if (st == ST_STOP) st = vm_raise_stop(run->vm, V_UNDEF);
    } else {
        *out = retain(v); // show
    }
    release(run->vm, v);
    return st;
}

static Status expression(Run *run, char *text, Value *out) {
    static const char *const words[] = {"show", "len", "next", "del"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i]);
        if (strncmp(text, words[i], len) == 0 && text[len] == ' ')
            return word(run, words[i], text + len + 1, out);
    }
    if (islower((unsigned char)text[0]) && text[1] == '.')
        return call_method(run, run->vars[text[0] - 'a'], text + 2, out);
    if (islower((unsigned char)text[0]) && text[1] == '[')
        return items(run, run->vars[text[0] - 'a'], text + 2, out);
    char *op = cut(text, " @ "), *right = op ? cut(op, " ") : NULL;
    Value a, b;
    if (!right) return vm_raise(run->vm, EXC_SyntaxError, "what is %s?", text);
    Status st = operand(run, text, &a);
    if (st != ST_OK) return st;
    st = operand(run, right, &b);
    if (st == ST_OK) {
        st = operate(run, op, a, b, out);
        release(run->vm, b);
    }
    release(run->vm, a);
    return st;
}

// --- Programs ----------------------------------------------------------------------------------

static void print_line(Run *run, Value v) {
    size_t start = run->out.len;
    if (op_repr(run->vm, v, &run->out) != ST_OK) {
        run->out.len = start;
        buf_puts(&run->out, run->vm->error.inst->cls->name->data);
        vm_clear_error(run->vm);
    }
    buf_putc(&run->out, '\n');
}

static void print_error(Run *run, Status st) {
    Vm *vm = run->vm;
    if (st != ST_ERROR) {
        buf_printf(&run->out, "status %d\n", (int)st);
        return;
    }
    Value error = vm->error;
    vm->error = V_UNDEF;
    buf_printf(&run->out, "%s: ", error.inst->cls->name->data);
    if (exc_str(vm, exc_of(error), &run->out) != ST_OK) vm_clear_error(vm);
    buf_putc(&run->out, '\n');
    release(vm, error);
}

static Status statement(Run *run, char *text) {
    Value result;
    char *target = NULL;
    Status st;
    if (strncmp(text + 1, " := ", 4) == 0) {
        target = text;
        char *arg = cut(text + 5, " ");
        st = construct(run, text + 5, arg, &result);
    } else {
        bool keeps = strncmp(text + 1, " = ", 3) == 0;
        if (keeps) target = text;
        st = expression(run, keeps ? text + 4 : text, &result);
    }
    if (st != ST_OK) {
        print_error(run, st);
        return st;
    }
    if (target) {
        replace(run->vm, &run->vars[*target - 'a'], result);
        return ST_OK;
    }
    if (result.kind != K_NONE) print_line(run, result);
    release(run->vm, result);
    return ST_OK;
}

static void program(Run *run, const char *source) {
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s", source);
    for (char *at = text, *next; at; at = next) {
        next = cut(at, "; ");
        statement(run, at);
    }
    for (int i = 0; i < VARIABLES; i++) clear(run->vm, &run->vars[i]);
}

static bool run_matches(Run *run, const TableProgram *p, bool show) {
    buf_init(&run->out, &run->vm->mem);
    program(run, p->text);
    size_t len = strlen(p->expect);
    bool same =
        !run->out.failed && run->out.len == len + 1 && memcmp(run->out.data, p->expect, len) == 0;
    if (!same && show)
        printf("%s\n--- expected\n%s\n--- got\n%.*s\n", p->text, p->expect, (int)run->out.len,
               run->out.data);
    buf_free(&run->out);
    return same;
}

// A failing allocation must give MemoryError somewhere and leave everything usable.
static int run_starved(const TableProgram *p, size_t allocations) {
    int failures = 0;
    TestVm test;
    if (!test_vm_init(&test)) return 1;
    Run run = {.test = &test, .vm = &test.vm};
    for (size_t n = 0; n < allocations; n++) {
        test.fail_after = n;
        run_matches(&run, p, false);
        test.fail_after = SIZE_MAX;
        vm_clear_error(&test.vm);
    }
    gc_collect(&test.vm);
    Buf report;
    buf_init(&report, &test.vm.mem);
    CHECK(&failures, gc_verify(&test.vm, NULL, &report));
    if (report.len) printf("%s\n%.*s", p->text, (int)report.len, report.data);
    buf_free(&report);
    CHECK(&failures, run_matches(&run, p, true));
    return failures + test_vm_free(&test);
}

int table_programs_run(const TableProgram *programs, size_t count) {
    enum { STARVED_ALLOCATIONS = 40 };
    int failures = 0;
    TestVm test;
    if (!test_vm_init(&test)) return 1;
    for (size_t i = 0; i < count; i++) {
        Run run = {.test = &test, .vm = &test.vm};
        CHECK(&failures, run_matches(&run, &programs[i], true));
        if (i % 8 == 0) failures += run_starved(&programs[i], STARVED_ALLOCATIONS);
    }
    return failures + test_vm_free(&test);
}
