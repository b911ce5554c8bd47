// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays to and from other libraries by DLPack: between two VMs, from other threads, after the end.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "vm/api/dlpack.h"

static NacreVm *start(Host *host, const char *backend) {
    memset(host, 0, sizeof *host);
    NacreOptions options = host_options(host);
    options.backend = backend;
    host->vm = nacre_new(&options);
    CHECK(host->vm && run(host->vm, "import numpy as np") == NACRE_OK);
    return host->vm;
}

// --- Between VMs -----------------------------------------------------------------------------------

static void test_shared(const char *backend) {
    Host host, other_host;
    NacreVm *vm = start(&host, backend), *other = start(&other_host, backend);
    for (int versioned = 0; versioned < 2; versioned++) {
        CHECK(run(vm, "a = np.arange(12.0).reshape(3, 4)[::-1, ::2]") == NACRE_OK);
        NacreValue *a = value_of(vm, "a"), *b = NULL;
        void *tensor = NULL;
        CHECK(nacre_to_dlpack(vm, a, versioned, &tensor) == NACRE_OK);
        CHECK(nacre_from_dlpack(other, tensor, versioned, &b) == NACRE_OK);
        CHECK(nacre_set_global(other, "b", b) == NACRE_OK);
        CHECK(evaluates(other, "b.tolist()", "[[8.0, 10.0], [4.0, 6.0], [0.0, 2.0]]"));
        CHECK(evaluates(other, "b.strides, b.dtype.name", "((-32, 16), 'float64')"));
        // What one writes, the other sees.
        const bool on_host = strcmp(backend, "cpu") == 0;
        void *at;
        CHECK(nacre_write(vm, a, &at) == (on_host ? NACRE_OK : NACRE_ERROR) && run(other, "b[1] += 100") == NACRE_OK);
        CHECK(evaluates(vm, "a[1].tolist()", "[104.0, 106.0]"));
        CHECK(nacre_write(other, b, &at) == (on_host ? NACRE_OK : NACRE_ERROR) && run(vm, "a *= 2") == NACRE_OK);
        CHECK(evaluates(other, "b[0].tolist()", "[16.0, 20.0]"));
        nacre_release(vm, a);
        nacre_release(other, b);
        CHECK(run(vm, "del a") == NACRE_OK && evaluates(other, "b.sum()", "np.float64(460.0)"));
        CHECK(run(other, "del b") == NACRE_OK && run(vm, "pass") == NACRE_OK);
    }
    nacre_free(vm);
    nacre_free(other);
}

// Indices of a sparse product are looked at once for each version; but what another library writes makes none.
static void test_lent_indices(void) {
    Host host;
    void *tensor = NULL;
    NacreVm *vm = start(&host, "cpu");
    CHECK(run(vm, "import _sparse\n"
                  "at, of = np.array([0, 1, 2], np.int32), np.array([0, 1], np.int32)\n"
                  "def product():\n"
                  "    return _sparse.product(at, of, np.ones(2), np.ones(2), False, 2).tolist()") == NACRE_OK);
    CHECK(evaluates(vm, "product()", "[1.0, 1.0]"));
    NacreValue *of = value_of(vm, "of");
    CHECK(nacre_to_dlpack(vm, of, 0, &tensor) == NACRE_OK);
    DLManagedTensor *lent = tensor;
    CHECK(evaluates(vm, "product()", "[1.0, 1.0]"));
    ((int32_t *)lent->dl_tensor.data)[1] = 1 << 30;
    CHECK(failed(vm, run(vm, "product()"), "ValueError"));
    ((int32_t *)lent->dl_tensor.data)[1] = 0;
    CHECK(evaluates(vm, "product()", "[1.0, 1.0]"));
    lent->deleter(lent);
    nacre_release(vm, of);
    nacre_free(vm);
}

static void test_types(void) {
    static const char *const names[] = {"bool",    "int8",    "int16",     "int32",     "int64",
                                        "uint8",   "uint16",  "uint32",    "uint64",    "float16",
                                        "float32", "float64", "complex64", "complex128"};
    Host host;
    NacreVm *vm = start(&host, "cpu");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[80];
        snprintf(text, sizeof text, "np.array([[0, 1]], dtype='%s')", names[i]);
        NacreValue *array = value_of(vm, text), *back = NULL;
        NacreArray info = {.struct_size = sizeof info};
        void *tensor = NULL;
        CHECK(nacre_to_dlpack(vm, array, 1, &tensor) == NACRE_OK);
        CHECK(nacre_from_dlpack(vm, tensor, 1, &back) == NACRE_OK);
        CHECK(nacre_array_info(vm, back, &info) == NACRE_OK && strcmp(info.dtype, names[i]) == 0);
        CHECK(info.ndim == 2 && info.size == 2);
    }
    static const char *const shapes[] = {"np.zeros((0, 3))", "np.array(5)", "np.zeros((2, 1, 3))"};
    for (int i = 0; i < 3; i++) {
        NacreValue *array = value_of(vm, shapes[i]), *back = NULL;
        void *tensor = NULL;
        CHECK(nacre_to_dlpack(vm, array, 0, &tensor) == NACRE_OK);
        CHECK(nacre_from_dlpack(vm, tensor, 0, &back) == NACRE_OK);
    }
    nacre_free(vm);
}

// --- What is refused -------------------------------------------------------------------------------

static int deleted;

static void count_legacy(DLManagedTensor *self) {
    (void)self;
    deleted++;
}

static void count_versioned(DLManagedTensorVersioned *self) {
    (void)self;
    deleted++;
}

static void test_taken(void) {
    Host host;
    NacreVm *vm = start(&host, "cpu");
    static float data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int64_t shape[] = {2, 3}, strides[] = {4, 1};
    const DLTensor plain = {.data = data,
                            .device = {DL_CPU, 0},
                            .ndim = 2,
                            .dtype = {DL_FLOAT, 32, 1},
                            .shape = shape,
                            .byte_offset = 4};
    NacreValue *x = NULL;
    DLManagedTensor legacy = {.dl_tensor = plain, .deleter = count_legacy};
    CHECK(nacre_from_dlpack(vm, &legacy, 0, &x) == NACRE_OK &&
          nacre_set_global(vm, "x", x) == NACRE_OK);
    CHECK(evaluates(vm, "x.tolist()", "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]"));
    nacre_release(vm, x);
    CHECK(deleted == 0 && run(vm, "del x") == NACRE_OK && deleted == 1);
    DLManagedTensorVersioned later = {
        .version = {1, 7}, .dl_tensor = plain, .deleter = count_versioned, .flags = DL_READ_ONLY};
    later.dl_tensor.strides = strides;
    later.dl_tensor.device.device_type = DL_CUDA_HOST;
    CHECK(nacre_from_dlpack(vm, &later, 1, &x) == NACRE_OK &&
          nacre_set_global(vm, "x", x) == NACRE_OK);
    CHECK(evaluates(vm, "x[1].tolist()", "[5.0, 6.0, 7.0]") &&
          raises(vm, "x[0] = 1", "ValueError", 1));
    nacre_release(vm, x);
    CHECK(run(vm, "del x") == NACRE_OK && deleted == 2);
    deleted = 0;
    later.version.major = 2;
    CHECK(failed(vm, nacre_from_dlpack(vm, &later, 1, &x), "BufferError"));
    legacy.dl_tensor.device.device_type = 2;
    CHECK(failed(vm, nacre_from_dlpack(vm, &legacy, 0, &x), "BufferError"));
    legacy.dl_tensor = plain, legacy.dl_tensor.dtype = (DLDataType){4, 16, 1}; // bfloat16
    CHECK(failed(vm, nacre_from_dlpack(vm, &legacy, 0, &x), "RuntimeError"));
    legacy.dl_tensor = plain, legacy.dl_tensor.dtype.lanes = 4;
    CHECK(failed(vm, nacre_from_dlpack(vm, &legacy, 0, &x), "RuntimeError"));
    legacy.dl_tensor = plain, legacy.dl_tensor.ndim = 65;
    CHECK(failed(vm, nacre_from_dlpack(vm, &legacy, 0, &x), "RuntimeError"));
    legacy.dl_tensor = plain, legacy.dl_tensor.byte_offset = 2;
    CHECK(failed(vm, nacre_from_dlpack(vm, &legacy, 0, &x), "ValueError"));
    int64_t far[] = {INT64_MAX, 1};
    legacy.dl_tensor = plain, legacy.dl_tensor.strides = far;
    CHECK(failed(vm, nacre_from_dlpack(vm, &legacy, 0, &x), "ValueError"));
    legacy.dl_tensor = plain, legacy.dl_tensor.shape = NULL;
    CHECK(failed(vm, nacre_from_dlpack(vm, &legacy, 0, &x), "ValueError"));
    CHECK(deleted == 8);
    CHECK(nacre_from_dlpack(vm, NULL, 0, &x) == NACRE_MISUSE);
    void *tensor = NULL;
    NacreValue *fixed = value_of(vm, "np.broadcast_to(np.zeros(3), (2, 3))"),
               *text = value_of(vm, "'x'"),
               *bytes = value_of(vm, "np.frombuffer(b'abc', dtype='u1')"),
               *odd = value_of(vm, "np.zeros(12, dtype='u1')[:8].view('u4')");
    CHECK(failed(vm, nacre_to_dlpack(vm, fixed, 0, &tensor), "BufferError"));
    CHECK(failed(vm, nacre_to_dlpack(vm, text, 0, &tensor), "TypeError"));
    CHECK(nacre_to_dlpack(vm, fixed, 1, &tensor) == NACRE_OK);
    DLManagedTensorVersioned *given = tensor;
    CHECK(given->flags == DL_READ_ONLY && given->dl_tensor.strides[0] == 0);
    given->deleter(given);
    CHECK(nacre_to_dlpack(vm, bytes, 1, &tensor) == NACRE_OK);
    given = tensor;
    CHECK(given->flags == (DL_READ_ONLY | DL_IS_COPIED) &&
          memcmp(given->dl_tensor.data, "abc", 3) == 0);
    given->deleter(given);
    CHECK(nacre_to_dlpack(vm, odd, 0, &tensor) == NACRE_OK);
    ((DLManagedTensor *)tensor)->deleter(tensor);
    nacre_free(vm);
}

// --- Other threads, and after the end ----------------------------------------------------------------

static void *delete_all(void *list) {
    for (DLManagedTensor **tensor = list; *tensor; tensor++) (*tensor)->deleter(*tensor);
    return NULL;
}

static size_t in_use;

static void *counting(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    (void)ctx;
    in_use += new_size - old_size;
    if (new_size) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

static void test_threads(const char *backend) {
    enum { COUNT = 64 };
    DLManagedTensor *lists[2][COUNT + 1] = {{0}};
    pthread_t threads[2];
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.alloc = counting;
    options.backend = backend;
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "import numpy as np\na = np.arange(1000.0) * 2\n") == NACRE_OK);
    for (int i = 0; i < 2 * COUNT; i++) {
        NacreValue *a = value_of(vm, i % 2 ? "a" : "a + 1");
        void *tensor = NULL;
        CHECK(nacre_to_dlpack(vm, a, 0, &tensor) == NACRE_OK);
        lists[i % 2][i / 2] = tensor;
        nacre_release(vm, a);
    }
    // One thread gives back while the VM works, one after it is gone.
    CHECK(pthread_create(&threads[0], NULL, delete_all, lists[0]) == 0);
    for (int i = 0; i < 50; i++) CHECK(run(vm, "a += 1") == NACRE_OK);
    pthread_join(threads[0], NULL);
    nacre_free(vm);
    CHECK(in_use > 0 && ((double *)lists[1][0]->dl_tensor.data)[999] == 2048);
    CHECK(pthread_create(&threads[1], NULL, delete_all, lists[1]) == 0);
    pthread_join(threads[1], NULL);
    CHECK(in_use == 0);
}

int main(void) {
    test_shared("cpu");
    test_shared("mirror");
    test_lent_indices();
    test_types();
    test_taken();
    test_threads("cpu");
    test_threads("mirror");
    printf("%d failures\n", failures);
    return failures > 0;
}
