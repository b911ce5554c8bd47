// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bytes: memory, conversion of bytes-like objects, repr, arguments of methods.

#include "vm/value/bytes.h"

#include <string.h>

#include "vm/value/bytes_impl.h"
#include "vm/value/effects.h"

// --- Memory ------------------------------------------------------------------------------------

static const size_t longest = INT64_MAX - sizeof(Bytes) - 1;

static size_t block_of(size_t len) {
    return sizeof(Bytes) + len + 1;
}

size_t bytes_block_size(const Obj *obj) {
    const Bytes *bytes = (const Bytes *)obj;
    return block_of(bytes->len + bytes->spare);
}

// Does not use obj_new, which would clear bytes that the caller is about to write.
Bytes *bytes_alloc(Vm *vm, size_t len) {
    Bytes *bytes = len > longest ? NULL : mem_alloc(&vm->mem, block_of(len));
    if (!bytes) return NULL;
    bytes->obj = (Obj){.refs = 1, .kind = K_BYTES};
    bytes->len = len;
    bytes->hash = 0;
    bytes->spare = 0;
    bytes->data[len] = '\0';
    return bytes;
}

Bytes *bytes_new(Vm *vm, const char *data, size_t len) {
    Bytes *bytes = bytes_alloc(vm, len);
    if (bytes && len) memcpy(bytes->data, data, len);
    return bytes;
}

Bytes *bytes_from_buf(Vm *vm, Buf *buf) {
    Bytes *bytes = buf->failed ? NULL : bytes_new(vm, buf->data, buf->len);
    buf_free(buf);
    return bytes;
}

Status bytes_out(Vm *vm, Bytes *bytes, Value *out) {
    if (!bytes) return vm_no_memory(vm);
    *out = v_obj(bytes);
    return ST_OK;
}

Status bytes_buf_out(Vm *vm, Buf *buf, Value *out) {
    return bytes_out(vm, bytes_from_buf(vm, buf), out);
}

// --- Bytes-like objects ------------------------------------------------------------------------

// A memoryview has an attribute with an array over its memory, which is None when the view has been released.
Status bytes_view(Vm *vm, Value v, Value *array) {
    Status st = v.kind == K_INSTANCE ? instance_get(vm, v.inst, vm_name(vm, NAME_memory), array) : ST_STOP;
    if (st != ST_OK) return st == ST_STOP ? ST_NOTIMPL : st;
    if (array->kind == K_ARRAY) return ST_OK;
    bool released = array->kind == K_NONE;
    release(vm, *array);
    return released ? vm_raise(vm, EXC_ValueError, "operation forbidden on released memoryview object") : ST_NOTIMPL;
}

static Status bytes_of_view(Vm *vm, Value v, Value *out) {
    Value array;
    Status st = bytes_view(vm, v, &array);
    if (st != ST_OK) return st;
    st = bytes_like(vm, array, out);
    release(vm, array);
    return st;
}

// Arrays and NumPy scalars copy their memory out by their method `tobytes`.
Status bytes_like(Vm *vm, Value v, Value *out) {
    Bytes *bytes = bytes_of(v);
    if (bytes) return bytes_same(vm, bytes, out);
    if (v.kind == K_INSTANCE) return bytes_of_view(vm, v, out);
    if (v.kind != K_ARRAY && !is_numpy_scalar(v)) return ST_NOTIMPL;
    Value method = class_lookup(class_of(vm, v), vm_name(vm, NAME_tobytes));
    if (method.kind != K_NATIVE) return ST_NOTIMPL;
    const Value args[2] = {v, V_NONE};
    return native_run(vm, method.native->def, args, out);
}

Status bytes_need(Vm *vm, Value v, Value *out) {
    Status st = bytes_like(vm, v, out);
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError, "a bytes-like object is required, not '%s'", type_name(vm, v));
}

// --- repr --------------------------------------------------------------------------------------

static bool needs_care(signed char c, char quote) {
    return c < ' ' || c == 127 || c == quote || c == '\\'; // c is signed, so bytes that are not ASCII are < ' '
}

static void put_escaped(Buf *out, unsigned char c, char quote) {
    switch (c) {
    case '\n': buf_puts(out, "\\n"); return;
    case '\r': buf_puts(out, "\\r"); return;
    case '\t': buf_puts(out, "\\t"); return;
    default: break;
    }
    if (c == (unsigned char)quote || c == '\\') {
        const char pair[2] = {'\\', (char)c};
        buf_put(out, pair, sizeof pair);
    } else {
        const char hex[4] = {'\\', 'x', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};
        buf_put(out, hex, sizeof hex);
    }
}

// Uses single quotes, unless the bytes contain single quotes and no double ones.
void bytes_repr(const Bytes *bytes, Buf *out) {
    bool single = memchr(bytes->data, '\'', bytes->len) != NULL;
    char quote = single && !memchr(bytes->data, '"', bytes->len) ? '"' : '\'';
    const char open[2] = {'b', quote};
    buf_put(out, open, sizeof open);
    const char *end = bytes->data + bytes->len;
    for (const char *at = bytes->data; at < end && !out->failed;) {
        const char *plain = at;
        while (at < end && !needs_care((signed char)*at, quote)) at++;
        buf_put(out, plain, (size_t)(at - plain));
        if (at < end) put_escaped(out, (unsigned char)*at++, quote);
    }
    buf_putc(out, quote);
}

// --- Arguments ---------------------------------------------------------------------------------

Status bytes_arg(Vm *vm, Value v, Run *out) {
    const Bytes *bytes = bytes_of(v);
    if (!bytes)
        return vm_raise(vm, EXC_TypeError, "a bytes-like object is required, not '%s'",
                        type_name(vm, v));
    *out = run_of(bytes);
    return ST_OK;
}

static Status out_of_range(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "byte must be in range(0, 256)");
}

Status bytes_arg_byte(Vm *vm, Value v, unsigned char *out) {
    int64_t byte;
    Status st = op_index(vm, v, &byte);
    if (st == ST_ERROR && vm_error_is(vm, EXC_IndexError)) return out_of_range(vm); // a big int
    if (st != ST_OK) return st;
    if (byte < 0 || byte > 255) return out_of_range(vm);
    *out = (unsigned char)byte;
    return ST_OK;
}

Status bytes_arg_or_byte(Vm *vm, Value v, char *room, Run *out) {
    if (bytes_of(v)) return bytes_arg(vm, v, out);
    unsigned char byte;
    Status st = bytes_arg_byte(vm, v, &byte);
    if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
        return vm_raise(vm, EXC_TypeError,
                        "argument should be integer or bytes-like object, not '%s'",
                        type_name(vm, v));
    if (st != ST_OK) return st;
    *room = (char)byte;
    *out = (Run){room, 1};
    return ST_OK;
}
