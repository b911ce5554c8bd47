// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations of the host: put off, inferred, run by the backend's own function or on the host, and refused.

#include <string.h>

#include "harness.h"

// Which function was called last, and how often.
typedef struct Calls {
    int cpu, mirror, opencl, drops, fails;
} Calls;

static void count_drop(void *ctx) {
    ((Calls *)ctx)->drops++;
}

// Each element of the result is the sum of the operand's elements up to three apart along the last axis: any strides.
static int smooth(const NacreOperationCall *call) {
    const NacreTensor *x = &call->operands[0], *y = &call->result;
    int64_t rows = x->ndim > 1 ? x->shape[0] : 1, n = x->shape[x->ndim - 1];
    int64_t x_row = x->ndim > 1 ? x->strides[0] : 0, y_row = y->ndim > 1 ? y->strides[0] : 0;
    CHECK(call->operand_count == 1 && strcmp(x->dtype, "float64") == 0 && x->itemsize == 8 && y->offset == 0);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t j = i < 3 ? 0 : i - 3; j <= i + 3 && j < n; j++)
                sum += *(const double *)((const char *)x->data + r * x_row + j * x->strides[x->ndim - 1]);
            *(double *)((char *)y->data + r * y_row + i * y->strides[y->ndim - 1]) = sum;
        }
    return 0;
}

static int smooth_cpu(void *ctx, const NacreOperationCall *call) {
    ((Calls *)ctx)->cpu++;
    CHECK(strcmp(call->backend, "cpu") == 0 && call->threads >= 1 && !call->queue);
    return ((Calls *)ctx)->fails ? 1 : smooth(call);
}

static int smooth_mirror(void *ctx, const NacreOperationCall *call) {
    ((Calls *)ctx)->mirror++;
    CHECK(strcmp(call->backend, "mirror") == 0);
    return smooth(call);
}

static const NacreImplementation both[] = {{"cpu", smooth_cpu}, {"mirror", smooth_mirror}};

static NacreHostOperation smoothing(Calls *calls, int functions) {
    return (NacreHostOperation){.struct_size = sizeof(NacreHostOperation), .name = "smooth", .doc = "Sums of neighbours.",
                                .operand_count = 1, .dtype = "float64", .implementation_count = functions,
                                .implementations = both, .ctx = calls, .drop = count_drop};
}

static NacreVm *start(Host *host, const char *backend) {
    memset(host, 0, sizeof *host);
    NacreOptions options = host_options(host);
    options.backend = backend;
    host->vm = nacre_new(&options);
    if (host->vm) CHECK(run(host->vm, "import numpy as np") == NACRE_OK);
    return host->vm;
}

static const char reference[] = "def ref(x):\n"
                                "    x = np.asarray(x, dtype=float)\n"
                                "    return np.array([x[max(0, i - 3):i + 4].sum() for i in range(len(x))])\n";

static void test_smooth(const char *backend, int functions) {
    Host host;
    NacreVm *vm = start(&host, backend);
    Calls calls = {0};
    const NacreHostOperation operation = smoothing(&calls, functions);
    NacreValue *smooth_it = NULL, *x, *y = NULL;
    CHECK(nacre_add_operation(vm, &operation, &smooth_it) == NACRE_OK);
    CHECK(nacre_set_global(vm, "smooth", smooth_it) == NACRE_OK && run(vm, reference) == NACRE_OK);
    CHECK(evaluates(vm, "np.array_equal(smooth(np.arange(12.0)), ref(range(12)))", "True"));
    CHECK(evaluates(vm, "np.array_equal(smooth([1, 2, 3]), ref([1, 2, 3]))", "True")); // converted
    CHECK(evaluates(vm, "np.array_equal(smooth(np.arange(20.0)[::-2]), ref(np.arange(20.0)[::-2]))", "True"));
    CHECK(evaluates(vm, "smooth(np.arange(6.0).reshape(2, 3)).tolist()", "[[3.0, 3.0, 3.0], [12.0, 12.0, 12.0]]"));
    CHECK(evaluates(vm, "smooth(np.zeros(0)).shape", "(0,)"));
    // Put off, among what comes before and behind.
    int before = calls.cpu + calls.mirror;
    CHECK(run(vm, "a = np.arange(1000.0)\nb = smooth(a * 2) + 1\nc = smooth(smooth(a))\n") == NACRE_OK);
    CHECK(evaluates(vm, "np.array_equal(b, ref(a * 2) + 1) and np.array_equal(c, ref(ref(a)))", "True"));
    CHECK(calls.cpu + calls.mirror == before + 3);
    if (functions == 1) CHECK(calls.mirror == 0);
    else CHECK(strcmp(backend, "mirror") != 0 || calls.cpu == 0);
    x = value_of(vm, "a + 0.5");
    CHECK(nacre_apply(vm, "smooth", 1, &x, &y) == NACRE_OK && nacre_set_global(vm, "y", y) == NACRE_OK);
    CHECK(evaluates(vm, "np.array_equal(y, ref(a + 0.5))", "True"));
    CHECK(failed(vm, nacre_apply(vm, "smooth", 0, NULL, &y), "TypeError"));
    CHECK(raises(vm, "smooth([[1], [2, 3]])", "ValueError", 0));
    CHECK(evaluates(vm, "smooth.__doc__", "'Sums of neighbours.'"));
    nacre_free(vm);
    CHECK(calls.drops == 1);
}

// --- What results are ------------------------------------------------------------------------------

// The product of the outer dimensions: shapes (a,) and (b,) make int64 (a, b).
static NacreStatus infer_outer(void *ctx, NacreVm *vm, const NacreArray *operands, NacreResult *result) {
    (void)ctx;
    if (operands[0].ndim != 1 || operands[1].ndim != 1) return nacre_raise(vm, "ValueError", "rows are wanted");
    CHECK(operands[0].is_contiguous && operands[1].is_contiguous && operands[0].kind == 'i');
    result->dtype = "int64";
    result->ndim = 2;
    result->shape[0] = operands[0].size;
    result->shape[1] = operands[1].size;
    return NACRE_OK;
}

static int outer(void *ctx, const NacreOperationCall *call) {
    const int64_t *a = call->operands[0].data, *b = call->operands[1].data;
    int64_t *to = call->result.data;
    (void)ctx;
    for (int64_t i = 0; i < call->operands[0].shape[0]; i++)
        for (int64_t j = 0; j < call->operands[1].shape[0]; j++)
            to[i * call->operands[1].shape[0] + j] = a[i] * 100 + b[j];
    return 0;
}

static NacreStatus infer_nonsense(void *ctx, NacreVm *vm, const NacreArray *operands, NacreResult *result) {
    (void)vm, (void)operands;
    const char *what = ctx;
    if (strcmp(what, "dtype") == 0) result->dtype = "float33";
    else if (strcmp(what, "shape") == 0) result->shape[0] = -1;
    else if (strcmp(what, "rank") == 0) result->ndim = NACRE_NDIM_MAX + 1;
    else return NACRE_ERROR;
    return NACRE_OK;
}

static void test_infer(void) {
    static const NacreImplementation own[] = {{"cpu", outer}};
    Host host;
    NacreVm *vm = start(&host, NULL);
    NacreHostOperation operation = {.struct_size = sizeof operation, .name = "pairs", .operand_count = 2, .dtype = "int64",
                                    .is_contiguous = 1, .infer = infer_outer, .implementation_count = 1,
                                    .implementations = own};
    NacreValue *f = NULL;
    CHECK(nacre_add_operation(vm, &operation, &f) == NACRE_OK && nacre_set_global(vm, "pairs", f) == NACRE_OK);
    CHECK(evaluates(vm, "pairs(np.arange(6)[::2], [7, 8]).tolist()", "[[7, 8], [207, 208], [407, 408]]"));
    CHECK(evaluates(vm, "(pairs([1], [2]) + 1).dtype", "dtype('int64')"));
    CHECK(raises(vm, "pairs([[1]], [2])", "ValueError", 1));
    CHECK(raises(vm, "pairs([1])", "TypeError", 1));
    static const char *const wrong[] = {"dtype", "shape", "rank", "fail"};
    static const char *const classes[] = {"TypeError", "ValueError", "ValueError", "RuntimeError"};
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "wrong%d", i);
        operation.name = name;
        operation.infer = infer_nonsense;
        operation.ctx = (void *)(uintptr_t)wrong[i];
        CHECK(nacre_add_operation(vm, &operation, &f) == NACRE_OK && nacre_set_global(vm, "f", f) == NACRE_OK);
        CHECK(raises(vm, "f([1], [2])", classes[i], 1));
    }
    nacre_free(vm);
}

// The most operands that an operation may have. The host's function gets each by its position.
static int sum_by_place(void *ctx, const NacreOperationCall *call) {
    const NacreTensor *to = &call->result;
    double total = 0;
    (void)ctx;
    for (int i = 0; i < call->operand_count; i++) total = total * 10 + *(const double *)call->operands[i].data;
    *(double *)to->data = total;
    return 0;
}

static void test_many_operands(void) {
    static const NacreImplementation own[] = {{"cpu", sum_by_place}};
    static const char *const names[] = {"one", "two", "three", "four", "five", "six"};
    static const char *const arguments[] = {"[1.]", "[1.], [2.]", "[1.], [2.], [3.]", "[1.], [2.], [3.], [4.]",
                                            "[1.], [2.], [3.], [4.], [5.]", "[1.], [2.], [3.], [4.], [5.], [6.]"};
    static const char *const results[] = {"1.0", "12.0", "123.0", "1234.0", "12345.0", "123456.0"};
    Host host;
    NacreVm *vm = start(&host, NULL);
    for (int count = 1; count <= 6; count++) {
        NacreHostOperation operation = {.struct_size = sizeof operation, .name = names[count - 1],
                                        .operand_count = count, .is_contiguous = 1, .implementation_count = 1,
                                        .implementations = own};
        NacreValue *f = NULL;
        char code[96];
        CHECK(nacre_add_operation(vm, &operation, &f) == NACRE_OK && nacre_set_global(vm, "f", f) == NACRE_OK);
        snprintf(code, sizeof code, "float(f(%s)[0])", arguments[count - 1]);
        CHECK(evaluates(vm, code, results[count - 1]));
    }
    NacreHostOperation more = {.struct_size = sizeof more, .name = "seven", .operand_count = 7, .implementation_count = 1,
                               .implementations = own};
    NacreValue *f = NULL;
    CHECK(nacre_add_operation(vm, &more, &f) == NACRE_ERROR);
    nacre_free(vm);
}

// --- Failing ---------------------------------------------------------------------------------------

static void test_failing(void) {
    Host host;
    NacreVm *vm = start(&host, NULL);
    Calls calls = {.fails = 1};
    NacreHostOperation operation = smoothing(&calls, 1);
    NacreValue *f = NULL;
    operation.may_fail = 1;
    CHECK(nacre_add_operation(vm, &operation, &f) == NACRE_OK && nacre_set_global(vm, "smooth", f) == NACRE_OK);
    CHECK(run(vm, "caught = 0\ntry:\n    y = smooth(np.ones(5))\nexcept RuntimeError as e:\n    caught = str(e)\n") == NACRE_OK);
    CHECK(evaluates(vm, "caught", "'smooth failed'"));
    calls.fails = 0;
    CHECK(evaluates(vm, "smooth(np.ones(2)).tolist()", "[2.0, 2.0]"));
    nacre_free(vm);
}

static void test_refused(void) {
    static const NacreImplementation device[] = {{"mirror", smooth_mirror}}, twice[] = {{"cpu", smooth_cpu}, {"cpu", smooth_cpu}},
                                     none[] = {{"cpu", NULL}};
    Host host;
    NacreVm *vm = start(&host, NULL);
    Calls calls = {0};
    NacreHostOperation operation = smoothing(&calls, 2);
    int drops = 0;
#define REFUSED(change, class_name)                                                                  \
    do {                                                                                             \
        operation = smoothing(&calls, 2);                                                            \
        change;                                                                                      \
        CHECK(failed(vm, nacre_add_operation(vm, &operation, NULL), class_name) && calls.drops == ++drops); \
    } while (0)
    REFUSED(operation.operand_count = 0, "ValueError");
    REFUSED(operation.operand_count = 7, "ValueError");
    REFUSED(operation.implementation_count = 0, "ValueError");
    REFUSED((operation.implementations = device, operation.implementation_count = 1), "ValueError");
    REFUSED(operation.implementations = twice, "ValueError");
    REFUSED((operation.implementations = none, operation.implementation_count = 1), "ValueError");
    REFUSED(operation.dtype = "float33", "TypeError");
    REFUSED(operation.name = "no name", "ValueError");
    operation = smoothing(&calls, 2);
    CHECK(nacre_add_operation(vm, &operation, NULL) == NACRE_OK);
    REFUSED((void)0, "ValueError");
    operation.name = NULL;
    CHECK(nacre_add_operation(vm, &operation, NULL) == NACRE_MISUSE && nacre_add_operation(vm, NULL, NULL) == NACRE_MISUSE);
    nacre_free(vm);
    CHECK(calls.drops == drops + 1);
}

// --- Passes see them ---------------------------------------------------------------------------------

static NacreStatus drop_smooth(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    for (int n = 0; n < plan->node_count; n++) {
        NacreNode node = {.struct_size = sizeof node};
        NacreMatch match = {.struct_size = sizeof match};
        NacreValue *x = NULL;
        int found = 0;
        CHECK(nacre_plan_node(vm, n, &node) == NACRE_OK && strcmp(node.operation, "host") != 0);
        CHECK(nacre_plan_match(vm, n, "smooth(multiply(x, 2))", &match, &found) == NACRE_OK);
        if (!found) continue;
        ++*(int *)ctx;
        CHECK(nacre_plan_value(vm, match.captures[0].node, 0, &x) == NACRE_OK);
        CHECK(nacre_plan_replace(vm, n, x) == NACRE_OK);
    }
    return NACRE_OK;
}

static void test_passes(void) {
    Host host;
    NacreVm *vm = start(&host, NULL);
    Calls calls = {0};
    int found = 0;
    const NacreHostOperation operation = smoothing(&calls, 1);
    const NacrePass pass = {.struct_size = sizeof pass, .name = "drop", .run = drop_smooth, .ctx = &found};
    NacreValue *f = NULL;
    CHECK(nacre_add_operation(vm, &operation, &f) == NACRE_OK && nacre_set_global(vm, "smooth", f) == NACRE_OK);
    CHECK(nacre_add_pass(vm, &pass) == NACRE_OK);
    CHECK(run(vm, "x = np.arange(5000.0)\ny = smooth(x * 2)\n") == NACRE_OK);
    CHECK(evaluates(vm, "np.array_equal(x, y)", "True") && found == 1 && calls.cpu == 0);
    nacre_free(vm);
}

int main(void) {
    test_smooth("cpu", 1);
    test_smooth("cpu", 2);
    test_smooth("mirror", 1);
    test_smooth("mirror", 2);
    test_infer();
    test_many_operands();
    test_failing();
    test_refused();
    test_passes();
    printf("%d failures\n", failures);
    return failures > 0;
}
