// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// numpy.load and numpy.save for .npy files.

#include <stdio.h>
#include <string.h>

#include "stdlib/file_write.h"
#include "stdlib/numpy/numpy.h"
#include "vm/interp/host.h"
#include "vm/value/class.h"
#include "vm/value/os_text.h"

// --- load --------------------------------------------------------------------------------------

static Status npy_error(Vm *vm, NpyProblem problem, const NpyHeader *h) {
    switch (problem) {
    case NPY_NO_MAGIC:
        return vm_raise(vm, EXC_ValueError,
                        "This file contains pickled (object) data. If you trust "
                        "the file you can load it unsafely using the `allow_pickle=` keyword "
                        "argument or `pickle.load()`.");
    case NPY_BAD_VERSION:
        return vm_raise(vm, EXC_ValueError, "we only support format version (1,0), (2,0), and "
                        "(3,0), not (%d, %d)", h->version[0], h->version[1]);
    case NPY_SHORT_HEADER:
        if (h->got == 0 && h->wanted == 8)
            return vm_raise(vm, EXC_EOFError, "No data left in file");
        return vm_raise(vm, EXC_ValueError, "EOF: reading array header, expected %zu bytes got %zu",
                        h->wanted, h->got);
    case NPY_BAD_DTYPE:
        return vm_raise(vm, EXC_ValueError, "descr is not a valid dtype descriptor: '%.*s'",
                        (int)(h->descr_len < 100 ? h->descr_len : 100), h->descr);
    case NPY_SWAPPED:
        return vm_raise(vm, EXC_NotImplementedError, "arrays in the other byte order ('%.*s')",
                        (int)h->descr_len, h->descr);
    case NPY_OBJECTS:
        return vm_raise(vm, EXC_ValueError,
                        "Object arrays cannot be loaded when allow_pickle=False");
    case NPY_SHORT_DATA:
    case NPY_TOO_LARGE: {
        size_t size = dtype_size(h->dtype);
        return vm_raise(vm, EXC_ValueError, "cannot reshape array of size %zu into shape of the "
                        "header: the file holds fewer elements than it says", h->got / size);
    }
    default: return vm_raise(vm, EXC_ValueError, "Cannot parse header of a .npy file");
    }
}

static Status array_of_npy(Vm *vm, const NpyHeader *h, const char *bytes, Value *out) {
    Value v;
    int axes[NDIM_MAX];
    axes_straight(h->ndim, h->fortran_order, axes);
    Status st = array_new_arranged(vm, h->dtype, h->ndim, h->shape, axes, ROOM_HOST, &v);
    if (st != ST_OK) return st;
    char *data = array_write(vm, v.array);
    memcpy(data, bytes + h->data_at, h->wanted);
    if (h->dtype == DT_BOOL) // a file may have bytes other than 0 and 1
        for (size_t i = 0; i < h->wanted; i++) data[i] = data[i] != 0;
    *out = v;
    return ST_OK;
}

Status npy_array(Vm *vm, const char *bytes, size_t len, Value *out) {
    NpyHeader header;
    NpyProblem problem = npy_parse(bytes, len, &header);
    return problem == NPY_OK ? array_of_npy(vm, &header, bytes, out)
                             : npy_error(vm, problem, &header);
}

static bool is_archive(const Buf *bytes) {
    return bytes->len >= 4 && (memcmp(bytes->data, "PK\x03\x04", 4) == 0 ||
                               memcmp(bytes->data, "PK\x05\x06", 4) == 0);
}

// Returns whether v is a path. Other values may have __fspath__, or be open files, for the slow path.
static bool is_path(Value v) {
    Value path = unwrap(v);
    return path.kind == K_STR || path.kind == K_BYTES;
}

// load of a .npy file by its path. The slow path handles .npz archives, mmap_mode and open files.
static Status fn_load(Vm *vm, const Value *args, Value *out) {
    Buf name, bytes;
    if (!is_path(args[0]) || args[1].kind != K_NONE) return ST_DEFER;
    Status st = os_path_bytes(vm, args[0], ACCESS_READ, &name);
    if (st != ST_OK) return st;
    buf_init(&bytes, &vm->mem);
    st = host_read_file(vm, name.data, &bytes);
    buf_free(&name);
    if (st == ST_OK)
        st = is_archive(&bytes) ? ST_DEFER
                                : npy_array(vm, bytes.data ? bytes.data : "", bytes.len, out);
    buf_free(&bytes);
    return st;
}

// --- save --------------------------------------------------------------------------------------

// Returns the number of spaces after the dict. As NumPy, the header leaves room for the outermost extent to grow to 21
// digits, so that rows can be appended without moving the elements.
static int growth_room(int64_t extent) {
    return 21 - snprintf(NULL, 0, "%lld", (long long)extent);
}

// Writes the header as NumPy does, padded so that the elements begin at a multiple of 64 bytes.
static void put_header(Array *array, bool fortran, Buf *out) {
    const DTypeInfo *info = &dtype_info[array->dtype];
    char text[1024];
    int len = snprintf(text, sizeof text, "{'descr': '%c%c%d', 'fortran_order': %s, 'shape': (",
                       info->size == 1 ? '|' : '<', info->kind_letter, info->size,
                       fortran ? "True" : "False");
    for (int d = 0; d < array->ndim; d++)
        len += snprintf(text + len, sizeof text - (size_t)len, d ? ", %lld" : "%lld",
                        (long long)array_shape(array)[d]);
    len += snprintf(text + len, sizeof text - (size_t)len, array->ndim == 1 ? ",), }" : "), }");
    int growth = array->ndim > 0 ? growth_room(array_shape(array)[fortran ? array->ndim - 1 : 0]) : 0;
    int total = 10 + len + growth + 1, padded = (total + 63) / 64 * 64;
    buf_put(out, "\x93NUMPY\x01\x00", 8);
    buf_putc(out, (char)((padded - 10) & 255));
    buf_putc(out, (char)((padded - 10) >> 8));
    buf_put(out, text, (size_t)len);
    buf_fill(out, ' ', (size_t)(padded - 10 - len - 1));
    buf_putc(out, '\n');
}

Status npy_put(Vm *vm, Value array, Buf *out) {
    Value dense;
    bool fortran = array_is_in_order(array.array, ORDER_F) &&
                   !array_is_in_order(array.array, ORDER_C);
    Status st = ST_OK;
    if (fortran) dense = retain(array);
    else st = array_contiguous(vm, array, &dense);
    if (st != ST_OK) return st;
    const char *data = array_read(vm, dense.array);
    put_header(dense.array, fortran, out);
    if (!data) st = ST_ERROR;
    else buf_put(out, data, (size_t)array_size(dense.array) * dtype_size(dense.array->dtype));
    release(vm, dense);
    return st == ST_OK && out->failed ? vm_no_memory(vm) : st;
}

static Status save_array(Vm *vm, Value array, const char *name) {
    Buf bytes;
    buf_init(&bytes, &vm->mem);
    Status st = npy_put(vm, array, &bytes);
    if (st == ST_OK) st = file_write_whole(vm, name, &bytes);
    buf_free(&bytes);
    return st;
}

static Status fn_save(Vm *vm, const Value *args, Value *out) {
    Value array;
    Buf name;
    if (!is_path(args[0])) return ST_DEFER;
    Status st = os_path_bytes(vm, args[0], ACCESS_WRITE, &name);
    if (st != ST_OK) return st;
    st = array_from(vm, args[1], DT_NONE, &array);
    if (st == ST_OK) {
        if (name.len < 4 || strcmp(name.data + name.len - 4, ".npy") != 0)
            buf_put(&name, ".npy", sizeof ".npy");
        st = name.failed ? vm_no_memory(vm) : os_access(vm, ACCESS_WRITE, name.data);
        if (st == ST_OK) st = save_array(vm, array, name.data);
        release(vm, array);
    }
    buf_free(&name);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

const NativeDef numpy_files[] = {
    {"load", "file, mmap_mode=None, allow_pickle=False"
     "\nArrays from a .npy or .npz file: its name, or an open file. With mmap_mode they stay in\n"
     "the file.\n\n>>> import io\n>>> f = io.BytesIO()\n>>> np.save(f, [1, 2, 3])\n"
     ">>> _ = f.seek(0)\n>>> np.load(f)\narray([1, 2, 3])",
     fn_load, "numpy_load_slow", FILESYSTEM},
    {"save", "file, arr, allow_pickle=True"
     "\nWrites an array to a .npy file: its name, to which .npy is added, or an open file.\n"
     "\n>>> import io\n>>> f = io.BytesIO()\n>>> np.save(f, [1, 2, 3])\n>>> f.getvalue()[:6]\n"
     "b'\\x93NUMPY'",
     fn_save, "numpy_save_slow", FILESYSTEM},
    {0},
};
