// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Thread pool. An OpenMP parallel region ends when every thread of the team has arrived, so on a
// busy processor each may wait for a time slice. Here threads take parts one at a time, and a late
// thread finds nothing left to do.

#include "backends/cpu/pool.h"

#include <signal.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Spins before a thread sleeps: about 20 µs, as long as waking takes.
enum { ROUNDS = 600 };

static void pause_round(void) {
#if defined(__x86_64__)
    _mm_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}

void pool_init(Pool *pool, int threads) {
    memset(pool, 0, sizeof *pool);
    pool->wanted = threads - 1 > POOL_THREADS_MAX ? POOL_THREADS_MAX : threads - 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->posted, NULL);
    pthread_cond_init(&pool->finished, NULL);
}

void pool_close(Pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    atomic_fetch_add(&pool->generation, 1);
    pthread_cond_broadcast(&pool->posted);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->posted);
    pthread_cond_destroy(&pool->finished);
}

// Takes parts while there are any. Called with the lock held; releases it while a part runs.
static void take_parts(Pool *pool, int worker) {
    while (pool->next < pool->parts) {
        int part = pool->next++, parts = pool->parts;
        PartFn run = pool->run;
        void *job = pool->job;
        pool->worked[worker] = true;
        pthread_mutex_unlock(&pool->lock);
        run(job, part, worker);
        pthread_mutex_lock(&pool->lock);
        if (atomic_fetch_add(&pool->done, 1) + 1 == parts) pthread_cond_signal(&pool->finished);
    }
}

typedef struct Start {
    Pool *pool;
    int worker;
} Start;

static void *worker_main(void *argument) {
    Pool *pool = ((Start *)argument)->pool;
    int worker = ((Start *)argument)->worker;
    pthread_mutex_lock(&pool->lock);
    ((Start *)argument)->pool = NULL; // tells the starter that `argument` has been read
    pthread_cond_broadcast(&pool->finished);
    while (!pool->stop) {
        take_parts(pool, worker);
        unsigned seen = atomic_load(&pool->generation);
        pthread_mutex_unlock(&pool->lock);
        for (int i = 0; i < ROUNDS && atomic_load(&pool->generation) == seen; i++) pause_round();
        pthread_mutex_lock(&pool->lock);
        while (!pool->stop && pool->next >= pool->parts && atomic_load(&pool->generation) == seen)
            pthread_cond_wait(&pool->posted, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

// Starts the threads that are missing. Called with the lock held. Signals are blocked in the threads, since they
// belong to the host's threads.
static void start_threads(Pool *pool) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->started < pool->wanted) {
        Start start = {pool, pool->started + 1};
        if (pthread_create(&pool->threads[pool->started], NULL, worker_main, &start) != 0) {
            pool->wanted = pool->started; // make do with the threads started so far
            break;
        }
        pool->started++;
        while (start.pool) pthread_cond_wait(&pool->finished, &pool->lock);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pool_run(Pool *pool, PartFn run, void *job, int parts) {
    if (parts == 1 || pool->wanted < 1 || atomic_load(&pool->busy)) {
        for (int i = 0; i < parts; i++) run(job, i, 0);
        return;
    }
    atomic_store(&pool->busy, true);
    pthread_mutex_lock(&pool->lock);
    start_threads(pool);
    pool->run = run;
    pool->job = job;
    pool->next = 0;
    pool->parts = parts;
    atomic_store(&pool->done, 0);
    atomic_fetch_add(&pool->generation, 1);
    if (parts == 2) pthread_cond_signal(&pool->posted);
    else pthread_cond_broadcast(&pool->posted);
    take_parts(pool, 0);
    if (atomic_load(&pool->done) < parts) {
        pthread_mutex_unlock(&pool->lock);
        for (int i = 0; i < ROUNDS && atomic_load(&pool->done) < parts; i++) pause_round();
        pthread_mutex_lock(&pool->lock);
        while (atomic_load(&pool->done) < parts) pthread_cond_wait(&pool->finished, &pool->lock);
    }
    pool->parts = 0;
    pthread_mutex_unlock(&pool->lock);
    atomic_store(&pool->busy, false);
}

int pool_workers(Pool *pool) {
    int workers = 1;
    pthread_mutex_lock(&pool->lock);
    for (int i = 1; i <= pool->started; i++) workers += pool->worked[i];
    pthread_mutex_unlock(&pool->lock);
    return workers;
}
