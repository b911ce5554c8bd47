// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _process: starts programs with posix_spawn, for module subprocess. Not allowed in a sandbox.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // pipe2, posix_spawn_file_actions_addchdir_np
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stdlib/stdlib.h"
#include "vm/value/bytes.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// What a standard stream of the program is connected to: a pipe, its standard output, /dev/null, or the same as here.
enum { TO_PIPE = -1, TO_STDOUT = -2, TO_NOTHING = -3, AS_HERE = -4 };
enum { TURN_MS = 20, READ_SIZE = 16 * 1024 };

extern char **environ;

// Checks that scripts may start programs. As a program may do anything, the host must let scripts write to the root.
static Status process_allowed(Vm *vm) {
    return vm->host.sandbox ? vm_raise_os(vm, EPERM, NULL) : os_access(vm, ACCESS_WRITE, "/");
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// --- Arguments and environment ---------------------------------------------------------------------

typedef struct Words {
    Buf *texts;
    char **items; // ends with NULL
    size_t count;
} Words;

static void words_free(Vm *vm, Words *words) {
    for (size_t i = 0; i < words->count; i++) buf_free(&words->texts[i]);
    mem_free(&vm->mem, words->texts, (words->count + 1) * sizeof *words->texts);
    mem_free(&vm->mem, words->items, (words->count + 1) * sizeof *words->items);
}

// Converts a list of str to a NULL-terminated array of C strings. The caller calls words_free in any case.
static Status words_of(Vm *vm, Value list, Words *out) {
    if (list.kind != K_LIST) return vm_raise(vm, EXC_TypeError, "a list of texts is needed");
    size_t count = list.list->len;
    out->texts = mem_zalloc(&vm->mem, (count + 1) * sizeof *out->texts);
    out->items = mem_zalloc(&vm->mem, (count + 1) * sizeof *out->items);
    if (!out->texts || !out->items) {
        mem_free(&vm->mem, out->texts, (count + 1) * sizeof *out->texts);
        mem_free(&vm->mem, out->items, (count + 1) * sizeof *out->items);
        *out = (Words){0};
        return vm_no_memory(vm);
    }
    Status st = ST_OK;
    for (size_t i = 0; i < count; i++) buf_init(&out->texts[i], &vm->mem);
    out->count = count;
    for (size_t i = 0; st == ST_OK && i < count; i++) {
        st = os_path_bytes(vm, list.list->items[i], ACCESS_READ, &out->texts[i]);
        out->items[i] = out->texts[i].data;
    }
    return st;
}

// --- Starting --------------------------------------------------------------------------------------

typedef struct Stream {
    int here, there; // this process's end of a pipe, and the program's; -1: none
} Stream;

static int stream_open(int wanted, bool input, Stream *stream) {
    int ends[2];
    *stream = (Stream){-1, -1};
    if (wanted == TO_NOTHING) {
        stream->there = open("/dev/null", O_RDWR | O_CLOEXEC);
        return stream->there < 0 ? errno : 0;
    }
    if (wanted != TO_PIPE) return 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    *stream = (Stream){ends[input], ends[!input]};
    return 0;
}

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static int spawn(char **argv, char **env, const char *cwd, const int *wanted, const Stream *streams,
                 pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        if (cwd) error = posix_spawn_file_actions_addchdir_np(&actions, cwd);
        for (int i = 0; !error && i < 3; i++)
            if (streams[i].there >= 0)
                error = posix_spawn_file_actions_adddup2(&actions, streams[i].there, i);
        if (!error && wanted[2] == TO_STDOUT)
            error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
        if (!error) error = posix_spawnp(pid, argv[0], &actions, &attributes, argv, env);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static Status started(Vm *vm, char **argv, char **env, const char *cwd, const int *wanted,
                      Value *out) {
    Stream streams[3] = {{-1, -1}, {-1, -1}, {-1, -1}};
    pid_t pid = 0;
    int error = 0;
    for (int i = 0; !error && i < 3; i++) error = stream_open(wanted[i], i == 0, &streams[i]);
    if (!error) error = spawn(argv, env, cwd, wanted, streams, &pid);
    for (int i = 0; i < 3; i++) {
        close_fd(&streams[i].there);
        if (error) close_fd(&streams[i].here);
    }
    if (error) return vm_raise_os(vm, error, cwd && access(cwd, F_OK) != 0 ? cwd : argv[0]);
    const Value items[4] = {v_int(pid), v_int(streams[0].here), v_int(streams[1].here),
                            v_int(streams[2].here)};
    return tuple_of(vm, items, 4, out);
}

// spawn(words, environment or None, folder or None, stdin, stdout, stderr): starts a program. Returns (pid, stdin,
// stdout, stderr), the last three as descriptors of this process's ends of the pipes, or -1.
static Status fn_spawn(Vm *vm, const Value *args, Value *out) {
    int wanted[3];
    for (int i = 0; i < 3; i++) {
        if (args[3 + i].kind != K_INT) return vm_raise(vm, EXC_TypeError, "an int is needed");
        wanted[i] = (int)args[3 + i].i;
    }
    Words argv = {0}, env = {0};
    Buf cwd;
    buf_init(&cwd, &vm->mem);
    Status st = process_allowed(vm);
    if (st == ST_OK) st = words_of(vm, args[0], &argv);
    if (st == ST_OK && argv.count == 0)
        st = vm_raise(vm, EXC_IndexError, "list index out of range");
    if (st == ST_OK && args[1].kind != K_NONE) st = words_of(vm, args[1], &env);
    if (st == ST_OK && args[2].kind != K_NONE) st = os_path_bytes(vm, args[2], ACCESS_READ, &cwd);
    if (st == ST_OK)
        st = started(vm, argv.items, env.items ? env.items : environ, cwd.data, wanted, out);
    buf_free(&cwd);
    words_free(vm, &env);
    words_free(vm, &argv);
    return st;
}

// --- Pipes -----------------------------------------------------------------------------------------

// Waits until one of the descriptors is ready, and polls for interrupts meanwhile. ST_STOP: the time `end` has passed.
static Status wait_ready(Vm *vm, struct pollfd *fds, nfds_t count, double end) {
    for (;;) {
        int ready = poll(fds, count, TURN_MS);
        if (ready > 0) return ST_OK;
        if (ready < 0 && errno != EINTR) return vm_raise_os(vm, errno, NULL);
        Status st = vm_poll(vm);
        if (st != ST_OK) return st;
        if (now() >= end) return ST_STOP;
    }
}

static Status need_fd(Vm *vm, Value v, int *fd) {
    if (process_allowed(vm) != ST_OK) return ST_ERROR;
    if (v.kind != K_INT || v.i < 0 || v.i > INT_MAX)
        return vm_raise(vm, EXC_TypeError, "an int is needed");
    *fd = (int)v.i;
    return ST_OK;
}

// read(fd, count): reads at most `count` bytes; b"" at the end.
static Status fn_read(Vm *vm, const Value *args, Value *out) {
    char bytes[4096];
    int fd = -1;
    if (need_fd(vm, args[0], &fd) != ST_OK) return ST_ERROR;
    struct pollfd ready = {fd, POLLIN, 0};
    Status st = wait_ready(vm, &ready, 1, INFINITY);
    if (st != ST_OK) return st;
    size_t count = args[1].kind == K_INT && args[1].i >= 0 && args[1].i < (int64_t)sizeof bytes
                       ? (size_t)args[1].i
                       : sizeof bytes;
    ssize_t got = read(fd, bytes, count);
    if (got < 0) return vm_raise_os(vm, errno, NULL);
    Bytes *made = bytes_new(vm, bytes, (size_t)got);
    if (!made) return vm_no_memory(vm);
    *out = v_obj(made);
    return ST_OK;
}

// Writes with SIGPIPE blocked: if the reader has ended, write fails with EPIPE, and the signal is discarded.
static ssize_t write_quietly(int fd, const char *bytes, size_t len) {
    sigset_t pipe_signal, before;
    struct timespec none = {0};
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t written = write(fd, bytes, len);
    int error = errno;
    if (written < 0 && error == EPIPE) sigtimedwait(&pipe_signal, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

// write(fd, bytes): returns how many bytes were written.
static Status fn_write(Vm *vm, const Value *args, Value *out) {
    int fd = -1;
    if (need_fd(vm, args[0], &fd) != ST_OK) return ST_ERROR;
    if (args[1].kind != K_BYTES) return vm_raise(vm, EXC_TypeError, "bytes are needed");
    struct pollfd ready = {fd, POLLOUT, 0};
    Status st = wait_ready(vm, &ready, 1, INFINITY);
    if (st != ST_OK) return st;
    size_t len = args[1].bytes->len < PIPE_BUF ? args[1].bytes->len : PIPE_BUF;
    ssize_t written = write_quietly(fd, args[1].bytes->data, len);
    if (written < 0) return vm_raise_os(vm, errno, NULL);
    *out = v_int(written);
    return ST_OK;
}

static Status fn_close(Vm *vm, const Value *args, Value *out) {
    int fd = -1;
    if (need_fd(vm, args[0], &fd) != ST_OK) return ST_ERROR;
    *out = V_NONE;
    return close(fd) == 0 ? ST_OK : vm_raise_os(vm, errno, NULL);
}

typedef struct Exchange {
    const char *data; // the bytes still to be written
    size_t left;
    struct pollfd fds[3]; // fd -1: done
    Buf got[3];
} Exchange;

static void exchange_write(Exchange *x) {
    size_t len = x->left < PIPE_BUF ? x->left : PIPE_BUF;
    ssize_t written = len ? write_quietly(x->fds[0].fd, x->data, len) : 0;
    if (written > 0) {
        x->data += written;
        x->left -= (size_t)written;
    }
    if (written < 0 || x->left == 0) close_fd(&x->fds[0].fd);
}

static Status exchange_read(Vm *vm, Exchange *x, int i) {
    char bytes[READ_SIZE];
    ssize_t got = read(x->fds[i].fd, bytes, sizeof bytes);
    if (got > 0)
        buf_put(&x->got[i], bytes, (size_t)got);
    else if (got == 0 || errno != EINTR)
        close_fd(&x->fds[i].fd);
    return x->got[i].failed ? vm_no_memory(vm) : ST_OK;
}

static Status exchange_run(Vm *vm, Exchange *x, double end) {
    Status st = ST_OK;
    while (st == ST_OK && (x->fds[0].fd >= 0 || x->fds[1].fd >= 0 || x->fds[2].fd >= 0)) {
        st = wait_ready(vm, x->fds, 3, end);
        if (st != ST_OK) break;
        if (x->fds[0].fd >= 0 && x->fds[0].revents) exchange_write(x);
        for (int i = 1; st == ST_OK && i < 3; i++)
            if (x->fds[i].fd >= 0 && x->fds[i].revents) st = exchange_read(vm, x, i);
    }
    return st;
}

// exchange(stdin, bytes, stdout, stderr, seconds): writes the bytes to the program and reads its output meanwhile.
// Returns (bytes from stdout, bytes from stderr, whether all streams are done). A descriptor is -1 if there is no pipe.
// Streams that are done are closed.
static Status fn_exchange(Vm *vm, const Value *args, Value *out) {
    Exchange x = {.fds = {{-1, POLLOUT, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}}};
    const Value given[3] = {args[0], args[2], args[3]};
    if (process_allowed(vm) != ST_OK) return ST_ERROR;
    if (args[1].kind != K_BYTES) return vm_raise(vm, EXC_TypeError, "bytes are needed");
    for (int i = 0; i < 3; i++) {
        if (given[i].kind != K_INT) return vm_raise(vm, EXC_TypeError, "an int is needed");
        x.fds[i].fd = (int)given[i].i;
        buf_init(&x.got[i], &vm->mem);
    }
    x.data = args[1].bytes->data;
    x.left = args[1].bytes->len;
    Status st = exchange_run(vm, &x, args[4].kind == K_FLOAT ? now() + args[4].f : INFINITY);
    bool whole = st == ST_OK;
    if (st == ST_STOP) st = ST_OK;
    Value items[3] = {V_UNDEF, V_UNDEF, v_bool(whole)};
    for (int i = 0; st == ST_OK && i < 2; i++) {
        Bytes *made = bytes_new(vm, x.got[i + 1].data ? x.got[i + 1].data : "", x.got[i + 1].len);
        if (made)
            items[i] = v_obj(made);
        else
            st = vm_no_memory(vm);
    }
    if (st == ST_OK) st = tuple_of(vm, items, 3, out);
    for (int i = 0; i < 2; i++) release(vm, items[i]);
    for (int i = 0; i < 3; i++) buf_free(&x.got[i]);
    return st;
}

// --- The end of a program --------------------------------------------------------------------------

// wait(pid, seconds): waits for a program to end. Returns its exit status, or minus the number of the signal that ended
// it, or None if it still runs after that time.
static Status fn_wait(Vm *vm, const Value *args, Value *out) {
    if (process_allowed(vm) != ST_OK) return ST_ERROR;
    if (args[0].kind != K_INT || args[0].i <= 0)
        return vm_raise(vm, EXC_TypeError, "the number of a process is needed");
    double end = args[1].kind == K_FLOAT ? now() + args[1].f : INFINITY;
    for (long pause = 200000;; pause = pause < TURN_MS * 500000L ? pause * 2 : pause) {
        int status;
        pid_t got = waitpid((pid_t)args[0].i, &status, WNOHANG);
        if (got > 0) {
            *out = v_int(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
            return ST_OK;
        }
        if (got < 0 && errno != EINTR) return vm_raise_os(vm, errno, NULL);
        Status st = vm_poll(vm);
        if (st != ST_OK) return st;
        if (now() >= end) {
            *out = V_NONE;
            return ST_OK;
        }
        nanosleep(&(struct timespec){0, pause}, NULL);
    }
}

static Status fn_kill(Vm *vm, const Value *args, Value *out) {
    if (process_allowed(vm) != ST_OK) return ST_ERROR;
    if (args[0].kind != K_INT || args[1].kind != K_INT)
        return vm_raise(vm, EXC_TypeError, "an int is needed");
    *out = V_NONE;
    return kill((pid_t)args[0].i, (int)args[1].i) == 0 ? ST_OK : vm_raise_os(vm, errno, NULL);
}

const NativeDef process_functions[] = {
    {"spawn", "words, env, cwd, stdin, stdout, stderr, /", fn_spawn, NULL, FILESYSTEM},
    {"read", "fd, count, /", fn_read, NULL, FILESYSTEM},
    {"write", "fd, data, /", fn_write, NULL, FILESYSTEM},
    {"close", "fd, /", fn_close, NULL, FILESYSTEM},
    {"exchange", "stdin, data, stdout, stderr, seconds, /", fn_exchange, NULL, FILESYSTEM},
    {"wait", "pid, seconds, /", fn_wait, NULL, FILESYSTEM},
    {"kill", "pid, signal, /", fn_kill, NULL, FILESYSTEM},
    {0},
};
