// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _system: functions of os about the user, the machine and the terminal; random bytes.

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "stdlib/stdlib.h"
#include "vm/value/bytes.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { RANDOM_LIMIT = 1 << 24 };

#define NUMBER_OF(name)                                              \
    static Status fn_##name(Vm *vm, const Value *args, Value *out) { \
        (void)vm;                                                    \
        (void)args;                                                  \
        *out = v_int((int64_t)name());                               \
        return ST_OK;                                                \
    }
NUMBER_OF(getuid)
NUMBER_OF(geteuid)
NUMBER_OF(getgid)
NUMBER_OF(getegid)
NUMBER_OF(getppid)

static Status fn_umask(Vm *vm, const Value *args, Value *out) {
    if (os_access(vm, ACCESS_WRITE, ".") != ST_OK) return ST_ERROR;
    if (args[0].kind != K_INT) return vm_raise(vm, EXC_TypeError, "an integer is required");
    *out = v_int(umask((mode_t)args[0].i));
    return ST_OK;
}

static Status fn_access(Vm *vm, const Value *args, Value *out) {
    Buf path;
    if (args[1].kind != K_INT) return vm_raise(vm, EXC_TypeError, "an integer is required");
    if (os_path_bytes(vm, args[0], ACCESS_READ, &path) != ST_OK) return ST_ERROR;
    *out = v_bool(access(path.data, (int)args[1].i) == 0);
    buf_free(&path);
    return ST_OK;
}

static Status fn_uname(Vm *vm, const Value *args, Value *out) {
    struct utsname info;
    Value items[5] = {V_UNDEF};
    (void)args;
    if (uname(&info) != 0) return vm_raise_os(vm, errno, NULL);
    const char *const texts[5] = {info.sysname, info.nodename, info.release, info.version,
                                  info.machine};
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < 5; i++) st = str_out(vm, str_text(vm, texts[i]), &items[i]);
    if (st == ST_OK) st = tuple_of(vm, items, 5, out);
    for (int i = 0; i < 5; i++) release(vm, items[i]);
    return st;
}

static Status fn_terminal_size(Vm *vm, const Value *args, Value *out) {
    struct winsize size;
    if (args[0].kind != K_INT) return vm_raise(vm, EXC_TypeError, "an integer is required");
    if (ioctl((int)args[0].i, TIOCGWINSZ, &size) != 0) return vm_raise_os(vm, errno, NULL);
    const Value items[2] = {v_int(size.ws_col), v_int(size.ws_row)};
    return tuple_of(vm, items, 2, out);
}

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Reads the terminal's answer up to the byte `last`. Returns its length; 0 if `last` has not come by the time `until`,
// or the buffer is full.
static size_t read_answer(char *answer, size_t room, char last, int64_t until) {
    size_t len = 0;
    while (len < room) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        int64_t left = until - milliseconds_now();
        if (left <= 0 || poll(&input, 1, (int)left) <= 0) return 0;
        if (read(STDIN_FILENO, answer + len, 1) != 1) return 0;
        if (answer[len++] == last) return len;
    }
    return 0;
}

// terminal_answer(query, last, milliseconds): writes a query to the terminal and returns its answer up to the byte
// `last`, without echo. Returns b"" if standard input or output is not a terminal, or if no answer comes in that time.
static Status fn_terminal_answer(Vm *vm, const Value *args, Value *out) {
    enum { ROOM = 256, LONGEST = 5000 };
    char answer[ROOM];
    size_t len = 0;
    struct termios before, quiet;
    if (args[0].kind != K_BYTES || args[1].kind != K_BYTES || args[1].bytes->len != 1 || args[2].kind != K_INT ||
        args[2].i < 0 || args[2].i > LONGEST)
        return vm_raise(vm, EXC_TypeError, "terminal_answer() takes two bytes objects, the second of length 1, and "
                        "at most 5000 milliseconds");
    if (isatty(STDOUT_FILENO) && tcgetattr(STDIN_FILENO, &before) == 0) {
        quiet = before;
        quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        quiet.c_cc[VMIN] = 1;
        quiet.c_cc[VTIME] = 0;
        ssize_t size = (ssize_t)args[0].bytes->len;
        if (tcsetattr(STDIN_FILENO, TCSANOW, &quiet) == 0 && write(STDOUT_FILENO, args[0].bytes->data, (size_t)size) == size)
            len = read_answer(answer, sizeof answer, args[1].bytes->data[0], milliseconds_now() + args[2].i);
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    }
    Bytes *made = bytes_new(vm, answer, len);
    if (!made) return vm_no_memory(vm);
    *out = v_obj(made);
    return ST_OK;
}

static Status fn_urandom(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_INT) return vm_raise(vm, EXC_TypeError, "an integer is required");
    if (args[0].i < 0) return vm_raise(vm, EXC_ValueError, "negative argument not allowed");
    if (args[0].i > RANDOM_LIMIT) return vm_no_memory(vm);
    size_t len = (size_t)args[0].i, done = 0;
    char *bytes = mem_alloc(&vm->mem, len + 1);
    if (!bytes) return vm_no_memory(vm);
    Status st = ST_OK;
    while (st == ST_OK && done < len) {
        ssize_t got = getrandom(bytes + done, len - done, 0);
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            st = vm_raise_os(vm, errno, NULL);
    }
    Bytes *made = st == ST_OK ? bytes_new(vm, bytes, len) : NULL;
    mem_free(&vm->mem, bytes, len + 1);
    if (!made) return st == ST_OK ? vm_no_memory(vm) : st;
    *out = v_obj(made);
    return ST_OK;
}

// times(): returns (user, system, children's user, children's system, elapsed) in seconds.
static Status fn_times(Vm *vm, const Value *args, Value *out) {
    struct tms t;
    double tick = (double)sysconf(_SC_CLK_TCK);
    clock_t elapsed = times(&t);
    (void)args;
    const Value items[5] = {v_float((double)t.tms_utime / tick),
                            v_float((double)t.tms_stime / tick),
                            v_float((double)t.tms_cutime / tick),
                            v_float((double)t.tms_cstime / tick), v_float((double)elapsed / tick)};
    return tuple_of(vm, items, 5, out);
}

const NativeDef system_functions[] = {
    {"getuid", "", fn_getuid, NULL, ENV},
    {"geteuid", "", fn_geteuid, NULL, ENV},
    {"getgid", "", fn_getgid, NULL, ENV},
    {"getegid", "", fn_getegid, NULL, ENV},
    {"getppid", "", fn_getppid, NULL, ENV},
    {"umask", "mask, /", fn_umask, NULL, FILESYSTEM},
    {"access", "path, mode, /", fn_access, NULL, FILESYSTEM},
    {"uname", "", fn_uname, NULL, ENV},
    {"terminal_size", "fd, /", fn_terminal_size, NULL, ENV},
    {"terminal_answer", "query, last, milliseconds, /", fn_terminal_answer, NULL, FILESYSTEM},
    {"urandom", "size, /", fn_urandom, NULL, ENTROPY},
    {"times", "", fn_times, NULL, CLOCK},
    {0},
};
