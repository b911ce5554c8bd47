// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// An operation of the host with a function for OpenCL: it is given the device's queue and memory, and what it
// enqueues stands between what comes before and behind. Without OpenCL there is nothing to be tested.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "nacre/nacre.h"

enum { SKIPPED = 77 };

// clEnqueueCopyBuffer, from the library that the backend has opened.
typedef int (*CopyFn)(void *queue, void *from, void *to, size_t from_offset, size_t to_offset, size_t bytes,
                      unsigned count, const void *events, void *event);

typedef struct Calls {
    CopyFn copy;
    int device, host, failed;
} Calls;

static size_t bytes_of(const NacreTensor *tensor) {
    size_t bytes = tensor->itemsize;
    for (int d = 0; d < tensor->ndim; d++) bytes *= (size_t)tensor->shape[d];
    return bytes;
}

static int copy_on_device(void *ctx, const NacreOperationCall *call) {
    Calls *calls = ctx;
    const NacreTensor *from = &call->operands[0], *to = &call->result;
    calls->device++;
    if (!call->queue || strcmp(call->backend, "opencl") != 0) return 1;
    return calls->copy(call->queue, from->data, to->data, (size_t)from->offset, (size_t)to->offset, bytes_of(from), 0,
                       NULL, NULL);
}

static int copy_on_host(void *ctx, const NacreOperationCall *call) {
    ((Calls *)ctx)->host++;
    memcpy(call->result.data, call->operands[0].data, bytes_of(&call->operands[0]));
    return 0;
}

static void expect(Calls *calls, NacreVm *vm, const char *expression, const char *value) {
    NacreStatus status = nacre_run(vm, expression, strlen(expression), "<test>", NACRE_EXPRESSION);
    if (status == NACRE_OK && strcmp(nacre_result_text(vm), value) == 0) return;
    printf("%s is %s, not %s\n%s", expression, nacre_result_text(vm), value, nacre_error_text(vm));
    calls->failed++;
}

static void try_functions(NacreVm *vm, Calls *calls, const char *name, int functions) {
    const NacreImplementation both[] = {{"cpu", copy_on_host}, {"opencl", copy_on_device}};
    const NacreHostOperation operation = {.struct_size = sizeof operation, .name = name, .operand_count = 1,
                                          .is_contiguous = 1, .implementation_count = functions,
                                          .implementations = both, .ctx = calls};
    NacreValue *function;
    char expression[128];
    if (nacre_add_operation(vm, &operation, &function) != NACRE_OK || nacre_set_global(vm, name, function) != NACRE_OK) {
        fputs(nacre_error_text(vm), stdout);
        calls->failed++;
        return;
    }
    snprintf(expression, sizeof expression, "float((%s(x * 2 + 1)[7:] + 1).sum())", name);
    expect(calls, vm, expression, "1000944.0"); // small enough for float32 to hold every sum
    snprintf(expression, sizeof expression, "float(%s((x + 1)[7:])[0])", name); // with an offset
    expect(calls, vm, expression, "8.0");
}

int main(void) {
    static const char text[] = "import numpy as np\nx = np.arange(1000, dtype='float32')\n";
    const NacreOptions options = {.struct_size = sizeof options, .backend = "opencl", .device_least = 1};
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    Calls calls = {0};
    if (library) *(void **)&calls.copy = dlsym(library, "clEnqueueCopyBuffer");
    NacreVm *vm = calls.copy ? nacre_new(&options) : NULL;
    if (!vm) {
        printf("no device of OpenCL\n");
        return SKIPPED;
    }
    if (nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE) != NACRE_OK) calls.failed++;
    try_functions(vm, &calls, "copied", 2);
    if (calls.device != 2 || calls.host != 0) printf("not run on the device\n"), calls.failed++;
    try_functions(vm, &calls, "copied_here", 1);
    if (calls.device != 2 || calls.host != 2) printf("not run on the host\n"), calls.failed++;
    nacre_free(vm);
    printf("%d failures\n", calls.failed);
    return calls.failed != 0;
}
