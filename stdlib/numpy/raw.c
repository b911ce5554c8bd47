// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module `_numpy_raw`: reads, writes and maps elements in files as they are in memory, without a header.

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/numpy/numpy.h"
#include "stdlib/stdlib.h"
#include "vm/array/mapped.h"
#include "vm/value/bytes.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"

enum { CHUNK = 1 << 26 }; // bytes between two polls for interrupts

// Reads up to `len` bytes; *got is fewer at the end of the file.
static Status read_bytes(Vm *vm, int fd, const char *path, char *to, size_t len, size_t *got) {
    for (*got = 0; *got < len;) {
        size_t rest = len - *got;
        ssize_t n = read(fd, to + *got, rest < CHUNK ? rest : CHUNK);
        if (n == 0) return ST_OK;
        if (n < 0 && errno != EINTR) return vm_raise_os(vm, errno, path);
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
        if (n > 0) *got += (size_t)n;
    }
    return ST_OK;
}

static Status write_bytes(Vm *vm, int fd, const char *path, const char *from, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, from, len < CHUNK ? len : CHUNK);
        if (n < 0 && errno != EINTR) return vm_raise_os(vm, errno, path);
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
        if (n > 0) from += n, len -= (size_t)n;
    }
    return ST_OK;
}

// Makes bools valid: a file may have bytes other than 0 and 1.
static void make_truths(DType type, char *data, size_t len) {
    for (size_t i = 0; type == DT_BOOL && i < len; i++) data[i] = data[i] != 0;
}

static Status read_elements(Vm *vm, int fd, const char *path, DType type, int64_t count, int64_t offset,
                            Value *out) {
    struct stat info;
    size_t size = dtype_size(type), got;
    if (fstat(fd, &info) != 0) return vm_raise_os(vm, errno, path);
    if (!S_ISREG(info.st_mode)) return vm_raise_os(vm, S_ISDIR(info.st_mode) ? EISDIR : ESPIPE, path);
    // The count may be too large: allocates no more than the file has elements.
    int64_t there = info.st_size > offset ? (int64_t)((size_t)(info.st_size - offset) / size) : 0;
    if (count < 0 || count > there) count = there;
    if (lseek(fd, offset, SEEK_SET) < 0) return vm_raise_os(vm, errno, path);
    Status st = array_new(vm, type, 1, &count, ROOM_HOST, out);
    if (st != ST_OK) return st;
    char *data = array_write(vm, out->array);
    st = data ? read_bytes(vm, fd, path, data, (size_t)count * size, &got) : ST_ERROR;
    if (st == ST_OK && got < (size_t)count * size)
        st = vm_raise(vm, EXC_OSError, "the file became shorter while it was read");
    if (st == ST_OK) make_truths(type, data, got);
    else release(vm, *out);
    return st;
}

// read(path, dtype, count, offset): reads up to `count` elements (-1: all) from byte `offset` on.
static Status fn_read(Vm *vm, const Value *args, Value *out) {
    Buf name;
    DType type;
    int64_t count, offset;
    if (array_long(vm, args[2], &count) != ST_OK || array_long(vm, args[3], &offset) != ST_OK)
        return op_refused(vm);
    Status st = dtype_from(vm, args[1], DT_FLOAT64, &type);
    if (st == ST_OK) st = os_path_bytes(vm, args[0], ACCESS_READ, &name);
    if (st != ST_OK) return st;
    int fd = open(name.data, O_RDONLY | O_CLOEXEC);
    st = fd < 0 ? vm_raise_os(vm, errno, name.data)
                : read_elements(vm, fd, name.data, type, count, offset < 0 ? 0 : offset, out);
    if (fd >= 0) close(fd);
    buf_free(&name);
    return st;
}

static Status write_elements(Vm *vm, const char *path, Array *array) {
    const char *data = array_read(vm, array);
    if (!data) return ST_ERROR;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return vm_raise_os(vm, errno, path);
    Status st = write_bytes(vm, fd, path, data, (size_t)array_size(array) * dtype_size(array->dtype));
    if (close(fd) != 0 && st == ST_OK) st = vm_raise_os(vm, errno, path);
    return st;
}

// write(path, a): writes the elements in C order.
static Status fn_write(Vm *vm, const Value *args, Value *out) {
    Buf name;
    Value dense;
    if (args[1].kind != K_ARRAY) return vm_raise(vm, EXC_TypeError, "an array is required");
    Status st = os_path_bytes(vm, args[0], ACCESS_WRITE, &name);
    if (st != ST_OK) return st;
    st = array_contiguous(vm, args[1], &dense);
    if (st == ST_OK) {
        st = write_elements(vm, name.data, dense.array);
        release(vm, dense);
    }
    buf_free(&name);
    *out = V_NONE;
    return st;
}

// map(path, full path, mode, offset, bytes): maps a part of a file as an array of uint8; mode is a MapMode.
static Status fn_map(Vm *vm, const Value *args, Value *out) {
    int64_t mode, offset, bytes;
    if (args[0].kind != K_STR || args[1].kind != K_STR) return vm_raise(vm, EXC_TypeError, "two paths are required");
    if (array_long(vm, args[2], &mode) != ST_OK || array_long(vm, args[3], &offset) != ST_OK ||
        array_long(vm, args[4], &bytes) != ST_OK)
        return op_refused(vm);
    if (mode < MAP_READ || mode > MAP_NEW || offset < 0 || bytes < 0)
        return vm_raise(vm, EXC_ValueError, "no such mode, offset or size");
    return array_map_file(vm, args[0].str, args[1].str, (MapMode)mode, offset, bytes, out);
}

// is_mapped(a): returns whether an array is over a mapped file.
static Status fn_is_mapped(Vm *vm, const Value *args, Value *out) {
    bool mapped = false;
    Status st = args[0].kind == K_ARRAY ? array_in_file(vm, args[0], &mapped) : ST_OK;
    if (st == ST_OK) *out = v_bool(mapped);
    return st;
}

static Status header_out(Vm *vm, const NpyHeader *h, Value *out) {
    Value items[4], extents[NDIM_MAX];
    for (int d = 0; d < h->ndim; d++) extents[d] = v_int(h->shape[d]);
    Status st = dtype_out(vm, h->dtype, &items[0]);
    if (st != ST_OK) return st;
    st = tuple_of(vm, extents, (size_t)h->ndim, &items[1]);
    if (st != ST_OK) {
        release(vm, items[0]);
        return st;
    }
    items[2] = v_bool(h->fortran_order);
    items[3] = v_int((int64_t)h->data_at);
    return tuple_steal(vm, items, 4, out);
}

// npy_header(begin): parses the first bytes of a .npy file, an array of uint8. Returns (dtype, shape, whether in
// Fortran order, offset of the elements), or None if the header is invalid or not supported.
static Status fn_npy_header(Vm *vm, const Value *args, Value *out) {
    NpyHeader header;
    if (args[0].kind != K_ARRAY || args[0].array->dtype != DT_UINT8 || !array_is_in_order(args[0].array, ORDER_C))
        return vm_raise(vm, EXC_TypeError, "a row of uint8 is required");
    const char *bytes = array_read(vm, args[0].array);
    if (!bytes) return ST_ERROR;
    NpyProblem problem = npy_parse(bytes, (size_t)array_size(args[0].array), &header);
    *out = V_NONE;
    return problem == NPY_OK || problem == NPY_SHORT_DATA ? header_out(vm, &header, out) : ST_OK;
}

// npy_bytes(a): returns the contents of a .npy file with the array. npy_array(bytes): returns the array of such a file,
// whose bytes are an array of uint8.
static Status fn_npy_bytes(Vm *vm, const Value *args, Value *out) {
    Buf bytes;
    if (args[0].kind != K_ARRAY) return vm_raise(vm, EXC_TypeError, "an array is required");
    buf_init(&bytes, &vm->mem);
    Status st = npy_put(vm, args[0], &bytes);
    if (st == ST_OK) st = bytes_out(vm, bytes_new(vm, bytes.data, bytes.len), out);
    buf_free(&bytes);
    return st;
}
static Status fn_npy_array(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_ARRAY || args[0].array->dtype != DT_UINT8 || !array_is_in_order(args[0].array, ORDER_C))
        return vm_raise(vm, EXC_TypeError, "a row of uint8 is required");
    const char *bytes = array_read(vm, args[0].array);
    return bytes ? npy_array(vm, bytes, (size_t)array_size(args[0].array), out) : ST_ERROR;
}

const NativeDef numpy_raw_functions[] = {
    {"npy_bytes", "a, /", fn_npy_bytes, NULL, PURE},
    {"npy_array", "file, /", fn_npy_array, NULL, PURE},
    {"map", "path, full, mode, offset, bytes, /", fn_map, NULL, FILESYSTEM},
    {"is_mapped", "a, /", fn_is_mapped, NULL, INNER},
    {"npy_header", "begin, /", fn_npy_header, NULL, PURE},
    {"read", "path, dtype, count, offset, /", fn_read, NULL, FILESYSTEM},
    {"write", "path, a, /", fn_write, NULL, FILESYSTEM},
    {0},
};
