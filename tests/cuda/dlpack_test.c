// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays on a CUDA device to and from a host that uses CUDA itself, by DLPack: without a copy, in the order of streams,
// for as long as somebody has them. Without a driver there is nothing to be tested. On the stand-in a second process
// looks whether anything is left on the device.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "nacre/nacre.h"
#include "vm/api/dlpack.h"

enum { COUNT = 1000, BYTES = COUNT * sizeof(double) };

static Driver driver;
static void *ours; // a stream that waits for the default stream
static int failures;

#define CHECK(condition) \
    ((condition) ? (void)0 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))

static NacreVm *start(const char *backend) {
    const NacreOptions options = {.struct_size = sizeof options, .backend = backend, .device_least = 1};
    return nacre_new(&options);
}

static bool run(NacreVm *vm, const char *text) {
    bool good = nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE) == NACRE_OK;
    if (!good) printf("%s", nacre_error_text(vm));
    return good;
}

static NacreValue *value_of(NacreVm *vm, const char *name) {
    NacreValue *value = NULL;
    CHECK(nacre_global(vm, name, &value) == NACRE_OK);
    return value;
}

static bool failed(NacreVm *vm, NacreStatus status, const char *class_name, const char *part) {
    bool good = status == NACRE_ERROR && strcmp(nacre_error_class(vm), class_name) == 0 &&
                strstr(nacre_error_text(vm), part);
    if (!good) printf("%d %s\n", (int)status, nacre_error_text(vm));
    return good;
}

static uint64_t copies(NacreVm *vm) {
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_stats(vm, &stats) == NACRE_OK);
    return stats.copies_device_to_host + stats.copies_host_to_device;
}

// Elements as a stream finds them.
static const double *read_in(void *stream, const DLTensor *tensor) {
    static double seen[COUNT];
    CHECK(driver.to_host(seen, (Ptr)(uintptr_t)tensor->data + tensor->byte_offset, sizeof seen, stream) == 0);
    CHECK(driver.synchronize(stream) == 0);
    return seen;
}

// --- From the VM ------------------------------------------------------------------------------------

static DLManagedTensorVersioned *hand_out(NacreVm *vm, const char *name, NacreDlpack asked) {
    void *tensor = NULL;
    NacreValue *value = value_of(vm, name);
    asked.struct_size = sizeof asked;
    asked.versioned = 1;
    CHECK(nacre_dlpack(vm, value, &asked, &tensor) == NACRE_OK);
    nacre_release(vm, value);
    return tensor;
}

static void test_out(void) {
    NacreVm *vm = start("cuda");
    int type = 0, number = -1;
    CHECK(run(vm, "import numpy as np\na = np.arange(1000.0) * 2\nb = np.frombuffer(bytes(16))\n"));
    NacreValue *a = value_of(vm, "a"), *b = value_of(vm, "b");
    CHECK(nacre_dlpack_device(vm, a, &type, &number) == NACRE_OK && type == DL_CUDA && number == 0);
    CHECK(nacre_dlpack_device(vm, b, &type, &number) == NACRE_OK && type == DL_CPU && number == 0);
    uint64_t before = copies(vm);
    void *given = NULL;
    CHECK(nacre_to_dlpack(vm, a, 0, &given) == NACRE_OK);
    DLManagedTensor *tensor = given;
    DLTensor *t = &tensor->dl_tensor;
    CHECK(t->device.device_type == DL_CUDA && t->device.device_id == 0 && t->ndim == 1 && t->shape[0] == COUNT);
    CHECK(read_in(ours, t)[COUNT - 1] == 1998);
    // What scripts write is there, at the same place, whoever has written it.
    CHECK(run(vm, "a *= 2\n") && read_in(ours, t)[COUNT - 1] == 3996);
    CHECK(copies(vm) == before);
    CHECK(run(vm, "import struct\nstruct.pack_into('1000d', a, 0, *[7.0] * 1000)\n") && read_in(ours, t)[5] == 7);
    CHECK(run(vm, "assert a[5] == 7 and a.sum() == 7000\na[:] = 8\n") && read_in((void *)1, t)[5] == 8);
    // What the host writes, scripts see.
    static double nine[COUNT];
    for (int i = 0; i < COUNT; i++) nine[i] = 9;
    CHECK(driver.to_device((Ptr)(uintptr_t)t->data, nine, sizeof nine, ours) == 0);
    CHECK(run(vm, "assert a[5] == 9 and a.tolist() == [9] * 1000\n"));
    // A few elements are read on another way.
    CHECK(run(vm, "few = np.arange(100.0) + 1\n"));
    DLManagedTensorVersioned *few = hand_out(vm, "few", (NacreDlpack){0});
    CHECK(driver.to_device((Ptr)(uintptr_t)few->dl_tensor.data, nine, 100 * sizeof *nine, ours) == 0);
    CHECK(run(vm, "assert few.tolist() == [9] * 100\n"));
    few->deleter(few);
    CHECK(failed(vm, nacre_write(vm, a, &given), "BufferError", "device"));
    // The array goes, and memory is taken and given back; the tensor stays.
    nacre_release(vm, a);
    CHECK(run(vm, "del a\nfor i in range(9):\n    c = np.ones(1000) * i\nc.sum()\n"));
    CHECK(read_in(ours, t)[COUNT - 1] == 9);
    tensor->deleter(tensor);
    CHECK(run(vm, "c = np.ones(1000) * 3\nc.sum()\n"));
    nacre_release(vm, b);
    nacre_free(vm);
}

static void test_streams(void) {
    NacreVm *vm = start("cuda");
    void *apart = NULL;
    CHECK(driver.create(&apart, NON_BLOCKING) == 0);
    CHECK(run(vm, "import numpy as np\na = np.arange(1000.0)\n"));
    for (int i = 1; i < 4; i++) {
        CHECK(run(vm, "a = a + 1\n"));
        NacreDlpack asked = {.stream = i == 1 ? (int64_t)(intptr_t)apart : i == 2 ? 2 : 0};
        DLManagedTensorVersioned *tensor = hand_out(vm, "a", asked);
        CHECK(read_in(i == 1 ? apart : (void *)2, &tensor->dl_tensor)[0] == i);
        tensor->deleter(tensor);
    }
    CHECK(run(vm, "a = a * 2\n"));
    DLManagedTensorVersioned *tensor = hand_out(vm, "a", (NacreDlpack){.stream = -1});
    CHECK(run(vm, "a.sum()\n") && read_in(apart, &tensor->dl_tensor)[0] == 6);
    tensor->deleter(tensor);
    CHECK(driver.destroy(apart) == 0);
    nacre_free(vm);
}

static void test_copies(void) {
    NacreVm *vm = start("cuda");
    CHECK(run(vm, "import numpy as np\na = np.arange(1000.0) * 2\n"));
    DLManagedTensorVersioned *host = hand_out(vm, "a", (NacreDlpack){.on_host = 1}),
                             *copy = hand_out(vm, "a", (NacreDlpack){.copy = 1}),
                             *same = hand_out(vm, "a", (NacreDlpack){.copy = -1});
    CHECK(host->dl_tensor.device.device_type == DL_CPU && host->flags == DL_IS_COPIED);
    CHECK(((const double *)host->dl_tensor.data)[3] == 6);
    CHECK(copy->dl_tensor.device.device_type == DL_CUDA && copy->flags == DL_IS_COPIED && same->flags == 0);
    CHECK(copy->dl_tensor.data != same->dl_tensor.data);
    CHECK(run(vm, "a += 1\n"));
    CHECK(read_in(ours, &copy->dl_tensor)[3] == 6 && read_in(ours, &same->dl_tensor)[3] == 7);
    void *tensor;
    NacreValue *a = value_of(vm, "a");
    const NacreDlpack never = {.struct_size = sizeof never, .on_host = 1, .copy = -1, .versioned = 1};
    CHECK(failed(vm, nacre_dlpack(vm, a, &never, &tensor), "BufferError", "avoid copying"));
    nacre_release(vm, a);
    host->deleter(host);
    copy->deleter(copy);
    same->deleter(same);
    // By the script's own words.
    CHECK(run(vm, "def raises(f):\n    try:\n        f()\n    except Exception as e:\n        return type(e).__name__\n"
                  "b = a + 1\nassert b.__dlpack_device__() == (2, 0)\nc = np.from_dlpack(b)\nc[:2] = 5\n"
                  "assert b[0] == 5 and np.shares_memory(b, c)\n"
                  "c = np.from_dlpack(b, device='cpu')\nassert c.__dlpack_device__() == (1, 0) and c[0] == 5\n"
                  "b.__dlpack__(stream=1), b.__dlpack__(stream=-1, max_version=(1, 0)), b.__dlpack__(dl_device=(2, 0))\n"
                  "assert raises(lambda: b.__dlpack__(stream=0)) == 'ValueError'\n"
                  "assert raises(lambda: b.__dlpack__(stream='x')) == 'TypeError'\n"
                  "assert raises(lambda: b.__dlpack__(dl_device=(2, 1))) == 'BufferError'\n"
                  "assert raises(lambda: b.__dlpack__(dl_device=(1, 0), copy=False)) == 'BufferError'\n"
                  "assert raises(lambda: c.__dlpack__(stream=1)) == 'RuntimeError'\n"));
    nacre_free(vm);
}

// Arrays that leave the device where it is full; one that others see does not.
static void test_full(void) {
    NacreVm *vm = start("cuda");
    CHECK(run(vm, "import numpy as np\na = np.arange(1000000.0) * 2\n"));
    DLManagedTensorVersioned *tensor = hand_out(vm, "a", (NacreDlpack){0});
    CHECK(run(vm, "y = [np.ones(1000000) + i for i in range(20)]\nz = np.zeros(1000000)\n"
                  "for x in y:\n    z += x\nassert z[0] == 210 and a[7] == 14\n"));
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_stats(vm, &stats) == NACRE_OK && stats.copies_device_to_host > 5);
    CHECK(read_in(ours, &tensor->dl_tensor)[7] == 14);
    tensor->deleter(tensor);
    nacre_free(vm);
}

static void *delete(void *tensor) {
    ((DLManagedTensorVersioned *)tensor)->deleter(tensor);
    return NULL;
}

// Tensors outlive the VM, and are given back by any thread.
static void test_after_the_end(NacreVm *vm) {
    CHECK(run(vm, "import numpy as np\na = np.arange(1000.0) * 2\nb = a + 1\nc = np.ones(1000) * 3\n"));
    DLManagedTensorVersioned *first = hand_out(vm, "a", (NacreDlpack){0}), *second = hand_out(vm, "b", (NacreDlpack){0}),
                             *third = hand_out(vm, "a", (NacreDlpack){0});
    CHECK(run(vm, "b *= 2\n"));
    nacre_free(vm);
    CHECK(read_in(ours, &first->dl_tensor)[3] == 6 && read_in(ours, &second->dl_tensor)[3] == 14);
    first->deleter(first);
    CHECK(read_in(ours, &third->dl_tensor)[4] == 8);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, delete, second);
    pthread_create(&threads[1], NULL, delete, third);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void test_own_stream(void) {
    NacreOptions options = {.struct_size = sizeof options, .backend = "cuda", .device_least = 1};
    void *stream = NULL;
    CHECK(driver.create(&stream, NON_BLOCKING) == 0);
    options.stream = stream;
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "import numpy as np\na = np.arange(1000.0) * 2\n"));
    DLManagedTensorVersioned *tensor = hand_out(vm, "a", (NacreDlpack){0});
    CHECK(read_in(stream, &tensor->dl_tensor)[3] == 6);
    nacre_free(vm);
    CHECK(driver.destroy(stream) == 0); // before what was computed in it goes
    CHECK(read_in(ours, &tensor->dl_tensor)[3] == 6);
    tensor->deleter(tensor);
}

// --- To the VM --------------------------------------------------------------------------------------

typedef struct Lent {
    DLManagedTensorVersioned tensor; // first
    Ptr memory;
    int64_t shape[2], strides[2];
    int deleted;
} Lent;

static void give_back(DLManagedTensorVersioned *self) {
    Lent *lent = (Lent *)self;
    lent->deleted++;
    driver.free(lent->memory);
}

// Every second column of a matrix, from its second element on.
static Lent lend(bool is_readonly) {
    static double data[COUNT]; // it is read when the stream comes to it
    Lent lent = {.shape = {10, 50}, .strides = {100, 2}};
    for (int i = 0; i < COUNT; i++) data[i] = i;
    CHECK(driver.alloc(&lent.memory, sizeof data) == 0);
    CHECK(driver.to_device(lent.memory, data, sizeof data, ours) == 0);
    lent.tensor = (DLManagedTensorVersioned){
        .version = {1, 0}, .deleter = give_back, .flags = is_readonly ? DL_READ_ONLY : 0,
        .dl_tensor = {.data = (void *)(uintptr_t)lent.memory, .device = {DL_CUDA, 0}, .ndim = 2, .dtype = {DL_FLOAT, 64, 1},
                      .byte_offset = sizeof(double)}};
    return lent;
}

static NacreStatus take(NacreVm *vm, Lent *lent, const char *name) {
    NacreValue *value = NULL;
    lent->tensor.dl_tensor.shape = lent->shape;
    lent->tensor.dl_tensor.strides = lent->strides;
    NacreStatus status = nacre_from_dlpack(vm, &lent->tensor, 1, &value);
    if (status != NACRE_OK) return status;
    CHECK(nacre_set_global(vm, name, value) == NACRE_OK);
    nacre_release(vm, value);
    return status;
}

static void test_in(void) {
    NacreVm *vm = start("cuda");
    Lent lent = lend(false), fixed = lend(true);
    const DLTensor whole = {.data = (void *)(uintptr_t)lent.memory};
    CHECK(run(vm, "import numpy as np, nacre\n"));
    uint64_t before = copies(vm);
    CHECK(take(vm, &lent, "x") == NACRE_OK && take(vm, &fixed, "fixed") == NACRE_OK);
    CHECK(run(vm, "y = x * 2 + fixed\nx += 1000\n"));
    CHECK(copies(vm) == before);
    const double *seen = read_in(ours, &whole);
    CHECK(seen[0] == 0 && seen[1] == 1001 && seen[2] == 2 && seen[999] == 1999);
    CHECK(run(vm, "assert x.shape == (10, 50) and x.strides == (800, 16) and nacre.device_of(x) == 'cuda'\n"
                  "assert y[1, 2] == 315 and x[1, 2] == 1105 and x.__dlpack_device__() == (2, 0)\n"
                  "assert x[0].tolist() == [1001.0 + 2 * i for i in range(50)]\n"
                  "try:\n    fixed[0] = 1\n    assert False\nexcept ValueError:\n    pass\n"
                  "x[1:3, 4] = -1\nz = x.T\n"));
    CHECK(read_in(ours, &whole)[109] == -1 && read_in(ours, &whole)[110] == 110);
    // It is handed on as what it is, and given back once nobody has it.
    DLManagedTensorVersioned *on = hand_out(vm, "z", (NacreDlpack){0});
    CHECK((Ptr)(uintptr_t)on->dl_tensor.data == lent.memory + sizeof(double) && on->dl_tensor.strides[0] == 2);
    CHECK(run(vm, "x *= 2\ndel x, z, fixed\n") && lent.deleted == 0 && fixed.deleted == 1);
    CHECK(read_in(ours, &whole)[1] == 2002);
    nacre_free(vm);
    CHECK(lent.deleted == 0);
    on->deleter(on);
    CHECK(lent.deleted == 1);
}

static void test_refused(void) {
    NacreVm *vm = start("cpu");
    Lent lent = lend(false), other = lend(false), third = lend(false);
    CHECK(failed(vm, take(vm, &lent, "x"), "BufferError", "nacre.device('cuda')") && lent.deleted == 1);
    CHECK(run(vm, "import numpy as np, nacre\ny = nacre.to(np.arange(5.0), 'cuda')\n"));
    third.tensor.dl_tensor.device.device_type = 10; // kDLROCM
    CHECK(failed(vm, take(vm, &third, "x"), "BufferError", "type 10") && third.deleted == 1);
    third = lend(false);
    third.tensor.dl_tensor.device.device_id = 1;
    CHECK(failed(vm, take(vm, &third, "x"), "BufferError", "number 1") && third.deleted == 1);
    // Now it has one. What is computed from the tensor is computed there.
    other.tensor.dl_tensor.device.device_type = DL_CUDA_MANAGED;
    CHECK(take(vm, &other, "x") == NACRE_OK);
    CHECK(run(vm, "z = x + 1\nassert nacre.device_of(z) == 'cuda' and z[0, 1] == 4 and y.__dlpack_device__() == (2, 0)\n"
                  "assert np.ones(3).__dlpack_device__() == (1, 0)\ndel x\n") && other.deleted == 1);
    nacre_free(vm);
}

// --- All of it --------------------------------------------------------------------------------------

static int run_all(void) {
    void *context = NULL;
    if (!driver_open(&driver) || driver.retain(&context, 0) != 0) {
        printf("no device of CUDA\n");
        return SKIPPED;
    }
    driver.push(context);
    CHECK(driver.create(&ours, 0) == 0);
    test_out();
    test_streams();
    test_copies();
    test_full();
    test_after_the_end(start("cuda"));
    test_own_stream();
    test_in();
    test_refused();
    CHECK(driver.destroy(ours) == 0);
    driver.pop(&context);
    driver.release(0);
    printf("%d failures\n", failures);
    return failures != 0;
}

// What the stand-in still had at the end: counts of what is live, by kind.
static bool is_clean(const char *report) {
    char text[256] = "";
    FILE *file = fopen(report, "r");
    if (!file) return true; // a real driver
    bool good = fgets(text, sizeof text, file);
    fclose(file);
    char *end = strchr(text, '}');
    if (end) *end = '\0';
    good = good && end && strstr(text, "\"blocks\": 0") && !strpbrk(text, "123456789");
    if (!good) printf("left: %s\n", text);
    return good;
}

int main(void) {
    char report[] = "/tmp/nacre-dlpack-XXXXXX";
    int status = 0, number = mkstemp(report);
    if (number < 0) return 1;
    close(number);
    unlink(report);
    setenv("STANDIN_REPORT", report, 1);
    setenv("STANDIN_MEMORY", "100000000", 1);
    pid_t child = fork();
    if (child == 0) exit(run_all());
    waitpid(child, &status, 0);
    bool clean = is_clean(report);
    unlink(report);
    return !WIFEXITED(status) || !clean ? 1 : WEXITSTATUS(status);
}
