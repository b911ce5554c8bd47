// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs long library calls in threads of their own.

#define _GNU_SOURCE // dladdr1
#include "backends/cpu/long_call.h"

#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "backends/cpu/product/blis.h"
#include "vm/plugin/lasting.h"

// ms between polls; maximum of abandoned calls still running; maximum bytes of a problem
enum { LOOK_EACH = 10, MOST_LEFT = 2, PROBLEM = 256 };

struct LongCall {
    struct Lasting *lasting;
    bool wide;
    // The current call.
    _Alignas(BUFFER_ALIGN) char problem[PROBLEM];
    LongFn run;
    fenv_t environment; // the caller's float environment
    int raised;         // float flags
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done, left; // the call has ended; it was abandoned; protected by the lock
};

// Per process: abandoned calls belong to no VM, which may be gone.
static struct {
    atomic_int left_running;
    pthread_once_t once;
    bool stays; // this library cannot be unloaded any more
} process = {.once = PTHREAD_ONCE_INIT};

size_t long_call_bytes(void) {
    return aligned_bytes(sizeof(LongCall));
}

LongCall *long_call_make(void *memory, struct Lasting *lasting, bool wide) {
    LongCall *call = memory;
    call->lasting = lasting;
    call->wide = wide;
    return call;
}

// --- The thread --------------------------------------------------------------------------------

static void end_left(LongCall *call) {
    struct Lasting *lasting = call->lasting;
    pthread_cond_destroy(&call->ended);
    pthread_mutex_destroy(&call->lock);
    lasting_leave(lasting);
    atomic_fetch_sub(&process.left_running, 1);
}

static void *run_call(void *argument) {
    LongCall *call = argument;
    fesetenv(&call->environment);
    feclearexcept(FE_ALL_EXCEPT);
    blis_begin(call->wide);
    call->run(call->problem);
    call->raised = fetestexcept(FE_ALL_EXCEPT);
    pthread_mutex_lock(&call->lock);
    call->done = true;
    bool left = call->left;
    pthread_cond_signal(&call->ended);
    pthread_mutex_unlock(&call->lock);
    if (left) end_left(call);
    return NULL;
}

// Starts the thread. False: impossible. Signals are blocked in it, since they belong to the host's threads.
static bool start(LongCall *call) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&call->thread, NULL, run_call, call) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void prepare(LongCall *call) {
    pthread_condattr_t monotonic;
    pthread_mutex_init(&call->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&call->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    call->done = call->left = false;
    fegetenv(&call->environment);
}

// --- The caller --------------------------------------------------------------------------------

// Keeps this library loaded: an abandoned thread returns into it, perhaps after the host has closed its last VM and
// unloaded the library.
static void stay_loaded(void) {
    Dl_info place;
    struct link_map *self = NULL;
    if (!dladdr1((void *)(uintptr_t)stay_loaded, &place, (void **)&self, RTLD_DL_LINKMAP) || !self) return;
    bool is_program = !*self->l_name; // the library is linked into the program
    void *handle = is_program ? NULL : dlopen(self->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    process.stays = is_program || handle;
    if (handle) dlclose(handle);
}

static bool can_be_left(void) {
    pthread_once(&process.once, stay_loaded);
    return process.stays;
}

static struct timespec after_ms(int ms) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += ms * 1000000L;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

// Waits until another call may be abandoned. False: interrupted.
static bool wait_for_turn(const Cpu *cpu, uint32_t *flags) {
    while (atomic_load(&process.left_running) >= MOST_LEFT) {
        struct timespec until = after_ms(LOOK_EACH);
        if (interrupted(cpu, flags)) return false;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    return true;
}

// Returns whether the call has ended; if not, it was abandoned and no longer belongs to the caller.
static bool wait_for_end(const Cpu *cpu, LongCall *call, uint32_t *flags) {
    pthread_mutex_lock(&call->lock);
    while (!call->done && !call->left) {
        struct timespec until = after_ms(LOOK_EACH);
        if (pthread_cond_timedwait(&call->ended, &call->lock, &until) != ETIMEDOUT || call->done) continue;
        pthread_mutex_unlock(&call->lock); // unlock: the host's progress callback may take long
        bool leaves = interrupted(cpu, flags) && can_be_left();
        pthread_mutex_lock(&call->lock);
        call->left = leaves && !call->done;
    }
    bool left = call->left;
    if (left) {
        atomic_fetch_add(&process.left_running, 1);
        lasting_share(call->lasting);
        pthread_detach(call->thread);
    }
    pthread_mutex_unlock(&call->lock);
    return !left;
}

bool long_call_run(const Cpu *cpu, LongCall *call, LongFn run, void *problem, size_t size, uint32_t *flags) {
    if (!wait_for_turn(cpu, flags)) return false;
    prepare(call);
    call->run = run;
    memcpy(call->problem, problem, size);
    if (!start(call)) { // no thread available: run it here, to the end
        int before = blis_begin(call->wide);
        run(problem);
        blis_end(before);
    } else if (!wait_for_end(cpu, call, flags)) {
        return false;
    } else {
        pthread_join(call->thread, NULL);
        memcpy(problem, call->problem, size);
        feraiseexcept(call->raised);
    }
    pthread_cond_destroy(&call->ended);
    pthread_mutex_destroy(&call->lock);
    return true;
}
