// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Groups: creating and freeing them, waiting, and failing.

#include "dist/loopback/group.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double poll_interval = 0.025; // seconds; half of the longest time between two calls of `stopped`
static const double stall_default = 60;

double group_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool makes_sense(const LoopbackOptions *options) {
    bool loses = options->lost_step != 0;
    return options->ranks >= 1 && options->ranks <= LOOPBACK_MOST && isfinite(options->stall) && options->stall >= 0 &&
           (!loses || (options->lost_rank >= 0 && options->lost_rank < options->ranks));
}

static void member_init(LoopbackGroup *group, int rank) {
    pthread_condattr_t monotonic;
    Member *member = &group->members[rank];
    member->group = group;
    member->rank = rank;
    inbox_init(&member->inbox);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&member->news, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

LoopbackGroup *loopback_group_new(const LoopbackOptions *options) {
    if (!makes_sense(options)) return NULL;
    LoopbackGroup *group = calloc(1, sizeof *group + (size_t)options->ranks * sizeof group->members[0]);
    if (!group) return NULL;
    group->options = *options;
    if (options->stall <= 0) group->options.stall = stall_default;
    group->owners = 1;
    pthread_mutex_init(&group->mutex, NULL);
    for (int r = 0; r < options->ranks; r++) member_init(group, r);
    return group;
}

void loopback_group_free(LoopbackGroup *group) {
    if (!group) return;
    pthread_mutex_lock(&group->mutex);
    bool last = --group->owners == 0;
    pthread_mutex_unlock(&group->mutex);
    if (!last) return;
    for (int r = 0; r < group->options.ranks; r++) {
        pthread_cond_destroy(&group->members[r].news);
        inbox_free(&group->members[r].inbox);
    }
    pthread_mutex_destroy(&group->mutex);
    free(group->failure.bytes);
    free(group);
}

void group_tell(LoopbackGroup *group) {
    for (int r = 0; r < group->options.ranks; r++) pthread_cond_signal(&group->members[r].news);
}

void group_fail(LoopbackGroup *group, int rank, const char *format, ...) {
    Failure *failure = &group->failure;
    va_list args;
    if (failure->is_set) return;
    failure->is_set = true;
    failure->rank = rank;
    va_start(args, format);
    vsnprintf(failure->text, sizeof failure->text, format, args);
    va_end(args);
    group_tell(group);
}

void loopback_group_miss(LoopbackGroup *group, int rank) {
    if (rank < 0 || rank >= group->options.ranks) return;
    pthread_mutex_lock(&group->mutex);
    if (group->members[rank].life == LIFE_ABSENT) group_fail(group, rank, "rank %d could not start", rank);
    pthread_mutex_unlock(&group->mutex);
}

void group_withdraw(Member *member) {
    member->withdrawn = true;
    while (member->copies > 0) pthread_cond_wait(&member->news, &member->group->mutex);
}

// --- Waiting -------------------------------------------------------------------------------------

static bool is_stopped(Member *member) {
    if (!member->options.stopped) return false;
    pthread_mutex_unlock(&member->group->mutex);
    bool stopped = member->options.stopped(member->options.stopped_ctx);
    pthread_mutex_lock(&member->group->mutex);
    return stopped;
}

// Fails the group if the rank that is waited for has left or takes too long. Returns whether the group has failed.
static bool has_given_up(Member *member, int missing, double waited) {
    LoopbackGroup *group = member->group;
    if (missing < 0) return false;
    if (group->members[missing].life == LIFE_GONE)
        group_fail(group, missing, "rank %d has left, and rank %d waits for it", missing, member->rank);
    else if (waited > group->options.stall)
        group_fail(group, missing, "rank %d has kept rank %d waiting for %g seconds", missing, member->rank,
                   group->options.stall);
    return group->failure.is_set;
}

static void sleep_until(Member *member, double when) {
    struct timespec at = {.tv_sec = (time_t)when, .tv_nsec = (long)((when - floor(when)) * 1e9)};
    pthread_cond_timedwait(&member->news, &member->group->mutex, &at);
}

RanksOutcome group_wait(Member *member, const Wait *wait) {
    LoopbackGroup *group = member->group;
    const double begun = group_clock();
    double poll = begun;
    while (!wait->is_done(member)) {
        double now = group_clock(), until = wait->until ? wait->until(member) : HUGE_VAL;
        int missing = wait->missing(member);
        if (group->failure.is_set || has_given_up(member, missing, now - begun)) {
            group_withdraw(member);
            return RANKS_FAILED;
        }
        if (now >= poll) { // the condition may have changed meanwhile, as is_stopped releases the mutex
            poll = now + poll_interval;
            if (!is_stopped(member)) continue;
            group_withdraw(member);
            return RANKS_STOPPED;
        }
        if (missing >= 0) until = fmin(until, begun + group->options.stall + 1e-3);
        sleep_until(member, fmin(until, poll));
    }
    return RANKS_DONE;
}
