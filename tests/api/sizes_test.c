// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Programs that were built with an older or a newer nacre.h: their structures are shorter or longer. Every
// structure with a size is tried as it was when it was first released, cut within that, longer with zeros
// behind it, and longer with something else.

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "vm/api/sizes.h"

enum { MORE = 24 };

// A host's structure: `room` bytes of memory, exactly, so that AddressSanitizer sees what lies behind.
static void *host_struct(const void *from, size_t size, size_t room) {
    char *to = calloc(1, room);
    memcpy(to, from, size < room ? size : room);
    memcpy(to, &room, room < sizeof room ? room : sizeof room);
    return to;
}

static bool is_zero(const void *at, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (((const char *)at)[i]) return false;
    return true;
}

typedef bool (*AcceptFn)(NacreVm *vm, void *given);

// What is handed in.
static void try_in(const char *name, AcceptFn accepts, NacreVm *vm, const void *from, size_t size, size_t first) {
    void *as_first = host_struct(from, size, first), *longer = host_struct(from, size, size + MORE);
    void *same = host_struct(from, size, size), *huge = host_struct(from, size, 1 << 13);
    size_t none = 0, cut = first - 1;
    bool good = accepts(vm, same) && accepts(vm, as_first) && accepts(vm, longer) && !accepts(vm, huge);
    ((char *)longer)[size + MORE - 1] = 1;
    good &= !accepts(vm, longer);
    memcpy(same, &none, sizeof none);
    good &= !accepts(vm, same);
    memcpy(as_first, &cut, sizeof cut);
    good &= !accepts(vm, as_first);
    if (!good) printf("%s\n", name);
    CHECK(good);
    free(as_first);
    free(longer);
    free(same);
    free(huge);
}

// What is filled: as far as it goes, the same as the whole one, and zeros behind.
static void try_out(const char *name, AcceptFn fills, NacreVm *vm, size_t size, size_t first) {
    char *whole = host_struct("", 0, size), *as_first = host_struct("", 0, first);
    char *longer = host_struct("", 0, size + MORE);
    size_t told, cut = first - 1;
    memset(longer + size, 1, MORE);
    bool good = fills(vm, whole) && fills(vm, as_first) && fills(vm, longer);
    size_t at = sizeof told;
    good &= memcmp(whole + at, as_first + at, first - at) == 0 && memcmp(whole + at, longer + at, size - at) == 0;
    good &= is_zero(longer + size, MORE) && !is_zero(whole + at, size - at);
    memcpy(&told, as_first, sizeof told);
    good &= told == first;
    memcpy(as_first, &cut, sizeof cut);
    good &= !fills(vm, as_first);
    if (!good) printf("%s\n", name);
    CHECK(good);
    free(whole);
    free(as_first);
    free(longer);
}

// --- What is handed in -----------------------------------------------------------------------------

static bool makes_vm(NacreVm *vm, void *given) {
    (void)vm;
    NacreVm *made = nacre_new(given);
    bool good = made && run(made, "x = 1") == NACRE_OK;
    nacre_free(made);
    return good;
}

static NacreStatus do_nothing(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **result) {
    return (void)ctx, (void)vm, (void)count, (void)args, (void)result, NACRE_OK;
}

static bool makes_group(NacreVm *vm, void *given) {
    (void)vm;
    NacreGroup *made = nacre_group_new(given);
    nacre_group_free(made);
    return made;
}

static bool makes_function(NacreVm *vm, void *given) {
    NacreValue *out = NULL;
    NacreStatus status = nacre_function(vm, given, &out);
    CHECK(status == NACRE_OK || status == NACRE_MISUSE);
    nacre_release(vm, out);
    return status == NACRE_OK;
}

static bool wraps(NacreVm *vm, void *given) {
    NacreValue *out = NULL;
    NacreStatus status = nacre_wrap(vm, given, &out);
    CHECK(status == NACRE_OK || status == NACRE_MISUSE);
    nacre_release(vm, out);
    return status == NACRE_OK;
}

static bool watches(NacreVm *vm, void *given) {
    NacreStatus status = nacre_watch(vm, given);
    CHECK(nacre_watch(vm, NULL) == NACRE_OK);
    return status == NACRE_OK;
}

static void ignore_built(void *ctx, NacreBuilt which, const char *text, size_t len) {
    (void)ctx, (void)which, (void)text, (void)len;
}

static bool builds(NacreVm *vm, void *given) {
    return nacre_build(vm, given) == NACRE_ERROR; // there is no such file
}

static bool runs_graph(NacreVm *vm, void *given) {
    return nacre_run_graph(vm, given, NULL, NULL) == NACRE_OK;
}

static NacreStatus leave(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    (void)ctx, (void)vm, (void)plan;
    return NACRE_OK;
}

static bool adds_pass(NacreVm *vm, void *given) {
    bool good = nacre_add_pass(vm, given) == NACRE_OK;
    if (good) CHECK(nacre_remove_pass(vm, "a") == NACRE_OK);
    return good;
}

static int do_operation(void *ctx, const NacreOperationCall *call) {
    (void)ctx, (void)call;
    return 0;
}

// Each time by another name, as operations stay.
static bool adds_operation(NacreVm *vm, void *given) {
    static char names[64][16];
    static int count;
    NacreHostOperation *operation = given;
    if (operation->struct_size >= FIRST_HOST_OPERATION) {
        snprintf(names[count], sizeof names[count], "op%d", count);
        operation->name = names[count++];
    }
    return nacre_add_operation(vm, given, NULL) == NACRE_OK;
}

static void test_in(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    static const int64_t shape[] = {2};
    static double data[2];
    const NacreOptions options = {.threads = 1};
    const NacreGroupOptions group = {.ranks = 2};
    const NacreFunction function = {.name = "f", .fn = do_nothing};
    const NacreMemory memory = {.data = data, .dtype = "float64", .ndim = 1, .shape = shape};
    const NacreWatch watch = {.data = 1};
    const NacreBuild build = {.path = "no such file", .module = "a", .library = "a", .each = ignore_built};
    const NacreGraph graph = {.node_count = 0};
    const NacrePass pass = {.name = "a", .run = leave};
    static const NacreImplementation functions[] = {{"cpu", do_operation}};
    const NacreHostOperation operation = {.name = "a", .operand_count = 1, .implementation_count = 1,
                                          .implementations = functions};
    try_in("options", makes_vm, vm, &options, sizeof options, FIRST_OPTIONS);
    try_in("group", makes_group, vm, &group, sizeof group, FIRST_GROUP);
    try_in("function", makes_function, vm, &function, sizeof function, FIRST_FUNCTION);
    try_in("memory", wraps, vm, &memory, sizeof memory, FIRST_MEMORY);
    try_in("watch", watches, vm, &watch, sizeof watch, FIRST_WATCH);
    try_in("build", builds, vm, &build, sizeof build, FIRST_BUILD);
    try_in("graph", runs_graph, vm, &graph, sizeof graph, FIRST_GRAPH);
    try_in("pass", adds_pass, vm, &pass, sizeof pass, FIRST_PASS);
    try_in("operation", adds_operation, vm, &operation, sizeof operation, FIRST_HOST_OPERATION);
    nacre_free(vm);
}

// --- What is filled --------------------------------------------------------------------------------

static NacreValue *array;

static bool gives_array(NacreVm *vm, void *to) {
    return nacre_array_info(vm, array, to) == NACRE_OK;
}
static bool gives_frame(NacreVm *vm, void *to) {
    return nacre_error_frame(vm, 0, to) == NACRE_OK;
}
static bool gives_stats(NacreVm *vm, void *to) {
    return nacre_stats(vm, to) == NACRE_OK;
}

static void on_run(void *ctx, const NacrePlan *plan);
static bool gives_node(NacreVm *vm, void *to) {
    return nacre_plan_node(vm, 0, to) == NACRE_OK;
}
static bool gives_storage(NacreVm *vm, void *to) {
    return nacre_plan_storage(vm, 0, to) == NACRE_OK;
}
static void on_run(void *ctx, const NacrePlan *plan) {
    Host *host = ctx;
    CHECK(plan->node_count > 0);
    host->writes++;
    try_out("node", gives_node, host->vm, sizeof(NacreNode), FIRST_NODE);
    try_out("storage", gives_storage, host->vm, sizeof(NacreStorage), FIRST_STORAGE);
}

static bool gives_operation(NacreVm *vm, void *to) {
    (void)vm;
    return nacre_operation(1, to) == 1;
}
static bool gives_match(NacreVm *vm, void *to) {
    int found = 0;
    return nacre_plan_match(vm, 1, "multiply(a, 2)", to, &found) == NACRE_OK && found;
}
static bool hint_it(NacreVm *vm, void *given) {
    return nacre_plan_hint(vm, 0, given) == NACRE_OK;
}
static NacreStatus on_edit(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    const NacreHint hints = {.threads = 1};
    CHECK(plan->node_count == 2); // arange, and the product
    ((Host *)ctx)->writes++;
    try_out("match", gives_match, vm, sizeof(NacreMatch), FIRST_MATCH);
    try_in("hints", hint_it, vm, &hints, sizeof hints, FIRST_HINT);
    return NACRE_OK;
}

static void test_out(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    NacreWatch watch = {.struct_size = sizeof watch, .ctx = &host, .run = on_run};
    CHECK(run(vm, "import numpy as np\na = np.arange(6.0).reshape(2, 3)") == NACRE_OK);
    array = value_of(vm, "a");
    try_out("array", gives_array, vm, sizeof(NacreArray), FIRST_ARRAY);
    nacre_release(vm, array);
    try_out("stats", gives_stats, vm, sizeof(NacreStats), FIRST_STATS);
    CHECK(nacre_watch(vm, &watch) == NACRE_OK);
    CHECK(run(vm, "b = np.arange(3000.0) * 2 + 1") == NACRE_OK && host.writes > 0);
    CHECK(nacre_watch(vm, NULL) == NACRE_OK);
    try_out("operation", gives_operation, vm, sizeof(NacreOperation), FIRST_OPERATION);
    NacreValue *a = value_of(vm, "np.arange(5000.0)"), *two = nacre_float(vm, 2), *factors[] = {a, two}, *product = NULL;
    CHECK(nacre_apply(vm, "multiply", 2, factors, &product) == NACRE_OK);
    host.writes = 0;
    CHECK(nacre_edit(vm, 1, &product, on_edit, &host) == NACRE_OK && host.writes == 1);
    CHECK(run(vm, "1 / 0") == NACRE_ERROR);
    try_out("frame", gives_frame, vm, sizeof(NacreFrame), FIRST_FRAME);
    nacre_free(vm);
}

// --- Rows of structures ------------------------------------------------------------------------------

static double result;

static void take_result(void *ctx, int storage, const void *data, size_t bytes) {
    (void)ctx;
    CHECK(storage == 1 && bytes == sizeof result);
    memcpy(&result, data, bytes);
}

// b = negative(a), with nodes and storages of these sizes.
static NacreStatus run_graph(NacreVm *vm, size_t node_size, size_t storage_size, bool mixed) {
    static const int64_t one[] = {1}, strides[] = {8};
    static const double input = 5;
    const NacreView view = {.dtype = "float64", .ndim = 1, .shape = one, .strides = strides};
    NacreNode node = {.operation = "negative", .operand_count = 1, .operands[0].view = view, .result = view,
                      .attributes.loop = "float64"};
    NacreStorage storages[] = {{.bytes = 8, .data = &input}, {.bytes = 8, .is_seen = 1}};
    node.result.storage = 1;
    char *nodes = host_struct(&node, sizeof node, node_size), *rows = calloc(2, storage_size);
    for (int i = 0; i < 2; i++) {
        size_t size = storage_size - (size_t)(mixed ? i : 0);
        char *row = host_struct(&storages[i], sizeof storages[i], storage_size);
        memcpy(row, &size, sizeof size);
        memcpy(rows + (size_t)i * storage_size, row, storage_size);
        free(row);
    }
    NacreGraph graph = {.struct_size = sizeof graph, .storage_count = 2, .node_count = 1,
                        .storages = (void *)rows, .nodes = (void *)nodes};
    result = 0;
    NacreStatus status = nacre_run_graph(vm, &graph, take_result, NULL);
    free(nodes);
    free(rows);
    return status;
}

static void test_rows(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    const size_t nodes[] = {sizeof(NacreNode), (FIRST_NODE + 7) / 8 * 8, sizeof(NacreNode) + MORE};
    const size_t storages[] = {sizeof(NacreStorage), FIRST_STORAGE, sizeof(NacreStorage) + MORE};
    for (int n = 0; n < 3; n++)
        for (int s = 0; s < 3; s++)
            CHECK(run_graph(vm, nodes[n], storages[s], false) == NACRE_OK && result == -5);
    CHECK(failed(vm, run_graph(vm, nodes[0], storages[0], true), "ValueError"));
    CHECK(failed(vm, run_graph(vm, FIRST_NODE - 4, storages[0], false), "ValueError"));
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {{"in", test_in}, {"out", test_out}, {"rows", test_rows}};
    return RUN_TESTS(tests);
}
