// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The encoding of a value: a tag, which is a letter, and its contents. A container is the number of items and the
// items.

#include "stdlib/ranks/codec.h"

#include <string.h>

#include "lang/support/utf8.h"
#include "stdlib/file.h"
#include "vm/array/array.h"
#include "vm/value/asking.h"
#include "vm/value/bytearray.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/int.h"
#include "vm/value/ops.h"
#include "vm/value/seq_impl.h"
#include "vm/value/set_impl.h"
#include "vm/value/str.h"

enum { NESTING = 200 };

typedef enum Tag {
    TAG_UNDEF = 'u', TAG_NONE = 'N', TAG_NOTIMPLEMENTED = 'I', TAG_ELLIPSIS = '.', TAG_BOOL = 'o', TAG_INT = 'i',
    TAG_FLOAT = 'f', TAG_BIGINT = 'l', TAG_COMPLEX = 'c', TAG_SCALAR = 'n', TAG_DTYPE = 'd', TAG_STR = 's',
    TAG_BYTES = 'b', TAG_BYTEARRAY = 'B', TAG_RANGE = 'r', TAG_SLICE = ':', TAG_TUPLE = '(', TAG_LIST = '[',
    TAG_DICT = '{', TAG_SET = 'S', TAG_FROZENSET = 'Z', TAG_ARRAY = 'a', TAG_FILE = 'h', TAG_EXCEPTION = 'e',
} Tag;

// --- Writing -------------------------------------------------------------------------------------

void encode_number(Buf *out, uint64_t number) {
    buf_put(out, (const char *)&number, sizeof number);
}

void encode_bytes(Buf *out, const char *bytes, size_t len) {
    encode_number(out, len);
    if (len) buf_put(out, bytes, len);
}

static void put_number(Encoder *e, Tag tag, uint64_t number) {
    buf_putc(e->out, (char)tag);
    encode_number(e->out, number);
}

static void put_bytes(Encoder *e, Tag tag, const char *bytes, size_t len) {
    buf_putc(e->out, (char)tag);
    encode_bytes(e->out, bytes, len);
}

static void put_double(Encoder *e, double number) {
    buf_put(e->out, (const char *)&number, sizeof number);
}

static void put_bigint(Encoder *e, const BigInt *big) {
    put_bytes(e, TAG_BIGINT, (const char *)big->digits, (size_t)big->used * sizeof *big->digits);
    buf_putc(e->out, (char)big->negative);
}

static Status put_items(Encoder *e, Tag tag, const Value *items, size_t count) {
    Status st = ST_OK;
    put_number(e, tag, count);
    for (size_t i = 0; i < count && st == ST_OK; i++) st = encode_value(e, items[i]);
    return st;
}

static Status put_range(Encoder *e, const Range *range) {
    const BigRange *big = (const BigRange *)range;
    if (range_is_big(range)) return put_items(e, TAG_RANGE, (const Value[]){big->start, big->stop, big->step}, 3);
    return put_items(e, TAG_RANGE, (const Value[]){v_int(range->start), v_int(range->stop), v_int(range->step)}, 3);
}

static Status put_dict(Encoder *e, const Dict *dict) {
    uint32_t pos = 0;
    Value key, value;
    Status st = ST_OK;
    put_number(e, TAG_DICT, dict->count);
    while (st == ST_OK && dict_next(dict, &pos, &key, &value)) {
        st = encode_value(e, key);
        if (st == ST_OK) st = encode_value(e, value);
    }
    return st;
}

static Status put_set(Encoder *e, Tag tag, const Set *set) {
    uint32_t pos = 0;
    Value item;
    Status st = ST_OK;
    e->altered = true;
    put_number(e, tag, set->used);
    while (st == ST_OK && set_next(set, &pos, &item)) st = encode_value(e, item);
    return st;
}

static void put_scalar(Encoder *e, Value v) {
    Scalar s = scalar_of(v);
    put_number(e, TAG_SCALAR, numpy_dtype(v));
    buf_put(e->out, (const char *)&s, sizeof s);
}

// The properties of an array that other ranks must reproduce, as they affect results or decisions of the engine.
typedef enum ArrayTrait { ARRAY_FORTRAN = 1, ARRAY_READONLY = 2, ARRAY_LENT = 4 } ArrayTrait;

static Status put_array(Encoder *e, Value v) {
    Array *array = v.array;
    Value dense;
    bool fortran = array_is_in_order(array, ORDER_F) && !array_is_in_order(array, ORDER_C);
    Status st = ST_OK;
    if (fortran) dense = retain(v);
    else st = array_contiguous(e->vm, v, &dense);
    if (st != ST_OK) return st;
    if (!fortran && dense.obj != v.obj) e->altered = true;
    put_number(e, TAG_ARRAY, array->dtype);
    encode_number(e->out, (fortran ? ARRAY_FORTRAN : 0) | (array->readonly ? ARRAY_READONLY : 0) |
                          (array->storage->owner ? ARRAY_LENT : 0));
    encode_number(e->out, (uint64_t)array->ndim);
    for (int d = 0; d < array->ndim; d++) encode_number(e->out, (uint64_t)array_shape(array)[d]);
    const char *data = array_read(e->vm, dense.array);
    if (data) buf_put(e->out, data, (size_t)array_size(array) * dtype_size(array->dtype));
    release(e->vm, dense);
    return data ? ST_OK : ST_ERROR;
}

static Status put_file(Encoder *e, Value v) {
    Value facts;
    buf_putc(e->out, TAG_FILE);
    Status st = file_facts(e->vm, v, &facts);
    if (st != ST_OK) return st;
    st = encode_value(e, facts);
    release(e->vm, facts);
    return st;
}

static Status refuse(Encoder *e, Value v) {
    e->refused = type_name(e->vm, v);
    return vm_raise(e->vm, EXC_TypeError, "a value of type %s cannot be sent to other ranks", e->refused);
}

static Status put_text_of(Encoder *e, Value v) {
    Buf text;
    const bool was_asked = e->vm->asked_about != ASK_NONE;
    buf_init(&text, &e->vm->mem);
    Status st = op_repr(e->vm, v, &text);
    if (st != ST_OK) { // its repr needs a method of the program
        vm_clear_error(e->vm);
        if (!was_asked) ask_forget(e->vm);
        text.len = 0;
        buf_printf(&text, "<%s object>", type_name(e->vm, v));
    }
    put_bytes(e, TAG_STR, text.data, text.len);
    bool failed = text.failed;
    buf_free(&text);
    return failed ? vm_no_memory(e->vm) : ST_OK;
}

static Status put_value(Encoder *e, Value v) {
    switch (v.kind) {
    case K_UNDEF: buf_putc(e->out, TAG_UNDEF); return ST_OK;
    case K_NONE: buf_putc(e->out, TAG_NONE); return ST_OK;
    case K_NOTIMPLEMENTED: buf_putc(e->out, TAG_NOTIMPLEMENTED); return ST_OK;
    case K_ELLIPSIS: buf_putc(e->out, TAG_ELLIPSIS); return ST_OK;
    case K_BOOL: put_number(e, TAG_BOOL, (uint64_t)v.i); return ST_OK;
    case K_INT: put_number(e, TAG_INT, (uint64_t)v.i); return ST_OK;
    case K_FLOAT: put_number(e, TAG_FLOAT, v.bits); return ST_OK;
    case K_BIGINT: put_bigint(e, v.big); return ST_OK;
    case K_COMPLEX:
        buf_putc(e->out, TAG_COMPLEX);
        put_double(e, v.complex->re);
        put_double(e, v.complex->im);
        return ST_OK;
    case K_SCALAR:
    case K_COMPLEX_SCALAR: put_scalar(e, v); return ST_OK;
    case K_DTYPE: put_number(e, TAG_DTYPE, v.obj->aux); return ST_OK;
    case K_STR: put_bytes(e, TAG_STR, v.str->data, v.str->len); return ST_OK;
    case K_BYTES: put_bytes(e, TAG_BYTES, v.bytes->data, v.bytes->len); return ST_OK;
    case K_BYTEARRAY: put_bytes(e, TAG_BYTEARRAY, v.bytearray->bytes->data, v.bytearray->bytes->len); return ST_OK;
    case K_RANGE: return put_range(e, v.range);
    case K_SLICE: return put_items(e, TAG_SLICE, (const Value[]){v.slice->start, v.slice->stop, v.slice->step}, 3);
    case K_TUPLE: return put_items(e, TAG_TUPLE, v.tuple->items, v.tuple->len);
    case K_LIST: return put_items(e, TAG_LIST, v.list->items, v.list->len);
    case K_DICT: return put_dict(e, v.dict);
    case K_SET: return put_set(e, TAG_SET, v.set);
    case K_FROZENSET: return put_set(e, TAG_FROZENSET, v.set);
    case K_ARRAY: return put_array(e, v);
    case K_FILE: return put_file(e, v);
    default: break;
    }
    if (exc_of(v)) {
        buf_putc(e->out, TAG_EXCEPTION);
        return encode_exception(e, v);
    }
    return e->lenient && e->depth > 1 ? put_text_of(e, v) : refuse(e, v);
}

Status encode_value(Encoder *e, Value v) {
    if (e->depth >= NESTING) return vm_raise(e->vm, EXC_TypeError, "what is sent to other ranks is nested too deeply");
    e->depth++;
    Status st = put_value(e, e->lenient ? unwrap(v) : v);
    e->depth--;
    return st == ST_OK && e->out->failed ? vm_no_memory(e->vm) : st;
}

// Encodes an exception class: the number of its nearest built-in class, and for other classes module and name as well.
static void put_class(Encoder *e, const Class *cls) {
    int kind = cls->exc;
    bool built_in = kind >= 0 && e->vm->exceptions[kind] == cls;
    encode_number(e->out, (uint64_t)kind);
    encode_number(e->out, !built_in);
    if (built_in) return;
    const Str *module = cls->module.kind == K_STR ? cls->module.str : e->vm->empty_str;
    encode_bytes(e->out, module->data, module->len);
    encode_bytes(e->out, cls->qualname->data, cls->qualname->len);
}

static Status put_attributes(Encoder *e, Instance *inst) {
    Dict *dict = inst->dict;
    if (!dict && (!inst->shape || inst->shape->count == 0)) return encode_value(e, V_NONE);
    if (!dict) dict = instance_dict(e->vm, inst);
    return dict ? encode_value(e, v_obj(dict)) : vm_no_memory(e->vm);
}

static bool is_any_of(const Vm *vm, const Class *cls, const ExcKind *kinds, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (class_is_subclass(cls, vm->exceptions[kinds[i]])) return true;
    return false;
}

// Returns whether an exception's value does not follow from its arguments: rendered lines of a program, or the object
// and name that it is about (exc_about).
static bool value_is_beside_args(const Vm *vm, const Class *cls, Value value) {
    static const ExcKind rendered[] = {EXC_SyntaxError, EXC_MemoryError, EXC_RecursionError};
    static const ExcKind about[] = {EXC_AttributeError, EXC_NameError, EXC_ImportError};
    if (value.kind == K_STR) return is_any_of(vm, cls, rendered, sizeof rendered / sizeof *rendered);
    return value.kind == K_TUPLE && value.tuple->len == 2 && is_any_of(vm, cls, about, sizeof about / sizeof *about);
}

// OSError removes file names from its arguments and keeps the original ones in `value`: those are encoded as arguments.
Status encode_exception(Encoder *e, Value exception) {
    ExcInstance *exc = exc_of(exception);
    const Class *cls = exc->inst.cls;
    bool of_os = exc->value.kind == K_TUPLE && class_is_subclass(cls, e->vm->exceptions[EXC_OSError]);
    put_class(e, cls);
    Status st = encode_value(e, of_os ? exc->value : exc->args);
    if (st == ST_OK) st = encode_value(e, value_is_beside_args(e->vm, cls, exc->value) ? exc->value : V_UNDEF);
    return st == ST_OK ? put_attributes(e, &exc->inst) : st;
}

// --- Reading -------------------------------------------------------------------------------------

static Status malformed(Decoder *d) {
    return vm_raise(d->vm, EXC_ValueError, "these are no bytes of a value from another rank");
}

static Status take(Decoder *d, void *to, size_t len) {
    if ((size_t)(d->end - d->at) < len) return malformed(d);
    memcpy(to, d->at, len);
    d->at += len;
    return ST_OK;
}

Status decode_number(Decoder *d, uint64_t *out) {
    return take(d, out, sizeof *out);
}

Status decode_bytes(Decoder *d, const char **bytes, size_t *len) {
    uint64_t count = 0;
    Status st = decode_number(d, &count);
    if (st == ST_OK && count > (size_t)(d->end - d->at)) st = malformed(d);
    if (st != ST_OK) return st;
    *bytes = d->at;
    *len = (size_t)count;
    d->at += count;
    return ST_OK;
}

// Reads a number, which must be below `limit`.
static Status take_below(Decoder *d, uint64_t limit, uint64_t *out) {
    Status st = decode_number(d, out);
    return st == ST_OK && *out >= limit ? malformed(d) : st;
}

// Reads the number of items of a container. Each item takes at least one byte, so a number above the bytes that are
// left is malformed. This bounds what is allocated.
static Status take_count(Decoder *d, size_t *out) {
    uint64_t count = 0;
    Status st = take_below(d, (uint64_t)(d->end - d->at) + 1, &count);
    *out = st == ST_OK ? (size_t)count : 0;
    return st;
}

// Returns whether the bytes are UTF-8, with lone surrogates encoded as three bytes each.
static bool is_text(const char *bytes, size_t len) {
    size_t at;
    const char *why;
    while (len && !utf8_validate(bytes, len, &at, &why)) {
        const unsigned char *bad = (const unsigned char *)bytes + at;
        if (len - at < 3 || bad[0] != 0xED || (bad[1] & 0xE0) != 0xA0 || (bad[2] & 0xC0) != 0x80) return false;
        bytes += at + 3;
        len -= at + 3;
    }
    return true;
}

static Status take_str(Decoder *d, Value *out) {
    const char *bytes = NULL;
    size_t len = 0;
    Status st = decode_bytes(d, &bytes, &len);
    if (st != ST_OK) return st;
    return len <= UINT32_MAX && is_text(bytes, len) ? str_out(d->vm, str_new(d->vm, bytes, len), out) : malformed(d);
}

static Status take_bytes(Decoder *d, Tag tag, Value *out) {
    const char *bytes = NULL;
    size_t len = 0;
    Status st = decode_bytes(d, &bytes, &len);
    if (st != ST_OK) return st;
    Bytes *made = bytes_new(d->vm, bytes, len);
    return tag == TAG_BYTES ? bytes_out(d->vm, made, out) : bytearray_out(d->vm, made, out);
}

static Status take_bigint(Decoder *d, Value *out) {
    const char *bytes = NULL;
    size_t len = 0;
    uint64_t *digits;
    char negative = 0;
    Status st = decode_bytes(d, &bytes, &len);
    if (st == ST_OK) st = take(d, &negative, 1);
    if (st != ST_OK) return st;
    size_t used = len / sizeof *digits;
    if (len % sizeof *digits || used > INT32_MAX / 64) return malformed(d);
    if (!(digits = mem_alloc(&d->vm->mem, len + 1))) return vm_no_memory(d->vm);
    memcpy(digits, bytes, len);
    for (size_t i = 0; i < used && st == ST_OK; i++)
        if (digits[i] > INT_DIGIT_MASK) st = malformed(d);
    if (st == ST_OK) st = int_from_magnitude(d->vm, digits, (int)used, negative, out);
    mem_free(&d->vm->mem, digits, len + 1);
    return st;
}

static Status take_complex(Decoder *d, Value *out) {
    double parts[2] = {0, 0};
    Status st = take(d, parts, sizeof parts);
    return st == ST_OK ? complex_out(d->vm, parts[0], parts[1], out) : st;
}

// Returns a scalar as an element of the type has it: drops bits outside the type, and makes bools 0 or 1.
static Scalar fitting(DType dtype, Scalar s) {
    char element[DTYPE_SIZE_MAX] = {0};
    if (dtype == DT_BOOL) s.i = s.i != 0;
    dtype_store(dtype, element, s);
    return dtype_load(dtype, element);
}

static Status take_scalar(Decoder *d, Value *out) {
    uint64_t dtype = 0;
    Scalar s = {.i = 0};
    Status st = take_below(d, DT_COUNT, &dtype);
    if (st == ST_OK) st = take(d, &s, sizeof s);
    return st == ST_OK ? scalar_out(d->vm, (DType)dtype, fitting((DType)dtype, s), out) : st;
}

static Status take_dtype(Decoder *d, Value *out) {
    uint64_t dtype = 0;
    Status st = take_below(d, DT_COUNT, &dtype);
    return st == ST_OK ? dtype_out(d->vm, (DType)dtype, out) : st;
}

static Status take_list(Decoder *d, Value *out) {
    size_t count;
    Status st = take_count(d, &count);
    if (st != ST_OK) return st;
    List *list = list_new(d->vm, 0);
    st = vm_check(d->vm, list);
    for (size_t i = 0; i < count && st == ST_OK; i++) {
        Value item;
        st = decode_value(d, &item);
        if (st == ST_OK) st = item.kind == K_UNDEF ? malformed(d) : list_append(d->vm, list, item);
    }
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(d->vm, list);
    return st;
}

static Status take_tuple(Decoder *d, Value *out) {
    Value list;
    Status st = take_list(d, &list);
    if (st != ST_OK) return st;
    st = list_to_tuple(d->vm, list.list, out);
    release(d->vm, list);
    return st;
}

// Reads a slice or a range, which has three items.
static Status take_bounds(Decoder *d, Tag tag, Value *out) {
    Value list;
    Status st = take_list(d, &list);
    if (st != ST_OK) return st;
    const Value *items = list.list->items;
    bool fits = list.list->len == 3;
    for (size_t i = 0; tag == TAG_RANGE && fits && i < 3; i++) fits = is_int(items[i]);
    if (!fits) st = malformed(d);
    else if (tag == TAG_SLICE) st = slice_new(d->vm, items[0], items[1], items[2], out);
    else st = range_new(d->vm, items[0], items[1], items[2], out);
    release(d->vm, list);
    return st;
}

static Status take_dict(Decoder *d, Value *out) {
    size_t count;
    Status st = take_count(d, &count);
    if (st != ST_OK) return st;
    Dict *dict = dict_new(d->vm);
    st = vm_check(d->vm, dict);
    for (size_t i = 0; i < count && st == ST_OK; i++) {
        Value key = V_UNDEF, value = V_UNDEF;
        st = decode_value(d, &key);
        if (st == ST_OK) st = decode_value(d, &value);
        if (st == ST_OK && (key.kind == K_UNDEF || value.kind == K_UNDEF)) st = malformed(d);
        if (st == ST_OK) st = dict_set(d->vm, dict, key, value);
        release(d->vm, key);
        release(d->vm, value);
    }
    if (st == ST_OK) *out = v_obj(dict);
    else release_obj(d->vm, dict);
    return st;
}

static Status take_set(Decoder *d, bool frozen, Value *out) {
    size_t count;
    Status st = take_count(d, &count);
    if (st != ST_OK) return st;
    Set *set = set_new(d->vm, frozen);
    st = vm_check(d->vm, set);
    for (size_t i = 0; i < count && st == ST_OK; i++) {
        Value item = V_UNDEF;
        st = decode_value(d, &item);
        if (st == ST_OK) st = item.kind == K_UNDEF ? malformed(d) : set_add(d->vm, set, item);
        release(d->vm, item);
    }
    if (st == ST_OK) *out = v_obj(set);
    else release_obj(d->vm, set);
    return st;
}

// --- Arrays --------------------------------------------------------------------------------------

// Decodes an array over borrowed memory as one over the memory of a bytes object, which is borrowed too, so that the
// engine makes the same decisions about it on all ranks.
static Status lent_array(Decoder *d, const View *given, size_t bytes, Value *out) {
    View view = *given;
    Bytes *memory = bytes_new(d->vm, d->at, bytes);
    if (!memory) return vm_no_memory(d->vm);
    view.storage = storage_over(d->vm, memory->data, bytes + 1, memory, release_obj);
    if (!view.storage) {
        release_obj(d->vm, memory);
        return vm_no_memory(d->vm);
    }
    Status st = array_of_view(d->vm, &view, V_UNDEF, out);
    storage_release(d->vm, view.storage);
    return st;
}

static Status own_array(Decoder *d, const View *view, bool fortran, size_t bytes, Value *out) {
    int axes[NDIM_MAX];
    for (int i = 0; i < view->ndim; i++) axes[i] = view->ndim - 1 - i;
    Value made;
    Status st = array_new_arranged(d->vm, view->dtype, view->ndim, view->shape, fortran ? axes : NULL, ROOM_HOST, &made);
    if (st != ST_OK) return st;
    char *data = array_write(d->vm, made.array);
    if (data) {
        memcpy(data, d->at, bytes);
        *out = made;
    } else {
        release(d->vm, made);
    }
    return data ? ST_OK : ST_ERROR;
}

// Returns whether the bytes are valid elements: bools must be 0 or 1.
static bool are_elements(DType dtype, const char *at, size_t bytes) {
    for (size_t i = 0; dtype == DT_BOOL && i < bytes; i++)
        if (at[i] & ~1) return false;
    return true;
}

static Status take_shape(Decoder *d, View *view, size_t *bytes) {
    uint64_t ndim = 0, extent = 0;
    Status st = take_below(d, NDIM_MAX + 1, &ndim);
    view->ndim = st == ST_OK ? (int)ndim : 0;
    for (int i = 0; i < view->ndim && st == ST_OK; i++) {
        st = take_below(d, INT64_MAX, &extent);
        view->shape[i] = (int64_t)extent;
    }
    if (st != ST_OK) return st;
    if (!view_byte_count(view, bytes)) return malformed(d);
    for (int i = 0; i < view->ndim; i++)
        if (view->shape[i] == 0) *bytes = 0;
    return *bytes > (size_t)(d->end - d->at) ? malformed(d) : ST_OK;
}

static Status take_array(Decoder *d, Value *out) {
    View view = {.storage = NULL};
    uint64_t dtype = 0, traits = 0;
    size_t bytes;
    Status st = take_below(d, DT_COUNT, &dtype);
    if (st == ST_OK) st = take_below(d, 2 * ARRAY_LENT, &traits);
    view.dtype = st == ST_OK ? (DType)dtype : DT_BOOL;
    if (st == ST_OK) st = take_shape(d, &view, &bytes);
    if (st != ST_OK) return st;
    if (!are_elements(view.dtype, d->at, bytes)) return malformed(d);
    bool fortran = traits & ARRAY_FORTRAN;
    if (traits & ARRAY_LENT) {
        int axes[NDIM_MAX];
        for (int i = 0; i < view.ndim; i++) axes[i] = view.ndim - 1 - i;
        view_fill_strides_along(&view, fortran ? axes : NULL);
        st = lent_array(d, &view, bytes, out);
    } else {
        st = own_array(d, &view, fortran, bytes, out);
    }
    if (st != ST_OK) return st;
    out->array->readonly = traits & ARRAY_READONLY;
    d->at += bytes;
    return ST_OK;
}

static Status take_file(Decoder *d, Value *out) {
    Value facts;
    Status st = decode_value(d, &facts);
    if (st != ST_OK) return st;
    st = file_stand_in(d->vm, facts, out);
    release(d->vm, facts);
    return st;
}

// --- Exceptions ------------------------------------------------------------------------------------

typedef struct ClassName {
    const char *module, *name;
    size_t module_len, name_len;
} ClassName;

// Finds an exception class by its name in a module that has been imported. *out: borrowed, or NULL if there is none.
static Status find_class(Decoder *d, const ClassName *named, Class **out) {
    Vm *vm = d->vm;
    *out = NULL;
    if (!is_text(named->module, named->module_len) || !is_text(named->name, named->name_len)) return malformed(d);
    Str *module = str_intern(vm, named->module, named->module_len);
    Str *name = str_intern(vm, named->name, named->name_len);
    Status st = module && name ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK) {
        Value in = dict_get_str(vm->modules, module);
        Value found = in.kind == K_MODULE ? module_get(in.module, name) : V_UNDEF;
        if (found.kind == K_CLASS && found.cls->flags & CLASS_EXCEPTION) *out = found.cls;
    }
    release_obj(vm, module);
    release_obj(vm, name);
    return st;
}

// Reads a class. *out: the class, or if it does not exist here its built-in base; *named: then its name.
static Status take_class(Decoder *d, Class **out, ClassName *named) {
    uint64_t kind = 0, other = 0;
    *named = (ClassName){.name_len = 0};
    Status st = take_below(d, EXC_COUNT, &kind);
    if (st == ST_OK) st = take_below(d, 2, &other);
    if (st != ST_OK) return st;
    *out = d->vm->exceptions[kind];
    if (!other) return ST_OK;
    st = decode_bytes(d, &named->module, &named->module_len);
    if (st == ST_OK) st = decode_bytes(d, &named->name, &named->name_len);
    Class *found = NULL;
    if (st == ST_OK) st = find_class(d, named, &found);
    if (!found || found->exc != (int)kind) return st;
    *out = found;
    *named = (ClassName){.name_len = 0};
    return st;
}

static Status set_attributes(Decoder *d, Instance *inst, Value attributes) {
    uint32_t pos = 0;
    Value key, value;
    if (attributes.kind == K_NONE) return ST_OK;
    if (attributes.kind != K_DICT) return malformed(d);
    while (dict_next(attributes.dict, &pos, &key, &value)) {
        Str *name = key.kind == K_STR ? str_intern_str(d->vm, key.str) : NULL;
        if (!name) return key.kind == K_STR ? vm_no_memory(d->vm) : malformed(d);
        Status st = instance_set(d->vm, inst, name, value);
        release_obj(d->vm, name);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

static Status note_name(Decoder *d, ExcInstance *exc, const ClassName *named) {
    Buf text;
    Value note;
    if (named->name_len == 0) return ST_OK;
    buf_init(&text, &d->vm->mem);
    buf_puts(&text, "where it was raised it is a ");
    if (named->module_len) buf_put(&text, named->module, named->module_len);
    if (named->module_len) buf_putc(&text, '.');
    buf_put(&text, named->name, named->name_len);
    Status st = str_buf_out(d->vm, &text, &note);
    if (st != ST_OK) return st;
    st = exc_note(d->vm, exc, note);
    release(d->vm, note);
    return st;
}

static Status set_value(Decoder *d, ExcInstance *exc, Value value) {
    if (value.kind == K_UNDEF) return ST_OK;
    if (!value_is_beside_args(d->vm, exc->inst.cls, value)) return malformed(d);
    replace(d->vm, &exc->value, retain(value));
    return ST_OK;
}

static Status make_exception(Decoder *d, Class *cls, const ClassName *named, const Value parts[3], Value *out) {
    Value made;
    if (parts[0].kind != K_TUPLE) return malformed(d);
    Status st = exc_new(d->vm, cls, parts[0], &made);
    if (st != ST_OK) return st;
    st = set_value(d, exc_of(made), parts[1]);
    if (st == ST_OK) st = set_attributes(d, &exc_of(made)->inst, parts[2]);
    if (st == ST_OK) st = note_name(d, exc_of(made), named);
    if (st == ST_OK) *out = made;
    else release(d->vm, made);
    return st;
}

Status decode_exception(Decoder *d, Value *out) {
    Value parts[3] = {V_UNDEF, V_UNDEF, V_UNDEF}; // arguments, value, attributes
    Class *cls = NULL;
    ClassName named = {0};
    Status st = take_class(d, &cls, &named);
    for (int i = 0; i < 3 && st == ST_OK; i++) st = decode_value(d, &parts[i]);
    if (st == ST_OK) st = make_exception(d, cls, &named, parts, out);
    for (int i = 0; i < 3; i++) release(d->vm, parts[i]);
    return st;
}

// --- Any value -------------------------------------------------------------------------------------

static Status take_number(Decoder *d, Tag tag, Value *out) {
    uint64_t bits = 0;
    Status st = tag == TAG_BOOL ? take_below(d, 2, &bits) : decode_number(d, &bits);
    if (st != ST_OK) return st;
    *out = (Value){.kind = tag == TAG_BOOL ? K_BOOL : tag == TAG_INT ? K_INT : K_FLOAT, .bits = bits};
    return ST_OK;
}

static Status take_value(Decoder *d, Value *out) {
    char tag = 0;
    Status st = take(d, &tag, 1);
    if (st != ST_OK) return st;
    switch ((Tag)tag) {
    case TAG_UNDEF: *out = V_UNDEF; return ST_OK;
    case TAG_NONE: *out = V_NONE; return ST_OK;
    case TAG_NOTIMPLEMENTED: *out = V_NOTIMPLEMENTED; return ST_OK;
    case TAG_ELLIPSIS: *out = V_ELLIPSIS; return ST_OK;
    case TAG_BOOL:
    case TAG_INT:
    case TAG_FLOAT: return take_number(d, (Tag)tag, out);
    case TAG_BIGINT: return take_bigint(d, out);
    case TAG_COMPLEX: return take_complex(d, out);
    case TAG_SCALAR: return take_scalar(d, out);
    case TAG_DTYPE: return take_dtype(d, out);
    case TAG_STR: return take_str(d, out);
    case TAG_BYTES:
    case TAG_BYTEARRAY: return take_bytes(d, (Tag)tag, out);
    case TAG_RANGE:
    case TAG_SLICE: return take_bounds(d, (Tag)tag, out);
    case TAG_TUPLE: return take_tuple(d, out);
    case TAG_LIST: return take_list(d, out);
    case TAG_DICT: return take_dict(d, out);
    case TAG_SET:
    case TAG_FROZENSET: return take_set(d, tag == TAG_FROZENSET, out);
    case TAG_ARRAY: return take_array(d, out);
    case TAG_FILE: return take_file(d, out);
    case TAG_EXCEPTION: return decode_exception(d, out);
    }
    return malformed(d);
}

Status decode_value(Decoder *d, Value *out) {
    if (d->depth >= NESTING) return malformed(d);
    d->depth++;
    Status st = take_value(d, out);
    d->depth--;
    return st == ST_OK || st == ST_ERROR ? st : malformed(d); // e.g. a key with __hash__ of the program
}
