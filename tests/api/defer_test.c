// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Results that the host says it will hardly ask for: they are not stored with what is computed of them, are
// there all the same when they are asked for, and nobody else can tell.

#include <stdlib.h>
#include <string.h>

#include "tests/api/harness.h"

static NacreVm *start(Host *host, const char *backend) {
    NacreOptions options = host_options(host);
    options.backend = backend;
    memset(host, 0, sizeof *host);
    NacreVm *vm = host->vm = nacre_new(&options);
    CHECK(vm && run(vm, "import numpy as np\nx = np.arange(100000.)\ny = np.ones(100000)\n") == NACRE_OK);
    CHECK(nacre_compute(vm, 0, NULL) == NACRE_OK);
    return vm;
}

static NacreValue *apply(NacreVm *vm, const char *name, NacreValue *a, NacreValue *b) {
    NacreValue *operands[] = {a, b}, *out = NULL;
    CHECK(nacre_apply(vm, name, 2, operands, &out) == NACRE_OK);
    return out;
}

static double item(NacreVm *vm, NacreValue *array, int64_t at) {
    NacreValue *index = nacre_int(vm, at), *got = NULL;
    double number = 0;
    CHECK(nacre_call_method(vm, array, "item", 1, &index, &got) == NACRE_OK && nacre_as_float(vm, got, &number) == NACRE_OK);
    nacre_release(vm, got);
    nacre_release(vm, index);
    return number;
}

static NacreStats stats_of(NacreVm *vm) {
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_stats(vm, &stats) == NACRE_OK);
    return stats;
}

static void release_all(NacreVm *vm, size_t count, NacreValue *const *values) {
    for (size_t i = 0; i < count; i++) nacre_release(vm, values[i]);
}

// The held operand of what is asked for, which leads from a result that nobody holds.
static void test_once(const char *backend) {
    Host host;
    NacreVm *vm = start(&host, backend);
    NacreValue *x = value_of(vm, "x"), *y = value_of(vm, "y"), *other = apply(vm, "add", x, y);
    CHECK(item(vm, other, 7) == 8); // what the engine needs the first time is there
    NacreValue *sum = apply(vm, "add", x, y), *held = apply(vm, "multiply", sum, y), *end = apply(vm, "subtract", held, x);
    nacre_release(vm, sum);
    CHECK(nacre_defer(vm, held, 1) == NACRE_OK && nacre_defer(vm, end, 1) == NACRE_OK);
    NacreStats before = stats_of(vm);
    CHECK(item(vm, end, 7) == 1);
    NacreStats after = stats_of(vm);
    CHECK(after.kernels == before.kernels + 1 && after.nodes_pending == 2);
    // Of two results one is there, on the mirror's device and here.
    CHECK(after.memory_in_use < before.memory_in_use + (strcmp(backend, "mirror") == 0 ? 2 : 1) * 900000);
    // Put off once only: now it is stored.
    CHECK(nacre_defer(vm, held, 1) == NACRE_OK);
    NacreValue *again = apply(vm, "subtract", held, y);
    CHECK(item(vm, again, 7) == 7 && stats_of(vm).nodes_pending == 0);
    CHECK(item(vm, held, 99999) == 100000);
    CHECK(stats_of(vm).kernels == after.kernels + 1);
    release_all(vm, 6, (NacreValue *[]){x, y, other, held, end, again});
    nacre_free(vm);
}

static void test_let_go(void) {
    Host host;
    NacreVm *vm = start(&host, "cpu");
    NacreValue *x = value_of(vm, "x"), *y = value_of(vm, "y");
    NacreValue *held = apply(vm, "divide", x, y), *end = apply(vm, "subtract", held, x);
    CHECK(nacre_defer(vm, held, 1) == NACRE_OK && item(vm, end, 3) == 0);
    uint64_t kernels = stats_of(vm).kernels;
    nacre_release(vm, held);
    CHECK(nacre_compute(vm, 0, NULL) == NACRE_OK && stats_of(vm).kernels == kernels && stats_of(vm).nodes_pending == 0);
    release_all(vm, 3, (NacreValue *[]){x, y, end});
    nacre_free(vm);
}

// What it reads is overwritten before it is asked for; warnings come once.
static void test_overwritten(void) {
    Host host;
    NacreVm *vm = start(&host, "cpu");
    CHECK(run(vm, "def change(v):\n    v += 1000\n") == NACRE_OK);
    NacreValue *x = value_of(vm, "x"), *y = value_of(vm, "y"), *change = value_of(vm, "change"), *none = NULL;
    NacreValue *held = apply(vm, "divide", y, x), *end = apply(vm, "minimum", held, y);
    CHECK(nacre_defer(vm, held, 1) == NACRE_OK && item(vm, end, 4) == 0.25);
    CHECK(strstr(host.warned, "divide by zero"));
    host.warned[0] = '\0';
    CHECK(nacre_call(vm, change, 1, &x, &none) == NACRE_OK);
    CHECK(item(vm, held, 4) == 0.25 && item(vm, x, 4) == 1004 && host.warned[0] == '\0');
    release_all(vm, 6, (NacreValue *[]){x, y, change, none, held, end});
    nacre_free(vm);
}

static void test_others(void) {
    Host host;
    NacreVm *vm = start(&host, "cpu");
    NacreValue *text = nacre_text(vm, "no array", 8), *x = value_of(vm, "x");
    CHECK(nacre_defer(vm, text, 1) == NACRE_OK && nacre_defer(vm, NULL, 1) == NACRE_MISUSE);
    CHECK(nacre_defer(vm, x, 1) == NACRE_OK && item(vm, x, 5) == 5); // nothing is pending
    NacreValue *y = apply(vm, "add", x, x), *z = apply(vm, "add", y, x);
    CHECK(nacre_defer(vm, y, 1) == NACRE_OK && nacre_defer(vm, y, 0) == NACRE_OK);
    CHECK(item(vm, z, 5) == 15 && stats_of(vm).nodes_pending == 0);
    // Not elementwise: its work is done once.
    NacreValue *sums = NULL, *w = NULL;
    CHECK(nacre_call_method(vm, z, "cumsum", 0, NULL, &sums) == NACRE_OK && nacre_defer(vm, sums, 1) == NACRE_OK);
    w = apply(vm, "add", sums, x);
    CHECK(item(vm, w, 2) == 11 && stats_of(vm).nodes_pending == 0);
    release_all(vm, 6, (NacreValue *[]){text, x, y, z, sums, w});
    nacre_free(vm);
}

// --- Random programs -------------------------------------------------------------------------------

enum { SLOTS = 6, STEPS = 60, PROGRAMS = 150, LENGTH = 3000 };

static const char prelude[] =
    "import numpy as np\n"
    "def first(k):\n    return np.arange(3000) * (k + 1) % 97\n"
    "def put(v, w):\n    v[100:900] = w[:800]\n"
    "def turned(v, w):\n    return v[::-1] + w\n"
    "def grown(v, w):\n    v += w % 5\n"
    "def shifted(v, w):\n    v[1:] -= w[:-1] % 3\n"
    "def masked(v, w):\n    return np.where(v > w, v, w - 1)\n"
    "def total(v, w):\n    return v - w.sum()\n"
    "def small(v, w):\n    return v % 1000003 + w.cumsum() % 11\n";
static const char *const functions[] = {"put", "turned", "grown", "shifted", "masked", "total", "small"};
static const char *const operations[] = {"add", "subtract", "multiply", "maximum", "bitwise_xor"};
enum { FUNCTIONS = sizeof functions / sizeof *functions, OPERATIONS = sizeof operations / sizeof *operations };

typedef struct Machine {
    Host host;
    NacreVm *vm;
    NacreValue *functions[FUNCTIONS], *slots[SLOTS];
} Machine;

static void open_machine(Machine *m, int depth) {
    memset(m, 0, sizeof *m);
    NacreOptions options = host_options(&m->host);
    options.depth = depth;
    m->vm = m->host.vm = nacre_new(&options);
    CHECK(m->vm && run(m->vm, prelude) == NACRE_OK);
    for (int i = 0; i < FUNCTIONS; i++) m->functions[i] = value_of(m->vm, functions[i]);
}

static void fill_slots(Machine *m) {
    NacreValue *first = value_of(m->vm, "first");
    for (int i = 0; i < SLOTS; i++) {
        NacreValue *number = nacre_int(m->vm, i);
        nacre_release(m->vm, m->slots[i]);
        CHECK(nacre_call(m->vm, first, 1, &number, &m->slots[i]) == NACRE_OK);
        nacre_release(m->vm, number);
    }
    nacre_release(m->vm, first);
}

// What is done, and with which slots.
typedef struct Step {
    int what, a, b, to;
} Step;

static void take_step(Machine *m, Step step, bool defers) {
    NacreValue *operands[] = {m->slots[step.a], m->slots[step.b]}, *out = NULL;
    if (step.what < OPERATIONS) {
        CHECK(nacre_apply(m->vm, operations[step.what], 2, operands, &out) == NACRE_OK);
    } else if (step.what < OPERATIONS + FUNCTIONS) {
        CHECK(nacre_call(m->vm, m->functions[step.what - OPERATIONS], 2, operands, &out) == NACRE_OK);
    } else if (defers) {
        CHECK(nacre_defer(m->vm, m->slots[step.a], step.b != 0) == NACRE_OK);
    }
    if (out && nacre_kind(m->vm, out) == NACRE_KIND_ARRAY) {
        nacre_release(m->vm, m->slots[step.to]);
        m->slots[step.to] = out;
    } else {
        nacre_release(m->vm, out);
    }
}

static bool agree(Machine *lazy, Machine *eager, int slot) {
    static int64_t here[LENGTH], there[LENGTH];
    CHECK(nacre_copy_to(lazy->vm, lazy->slots[slot], here, sizeof here) == NACRE_OK);
    CHECK(nacre_copy_to(eager->vm, eager->slots[slot], there, sizeof there) == NACRE_OK);
    return memcmp(here, there, sizeof here) == 0;
}

static bool run_program(Machine *lazy, Machine *eager, unsigned seed) {
    bool good = true;
    srand(seed);
    fill_slots(lazy);
    fill_slots(eager);
    for (int n = 0; good && n < STEPS; n++) {
        // Every second step says something about a result.
        Step step = {rand() % (2 * (OPERATIONS + FUNCTIONS)), rand() % SLOTS, rand() % SLOTS, rand() % SLOTS};
        take_step(lazy, step, true);
        take_step(eager, step, false);
        if (rand() % 8 == 0) good = agree(lazy, eager, rand() % SLOTS);
    }
    for (int slot = 0; good && slot < SLOTS; slot++) good = agree(lazy, eager, slot);
    return good;
}

static void test_random(void) {
    static Machine lazy, eager;
    open_machine(&lazy, 0);
    open_machine(&eager, 1);
    for (unsigned seed = 0; seed < PROGRAMS; seed++)
        if (!run_program(&lazy, &eager, seed)) CHECK(!"a program that defers has other results"), printf("seed %u\n", seed);
    nacre_free(lazy.vm);
    nacre_free(eager.vm);
}

static void test_backends(void) {
    test_once("cpu");
    test_once("mirror");
}

int main(void) {
    static const Test tests[] = {
        {"once", test_backends}, {"let go", test_let_go}, {"overwritten", test_overwritten},
        {"others", test_others}, {"random", test_random},
    };
    return RUN_TESTS(tests);
}
