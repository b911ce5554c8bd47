// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A thread that sleeps until the time limit of the running call. It then stops the call, again and again until it has
// ended, since code that handles the exception may not end either. It also requests progress reports to the host.
//
// All fields but `vm` and `thread` are accessed under the lock, so that a call that has ended is not stopped late.

#include "vm/api/deadline.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "vm/interp/interp.h"

struct Deadline {
    Vm *vm;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool runs;  // a call runs
    double due, report; // on the monotonic clock: end of the time limit, next progress report; infinity: never
    double interval;
    bool asleep; // the thread sleeps until a call starts
    bool quit;
};

enum { AGAIN_MS = 10 };

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double soonest(double a, double b) {
    return a < b ? a : b;
}

static struct timespec time_of(double seconds) {
    double whole = seconds < 1e15 ? seconds : 1e15; // too long for a deadline: no limit
    struct timespec at = {.tv_sec = (time_t)whole};
    at.tv_nsec = (long)(1e9 * (whole - (double)at.tv_sec));
    return at;
}

static void *watch(void *ctx) {
    Deadline *d = ctx;
    pthread_mutex_lock(&d->lock);
    while (!d->quit) {
        double now = seconds_now();
        if (!d->runs) {
            d->asleep = true;
            pthread_cond_wait(&d->changed, &d->lock);
            d->asleep = false;
            continue;
        }
        bool over = now >= d->due;
        if (over) interp_stop(d->vm);
        else if (now >= d->report) d->report = interp_report(d->vm) ? INFINITY : now + d->interval;
        struct timespec until = time_of(over ? now + 1e-3 * AGAIN_MS : soonest(d->due, d->report));
        pthread_cond_timedwait(&d->changed, &d->lock, &until);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

Deadline *deadline_new(Vm *vm) {
    pthread_condattr_t monotonic;
    Deadline *d = mem_zalloc(&vm->mem, sizeof *d);
    if (!d) return NULL;
    d->vm = vm;
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&d->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&d->thread, NULL, watch, d) == 0) return d;
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    mem_free(&vm->mem, d, sizeof *d);
    return NULL;
}

void deadline_free(Vm *vm, Deadline *d) {
    if (!d) return;
    pthread_mutex_lock(&d->lock);
    d->quit = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    mem_free(&vm->mem, d, sizeof *d);
}

// Wakes the thread if it sleeps past the new deadline; one that waits for the end of an earlier call wakes in time.
static void wake(Deadline *d, bool sooner) {
    if (d->asleep || sooner) pthread_cond_signal(&d->changed);
}

void deadline_begin(Deadline *d, double seconds, double interval) {
    double now = seconds_now();
    pthread_mutex_lock(&d->lock);
    bool sooner = d->runs || interval > 0;
    d->runs = true;
    d->due = seconds > 0 ? now + seconds : INFINITY;
    d->report = interval > 0 ? now + interval : INFINITY;
    d->interval = interval;
    wake(d, sooner);
    pthread_mutex_unlock(&d->lock);
}

void deadline_reported(Deadline *d) {
    double now = seconds_now();
    pthread_mutex_lock(&d->lock);
    d->report = now + d->interval;
    wake(d, true);
    pthread_mutex_unlock(&d->lock);
}

void deadline_end(Deadline *d) {
    pthread_mutex_lock(&d->lock);
    d->runs = false;
    pthread_mutex_unlock(&d->lock);
}
