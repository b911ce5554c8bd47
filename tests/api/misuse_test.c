// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Every function of nacre.h that is given a VM: none (NULL), or one that was destroyed, is refused; so is
// everything that takes a value when that is none, of another VM, or was let go of. Of destroyed VMs only
// debug builds know. The table has a row for each function: tests/api/covered_test.py looks.

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "vm/api/api.h"

static int ignore_write(void *ctx, int stream, const char *bytes, size_t len) {
    return (void)ctx, (void)stream, (void)bytes, (void)len, 0;
}
static void ignore_text(void *ctx, const char *text) {
    (void)ctx, (void)text;
}
static void ignore_doc(void *ctx, const char *name, int line, const char *text, size_t len) {
    (void)ctx, (void)name, (void)line, (void)text, (void)len;
}
static void ignore_collected(void *ctx, int rank, const void *bytes, size_t len) {
    (void)ctx, (void)rank, (void)bytes, (void)len;
}
static void ignore_file(void *ctx, const char *path, const char *text, size_t len) {
    (void)ctx, (void)path, (void)text, (void)len;
}
static void ignore_built(void *ctx, NacreBuilt which, const char *text, size_t len) {
    (void)ctx, (void)which, (void)text, (void)len;
}
static void ignore_result(void *ctx, int storage, const void *data, size_t bytes) {
    (void)ctx, (void)storage, (void)data, (void)bytes;
}
static NacreStatus do_nothing(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **result) {
    return (void)ctx, (void)vm, (void)count, (void)args, (void)result, NACRE_OK;
}

// Fails where a call was not refused.
#define STATUS(call) ((call) == NACRE_MISUSE ? (void)0 : told(#call))
#define EMPTY(call) (!(call) ? (void)0 : told(#call))    // NULL or 0
#define NO_TEXT(call) (!*(call) ? (void)0 : told(#call)) // ""
static const char *at_hand;
static void told(const char *call) {
    printf("%s: %s was not refused\n", at_hand, call);
    failures++;
}

// What calls are given besides the VM and a value.
typedef struct Given {
    NacreValue *good, *out;
    NacreStats stats;
    NacreLoop loop;
    NacreDetour detour;
    NacreRankLine rank_line;
    NacreArray info;
    NacreFrame frame;
    NacreNode node;
    NacreStorage storage;
    NacreFunction function;
    NacreMemory memory;
    NacreWatch watch;
    NacreGraph graph;
    NacreBuild build;
    double room[4];
    NacrePass pass;
    NacreHostOperation operation;
    NacreMatch match;
    NacreHint hints;
} Given;

static NacreStatus ignore_plan(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    (void)ctx, (void)vm, (void)plan;
    return NACRE_OK;
}

static int do_operation(void *ctx, const NacreOperationCall *call) {
    (void)ctx, (void)call;
    return 0;
}

static const NacreImplementation functions[] = {{"cpu", do_operation}};
static const int64_t shape[] = {4};
static const char *const words[] = {"word"};

static Given given(void) {
    Given g = {.stats.struct_size = sizeof(NacreStats),
               .loop.struct_size = sizeof(NacreLoop),
               .detour.struct_size = sizeof(NacreDetour),
               .rank_line.struct_size = sizeof(NacreRankLine),
               .info.struct_size = sizeof(NacreArray),
               .frame.struct_size = sizeof(NacreFrame),
               .node.struct_size = sizeof(NacreNode),
               .storage.struct_size = sizeof(NacreStorage),
               .function = {.struct_size = sizeof(NacreFunction), .name = "f", .fn = do_nothing},
               .memory = {.struct_size = sizeof(NacreMemory), .dtype = "float64", .ndim = 1, .shape = shape},
               .watch.struct_size = sizeof(NacreWatch),
               .graph.struct_size = sizeof(NacreGraph),
               .pass = {.struct_size = sizeof(NacrePass), .name = "a", .run = ignore_plan},
               .match.struct_size = sizeof(NacreMatch),
               .operation = {.struct_size = sizeof(NacreHostOperation), .name = "a", .operand_count = 1,
                             .implementation_count = 1, .implementations = functions},
               .hints.struct_size = sizeof(NacreHint),
               .build = {.struct_size = sizeof(NacreBuild), .path = "a.py", .module = "a", .library = "a",
                         .each = ignore_built}};
    return g;
}

// Of values.
static void call_with_value(NacreVm *vm, NacreValue *v, Given *g) {
    int truth;
    int64_t number;
    size_t len;
    const char *text;
    const void *data;
    void *tensor;
    int type, place;
    NacreValue *two[] = {g->good, v};
    EMPTY(nacre_hold(vm, v));
    EMPTY(nacre_tuple(vm, 2, two));
    EMPTY(nacre_list(vm, 2, two));
    EMPTY(nacre_dict(vm, 2, two, two));
    NO_TEXT(nacre_type_name(vm, v));
    EMPTY(nacre_kind(vm, v) != NACRE_KIND_OTHER);
    STATUS(nacre_as_truth(vm, v, &truth));
    STATUS(nacre_as_int(vm, v, &number));
    STATUS(nacre_as_float(vm, v, g->room));
    STATUS(nacre_as_complex(vm, v, g->room, g->room + 1));
    STATUS(nacre_as_text(vm, v, &text, &len));
    STATUS(nacre_as_bytes(vm, v, &data, &len));
    STATUS(nacre_str(vm, v, &g->out));
    STATUS(nacre_repr(vm, v, &g->out));
    STATUS(nacre_length(vm, v, &number));
    STATUS(nacre_item(vm, v, g->good, &g->out));
    STATUS(nacre_item(vm, g->good, v, &g->out));
    STATUS(nacre_at(vm, v, 0, &g->out));
    STATUS(nacre_set_item(vm, v, g->good, g->good));
    STATUS(nacre_set_item(vm, g->good, v, g->good));
    STATUS(nacre_set_item(vm, g->good, g->good, v));
    STATUS(nacre_delete_item(vm, v, g->good));
    STATUS(nacre_delete_item(vm, g->good, v));
    STATUS(nacre_attribute(vm, v, "real", &g->out));
    STATUS(nacre_set_attribute(vm, v, "a", g->good));
    STATUS(nacre_set_attribute(vm, g->good, "a", v));
    STATUS(nacre_operator(vm, "+", v, g->good, &g->out));
    STATUS(nacre_iterate(vm, v, &g->out));
    STATUS(nacre_next(vm, v, &g->out));
    STATUS(nacre_set_global(vm, "a", v));
    STATUS(nacre_call(vm, v, 0, NULL, &g->out));
    STATUS(nacre_call(vm, g->good, 2, two, &g->out));
    STATUS(nacre_call_with(vm, v, 0, NULL, 0, NULL, &g->out));
    STATUS(nacre_call_with(vm, g->good, 1, two, 1, words, &g->out));
    STATUS(nacre_call_method(vm, v, "a", 0, NULL, &g->out));
    STATUS(nacre_call_method(vm, g->good, "a", 2, two, &g->out));
    STATUS(nacre_raise_value(vm, v));
    STATUS(nacre_array_info(vm, v, &g->info));
    STATUS(nacre_as_array(vm, v, "float64", &g->out));
    STATUS(nacre_read(vm, v, &data));
    STATUS(nacre_write(vm, v, &tensor));
    STATUS(nacre_copy_to(vm, v, g->room, sizeof g->room));
    STATUS(nacre_copy_from(vm, v, g->room, sizeof g->room));
    STATUS(nacre_to_dlpack(vm, v, 0, &tensor));
    STATUS(nacre_dlpack(vm, v, &(const NacreDlpack){.struct_size = sizeof(NacreDlpack)}, &tensor));
    STATUS(nacre_dlpack_device(vm, v, &type, &place));
    STATUS(nacre_apply(vm, "add", 2, two, &g->out));
    STATUS(nacre_compute(vm, 2, two));
    STATUS(nacre_defer(vm, v, 1));
    STATUS(nacre_edit(vm, 2, two, ignore_plan, NULL));
    STATUS(nacre_plan_replace(vm, 0, v));
    nacre_release(vm, v);
}

// Values that may be left out.
static void call_with_other(NacreVm *vm, NacreValue *v, Given *g) {
    EMPTY(nacre_slice(vm, v, NULL, NULL));
    EMPTY(nacre_slice(vm, NULL, v, v));
    STATUS(nacre_operator(vm, "+", g->good, v, &g->out));
}

static void call_making(NacreVm *vm, Given *g) {
    EMPTY(nacre_none(vm));
    EMPTY(nacre_bool(vm, 1));
    EMPTY(nacre_int(vm, 1));
    EMPTY(nacre_uint(vm, 1));
    EMPTY(nacre_float(vm, 1));
    EMPTY(nacre_complex(vm, 1, 1));
    EMPTY(nacre_text(vm, "a", 1));
    EMPTY(nacre_bytes(vm, "a", 1));
    EMPTY(nacre_tuple(vm, 0, NULL));
    EMPTY(nacre_list(vm, 0, NULL));
    EMPTY(nacre_dict(vm, 0, NULL, NULL));
    EMPTY(nacre_slice(vm, NULL, NULL, NULL));
    EMPTY(nacre_ellipsis(vm));
    EMPTY(nacre_held(vm));
    STATUS(nacre_global(vm, "a", &g->out));
    STATUS(nacre_import(vm, "math", &g->out));
    STATUS(nacre_compile(vm, "1", 1, "a", NACRE_FILE, &g->out));
    STATUS(nacre_evaluate(vm, "1", 1, "a", &g->out));
    STATUS(nacre_function(vm, &g->function, &g->out));
    STATUS(nacre_raise(vm, "ValueError", "a"));
    STATUS(nacre_array(vm, "float64", 1, shape, &g->out));
    STATUS(nacre_wrap(vm, &g->memory, &g->out));
    STATUS(nacre_from_dlpack(vm, g->room, 0, &g->out));
}

static void call_running(NacreVm *vm, Given *g) {
    size_t start;
    int found;
    uint64_t messages, bytes;
    const char *name = "";
    STATUS(nacre_set_argv(vm, 1, words));
    STATUS(nacre_run(vm, "1", 1, "a", NACRE_FILE));
    STATUS(nacre_run_file(vm, "a"));
    nacre_interrupt(vm);
    nacre_forget_interrupt(vm);
    EMPTY(nacre_interrupted(vm));
    EMPTY(nacre_is_complete(vm, "1", 1) != NACRE_INVALID);
    STATUS(nacre_complete(vm, "a", 1, &start, ignore_text, NULL));
    STATUS(nacre_inspect(vm, "len", 3, ignore_write, NULL));
    STATUS(nacre_docstrings(vm, "1", 1, ignore_doc, NULL));
    STATUS(nacre_scratch_begin(vm));
    STATUS(nacre_scratch_end(vm));
    STATUS(nacre_stats(vm, &g->stats));
    STATUS(nacre_rank_stats(vm, 0, &g->stats));
    EMPTY(nacre_operation_count(vm, 0, &name));
    EMPTY(nacre_instruction_count(vm, 0, &name));
    STATUS(nacre_loop(vm, 0, &g->loop));
    STATUS(nacre_detour(vm, 0, &g->detour));
    STATUS(nacre_rank_line(vm, 0, &g->rank_line));
    STATUS(nacre_rank_sent(vm, 0, &messages, &bytes));
    STATUS(nacre_collect(vm, "x", 1, ignore_collected, NULL));
    STATUS(nacre_loop_source(vm, 0, 0, ignore_write, NULL));
    STATUS(nacre_kernel_source(vm, 0, ignore_write, NULL));
    STATUS(nacre_compute(vm, 0, NULL));
    STATUS(nacre_watch(vm, &g->watch));
    STATUS(nacre_plan_node(vm, 0, &g->node));
    STATUS(nacre_plan_storage(vm, 0, &g->storage));
    STATUS(nacre_run_graph(vm, &g->graph, ignore_result, NULL));
    STATUS(nacre_add_pass(vm, &g->pass));
    STATUS(nacre_remove_pass(vm, "a"));
    STATUS(nacre_add_operation(vm, &g->operation, &g->out));
    STATUS(nacre_use_pass(vm, "algebra", 0));
    STATUS(nacre_edit(vm, 0, NULL, ignore_plan, NULL));
    STATUS(nacre_plan_value(vm, 0, 0, &g->out));
    EMPTY(nacre_plan_writer(vm, 0, 0) != -1);
    STATUS(nacre_plan_match(vm, 0, "add(a, b)", &g->match, &found));
    STATUS(nacre_plan_hint(vm, 0, &g->hints));
    STATUS(nacre_build(vm, &g->build));
    STATUS(nacre_program_files(vm, "a", ignore_file, NULL));
    STATUS(nacre_add_file(vm, "a", "1", 1));
}

static void call_asking(NacreVm *vm, Given *g) {
    NO_TEXT(nacre_error_class(vm));
    NO_TEXT(nacre_error_message(vm));
    NO_TEXT(nacre_result_text(vm));
    EMPTY(nacre_error_size(vm));
    EMPTY(nacre_error_line(vm));
    EMPTY(nacre_exit_code(vm));
    EMPTY(nacre_error_value(vm));
    STATUS(nacre_error_frame(vm, 0, &g->frame));
}

// --- Tests -----------------------------------------------------------------------------------------

static void call_all(NacreVm *vm, NacreValue *value) {
    Given g = given();
    g.good = value;
    call_with_value(vm, value, &g);
    call_with_other(vm, value, &g);
    call_making(vm, &g);
    call_running(vm, &g);
    call_asking(vm, &g);
    CHECK(!g.out);
}

static void test_no_vm(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    NacreValue *value = nacre_int(vm, 1);
    at_hand = "no VM";
    call_all(NULL, value);
    call_all(NULL, NULL);
    CHECK(!*nacre_error_text(NULL));
    nacre_free(NULL);
    CHECK(nacre_held(vm) == 1);
    nacre_free(vm);
}

static void test_wrong_values(void) {
    Host host, other_host;
    NacreVm *vm = host_start(&host), *other = host_start(&other_host);
    NacreValue *foreign = nacre_int(other, 2), *gone = nacre_int(vm, 3);
    static const char *const names[] = {"no value", "a value of another VM", "a value that was let go of"};
    Given g = given();
    g.good = nacre_int(vm, 1);
    nacre_release(vm, gone);
    NacreValue *const wrong[] = {NULL, foreign, gone};
    for (int i = 0; i < 3; i++) {
        at_hand = names[i];
        call_with_value(vm, wrong[i], &g);
        if (i > 0) call_with_other(vm, wrong[i], &g);
    }
    CHECK(!g.out && nacre_held(vm) == 1 && nacre_held(other) == 1);
    CHECK(evaluates(vm, "1 + 1", "2") && evaluates(other, "1 + 1", "2"));
    nacre_free(vm);
    nacre_free(other);
}

// A hold that was let go of is not what others are made of next.
static void test_not_used_again(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    NacreValue *gone = nacre_int(vm, 1);
    nacre_release(vm, gone);
    int holds = API_KNOWS_ALIVE ? 200 : 20;
    for (int i = 0; i < holds; i++) {
        NacreValue *next = nacre_int(vm, i);
        CHECK(next && next != gone);
        nacre_release(vm, next);
    }
    CHECK(nacre_kind(vm, gone) == NACRE_KIND_OTHER);
    nacre_free(vm);
}

static void test_destroyed(void) {
    if (!API_KNOWS_ALIVE) return;
    Host host;
    NacreVm *gone = host_start(&host);
    NacreValue *value = nacre_int(gone, 1);
    nacre_free(gone);
    NacreVm *next = host_start(&host);
    CHECK(next != gone);
    at_hand = "a VM that was destroyed";
    call_all(gone, value);
    CHECK(strstr(nacre_error_text(gone), "VM that was destroyed (nacre_free)"));
    nacre_free(gone);
    CHECK(!*nacre_error_text(next) && evaluates(next, "1 + 1", "2"));
    nacre_free(next);
    nacre_free(next);
}

static void *own_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    *(long *)ctx += (long)new_size - (long)old_size;
    if (new_size) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

// The host's memory is given back at once.
static void test_own_memory(void) {
    long held = 0;
    NacreOptions options = {.struct_size = sizeof options, .alloc = own_alloc, .alloc_ctx = &held};
    NacreVm *vm = nacre_new(&options);
    CHECK(vm && held > 0);
    nacre_free(vm);
    CHECK(held == 0);
    if (API_KNOWS_ALIVE) CHECK(nacre_run(vm, "1", 1, "a", NACRE_FILE) == NACRE_MISUSE);
}

// More than are kept when they are dead.
static void test_many(void) {
    for (int i = 0; i < 100; i++) {
        NacreVm *vm = nacre_new(NULL);
        CHECK(vm && run(vm, "1") == NACRE_OK);
        nacre_free(vm);
    }
}

int main(void) {
    static const Test tests[] = {
        {"no VM", test_no_vm},         {"wrong values", test_wrong_values}, {"not used again", test_not_used_again},
        {"destroyed", test_destroyed}, {"own memory", test_own_memory},     {"many", test_many},
    };
    return RUN_TESTS(tests);
}
