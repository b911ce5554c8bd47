// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The pool of threads: every part of every job is done once, by workers that do one at a time, whether
// jobs follow each other closely or with pauses, and while other pools work. Meant above all for a
// build with ThreadSanitizer: counters of a job are plain variables.

#include "backends/cpu/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { PARTS_MAX = 40, THREADS_MAX = 9, JOBS = 4000, POOLS = 3 };

typedef struct Job {
    const int *input; // written before the job, read during it
    int number, threads;
    int times[PARTS_MAX];   // how often each part was done
    int done[THREADS_MAX];  // parts done by each worker
    int right[THREADS_MAX]; // … which saw the input of this job
    int strangers;          // workers with a wrong number
} Job;

static void do_part(void *argument, int part, int worker) {
    Job *job = argument;
    if (worker < 0 || worker >= job->threads) {
        job->strangers++;
        return;
    }
    job->times[part]++;
    job->done[worker]++;
    if (job->input[part] == job->number) job->right[worker]++;
}

static void rest(long nanoseconds) {
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

// The number of mistakes in one job.
static int check_job(Pool *pool, int threads, int parts, int number) {
    int input[PARTS_MAX], done = 0, right = 0, mistakes = 0;
    for (int i = 0; i < parts; i++) input[i] = number;
    Job job = {.input = input, .number = number, .threads = threads};
    pool_run(pool, do_part, &job, parts);
    for (int i = 0; i < parts; i++) mistakes += job.times[i] != 1;
    for (int i = 0; i < threads; i++) {
        done += job.done[i];
        right += job.right[i];
    }
    return mistakes + (done != parts) + (right != parts) + job.strangers;
}

static int check_pool(int threads, unsigned seed) {
    Pool pool;
    int mistakes = 0;
    pool_init(&pool, threads);
    for (int i = 0; i < JOBS; i++) {
        seed = seed * 1103515245u + 12345u;
        mistakes += check_job(&pool, threads, 1 + (int)(seed >> 16) % PARTS_MAX, i);
        if (i % 64 == 0) rest((long)(seed >> 8) % 200000); // workers fall asleep, or nearly
    }
    pool_close(&pool);
    return mistakes;
}

static void *check_all(void *argument) {
    int *mistakes = argument;
    for (int threads = 1; threads <= THREADS_MAX; threads++)
        *mistakes += check_pool(threads, (unsigned)threads);
    return NULL;
}

// Closed at once, after one job, and with threads that have had no time to begin.
static int check_short_lives(void) {
    int mistakes = 0;
    for (int i = 0; i < 200; i++) {
        Pool pool;
        pool_init(&pool, 1 + i % THREADS_MAX);
        if (i % 3) mistakes += check_job(&pool, 1 + i % THREADS_MAX, 2 + i % 5, i);
        pool_close(&pool);
    }
    return mistakes;
}

int main(void) {
    pthread_t others[POOLS];
    int mistakes[POOLS] = {0}, all = check_short_lives(), started = 0;
    while (started < POOLS - 1 &&
           pthread_create(&others[started], NULL, check_all, &mistakes[started]) == 0)
        started++;
    check_all(&mistakes[POOLS - 1]);
    for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
    for (int i = 0; i < POOLS; i++) all += mistakes[i];
    if (started < POOLS - 1) printf("only %d threads could be started\n", started);
    if (all) printf("%d mistakes\n", all);
    return all != 0 || started < POOLS - 1;
}
