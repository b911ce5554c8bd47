// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The threads of the other ranks.
//
// Only rank 0 is interrupted. If that happens in a collective step, or in an effect that rank 0 performs for all (a
// sleep, a read), the other ranks learn of it in that step. Otherwise rank 0 has left the others, which learn of it at
// their next collective step. A rank that does not reach one is interrupted after a while.

#include "mates.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GRACE = 1000, AGAIN = 100 }; // ms that other ranks have to end by themselves after ranks differ; ms between
                                    // further interrupts

typedef struct Mate {
    Mates *mates;
    int rank;
    pthread_t thread;
    NacreVm *vm; // protected by the lock; NULL: not created yet, or destroyed
    NacreValue *after_cell;
} Mate;

struct Mates {
    NacreOptions options; // options of the other ranks; `rank` is set for each
    MateReadyFn ready;
    pthread_mutex_t mutex;
    pthread_cond_t news;
    const MateTask *task;
    uint64_t given; // number of tasks so far
    int busy;       // number of ranks that run the current task
    int living;     // number of threads
    bool off, ending;
    int count;
    Mate list[];
};

// --- What a rank does ------------------------------------------------------------------------------

static int ignore_text(void *ctx, int stream, const char *bytes, size_t len) {
    return (void)ctx, (void)stream, (void)bytes, (void)len, 0;
}

static int ignore_publication(void *ctx, const NacrePublication *publication) {
    return (void)ctx, (void)publication, 0;
}

static long ask_nobody(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes) {
    enum { NOBODY = -2 };
    return (void)ctx, (void)prompt, (void)len, (void)hidden, (void)bytes, NOBODY;
}

static void ignore_name(void *ctx, const char *completion) {
    (void)ctx, (void)completion;
}

static void ignore_bytes(void *ctx, int rank, const void *bytes, size_t len) {
    (void)ctx, (void)rank, (void)bytes, (void)len;
}

// Evaluates an expression as execute.c does on rank 0, so that all ranks run the same.
static void evaluate(NacreVm *vm, const char *text) {
    NacreValue *value = NULL, *shown = NULL;
    NacreStatus status = nacre_evaluate(vm, text, strlen(text), "<user_expressions>", &value);
    if (status == NACRE_OK) nacre_repr(vm, value, &shown);
    nacre_release(vm, shown);
    nacre_release(vm, value);
}

static void run_cell(const Mate *mate, const MateTask *task) {
    NacreVm *vm = mate->vm;
    NacreValue *nothing = NULL;
    const char *name;
    json_t *text;
    if (nacre_run(vm, task->text, task->len, task->filename, task->mode) == NACRE_OK)
        json_object_foreach(task->expressions, name, text)
            if (json_is_string(text)) evaluate(vm, json_string_value(text));
    if (nacre_call(vm, mate->after_cell, 0, NULL, &nothing) == NACRE_OK) nacre_release(vm, nothing);
}

static void do_task(const Mate *mate, const MateTask *task) {
    size_t start;
    nacre_forget_interrupt(mate->vm);
    if (task->kind == MATE_CELL) run_cell(mate, task);
    else if (task->kind == MATE_COMPLETE) nacre_complete(mate->vm, task->text, task->len, &start, ignore_name, NULL);
    else nacre_inspect(mate->vm, task->text, task->len, ignore_text, NULL);
    nacre_collect(mate->vm, NULL, 0, ignore_bytes, NULL); // synchronises the end of the task
}

// --- Threads ---------------------------------------------------------------------------------------

static void serve(Mate *mate) {
    Mates *mates = mate->mates;
    uint64_t done = 0;
    pthread_mutex_lock(&mates->mutex);
    for (;;) {
        while (!mates->ending && mates->given == done) pthread_cond_wait(&mates->news, &mates->mutex);
        if (mates->ending) break;
        const MateTask *task = mates->task;
        done = mates->given;
        pthread_mutex_unlock(&mates->mutex);
        do_task(mate, task);
        pthread_mutex_lock(&mates->mutex);
        mates->busy--;
        pthread_cond_broadcast(&mates->news);
    }
    pthread_mutex_unlock(&mates->mutex);
}

static void set_vm(Mate *mate, NacreVm *vm) {
    pthread_mutex_lock(&mate->mates->mutex);
    mate->vm = vm;
    pthread_mutex_unlock(&mate->mates->mutex);
}

static bool wait_for_all(Mates *mates) {
    pthread_mutex_lock(&mates->mutex);
    while (mates->living < mates->count && !mates->off) pthread_cond_wait(&mates->news, &mates->mutex);
    const bool good = !mates->off;
    pthread_mutex_unlock(&mates->mutex);
    return good;
}

static void *be_mate(void *arg) {
    Mate *mate = arg;
    Mates *mates = mate->mates;
    NacreOptions options = mates->options;
    options.rank = mate->rank;
    NacreVm *vm = wait_for_all(mates) ? nacre_new(&options) : NULL;
    set_vm(mate, vm);
    if (vm && mates->ready(vm, &mate->after_cell)) serve(mate);
    set_vm(mate, NULL);
    nacre_free(vm);
    pthread_mutex_lock(&mates->mutex);
    mates->living--;
    pthread_cond_broadcast(&mates->news);
    pthread_mutex_unlock(&mates->mutex);
    return NULL;
}

// Waits for a signal, for at most `ms`. The lock is held. Returns false on timeout.
static bool wait_for_news(Mates *mates, int ms) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(&mates->news, &mates->mutex, &until) != ETIMEDOUT;
}

// Waits until a count is 0; the lock is held. After a while, it interrupts the ranks, repeatedly.
static void wait_for_none(Mates *mates, const int *count) {
    int ms = GRACE;
    while (*count > 0) {
        if (wait_for_news(mates, ms)) continue;
        for (int i = 0; i < mates->count; i++)
            if (mates->list[i].vm) nacre_interrupt(mates->list[i].vm);
        ms = AGAIN;
    }
}

// --- For the kernel --------------------------------------------------------------------------------

static Mates *mates_new(int ranks) {
    const size_t others = (size_t)ranks - 1;
    Mates *mates = calloc(1, sizeof *mates + others * sizeof mates->list[0]);
    pthread_condattr_t monotonic;
    if (!mates) return NULL;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&mates->news, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&mates->mutex, NULL);
    mates->count = ranks - 1;
    return mates;
}

static NacreOptions options_of_others(const NacreOptions *own) {
    NacreOptions options = *own;
    options.write = ignore_text;
    options.publish = ignore_publication;
    options.ask = ask_nobody;
    options.read_line = NULL;
    options.refused = NULL;
    options.ctx = NULL;
    return options;
}

static bool start_threads(Mates *mates) {
    bool good = true;
    pthread_mutex_lock(&mates->mutex);
    for (int i = 0; i < mates->count && good; i++) {
        Mate *mate = &mates->list[i];
        *mate = (Mate){.mates = mates, .rank = i + 1};
        good = pthread_create(&mate->thread, NULL, be_mate, mate) == 0;
        mates->living += good;
    }
    if (!good) {
        mates->off = true;
        mates->count = mates->living; // only the threads that were started
    }
    pthread_cond_broadcast(&mates->news);
    pthread_mutex_unlock(&mates->mutex);
    return good;
}

void mates_prepare(void) {
    const NacreGroupOptions group = {.struct_size = sizeof group, .ranks = 1};
    nacre_group_free(nacre_group_new(&group)); // the first group prepares the process
}

Mates *mates_start(NacreOptions *options, int ranks, MateReadyFn ready) {
    // No timeout: threads do not disappear, and rank 0 waits for its client for any time.
    const NacreGroupOptions group = {.struct_size = sizeof group, .ranks = ranks, .stall = 1e9};
    Mates *mates = mates_new(ranks);
    if (!mates) return NULL;
    options->ranks = "loopback";
    options->rank = 0;
    options->group = nacre_group_new(&group);
    mates->options = options_of_others(options);
    mates->ready = ready;
    if (options->group && start_threads(mates)) return mates;
    mates_free(mates);
    return NULL;
}

void mates_do(Mates *mates, const MateTask *task) {
    pthread_mutex_lock(&mates->mutex);
    mates->task = task;
    mates->given++;
    mates->busy = mates->living;
    pthread_cond_broadcast(&mates->news);
    pthread_mutex_unlock(&mates->mutex);
}

bool mates_done(Mates *mates, NacreVm *own) {
    const bool agreed = nacre_collect(own, NULL, 0, ignore_bytes, NULL) == NACRE_OK;
    pthread_mutex_lock(&mates->mutex);
    if (!agreed) wait_for_none(mates, &mates->busy);
    while (mates->busy > 0) pthread_cond_wait(&mates->news, &mates->mutex);
    pthread_mutex_unlock(&mates->mutex);
    return agreed;
}

void mates_free(Mates *mates) {
    if (!mates) return;
    pthread_mutex_lock(&mates->mutex);
    mates->ending = true;
    pthread_cond_broadcast(&mates->news);
    wait_for_none(mates, &mates->living);
    pthread_mutex_unlock(&mates->mutex);
    for (int i = 0; i < mates->count; i++) pthread_join(mates->list[i].thread, NULL);
    nacre_group_free(mates->options.group);
    pthread_cond_destroy(&mates->news);
    pthread_mutex_destroy(&mates->mutex);
    free(mates);
}
