// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// bytes(…), join, hex and fromhex, decode.

#include <string.h>

#include "vm/value/bytes_impl.h"
#include "vm/value/codec.h"
#include "vm/value/dict_impl.h"
#include "vm/value/num_methods.h"
#include "vm/value/str_impl.h"

// --- bytes(…) ----------------------------------------------------------------------------------

static Status zeros(Vm *vm, Value count, Value *out) {
    int64_t len;
    if (!int_to_i64(count, &len))
        return vm_raise(vm, EXC_OverflowError, "cannot fit 'int' into an index-sized integer");
    if (len < 0) return vm_raise(vm, EXC_ValueError, "negative count");
    Bytes *bytes = bytes_alloc(vm, (size_t)len);
    if (bytes) memset(bytes->data, 0, (size_t)len);
    return bytes_out(vm, bytes, out);
}

static Status fill(Vm *vm, const Value *items, Bytes *bytes) {
    for (size_t i = 0; i < bytes->len; i++) {
        int64_t byte;
        Status st = op_index(vm, items[i], &byte);
        if (st == ST_ERROR && vm_error_is(vm, EXC_IndexError))
            byte = -1; // a big int
        else if (st != ST_OK)
            return st;
        if (byte < 0 || byte > 255)
            return vm_raise(vm, EXC_ValueError, "bytes must be in range(0, 256)");
        bytes->data[i] = (char)byte;
    }
    return ST_OK;
}

static Status of_run(Vm *vm, const Value *items, size_t len, Value *out) {
    Bytes *bytes = bytes_alloc(vm, len);
    Status st = bytes ? fill(vm, items, bytes) : vm_no_memory(vm);
    if (st == ST_OK)
        *out = v_obj(bytes);
    else
        release_obj(vm, bytes);
    return st;
}

static Status of_items(Vm *vm, Value v, Value *out) {
    Value list;
    if (v.kind == K_LIST) return of_run(vm, v.list->items, v.list->len, out);
    if (v.kind == K_TUPLE) return of_run(vm, v.tuple->items, v.tuple->len, out);
    Status st = op_to_list(vm, v, &list);
    if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
        return vm_raise(vm, EXC_TypeError, "cannot convert '%s' object to bytes", type_name(vm, v));
    if (st != ST_OK) return st;
    st = of_run(vm, list.list->items, list.list->len, out);
    if (st == ST_DEFER) op_put_back(vm, v, list);
    release(vm, list);
    return st;
}

// Converts a NumPy integer, or an array of one without dimensions, to an int; ST_NOTIMPL for anything else.
static Status numpy_count(Vm *vm, Value v, Value *out) {
    if (v.kind != K_ARRAY && !is_numpy_scalar(v)) return ST_NOTIMPL;
    Status st = num_to_index(vm, v, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_TypeError)) return st;
    vm_clear_error(vm);
    return ST_NOTIMPL;
}

// Makes bytes(v). An int, which counts zeros, is tried first, then a bytes-like object, then an iterable.
static Status of_value(Vm *vm, Value v, Value *out) {
    if (op_user_method(vm, v, NAME_bytes) || op_user_method(vm, v, NAME_index)) return ST_DEFER;
    Value count;
    if (is_int(unwrap(v))) return zeros(vm, unwrap(v), out);
    Status st = numpy_count(vm, v, &count);
    if (st == ST_OK) {
        st = zeros(vm, count, out);
        release(vm, count);
        return st;
    }
    if (st == ST_NOTIMPL) st = bytes_like(vm, v, out);
    return st == ST_NOTIMPL ? of_items(vm, v, out) : st;
}

static Status construct(Vm *vm, const Value *args, Value *out) {
    Value source = args[0];
    const Str *text = str_of(source), *encoding = NULL, *errors = NULL;
    Status st = codec_names(vm, "bytes", args + 1, &encoding, &errors);
    if (st != ST_OK) return st;
    if (text && encoding) return codec_encode(vm, text, encoding, errors, out);
    if (text) return vm_raise(vm, EXC_TypeError, "string argument without an encoding");
    if (encoding || errors)
        return vm_raise(vm, EXC_TypeError, "%s without a string argument",
                        encoding ? "encoding" : "errors");
    if (source.kind == K_UNDEF) return bytes_run_out(vm, NULL, 0, out);
    return of_value(vm, source, out);
}

const NativeDef bytes_construct_row = {"bytes", "source=?, encoding=?, errors=?", construct,
                                       "bytes_slow", PURE};

// --- join --------------------------------------------------------------------------------------

// Checks the items and adds up their sizes.
static Status join_size(Vm *vm, const Bytes *sep, const Value *items, size_t count, size_t *size) {
    bool huge = __builtin_mul_overflow(count ? count - 1 : 0, sep->len, size);
    for (size_t i = 0; i < count; i++) {
        const Bytes *item = bytes_of(items[i]);
        if (!item)
            return vm_raise(vm, EXC_TypeError,
                            "sequence item %zu: expected a bytes-like object, %s found", i,
                            type_name(vm, items[i]));
        huge = __builtin_add_overflow(*size, item->len, size) || huge;
    }
    if (huge) return vm_raise(vm, EXC_OverflowError, "join() result is too long for bytes");
    return ST_OK;
}

static char *put(char *at, const Bytes *bytes) {
    memcpy(at, bytes->data, bytes->len);
    return at + bytes->len;
}

static Status join_items(Vm *vm, const Bytes *sep, const Value *items, size_t count, Value *out);

// Joins items among which are arrays or memoryviews; ST_NOTIMPL: there are none.
static Status join_views(Vm *vm, const Bytes *sep, const Value *items, size_t count, Value *out) {
    Tuple *all = tuple_new(vm, count);
    Status st = vm_check(vm, all);
    bool some = false;
    for (size_t i = 0; st == ST_OK && i < count; i++) {
        if (!bytes_of(items[i])) st = bytes_like(vm, items[i], &all->items[i]);
        some = some || all->items[i].kind == K_BYTES;
        if (st == ST_NOTIMPL) st = ST_OK;
        if (st == ST_OK && all->items[i].kind == K_UNDEF) all->items[i] = retain(items[i]);
    }
    if (st == ST_OK) st = some ? join_items(vm, sep, all->items, count, out) : ST_NOTIMPL;
    release_obj(vm, all);
    return st;
}

static Status join_items(Vm *vm, const Bytes *sep, const Value *items, size_t count, Value *out) {
    size_t size;
    for (size_t i = 0; i < count; i++) {
        if (bytes_of(items[i])) continue;
        Status st = join_views(vm, sep, items, count, out);
        if (st != ST_NOTIMPL) return st;
        break;
    }
    if (join_size(vm, sep, items, count, &size) != ST_OK) return ST_ERROR;
    if (count == 1) return bytes_same(vm, bytes_of(items[0]), out);
    Bytes *all = bytes_alloc(vm, size);
    if (!all) return vm_no_memory(vm);
    char *at = all->data;
    for (size_t i = 0; i < count; i++) {
        if (i) at = put(at, sep);
        at = put(at, bytes_of(items[i]));
    }
    return bytes_out(vm, all, out);
}

Status bytes_m_join(Vm *vm, const Value *args, Value *out) {
    const Bytes *sep = self_bytes(args);
    Value items = args[1];
    if (items.kind == K_LIST) return join_items(vm, sep, items.list->items, items.list->len, out);
    if (items.kind == K_TUPLE)
        return join_items(vm, sep, items.tuple->items, items.tuple->len, out);
    Status st = op_to_list(vm, items, &items);
    if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
        return vm_raise(vm, EXC_TypeError, "can only join an iterable");
    if (st != ST_OK) return st;
    st = join_items(vm, sep, items.list->items, items.list->len, out);
    release(vm, items);
    return st;
}

// --- hex ---------------------------------------------------------------------------------------

static const char digits[] = "0123456789abcdef";

// Reads the separator, 0 for none. As in CPython, its length is checked before its type.
static Status hex_separator(Vm *vm, Value v, char *sep) {
    const Str *text = str_of(v);
    const Bytes *bytes = bytes_of(v);
    int64_t len = 1;
    *sep = 0;
    if (v.kind == K_UNDEF) return ST_OK;
    if (op_len(vm, unwrap(v), &len) == ST_ERROR) return ST_ERROR;
    if (len != 1) return vm_raise(vm, EXC_ValueError, "sep must be length 1.");
    if (!text && !bytes) return vm_raise(vm, EXC_TypeError, "sep must be str or bytes.");
    *sep = text ? text->data[0] : bytes->data[0];
    if (*sep & 0x80) return vm_raise(vm, EXC_ValueError, "sep must be ASCII.");
    return ST_OK;
}

// Returns how many bytes come before the first separator. Separators stand between groups of `group` bytes, which are
// counted from the end, or from the start where `group` is negative.
static size_t first_group(size_t len, int64_t group) {
    if (group == 0) return len;
    size_t each = group > 0 ? (size_t)group : (size_t)-group;
    return group < 0 || len % each == 0 ? each : len % each;
}

static void put_hex(const Bytes *bytes, char sep, size_t first, size_t each, char *put) {
    size_t left = first;
    for (size_t i = 0; i < bytes->len; i++, left--) {
        unsigned char c = (unsigned char)bytes->data[i];
        if (left == 0) {
            *put++ = sep;
            left = each;
        }
        *put++ = digits[c >> 4];
        *put++ = digits[c & 15];
    }
}

Status bytes_m_hex(Vm *vm, const Value *args, Value *out) {
    const Bytes *bytes = self_bytes(args);
    char sep;
    int64_t group;
    Status st = seq_size_arg(vm, args[2], &group);
    if (st != ST_OK) return st;
    if (group < INT32_MIN || group > INT32_MAX)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    if (hex_separator(vm, args[1], &sep) != ST_OK) return ST_ERROR;
    if (args[1].kind == K_UNDEF) group = 0;
    if (bytes->len == 0) return str_bytes_out(vm, "", 0, out);
    size_t first = first_group(bytes->len, group), each = (size_t)(group < 0 ? -group : group);
    size_t separators = group && first < bytes->len ? (bytes->len - first + each - 1) / each : 0;
    Str *text = bytes->len > UINT32_MAX ? NULL : str_alloc(vm, 2 * bytes->len + separators);
    if (!text) return vm_no_memory(vm);
    put_hex(bytes, sep, first, each, text->data);
    str_finish(text);
    return str_out(vm, text, out);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = byte_to_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static Status bad_hex(Vm *vm, const Str *text, size_t at) {
    if (!str_is_ascii(text)) {
        at = 0;
        while (!(text->data[at] & 0x80)) at++;
    }
    return vm_raise(vm, EXC_ValueError,
                    "non-hexadecimal number found in fromhex() arg at position %zu", at);
}

static Status from_hex(Vm *vm, const Str *text, Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (size_t i = 0; i < text->len; i += 2) {
        while (byte_is_space(text->data[i])) i++;
        if (i == text->len) break;
        int high = hex_digit(text->data[i]), low = hex_digit(text->data[i + (high >= 0)]);
        if (high < 0 || low < 0 || !str_is_ascii(text)) {
            buf_free(&buf);
            return bad_hex(vm, text, i + (high >= 0));
        }
        buf_putc(&buf, (char)(high << 4 | low));
    }
    return bytes_buf_out(vm, &buf, out);
}

Status bytes_m_fromhex(Vm *vm, const Value *args, Value *out) {
    const Str *text = str_of(args[1]);
    if (!text)
        return vm_raise(vm, EXC_TypeError, "fromhex() argument must be str, not %s",
                        argument_type_name(vm, args[1]));
    Value made;
    Status st = from_hex(vm, text, &made);
    return st == ST_OK ? class_wrap(vm, args[0], made, out) : st;
}

// --- decode ------------------------------------------------------------------------------------

Status bytes_m_decode(Vm *vm, const Value *args, Value *out) {
    const Str *encoding, *errors;
    Status st = codec_names(vm, "decode", args + 1, &encoding, &errors);
    return st == ST_OK ? codec_decode(vm, self_bytes(args), encoding, errors, out) : st;
}
