// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Files and folders the interpreter itself reads: scripts and modules beside them.

#include "vm/interp/host.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *host_script_dir(Vm *vm) {
    return vm->info ? vm->info->script_dir : NULL;
}

static Status read_all(Vm *vm, int fd, const char *path, Buf *out) {
    char block[16384];
    for (;;) {
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR && !vm_interrupted(vm)) continue;
        if (n < 0) return vm_raise_os(vm, errno, path);
        if (n == 0) break;
        buf_put(out, block, (size_t)n);
        if (out->failed) return vm_no_memory(vm);
    }
    buf_putc(out, '\0');
    if (out->failed) return vm_no_memory(vm);
    out->len--;
    return ST_OK;
}

Status host_read_file(Vm *vm, const char *path, Buf *out) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return vm_raise_os(vm, errno, path);
    struct stat info;
    Status st = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode) ? vm_raise_os(vm, EISDIR, path)
                                                              : read_all(vm, fd, path, out);
    close(fd);
    return st;
}
