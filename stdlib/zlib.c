// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _zlib: compresses and decompresses streams by zlib. zlib.ncr has the objects that scripts see.

#include <string.h>

#include "nacre_config.h"
#include "stdlib/own_error.h"
#include "stdlib/state.h"
#include "stdlib/stdlib.h"
#include "vm/value/bytes.h"
#include "vm/value/int.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#if __has_include("nacre_config.h")
#include "nacre_config.h"
#endif

#if NACRE_HAVE_ZLIB

#define ZLIB_CONST
#include <zlib.h>

typedef struct Stream {
    Vm *vm;
    z_stream z;
    bool inflates, live;
} Stream;

// --- Memory: zlib frees blocks without their size, so the size is stored before each block ---------

enum { FRONT = 16 };

static voidpf z_alloc(voidpf ctx, uInt items, uInt size) {
    size_t total = (size_t)items * size + FRONT;
    char *block = mem_alloc(&((Vm *)ctx)->mem, total);
    if (!block) return Z_NULL;
    memcpy(block, &total, sizeof total);
    return block + FRONT;
}

static void z_free(voidpf ctx, voidpf ptr) {
    char *block = (char *)ptr - FRONT;
    size_t total;
    memcpy(&total, block, sizeof total);
    mem_free(&((Vm *)ctx)->mem, block, total);
}

static void stream_drop(Vm *vm, void *data) {
    Stream *s = data;
    (void)vm;
    if (s->live && s->inflates) inflateEnd(&s->z);
    if (s->live && !s->inflates) deflateEnd(&s->z);
    s->live = false;
}

static const StateKind stream_state = {"a stream", sizeof(Stream), stream_drop};

// --- Errors ------------------------------------------------------------------------------------

static Status z_error(Vm *vm, const Stream *s, int code, const char *doing) {
    if (code == Z_MEM_ERROR) return vm_no_memory(vm);
    const char *why = s ? s->z.msg : NULL;
    if (code == Z_BUF_ERROR) why = "incomplete or truncated stream";
    if (!why && code == Z_STREAM_ERROR) why = "inconsistent stream state";
    if (!why && code == Z_DATA_ERROR) why = "invalid input data";
    if (!why) return own_error(vm, "_zlib", "error", "Error %d %s", code, doing);
    return own_error(vm, "_zlib", "error", "Error %d %s: %.200s", code, doing, why);
}

// --- Streams -----------------------------------------------------------------------------------

static Status ints_of(Vm *vm, const Value *args, int count, int64_t *out) {
    for (int i = 0; i < count; i++)
        if (op_index(vm, args[i], &out[i]) != ST_OK) return op_refused(vm);
    return ST_OK;
}

static Stream *stream_new(Vm *vm, bool inflates, Value *out) {
    Stream *s = state_new(vm, &stream_state, out);
    if (!s) return NULL;
    s->vm = vm;
    s->inflates = inflates;
    s->z.zalloc = z_alloc;
    s->z.zfree = z_free;
    s->z.opaque = vm;
    return s;
}

// Finishes making a stream: sets the dictionary, if not None, and returns `made`, or raises the error for zlib's
// result `code`.
static Status stream_made(Vm *vm, int code, Value made, Stream *s, Value dictionary, Value *out) {
    const Bytes *bytes = bytes_of(dictionary);
    s->live = code == Z_OK;
    if (code == Z_OK && bytes && !s->inflates)
        code = deflateSetDictionary(&s->z, (const Bytef *)bytes->data, (uInt)bytes->len);
    if (code == Z_OK) {
        *out = made;
        return ST_OK;
    }
    Status st = code == Z_MEM_ERROR ? vm_no_memory(vm)
                                    : vm_raise(vm, EXC_ValueError, "Invalid initialization option");
    release(vm, made);
    return st;
}

// deflate_new(level, method, wbits, memory level, strategy, dictionary): makes a stream that compresses.
static Status fn_deflate_new(Vm *vm, const Value *args, Value *out) {
    int64_t o[5];
    Value made;
    if (ints_of(vm, args, 5, o) != ST_OK) return ST_ERROR;
    Stream *s = stream_new(vm, false, &made);
    if (!s) return ST_ERROR;
    int code = deflateInit2(&s->z, (int)o[0], (int)o[1], (int)o[2], (int)o[3], (int)o[4]);
    return stream_made(vm, code, made, s, args[5], out);
}

// inflate_new(wbits): makes a stream that decompresses.
static Status fn_inflate_new(Vm *vm, const Value *args, Value *out) {
    int64_t wbits;
    Value made;
    if (ints_of(vm, args, 1, &wbits) != ST_OK) return ST_ERROR;
    Stream *s = stream_new(vm, true, &made);
    if (!s) return ST_ERROR;
    return stream_made(vm, inflateInit2(&s->z, (int)wbits), made, s, V_NONE, out);
}

enum { PIECE = 1 << 16, INPUT_MOST = 1 << 30 };

// Calls zlib once, with output to a buffer of `room` bytes. Returns zlib's result.
static int turn(Stream *s, char *to, uInt room, int flush) {
    s->z.next_out = (Bytef *)to;
    s->z.avail_out = room;
    return s->inflates ? inflate(&s->z, flush) : deflate(&s->z, flush);
}

// deflate(stream, data, flush): compresses data and returns the output so far.
static Status fn_deflate(Vm *vm, const Value *args, Value *out) {
    Stream *s = state_of(vm, args[0], &stream_state);
    int64_t flush;
    char piece[PIECE];
    Value owner;
    Buf buf;
    if (!s || ints_of(vm, args + 2, 1, &flush) != ST_OK) return ST_ERROR;
    Status st = bytes_need(vm, args[1], &owner);
    if (st != ST_OK) return st;
    const char *doing = flush == Z_NO_FLUSH ? "while compressing data" : "while flushing";
    buf_init(&buf, &vm->mem);
    size_t left = owner.bytes->len;
    s->z.next_in = (const Bytef *)owner.bytes->data;
    int code = Z_OK;
    do {
        size_t part = left < INPUT_MOST ? left : INPUT_MOST;
        s->z.avail_in = (uInt)part;
        left -= part;
        do {
            code = s->live ? turn(s, piece, PIECE, left ? Z_NO_FLUSH : (int)flush) : Z_STREAM_ERROR;
            if (code == Z_STREAM_ERROR) break;
            buf_put(&buf, piece, PIECE - s->z.avail_out);
            st = vm_poll(vm);
        } while (s->z.avail_out == 0 && st == ST_OK && !buf.failed);
    } while (left && code != Z_STREAM_ERROR && st == ST_OK && !buf.failed);
    if (st == ST_OK && code == Z_STREAM_ERROR) st = z_error(vm, s, code, doing);
    if (flush == Z_FINISH) stream_drop(vm, s);
    release(vm, owner);
    if (st == ST_OK) return bytes_buf_out(vm, &buf, out);
    buf_free(&buf);
    return st;
}

// inflate(stream, data, most, dictionary): decompresses data to at most `most` bytes, or without a limit if most < 0.
// Returns (bytes, number of unused bytes of the data, whether the stream has ended).
static Status fn_inflate(Vm *vm, const Value *args, Value *out) {
    Stream *s = state_of(vm, args[0], &stream_state);
    const Bytes *dictionary = bytes_of(args[3]);
    int64_t most;
    char piece[PIECE];
    Value owner;
    Buf buf;
    if (!s || ints_of(vm, args + 2, 1, &most) != ST_OK) return ST_ERROR;
    Status st = bytes_need(vm, args[1], &owner);
    if (st != ST_OK) return st;
    buf_init(&buf, &vm->mem);
    size_t left = owner.bytes->len;
    s->z.next_in = (const Bytef *)owner.bytes->data;
    s->z.avail_in = 0;
    int code = Z_OK;
    for (;;) {
        if (s->z.avail_in == 0 && left > 0) {
            s->z.avail_in = (uInt)(left < INPUT_MOST ? left : INPUT_MOST);
            left -= s->z.avail_in;
        }
        int64_t room =
            most < 0 || most - (int64_t)buf.len > PIECE ? PIECE : most - (int64_t)buf.len;
        if (room == 0) break;
        code = turn(s, piece, (uInt)room, Z_SYNC_FLUSH);
        if (code == Z_NEED_DICT && dictionary) {
            code =
                inflateSetDictionary(&s->z, (const Bytef *)dictionary->data, (uInt)dictionary->len);
            if (code == Z_OK) continue;
        }
        buf_put(&buf, piece, (size_t)room - s->z.avail_out);
        if (code != Z_OK || (s->z.avail_out && s->z.avail_in == 0 && left == 0)) break;
        st = vm_poll(vm);
        if (st != ST_OK || buf.failed) break;
    }
    if (st == ST_OK && code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        st = z_error(vm, s, code, "while decompressing data");
    left += s->z.avail_in;
    release(vm, owner);
    Value items[3] = {V_UNDEF, v_int((int64_t)left), v_bool(code == Z_STREAM_END)};
    if (st == ST_OK)
        st = bytes_buf_out(vm, &buf, &items[0]);
    else
        buf_free(&buf);
    return st == ST_OK ? tuple_steal(vm, items, 3, out) : st;
}

static Status fn_copy(Vm *vm, const Value *args, Value *out) {
    Stream *s = state_of(vm, args[0], &stream_state);
    Value made;
    if (!s) return ST_ERROR;
    if (!s->live) return vm_raise(vm, EXC_ValueError, "Inconsistent stream state");
    Stream *copy = stream_new(vm, s->inflates, &made);
    if (!copy) return ST_ERROR;
    int code = s->inflates ? inflateCopy(&copy->z, &s->z) : deflateCopy(&copy->z, &s->z);
    return stream_made(vm, code, made, copy, V_NONE, out);
}

// --- Checksums ---------------------------------------------------------------------------------

static Status checksum(Vm *vm, const Value *args, bool crc, Value *out) {
    Value owner, start = unwrap(args[1]);
    int64_t from;
    if (!is_int(start) || !int_to_i64(start, &from)) {
        if (op_index(vm, args[1], &from) != ST_OK) return op_refused(vm);
    }
    Status st = bytes_need(vm, args[0], &owner);
    if (st != ST_OK) return st;
    const Bytef *at = (const Bytef *)owner.bytes->data;
    uLong sum = (uint32_t)from;
    sum = crc ? crc32_z(sum, at, owner.bytes->len) : adler32_z(sum, at, owner.bytes->len);
    release(vm, owner);
    *out = v_int((int64_t)(uint32_t)sum);
    return ST_OK;
}

static Status fn_crc32(Vm *vm, const Value *args, Value *out) {
    return checksum(vm, args, true, out);
}
static Status fn_adler32(Vm *vm, const Value *args, Value *out) {
    return checksum(vm, args, false, out);
}
static Status fn_version(Vm *vm, const Value *args, Value *out) {
    (void)args;
    const char *version = zlibVersion();
    return bytes_out(vm, bytes_new(vm, version, strlen(version)), out);
}

const NativeDef zlib_functions[] = {
    {"deflate_new", "level, method, wbits, memory, strategy, dictionary, /", fn_deflate_new, NULL,
     PURE},
    {"inflate_new", "wbits, /", fn_inflate_new, NULL, PURE},
    {"deflate", "stream, data, flush, /", fn_deflate, NULL, PURE},
    {"inflate", "stream, data, most, dictionary, /", fn_inflate, NULL, PURE},
    {"copy", "stream, /", fn_copy, NULL, PURE},
    {"crc32", "data, value=0, /", fn_crc32, NULL, PURE},
    {"adler32", "data, value=1, /", fn_adler32, NULL, PURE},
    {"version", "", fn_version, NULL, PURE},
    {0},
};

#else

const NativeDef zlib_functions[] = {{0}};

#endif

Status zlib_init(Vm *vm, Module *module) {
    return own_error_init(vm, module, "error", "zlib", EXC_Exception);
}
