// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Archives of arrays: an .npz file is a ZIP file (PKWARE's APPNOTE.TXT) of .npy files. A file to be read is
// passed as a uint8 array; sizes and offsets in it are checked against its length. The class NpzFile is in
// numpy/_npz.ncr.

#include <string.h>

#include "lang/support/deflate.h"
#include "stdlib/file_write.h"
#include "stdlib/numpy/numpy.h"
#include "stdlib/stdlib.h"
#include "vm/interp/host.h"
#include "vm/value/bytes.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum {
    END_SIZE = 22, CENTRAL_SIZE = 46, LOCAL_SIZE = 30, COMMENT_MAX = 65535,
    STORED = 0, DEFLATED = 8,
    FLAG_ENCRYPTED = 1, FLAG_UTF8 = 0x800,
    VERSION = 20, UNIX = 3,
    NEW_YEAR_1980 = 1 << 5 | 1, // the earliest date that ZIP has
};
static const uint32_t READ_AND_WRITE = 0600u << 16;

typedef struct Contents {
    const unsigned char *at;
    size_t len;
} Contents;

static uint32_t get16(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
static uint32_t get32(const unsigned char *at) {
    return get16(at) | get16(at + 2) << 16;
}

static Status bad_zip(Vm *vm, const char *what) {
    return vm_raise(vm, EXC_ValueError, "%s", what);
}

static Status contents_of(Vm *vm, Value v, Contents *out) {
    if (v.kind != K_ARRAY || v.array->dtype != DT_UINT8 || !array_is_contiguous(v.array))
        return vm_raise(vm, EXC_TypeError, "the bytes of an archive are required");
    out->at = (const unsigned char *)array_read(vm, v.array);
    out->len = (size_t)array_size(v.array);
    return out->at ? ST_OK : ST_ERROR;
}

// read(name): returns the whole file as a uint8 array.
static Status fn_read(Vm *vm, const Value *args, Value *out) {
    Buf name, bytes;
    if (os_path_bytes(vm, args[0], ACCESS_READ, &name) != ST_OK) return ST_ERROR;
    buf_init(&bytes, &vm->mem);
    Status st = host_read_file(vm, name.data, &bytes);
    buf_free(&name);
    int64_t len = (int64_t)bytes.len;
    if (st == ST_OK) st = array_new(vm, DT_UINT8, 1, &len, ROOM_HOST, out);
    if (st == ST_OK && len > 0) memcpy(array_write(vm, out->array), bytes.data, bytes.len);
    buf_free(&bytes);
    return st;
}

// --- The list of members --------------------------------------------------------------------------

// Returns the last end-of-central-directory record; NULL if there is none.
static const unsigned char *find_end(Contents b) {
    if (b.len < END_SIZE) return NULL;
    size_t least = b.len > END_SIZE + COMMENT_MAX ? b.len - END_SIZE - COMMENT_MAX : 0;
    for (size_t at = b.len - END_SIZE + 1; at-- > least;)
        if (memcmp(b.at + at, "PK\5\6", 4) == 0) return b.at + at;
    return NULL;
}

typedef struct Directory {
    size_t start, len;
    size_t shift; // bytes before the archive, which offsets in it do not count
    uint32_t count;
} Directory;

static Status find_directory(Vm *vm, Contents b, Directory *out) {
    const unsigned char *end = find_end(b);
    if (!end) return bad_zip(vm, "File is not a zip file");
    size_t at = (size_t)(end - b.at), offset = get32(end + 16);
    out->len = get32(end + 12);
    out->count = get16(end + 10);
    if (out->len == UINT32_MAX || offset == UINT32_MAX || out->count == UINT16_MAX)
        return vm_raise(vm, EXC_NotImplementedError, "zip64 archives");
    if (out->len > at || offset > at - out->len)
        return bad_zip(vm, "Bad offset for central directory");
    out->start = at - out->len;
    out->shift = out->start - offset;
    return ST_OK;
}

static Status entry_value(Vm *vm, const unsigned char *at, size_t name_len, size_t shift,
                          Value *out) {
    Str *name;
    const char *text = (const char *)at + CENTRAL_SIZE;
    const uint32_t sizes[2] = {get32(at + 20), get32(at + 24)};
    if (sizes[0] == UINT32_MAX || sizes[1] == UINT32_MAX || get32(at + 42) == UINT32_MAX)
        return vm_raise(vm, EXC_NotImplementedError, "zip64 archives");
    Status st = str_utf8_check(vm, text, name_len);
    if (st != ST_OK) return st;
    name = str_new(vm, text, name_len);
    if (!name) return vm_no_memory(vm);
    Value items[7] = {v_obj(name), v_int(get16(at + 8)), v_int(get16(at + 10)),
                      v_int(get32(at + 16)), v_int(sizes[0]), v_int(sizes[1]),
                      v_int((int64_t)(get32(at + 42) + shift))};
    return tuple_steal(vm, items, 7, out);
}

// entries(archive): returns a list of (name, flags, method, crc, packed size, size, offset) in the archive's order.
static Status fn_entries(Vm *vm, const Value *args, Value *out) {
    Contents b;
    Directory d = {0};
    if (contents_of(vm, args[0], &b) != ST_OK || find_directory(vm, b, &d) != ST_OK) return ST_ERROR;
    List *list = list_new(vm, 8);
    if (!list) return vm_no_memory(vm);
    const unsigned char *at = b.at + d.start, *end = at + d.len;
    Status st = ST_OK;
    while (st == ST_OK && at < end) {
        Value entry;
        size_t room = (size_t)(end - at), name = 0, rest = 0;
        if (room >= CENTRAL_SIZE) {
            name = get16(at + 28);
            rest = (size_t)get16(at + 30) + get16(at + 32);
        }
        if (room < CENTRAL_SIZE || room - CENTRAL_SIZE < name + rest)
            st = bad_zip(vm, "Truncated central directory");
        else if (memcmp(at, "PK\1\2", 4) != 0)
            st = bad_zip(vm, "Bad magic number for central directory");
        else st = entry_value(vm, at, name, d.shift, &entry);
        if (st == ST_OK) st = list_append(vm, list, entry);
        at += CENTRAL_SIZE + name + rest;
    }
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(vm, list);
    return st;
}

// --- Reading a member -----------------------------------------------------------------------------

typedef struct Entry {
    const Str *name;
    int64_t flags, method, crc, packed, size, place;
} Entry;

static Status entry_from(Vm *vm, Value v, Entry *out) {
    int64_t *const numbers[] = {&out->flags, &out->method, &out->crc, &out->packed, &out->size,
                                &out->place};
    if (v.kind != K_TUPLE || v.tuple->len != 7 || v.tuple->items[0].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "an entry of an archive is required");
    out->name = v.tuple->items[0].str;
    for (int i = 0; i < 6; i++) {
        if (array_long(vm, v.tuple->items[i + 1], numbers[i]) != ST_OK) return op_refused(vm);
        if (*numbers[i] < 0) return vm_raise(vm, EXC_ValueError, "negative number in an entry");
    }
    return ST_OK;
}

// Finds the packed bytes of a member. Of the header before them, which repeats the entry, only the name and the lengths
// of name and extra field are used, as writers may leave its sizes out.
static Status find_data(Vm *vm, Contents b, const Entry *e, const char **out) {
    size_t place = (size_t)e->place;
    if (place > b.len || b.len - place < LOCAL_SIZE)
        return bad_zip(vm, "Truncated file header");
    const unsigned char *at = b.at + place;
    if (memcmp(at, "PK\3\4", 4) != 0) return bad_zip(vm, "Bad magic number for file header");
    size_t name = get16(at + 26), before = LOCAL_SIZE + name + get16(at + 28);
    size_t room = b.len - place;
    if (room < before || room - before < (size_t)e->packed)
        return bad_zip(vm, "the archive ends within a member");
    if (name != e->name->len || memcmp(at + LOCAL_SIZE, e->name->data, name) != 0)
        return vm_raise(vm, EXC_ValueError, "File name in directory '%s' and header '%.*s' differ.",
                        e->name->data, (int)(name < 200 ? name : 200), at + LOCAL_SIZE);
    if (e->flags & FLAG_ENCRYPTED)
        return vm_raise(vm, EXC_NotImplementedError, "encrypted archives");
    *out = (const char *)at + before;
    return ST_OK;
}

static Status deflate_status(Vm *vm, DeflateResult result, const char *name) {
    switch (result) {
    case DEFLATE_OK: return ST_OK;
    case DEFLATE_NO_MEMORY: return vm_no_memory(vm);
    case DEFLATE_ABSENT:
        return vm_raise(vm, EXC_NotImplementedError, "compressed archives: built without zlib");
    default: return vm_raise(vm, EXC_ValueError, "damaged compressed data of file '%s'", name);
    }
}

// Makes the result from an unpacked member whose checksum is right.
typedef Status (*MemberFn)(Vm *vm, const Entry *e, const char *data, size_t len, Value *out);

static Status member_array(Vm *vm, const Entry *e, const char *data, size_t len, Value *out) {
    if (len < 6 || memcmp(data, "\x93NUMPY", 6) != 0)
        return vm_raise(vm, EXC_NotImplementedError, "'%s' is no .npy file", e->name->data);
    return npy_array(vm, data, len, out);
}

static Status member_bytes(Vm *vm, const Entry *e, const char *data, size_t len, Value *out) {
    (void)e;
    return bytes_out(vm, bytes_new(vm, data, len), out);
}

static Status checked_member(Vm *vm, const Entry *e, const char *data, size_t len, MemberFn make, Value *out) {
    if (deflate_crc32(data, len) != (uint32_t)e->crc)
        return vm_raise(vm, EXC_ValueError, "Bad CRC-32 for file '%s'", e->name->data);
    return make(vm, e, data, len, out);
}

static Status unpack_member(Vm *vm, const Value *args, MemberFn make, Value *out) {
    Contents b;
    Entry e;
    const char *data = NULL;
    if (contents_of(vm, args[0], &b) != ST_OK || entry_from(vm, args[1], &e) != ST_OK ||
        find_data(vm, b, &e, &data) != ST_OK)
        return ST_ERROR;
    if (e.method == STORED) {
        if (e.packed != e.size) return bad_zip(vm, "a stored member with two sizes");
        return checked_member(vm, &e, data, (size_t)e.size, make, out);
    }
    if (e.method != DEFLATED)
        return vm_raise(vm, EXC_NotImplementedError, "That compression method is not supported");
    Buf unpacked;
    buf_init(&unpacked, &vm->mem);
    Status st = deflate_status(
        vm, deflate_unpack(data, (size_t)e.packed, (size_t)e.size, &unpacked), e.name->data);
    if (st == ST_OK)
        st = checked_member(vm, &e, unpacked.data ? unpacked.data : "", unpacked.len, make, out);
    buf_free(&unpacked);
    return st;
}

static Status fn_member(Vm *vm, const Value *args, Value *out) {
    return unpack_member(vm, args, member_array, out);
}

// contents(archive, entry): returns any member as bytes.
static Status fn_contents(Vm *vm, const Value *args, Value *out) {
    return unpack_member(vm, args, member_bytes, out);
}

// --- Writing ------------------------------------------------------------------------------------

static void put16(Buf *out, uint32_t v) {
    buf_putc(out, (char)(v & 255));
    buf_putc(out, (char)(v >> 8 & 255));
}
static void put32(Buf *out, uint32_t v) {
    put16(out, v & 0xffff);
    put16(out, v >> 16);
}

typedef struct Writer {
    Vm *vm;
    bool compress;
    uint32_t count;
    Buf file, directory;
} Writer;

// Writes the fields that the local header of a member and its entry in the central directory share.
static void put_common(Buf *out, const Writer *w, const Str *name, uint32_t crc, size_t packed,
                       size_t size) {
    put16(out, VERSION);
    put16(out, str_is_ascii(name) ? 0 : FLAG_UTF8);
    put16(out, w->compress ? DEFLATED : STORED);
    put16(out, 0); // midnight
    put16(out, NEW_YEAR_1980);
    put32(out, crc);
    put32(out, (uint32_t)packed);
    put32(out, (uint32_t)size);
    put16(out, name->len);
    put16(out, 0); // no extra fields
}

static Status too_large(Vm *vm) {
    return vm_raise(vm, EXC_NotImplementedError, "zip64: archives of 4 GiB or more");
}

static Status put_member(Writer *w, const Str *name, const Buf *plain, const Buf *packed) {
    size_t place = w->file.len;
    if (name->len > UINT16_MAX) return vm_raise(w->vm, EXC_ValueError, "Filename too long");
    if (plain->len >= UINT32_MAX || packed->len >= UINT32_MAX - place - LOCAL_SIZE - name->len ||
        w->count >= UINT16_MAX - 1)
        return too_large(w->vm);
    uint32_t crc = deflate_crc32(plain->data, plain->len);
    buf_put(&w->file, "PK\3\4", 4);
    put_common(&w->file, w, name, crc, packed->len, plain->len);
    buf_put(&w->file, name->data, name->len);
    buf_put(&w->file, packed->data, packed->len);
    buf_put(&w->directory, "PK\1\2", 4);
    put16(&w->directory, UNIX << 8 | VERSION);
    put_common(&w->directory, w, name, crc, packed->len, plain->len);
    put16(&w->directory, 0); // comment
    put16(&w->directory, 0); // disk
    put16(&w->directory, 0); // internal attributes
    put32(&w->directory, READ_AND_WRITE);
    put32(&w->directory, (uint32_t)place);
    buf_put(&w->directory, name->data, name->len);
    w->count++;
    return w->file.failed || w->directory.failed ? vm_no_memory(w->vm) : ST_OK;
}

static Status put_array(Writer *w, const Str *name, Value array) {
    Buf plain, packed;
    buf_init(&plain, &w->vm->mem);
    buf_init(&packed, &w->vm->mem);
    Status st = ST_OK;
    if (array.kind == K_ARRAY) st = npy_put(w->vm, array, &plain);
    else buf_put(&plain, array.bytes->data, array.bytes->len);
    if (plain.failed) st = vm_no_memory(w->vm);
    if (st == ST_OK && w->compress)
        st = deflate_status(w->vm, deflate_pack(plain.data, plain.len, &packed), name->data);
    if (st == ST_OK) st = put_member(w, name, &plain, w->compress ? &packed : &plain);
    buf_free(&plain);
    buf_free(&packed);
    return st;
}

static Status put_end(Writer *w) {
    size_t place = w->file.len;
    if (place >= UINT32_MAX || w->directory.len >= UINT32_MAX) return too_large(w->vm);
    if (w->directory.len) buf_put(&w->file, w->directory.data, w->directory.len);
    buf_put(&w->file, "PK\5\6\0\0\0\0", 8);
    put16(&w->file, w->count);
    put16(&w->file, w->count);
    put32(&w->file, (uint32_t)w->directory.len);
    put32(&w->file, (uint32_t)place);
    put16(&w->file, 0); // comment
    return w->file.failed ? vm_no_memory(w->vm) : ST_OK;
}

// write(name, members, arrays, compress): writes an archive of members, given as a tuple of names and one of arrays or
// bytes. Bytes become members unchanged. name=None: returns the archive as bytes.
static Status fn_write(Vm *vm, const Value *args, Value *out) {
    Writer w = {.vm = vm, .compress = args[3].kind == K_BOOL && args[3].i};
    Buf name;
    if (args[1].kind != K_TUPLE || args[2].kind != K_TUPLE ||
        args[1].tuple->len != args[2].tuple->len)
        return vm_raise(vm, EXC_TypeError, "names and arrays are required");
    bool named = args[0].kind != K_NONE;
    buf_init(&name, &vm->mem);
    if (named && os_path_bytes(vm, args[0], ACCESS_WRITE, &name) != ST_OK) return ST_ERROR;
    buf_init(&w.file, &vm->mem);
    buf_init(&w.directory, &vm->mem);
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < args[1].tuple->len; i++) {
        Value member = args[1].tuple->items[i], array = args[2].tuple->items[i];
        if (member.kind != K_STR || (array.kind != K_ARRAY && array.kind != K_BYTES))
            st = vm_raise(vm, EXC_TypeError, "names and arrays are required");
        if (st == ST_OK) st = os_output(vm, member.str->data, member.str->len);
        if (st == ST_OK) st = put_array(&w, member.str, array);
    }
    if (st == ST_OK) st = put_end(&w);
    *out = V_NONE;
    if (st == ST_OK && named) st = file_write_whole(vm, name.data, &w.file);
    else if (st == ST_OK) st = w.file.failed ? vm_no_memory(vm) : bytes_out(vm, bytes_new(vm, w.file.data, w.file.len), out);
    buf_free(&w.file);
    buf_free(&w.directory);
    buf_free(&name);
    return st;
}

const NativeDef numpy_zip_functions[] = {
    {"read", "name, /", fn_read, NULL, FILESYSTEM},
    {"entries", "archive, /", fn_entries, NULL, PURE},
    {"member", "archive, entry, /", fn_member, NULL, PURE},
    {"contents", "archive, entry, /", fn_contents, NULL, PURE},
    {"write", "name, members, arrays, compress, /", fn_write, NULL, FILESYSTEM},
    {0},
};
