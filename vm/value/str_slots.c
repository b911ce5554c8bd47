// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Slots of str: operators, items, iteration, str(…).

#define _GNU_SOURCE
#include <string.h>

#include "vm/value/bytes.h"
#include "vm/value/codec.h"
#include "vm/value/format.h"
#include "vm/value/object.h"
#include "vm/value/seq_dunders.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str_impl.h"

// --- Operators ---------------------------------------------------------------------------------

static Status str_repeat(Vm *vm, Str *s, Value times, Value *out) {
    int64_t count;
    Status st = seq_repeat_count(vm, times, &count);
    if (st != ST_OK) return st;
    if (count == 1) return str_same(s, out);
    if (count == 0 || s->len == 0) return str_bytes_out(vm, "", 0, out);
    if (count > INT64_MAX / s->len)
        return vm_raise(vm, EXC_OverflowError, "repeated string is too long");
    Str *all = str_alloc(vm, s->len * (size_t)count);
    if (!all) return vm_no_memory(vm);
    memcpy(all->data, s->data, s->len);
    if (seq_fill(vm, all->data, s->len, all->len) != ST_OK) {
        release_obj(vm, all);
        return ST_ERROR;
    }
    all->chars = (uint32_t)(s->chars * (uint64_t)count);
    all->obj.aux = s->obj.aux & STR_ASCII;
    return str_out(vm, all, out);
}

static Status str_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    (void)in_place;
    if (op == BIN_ADD && a.kind == K_STR && b.kind == K_STR) {
        if (a.str->len == 0) return str_same(b.str, out);
        if (b.str->len == 0) return str_same(a.str, out);
        return str_out(vm, str_concat(vm, a.str, b.str), out);
    }
    if (op == BIN_MUL)
        return a.kind == K_STR ? str_repeat(vm, a.str, b, out) : str_repeat(vm, b.str, a, out);
    if (op == BIN_MOD && a.kind == K_STR) return format_percent(vm, a.str, b, out);
    return ST_NOTIMPL;
}

static bool order_holds(CompareOp op, int order) {
    switch (op) {
    case CMP_LT: return order < 0;
    case CMP_LE: return order <= 0;
    case CMP_GT: return order > 0;
    case CMP_GE: return order >= 0;
    case CMP_EQ: return order == 0;
    default: return order != 0;
    }
}

static Status str_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    (void)vm;
    if (a.kind != K_STR || b.kind != K_STR) return ST_NOTIMPL;
    if (op == CMP_EQ || op == CMP_NE)
        *out = v_bool(str_equal(a.str, b.str) == (op == CMP_EQ));
    else
        *out = v_bool(order_holds(op, str_cmp(a.str, b.str)));
    return ST_OK;
}

static Status str_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = self.str->len != 0;
    return ST_OK;
}

static Status str_hash_slot(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = str_hash(self.str);
    return ST_OK;
}

static Status str_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = self.str->chars;
    return ST_OK;
}

// --- Items -------------------------------------------------------------------------------------

static const char *skip_forward(const char *at, const char *end, int64_t chars) {
    for (; chars > 0 && at < end; chars--) at += utf8_width(*at);
    return at;
}

static const char *skip_back(const char *at, const char *begin, int64_t chars) {
    for (; chars > 0 && at > begin; chars--) at -= utf8_width_before(at);
    return at;
}

// Copies every step-th character from a position on, in either direction, in one pass over the text.
static Status stepped_slice(Vm *vm, Str *s, int64_t start, int64_t step, int64_t count,
                            Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    const char *at = s->data + str_offset(s, (size_t)start);
    bool ascii = str_is_ascii(s);
    for (int64_t i = 0; i < count; i++) {
        buf_put(&buf, at, (size_t)utf8_width(*at));
        if (i + 1 == count) break;
        if (ascii)
            at += step;
        else if (step > 0)
            at = skip_forward(at, str_end(s), step);
        else
            at = skip_back(at, s->data, -step);
    }
    return str_buf_out(vm, &buf, out);
}

static Status str_getslice(Vm *vm, Str *s, const Slice *slice, Value *out) {
    int64_t start, stop, step, count;
    Status st = slice_resolve(vm, slice, s->chars, &start, &stop, &step, &count);
    if (st != ST_OK) return st;
    if (step == 1)
        return str_out(vm, str_slice(vm, s, (size_t)start, (size_t)(start + count)), out);
    if (count == 0) return str_bytes_out(vm, "", 0, out);
    return stepped_slice(vm, s, start, step, count, out);
}

static Status str_key(Vm *vm, Value key, int64_t *out) {
    Status st = op_index(vm, key, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_TypeError)) return st;
    return vm_raise(vm, EXC_TypeError, "string indices must be integers, not '%s'",
                    type_name(vm, key));
}

static Status str_getitem(Vm *vm, Value self, Value key, Value *out) {
    Str *s = self.str;
    if (key.kind == K_SLICE) return str_getslice(vm, s, key.slice, out);
    int64_t index;
    Status st = str_key(vm, key, &index);
    if (st == ST_OK) st = seq_index(vm, &index, s->chars, "string");
    if (st != ST_OK) return st;
    const char *at = s->data + str_offset(s, (size_t)index);
    return str_bytes_out(vm, at, (size_t)utf8_width(*at), out);
}

static Status str_contains(Vm *vm, Value self, Value item, bool *out) {
    Str *s = self.str, *sub = str_of(item);
    if (!sub)
        return vm_raise(vm, EXC_TypeError,
                        "'in <string>' requires string as left operand, not %s",
                        type_name(vm, item));
    *out = memmem(s->data, s->len, sub->data, sub->len) != NULL;
    return ST_OK;
}

static Status str_iter(Vm *vm, Value self, Value *out) {
    Iter *it = iter_new(vm, ITER_STR, self);
    if (!it) return vm_no_memory(vm);
    *out = v_obj(it);
    return ST_OK;
}

// --- Text --------------------------------------------------------------------------------------

static Status str_repr_slot(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    str_repr(self.str, out);
    return ST_OK;
}

static Status str_str_slot(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    buf_put(out, self.str->data, self.str->len);
    return ST_OK;
}

static Status decoded(Vm *vm, Value object, const Str *encoding, const Str *errors, Value *out) {
    Value bytes;
    if (str_of(object)) return vm_raise(vm, EXC_TypeError, "decoding str is not supported");
    Status st = bytes_like(vm, object, &bytes);
    if (st == ST_NOTIMPL)
        return vm_raise(vm, EXC_TypeError,
                        "decoding to str: need a bytes-like object, %s found",
                        type_name(vm, object));
    if (st != ST_OK) return st;
    st = codec_decode(vm, bytes.bytes, encoding, errors, out);
    release(vm, bytes);
    return st;
}

static Status str_construct(Vm *vm, const Value *args, Value *out) {
    Value object = args[0];
    const Str *encoding, *errors;
    Status st = codec_names(vm, "str", args + 1, &encoding, &errors);
    if (st != ST_OK) return st;
    if (object.kind == K_UNDEF) return str_bytes_out(vm, "", 0, out);
    if (encoding || errors) return decoded(vm, object, encoding, errors, out);
    return op_str_value(vm, object, out);
}

static const NativeDef construct_row = {"str", "object=?, encoding=?, errors=?", str_construct,
                                        "str_slow", PURE};

static const NativeDef methods[] = {
#define METHOD(name, signature, slow) {#name, signature, str_m_##name, slow, PURE},
#include "vm/value/str_methods.def"
#undef METHOD
#define WITH_HASH
#define WITH_ORDER
#define WITH_TEXT
#define DUNDER DUNDER_ROW
#include "vm/value/seq_dunders.def"
    {"__format__", "self, format_spec, /", format_method, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

const TypeSlots kind_STR = {
    .size = str_block_size,
    .binary = str_binary,
    .compare = str_compare,
    .truth = str_truth,
    .hash = str_hash_slot,
    .len = str_len,
    .getitem = str_getitem,
    .contains = str_contains,
    .iter = str_iter,
    .repr = str_repr_slot,
    .str = str_str_slot,
    .construct = &construct_row,
    .methods = methods,
};
