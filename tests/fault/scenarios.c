// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The scenarios of scenarios.h.

#include "scenarios.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Calls ---------------------------------------------------------------------------------------

static NacreStatus run_text(NacreVm *vm, const char *text, NacreMode mode) {
    return nacre_run(vm, text, strlen(text), "<fault>", mode);
}

static NacreStatus set_argv(NacreVm *vm) {
    static const char *const argv[] = {"script.ncr", "one", "zwei", "a longer argument: \xc3\xa9",
                                       "no UTF-8: \xff"};
    return nacre_set_argv(vm, 5, argv);
}

static NacreStatus run_statement(NacreVm *vm) {
    return run_text(vm, "x = [1, 2, 3]\ny = sum(x)\n", NACRE_FILE);
}

static NacreStatus run_expression(NacreVm *vm) {
    return run_text(vm, "{'a': [1, 2.5, 'x' * 40], 'b': (1, 2**70)}", NACRE_EXPRESSION);
}

static NacreStatus run_interactive(NacreVm *vm) {
    return run_text(vm, "[1, 'two', 3.0]\n", NACRE_INTERACTIVE);
}

static NacreStatus run_cell(NacreVm *vm) {
    return run_text(vm, "from IPython.display import HTML, display\n"
                        "import numpy as np\n"
                        "handle = display(HTML('<b>x</b>'), display_id=True, metadata={'a': 1})\n"
                        "handle.update(input('What? '))\n"
                        "np.arange(400.).reshape(20, 20)\n", NACRE_CELL);
}

static NacreStatus run_missing_file(NacreVm *vm) {
    NacreStatus status = nacre_run_file(vm, "/nowhere/at/all.ncr");
    if (status == NACRE_ERROR && strcmp(nacre_error_class(vm), "FileNotFoundError") == 0)
        return NACRE_OK;
    return status;
}

static NacreStatus run_syntax_error(NacreVm *vm) {
    NacreStatus status = run_text(vm, "def f(:\n    return 1 +\n", NACRE_FILE);
    if (status == NACRE_ERROR && strcmp(nacre_error_class(vm), "SyntaxError") == 0) return NACRE_OK;
    return status;
}

// An error's text is made after the script has ended: whatever fails there, the class is known.
static NacreStatus run_error(NacreVm *vm) {
    static const char text[] = "def f(n):\n    return {}['key'] if n == 0 else f(n - 1)\n"
                               "try:\n    1 / 0\nexcept ZeroDivisionError:\n    f(4)\n";
    NacreStatus status = run_text(vm, text, NACRE_FILE);
    if (status == NACRE_ERROR && strcmp(nacre_error_class(vm), "KeyError") == 0) return NACRE_OK;
    return status;
}

static NacreStatus run_exit(NacreVm *vm) {
    NacreStatus status = run_text(vm, "import sys\nsys.exit(['not', 'a', 'number'])\n", NACRE_FILE);
    return status == NACRE_EXIT ? NACRE_OK : status;
}

static void ignore_completion(void *ctx, const char *completion) {
    (void)ctx;
    (void)completion;
}

static NacreStatus complete(NacreVm *vm, const char *text) {
    size_t start;
    return nacre_complete(vm, text, strlen(text), &start, ignore_completion, NULL);
}

static NacreStatus complete_name(NacreVm *vm) {
    return complete(vm, "print(le");
}

static NacreStatus complete_attribute(NacreVm *vm) {
    return complete(vm, "x = str.join");
}

static int ignore_write(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    (void)stream;
    (void)bytes;
    (void)len;
    return 0;
}

static NacreStatus inspect(NacreVm *vm) {
    return nacre_inspect(vm, "str.split", 9, ignore_write, NULL);
}

static NacreStatus is_complete(NacreVm *vm) {
    static const char text[] = "for x in [1, 2,\n";
    return nacre_is_complete(vm, text, sizeof text - 1) == NACRE_COMPLETE ? NACRE_ERROR : NACRE_OK;
}

static void count_text(void *ctx, NacreBuilt which, const char *text, size_t len) {
    (void)text;
    *(unsigned *)ctx |= len > 0 ? 1u << which : 0;
}

static NacreStatus build(NacreVm *vm) {
    static const char text[] =
        "import numpy as np\nfrom nacre import float64, sizes\nN = sizes('N')\n"
        "def half(x):\n    return 0.5 * x\n"
        "def f(a: float64, x: float64[N], y: float64[N, 3]) -> float64:\n"
        "    z = np.flip(x * a) + half(x[::-1])\n"
        "    for i in range(x.shape[0]):\n        z[i] += y[i, 1]\n"
        "    return z.sum()\n";
    unsigned given = 0;
    NacreStatus status = nacre_add_file(vm, "kernels.py", text, sizeof text - 1);
    const NacreBuild wanted = {.struct_size = sizeof wanted,
                               .path = "kernels.py",
                               .module = "kernels",
                               .library = "kernels",
                               .each = count_text,
                               .ctx = &given};
    if (status == NACRE_OK) status = nacre_build(vm, &wanted);
    // All three texts, or none.
    return (status == NACRE_OK) == (given == 7) && (given == 7 || given == 0) ? status : NACRE_MISUSE;
}

static NacreStatus refuse_build(NacreVm *vm) {
    static const char text[] = "from nacre import float64\n"
                               "def f(x: float64):\n    return sorted([x])\n";
    unsigned given = 0;
    NacreStatus status = nacre_add_file(vm, "refused.py", text, sizeof text - 1);
    const NacreBuild wanted = {.struct_size = sizeof wanted,
                               .path = "refused.py",
                               .module = "refused",
                               .library = "refused",
                               .each = count_text,
                               .ctx = &given};
    if (status == NACRE_OK) status = nacre_build(vm, &wanted);
    if (status == NACRE_ERROR && strcmp(nacre_error_class(vm), "BuildError") == 0) return NACRE_OK;
    return status;
}

// --- Calls on values -----------------------------------------------------------------------------

// What is not made because memory ends is NULL: what comes after that must not be called.
#define MADE(value, expression) \
    do { \
        (value) = (expression); \
        if (!(value)) return NACRE_ERROR; \
    } while (0)
#define DONE(call) \
    do { \
        NacreStatus done_ = (call); \
        if (done_ != NACRE_OK) return done_; \
    } while (0)

static NacreStatus make_values(NacreVm *vm) {
    NacreValue *parts[3], *list, *dict, *out;
    MADE(parts[0], nacre_int(vm, 1));
    MADE(parts[1], nacre_text(vm, "a text that is not short", 24));
    MADE(parts[2], nacre_uint(vm, UINT64_MAX));
    MADE(list, nacre_list(vm, 3, parts));
    MADE(dict, nacre_dict(vm, 2, parts, parts + 1));
    MADE(out, nacre_tuple(vm, 2, parts));
    MADE(out, nacre_complex(vm, 1, 2));
    MADE(out, nacre_slice(vm, parts[0], NULL, NULL));
    DONE(nacre_item(vm, list, out, &out));
    DONE(nacre_set_item(vm, dict, parts[2], out));
    DONE(nacre_operator(vm, "+", list, out, &out));
    DONE(nacre_repr(vm, out, &out));
    DONE(nacre_set_global(vm, "made", out));
    for (int i = 0; i < 70; i++) MADE(out, nacre_hold(vm, out));
    return NACRE_OK;
}

static NacreStatus twice(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                         NacreValue **result) {
    (void)ctx;
    (void)count;
    return nacre_call(vm, args[0], 1, &args[1], result);
}

static void note_drop(void *ctx) {
    ++*(int *)ctx;
}

static NacreStatus call_values(NacreVm *vm) {
    static const char text[] = "class C:\n    def __add__(self, o): return [o]\n"
                               "def f(x, *rest, **more): return [x + 1, rest, more]\n";
    static int drops;  // counted once more when the VM goes, after this call
    const NacreFunction function = {.struct_size = sizeof function, .name = "twice",
                                    .signature = "f, x=[1]", .doc = "docs", .fn = twice, .ctx = &drops,
                                    .drop = note_drop};
    static const char *const names[] = {"key"};
    NacreValue *host, *f, *C, *c, *args[3], *out;
    DONE(run_text(vm, text, NACRE_FILE));
    drops = 0;
    NacreStatus status = nacre_function(vm, &function, &host);
    if (status != NACRE_OK) return drops == 1 ? status : NACRE_MISUSE;
    DONE(nacre_global(vm, "f", &f));
    DONE(nacre_global(vm, "C", &C));
    DONE(nacre_call(vm, C, 0, NULL, &c));
    MADE(args[1], nacre_int(vm, 5));
    args[0] = f;
    args[2] = args[1];
    DONE(nacre_call(vm, host, 2, args, &out));
    DONE(nacre_operator(vm, "+", c, args[1], &out));
    DONE(nacre_call_with(vm, f, 1, args + 1, 1, names, &out));
    DONE(nacre_evaluate(vm, "[i * i for i in range(5)]", 25, "<fault>", &out));
    DONE(nacre_iterate(vm, out, &out));
    DONE(nacre_next(vm, out, &out));
    status = nacre_raise(vm, "ValueError", "raised");
    return strcmp(nacre_error_class(vm), "ValueError") == 0 ? NACRE_OK : status;
}

static NacreStatus wrap_memory(NacreVm *vm) {
    static double data[600];
    static const int64_t shape[] = {20, 30};
    const NacreMemory memory = {.struct_size = sizeof memory, .data = data, .dtype = "float64", .ndim = 2,
                                .shape = shape};
    NacreValue *x, *two, *args[2], *out;
    const void *at;
    void *to;
    DONE(nacre_wrap(vm, &memory, &x));
    MADE(two, nacre_float(vm, 2));
    args[0] = x;
    args[1] = two;
    DONE(nacre_apply(vm, "multiply", 2, args, &out));
    DONE(nacre_operator(vm, "+=", x, two, &x));
    DONE(nacre_compute(vm, 1, &out));
    DONE(nacre_read(vm, out, &at));
    DONE(nacre_write(vm, x, &to));
    DONE(nacre_call_method(vm, out, "sum", 0, NULL, &out));
    DONE(nacre_array(vm, "int8", 2, shape, &out));
    DONE(nacre_copy_to(vm, out, data, 600));
    memset(data, 0, sizeof data);
    return nacre_as_array(vm, out, "float32", &out);
}

// An array on a device, which is handed out and taken in there, and to the host.
static NacreStatus share_arrays(NacreVm *vm) {
    const NacreDlpack there = {.struct_size = sizeof there, .versioned = 1},
                      here = {.struct_size = sizeof here, .versioned = 1, .on_host = 1, .copy = 1};
    NacreValue *x, *other, *out;
    void *tensor;
    int type, number;
    DONE(run_text(vm, "import numpy as np\nx = np.arange(300.0) * 2\n", NACRE_FILE));
    DONE(nacre_global(vm, "x", &x));
    DONE(nacre_dlpack_device(vm, x, &type, &number));
    DONE(nacre_dlpack(vm, x, &there, &tensor));
    DONE(nacre_from_dlpack(vm, tensor, 1, &other));
    DONE(nacre_dlpack(vm, x, &here, &tensor));
    DONE(nacre_from_dlpack(vm, tensor, 1, &out));
    DONE(nacre_operator(vm, "+=", other, out, &out));
    return nacre_call_method(vm, x, "tolist", 0, NULL, &out);
}

// power(x, 3) of a plan becomes x * x * x.
static NacreStatus cube(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    (void)ctx;
    for (int n = 0; n < plan->node_count; n++) {
        NacreMatch match = {.struct_size = sizeof match};
        NacreValue *x, *made;
        int found;
        DONE(nacre_plan_match(vm, n, "power(x, 3)", &match, &found));
        if (!found) continue;
        DONE(nacre_plan_value(vm, match.captures[0].node, match.captures[0].operand, &x));
        DONE(nacre_operator(vm, "*", x, x, &made));
        DONE(nacre_operator(vm, "*", made, x, &made));
        DONE(nacre_plan_replace(vm, n, made));
    }
    return NACRE_OK;
}

static int twice_as_much(void *ctx, const NacreOperationCall *call) {
    const double *from = call->operands[0].data;
    double *to = call->result.data;
    (void)ctx;
    for (int64_t i = 0; i < call->result.shape[0]; i++) to[i] = 2 * from[i];
    return 0;
}

static NacreStatus host_operation(NacreVm *vm) {
    static const char text[] = "np.arange(2000)[::2]";
    static const NacreImplementation functions[] = {{"cpu", twice_as_much}};
    const NacreHostOperation operation = {.struct_size = sizeof operation, .name = "twice_as_much", .doc = "docs",
                                          .operand_count = 1, .dtype = "float64", .is_contiguous = 1,
                                          .implementation_count = 1, .implementations = functions};
    NacreValue *x, *y;
    NacreStatus status = nacre_add_operation(vm, &operation, NULL);
    int is_there = status == NACRE_ERROR && strcmp(nacre_error_class(vm), "ValueError") == 0; // from before
    if (status != NACRE_OK && !is_there) return status;
    DONE(run_text(vm, "import numpy as np", NACRE_FILE));
    DONE(nacre_evaluate(vm, text, sizeof text - 1, "<fault>", &x));
    DONE(nacre_apply(vm, operation.name, 1, &x, &y));
    return nacre_compute(vm, 1, &y);
}

// A held operand that is put off, and computed after all.
static NacreStatus defer(NacreVm *vm) {
    static const char text[] = "np.arange(2000.0)";
    NacreValue *parts[2], *held, *end, *out;
    DONE(run_text(vm, "import numpy as np", NACRE_FILE));
    DONE(nacre_evaluate(vm, text, sizeof text - 1, "<fault>", &parts[0]));
    parts[1] = parts[0];
    DONE(nacre_apply(vm, "add", 2, parts, &out));
    parts[1] = out;
    DONE(nacre_apply(vm, "multiply", 2, parts, &held));
    nacre_release(vm, out);
    parts[1] = held;
    DONE(nacre_apply(vm, "subtract", 2, parts, &end));
    DONE(nacre_defer(vm, held, 1));
    DONE(nacre_call_method(vm, end, "sum", 0, NULL, &out));
    return nacre_call_method(vm, held, "sum", 0, NULL, &out);
}

static NacreStatus edit_plan(NacreVm *vm) {
    static const char text[] = "import numpy as np\ny = (np.arange(2000.0) ** 3.0 + 1)[5]\n";
    const NacrePass pass = {.struct_size = sizeof pass, .name = "cube", .doc = "docs", .run = cube};
    nacre_remove_pass(vm, "cube");
    DONE(nacre_add_pass(vm, &pass));
    DONE(run_text(vm, text, NACRE_FILE));
    return nacre_edit(vm, 0, NULL, cube, NULL);
}

static const struct {
    const char *name;
    NacreStatus (*call)(NacreVm *vm);
    int silent;
} calls[] = {
    {"nacre_new", NULL, 1},
    {"set_argv", set_argv, 0},
    {"run_statement", run_statement, 0},
    {"run_expression", run_expression, 0},
    {"run_interactive", run_interactive, 0},
    {"run_cell", run_cell, 0},
    {"run_missing_file", run_missing_file, 0},
    {"run_syntax_error", run_syntax_error, 0},
    {"run_error", run_error, 0},
    {"run_exit", run_exit, 0},
    {"complete_name", complete_name, 1},
    {"complete_attribute", complete_attribute, 1},
    {"inspect", inspect, 1},
    {"is_complete", is_complete, 0},
    {"make_values", make_values, 0},
    {"call_values", call_values, 0},
    {"wrap_memory", wrap_memory, 0},
    {"share_arrays", share_arrays, 0},
    {"defer", defer, 0},
    {"edit_plan", edit_plan, 0},
    {"host_operation", host_operation, 0},
    {"build", build, 0},
    {"refuse_build", refuse_build, 0},
};
enum { CALLS = sizeof calls / sizeof *calls };

// --- Scripts -------------------------------------------------------------------------------------

static int is_script(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".ncr") == 0;
}

static int add_script(Scenarios *all, const char *folder, const char *file, const char *backend,
                      const char *tier) {
    Scenario *scenario = &all->items[all->count];
    char path[4096], name[300];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    const char *where = backend ? backend : tier ? tier : "";
    snprintf(name, sizeof name, "%s%s%s", file, *where ? "@" : "", where);
    *scenario = (Scenario){.name = strdup(name), .path = strdup(path), .backend = backend, .tier = tier};
    all->count++;
    return scenario->name && scenario->path;
}

// On a device a script makes requests of its own: for copies, and for memory there. So do loops that get
// machine code.
static int add_on_backends(Scenarios *all, const char *folder, const char *file) {
    int good = add_script(all, folder, file, NULL, NULL);
    if (strncmp(file, "array", 5) == 0) good = good && add_script(all, folder, file, "mirror", NULL);
    if (strncmp(file, "loops", 5) == 0) good = good && add_script(all, folder, file, NULL, "function");
    return good;
}

Scenarios scenarios_load(const char *folder) {
    Scenarios all = {0};
    struct dirent **entries;
    int found = scandir(folder, &entries, is_script, alphasort), good = found > 0;
    if (found < 0) return all;
    all.items = calloc(2 * (size_t)found + CALLS, sizeof *all.items);
    good = good && all.items;
    for (int i = 0; good && i < CALLS; i++)
        all.items[all.count++] = (Scenario){.name = strdup(calls[i].name), .call = calls[i].call,
                                            .silent = calls[i].silent, .publishes = calls[i].call == run_cell,
                                            .backend = calls[i].call == share_arrays ? "mirror" : NULL};
    for (int i = 0; i < found; i++) {
        good = good && add_on_backends(&all, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (!good) scenarios_free(&all);
    return all;
}

void scenarios_free(Scenarios *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->items[i].name);
        free(all->items[i].path);
    }
    free(all->items);
    *all = (Scenarios){0};
}

NacreStatus scenario_run(const Scenario *scenario, NacreVm *vm) {
    if (scenario->path) return nacre_run_file(vm, scenario->path);
    return scenario->call ? scenario->call(vm) : NACRE_OK;
}
