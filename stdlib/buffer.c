// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Access to the memory of values that natives write into.

#include "stdlib/buffer.h"

#include "vm/array/array.h"
#include "vm/value/bytearray.h"

Status buffer_for_writing(Vm *vm, Value v, MutableBuffer *out) {
    Value inner = unwrap(v);
    if (inner.kind == K_BYTEARRAY) {
        out->len = (int64_t)inner.bytearray->bytes->len;
        out->at = bytearray_write(vm, inner.bytearray, (size_t)out->len);
        return out->at ? ST_OK : ST_ERROR;
    }
    Value shown;
    Status st = bytes_view(vm, v, &shown);
    if (st == ST_ERROR) return st;
    if (st == ST_OK) {
        inner = shown;
        release(vm, shown); // the memoryview v still holds a reference to it
    }
    if (inner.kind != K_ARRAY || inner.array->readonly)
        return vm_raise(vm, EXC_TypeError, "argument must be read-write bytes-like object, not %s",
                        type_name(vm, v));
    if (!array_is_contiguous(inner.array))
        return vm_raise(vm, EXC_ValueError, "ndarray is not C-contiguous");
    out->len = array_size(inner.array) * (int64_t)dtype_size(inner.array->dtype);
    out->at = array_write(vm, inner.array);
    return out->at ? ST_OK : ST_ERROR;
}
