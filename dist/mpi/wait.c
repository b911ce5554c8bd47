// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Waiting for messages. MPI's own waits spin, which is fastest if each rank has a core of its own, and a thousand times
// slower if ranks share cores. Yielding the core (sched_yield) is only for short waits: on a busy machine, other
// processes then run for milliseconds, while a sleeping process is woken at once.

#include <sched.h>
#include <time.h>

#include "dist/mpi/group.h"

enum { SPINS = 200 }; // checks, of some 0.1 us each
static const double yield_seconds = 200e-6, poll_seconds = 10e-3, sleep_least = 20e-6, sleep_most = 1e-3;

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double wait_time(const Wait *wait) {
    return wait->since > 0 ? seconds_now() - wait->since : 0;
}

// Sleeps for a sixteenth of the time waited so far, which bounds the delay in noticing the end.
static void sleep_for(double waited) {
    double seconds = waited / 16;
    if (seconds < sleep_least) seconds = sleep_least;
    if (seconds > sleep_most) seconds = sleep_most;
    nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

bool wait_turn(Wait *wait) {
    if (wait->turns < SPINS) {
        wait->turns++;
        return false;
    }
    double now = seconds_now();
    if (wait->since == 0) wait->since = wait->polled = now;
    if (now - wait->since < yield_seconds) sched_yield();
    else sleep_for(now - wait->since);
    if (now - wait->polled < poll_seconds) return false;
    wait->polled = now;
    return true;
}
