// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A host that uses CUDA itself hands its stream over: an operation of the host's finds it, work of both is in its order,
// and the stream outlives the VM. Without a driver there is nothing to be tested.

#include <stdio.h>
#include <string.h>

#include "host.h"
#include "nacre/nacre.h"

enum { COUNT = 1000 };

typedef struct Host {
    Driver driver;
    void *stream;
    double seen[COUNT];
    int calls, failed;
} Host;

static void check(Host *host, int good, const char *what) {
    if (good) return;
    printf("failed: %s\n", what);
    host->failed++;
}

// Copies the operand to the host's memory, behind what is in the stream. The result is not touched.
static int look(void *ctx, const NacreOperationCall *call) {
    Host *host = ctx;
    host->calls++;
    check(host, call->queue == host->stream, "the operation is given the host's stream");
    return host->driver.to_host(host->seen, (unsigned long long)(size_t)call->operands[0].data + (size_t)call->operands[0].offset,
                                sizeof host->seen, host->stream);
}

static int look_here(void *ctx, const NacreOperationCall *call) {
    (void)call;
    check(ctx, 0, "the operation is run on the device");
    return 1;
}

static void run(Host *host, NacreVm *vm) {
    static const char text[] = "import numpy as np\nx = np.arange(1000.0) * 3\ny = seen(x + 1)\n(y + 1)[0].item()\n";
    const NacreImplementation both[] = {{"cpu", look_here}, {"cuda", look}};
    const NacreHostOperation operation = {.struct_size = sizeof operation, .name = "seen", .operand_count = 1,
                                          .is_contiguous = 1, .implementation_count = 2, .implementations = both,
                                          .ctx = host};
    NacreValue *function;
    if (nacre_add_operation(vm, &operation, &function) != NACRE_OK || nacre_set_global(vm, "seen", function) != NACRE_OK ||
        nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE) != NACRE_OK)
        check(host, 0, nacre_error_text(vm));
    check(host, host->driver.synchronize(host->stream) == 0, "the stream is waited for");
    check(host, host->calls == 1 && host->seen[0] == 1 && host->seen[COUNT - 1] == 2998, "the operand is what came before");
    nacre_release(vm, function);
}

// The host's context is current all the while, and what the VM does leaves it so.
static void with_context(Host *host) {
    Driver *driver = &host->driver;
    NacreOptions options = {.struct_size = sizeof options, .backend = "cuda", .device_least = 1};
    void *current = NULL;
    check(host, driver->create(&host->stream, 0) == 0, "a stream is made");
    options.stream = host->stream;
    NacreVm *vm = nacre_new(&options);
    check(host, vm != NULL, "a VM takes it");
    if (vm) run(host, vm);
    nacre_free(vm);
    check(host, driver->synchronize(host->stream) == 0, "the stream outlives the VM");
    check(host, driver->destroy(host->stream) == 0, "and is the host's to destroy");
    check(host, driver->pop(&current) == 0 && current, "its context is current");
    driver->push(current);
}

int main(void) {
    static Host host;
    void *context = NULL;
    if (!driver_open(&host.driver) || host.driver.retain(&context, 0) != 0) {
        printf("no device of CUDA\n");
        return SKIPPED;
    }
    host.driver.push(context);
    with_context(&host);
    host.driver.pop(&context);
    host.driver.release(0);
    // No other backend takes a stream, rather than passing it over.
    const NacreOptions wrong = {.struct_size = sizeof wrong, .backend = "cpu", .stream = &host};
    check(&host, !nacre_new(&wrong), "a stream for the processor is refused");
    printf("%d failures\n", host.failed);
    return host.failed != 0;
}
