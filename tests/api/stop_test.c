// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Whatever a script calls, with arguments as large as they get: an interrupt and a time limit end it soon, and the VM
// goes on.
//
//   stop_test [--all] [--offset N] [--only TEXT]
//
// As many calls of stop_calls.def as a minute has time for, beginning with one that changes with the commit; --all: all
// of them. --only: those that contain a text. A call is repeated until it is stopped, so a fast machine meets it, too.

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "nacre_commit.h"
#include "vm/api/api.h"

#define BEFORE   0.05 // seconds that a call has before it is stopped
#define SOON     3.0  // and after it, at most, of a processor's time, as the machine may be busy: most take milliseconds
#define GIVEN_UP 100  // of that, nobody waits any longer
#define MINUTE   60

// Sanitizers slow the library's loads and stores down, and not the loop that measures the machine.
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer) || defined(__SANITIZE_ADDRESS__)
#define INSTRUMENTED 4
#else
#define INSTRUMENTED 1
#endif

static const struct {
    const char *subject, *before, *call;
} calls[] = {
#define STOP(subject, before, call) {#subject, before, call},
#include "stop_calls.def"
#undef STOP
};
enum { CALLS = sizeof calls / sizeof *calls };

static double now(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// How many times slower this machine is than one of 2020, when it is: by a loop that nobody can leave out.
static double slowness(void) {
    double begin = now(CLOCK_THREAD_CPUTIME_ID), took;
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 50000000; i++) sum += i;
    (void)sum;
    took = (now(CLOCK_THREAD_CPUTIME_ID) - begin) / 0.1;
    return took > 1 ? took : 1;
}

// A thread that interrupts the VM a while after it was asked to, and ends the test where nothing comes of that.
typedef struct Stopper {
    NacreVm *vm;
    pthread_t thread;
    const char *call;
    bool interrupts;
    double stopped, used; // when, and how much of the processors the program had used by then
    atomic_bool begun, done;
} Stopper;

static NacreStatus begins(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                          NacreValue **result) {
    (void)vm, (void)count, (void)args, (void)result;
    atomic_store(&((Stopper *)ctx)->begun, true);
    return NACRE_OK;
}

static void *stop(void *argument) {
    Stopper *s = argument;
    while (!atomic_load(&s->begun)) usleep(1000);
    usleep((useconds_t)(1e6 * BEFORE));
    s->stopped = now(CLOCK_MONOTONIC);
    s->used = now(CLOCK_PROCESS_CPUTIME_ID);
    if (s->interrupts) nacre_interrupt(s->vm);
    while (now(CLOCK_PROCESS_CPUTIME_ID) - s->used < GIVEN_UP) {
        usleep(20000);
        if (atomic_load(&s->done)) return NULL;
    }
    printf("never stops: %s\n", s->call);
    fflush(stdout);
    _exit(1);
}

// Seconds from the request to stop until the VM has; negative: it has ended otherwise. Where there is not enough memory for
// a call, that is an end, too.
static double stop_call(NacreVm *vm, const char *call, bool interrupts) {
    char text[1000];
    Stopper s = {.vm = vm, .call = call, .interrupts = interrupts};
    snprintf(text, sizeof text, "begins()\nwhile True: %s\n", call);
    const NacreFunction function = {
        .struct_size = sizeof function, .name = "begins", .signature = "", .fn = begins, .ctx = &s};
    NacreValue *value = NULL;
    CHECK(nacre_function(vm, &function, &value) == NACRE_OK &&
          nacre_set_global(vm, "begins", value) == NACRE_OK);
    nacre_release(vm, value);
    vm->options.time_limit = interrupts ? 0 : BEFORE;
    pthread_create(&s.thread, NULL, stop, &s);
    NacreStatus status = run(vm, text);
    double after = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
    atomic_store(&s.begun, true);
    atomic_store(&s.done, true);
    pthread_join(s.thread, NULL);
    vm->options.time_limit = 0;
    if (status == NACRE_ERROR && strcmp(nacre_error_class(vm), "MemoryError") == 0) return 0;
    bool good = interrupts
                    ? status == NACRE_INTERRUPTED
                    : status == NACRE_ERROR && strcmp(nacre_error_class(vm), "TimeoutError") == 0;
    if (!good) {
        printf("%s: %s %s\n", call, nacre_error_class(vm), nacre_error_message(vm));
        return -1;
    }
    after -= s.stopped;
    used -= s.used;
    return after < 0 ? 0 : after < used ? after : used;
}

static bool goes_on(NacreVm *vm) {
    return run(vm,
               "assert 6 * 7 == 42 and np.arange(3).sum() == 3 and sorted('ba') == ['a', 'b']") ==
           NACRE_OK;
}

// In a VM of its own: what was put off when the last one was stopped needs memory.
static void check_call(size_t i, bool interrupts, double most) {
    Host host;
    memset(&host, 0, sizeof host);
    NacreOptions options = host_options(&host);
    options.threads = 2;
    options.tier = "auto";
    options.memory_limit = (size_t)3 << 30;
    NacreVm *vm = host.vm = nacre_new(&options);
    bool ready =
        vm && run(vm, "import numpy as np") == NACRE_OK && run(vm, calls[i].before) == NACRE_OK;
    double soon = ready ? stop_call(vm, calls[i].call, interrupts) : -1;
    bool good = soon >= 0 && soon < most && goes_on(vm);
    if (!good)
        printf("%s %.2f s: %s; %s\n", calls[i].subject, soon, calls[i].before, calls[i].call);
    failures += !good;
    if (vm) nacre_free(vm);
}

// Calls write their files into the current folder: one of the test's own.
static bool enter_folder(char *folder) {
    return mkdtemp(folder) && chdir(folder) == 0;
}

static void remove_folder(const char *folder) {
    DIR *files = opendir(folder);
    CHECK(files);
    for (struct dirent *file; files && (file = readdir(files));)
        if (file->d_name[0] != '.') unlink(file->d_name);
    if (files) closedir(files);
    CHECK(rmdir(folder) == 0);
}

static size_t common_divisor(size_t a, size_t b) {
    return b ? common_divisor(b, a % b) : a;
}

int main(int argc, char **argv) {
    char commit[8] = {0};
    memcpy(commit, NACRE_COMMIT, sizeof commit - 1);
    size_t offset = strtoull(commit, NULL, 16), count = 0;
    const char *only = "";
    char folder[] = "/tmp/nacre-stop-XXXXXX";
    double seconds = MINUTE;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0)
            seconds = 1e9;
        else if (strcmp(argv[i], "--offset") == 0 && i + 1 < argc)
            offset = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            return 2;
    }
    if (!enter_folder(folder)) return 2;
    double begin = now(CLOCK_MONOTONIC), most = SOON * INSTRUMENTED * slowness();
    size_t step = 101; // subjects in turn: it must have no divisor in common with their number
    while (common_divisor(step, CALLS) > 1) step++;
    for (size_t i = 0; i < CALLS && now(CLOCK_MONOTONIC) - begin < seconds; i++) {
        size_t at = (offset + i * step) % CALLS;
        if (!strstr(calls[at].call, only) && !strstr(calls[at].subject, only)) continue;
        check_call(at, true, most);
        check_call(at, false, most);
        count++;
    }
    remove_folder(folder);
    printf("%zu of %d calls, %d failures\n", count, (int)CALLS, failures);
    return failures != 0 || count == 0;
}
