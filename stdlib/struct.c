// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _struct: packs values into bytes by a format, and unpacks them, with native or standard sizes.

#include "stdlib/buffer.h"
#include "stdlib/own_error.h"
#include "stdlib/stdlib.h"
#include "vm/graph/half.h"
#include "vm/value/bytes_impl.h"
#include "vm/value/int.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str_impl.h"

#include <math.h>
#include <string.h>

#define raise_error(vm, ...) own_error(vm, "_struct", "error", __VA_ARGS__)

// --- Formats -----------------------------------------------------------------------------------

typedef struct Format {
    const char *at, *end; // the rest of the format
    bool native;          // uses the machine's sizes and alignment
    bool swapped;         // uses the other byte order than the machine
} Format;

// A format code with its repeat count. `size` is that of one value in bytes, `place` the offset of the first one.
typedef struct Item {
    char code;
    int64_t count, size, place;
} Item;

// Returns the size of a code's values in bytes; 0 if there is no such code.
static int code_size(char code, bool native) {
    switch (code) {
    case 'x':
    case 'c':
    case 'b':
    case 'B':
    case '?':
    case 's':
    case 'p': return 1;
    case 'h':
    case 'H':
    case 'e': return 2;
    case 'i':
    case 'I':
    case 'f': return 4;
    case 'l':
    case 'L': return native ? (int)sizeof(long) : 4;
    case 'q':
    case 'Q':
    case 'd': return 8;
    case 'n':
    case 'N':
    case 'P': return native ? 8 : 0;
    default: return 0;
    }
}

static Status format_of(Vm *vm, Value v, Format *f) {
    const Str *text = str_of(v);
    const Bytes *bytes = bytes_of(v);
    if (!text && !bytes)
        return vm_raise(vm, EXC_TypeError,
                        "Struct() argument 1 must be a str or bytes object, not %s",
                        argument_type_name(vm, v));
    f->at = text ? text->data : bytes->data;
    f->end = f->at + (text ? text->len : bytes->len);
    if (text && !str_is_ascii(text)) {
        size_t start = 0;
        while (!(text->data[start] & 0x80)) start++;
        return vm_raise_unicode(vm, EXC_UnicodeEncodeError, "ascii", v, start, start + 1,
                                "ordinal not in range(128)");
    }
    if (memchr(f->at, 0, (size_t)(f->end - f->at)))
        return raise_error(vm, "embedded null character");
    f->native = true;
    f->swapped = false;
    if (f->at == f->end || !*f->at || !strchr("@=<>!", *f->at)) return ST_OK;
    char order = *f->at++;
    f->native = order == '@';
    f->swapped = order == '>' || order == '!';
    return ST_OK;
}

// Reads the next item, which starts at the offset *place or, aligned, after it. Moves *place to its end. ST_STOP: the
// format has no more items.
static Status next_item(Vm *vm, Format *f, int64_t *place, Item *item) {
    int64_t count = 1;
    bool huge = false;
    while (f->at < f->end && byte_is_space(*f->at)) f->at++;
    if (f->at == f->end) return ST_STOP;
    if (byte_is_digit(*f->at)) {
        for (count = 0; f->at < f->end && byte_is_digit(*f->at); f->at++)
            huge = huge || __builtin_mul_overflow(count, 10, &count) ||
                   __builtin_add_overflow(count, *f->at - '0', &count);
        if (huge) return raise_error(vm, "total struct size too long");
        if (f->at == f->end) return raise_error(vm, "repeat count given without format specifier");
    }
    item->code = *f->at++;
    item->size = code_size(item->code, f->native);
    item->count = count;
    if (item->size == 0) return raise_error(vm, "bad char in struct format");
    int64_t from = *place, total;
    if (f->native) huge = __builtin_add_overflow(from, item->size - 1, &from);
    if (f->native) from -= from % item->size;
    if (huge || __builtin_mul_overflow(count, item->size, &total) ||
        __builtin_add_overflow(from, total, place))
        return raise_error(vm, "total struct size too long");
    item->place = from;
    return ST_OK;
}

// Returns the number of values of an item: 1 for a text, 0 for padding.
static int64_t item_values(const Item *item) {
    return item->code == 'x' ? 0 : item->code == 's' || item->code == 'p' ? 1 : item->count;
}

static Status measure(Vm *vm, Format f, int64_t *size, int64_t *values) {
    Item item;
    Status st;
    *size = *values = 0;
    while ((st = next_item(vm, &f, size, &item)) == ST_OK) *values += item_values(&item);
    return st == ST_STOP ? ST_OK : st;
}

// --- Packing -----------------------------------------------------------------------------------

static void put_word(char *to, uint64_t word, int64_t size, bool swapped) {
    for (int64_t i = 0; i < size; i++) to[swapped ? size - 1 - i : i] = (char)(word >> 8 * i);
}

static Status range_error(Vm *vm, char code, bool is_signed, int64_t size) {
    static const char codes[] = "bBhH", *const names[] = {"byte", "ubyte", "short", "ushort"};
    const char *short_one = strchr(codes, code);
    char quoted[4] = {'\'', code, '\'', 0};
    const char *name = short_one ? names[short_one - codes] : quoted;
    if (!is_signed)
        return raise_error(vm, "%s format requires 0 <= number <= %lld", name,
                           (long long)(((uint64_t)1 << 8 * size) - 1));
    long long most = (1LL << (8 * size - 1)) - 1;
    return raise_error(vm, "%s format requires %lld <= number <= %lld", name, -most - 1, most);
}

static Status pack_int(Vm *vm, char code, int64_t size, Value v, uint64_t *word) {
    bool is_signed = strchr("bhilqn", code) != NULL;
    Value x = unwrap(v);
    I128 wide;
    if (!is_int(x)) {
        int64_t index;
        Status st = op_index(vm, v, &index);
        if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
            return raise_error(vm, "required argument is not an integer");
        if (st != ST_OK) return st;
        x = v_int(index);
    }
    I128 least = code == 'P' || is_signed || size < 4 ? INT64_MIN : 0;
    I128 most = code == 'P' || !(is_signed || size < 4) ? (I128)UINT64_MAX : INT64_MAX;
    if (!int_to_i128(x, &wide) || wide < least || wide > most)
        return raise_error(vm, code == 'P' ? "int too large to convert" : "argument out of range");
    if (size < 8) {
        least = is_signed ? -((I128)1 << (8 * size - 1)) : 0;
        most = ((I128)1 << (8 * size - is_signed)) - 1;
        if (wide < least || wide > most) return range_error(vm, code, is_signed, size);
    }
    *word = (uint64_t)wide;
    return ST_OK;
}

static Status pack_float(Vm *vm, char code, bool native, Value v, uint64_t *word) {
    double d;
    Status st = op_as_double(vm, v, &d);
    if (st == ST_ERROR && !vm_error_is(vm, EXC_MemoryError))
        return raise_error(vm, "required argument is not a float");
    if (st != ST_OK) return st;
    if (code == 'd') memcpy(word, &d, sizeof d);
    if (code == 'f') {
        float f = (float)d;
        uint32_t bits;
        if (isinf(f) && isfinite(d) && !native)
            return vm_raise(vm, EXC_OverflowError, "float too large to pack with f format");
        memcpy(&bits, &f, sizeof bits);
        *word = bits;
    }
    if (code == 'e') {
        *word = half_from_double(d);
        if ((*word & 0x7fff) == 0x7c00 && isfinite(d))
            return vm_raise(vm, EXC_OverflowError, "float too large to pack with e format");
    }
    return ST_OK;
}

static Status pack_text(Vm *vm, const Item *item, Value v, char *to) {
    const Bytes *bytes = bytes_of(v);
    if (!bytes) return raise_error(vm, "argument for '%c' must be a bytes object", item->code);
    int64_t len = (int64_t)bytes->len, room = item->count;
    if (item->code == 'p') {
        if (room == 0) return ST_OK;
        room--;
        if (len > room) len = room;
        *to++ = (char)(len > 255 ? 255 : len);
    }
    memcpy(to, bytes->data, (size_t)(len < room ? len : room));
    return ST_OK;
}

static Status pack_value(Vm *vm, const Format *f, const Item *item, Value v, char *to) {
    uint64_t word = 0;
    Status st = ST_OK;
    switch (item->code) {
    case 'c': {
        const Bytes *bytes = v.kind == K_BYTES || v.kind == K_INSTANCE ? bytes_of(v) : NULL;
        if (!bytes || bytes->len != 1)
            return raise_error(vm, "char format requires a bytes object of length 1");
        *to = bytes->data[0];
        return ST_OK;
    }
    case '?': {
        bool truth;
        st = op_truth(vm, v, &truth);
        if (st == ST_OK) *to = truth;
        return st;
    }
    case 'e':
    case 'f':
    case 'd': st = pack_float(vm, item->code, f->native, v, &word); break;
    default: st = pack_int(vm, item->code, item->size, v, &word); break;
    }
    if (st == ST_OK) put_word(to, word, item->size, f->swapped);
    return st;
}

// Packs values into zeroed memory of the format's size.
static Status pack_all(Vm *vm, Format f, const Value *values, char *to) {
    Item item;
    int64_t place = 0;
    Status st;
    while ((st = next_item(vm, &f, &place, &item)) == ST_OK) {
        char *at = to + item.place;
        if (item.code == 'x') continue;
        if (item.code == 's' || item.code == 'p')
            st = pack_text(vm, &item, *values++, at);
        else
            for (int64_t i = 0; st == ST_OK && i < item.count; i++)
                st = pack_value(vm, &f, &item, *values++, at + i * item.size);
        if (st != ST_OK) return st;
    }
    return st == ST_STOP ? ST_OK : st;
}

static Status count_error(Vm *vm, const char *function, int64_t want, size_t got) {
    return raise_error(vm, "%s expected %lld items for packing (got %zu)", function,
                       (long long)want, got);
}

// pack(format, *values): returns the packed values as bytes.
static Status fn_pack(Vm *vm, const Value *args, Value *out) {
    Format f;
    int64_t size, count;
    const Tuple *values = args[1].tuple;
    if (format_of(vm, args[0], &f) != ST_OK || measure(vm, f, &size, &count) != ST_OK)
        return ST_ERROR;
    if (count != (int64_t)values->len) return count_error(vm, "pack", count, values->len);
    Bytes *bytes = bytes_alloc(vm, (size_t)size);
    if (!bytes) return vm_no_memory(vm);
    memset(bytes->data, 0, (size_t)size);
    Status st = pack_all(vm, f, values->items, bytes->data);
    if (st == ST_OK)
        *out = v_obj(bytes);
    else
        release_obj(vm, bytes);
    return st;
}

// Makes *offset, which may be negative, absolute. Raises struct.error if no `size` bytes are there in a buffer of `len`
// bytes; the message depends on `packing`.
static Status locate(Vm *vm, bool packing, int64_t size, int64_t len, int64_t *offset) {
    if (*offset < 0 && *offset + size > 0)
        return packing ? raise_error(vm, "no space to pack %lld bytes at offset %lld",
                                     (long long)size, (long long)*offset)
                       : raise_error(vm, "not enough data to unpack %lld bytes at offset %lld",
                                     (long long)size, (long long)*offset);
    int64_t from = *offset < 0 ? *offset + len : *offset;
    if (from < 0)
        return raise_error(vm, "offset %lld out of range for %lld-byte buffer", (long long)*offset,
                           (long long)len);
    if (from > len || len - from < size)
        return raise_error(
            vm,
            "%s requires a buffer of at least %llu bytes for %s %lld bytes at offset "
            "%lld (actual buffer size is %lld)",
            packing ? "pack_into" : "unpack_from",
            (unsigned long long)from + (unsigned long long)size, packing ? "packing" : "unpacking",
            (long long)size, (long long)from, (long long)len);
    *offset = from;
    return ST_OK;
}

// pack_into(format, buffer, offset, *values): packs into a copy first, so that nothing is written after an error.
static Status fn_pack_into(Vm *vm, const Value *args, Value *out) {
    Format f;
    int64_t size, count, offset;
    const Tuple *values = args[3].tuple;
    if (args[1].kind == K_UNDEF) return raise_error(vm, "pack_into expected buffer argument");
    if (args[2].kind == K_UNDEF) return raise_error(vm, "pack_into expected offset argument");
    if (format_of(vm, args[0], &f) != ST_OK || measure(vm, f, &size, &count) != ST_OK)
        return ST_ERROR;
    if (count != (int64_t)values->len) return count_error(vm, "pack_into", count, values->len);
    if (op_index(vm, args[2], &offset) != ST_OK) return op_refused(vm);
    MutableBuffer to;
    if (buffer_for_writing(vm, args[1], &to) != ST_OK) return ST_ERROR;
    int64_t len = to.len;
    Status st = locate(vm, true, size, to.len, &offset);
    char *room = st == ST_OK ? mem_zalloc(&vm->mem, (size_t)size + 1) : NULL;
    if (st == ST_OK && !room) st = vm_no_memory(vm);
    if (st == ST_OK) st = pack_all(vm, f, values->items, room);
    if (st == ST_OK)
        st = buffer_for_writing(vm, args[1], &to); // a value's method may have changed it
    if (st == ST_OK && to.len != len)
        st = raise_error(vm, "the buffer's size changed while values were packed");
    if (st == ST_OK) memcpy(to.at + offset, room, (size_t)size);
    mem_free(&vm->mem, room, (size_t)size + 1);
    *out = V_NONE;
    return st;
}

// --- Unpacking ---------------------------------------------------------------------------------

static uint64_t get_word(const char *from, int64_t size, bool swapped) {
    uint64_t word = 0;
    for (int64_t i = 0; i < size; i++)
        word |= (uint64_t)(unsigned char)from[swapped ? size - 1 - i : i] << 8 * i;
    return word;
}

static Status unpack_value(Vm *vm, const Format *f, const Item *item, const char *from,
                           Value *out) {
    uint64_t word = get_word(from, item->size, f->swapped);
    uint32_t narrow = (uint32_t)word;
    float single;
    double d;
    int unused = (int)(64 - 8 * item->size);
    switch (item->code) {
    case 'c': return bytes_out(vm, bytes_new(vm, from, 1), out);
    case '?': *out = v_bool(*from != 0); return ST_OK;
    case 'e': *out = v_float(half_to_float((uint16_t)word)); return ST_OK;
    case 'f':
        memcpy(&single, &narrow, sizeof single);
        *out = v_float(single);
        return ST_OK;
    case 'd':
        memcpy(&d, &word, sizeof d);
        *out = v_float(d);
        return ST_OK;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': *out = v_int((int64_t)(word << unused) >> unused); return ST_OK;
    default: return int_from_u64(vm, word, out);
    }
}

static Status unpack_text(Vm *vm, const Item *item, const char *from, Value *out) {
    size_t len = (size_t)item->count;
    if (item->code == 'p' && len > 0) {
        size_t said = (unsigned char)*from++;
        len = said < len ? said : len - 1;
    }
    return bytes_out(vm, bytes_new(vm, from, len), out);
}

static Status unpack_all(Vm *vm, Format f, int64_t count, const char *from, Value *out) {
    Tuple *made = tuple_new(vm, (size_t)count);
    if (!made) return vm_no_memory(vm);
    Item item;
    int64_t place = 0;
    Value *to = made->items;
    Status st;
    while ((st = next_item(vm, &f, &place, &item)) == ST_OK) {
        const char *at = from + item.place;
        if (item.code == 'x') continue;
        if (item.code == 's' || item.code == 'p')
            st = unpack_text(vm, &item, at, to++);
        else
            for (int64_t i = 0; st == ST_OK && i < item.count; i++)
                st = unpack_value(vm, &f, &item, at + i * item.size, to++);
        if (st != ST_OK) break;
    }
    if (st != ST_STOP) {
        release_obj(vm, made);
        return st;
    }
    *out = v_obj(made);
    return ST_OK;
}

static Status fn_unpack(Vm *vm, const Value *args, Value *out) {
    Format f;
    int64_t size, count;
    Value owner;
    if (format_of(vm, args[0], &f) != ST_OK || measure(vm, f, &size, &count) != ST_OK ||
        bytes_need(vm, args[1], &owner) != ST_OK)
        return ST_ERROR;
    Status st = (int64_t)owner.bytes->len == size
                    ? unpack_all(vm, f, count, owner.bytes->data, out)
                    : raise_error(vm, "unpack requires a buffer of %lld bytes", (long long)size);
    release(vm, owner);
    return st;
}

static Status fn_unpack_from(Vm *vm, const Value *args, Value *out) {
    Format f;
    int64_t size, count, offset;
    Value owner;
    if (format_of(vm, args[0], &f) != ST_OK || measure(vm, f, &size, &count) != ST_OK)
        return ST_ERROR;
    if (op_index(vm, args[2], &offset) != ST_OK) return op_refused(vm);
    if (bytes_need(vm, args[1], &owner) != ST_OK) return ST_ERROR;
    Status st = locate(vm, false, size, (int64_t)owner.bytes->len, &offset);
    if (st == ST_OK) st = unpack_all(vm, f, count, owner.bytes->data + offset, out);
    release(vm, owner);
    return st;
}

// unpack_all(format, buffer): unpacks the whole buffer to a list of tuples.
static Status fn_unpack_all(Vm *vm, const Value *args, Value *out) {
    Format f;
    int64_t size, count;
    Value owner;
    if (format_of(vm, args[0], &f) != ST_OK || measure(vm, f, &size, &count) != ST_OK)
        return ST_ERROR;
    if (size == 0) return raise_error(vm, "cannot iteratively unpack with a struct of length 0");
    if (bytes_need(vm, args[1], &owner) != ST_OK) return ST_ERROR;
    int64_t len = (int64_t)owner.bytes->len;
    List *list = list_new(vm, (size_t)(len / size) + 1);
    Status st = vm_check(vm, list);
    if (st == ST_OK && len % size)
        st = raise_error(vm, "iterative unpacking requires a buffer of a multiple of %lld bytes",
                         (long long)size);
    for (int64_t at = 0; st == ST_OK && at < len; at += size) {
        Value tuple;
        st = unpack_all(vm, f, count, owner.bytes->data + at, &tuple);
        if (st == ST_OK) st = list_append(vm, list, tuple);
    }
    release(vm, owner);
    if (st == ST_OK)
        *out = v_obj(list);
    else
        release_obj(vm, list);
    return st;
}

static Status fn_calcsize(Vm *vm, const Value *args, Value *out) {
    Format f;
    int64_t size, count;
    if (format_of(vm, args[0], &f) != ST_OK || measure(vm, f, &size, &count) != ST_OK)
        return ST_ERROR;
    *out = v_int(size);
    return ST_OK;
}

// codes(format): returns a str with the code of each value. The slow paths of pack need it to convert objects by
// methods of the program.
static Status fn_codes(Vm *vm, const Value *args, Value *out) {
    Format f;
    Item item;
    Buf codes;
    int64_t place = 0;
    Status st;
    if (format_of(vm, args[0], &f) != ST_OK) return ST_ERROR;
    buf_init(&codes, &vm->mem);
    while ((st = next_item(vm, &f, &place, &item)) == ST_OK)
        for (int64_t i = 0; i < item_values(&item) && !codes.failed; i++)
            buf_putc(&codes, item.code);
    if (st == ST_STOP) return str_buf_out(vm, &codes, out);
    buf_free(&codes);
    return st;
}

const NativeDef struct_functions[] = {
    {"calcsize", "format, /", fn_calcsize, NULL, PURE},
    {"pack", "format, /, *values", fn_pack, "struct_pack_slow", PURE},
    {"pack_into", "format, buffer=?, offset=?, /, *values", fn_pack_into, "struct_pack_into_slow",
     PURE},
    {"unpack", "format, buffer, /", fn_unpack, NULL, PURE},
    {"unpack_from", "format, /, buffer, offset=0", fn_unpack_from, NULL, PURE},
    {"unpack_all", "format, buffer, /", fn_unpack_all, NULL, PURE},
    {"codes", "format, /", fn_codes, NULL, PURE},
    {0},
};

Status struct_init(Vm *vm, Module *module) {
    return own_error_init(vm, module, "error", "struct", EXC_Exception);
}
