// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ctrl-C: interrupts the VM, and ends a wait for input. No Ctrl-C is lost: the signal is blocked while the process
// neither runs the VM nor waits, and the call that waits for input unblocks it.

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/select.h>
#include <unistd.h>

#include "cli.h"

// The only global state of the command, since a signal handler cannot reach any other.
static struct {
    NacreVm *volatile vm;
    pthread_t thread;              // the thread that runs the VM and reads input
    volatile sig_atomic_t came;    // a Ctrl-C since the last interrupt_hold, or since a read that reported it
    volatile sig_atomic_t reading; // the handler may jump to `back`
    sigjmp_buf back;
    _Atomic(NacreVm *) *others; // other VMs, by rank
    int room;
    atomic_int users;           // number of calls that iterate over `others`
} state;

void interrupt_others(void) {
    state.users++;
    for (int i = 0; i < state.room; i++) {
        NacreVm *vm = state.others[i];
        if (vm) nacre_interrupt(vm);
    }
    state.users--;
}

bool interrupt_room(int ranks) {
    _Atomic(NacreVm *) *others = ranks > state.room ? calloc((size_t)ranks, sizeof *others) : NULL;
    if (!others) return ranks <= state.room;
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    free(state.others); // belongs to a program that has ended
    state.others = others;
    state.room = ranks;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return true;
}

void interrupt_add(int rank, NacreVm *vm) {
    state.others[rank] = vm;
}

// Waits until no call of interrupt_others uses the VM. It spins, as that takes a few instructions only and a signal
// handler cannot take a lock.
void interrupt_remove(int rank) {
    state.others[rank] = NULL;
    while (state.users) sched_yield();
}

// Signal handler. Threads of array work do not block the signal; they forward it to the main thread.
static void on_interrupt(int number) {
    if (!pthread_equal(pthread_self(), state.thread)) {
        pthread_kill(state.thread, number);
        return;
    }
    state.came = 1;
    if (state.vm) nacre_interrupt(state.vm);
    interrupt_others();
    if (state.reading) {
        state.reading = 0;
        siglongjmp(state.back, 1);
    }
}

void interrupt_start(NacreVm *vm) {
    struct sigaction action = {.sa_handler = on_interrupt};
    state.vm = vm;
    state.thread = pthread_self();
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void interrupt_stop(void) {
    state.vm = NULL;
}

static void change_mask(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(how, &set, NULL);
}

bool interrupt_hold(void) {
    change_mask(SIG_BLOCK);
    bool came = state.came;
    state.came = 0;
    return came;
}

bool interrupt_came(void) {
    return state.came;
}

bool interrupt_let(void) {
    change_mask(SIG_UNBLOCK);
    return state.came;
}

// Reads from a terminal, which discards typed input at Ctrl-C, even a line that select has reported as readable. So
// waiting first and then reading would not do. Instead, the handler jumps out of read(), and discards what that may
// have read.
static long read_terminal(char *into, size_t size) {
    if (sigsetjmp(state.back, 1) != 0) {
        errno = EINTR;
        return -1;
    }
    state.reading = 1;
    change_mask(SIG_UNBLOCK);
    ssize_t n = read(STDIN_FILENO, into, size);
    int error = errno;
    change_mask(SIG_BLOCK);
    state.reading = 0;
    errno = error;
    return n;
}

// Reads from a pipe or a file. It waits with pselect and then reads, so that a Ctrl-C loses no input.
static long read_other(char *into, size_t size) {
    fd_set input;
    sigset_t unheld;
    FD_ZERO(&input);
    FD_SET(STDIN_FILENO, &input);
    pthread_sigmask(SIG_SETMASK, NULL, &unheld);
    sigdelset(&unheld, SIGINT);
    if (pselect(STDIN_FILENO + 1, &input, NULL, NULL, NULL, &unheld) < 0) return -1;
    change_mask(SIG_UNBLOCK); // pselect need not deliver a pending signal if there is input
    change_mask(SIG_BLOCK);
    if (!state.came) return read(STDIN_FILENO, into, size);
    errno = EINTR;
    return -1;
}

long interrupt_read(char *into, size_t size, bool terminal) {
    long n = terminal ? read_terminal(into, size) : read_other(into, size);
    if (n < 0 && errno == EINTR) state.came = 0; // this return reports it
    return n;
}
