// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the targets share that run programs in a VM: checks that end the run, and an allocator that counts.

#ifndef NACRE_TESTS_FUZZ_VM_H
#define NACRE_TESTS_FUZZ_VM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nacre/nacre.h"

// A finding: libFuzzer keeps the input of a process that aborts.
static inline void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

// The bytes that a VM has got from count_bytes, whose context this is.
typedef struct Counted {
    size_t bytes, peak;
} Counted;

static inline void *count_bytes(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    Counted *counted = ctx;
    void *fresh = NULL;
    if (new_size) {
        fresh = realloc(ptr, new_size);
        if (!fresh) return NULL;
    } else {
        free(ptr);
    }
    counted->bytes += new_size - (ptr ? old_size : 0);
    if (counted->bytes > counted->peak) counted->peak = counted->bytes;
    return fresh;
}

// A VM of one thread that gets at most `limit` bytes, which are counted. `seconds`: its time limit; 0: none.
static inline NacreVm *counted_vm(Counted *memory, size_t limit, double seconds) {
    NacreOptions options = {.struct_size = sizeof options};
    options.alloc = count_bytes;
    options.alloc_ctx = memory;
    options.memory_limit = limit;
    options.time_limit = seconds;
    options.unpooled = 1;
    options.threads = 1;
    NacreVm *vm = nacre_new(&options);
    require(vm, "no VM");
    return vm;
}

static inline void free_counted_vm(NacreVm *vm, const Counted *memory) {
    nacre_free(vm);
    require(memory->bytes == 0, "the VM kept memory");
}

// Runs a program that may not raise.
static inline void run_text(NacreVm *vm, const char *text) {
    NacreStatus status = nacre_run(vm, text, strlen(text), "fuzz", NACRE_FILE);
    require(status == NACRE_OK, nacre_error_text(vm));
}

// --- Programs that are given any bytes -----------------------------------------------------------------

// A VM whose program defines `run(choice, data)`, which may end with a value or an exception; but interrupts, internal errors
// and assertions of its own are findings.
typedef struct Attempts {
    const char *prologue; // the program
    size_t memory_limit;
    NacreVm *vm;
    int runs;
    Counted memory; // of the VM
} Attempts;

static inline void attempts_run(Attempts *a, const char *text) {
    NacreStatus status = nacre_run(a->vm, text, strlen(text), "fuzz", NACRE_FILE);
    if (status == NACRE_OK) return;
    const char *error = nacre_error_text(a->vm);
    require(strstr(error, "TimeoutError") != NULL, error);
}

// Calls it with the first byte, and with the others as bytes: some hundred times in a VM, which then may have kept no
// memory. False: too short or too long.
static inline bool attempts_call(Attempts *a, const uint8_t *data, size_t size) {
    enum { INPUT_MAX = 512, RUNS_EACH_VM = 512 };
    char text[2 * INPUT_MAX + 64];
    if (size < 1 || size > INPUT_MAX) return false;
    if (!a->vm) {
        a->vm = counted_vm(&a->memory, a->memory_limit, 1);
        a->runs = 0;
        attempts_run(a, a->prologue);
        attempts_run(a, "def attempt(choice, data):\n"
                        "    try:\n"
                        "        run(choice, data)\n"
                        "    except (KeyboardInterrupt, SystemError, AssertionError):\n"
                        "        raise\n"
                        "    except Exception:\n"
                        "        pass\n");
    }
    int at = snprintf(text, sizeof text, "attempt(%d, bytes.fromhex('", data[0]);
    for (size_t i = 1; i < size; i++) at += snprintf(text + at, sizeof text - (size_t)at, "%02x", data[i]);
    snprintf(text + at, sizeof text - (size_t)at, "'))");
    attempts_run(a, text);
    if (++a->runs < RUNS_EACH_VM) return true;
    free_counted_vm(a->vm, &a->memory);
    a->vm = NULL;
    return true;
}

#endif
