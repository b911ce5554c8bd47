// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bytearrays: memory, items, operators, and the methods that bytes lack.

#include "vm/value/bytearray.h"

#include <string.h>

#include "vm/value/bytes_impl.h"
#include "vm/value/effects.h"
#include "vm/value/list.h"
#include "vm/value/object.h"
#include "vm/value/seq_dunders.h"
#include "vm/value/str_impl.h"

// --- Memory ------------------------------------------------------------------------------------

static void bytearray_drop(Vm *vm, Obj *obj) {
    release_obj(vm, ((ByteArray *)obj)->bytes);
}

static size_t bytearray_size(const Obj *obj) {
    (void)obj;
    return sizeof(ByteArray);
}

Status bytearray_out(Vm *vm, Bytes *bytes, Value *out) {
    ByteArray *array = bytes ? obj_new(vm, K_BYTEARRAY, sizeof *array) : NULL;
    if (!array) {
        release_obj(vm, bytes);
        return vm_no_memory(vm);
    }
    array->bytes = bytes;
    array->lent = NULL;
    *out = v_obj(array);
    return ST_OK;
}

static Status bytearray_fixed(Vm *vm) {
    return vm_raise(vm, EXC_BufferError, "Existing exports of data: object cannot be re-sized");
}

char *bytearray_write(Vm *vm, ByteArray *array, size_t len) {
    Bytes *old = array->bytes;
    if (array->lent) {
        if (len != old->len) bytearray_fixed(vm);
        return len == old->len && array->settle(vm, array->lent) ? old->data : NULL;
    }
    size_t room = old->len + old->spare;
    if (old->obj.refs == 1 && len <= room && len >= room / 4) {
        old->len = len;
        old->spare = room - len;
        old->hash = 0;
        old->data[len] = '\0';
        return old->data;
    }
    // Grows by more than is asked for, so that appending byte by byte takes linear time in all.
    size_t want = len > old->len ? len + len / 8 + 8 : len;
    Bytes *fresh = bytes_alloc(vm, want);
    if (!fresh && want > len) fresh = bytes_alloc(vm, want = len);
    if (!fresh) {
        vm_no_memory(vm);
        return NULL;
    }
    memcpy(fresh->data, old->data, old->len < len ? old->len : len);
    fresh->len = len;
    fresh->spare = want - len;
    fresh->data[len] = '\0';
    array->bytes = fresh;
    release_obj(vm, old);
    return fresh->data;
}

static ByteArray *self_array(const Value *args) {
    return unwrap(args[0]).bytearray;
}

static Status bytearray_no_room(Vm *vm) {
    return vm_raise(vm, EXC_OverflowError, "cannot add more objects to bytearray");
}

// Replaces `count` bytes at `start` by those at `fresh`, which the caller holds.
static Status splice(Vm *vm, ByteArray *array, size_t start, size_t count, const char *fresh,
                     size_t fresh_len) {
    size_t len = array->bytes->len, tail = len - start - count, total;
    if (__builtin_add_overflow(len - count, fresh_len, &total)) return bytearray_no_room(vm);
    if (array->lent && fresh_len != count) return bytearray_fixed(vm);
    if (fresh_len < count) { // moves the tail before the array shrinks
        char *data = bytearray_write(vm, array, len);
        if (!data) return ST_ERROR;
        memmove(data + start + fresh_len, data + start + count, tail);
    }
    char *data = bytearray_write(vm, array, total);
    if (!data) return ST_ERROR;
    if (fresh_len > count) memmove(data + start + fresh_len, data + start + count, tail);
    if (fresh_len) memcpy(data + start, fresh, fresh_len);
    return ST_OK;
}

// --- bytearray(…) ------------------------------------------------------------------------------

static Status construct(Vm *vm, const Value *args, Value *out) {
    Value made, it;
    Status st = native_run(vm, &bytes_construct_row, args, &made);
    if (st == ST_OK) return bytearray_out(vm, made.bytes, out);
    if (st == ST_ERROR && vm_error_is(vm, EXC_ValueError) && !is_int(unwrap(args[0])) &&
        !str_of(args[0]))
        return vm_raise(vm, EXC_ValueError, "byte must be in range(0, 256)");
    if (st != ST_ERROR || !vm_error_is(vm, EXC_TypeError) || str_of(args[0])) return st;
    Value kept = vm->error; // kept if the argument is iterable: the error is about an item
    vm->error = V_UNDEF;
    Status iterable = op_iter(vm, args[0], &it);
    if (iterable == ST_OK) release(vm, it);
    bool not_iterable = iterable == ST_ERROR && args[1].kind == K_UNDEF && args[2].kind == K_UNDEF;
    vm_clear_error(vm);
    vm->error = kept;
    if (!not_iterable) return ST_ERROR;
    return vm_raise(vm, EXC_TypeError, "cannot convert '%s' object to bytearray",
                    type_name(vm, args[0]));
}

static const NativeDef construct_row = {"bytearray", "source=?, encoding=?, errors=?", construct,
                                        "bytearray_slow", PURE};

// --- Items -------------------------------------------------------------------------------------

static Status item_index(Vm *vm, const ByteArray *array, Value key, int64_t *index) {
    Status st = seq_key(vm, key, "bytearray", index);
    if (st != ST_OK) return st;
    if (*index < 0) *index += (int64_t)array->bytes->len;
    if (*index >= 0 && (size_t)*index < array->bytes->len) return ST_OK;
    return vm_raise(vm, EXC_IndexError, "bytearray index out of range");
}

static Status bytearray_getitem(Vm *vm, Value self, Value key, Value *out) {
    Bytes *bytes = self.bytearray->bytes;
    int64_t index;
    if (key.kind == K_SLICE) {
        Value part, held = retain(v_obj(bytes)); // a bound may be an object that changes the array
        Status st = kind_BYTES.getitem(vm, held, key, &part);
        release(vm, held);
        return st == ST_OK ? bytearray_out(vm, part.bytes, out) : st;
    }
    Status st = item_index(vm, self.bytearray, key, &index);
    if (st == ST_OK) *out = v_int((unsigned char)self.bytearray->bytes->data[index]);
    return st;
}

// Converts what is assigned to a slice or added: the bytes of a bytes-like object, or the ints of an iterable.
static Status fresh_bytes(Vm *vm, Value v, Value *out) {
    Status st = bytes_like(vm, v, out);
    if (st != ST_NOTIMPL) return st;
    Value inner = unwrap(v);
    if (is_int(inner) || inner.kind == K_FLOAT || inner.kind == K_NONE)
        return vm_raise(vm, EXC_TypeError,
                        "can assign only bytes, buffers, or iterables of ints in range(0, 256)");
    return native_run(vm, &bytes_construct_row, (const Value[]){v, V_UNDEF, V_UNDEF}, out);
}

// Resolves a slice. RuntimeError: a bound was an object whose code has changed the array's size.
static Status resolve(Vm *vm, const ByteArray *array, const Slice *slice, int64_t *start,
                      int64_t *step, int64_t *count) {
    size_t len = array->bytes->len;
    int64_t stop;
    Status st = slice_resolve(vm, slice, (int64_t)len, start, &stop, step, count);
    if (st == ST_OK && array->bytes->len != len)
        return vm_raise(vm, EXC_RuntimeError, "bytearray changed size while a bound was asked for");
    return st;
}

static Status set_slice(Vm *vm, ByteArray *array, const Slice *slice, Value value) {
    int64_t start, step, count;
    Value fresh;
    Status st = fresh_bytes(vm, value, &fresh);
    if (st != ST_OK) return st;
    const Bytes *from = fresh.bytes;
    st = resolve(vm, array, slice, &start, &step, &count);
    if (st == ST_OK && step == 1)
        st = splice(vm, array, (size_t)start, (size_t)count, from->data, from->len);
    else if (st == ST_OK && (int64_t)from->len != count)
        st = vm_raise(vm, EXC_ValueError,
                      "attempt to assign bytes of size %zu to extended slice of size %lld",
                      from->len, (long long)count);
    else if (st == ST_OK) {
        char *data = bytearray_write(vm, array, array->bytes->len);
        if (!data) st = ST_ERROR;
        for (int64_t i = 0; st == ST_OK && i < count; i++) data[start + i * step] = from->data[i];
    }
    release(vm, fresh);
    return st;
}

static Status bytearray_setitem(Vm *vm, Value self, Value key, Value value) {
    ByteArray *array = self.bytearray;
    int64_t index;
    unsigned char byte;
    if (key.kind == K_SLICE) return set_slice(vm, array, key.slice, value);
    Status st = item_index(vm, array, key, &index);
    if (st == ST_OK) st = bytes_arg_byte(vm, value, &byte);
    if (st == ST_OK)
        st = item_index(vm, array, v_int(index), &index); // the conversion may have changed its length
    if (st != ST_OK) return st;
    char *data = bytearray_write(vm, array, array->bytes->len);
    if (!data) return ST_ERROR;
    data[index] = (char)byte;
    return ST_OK;
}

static Status delete_slice(Vm *vm, ByteArray *array, const Slice *slice) {
    int64_t start, step, count;
    Status st = resolve(vm, array, slice, &start, &step, &count);
    size_t len = array->bytes->len;
    if (st != ST_OK || count == 0) return st;
    if (array->lent) return bytearray_fixed(vm);
    if (step == 1) return splice(vm, array, (size_t)start, (size_t)count, NULL, 0);
    if (step < 0) {
        start += (count - 1) * step;
        step = -step;
    }
    char *data = bytearray_write(vm, array, len);
    if (!data) return ST_ERROR;
    size_t put = (size_t)start;
    for (size_t i = put, next = put, left = (size_t)count; i < len; i++) {
        if (left && i == next) {
            next += (size_t)step;
            left--;
        } else
            data[put++] = data[i];
    }
    return bytearray_write(vm, array, put) ? ST_OK : ST_ERROR;
}

static Status bytearray_delitem(Vm *vm, Value self, Value key) {
    int64_t index;
    if (key.kind == K_SLICE) return delete_slice(vm, self.bytearray, key.slice);
    Status st = item_index(vm, self.bytearray, key, &index);
    return st == ST_OK ? splice(vm, self.bytearray, (size_t)index, 1, NULL, 0) : st;
}

// --- Operators ---------------------------------------------------------------------------------

// Returns a bytearray's bytes, any other value itself.
static Value inner_of(Value v) {
    return v.kind == K_BYTEARRAY ? v_obj(v.bytearray->bytes) : v;
}

static Status concat_in_place(Vm *vm, Value a, Value b, Value *out) {
    Value fresh;
    Status st = bytes_like(vm, b, &fresh);
    if (st != ST_OK) return st; // ST_NOTIMPL: the operator raises the error
    st = splice(vm, a.bytearray, a.bytearray->bytes->len, 0, fresh.bytes->data, fresh.bytes->len);
    release(vm, fresh);
    if (st == ST_OK) *out = retain(a);
    return st;
}

static Status bytearray_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    if (op == BIN_ADD && in_place && a.kind == K_BYTEARRAY) return concat_in_place(vm, a, b, out);
    if (op == BIN_MOD && a.kind == K_BYTEARRAY) return ST_DEFER;
    if (op != BIN_ADD && op != BIN_MUL) return ST_NOTIMPL;
    Value made, other = V_UNDEF, x = inner_of(a), y = inner_of(b);
    Status st = op == BIN_ADD && y.kind != K_BYTES ? bytes_like(vm, b, &other) : ST_NOTIMPL;
    if (st != ST_OK && st != ST_NOTIMPL) return st;
    if (st == ST_OK) y = other;
    st = kind_BYTES.binary(vm, op, false, x, y, &made);
    release(vm, other);
    if (st != ST_OK) return st;
    if (op == BIN_ADD && a.kind == K_BYTES) { // the result has the kind of the left operand
        *out = made;
        return ST_OK;
    }
    if (!in_place || a.kind != K_BYTEARRAY) return bytearray_out(vm, made.bytes, out);
    Bytes *old = a.bytearray->bytes;
    if (a.bytearray->lent) { // splice allows the same length only
        Bytes *fresh = made.bytes;
        st = splice(vm, a.bytearray, 0, old->len, fresh->data, fresh->len);
        release(vm, made);
        if (st == ST_OK) *out = retain(a);
        return st;
    }
    a.bytearray->bytes = made.bytes;
    release_obj(vm, old);
    *out = retain(a);
    return ST_OK;
}

static Status bytearray_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    return kind_BYTES.compare(vm, op, inner_of(a), inner_of(b), out);
}

static Status bytearray_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = self.bytearray->bytes->len != 0;
    return ST_OK;
}

static Status bytearray_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = (int64_t)self.bytearray->bytes->len;
    return ST_OK;
}

static Status bytearray_contains(Vm *vm, Value self, Value item, bool *out) {
    Value held = retain(inner_of(self));
    Status st = kind_BYTES.contains(vm, held, item, out);
    release(vm, held);
    return st;
}

// As in CPython, a single quote is escaped between double quotes, too.
static Status bytearray_repr(Vm *vm, Value self, Buf *out, int depth) {
    Buf plain;
    (void)depth;
    buf_init(&plain, &vm->mem);
    bytes_repr(self.bytearray->bytes, &plain);
    bool escape = !plain.failed && plain.data[1] == '"';
    buf_puts(out, "bytearray(");
    for (size_t i = 0; !plain.failed && i < plain.len; i++) {
        if (escape && plain.data[i] == '\'') buf_putc(out, '\\');
        buf_putc(out, plain.data[i]);
    }
    buf_putc(out, ')');
    if (plain.failed) out->failed = true;
    buf_free(&plain);
    return ST_OK;
}

// --- Own methods -------------------------------------------------------------------------------

static Status m_append(Vm *vm, const Value *args, Value *out) {
    ByteArray *array = self_array(args);
    unsigned char byte;
    Status st = bytes_arg_byte(vm, args[1], &byte);
    if (st != ST_OK) return st;
    size_t len = array->bytes->len;
    char *data = bytearray_write(vm, array, len + 1);
    if (!data) return ST_ERROR;
    data[len] = (char)byte;
    *out = V_NONE;
    return ST_OK;
}

static Status m_clear(Vm *vm, const Value *args, Value *out) {
    *out = V_NONE;
    return bytearray_write(vm, self_array(args), 0) ? ST_OK : ST_ERROR;
}

static Status m_copy(Vm *vm, const Value *args, Value *out) {
    Value bytes;
    Status st = bytes_same(vm, self_array(args)->bytes, &bytes);
    return st == ST_OK ? bytearray_out(vm, bytes.bytes, out) : st;
}

static Status m_extend(Vm *vm, const Value *args, Value *out) {
    ByteArray *array = self_array(args);
    Value fresh, it;
    if (str_of(args[1]))
        return vm_raise(vm, EXC_TypeError, "'str' object cannot be interpreted as an integer");
    Status st = bytes_like(vm, args[1], &fresh);
    if (st == ST_NOTIMPL) {
        st = op_iter(vm, args[1], &it);
        if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
            return vm_raise(vm, EXC_TypeError, "can't extend bytearray with %s",
                            type_name(vm, args[1]));
        if (st != ST_OK) return st;
        release(vm, it);
        st = native_run(vm, &bytes_construct_row, (const Value[]){args[1], V_UNDEF, V_UNDEF}, &fresh);
        if (st == ST_ERROR && vm_error_is(vm, EXC_ValueError))
            return vm_raise(vm, EXC_ValueError, "byte must be in range(0, 256)");
    }
    if (st != ST_OK) return st;
    st = splice(vm, array, array->bytes->len, 0, fresh.bytes->data, fresh.bytes->len);
    release(vm, fresh);
    *out = V_NONE;
    return st;
}

static Status m_insert(Vm *vm, const Value *args, Value *out) {
    ByteArray *array = self_array(args);
    int64_t at;
    unsigned char byte;
    Status st = seq_size_arg(vm, args[1], &at);
    if (st == ST_OK) st = bytes_arg_byte(vm, args[2], &byte);
    if (st != ST_OK) return st;
    *out = V_NONE;
    return splice(vm, array, (size_t)seq_clamp(at, (int64_t)array->bytes->len), 0,
                  (const char *)&byte, 1);
}

static Status m_pop(Vm *vm, const Value *args, Value *out) {
    ByteArray *array = self_array(args);
    int64_t at;
    Status st = seq_size_arg(vm, args[1], &at);
    if (st != ST_OK) return st;
    int64_t len = (int64_t)array->bytes->len;
    if (len == 0) return vm_raise(vm, EXC_IndexError, "pop from empty bytearray");
    if (at < 0) at += len;
    if (at < 0 || at >= len) return vm_raise(vm, EXC_IndexError, "pop index out of range");
    unsigned char byte = (unsigned char)array->bytes->data[at];
    *out = v_int(byte);
    return splice(vm, array, (size_t)at, 1, NULL, 0);
}

static Status m_remove(Vm *vm, const Value *args, Value *out) {
    ByteArray *array = self_array(args);
    unsigned char byte;
    Status st = bytes_arg_byte(vm, args[1], &byte);
    if (st != ST_OK) return st;
    const Bytes *bytes = array->bytes;
    const char *found = memchr(bytes->data, byte, bytes->len);
    if (!found) return vm_raise(vm, EXC_ValueError, "value not found in bytearray");
    *out = V_NONE;
    return splice(vm, array, (size_t)(found - bytes->data), 1, NULL, 0);
}

static Status m_reverse(Vm *vm, const Value *args, Value *out) {
    ByteArray *array = self_array(args);
    size_t len = array->bytes->len;
    char *data = bytearray_write(vm, array, len);
    if (!data) return ST_ERROR;
    for (size_t i = 0; i < len / 2; i++) {
        char byte = data[i];
        data[i] = data[len - 1 - i];
        data[len - 1 - i] = byte;
    }
    *out = V_NONE;
    return ST_OK;
}

static Status m_bytes(Vm *vm, const Value *args, Value *out) {
    return bytes_same(vm, self_array(args)->bytes, out);
}

static Status m_str(Vm *vm, const Value *args, Value *out) {
    return op_repr_value(vm, unwrap(args[0]), out);
}

// --- Methods of bytes, with bytearrays for results ----------------------------------------------

// Makes bytearrays of an owned bytes value, or of those in a fresh list or tuple.
__attribute__((noinline)) static Status bytearrays_of(Vm *vm, Status st, Value *v) {
    if (st != ST_OK) return st;
    Value made, *items = v->kind == K_LIST    ? v->list->items
                         : v->kind == K_TUPLE ? v->tuple->items
                                              : v;
    size_t len = v->kind == K_LIST ? v->list->len : v->kind == K_TUPLE ? v->tuple->len : 1;
    for (size_t i = 0; st == ST_OK && i < len; i++) {
        if (items[i].kind != K_BYTES) continue;
        st = bytearray_out(vm, (Bytes *)retain(items[i]).obj, &made);
        if (st == ST_OK) replace(vm, &items[i], made);
    }
    if (st != ST_OK) release(vm, *v);
    return st;
}

// Calls a method of bytes on the array's bytes, and converts bytes in its result to bytearrays (not maketrans's). Holds
// the bytes meanwhile, since an argument may be an object whose code changes the array.
__attribute__((noinline)) static Status shared(Vm *vm, const Value *args, Value *out, NativeFn fn) {
    const Bytes *bytes = bytes_of(args[0]); // NULL: a class, of a class method
    Value held = bytes ? retain(v_obj((void *)(uintptr_t)bytes)) : V_NONE;
    Status st = fn(vm, args, out);
    release(vm, held);
    return fn == bytes_m_maketrans ? st : bytearrays_of(vm, st, out);
}

#define METHOD(name, signature, slow)                                    \
    static Status shared_##name(Vm *vm, const Value *args, Value *out) { \
        return shared(vm, args, out, bytes_m_##name);                    \
    }
#include "vm/value/bytes_methods.def"
#undef METHOD

static const NativeDef methods[] = {
#define METHOD(name, signature, slow) {#name, signature, shared_##name, slow, PURE},
#include "vm/value/bytes_methods.def"
#undef METHOD
#define WITH_ORDER
#define WITH_CHANGE
#define DUNDER DUNDER_ROW
#include "vm/value/seq_dunders.def"
    {"append", "self, item, /", m_append, "bytearray_append_slow", PURE},
    {"clear", "self, /", m_clear, NULL, PURE},
    {"copy", "self, /", m_copy, NULL, PURE},
    {"extend", "self, iterable_of_ints, /", m_extend, "bytearray_extend_slow", PURE},
    {"insert", "self, index, item, /", m_insert, "bytearray_insert_slow", PURE},
    {"pop", "self, index=-1, /", m_pop, "bytearray_pop_slow", PURE},
    {"remove", "self, value, /", m_remove, "bytearray_remove_slow", PURE},
    {"reverse", "self, /", m_reverse, NULL, PURE},
    {"__mod__", "self, value, /", dunder_mod, "bytes_percent_slow", PURE},
    {"__str__", "self, /", m_str, NULL, PURE},
    {"__bytes__", "self, /", m_bytes, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

static Status bytearray_iter(Vm *vm, Value self, Value *out) {
    Iter *it = iter_new(vm, ITER_BYTES, self);
    if (!it) return vm_no_memory(vm);
    *out = v_obj(it);
    return ST_OK;
}

const TypeSlots kind_BYTEARRAY = {
    .drop = bytearray_drop,
    .size = bytearray_size,
    .binary = bytearray_binary,
    .compare = bytearray_compare,
    .truth = bytearray_truth,
    .hash = seq_unhashable,
    .len = bytearray_len,
    .getitem = bytearray_getitem,
    .setitem = bytearray_setitem,
    .delitem = bytearray_delitem,
    .contains = bytearray_contains,
    .iter = bytearray_iter,
    .repr = bytearray_repr,
    .construct = &construct_row,
    .methods = methods,
};
