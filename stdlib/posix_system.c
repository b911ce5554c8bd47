// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _system: what os tells of the user, the machine, the terminal; random bytes.

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/utsname.h>
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

// (user, system, those of children, elapsed) in seconds.
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
    {"urandom", "size, /", fn_urandom, NULL, ENTROPY},
    {"times", "", fn_times, NULL, CLOCK},
    {0},
};
