// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Threads that share out the parts of a kernel.

#ifndef NACRE_BACKENDS_CPU_POOL_H
#define NACRE_BACKENDS_CPU_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { POOL_THREADS_MAX = 256 };

// One part of a job, done by one of the workers (0: the thread that posted the job). Parts are done in
// any order and by any worker; parts of the same worker one after the other.
typedef void (*PartFn)(void *job, int part, int worker);

typedef struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t posted, finished;
    pthread_t threads[POOL_THREADS_MAX];
    int wanted, started; // workers beside the caller
    bool worked[POOL_THREADS_MAX + 1]; // who has done a part
    bool stop;
    atomic_uint generation; // of jobs, for those that look without the lock
    // The job, under the lock.
    PartFn run;
    void *job;
    int parts, next;
    atomic_int done;
    atomic_bool busy; // with a job
} Pool;

// Threads are started when the first job is posted. `threads` counts the caller, too.
void pool_init(Pool *pool, int threads);
// Waits for the threads to end.
void pool_close(Pool *pool);
// Runs all parts of a job, and returns when they are done. Those that no other thread has taken yet are
// done by the caller: it never waits for a thread that has not begun. Where no thread can be started,
// the caller does them all, as it does where it is itself part of a job.
void pool_run(Pool *pool, PartFn run, void *job, int parts);
// How many threads have done parts so far; the caller always counts.
int pool_workers(Pool *pool);

#endif
