// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Passes of the host: patterns, replacements, hints; what they cannot do; and that no result depends on hints.

#include <string.h>

#include "harness.h"

static const char *backend;

// Nothing is done where it is written, so that few elements make plans too.
static NacreVm *start(Host *host) {
    memset(host, 0, sizeof *host);
    NacreOptions options = host_options(host);
    options.backend = backend;
    options.depth = 64;
    host->vm = nacre_new(&options);
    CHECK(host->vm && run(host->vm, "import numpy as np") == NACRE_OK);
    return host->vm;
}

// How often an operation was run.
static uint64_t runs_of(const NacreVm *vm, const char *operation) {
    const char *name;
    for (int i = 0;; i++) {
        uint64_t count = nacre_operation_count(vm, i, &name);
        if (!name) return 0;
        if (strcmp(name, operation) == 0) return count;
    }
}

static uint64_t kernels_of(const NacreVm *vm) {
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_stats(vm, &stats) == NACRE_OK);
    return stats.kernels;
}

// What a pass of these tests does, and how often it was asked.
typedef struct Asked {
    int times, found, drops;
    const char *pattern;
} Asked;

static void count_drop(void *ctx) {
    ((Asked *)ctx)->drops++;
}

static NacreStatus add_pass(NacreVm *vm, const char *name, NacreEditFn run_pass, Asked *asked) {
    const NacrePass pass = {.struct_size = sizeof pass, .name = name, .run = run_pass, .ctx = asked,
                            .drop = count_drop};
    return nacre_add_pass(vm, &pass);
}

static NacreValue *capture(NacreVm *vm, const NacreMatch *match, const char *name) {
    NacreValue *value = NULL;
    for (int i = 0; i < match->capture_count; i++)
        if (strcmp(match->captures[i].name, name) == 0)
            CHECK(nacre_plan_value(vm, match->captures[i].node, match->captures[i].operand, &value) == NACRE_OK);
    return value;
}

// (a @ b) @ v becomes a @ (b @ v).
static NacreStatus chain(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    Asked *asked = ctx;
    asked->times++;
    for (int n = 0; n < plan->node_count; n++) {
        NacreMatch match = {.struct_size = sizeof match};
        int found = 0;
        if (nacre_plan_match(vm, n, "matmul(matmul(a, b), v)", &match, &found) != NACRE_OK) return NACRE_ERROR;
        if (!found) continue;
        NacreValue *a = capture(vm, &match, "a"), *b = capture(vm, &match, "b"), *v = capture(vm, &match, "v");
        NacreValue *inner = NULL, *outer = NULL;
        NacreStatus status = nacre_operator(vm, "@", b, v, &inner);
        if (status == NACRE_OK) status = nacre_operator(vm, "@", a, inner, &outer);
        if (status == NACRE_OK) status = nacre_plan_replace(vm, n, outer);
        if (status != NACRE_OK) return status;
        asked->found++;
    }
    return NACRE_OK;
}

static void test_replace(void) {
    Host host;
    NacreVm *vm = start(&host);
    Asked asked = {0};
    CHECK(run(vm, "a = np.arange(12.0).reshape(3, 4); b = np.ones((4, 5)); v = np.arange(10.0).reshape(5, 2)\n"
                  "expect = ((a @ b) @ v).tolist()\n") == NACRE_OK);
    CHECK(add_pass(vm, "chain", chain, &asked) == NACRE_OK);
    CHECK(failed(vm, add_pass(vm, "chain", chain, &asked), "ValueError") && asked.drops == 1);
    CHECK(evaluates(vm, "((a @ b) @ v).tolist() == expect", "True"));
    CHECK(asked.times >= 1 && asked.found == 1);
    // The plan was changed, so the pass is asked again; others are left as they are.
    CHECK(evaluates(vm, "((a @ b) @ v).tolist() == expect", "True") && asked.found == 2);
    CHECK(run(vm, "x = a + 1; x[0, 0]") == NACRE_OK);
    int times = asked.times;
    CHECK(run(vm, "x = a + 1; x[0, 0]") == NACRE_OK && asked.times == times);
    // Others want the product that is in between, which stays.
    CHECK(run(vm, "p = a @ b\nq = p @ v\n") == NACRE_OK);
    CHECK(evaluates(vm, "q.tolist() == expect and p.tolist() == (a @ b).tolist()", "True"));
    CHECK(failed(vm, nacre_remove_pass(vm, "no such"), "KeyError"));
    CHECK(nacre_remove_pass(vm, "chain") == NACRE_OK && asked.drops == 2);
    times = asked.times;
    CHECK(evaluates(vm, "((a @ b) @ v).tolist() == expect", "True") && asked.times == times);
    nacre_free(vm);
}

// power(x, 3) becomes x * x * x.
static NacreStatus cube(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    Asked *asked = ctx;
    asked->times++;
    for (int n = 0; n < plan->node_count; n++) {
        NacreMatch match = {.struct_size = sizeof match};
        int found = 0;
        NacreValue *square = NULL, *cubed = NULL;
        CHECK(nacre_plan_match(vm, n, asked->pattern, &match, &found) == NACRE_OK);
        if (!found) continue;
        NacreValue *x = capture(vm, &match, "x");
        CHECK(nacre_operator(vm, "*", x, x, &square) == NACRE_OK);
        CHECK(nacre_operator(vm, "*", square, x, &cubed) == NACRE_OK);
        NacreStatus status = nacre_plan_replace(vm, n, cubed);
        if (status != NACRE_OK) return status;
        asked->found++;
    }
    return NACRE_OK;
}

static void test_elementwise(void) {
    static const char script[] = "x = np.linspace(0, 1, 1000)\n"
                                 "y = (x ** 3.0 + 1) * 2\n"
                                 "close = np.allclose(y, (x * x * x + 1) * 2)\n";
    Host host;
    NacreVm *vm = start(&host);
    Asked asked = {.pattern = "power(x, 3)"};
    CHECK(add_pass(vm, "cube", cube, &asked) == NACRE_OK);
    CHECK(run(vm, script) == NACRE_OK && evaluates(vm, "close", "True"));
    CHECK(asked.found == 1 && runs_of(vm, "power") == 0);
    // In place, and of what is overwritten behind it.
    CHECK(run(vm, "x = np.arange(8.0)\nz = x ** 3.0\nx += 100\nx **= 3.0\n") == NACRE_OK);
    CHECK(evaluates(vm, "z.tolist()", "[0.0, 1.0, 8.0, 27.0, 64.0, 125.0, 216.0, 343.0]"));
    CHECK(evaluates(vm, "x[0], x[7]", "(np.float64(1000000.0), np.float64(1225043.0))"));
    CHECK(asked.found == 3);
    // float32 stays what it is; ints and other exponents are no such pattern.
    CHECK(run(vm, "x = np.arange(4, dtype='float32')\nz = x ** 3.0\n") == NACRE_OK);
    CHECK(evaluates(vm, "z.dtype, z.tolist()", "(dtype('float32'), [0.0, 1.0, 8.0, 27.0])") && asked.found == 4);
    CHECK(evaluates(vm, "(np.arange(4.0) ** 2.5)[1]", "np.float64(1.0)") && asked.found == 4);
    // A warning has the line that was replaced.
    CHECK(run(vm, "x = np.array([1e200, 1.0])\n\nz = x ** 3.0\nz[0]\n") == NACRE_OK && asked.found == 5);
    CHECK(strstr(host.warned, "overflow") != NULL);
    nacre_free(vm);
    CHECK(asked.drops == 1);
}

// --- Once ----------------------------------------------------------------------------------------

static NacreStatus look(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    Asked *asked = ctx;
    NacreNode node = {.struct_size = sizeof node};
    NacreStorage storage = {.struct_size = sizeof storage};
    NacreMatch match = {.struct_size = sizeof match};
    NacreValue *value = NULL;
    const void *data = NULL;
    int found = 0;
    asked->times++;
    CHECK(plan->node_count == 3 && nacre_plan_node(vm, 2, &node) == NACRE_OK);
    CHECK(strcmp(node.operation, "add") == 0 && nacre_plan_node(vm, 3, &node) == NACRE_MISUSE);
    CHECK(nacre_plan_storage(vm, 0, &storage) == NACRE_OK);
    CHECK(nacre_plan_writer(vm, 2, 0) == 1 && nacre_plan_writer(vm, 1, 0) == 0 && nacre_plan_writer(vm, 0, 0) == -1);
    CHECK(nacre_plan_writer(vm, 2, 5) == -1 && nacre_plan_writer(vm, 9, 0) == -1);
    // Patterns: exchanged operands, the same name twice, numbers, anything.
    static const struct {
        const char *pattern;
        int node, found, captures;
    } cases[] = {
        {"add(multiply(p, 2), q)", 2, 0, 0},           {"add(multiply(p, _), q)", 2, 1, 2},
        {"add(q, multiply(_, p))", 2, 1, 2},           {"add(x, multiply(add(x, 1), _))", 2, 1, 1},
        {"add(x, multiply(_, add(1, x)))", 2, 1, 1},   {"multiply(add(_, 1), add(_, 1))", 1, 1, 0},
        {"multiply(add(x, 1), add(y, 1))", 1, 1, 2},   {" add ( _ , 1.0 ) ", 0, 1, 0},
        {"subtract(a, b)", 2, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(nacre_plan_match(vm, cases[i].node, cases[i].pattern, &match, &found) == NACRE_OK);
        CHECK(found == cases[i].found && (!found || match.capture_count == cases[i].captures));
    }
    static const char *const wrong[] = {"", "x", "add(x)", "add(x, y, z)", "nothing(x)", "add(x, y", "add(x, y) z",
                                        "add(x,)", "add(x y)", "add(-, 1)", "add(a_name_that_is_much_too_long_for_it, x)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(failed(vm, nacre_plan_match(vm, 2, wrong[i], &match, &found), "ValueError"));
    // Elements that are pending cannot be had, nor the program's arrays written.
    CHECK(nacre_plan_value(vm, 0, NACRE_RESULT, &value) == NACRE_OK);
    CHECK(failed(vm, nacre_read(vm, value, &data), "RuntimeError"));
    CHECK(failed(vm, nacre_operator(vm, "+=", value, value, &value), "ValueError"));
    CHECK(nacre_plan_value(vm, 0, 7, &value) == NACRE_MISUSE && nacre_plan_value(vm, 0, -2, &value) == NACRE_MISUSE);
    CHECK(nacre_edit(vm, 0, NULL, look, ctx) == NACRE_MISUSE && add_pass(vm, "x", look, ctx) == NACRE_MISUSE);
    // Another shape, another type; a result that is not there yet.
    CHECK(failed(vm, nacre_plan_replace(vm, 2, value_of(vm, "np.ones(3)")), "ValueError"));
    CHECK(failed(vm, nacre_plan_replace(vm, 2, value_of(vm, "np.ones(4, dtype='int8')")), "ValueError"));
    CHECK(nacre_plan_value(vm, 2, NACRE_RESULT, &value) == NACRE_OK);
    CHECK(failed(vm, nacre_plan_replace(vm, 0, value), "ValueError"));
    asked->found = 1;
    // One may become a constant, and what led to it goes.
    return nacre_plan_replace(vm, 2, value_of(vm, "np.arange(4.0)"));
}

static NacreStatus refuse(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    (void)ctx;
    (void)plan;
    return nacre_raise(vm, "KeyError", "not this one");
}

static void test_once(void) {
    Host host;
    NacreVm *vm = start(&host);
    Asked asked = {0};
    CHECK(nacre_plan_writer(vm, 0, 0) == -1 && nacre_plan_value(vm, 0, 0, NULL) == NACRE_MISUSE);
    NacreValue *y = NULL;
    CHECK(run(vm, "x = np.ones(4)\ndef f():\n    t = x + 1\n    return t * t + x\n") == NACRE_OK);
    NacreValue *f = value_of(vm, "f");
    CHECK(nacre_call(vm, f, 0, NULL, &y) == NACRE_OK);
    CHECK(failed(vm, nacre_edit(vm, 1, &y, refuse, NULL), "KeyError"));
    CHECK(nacre_edit(vm, 1, &y, look, &asked) == NACRE_OK && asked.times == 1 && asked.found == 1);
    double out[4] = {9, 9, 9, 9};
    uint64_t before = runs_of(vm, "multiply");
    CHECK(nacre_copy_to(vm, y, out, sizeof out) == NACRE_OK && out[0] == 0 && out[3] == 3);
    CHECK(runs_of(vm, "multiply") == before);
    CHECK(nacre_edit(vm, 1, &y, look, &asked) == NACRE_OK && asked.times == 1); // nothing is pending
    CHECK(nacre_edit(vm, 0, NULL, NULL, NULL) == NACRE_MISUSE);
    nacre_free(vm);
}

// --- What has been overwritten -------------------------------------------------------------------

// Gives the last node the first one's operand plus itself: another value by then, where that was overwritten.
static NacreStatus reach_back(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    Asked *asked = ctx;
    NacreValue *first = NULL, *sum = NULL;
    CHECK(nacre_plan_value(vm, 0, 0, &first) == NACRE_OK);
    CHECK(nacre_operator(vm, "+", first, first, &sum) == NACRE_OK);
    NacreStatus status = nacre_plan_replace(vm, plan->node_count - 1, sum);
    asked->found = status == NACRE_OK ? 1 : -1;
    return NACRE_OK;
}

static void test_overwritten(void) {
    Host host;
    NacreVm *vm = start(&host);
    Asked asked = {0};
    NacreValue *y = NULL;
    CHECK(run(vm, "def still():\n    t = x * 3\n    return t - 1\n"
                  "def gone():\n    t = x * 3\n    x[1:3] += 1\n    return t - x\n"
                  "x = np.arange(4.0)\n") == NACRE_OK);
    double out[4];
    CHECK(nacre_call(vm, value_of(vm, "still"), 0, NULL, &y) == NACRE_OK);
    CHECK(nacre_edit(vm, 1, &y, reach_back, &asked) == NACRE_OK && asked.found == 1);
    CHECK(nacre_copy_to(vm, y, out, sizeof out) == NACRE_OK && out[0] == 0 && out[3] == 6);
    CHECK(nacre_call(vm, value_of(vm, "gone"), 0, NULL, &y) == NACRE_OK);
    CHECK(nacre_edit(vm, 1, &y, reach_back, &asked) == NACRE_OK && asked.found == -1);
    CHECK(nacre_copy_to(vm, y, out, sizeof out) == NACRE_OK && out[0] == 0 && out[1] == 1 && out[3] == 6);
    nacre_free(vm);
}

// --- Hints --------------------------------------------------------------------------------------

static NacreHint hinted;

static NacreStatus hint_all(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    (void)ctx;
    for (int n = 0; n < plan->node_count; n++)
        if (nacre_plan_hint(vm, n, &hinted) != NACRE_OK) return NACRE_ERROR;
    return NACRE_OK;
}

static void test_hints(void) {
    static const char script[] = "t = np.sqrt(x) * 2 + x\ns = (t - t.mean()) ** 2\ntotal = float(s.sum())\n";
    Host host;
    NacreVm *vm = start(&host);
    CHECK(run(vm, "x = np.linspace(1, 2, 100000)\n") == NACRE_OK && run(vm, script) == NACRE_OK);
    CHECK(run(vm, "expect = total\n") == NACRE_OK);
    uint64_t before = kernels_of(vm);
    CHECK(run(vm, script) == NACRE_OK);
    uint64_t usual = kernels_of(vm) - before;
    Asked asked = {0};
    CHECK(add_pass(vm, "hints", hint_all, &asked) == NACRE_OK);
    const NacreHint all[] = {{.apart = 1}, {.together = 1}, {.stored = 1}, {.own = 1}, {.plain = 1}, {.host = 1},
                             {.whole = 1}, {.code = -1}, {.code = 1}, {.tile = 16}, {.threads = 1},
                             {.apart = 1, .tile = 1, .threads = 127, .stored = 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hinted = all[i];
        hinted.struct_size = sizeof hinted;
        before = kernels_of(vm);
        CHECK(run(vm, script) == NACRE_OK && evaluates(vm, "total == expect", "True"));
        uint64_t now = kernels_of(vm) - before;
        if (all[i].apart) CHECK(now > usual);
    }
    hinted = (NacreHint){.struct_size = sizeof hinted, .tile = 3};
    CHECK(failed(vm, run(vm, script), "ValueError"));
    hinted.tile = 0;
    hinted.threads = 128;
    CHECK(failed(vm, run(vm, script), "ValueError"));
    nacre_free(vm);
}

// --- That hints are followed ----------------------------------------------------------------------

typedef struct Followed {
    NacreVm *vm;
    int stored, on_host, kernels;
} Followed;

static void count_fates(void *ctx, const NacrePlan *plan) {
    Followed *seen = ctx;
    NacreNode node = {.struct_size = sizeof node};
    for (int n = 0; plan->is_last && n < plan->node_count; n++)
        seen->stored += nacre_plan_node(seen->vm, n, &node) == NACRE_OK && node.fate == NACRE_STORED;
}

static void count_kernels(void *ctx, const NacreKernel *kernel) {
    ((Followed *)ctx)->kernels++;
    ((Followed *)ctx)->on_host += kernel->on_host;
}

// A chain of four operations whose last result is wanted.
static Followed follow(NacreVm *vm, NacreHint hints) {
    Followed seen = {.vm = vm};
    const NacreWatch watch = {.struct_size = sizeof watch, .ctx = &seen, .pass = count_fates, .kernel = count_kernels};
    Asked asked = {0};
    hinted = hints;
    hinted.struct_size = sizeof hinted;
    CHECK(add_pass(vm, "hints", hint_all, &asked) == NACRE_OK && nacre_watch(vm, &watch) == NACRE_OK);
    CHECK(run(vm, "z = ((x + 1) * x - x) * 0.5\nz[0]\n") == NACRE_OK);
    CHECK(nacre_watch(vm, NULL) == NACRE_OK && nacre_remove_pass(vm, "hints") == NACRE_OK);
    return seen;
}

static uint64_t products_of(NacreVm *vm, NacreHint hints) {
    Asked asked = {0};
    uint64_t before = runs_of(vm, "gemm");
    hinted = hints;
    hinted.struct_size = sizeof hinted;
    CHECK(add_pass(vm, "hints", hint_all, &asked) == NACRE_OK);
    CHECK(run(vm, "(2.0 * (m @ m) + m)[0, 0]\n") == NACRE_OK && nacre_remove_pass(vm, "hints") == NACRE_OK);
    return runs_of(vm, "gemm") - before;
}

static void test_followed(void) {
    Host host;
    NacreVm *vm = start(&host);
    bool device = strcmp(backend, "mirror") == 0;
    CHECK(run(vm, "x = np.linspace(1, 2, 5000)\nm = np.arange(4.0e4).reshape(200, 200)\nx[0], m[0, 0]\n") == NACRE_OK);
    const Followed usual = follow(vm, (NacreHint){0}), stored = follow(vm, (NacreHint){.stored = 1});
    const Followed apart = follow(vm, (NacreHint){.apart = 1}), on_host = follow(vm, (NacreHint){.host = 1});
    CHECK(usual.stored == 1 && usual.kernels == 1 && usual.on_host == 0);
    CHECK(stored.stored == 4 && stored.kernels == 1);
    CHECK(apart.kernels == 4 && apart.stored == 4);
    CHECK(on_host.kernels == 1 && on_host.on_host == (device ? 1 : 0));
    uint64_t joined = products_of(vm, (NacreHint){0});
    CHECK(joined <= 1 && products_of(vm, (NacreHint){.own = 1}) == 0);
    nacre_free(vm);
}

static void test_builtin(void) {
    static const char script[] = "r = float((2.0 * (m @ m) + 3.0 * m)[0, 0])\n";
    Host host;
    NacreVm *vm = start(&host);
    CHECK(run(vm, "m = np.arange(4.0e4).reshape(200, 200)\n") == NACRE_OK && run(vm, script) == NACRE_OK);
    CHECK(run(vm, "expect = r") == NACRE_OK);
    static const char *const optional[] = {"dead_code", "library", "algebra", "handover"};
    for (int i = 0; i < 4; i++) {
        CHECK(nacre_use_pass(vm, optional[i], 0) == NACRE_OK);
        CHECK(run(vm, script) == NACRE_OK && evaluates(vm, "abs(r - expect) <= 1e-9 * expect", "True"));
    }
    uint64_t calls = runs_of(vm, "gemm");
    CHECK(run(vm, script) == NACRE_OK && runs_of(vm, "gemm") == calls);
    for (int i = 0; i < 4; i++) CHECK(nacre_use_pass(vm, optional[i], 1) == NACRE_OK);
    CHECK(failed(vm, nacre_use_pass(vm, "fusion", 0), "ValueError"));
    CHECK(failed(vm, nacre_use_pass(vm, "no such", 1), "ValueError"));
    NacreOperation operation = {.struct_size = sizeof operation};
    int count = 0, commutative = 0;
    while (nacre_operation(count, &operation)) commutative += operation.is_commutative, count++;
    CHECK(count > 100 && commutative > 5 && !nacre_operation(-1, &operation));
    CHECK(nacre_operation(0, &operation) && strcmp(operation.name, "add") == 0 && operation.operand_count == 2 &&
          strcmp(operation.kind, "elementwise") == 0);
    nacre_free(vm);
}

// What runs code of the script in the middle of an observation, and fails there.
static NacreStatus call_back(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    Asked *asked = ctx;
    NacreValue *value = NULL, *f = NULL;
    (void)plan;
    if (asked->times++ > 0) return NACRE_OK;
    CHECK(nacre_evaluate(vm, "sum(i * i for i in range(10))", 29, "<pass>", &value) == NACRE_OK);
    CHECK(nacre_evaluate(vm, "1 // 0", 6, "<pass>", &value) == NACRE_ERROR);
    CHECK(strcmp(nacre_error_class(vm), "ZeroDivisionError") == 0);
    CHECK(nacre_global(vm, "helper", &f) == NACRE_OK && nacre_call(vm, f, 0, NULL, &value) == NACRE_OK);
    CHECK(nacre_held(vm) > 0);
    return nacre_raise(vm, "LookupError", "the pass gives up");
}

static void test_failing(void) {
    Host host;
    NacreVm *vm = start(&host);
    Asked asked = {0};
    CHECK(run(vm, "def helper(): return np.roll(np.arange(6.0), 2).reshape(2, 3)\nhelper()\nx = np.arange(5.0)\n") == NACRE_OK);
    CHECK(add_pass(vm, "back", call_back, &asked) == NACRE_OK);
    CHECK(run(vm, "try:\n    (x + 1)[2]\nexcept LookupError as e:\n    caught = str(e)\n") == NACRE_OK);
    CHECK(evaluates(vm, "caught", "'the pass gives up'"));
    CHECK(evaluates(vm, "(x + 1)[2]", "np.float64(3.0)"));
    CHECK(nacre_add_pass(vm, NULL) == NACRE_MISUSE && nacre_remove_pass(vm, NULL) == NACRE_MISUSE);
    static const char *const unknown[] = {"add", "no such operation", NULL};
    const NacrePass wrong = {.struct_size = sizeof wrong, .name = "w", .operations = unknown, .run = look};
    CHECK(failed(vm, nacre_add_pass(vm, &wrong), "ValueError"));
    nacre_free(vm);
}

// sin(x * n) becomes x.
static NacreStatus drop_sine(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    for (int n = 0; n < plan->node_count; n++) {
        NacreMatch match = {.struct_size = sizeof match};
        NacreValue *x = NULL;
        int found = 0;
        CHECK(nacre_plan_match(vm, n, "sin(multiply(x, _))", &match, &found) == NACRE_OK);
        if (!found) continue;
        CHECK(nacre_plan_value(vm, match.captures[0].node, match.captures[0].operand, &x) == NACRE_OK);
        CHECK(nacre_plan_replace(vm, n, x) == NACRE_OK);
        ++*(int *)ctx;
    }
    return NACRE_OK;
}

// A stop has left something pending, so that later all else is asked for by name, what a pass drops among it.
static void test_after_a_stop(void) {
    Host host;
    memset(&host, 0, sizeof host);
    NacreOptions options = host_options(&host);
    options.backend = backend;
    NacreVm *vm = host.vm = nacre_new(&options);
    const NacreFunction function = {.struct_size = sizeof function, .name = "stop", .fn = interrupt_here};
    NacreValue *stops = NULL;
    int found = 0;
    CHECK(nacre_function(vm, &function, &stops) == NACRE_OK && nacre_set_global(vm, "stop", stops) == NACRE_OK);
    nacre_release(vm, stops);
    const NacrePass pass = {.struct_size = sizeof pass, .name = "sine", .run = drop_sine, .ctx = &found};
    CHECK(nacre_add_pass(vm, &pass) == NACRE_OK);
    CHECK(run(vm, "import numpy as np\nx = np.arange(20000.0)\nx[0] = 1\nq = x * 7 + 1\nstop()\nwhile True: pass\n") ==
          NACRE_INTERRUPTED);
    CHECK(run(vm, "k = []\nfor i in range(60): k.append(np.sin(x * i) + 1)\n") == NACRE_OK);
    CHECK(evaluates(vm, "float(k[3][4]), float(q[2])", "(5.0, 15.0)") && found > 0);
    nacre_free(vm);
}

// An operation that fails where it is recorded leaves nothing behind.
static void test_failing_operator(void) {
    Host host;
    NacreVm *vm = start(&host);
    CHECK(run(vm, "np.seterr(all='raise')\none, zero = np.ones(5000), np.zeros(5000)\n") == NACRE_OK);
    NacreValue *one = value_of(vm, "one"), *zero = value_of(vm, "zero"), *quotient = NULL;
    CHECK(failed(vm, nacre_operator(vm, "/", one, zero, &quotient), "FloatingPointError"));
    CHECK(nacre_operator(vm, "+", one, zero, &quotient) == NACRE_OK);
    nacre_free(vm);
}

// Editing once does not hide a plan from the passes.
static void test_once_and_always(void) {
    Host host;
    NacreVm *vm = start(&host);
    int found = 0;
    const NacrePass pass = {.struct_size = sizeof pass, .name = "sine", .run = drop_sine, .ctx = &found};
    NacreValue *y = NULL;
    Asked asked = {0};
    CHECK(run(vm, "x = np.arange(5.0)\ndef f(): return np.sin(x * 2)\n") == NACRE_OK);
    CHECK(nacre_add_pass(vm, &pass) == NACRE_OK && nacre_call(vm, value_of(vm, "f"), 0, NULL, &y) == NACRE_OK);
    asked.pattern = "power(x, 3)";
    CHECK(nacre_edit(vm, 1, &y, cube, &asked) == NACRE_OK && asked.times == 1 && found == 0);
    CHECK(nacre_compute(vm, 1, &y) == NACRE_OK && found == 1);
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {{"replace", test_replace},       {"elementwise", test_elementwise},
                                 {"once", test_once},             {"overwritten", test_overwritten},
                                 {"hints", test_hints},         {"builtin", test_builtin},
                                 {"followed", test_followed},         {"failing", test_failing},
                                 {"after_a_stop", test_after_a_stop}, {"failing_operator", test_failing_operator},
                                 {"once_and_always", test_once_and_always}};
    static const char *const names[] = {"cpu", "mirror"};
    int status = 0;
    for (int i = 0; i < 2; i++) {
        backend = names[i];
        status |= RUN_TESTS(tests);
    }
    return status;
}
