// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// int.from_bytes and int.to_bytes. A negative number's bytes are those of ~n, with all bits inverted.

#include <string.h>

#include "vm/value/bytes.h"
#include "vm/value/effects.h"
#include "vm/value/int.h"
#include "vm/value/num.h"
#include "vm/value/num_methods.h"
#include "vm/value/ops.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str_impl.h"

enum { DIGIT_BYTES = INT_DIGIT_BITS / 8 }; // whole ones

static Status order_arg(Vm *vm, const char *method, Value v, bool *little) {
    const Str *order = str_of(v);
    if (!order)
        return vm_raise(vm, EXC_TypeError, "%s() argument 'byteorder' must be str, not %s", method,
                        argument_type_name(vm, v));
    *little = str_is(order, "little");
    if (*little || str_is(order, "big")) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "byteorder must be either 'little' or 'big'");
}

// --- from_bytes --------------------------------------------------------------------------------

// Computes the number n that the bytes represent; for `negative`, ~n, from the inverted bits.
static Status read_digits(Vm *vm, const Bytes *bytes, bool little, bool negative, Value *out) {
    size_t len = bytes->len, used = len / DIGIT_BYTES + 2, room = used * sizeof(uint64_t);
    Status st = len > INT32_MAX ? vm_no_memory(vm) : int_check_size(vm, 8 * (int64_t)len);
    if (st != ST_OK) return st;
    uint64_t *digits = mem_zalloc(&vm->mem, room);
    if (!digits) return vm_no_memory(vm);
    for (size_t i = 0; i < len && st == ST_OK; i++) {
        st = vm_poll_at(vm, i);
        uint64_t byte = (unsigned char)bytes->data[little ? i : len - 1 - i];
        if (negative) byte ^= 0xFF;
        size_t place = 8 * i / INT_DIGIT_BITS, shift = 8 * i % INT_DIGIT_BITS;
        digits[place] |= byte << shift & INT_DIGIT_MASK;
        if (shift + 8 > INT_DIGIT_BITS) digits[place + 1] |= byte >> (INT_DIGIT_BITS - shift);
    }
    if (st == ST_OK) st = int_from_magnitude(vm, digits, (int)used, false, out);
    mem_free(&vm->mem, digits, room);
    return st;
}

static Status read_bytes(Vm *vm, const Bytes *bytes, bool little, bool negative, Value *out) {
    Value v;
    if (!negative) return read_digits(vm, bytes, little, false, out);
    Status st = read_digits(vm, bytes, little, true, &v);
    if (st != ST_OK) return st;
    st = num_unary(vm, UN_INVERT, v, out);
    release(vm, v);
    return st;
}

// Computes bytes(v), but refuses ints and str.
static Status take_bytes(Vm *vm, Value v, Value *out) {
    Value x = unwrap(v);
    if (bytes_of(v)) return bytes_like(vm, v, out);
    if (is_int(x) || x.kind == K_STR || x.kind == K_NONE)
        return vm_raise(vm, EXC_TypeError, "cannot convert '%s' object to bytes", type_name(vm, v));
    if (op_user_method(vm, v, NAME_bytes)) return ST_DEFER;
    const Value args[3] = {v, V_UNDEF, V_UNDEF};
    return native_run(vm, kind_BYTES.construct, args, out);
}

Status int_from_bytes(Vm *vm, const Value *args, Value *out) {
    bool little, is_signed;
    Value bytes, made;
    Status st = order_arg(vm, "from_bytes", args[2], &little);
    if (st == ST_OK) st = op_truth(vm, args[3], &is_signed);
    if (st == ST_OK) st = take_bytes(vm, args[1], &bytes);
    if (st != ST_OK) return st;
    size_t len = bytes.bytes->len;
    bool negative = is_signed && len && bytes.bytes->data[little ? len - 1 : 0] & 0x80;
    st = read_bytes(vm, bytes.bytes, little, negative, &made);
    release(vm, bytes);
    return st == ST_OK ? class_wrap(vm, args[0], made, out) : st;
}

// --- to_bytes ----------------------------------------------------------------------------------

// Writes n (not negative, and it fits) into the bytes, with all bits inverted for `negative`.
static void write_bytes(Value n, bool little, bool negative, Bytes *bytes) {
    IntView view;
    int_view(n, &view);
    for (size_t i = 0; i < bytes->len; i++) {
        size_t place = 8 * i / INT_DIGIT_BITS, shift = 8 * i % INT_DIGIT_BITS;
        uint64_t byte = place < (size_t)view.used ? view.digits[place] >> shift : 0;
        if (shift + 8 > INT_DIGIT_BITS && place + 1 < (size_t)view.used)
            byte |= view.digits[place + 1] << (INT_DIGIT_BITS - shift);
        bytes->data[little ? i : bytes->len - 1 - i] = (char)(negative ? ~byte : byte);
    }
}

// Checks that the bits of n, and one for the sign where there is one, fit into `len` bytes. OverflowError: they do not.
static Status fits(Vm *vm, Value n, int64_t len, bool is_signed, bool negative) {
    int64_t bits = int_bits(n), room = len > INT64_MAX / 8 ? INT64_MAX : 8 * len;
    if (len == 0 && bits == 0) return ST_OK;
    if (bits <= room - (is_signed || negative)) return ST_OK;
    return vm_raise(vm, EXC_OverflowError, "int too big to convert");
}

static Status to_bytes(Vm *vm, Value n, int64_t len, bool little, bool is_signed, bool negative,
                       Value *out) {
    if (fits(vm, n, len, is_signed, negative) != ST_OK) return ST_ERROR;
    Bytes *bytes = bytes_alloc(vm, (size_t)len);
    if (bytes) write_bytes(n, little, negative, bytes);
    return bytes_out(vm, bytes, out);
}

Status int_to_bytes(Vm *vm, const Value *args, Value *out) {
    Value self = unwrap(args[0]), n;
    int64_t len;
    bool little, is_signed;
    Status st = seq_size_arg(vm, args[1], &len);
    if (st == ST_OK) st = order_arg(vm, "to_bytes", args[2], &little);
    if (st == ST_OK) st = op_truth(vm, args[3], &is_signed);
    if (st != ST_OK) return st;
    if (len < 0) return vm_raise(vm, EXC_ValueError, "length argument must be non-negative");
    if (int_sign(self) >= 0) return to_bytes(vm, self, len, little, is_signed, false, out);
    if (!is_signed)
        return vm_raise(vm, EXC_OverflowError, "can't convert negative int to unsigned");
    st = num_unary(vm, UN_INVERT, self, &n);
    if (st != ST_OK) return st;
    st = to_bytes(vm, n, len, little, is_signed, true, out);
    release(vm, n);
    return st;
}
