// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _binascii: base 64 (RFC 4648). binascii.ncr has the other encodings.

#include <string.h>

#include "stdlib/own_error.h"
#include "stdlib/stdlib.h"
#include "vm/value/bytes.h"
#include "vm/value/ops.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#define raise_error(vm, ...) own_error(vm, "_binascii", "Error", __VA_ARGS__)

// b2a_base64(data, newline): encodes bytes, and appends "\n" if newline is true.
static Status fn_encode(Vm *vm, const Value *args, Value *out) {
    Value owner;
    bool newline;
    Status st = op_truth(vm, args[1], &newline);
    if (st == ST_OK) st = bytes_need(vm, args[0], &owner);
    if (st != ST_OK) return st;
    size_t len = owner.bytes->len, groups = (len + 2) / 3;
    const unsigned char *at = (const unsigned char *)owner.bytes->data;
    Bytes *made = len / 3 > SIZE_MAX / 8 ? NULL : bytes_alloc(vm, groups * 4 + newline);
    char *to = made ? made->data : NULL;
    for (size_t i = 0; made && i < groups; i++, at += 3, to += 4) {
        size_t left = len - 3 * i;
        uint32_t bits =
            (uint32_t)at[0] << 16 | (left > 1 ? (uint32_t)at[1] << 8 : 0) | (left > 2 ? at[2] : 0);
        to[0] = letters[bits >> 18];
        to[1] = letters[bits >> 12 & 63];
        to[2] = left > 1 ? letters[bits >> 6 & 63] : '=';
        to[3] = left > 2 ? letters[bits & 63] : '=';
    }
    if (made && newline) *to = '\n';
    release(vm, owner);
    return bytes_out(vm, made, out);
}

typedef struct Decoder {
    unsigned char *to;
    uint32_t kept; // bits of the letters read so far of this group of four
    int letters;   // number of letters read of this group, 0 … 3
    int pads;
    bool strict;
} Decoder;

static void decoder_table(signed char *table) {
    memset(table, -1, 256);
    for (int i = 0; i < 64; i++) table[(unsigned char)letters[i]] = (signed char)i;
}

static void take_letter(Decoder *d, int value) {
    d->kept = (d->kept << 6 | (uint32_t)value) & 0xffffff;
    d->pads = 0;
    if (d->letters > 0) *d->to++ = (unsigned char)(d->kept >> (6 - 2 * d->letters));
    d->letters = (d->letters + 1) & 3;
}

// Decodes base 64. Characters outside the alphabet are skipped, or an error in strict mode.
static Status decode(Vm *vm, Decoder *d, const unsigned char *at, size_t len) {
    signed char table[256];
    const unsigned char *start = d->to;
    decoder_table(table);
    if (d->strict && len > 0 && at[0] == '=') return raise_error(vm, "Leading padding not allowed");
    bool padding = false;
    for (size_t i = 0; i < len; i++) {
        if (at[i] == '=') {
            padding = true;
            if (d->letters < 2 || d->letters + ++d->pads < 4) continue;
            if (d->strict && i + 1 < len) return raise_error(vm, "Excess data after padding");
            return ST_OK;
        }
        int value = table[at[i]];
        if (value < 0 && d->strict) return raise_error(vm, "Only base64 data is allowed");
        if (value < 0) continue;
        if (padding && d->strict) return raise_error(vm, "Discontinuous padding not allowed");
        take_letter(d, value);
    }
    if (d->letters == 1)
        return raise_error(
            vm,
            "Invalid base64-encoded string: number of data characters (%zu) cannot be "
            "1 more than a multiple of 4",
            (size_t)(d->to - start) / 3 * 4 + 1);
    return d->letters ? raise_error(vm, "Incorrect padding") : ST_OK;
}

// a2b_base64(bytes, strict): decodes bytes.
static Status fn_decode(Vm *vm, const Value *args, Value *out) {
    const Bytes *from = bytes_of(args[0]);
    bool strict;
    Status st = op_truth(vm, args[1], &strict);
    if (st != ST_OK) return st;
    if (!from) return vm_raise(vm, EXC_TypeError, "bytes are needed");
    size_t room = from->len / 4 * 3 + 3;
    unsigned char *to = mem_alloc(&vm->mem, room);
    if (!to) return vm_no_memory(vm);
    Decoder d = {.to = to, .strict = strict};
    st = decode(vm, &d, (const unsigned char *)from->data, from->len);
    if (st == ST_OK) st = bytes_out(vm, bytes_new(vm, (const char *)to, (size_t)(d.to - to)), out);
    mem_free(&vm->mem, to, room);
    return st;
}

const NativeDef binascii_functions[] = {
    {"b2a_base64", "data, newline, /", fn_encode, NULL, PURE},
    {"a2b_base64", "data, strict, /", fn_decode, NULL, PURE},
    {0},
};

Status binascii_init(Vm *vm, Module *module) {
    return own_error_init(vm, module, "Error", "binascii", EXC_ValueError);
}
