// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays between a host and its scripts: what they are, memory of the host, elements to and fro.

#include <string.h>

#include "harness.h"

static NacreVm *start(Host *host, const char *backend) {
    memset(host, 0, sizeof *host);
    NacreOptions options = host_options(host);
    options.backend = backend;
    host->vm = nacre_new(&options);
    CHECK(host->vm && run(host->vm, "import numpy as np") == NACRE_OK);
    return host->vm;
}

static void test_info(const char *backend) {
    Host host;
    NacreVm *vm = start(&host, backend);
    NacreValue *a = value_of(vm, "np.arange(24, dtype='int16').reshape(2, 3, 4)[:, ::-1, ::2]");
    NacreArray info = {.struct_size = sizeof info};
    CHECK(nacre_array_info(vm, a, &info) == NACRE_OK);
    CHECK(strcmp(info.dtype, "int16") == 0 && info.kind == 'i' && info.itemsize == 2 &&
          info.ndim == 3);
    CHECK(info.shape[0] == 2 && info.shape[1] == 3 && info.shape[2] == 2 && info.size == 12);
    CHECK(info.strides[0] == 24 && info.strides[1] == -8 && info.strides[2] == 4);
    CHECK(info.is_writable && !info.is_contiguous);
    NacreValue *s = value_of(vm, "np.complex64(2)"), *n = value_of(vm, "3");
    CHECK(nacre_array_info(vm, s, &info) == NACRE_OK && info.kind == 'c' && info.ndim == 0 &&
          info.size == 1);
    CHECK(failed(vm, nacre_array_info(vm, n, &info), "TypeError"));
    info.struct_size = 1;
    CHECK(nacre_array_info(vm, a, &info) == NACRE_MISUSE);
    NacreValue *as = NULL;
    CHECK(nacre_as_array(vm, a, NULL, &as) == NACRE_OK && nacre_same(a, as));
    CHECK(nacre_as_array(vm, a, "float32", &as) == NACRE_OK && !nacre_same(a, as));
    CHECK(nacre_as_array(vm, value_of(vm, "[[1, 2], [3, 4]]"), NULL, &as) == NACRE_OK);
    CHECK(failed(vm, nacre_as_array(vm, a, "float33", &as), "TypeError"));
    nacre_free(vm);
}

static void test_elements(const char *backend) {
    static const int64_t shape[] = {2, 3};
    Host host;
    NacreVm *vm = start(&host, backend);
    NacreValue *a = NULL, *column = NULL;
    CHECK(nacre_array(vm, "float64", 2, shape, &a) == NACRE_OK &&
          nacre_set_global(vm, "a", a) == NACRE_OK);
    CHECK(evaluates(vm, "a.tolist()", "[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]"));
    void *data = NULL;
    const void *read = NULL;
    CHECK(nacre_write(vm, a, &data) == NACRE_OK);
    for (int i = 0; i < 6; i++) ((double *)data)[i] = i;
    CHECK(run(vm, "b = a * 2 + 1\na[0] = 9\n") == NACRE_OK);
    CHECK(nacre_read(vm, a, &read) == NACRE_OK && ((const double *)read)[2] == 9 &&
          ((const double *)read)[5] == 5);
    CHECK(evaluates(vm, "b.tolist()", "[[1.0, 3.0, 5.0], [7.0, 9.0, 11.0]]"));
    double out[6] = {0}, in[2] = {-1, -2};
    column = value_of(vm, "b[:, ::2].T");
    CHECK(nacre_copy_to(vm, column, out, 4 * sizeof *out) == NACRE_OK);
    CHECK(out[0] == 1 && out[1] == 7 && out[2] == 5 && out[3] == 11);
    CHECK(failed(vm, nacre_copy_to(vm, column, out, 5 * sizeof *out), "ValueError"));
    CHECK(nacre_copy_from(vm, value_of(vm, "b[:, 1]"), in, sizeof in) == NACRE_OK);
    CHECK(evaluates(vm, "b.tolist()", "[[1.0, -1.0, 5.0], [7.0, -2.0, 11.0]]"));
    CHECK(nacre_copy_from(vm, a, out, sizeof out) == NACRE_OK &&
          evaluates(vm, "a[0].tolist()", "[1.0, 7.0, 5.0]"));
    NacreValue *fixed = value_of(vm, "np.broadcast_to(a, (2, 2, 3))"), *text = value_of(vm, "'x'");
    CHECK(failed(vm, nacre_write(vm, fixed, &data), "ValueError"));
    CHECK(failed(vm, nacre_copy_from(vm, fixed, out, 12 * sizeof *out), "ValueError"));
    CHECK(failed(vm, nacre_read(vm, text, &read), "TypeError"));
    CHECK(failed(vm, nacre_copy_to(vm, text, out, 8), "TypeError"));
    NacreValue *empty = value_of(vm, "np.zeros((0, 3))");
    CHECK(nacre_read(vm, empty, &read) == NACRE_OK &&
          nacre_copy_to(vm, empty, NULL, 0) == NACRE_OK);
    static const int64_t wrong[] = {-1}, huge[] = {INT64_MAX, INT64_MAX};
    CHECK(failed(vm, nacre_array(vm, "float64", 1, wrong, &a), "ValueError"));
    CHECK(failed(vm, nacre_array(vm, "float64", 2, huge, &a), "ValueError"));
    CHECK(failed(vm, nacre_array(vm, "float64", 65, huge, &a), "ValueError"));
    CHECK(failed(vm, nacre_array(vm, "object", 0, NULL, &a), "TypeError"));
    CHECK(nacre_array(vm, "bool", 0, NULL, &a) == NACRE_OK);
    nacre_free(vm);
}

static void count(void *ctx, void *data) {
    (void)data;
    ++*(int *)ctx;
}

static void test_wrap(const char *backend) {
    Host host;
    NacreVm *vm = start(&host, backend);
    double data[12] = {0};
    for (int i = 0; i < 12; i++) data[i] = i;
    int released = 0;
    const int64_t shape[] = {3, 2}, strides[] = {-32, 8}, big[] = {INT64_MAX / 4, 3};
    NacreMemory memory = {.struct_size = sizeof memory,
                          .data = data + 8,
                          .dtype = "float64",
                          .ndim = 2,
                          .shape = shape,
                          .strides = strides,
                          .release = count,
                          .ctx = &released};
    NacreValue *x = NULL, *y = NULL;
    CHECK(nacre_wrap(vm, &memory, &x) == NACRE_OK && nacre_set_global(vm, "x", x) == NACRE_OK);
    CHECK(evaluates(vm, "x.tolist()", "[[8.0, 9.0], [4.0, 5.0], [0.0, 1.0]]"));
    CHECK(run(vm, "x[1] *= 10\nx[:, 1] = 7\ny = x[2] + 1\n") == NACRE_OK);
    CHECK(data[4] == 40 && data[5] == 7 && data[9] == 7 && data[8] == 8 && data[2] == 2);
    const void *at = NULL;
    CHECK(nacre_read(vm, x, &at) == NACRE_OK && at == data + 8);
    void *to = NULL;
    CHECK(nacre_write(vm, x, &to) == NACRE_OK && to == data + 8);
    data[0] = 100;
    CHECK(evaluates(vm, "x[2, 0], y.tolist()", "(np.float64(100.0), [1.0, 8.0])"));
    // What is put off by a call reads the memory of then, once the host says that it is going to write.
    CHECK(run(vm, "def late():\n    global z\n    z = x * 2\n") == NACRE_OK);
    NacreValue *late = NULL;
    CHECK(nacre_global(vm, "late", &late) == NACRE_OK &&
          nacre_call(vm, late, 0, NULL, NULL) == NACRE_OK);
    CHECK(nacre_write(vm, x, &to) == NACRE_OK);
    data[0] = 5;
    CHECK(evaluates(vm, "z[2, 0], x[2, 0]", "(np.float64(200.0), np.float64(5.0))"));
    memory.is_readonly = 1;
    CHECK(nacre_wrap(vm, &memory, &y) == NACRE_OK && nacre_set_global(vm, "r", y) == NACRE_OK);
    CHECK(raises(vm, "r[0] = 1", "ValueError", 1) && raises(vm, "r += 1", "ValueError", 1));
    nacre_release(vm, y);
    CHECK(released == 0 && run(vm, "v = r[1:]\ndel r") == NACRE_OK && released == 0);
    CHECK(run(vm, "del v") == NACRE_OK && released == 1);
    released = 0;
    NacreMemory bad = memory;
    bad.data = (char *)data + 4;
    CHECK(failed(vm, nacre_wrap(vm, &bad, &y), "ValueError"));
    bad = memory, bad.dtype = "text";
    CHECK(failed(vm, nacre_wrap(vm, &bad, &y), "TypeError"));
    bad = memory, bad.shape = big;
    CHECK(failed(vm, nacre_wrap(vm, &bad, &y), "ValueError"));
    const int64_t far[] = {INT64_MAX / 2, 8}, few[] = {5, 1};
    bad = memory, bad.strides = far, bad.shape = few;
    CHECK(failed(vm, nacre_wrap(vm, &bad, &y), "ValueError"));
    bad = memory, bad.data = NULL;
    CHECK(failed(vm, nacre_wrap(vm, &bad, &y), "ValueError"));
    CHECK(released == 5);
    const int64_t none[] = {0, 2};
    bad = memory, bad.data = NULL, bad.shape = none;
    CHECK(nacre_wrap(vm, &bad, &y) == NACRE_OK && nacre_set_global(vm, "e", y) == NACRE_OK);
    CHECK(evaluates(vm, "e.shape, e.sum()", "((0, 2), np.float64(0.0))"));
    bad.struct_size = 2;
    CHECK(nacre_wrap(vm, &bad, &y) == NACRE_MISUSE);
    nacre_free(vm);
    CHECK(released == 7);
}

static void test_put_off(const char *backend) {
    Host host;
    NacreVm *vm = start(&host, backend);
    NacreValue *x = value_of(vm, "np.linspace(0, 1, 100000)"), *two = nacre_float(vm, 2),
               *sum = NULL;
    NacreValue *parts[2] = {x, two}, *y = NULL, *z = NULL, *w = NULL;
    NacreStats before = {.struct_size = sizeof before}, after = before;
    CHECK(nacre_compute(vm, 0, NULL) == NACRE_OK && nacre_stats(vm, &before) == NACRE_OK);
    CHECK(nacre_operator(vm, "*", x, two, &y) == NACRE_OK);
    CHECK(nacre_apply(vm, "add", 2, parts, &z) == NACRE_OK);
    CHECK(nacre_operator(vm, "-", y, z, &w) == NACRE_OK);
    CHECK(nacre_stats(vm, &after) == NACRE_OK && after.nodes_pending == 3 &&
          after.kernels == before.kernels);
    nacre_release(vm, y);
    NacreValue *wanted[] = {w, z, two};
    CHECK(nacre_compute(vm, 3, wanted) == NACRE_OK && nacre_stats(vm, &after) == NACRE_OK);
    CHECK(after.nodes_pending == 0 && after.kernels == before.kernels + 1);
    CHECK(nacre_call_method(vm, w, "sum", 0, NULL, &sum) == NACRE_OK);
    double number = 0;
    CHECK(nacre_as_float(vm, sum, &number) == NACRE_OK && number < -149999.9 && number > -150000.1);
    CHECK(failed(vm, nacre_apply(vm, "no_such_function", 1, &x, &y), "AttributeError"));
    CHECK(failed(vm, nacre_apply(vm, "add", 1, &x, &y), "TypeError"));
    CHECK(nacre_compute(vm, 1, NULL) == NACRE_MISUSE &&
          nacre_apply(vm, NULL, 0, NULL, &y) == NACRE_MISUSE);
    nacre_free(vm);
}

int main(void) {
    static const char *const backends[] = {"cpu", "mirror"};
    for (int i = 0; i < 2; i++) {
        test_info(backends[i]);
        test_elements(backends[i]);
        test_wrap(backends[i]);
        test_put_off(backends[i]);
        if (failures) printf("with backend %s\n", backends[i]);
    }
    printf("%d failures\n", failures);
    return failures > 0;
}
