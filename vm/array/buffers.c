// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays and bytes: tobytes, and arrays whose elements lie in bytes (np.frombuffer).

#include <string.h>

#include "vm/array/methods.h"
#include "vm/value/bytearray.h"
#include "vm/value/ops.h"
#include "vm/value/seq_impl.h"

// --- tobytes -----------------------------------------------------------------------------------

// Copies the bytes of an array without gaps, in memory order, to a bytes object.
static Status take_bytes(Vm *vm, Array *array, Value *out) {
    size_t len = (size_t)array_size(array) * dtype_size(array->dtype);
    const char *at = array_read(vm, array);
    return at ? bytes_out(vm, bytes_new(vm, at, len), out) : ST_ERROR;
}

Status array_m_tobytes(Vm *vm, const Value *args, Value *out) {
    Array *array = args[0].array;
    Order order;
    Value copy;
    Status st = order_from(vm, args[1], ORDER_C, &order);
    if (st != ST_OK) return st;
    if (order == ORDER_K) order = ORDER_C; // as in NumPy
    if (array_is_in_order(array, order)) return take_bytes(vm, array, out);
    st = array_copy_ordered(vm, args[0], array->dtype, order, &copy);
    if (st != ST_OK) return st;
    st = take_bytes(vm, copy.array, out);
    release(vm, copy);
    return st;
}

// --- Arrays over bytes -------------------------------------------------------------------------

Status array_over_bytes(Vm *vm, Value bytes, Value *out) {
    const Bytes *b = bytes.bytes;
    View view = {.dtype = DT_UINT8, .ndim = 1, .shape = {(int64_t)b->len}, .strides = {1}};
    view.storage = storage_over(vm, b->data, b->len + 1, bytes.obj, release_obj); // includes the NUL
    if (!view.storage) return vm_no_memory(vm);
    retain(bytes);
    Status st = array_of_view(vm, &view, bytes, out);
    storage_release(vm, view.storage);
    if (st == ST_OK) out->array->readonly = true;
    return st;
}

static bool settle(Vm *vm, void *storage) {
    return graph_write(vm, storage) != NULL;
}

static void take_back(Vm *vm, void *owner) {
    ByteArray *bytearray = owner;
    bytearray->lent = NULL;
    bytearray->bytes->obj.aux &= (uint16_t)~BYTES_LENT;
    release_obj(vm, bytearray);
}

// Returns the storage over a bytearray's memory, which all arrays over the bytearray share. Owned; NULL: an exception
// is set.
static Storage *storage_of_bytearray(Vm *vm, ByteArray *bytearray) {
    Storage *storage = bytearray->lent;
    if (storage) {
        storage->refs++;
        return storage;
    }
    char *data = bytearray_write(vm, bytearray, bytearray->bytes->len); // memory that no bytes object shares
    if (!data) return NULL;
    storage = storage_over(vm, data, bytearray->bytes->len + 1, bytearray, take_back);
    if (!storage) {
        vm_no_memory(vm);
        return NULL;
    }
    bytearray->obj.refs++;
    bytearray->lent = storage;
    bytearray->settle = settle;
    bytearray->bytes->obj.aux |= BYTES_LENT;
    return storage;
}

Status array_over_bytearray(Vm *vm, Value v, Value *out) {
    ByteArray *bytearray = unwrap(v).bytearray;
    View view = {.dtype = DT_UINT8, .ndim = 1, .shape = {(int64_t)bytearray->bytes->len}, .strides = {1}};
    view.storage = storage_of_bytearray(vm, bytearray);
    if (!view.storage) return ST_ERROR;
    Status st = array_of_view(vm, &view, v, out);
    storage_release(vm, view.storage);
    return st;
}

// Part of a buffer: element type, first byte and number of elements.
typedef struct Section {
    DType dtype;
    int64_t offset, count;
} Section;

static Status find_part(Vm *vm, int64_t len, Section *part) {
    int64_t size = (int64_t)dtype_size(part->dtype), bytes;
    if (part->offset < 0 || part->offset > len)
        return vm_raise(vm, EXC_ValueError,
                        "offset must be non-negative and no greater than buffer length (%lld)",
                        (long long)len);
    len -= part->offset;
    if (part->count < 0 && len % size)
        return vm_raise(vm, EXC_ValueError, "buffer size must be a multiple of element size");
    if (part->count < 0) part->count = len / size;
    if (__builtin_mul_overflow(part->count, size, &bytes)) return array_too_big(vm);
    if (bytes > len) return vm_raise(vm, EXC_ValueError, "buffer is smaller than requested size");
    return ST_OK;
}

// Copies a part that cannot be viewed: misaligned elements, or bools that may be other than 0 or 1.
// The copy is unobservable, since neither it nor the bytes can be written.
static Status copied_part(Vm *vm, Value bytes, const Section *part, Value *out) {
    const char *from = bytes.bytes->data + part->offset;
    Status st = array_new(vm, part->dtype, 1, &part->count, ROOM_HOST, out);
    if (st != ST_OK) return st;
    Array *array = out->array;
    char *to = array_write(vm, array);
    if (part->dtype == DT_BOOL)
        for (int64_t i = 0; i < part->count; i++) to[i] = from[i] != 0;
    else
        memcpy(to, from, (size_t)part->count * dtype_size(part->dtype));
    array->base = retain(bytes);
    array->readonly = true;
    return ST_OK;
}

static Status part_of_bytes(Vm *vm, Value bytes, const Section *part, Value *out) {
    size_t own = dtype_size(dtype_real(part->dtype));
    if (part->dtype == DT_BOOL || (size_t)part->offset % own)
        return copied_part(vm, bytes, part, out);
    Value whole;
    Status st = array_over_bytes(vm, bytes, &whole);
    if (st != ST_OK) return st;
    View view;
    array_view(whole.array, &view);
    view.dtype = part->dtype;
    view.offset = part->offset;
    view.shape[0] = part->count;
    view.strides[0] = (int64_t)dtype_size(part->dtype);
    st = array_of_view(vm, &view, bytes, out);
    release(vm, whole);
    if (st == ST_OK) out->array->readonly = true;
    return st;
}

static Status part_of_array(Vm *vm, Value array, const Section *part, Value *out) {
    View view;
    array_view(array.array, &view);
    view.dtype = part->dtype;
    view.offset += part->offset;
    view.ndim = 1;
    view.shape[0] = part->count;
    view.strides[0] = (int64_t)dtype_size(part->dtype);
    return array_seen_as(vm, array, &view, out);
}

static Status from_array(Vm *vm, Value buffer, Section *part, Value *out) {
    Array *array = buffer.array;
    if (!array_is_in_order(array, ORDER_C))
        return vm_raise(vm, EXC_ValueError, "ndarray is not C-contiguous");
    int64_t len = array_size(array) * (int64_t)dtype_size(array->dtype);
    Status st = find_part(vm, len, part);
    return st == ST_OK ? part_of_array(vm, buffer, part, out) : st;
}

Status array_from_buffer(Vm *vm, const Value *args, Value *out) {
    Section part;
    Value bytes;
    Status st = dtype_from(vm, args[1], DT_FLOAT64, &part.dtype);
    if (st == ST_OK) st = seq_size_arg(vm, args[2], &part.count);
    if (st == ST_OK) st = seq_size_arg(vm, args[3], &part.offset);
    if (st != ST_OK) return st;
    if (args[0].kind == K_ARRAY) return from_array(vm, args[0], &part, out);
    st = unwrap(args[0]).kind == K_BYTEARRAY ? array_over_bytearray(vm, args[0], &bytes) : bytes_view(vm, args[0], &bytes);
    if (st == ST_OK) {
        st = from_array(vm, bytes, &part, out);
        release(vm, bytes);
    }
    if (st != ST_NOTIMPL) return st;
    st = bytes_need(vm, args[0], &bytes);
    if (st != ST_OK) return st;
    st = find_part(vm, (int64_t)bytes.bytes->len, &part);
    if (st == ST_OK) st = part_of_bytes(vm, bytes, &part, out);
    release(vm, bytes);
    return st;
}
