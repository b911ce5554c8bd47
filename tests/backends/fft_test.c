// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fourier transforms of several VMs at a time, each in a thread of its own: plans are made, used
// and destroyed side by side, more of them than a VM keeps.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nacre/nacre.h"

enum { VMS = 4 };

static const char program[] =
    "import numpy as np\n"
    "for n in range(1, 41):\n"
    "    rows = np.arange(70.0 * n).reshape(70, n) % 11\n"
    "    for axis in (0, 1):\n"
    "        half = np.fft.rfft(rows, axis=axis)\n"
    "        assert np.allclose(np.fft.irfft(half, rows.shape[axis], axis), rows)\n"
    "        whole = np.fft.fft((rows - 5j).astype('complex64'), axis=axis)\n"
    "        assert np.allclose(np.fft.ifft(whole, axis=axis), rows - 5j, atol=1e-4)\n";

typedef struct Run {
    pthread_t thread;
    bool failed;
} Run;

static void *run_vm(void *argument) {
    Run *run = argument;
    NacreOptions options = {.struct_size = sizeof options};
    options.threads = 2;
    NacreVm *vm = nacre_new(&options);
    run->failed = !vm || nacre_run(vm, program, strlen(program), "<test>", NACRE_FILE) != NACRE_OK;
    if (vm && run->failed) printf("%s\n", nacre_error_text(vm));
    if (vm) nacre_free(vm);
    return NULL;
}

int main(void) {
    Run runs[VMS] = {0};
    int started = 0, failures = 0;
    while (started < VMS && !pthread_create(&runs[started].thread, NULL, run_vm, &runs[started]))
        started++;
    for (int i = 0; i < started; i++) {
        pthread_join(runs[i].thread, NULL);
        failures += runs[i].failed;
    }
    printf("%d of %d VMs, %d failures\n", started, VMS, failures);
    return failures || started < VMS;
}
