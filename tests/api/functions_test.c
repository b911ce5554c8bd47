// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of the host: how scripts call them, what they may do, how errors pass through them.

#include <stdio.h>
#include <string.h>

#include "harness.h"

static int dropped;

static void count_drop(void *ctx) {
    (void)ctx;
    dropped++;
}

static NacreStatus define_with(NacreVm *vm, const char *name, const char *signature, NacreFn fn,
                               void *ctx) {
    const NacreFunction function = {.struct_size = sizeof function,
                                    .name = name,
                                    .signature = signature,
                                    .doc = "What it does.",
                                    .fn = fn,
                                    .ctx = ctx,
                                    .drop = count_drop};
    NacreValue *value = NULL;
    NacreStatus status = nacre_function(vm, &function, &value);
    if (status == NACRE_OK) status = nacre_set_global(vm, name, value);
    nacre_release(vm, value);
    return status;
}

// --- Functions ---------------------------------------------------------------------------------------

// All arguments, as a tuple.
static NacreStatus give_all(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                            NacreValue **result) {
    (void)ctx;
    *result = nacre_tuple(vm, count, args);
    return *result ? NACRE_OK : NACRE_ERROR;
}

static NacreStatus call_back(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                             NacreValue **result) {
    (void)ctx;
    (void)count;
    return nacre_call(vm, args[0], 1, &args[1], result);
}

static NacreStatus raise_it(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                            NacreValue **result) {
    const char *class_name = NULL, *message = NULL;
    (void)ctx;
    (void)count;
    (void)result;
    if (nacre_as_text(vm, args[0], &class_name, NULL) != NACRE_OK) return NACRE_ERROR;
    if (nacre_as_text(vm, args[1], &message, NULL) != NACRE_OK) return NACRE_ERROR;
    return nacre_raise(vm, class_name, message);
}

static NacreStatus only_fail(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                             NacreValue **result) {
    (void)vm;
    (void)count;
    (void)args;
    (void)result;
    return *(NacreStatus *)ctx;
}

static NacreStatus keep_first(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                              NacreValue **result) {
    (void)count;
    (void)result;
    nacre_release(vm, args[0]); // an argument is not the function's to let go of
    *(NacreValue **)ctx = nacre_hold(vm, args[0]);
    return NACRE_OK;
}

static NacreStatus run_text(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                            NacreValue **result) {
    const char *text = NULL;
    size_t len = 0;
    (void)ctx;
    (void)count;
    if (nacre_as_text(vm, args[0], &text, &len) != NACRE_OK) return NACRE_ERROR;
    NacreStatus status = nacre_run(vm, text, len, "<inner>", NACRE_FILE);
    *result = nacre_int(vm, status);
    return status == NACRE_EXIT || status == NACRE_INTERRUPTED ? status : NACRE_OK;
}

// --- Tests -------------------------------------------------------------------------------------------

static void test_signatures(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(define_with(vm, "f", "a, b=[1, 2][1], *rest, scale: float = 0.5, **more", give_all,
                      NULL) == NACRE_OK);
    CHECK(define_with(vm, "g", NULL, give_all, NULL) == NACRE_OK);
    CHECK(define_with(vm, "none", "", give_all, NULL) == NACRE_OK);
    CHECK(evaluates(vm, "f(1, 2, 3, scale=4, more=5)", "(1, 2, 4, (3,), {'more': 5})"));
    CHECK(evaluates(vm, "f(1)", "(1, 2, 0.5, (), {})"));
    CHECK(evaluates(vm, "f(1, b='x')[1]", "'x'"));
    CHECK(evaluates(vm, "g()", "((),)"));
    CHECK(evaluates(vm, "g(1, 2)", "((1, 2),)"));
    CHECK(evaluates(vm, "none()", "()"));
    CHECK(raises(vm, "f()", "TypeError", 1));
    CHECK(strcmp(nacre_error_message(vm), "f() missing 1 required positional argument: 'a'") == 0);
    CHECK(raises(vm, "none(1)", "TypeError", 1));
    CHECK(raises(vm, "none(x=1)", "TypeError", 1));
    CHECK(evaluates(vm, "f.__name__, f.__doc__, callable(f)", "('f', 'What it does.', True)"));
    CHECK(evaluates(vm, "f", "<built-in function f>"));
    CHECK(evaluates(vm, "sorted([3, 1, 2], key=lambda v: -g(v)[0][0])", "[3, 2, 1]"));
    CHECK(evaluates(vm, "list(map(g, [1, 2]))", "[((1,),), ((2,),)]"));
    CHECK(raises(vm, "f.nothing", "AttributeError", 1));
    dropped = 0;
    CHECK(failed(vm, define_with(vm, "h", "a b", give_all, NULL), "SyntaxError"));
    CHECK(failed(vm, define_with(vm, "h h", "a", give_all, NULL), "ValueError"));
    CHECK(failed(vm, define_with(vm, "", "a", give_all, NULL), "ValueError"));
    CHECK(failed(vm, define_with(vm, "h", "a=1/0", give_all, NULL), "ZeroDivisionError"));
    char many[1000] = "";
    for (int i = 0; i < 65; i++) sprintf(many + strlen(many), "a%d,", i);
    CHECK(failed(vm, define_with(vm, "h", many, give_all, NULL), "ValueError"));
    CHECK(dropped == 5);
    CHECK(run(vm, "del f\nh = [g]\nh.append(h)\ndel g\n") == NACRE_OK && dropped == 6);
    CHECK(run(vm, "del h\nimport gc\ngc.collect()") == NACRE_OK && dropped == 7);
    nacre_free(vm);
    CHECK(dropped == 8);
}

static void test_nested(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    NacreValue *kept = NULL;
    CHECK(define_with(vm, "call", "f, x", call_back, NULL) == NACRE_OK);
    CHECK(define_with(vm, "keep", "x", keep_first, &kept) == NACRE_OK);
    CHECK(define_with(vm, "run", "text", run_text, NULL) == NACRE_OK);
    CHECK(evaluates(vm, "call(lambda v: v + 1, 41)", "42"));
    CHECK(evaluates(vm, "call(lambda v: call(lambda w: w * 2, v) + 1, 20)", "41"));
    CHECK(run(vm, "def down(n): return 0 if n == 0 else call(down, n - 1) + 1\n") == NACRE_OK);
    CHECK(evaluates(vm, "down(90)", "90"));
    CHECK(raises(vm, "down(200)", "RecursionError", 1));
    CHECK(evaluates(vm, "down(99)", "99"));
    CHECK(evaluates(vm, "keep(['kept'])", "None"));
    int64_t length = 0;
    CHECK(nacre_length(vm, kept, &length) == NACRE_OK && length == 1 && nacre_held(vm) == 1);
    CHECK(evaluates(vm, "run('z = 5'), z", "(0, 5)"));
    CHECK(evaluates(vm, "run('1 / 0')", "1")); // NACRE_ERROR
    CHECK(evaluates(vm, "[call(lambda v: v * i, i) for i in range(4)]", "[0, 1, 4, 9]"));
    // A generator that is left in the middle within the inner call, and one around it.
    CHECK(run(vm, "log = []\ndef gen():\n    try:\n        yield 1\n        yield 2\n    finally:\n"
                  "        log.append('closed')\ndef first(v):\n    for x in gen(): return x\n"
                  "print(call(first, 0), log)\n") == NACRE_OK);
    CHECK(strcmp(host.out, "1 ['closed']\n") == 0);
    CHECK(run(vm, "run('import sys; sys.exit(3)')") == NACRE_EXIT);
    CHECK(nacre_exit_code(vm) == 3);
    nacre_free(vm);
}

static void test_errors(void) {
    NacreStatus answers[] = {NACRE_ERROR, NACRE_MISUSE, (NacreStatus)99};
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(define_with(vm, "fail", "kind, text", raise_it, NULL) == NACRE_OK);
    CHECK(define_with(vm, "call", "f, x", call_back, NULL) == NACRE_OK);
    CHECK(raises(vm, "x = 1\nfail('ValueError', 'too much')", "ValueError", 2));
    CHECK(strcmp(nacre_error_message(vm), "too much") == 0);
    CHECK(raises(vm, "fail('NoSuchError', '')", "RuntimeError", 1));
    CHECK(raises(vm, "fail('int', '')", "RuntimeError", 1));
    CHECK(raises(vm, "fail(1, 2)", "TypeError", 1));
    CHECK(
        run(vm, "try:\n    fail('KeyError', 'k')\nexcept KeyError as e:\n    print('got', e)\n") ==
        NACRE_OK);
    CHECK(strcmp(host.out, "got 'k'\n") == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(define_with(vm, "odd", "", only_fail, &answers[i]) == NACRE_OK);
        CHECK(raises(vm, "odd()", "RuntimeError", 1));
    }
    // The exception of a call in the host's function is the function's, with the whole way that it took.
    CHECK(raises(vm, "def bad(x):\n    return x.y\ncall(bad, 5)\n", "AttributeError", 2));
    NacreFrame frame = {.struct_size = sizeof frame};
    CHECK(nacre_error_frame(vm, 0, &frame) == NACRE_OK && frame.line == 2 && frame.column == 12 &&
          frame.end_column == 15 && strcmp(frame.function, "bad") == 0 &&
          strcmp(frame.file, "<test>") == 0);
    CHECK(nacre_error_frame(vm, 1, &frame) == NACRE_OK && frame.line == 3);
    CHECK(nacre_error_frame(vm, 2, &frame) == NACRE_MISUSE &&
          nacre_error_frame(vm, -1, &frame) == NACRE_MISUSE);
    NacreValue *error = nacre_error_value(vm), *args = NULL;
    CHECK(error && nacre_attribute(vm, error, "args", &args) == NACRE_OK);
    CHECK(!nacre_error_value(vm) && nacre_error_frame(vm, 0, &frame) == NACRE_MISUSE);
    CHECK(failed(vm, nacre_raise_value(vm, error), "AttributeError"));
    CHECK(failed(vm, nacre_raise_value(vm, args), "TypeError"));
    CHECK(failed(vm, nacre_raise(vm, "IndexError", "from outside"), "IndexError"));
    CHECK(strcmp(nacre_error_message(vm), "from outside") == 0);
    CHECK(run(vm, "try:\n    1 / 0\nexcept ZeroDivisionError:\n    try:\n        "
                  "fail('ValueError', 'v')\n"
                  "    except ValueError as e:\n        print(repr(e.__context__))\n") == NACRE_OK);
    CHECK(strstr(host.out, "ZeroDivisionError('division by zero')"));
    CHECK(!*nacre_error_message(vm) && !*nacre_error_message(NULL));
    nacre_free(vm);
}

static void test_interrupt(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(define_with(vm, "stop", "", interrupt_here, NULL) == NACRE_OK);
    CHECK(run(vm, "while True:\n    stop()\n") == NACRE_INTERRUPTED);
    CHECK(run(vm, "n = 0\ntry:\n    while True: stop()\nexcept KeyboardInterrupt:\n    n = 1\n") ==
          NACRE_OK);
    CHECK(evaluates(vm, "n", "1"));
    nacre_free(vm);
}

// Callbacks that are no functions of the host must keep their hands off.
static NacreStatus seen[3];

static int misuse_in_write(void *ctx, int stream, const char *bytes, size_t len) {
    Host *host = ctx;
    (void)stream;
    (void)bytes;
    (void)len;
    NacreValue *out = NULL;
    seen[0] = nacre_global(host->vm, "x", &out);
    seen[1] = nacre_evaluate(host->vm, "1", 1, "x", &out);
    seen[2] = nacre_int(host->vm, 1) ? NACRE_OK : NACRE_MISUSE;
    return 0;
}

static void test_other_callbacks(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.write = misuse_in_write;
    NacreVm *vm = host.vm = nacre_new(&options);
    CHECK(define_with(vm, "call", "f, x", call_back, NULL) == NACRE_OK);
    static const char *const texts[] = {"print(1)", "call(print, 1)"};
    for (int i = 0; i < 2; i++) {
        memset(seen, 0, sizeof seen);
        CHECK(run(vm, texts[i]) == NACRE_OK);
        CHECK(seen[0] == NACRE_MISUSE && seen[1] == NACRE_MISUSE && seen[2] == NACRE_MISUSE);
    }
    const NacreFunction wrong = {.struct_size = 1, .name = "f", .fn = give_all};
    const NacreFunction nameless = {.struct_size = sizeof nameless, .fn = give_all};
    NacreValue *out = NULL;
    CHECK(nacre_function(vm, &wrong, &out) == NACRE_MISUSE);
    CHECK(nacre_function(vm, &nameless, &out) == NACRE_MISUSE &&
          nacre_function(vm, NULL, &out) == NACRE_MISUSE);
    CHECK(nacre_raise(vm, NULL, "") == NACRE_MISUSE && nacre_raise_value(vm, NULL) == NACRE_MISUSE);
    nacre_free(vm);
}

// Every count is verified at every statement, but within the host's functions.
static void test_stress(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.stress = 1;
    NacreVm *vm = nacre_new(&options);
    NacreValue *kept = NULL;
    CHECK(define_with(vm, "call", "f, x", call_back, NULL) == NACRE_OK);
    CHECK(define_with(vm, "keep", "x", keep_first, &kept) == NACRE_OK);
    CHECK(run(vm, "keep([1])\nx = call(lambda v: [v, [v]], 3)\nfor i in range(3):\n    y = "
                  "call(str, i)\n") == NACRE_OK);
    CHECK(evaluates(vm, "x, y", "([3, [3]], '2')"));
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {
        {"signatures", test_signatures},
        {"nested", test_nested},
        {"errors", test_errors},
        {"interrupt", test_interrupt},
        {"other callbacks", test_other_callbacks},
        {"stress", test_stress},
    };
    return RUN_TESTS(tests);
}
