// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory-mapped files. If another process truncates the file, reading its elements ends the
// program, as with any mapping.

#include "vm/array/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/value/effects.h"
#include "vm/value/os_text.h"

static void unmap(Vm *vm, void *owner) {
    Mapping *mapping = owner;
    if (mapping->at) munmap(mapping->at, mapping->bytes);
    release_obj(vm, mapping->path);
    mem_free(&vm->mem, mapping, sizeof *mapping);
}

const Mapping *array_mapping(const Array *array) {
    return array->storage->give_back == unmap ? array->storage->owner : NULL;
}

static Status in_file(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(array_mapping(args[0].array));
    return ST_OK;
}
static const NativeDef in_file_row = {"in_file", "a, /", in_file, NULL, FILESYSTEM};

Status array_in_file(Vm *vm, Value array, bool *out) {
    Value answer;
    Status st = native_run(vm, &in_file_row, &array, &answer);
    if (st == ST_OK) *out = answer.i;
    return st;
}

// Ensures that the file covers the mapping, since access beyond its end would be a fatal signal. Writable shared modes
// extend the file; others raise ValueError.
static Status hold(Vm *vm, int fd, const char *path, MapMode mode, int64_t end) {
    struct stat info;
    if (fstat(fd, &info) != 0) return vm_raise_os(vm, errno, path);
    if (!S_ISREG(info.st_mode)) return vm_raise_os(vm, S_ISDIR(info.st_mode) ? EISDIR : ENODEV, path);
    if (info.st_size >= end) return ST_OK;
    if (mode == MAP_READ || mode == MAP_COPY)
        return vm_raise(vm, EXC_ValueError, "mmap length is greater than file size");
    return ftruncate(fd, end) == 0 ? ST_OK : vm_raise_os(vm, errno, path);
}

static Status map(Vm *vm, const char *path, int64_t bytes, Mapping *m) {
    static const int flags[] = {[MAP_READ] = O_RDONLY, [MAP_COPY] = O_RDONLY, [MAP_UPDATE] = O_RDWR,
                                [MAP_NEW] = O_RDWR | O_CREAT | O_TRUNC};
    int64_t page = sysconf(_SC_PAGESIZE), begin = m->offset - m->offset % page, end;
    if (__builtin_add_overflow(m->offset, bytes, &end) || bytes == 0)
        return vm_raise(vm, EXC_ValueError, bytes ? "mmap length is too large" : "cannot mmap an empty file");
    int fd = open(path, flags[m->mode] | O_CLOEXEC, 0666);
    if (fd < 0) return vm_raise_os(vm, errno, path);
    Status st = hold(vm, fd, path, m->mode, end);
    if (st == ST_OK) {
        m->bytes = (size_t)(end - begin);
        void *at = mmap(NULL, m->bytes, m->mode == MAP_READ ? PROT_READ : PROT_READ | PROT_WRITE,
                        m->mode == MAP_COPY ? MAP_PRIVATE : MAP_SHARED, fd, begin);
        if (at == MAP_FAILED) st = vm_raise_os(vm, errno, path);
        else m->at = at;
    }
    close(fd);
    return st;
}

static Status array_over(Vm *vm, Mapping *m, int64_t bytes, Value *out) {
    View view = {.dtype = DT_UINT8, .ndim = 1, .shape = {bytes}, .strides = {1}};
    view.offset = (int64_t)m->bytes - bytes; // elements start after the beginning of the page
    view.storage = storage_over(vm, m->at, m->bytes, m, unmap);
    if (!view.storage) {
        unmap(vm, m);
        return vm_no_memory(vm);
    }
    Status st = array_of_view(vm, &view, V_UNDEF, out);
    storage_release(vm, view.storage);
    if (st == ST_OK) out->array->readonly = m->mode == MAP_READ;
    return st;
}

Status array_map_file(Vm *vm, Str *path, Str *full, MapMode mode, int64_t offset, int64_t bytes,
                      Value *out) {
    Buf name;
    if (os_path_bytes(vm, v_obj(path), mode == MAP_UPDATE || mode == MAP_NEW ? ACCESS_WRITE : ACCESS_READ, &name) != ST_OK) return ST_ERROR;
    Mapping *m = mem_zalloc(&vm->mem, sizeof *m);
    Status st = m ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK) {
        *m = (Mapping){.mode = mode, .offset = offset, .path = retain(v_obj(full)).str};
        st = map(vm, name.data, bytes, m);
        if (st != ST_OK) unmap(vm, m);
    }
    buf_free(&name);
    return st == ST_OK ? array_over(vm, m, bytes, out) : st;
}

Status mapping_flush(Vm *vm, Array *array) {
    const Mapping *m = array_mapping(array);
    if (!m || (m->mode != MAP_UPDATE && m->mode != MAP_NEW)) return ST_OK;
    if (!array_read(vm, array)) return ST_ERROR; // executes pending work, and brings the data to
                                                 // the host
    return msync(m->at, m->bytes, MS_SYNC) == 0 ? ST_OK : vm_raise_os(vm, errno, m->path->data);
}
