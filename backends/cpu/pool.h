// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Thread pool that runs the parts of a kernel.

#ifndef NACRE_BACKENDS_CPU_POOL_H
#define NACRE_BACKENDS_CPU_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { POOL_THREADS_MAX = 256 };

// Runs one part of a job on a worker (0: the posting thread). Parts run in any order on any worker;
// parts of one worker run sequentially.
typedef void (*PartFn)(void *job, int part, int worker);

typedef struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t posted, finished;
    pthread_t threads[POOL_THREADS_MAX];
    int wanted, started; // workers in addition to the caller
    bool worked[POOL_THREADS_MAX + 1]; // workers that have run a part
    bool stop;
    atomic_uint generation; // counts jobs, for threads that spin without the lock
    // Current job, protected by the lock.
    PartFn run;
    void *job;
    int parts, next;
    atomic_int done;
    atomic_bool busy; // a job is running
} Pool;

// Threads start when the first job is posted. `threads` includes the caller.
void pool_init(Pool *pool, int threads);
// Joins the threads.
void pool_close(Pool *pool);
// Runs all parts of a job and returns when they are done. The caller runs every part that no thread
// has taken, so it never waits for a thread that has not started. If no thread can be started, or
// when called from within a job, it runs all parts itself.
void pool_run(Pool *pool, PartFn run, void *job, int parts);
// Returns the number of threads that have run parts so far, including the caller.
int pool_workers(Pool *pool);

#endif
