// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A host that uses CUDA itself hands its stream over: an operation of the host's finds it, work of both is in its order,
// and the stream outlives the VM. Without a driver there is nothing to be tested.

#include <stdio.h>
#include <stdlib.h>
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

// A number that is asked for waits for what it is made of, not for what was launched since. The stand-in does nothing
// before it is waited for, so what it has not done is known.
static void read_alone(Host *host, NacreVm *vm) {
    static const char text[] = "s = (x * x).sum(keepdims=True)\n", later[] = "z = np.sin(x)\n";
    NacreValue *sum = NULL, *other = NULL;
    double found = 0;
    void *behind = NULL;
    check(host, host->driver.event_create(&behind, 0) == 0, "an event is made");
    bool good = nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE) == NACRE_OK &&
                nacre_global(vm, "s", &sum) == NACRE_OK && nacre_compute(vm, 1, &sum) == NACRE_OK &&
                nacre_run(vm, later, strlen(later), "<test>", NACRE_FILE) == NACRE_OK &&
                nacre_global(vm, "z", &other) == NACRE_OK && nacre_compute(vm, 1, &other) == NACRE_OK;
    check(host, good, "both are launched");
    check(host, host->driver.event_record(behind, host->stream) == 0, "and something behind them");
    check(host, nacre_copy_to(vm, sum, &found, sizeof found) == NACRE_OK && found == 2995501500, "the number is right");
    if (getenv("STANDIN_COMPILED")) check(host, host->driver.event_query(behind) != 0, "what is behind it was not waited for");
    check(host, host->driver.synchronize(host->stream) == 0 && host->driver.event_query(behind) == 0, "it comes, too");
    host->driver.event_destroy(behind);
    nacre_release(vm, sum);
    nacre_release(vm, other);
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
    if (vm) read_alone(host, vm);
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
