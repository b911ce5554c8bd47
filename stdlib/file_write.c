// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writing a whole file at once.

#include "stdlib/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(const Vm *vm, int fd, const char *at, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR && !vm_interrupted(vm)) continue;
        if (n <= 0) return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

// Returns whether a file is a device, a pipe or the like, which a new file must not replace.
static bool is_special(const char *name) {
    struct stat info;
    return stat(name, &info) == 0 && !S_ISREG(info.st_mode);
}

static int write_to(const Vm *vm, const char *name, int flags, const Buf *bytes) {
    int fd = open(name, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (fd < 0) return errno;
    int error = write_all(vm, fd, bytes->data, bytes->len) ? 0 : errno;
    if (close(fd) != 0 && !error) error = errno;
    return error;
}

Status file_write_whole(Vm *vm, const char *name, const Buf *bytes) {
    if (bytes->failed) return vm_no_memory(vm);
    if (is_special(name)) {
        int error = write_to(vm, name, 0, bytes);
        return error ? vm_raise_os(vm, error, name) : ST_OK;
    }
    Buf other;
    buf_init(&other, &vm->mem);
    buf_printf(&other, "%s.%ld.tmp", name, (long)getpid());
    buf_putc(&other, '\0');
    if (other.failed) return vm_no_memory(vm);
    int error = write_to(vm, other.data, O_CREAT | O_EXCL, bytes);
    if (!error && rename(other.data, name) != 0) error = errno;
    if (error && error != EEXIST) unlink(other.data);
    buf_free(&other);
    return error ? vm_raise_os(vm, error, name) : ST_OK;
}
