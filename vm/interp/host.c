// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Files and folders that the interpreter itself reads: scripts, and modules next to them.

#include "vm/interp/host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/value/bytes.h"
#include "vm/value/effects.h"
#include "vm/value/os_text.h"

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

// --- Programs with their files -------------------------------------------------------------------

// Natives that are marked as using files, so that on several ranks only one reads the disk (effects.h): source(path)
// returns a file's bytes, is_folder(path) a bool.
static Status source(Vm *vm, const Value *args, Value *out) {
    Buf path, text;
    if (os_name_bytes(vm, args[0], &path) != ST_OK) return ST_ERROR;
    buf_init(&text, &vm->mem);
    Status st = host_read_file(vm, path.data, &text);
    if (st == ST_OK) st = bytes_buf_out(vm, &text, out);
    else buf_free(&text);
    buf_free(&path);
    return st;
}
static Status is_folder(Vm *vm, const Value *args, Value *out) {
    Buf path;
    struct stat info;
    if (os_name_bytes(vm, args[0], &path) != ST_OK) return ST_ERROR;
    *out = v_bool(stat(path.data, &info) == 0 && S_ISDIR(info.st_mode));
    buf_free(&path);
    return ST_OK;
}
static const NativeDef source_row = {"source", "path, /", source, NULL, FILESYSTEM};
static const NativeDef is_folder_row = {"is_folder", "path, /", is_folder, NULL, FILESYSTEM};

static Status ask_disk(Vm *vm, const NativeDef *row, const char *path, Value *out) {
    Str *name = os_text(vm, path, strlen(path));
    if (!name) return vm_no_memory(vm);
    Value arg = v_obj(name);
    Status st = native_run(vm, row, &arg, out);
    release_obj(vm, name);
    return st;
}

static Status read_from_disk(Vm *vm, const char *path, Buf *out) {
    Value bytes;
    Status st = ask_disk(vm, &source_row, path, &bytes);
    if (st != ST_OK) return st;
    buf_put(out, bytes.bytes->data, bytes.bytes->len + 1);
    release(vm, bytes);
    if (out->failed) return vm_no_memory(vm);
    out->len--;
    return ST_OK;
}

Status host_read_source(Vm *vm, const char *path, Buf *out) {
    if (!vm->info || !vm->info->files) return read_from_disk(vm, path, out);
    for (const HostFile *file = vm->info->files; file; file = file->next) {
        if (strcmp(file->path, path) != 0) continue;
        buf_put(out, file->text, file->len + 1);
        if (out->failed) return vm_no_memory(vm);
        out->len--;
        return ST_OK;
    }
    return vm_raise_os(vm, ENOENT, path);
}

Status host_add_file(Vm *vm, const char *path, const char *text, size_t len) {
    size_t path_size = strlen(path) + 1;
    HostFile *file = mem_zalloc(&vm->mem, sizeof *file);
    char *name = mem_alloc(&vm->mem, path_size), *copy = mem_alloc(&vm->mem, len + 1);
    if (!file || !name || !copy) {
        mem_free(&vm->mem, file, sizeof *file);
        mem_free(&vm->mem, name, path_size);
        mem_free(&vm->mem, copy, len + 1);
        return vm_no_memory(vm);
    }
    memcpy(name, path, path_size);
    memcpy(copy, text, len);
    copy[len] = '\0';
    *file = (HostFile){vm->info->files, name, copy, path_size, len};
    vm->info->files = file;
    return ST_OK;
}

void host_free_files(Vm *vm) {
    for (HostFile *file = vm->info->files, *next; file; file = next) {
        next = file->next;
        mem_free(&vm->mem, file->path, file->path_size);
        mem_free(&vm->mem, file->text, file->len + 1);
        mem_free(&vm->mem, file, sizeof *file);
    }
    vm->info->files = NULL;
}

const char *host_module_ending(size_t index) {
    static const char *const endings[] = {"/__init__.py", "/__init__.ncr", ".py", ".ncr"};
    return index < sizeof endings / sizeof *endings ? endings[index] : NULL;
}

Status host_is_folder(Vm *vm, const char *path, bool *out) {
    Value answer = v_bool(false);
    bool disk = !(vm->info && vm->info->files);
    Status st = disk ? ask_disk(vm, &is_folder_row, path, &answer) : ST_OK;
    *out = answer.i;
    return st;
}

const StdlibModule *host_packed_modules(int table) {
    return table == 0 ? nacre_stdlib_modules : table == 1 ? stdlib_more() : NULL;
}

const StdlibModule *host_packed_module(const char *name) {
    for (int table = 0; table < PACKED_TABLES; table++)
        for (const StdlibModule *row = host_packed_modules(table); row && row->name; row++)
            if (strcmp(name, row->name) == 0) return row;
    return NULL;
}

static bool is_below(const char *name, const char *package, size_t len) {
    return strncmp(name, package, len) == 0 && name[len] == '.';
}

// Packages of CPython that are built in as single modules here, without submodules to recognise them by.
static const char *const packages[] = {"collections", "json", "logging", "importlib"};

bool host_is_package(const char *package) {
    size_t len = strlen(package);
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strcmp(package, packages[i]) == 0) return true;
    for (const BuiltinModule *row = builtin_modules; row->name; row++)
        if (is_below(row->name, package, len)) return true;
    for (int table = 0; table < PACKED_TABLES; table++)
        for (const StdlibModule *row = host_packed_modules(table); row && row->name; row++)
            if (is_below(row->name, package, len)) return true;
    return false;
}

bool host_has_module(const char *name) {
    for (const BuiltinModule *row = builtin_modules; row->name; row++)
        if (strcmp(name, row->name) == 0) return true;
    return host_packed_module(name);
}
