// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _os, the native part of os: environment variables, folders and files. (os itself and os.path are
// written in the language.)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "stdlib/stdlib.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { COPY_BYTES = 32 * 1024 };

extern char **environ;

static Status text_of(Vm *vm, const char *bytes, Value *out) {
    return str_out(vm, os_text(vm, bytes, strlen(bytes)), out);
}

static Status fn_getcwd(Vm *vm, const Value *args, Value *out) {
    (void)args;
    size_t size = 256;
    if (os_access(vm, ACCESS_READ, ".") != ST_OK) return ST_ERROR;
    for (;; size *= 2) {
        char *dir = mem_alloc(&vm->mem, size);
        if (!dir) return vm_no_memory(vm);
        bool done = getcwd(dir, size);
        int err = errno;
        Status st = done ? text_of(vm, dir, out) : ST_OK;
        mem_free(&vm->mem, dir, size);
        if (done) return st;
        if (err != ERANGE) return vm_raise_os(vm, err, NULL);
    }
}

static Status list_folder(Vm *vm, DIR *dir, List *list) {
    Status st = ST_OK;
    for (struct dirent *entry; st == ST_OK && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        Value name;
        st = text_of(vm, entry->d_name, &name);
        if (st == ST_OK) st = list_append(vm, list, name);
    }
    return st;
}

static Status fn_listdir(Vm *vm, const Value *args, Value *out) {
    Buf path;
    if (os_path_bytes(vm, args[0].kind == K_NONE ? v_obj(vm->letters['.']) : args[0], ACCESS_READ, &path) != ST_OK)
        return ST_ERROR;
    DIR *dir = opendir(path.data);
    if (!dir) vm_raise_os(vm, errno, path.data);
    buf_free(&path);
    if (!dir) return ST_ERROR;
    List *list = list_new(vm, 16);
    Status st = list ? list_folder(vm, dir, list) : vm_no_memory(vm);
    closedir(dir);
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(vm, list);
    return st;
}

// Calls a function of the C library with a path. Returns None, or raises OSError with the path.
static Status by_call(Vm *vm, Value v, FileAccess access, int (*call)(const char *), Value *out) {
    Buf path;
    Status st = os_path_bytes(vm, v, access, &path);
    if (st != ST_OK) return st;
    if (call(path.data) != 0) st = vm_raise_os(vm, errno, path.data);
    buf_free(&path);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status fn_remove(Vm *vm, const Value *args, Value *out) {
    return by_call(vm, args[0], ACCESS_WRITE, unlink, out);
}
static Status fn_rmdir(Vm *vm, const Value *args, Value *out) {
    return by_call(vm, args[0], ACCESS_WRITE, rmdir, out);
}

static int make_folder(const char *path) {
    return mkdir(path, 0777);
}
static Status fn_mkdir(Vm *vm, const Value *args, Value *out) {
    return by_call(vm, args[0], ACCESS_WRITE, make_folder, out);
}

static bool make_parents(char *path) {
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *c = '/';
        if (!made) return false;
    }
    return true;
}

static int make_folders(const char *path, bool exist_ok, char *copy) {
    struct stat info;
    if (!*path) return ENOENT;
    if (make_parents(copy) && make_folder(path) == 0) return 0;
    int error = errno;
    bool there = exist_ok && error == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return there ? 0 : error;
}

static Status fn_makedirs(Vm *vm, const Value *args, Value *out) {
    bool exist_ok = false;
    Buf path, copy;
    if (op_truth(vm, args[2], &exist_ok) != ST_OK || os_path_bytes(vm, args[0], ACCESS_WRITE, &path) != ST_OK)
        return op_refused(vm);
    Status st = os_path_bytes(vm, args[0], ACCESS_WRITE, &copy);
    if (st == ST_OK) {
        int error = make_folders(path.data, exist_ok, copy.data);
        if (error) st = vm_raise_os(vm, error, path.data);
        buf_free(&copy);
    }
    buf_free(&path);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status fn_rename(Vm *vm, const Value *args, Value *out) {
    Buf from, to;
    if (os_path_bytes(vm, args[0], ACCESS_WRITE, &from) != ST_OK) return ST_ERROR;
    Status st = os_path_bytes(vm, args[1], ACCESS_WRITE, &to);
    if (st == ST_OK) {
        if (rename(from.data, to.data) != 0) st = vm_raise_os_two(vm, errno, from.data, to.data);
        buf_free(&to);
    }
    buf_free(&from);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status fn_chdir(Vm *vm, const Value *args, Value *out) {
    return by_call(vm, args[0], ACCESS_READ, chdir, out);
}

static int touch(const char *path) {
    return utimensat(AT_FDCWD, path, NULL, 0);
}
static Status fn_touch(Vm *vm, const Value *args, Value *out) {
    return by_call(vm, args[0], ACCESS_WRITE, touch, out);
}

// Creates an empty file that only its owner can read. Fails if it exists.
static int create(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd < 0 ? fd : close(fd);
}
static Status fn_create(Vm *vm, const Value *args, Value *out) {
    return by_call(vm, args[0], ACCESS_WRITE, create, out);
}
static int make_private_folder(const char *path) {
    return mkdir(path, 0700);
}
static Status fn_mkdir_private(Vm *vm, const Value *args, Value *out) {
    return by_call(vm, args[0], ACCESS_WRITE, make_private_folder, out);
}

static Status fn_symlink(Vm *vm, const Value *args, Value *out) {
    Buf to, path;
    if (os_path_bytes(vm, args[0], ACCESS_WRITE, &to) != ST_OK) return ST_ERROR;
    Status st = os_path_bytes(vm, args[1], ACCESS_WRITE, &path);
    if (st == ST_OK) {
        if (symlink(to.data, path.data) != 0) st = vm_raise_os_two(vm, errno, to.data, path.data);
        buf_free(&path);
    }
    buf_free(&to);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static bool write_all(int fd, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) bytes += n, len -= (size_t)n;
    }
    return true;
}

// Copies all bytes between two descriptors. Returns 0, or errno.
static int copy_bytes(int from, int to) {
    char bytes[COPY_BYTES];
    for (;;) {
        ssize_t n = read(from, bytes, sizeof bytes);
        if (n == 0) return 0;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 || !write_all(to, bytes, (size_t)n)) return errno;
    }
}

static Status copy_file(Vm *vm, const char *from, const char *to) {
    int source = open(from, O_RDONLY | O_CLOEXEC);
    if (source < 0) return vm_raise_os(vm, errno, from);
    int target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int error = target < 0 ? errno : copy_bytes(source, target);
    Status st = ST_OK;
    if (error) st = vm_raise_os(vm, error, error == EISDIR && target >= 0 ? from : to);
    close(source);
    if (target >= 0 && close(target) != 0 && st == ST_OK) st = vm_raise_os(vm, errno, to);
    return st;
}

static Status fn_copy(Vm *vm, const Value *args, Value *out) {
    Buf from, to;
    if (os_path_bytes(vm, args[0], ACCESS_READ, &from) != ST_OK) return ST_ERROR;
    Status st = os_path_bytes(vm, args[1], ACCESS_WRITE, &to);
    if (st == ST_OK) {
        st = copy_file(vm, from.data, to.data);
        buf_free(&to);
    }
    buf_free(&from);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status fn_chmod(Vm *vm, const Value *args, Value *out) {
    Buf path;
    int64_t mode;
    if (op_index(vm, args[1], &mode) != ST_OK) return op_refused(vm);
    Status st = os_path_bytes(vm, args[0], ACCESS_WRITE, &path);
    if (st != ST_OK) return st;
    if (chmod(path.data, (mode_t)mode) != 0) st = vm_raise_os(vm, errno, path.data);
    buf_free(&path);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status fn_readlink(Vm *vm, const Value *args, Value *out) {
    Buf path;
    char target[PATH_MAX];
    Status st = os_path_bytes(vm, args[0], ACCESS_READ, &path);
    if (st != ST_OK) return st;
    ssize_t len = readlink(path.data, target, sizeof target);
    if (len < 0) st = vm_raise_os(vm, errno, path.data);
    else st = str_out(vm, os_text(vm, target, (size_t)len), out);
    buf_free(&path);
    return st;
}

static int64_t nanoseconds(struct timespec t) {
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// stat(path, follow): returns (mode, inode, device, links, user, group, size, atime, mtime, ctime), with times in
// nanoseconds.
static Status fn_stat(Vm *vm, const Value *args, Value *out) {
    Buf path;
    struct stat info;
    bool follow = false;
    if (op_truth(vm, args[1], &follow) != ST_OK || os_path_bytes(vm, args[0], ACCESS_READ, &path) != ST_OK)
        return op_refused(vm);
    bool there = (follow ? stat : lstat)(path.data, &info) == 0;
    if (!there) vm_raise_os(vm, errno, path.data);
    buf_free(&path);
    if (!there) return ST_ERROR;
    const Value parts[10] = {
        v_int(info.st_mode), v_int((int64_t)info.st_ino), v_int((int64_t)info.st_dev),
        v_int((int64_t)info.st_nlink), v_int(info.st_uid), v_int(info.st_gid), v_int(info.st_size),
        v_int(nanoseconds(info.st_atim)), v_int(nanoseconds(info.st_mtim)),
        v_int(nanoseconds(info.st_ctim))};
    return tuple_of(vm, parts, 10, out);
}

// Returns whether a file with the path exists and has the given type; type 0: any. False also for a name
// that no file can have, and for one that the host does not allow to read.
static Status mode_is(Vm *vm, Value v, mode_t type, Value *out) {
    Buf path;
    struct stat info;
    *out = v_bool(false);
    if (os_path_bytes(vm, v, ACCESS_READ, &path) != ST_OK) {
        if (!vm_error_is(vm, EXC_ValueError) && !vm_error_is(vm, EXC_PermissionError)) return ST_ERROR;
        vm_clear_error(vm);
        return ST_OK;
    }
    *out = v_bool(stat(path.data, &info) == 0 && (!type || (info.st_mode & S_IFMT) == type));
    buf_free(&path);
    return ST_OK;
}

static Status fn_exists(Vm *vm, const Value *args, Value *out) {
    return mode_is(vm, args[0], 0, out);
}
static Status fn_isfile(Vm *vm, const Value *args, Value *out) {
    return mode_is(vm, args[0], S_IFREG, out);
}
static Status fn_isdir(Vm *vm, const Value *args, Value *out) {
    return mode_is(vm, args[0], S_IFDIR, out);
}

static Status fn_getsize(Vm *vm, const Value *args, Value *out) {
    Buf path;
    struct stat info;
    Status st = os_path_bytes(vm, args[0], ACCESS_READ, &path);
    if (st != ST_OK) return st;
    if (stat(path.data, &info) == 0) *out = v_int(info.st_size);
    else st = vm_raise_os(vm, errno, path.data);
    buf_free(&path);
    return st;
}

// uname(): returns (system, node, release, version, machine).
static Status fn_uname(Vm *vm, const Value *args, Value *out) {
    struct utsname name;
    (void)args;
    if (uname(&name) != 0) return vm_raise_os(vm, errno, NULL);
    const char *const texts[5] = {name.sysname, name.nodename, name.release, name.version, name.machine};
    Value items[5];
    for (int i = 0; i < 5; i++) {
        Status st = text_of(vm, texts[i], &items[i]);
        if (st == ST_OK) continue;
        while (i > 0) release(vm, items[--i]);
        return st;
    }
    return tuple_steal(vm, items, 5, out);
}

static Status fn_libc_version(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return text_of(vm, gnu_get_libc_version(), out);
}

static Status fn_getpid(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    *out = v_int(getpid());
    return ST_OK;
}

static Status fn_cpu_count(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    *out = v_int(sysconf(_SC_NPROCESSORS_ONLN));
    return ST_OK;
}

const NativeDef os_functions[] = {
    {"getcwd", "", fn_getcwd, NULL, ENV},
    {"listdir", "path=None", fn_listdir, NULL, FILESYSTEM},
    {"remove", "path", fn_remove, NULL, FILESYSTEM},
    {"unlink", "path", fn_remove, NULL, FILESYSTEM},
    {"rmdir", "path", fn_rmdir, NULL, FILESYSTEM},
    {"mkdir", "path, mode=511", fn_mkdir, NULL, FILESYSTEM},
    {"makedirs", "name, mode=511, exist_ok=False", fn_makedirs, NULL, FILESYSTEM},
    {"rename", "src, dst", fn_rename, NULL, FILESYSTEM},
    {"replace", "src, dst", fn_rename, NULL, FILESYSTEM},
    {"chdir", "path", fn_chdir, NULL, FILESYSTEM},
    {"symlink", "src, dst", fn_symlink, NULL, FILESYSTEM},
    {"readlink", "path", fn_readlink, NULL, FILESYSTEM},
    {"copy", "src, dst, /", fn_copy, NULL, FILESYSTEM},
    {"chmod", "path, mode", fn_chmod, NULL, FILESYSTEM},
    {"stat", "path, follow, /", fn_stat, NULL, FILESYSTEM},
    {"touch", "path, /", fn_touch, NULL, FILESYSTEM},
    {"create", "path, /", fn_create, NULL, FILESYSTEM},
    {"mkdir_private", "path, /", fn_mkdir_private, NULL, FILESYSTEM},
    {"getpid", "", fn_getpid, NULL, ENV},
    {"uname", "", fn_uname, NULL, ENV},
    {"libc_version", "", fn_libc_version, NULL, ENV},
    {"cpu_count", "", fn_cpu_count, NULL, ENV},
    {"_exists", "path, /", fn_exists, NULL, FILESYSTEM},
    {"_isfile", "path, /", fn_isfile, NULL, FILESYSTEM},
    {"_isdir", "path, /", fn_isdir, NULL, FILESYSTEM},
    {"_getsize", "path, /", fn_getsize, NULL, FILESYSTEM},
    {0},
};

static Status add_variable(Vm *vm, Dict *dict, const char *entry) {
    const char *equals = strchr(entry, '=');
    if (!equals) return ST_OK;
    size_t len = (size_t)(equals - entry);
    Str *name = os_text(vm, entry, len), *value = os_text(vm, equals + 1, strlen(equals + 1));
    Status st = name && value ? dict_set(vm, dict, v_obj(name), v_obj(value)) : vm_no_memory(vm);
    release_obj(vm, name);
    release_obj(vm, value);
    return st;
}

static Status set_text(Vm *vm, Module *module, const char *name, const char *text) {
    Str *str = str_text(vm, text);
    return str ? module_set(vm, module, name, v_obj(str)) : vm_no_memory(vm);
}

static Status variables(Vm *vm, const Value *args, Value *out) {
    Dict *env = dict_new(vm);
    Status st = vm_check(vm, env);
    (void)args;
    for (char **entry = environ; st == ST_OK && !vm->host.sandbox && *entry; entry++) st = add_variable(vm, env, *entry);
    if (st == ST_OK) *out = v_obj(env);
    else release_obj(vm, env);
    return st;
}
static const NativeDef variables_row = {"environ", "", variables, NULL, ENV};

Status os_init(Vm *vm, Module *module) {
    Value env;
    Status st = native_run(vm, &variables_row, NULL, &env);
    if (st == ST_OK) st = module_set(vm, module, "environ", env);
    if (st == ST_OK) st = set_text(vm, module, "sep", "/");
    if (st == ST_OK) st = set_text(vm, module, "linesep", "\n");
    if (st == ST_OK) st = set_text(vm, module, "curdir", ".");
    if (st == ST_OK) st = set_text(vm, module, "pardir", "..");
    return st == ST_OK ? set_text(vm, module, "name", "posix") : st;
}
