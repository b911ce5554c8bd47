// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Encodings and error handlers.

#include "vm/value/codec.h"

#include <string.h>

#include "lang/support/utf8.h"
#include "vm/value/bytes.h"
#include "vm/value/str_impl.h"

// --- Names -------------------------------------------------------------------------------------

typedef enum Encoding { UTF_8, ASCII, LATIN_1 } Encoding;

static const char *const encoding_names[] = {"utf-8", "ascii", "latin-1"};

typedef enum Handler {
    STRICT,
    IGNORE,
    REPLACE,
    BACKSLASH, // backslashreplace
    XML,       // xmlcharrefreplace
    ESCAPE,    // surrogateescape: lone surrogates stand for bytes (PEP 383)
    PASS,      // surrogatepass: lone surrogates are written as if they were characters
} Handler;

static Status text_arg(Vm *vm, const char *name, const char *argument, Value v, const Str **out) {
    *out = v.kind == K_UNDEF ? NULL : str_of(v);
    if (v.kind == K_UNDEF || *out) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "%s() argument '%s' must be str, not %s", name, argument,
                    argument_type_name(vm, v));
}

Status codec_names(Vm *vm, const char *name, const Value *args, const Str **encoding,
                   const Str **errors) {
    Status st = text_arg(vm, name, "encoding", args[0], encoding);
    return st == ST_OK ? text_arg(vm, name, "errors", args[1], errors) : st;
}

enum { NAME_MOST = 32 };

// Converts a name to lower case, with one '_' for each run of other characters than letters, digits and '.'.
static void normalise(const Str *name, char out[NAME_MOST]) {
    size_t len = 0;
    for (size_t i = 0; i < name->len && len < NAME_MOST - 1; i++) {
        char c = name->data[i];
        if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
        if (plain)
            out[len++] = c;
        else if (len && out[len - 1] != '_')
            out[len++] = '_';
    }
    out[len] = '\0';
}

static Status find_encoding(Vm *vm, const Str *name, Encoding *out) {
    static const struct {
        const char *alias;
        Encoding encoding;
    } rows[] = {
        {"utf_8", UTF_8},     {"utf8", UTF_8},    {"u8", UTF_8},           {"utf", UTF_8},
        {"cp65001", UTF_8},   {"ascii", ASCII},   {"us_ascii", ASCII},     {"646", ASCII},
        {"iso646_us", ASCII}, {"us", ASCII},      {"latin_1", LATIN_1},    {"latin1", LATIN_1},
        {"latin", LATIN_1},   {"l1", LATIN_1},    {"iso_8859_1", LATIN_1}, {"iso8859_1", LATIN_1},
        {"8859", LATIN_1},    {"cp819", LATIN_1}, {"iso8859", LATIN_1},
    };
    char plain[NAME_MOST];
    *out = UTF_8;
    if (!name) return ST_OK;
    normalise(name, plain);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(plain, rows[i].alias) != 0) continue;
        *out = rows[i].encoding;
        return ST_OK;
    }
    return vm_raise(vm, EXC_LookupError, "unknown encoding: %s", name->data);
}

static Status find_handler(Vm *vm, const Str *name, Handler *out) {
    static const char *const names[] = {
        "strict",          "ignore",       "replace", "backslashreplace", "xmlcharrefreplace",
        "surrogateescape", "surrogatepass"};
    *out = STRICT;
    if (!name) return ST_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!str_is(name, names[i])) continue;
        *out = (Handler)i;
        return ST_OK;
    }
    return vm_raise(vm, EXC_LookupError, "unknown error handler name '%s'", name->data);
}

// --- Encoding ----------------------------------------------------------------------------------

// State of encoding a text. The handler is looked up when the first character cannot be encoded.
typedef struct Encoder {
    Vm *vm;
    const Str *text, *errors;
    Encoding encoding;
    Handler handler;
    bool found;
    Buf out;
} Encoder;

static bool fits(Encoding encoding, uint32_t cp) {
    if (encoding == UTF_8) return cp < 0xD800 || cp > 0xDFFF;
    return cp < (encoding == ASCII ? 128u : 256u);
}

// Returns the end of the run of characters from `at` on that cannot be encoded.
static const char *misfits_end(const Encoder *e, const char *at) {
    const char *end = str_end(e->text);
    while (at < end) {
        const char *next = at;
        if (fits(e->encoding, str_next(&next, end))) break;
        at = next;
    }
    return at;
}

static Status cannot_encode(Encoder *e, const char *from, const char *to) {
    static const char *const reasons[] = {"surrogates not allowed", "ordinal not in range(128)",
                                          "ordinal not in range(256)"};
    size_t start = str_count_chars(e->text->data, (size_t)(from - e->text->data));
    size_t count = str_count_chars(from, (size_t)(to - from));
    return vm_raise_unicode(e->vm, EXC_UnicodeEncodeError, encoding_names[e->encoding],
                            v_obj((Str *)(uintptr_t)e->text), start, start + count,
                            reasons[e->encoding]);
}

// Writes the handler's replacement for one character; false: the handler has none.
static bool put_instead(Encoder *e, uint32_t cp, const char *at, size_t width) {
    switch (e->handler) {
    case IGNORE: return true;
    case REPLACE: buf_putc(&e->out, '?'); return true;
    case BACKSLASH: str_escape_ascii(at, width, &e->out); return true;
    case XML: buf_printf(&e->out, "&#%u;", (unsigned)cp); return true;
    case ESCAPE:
        if (cp < 0xDC80 || cp > 0xDCFF) return false;
        buf_putc(&e->out, (char)(cp - 0xDC00));
        return true;
    case PASS:
        if (e->encoding != UTF_8) return false;
        buf_put(&e->out, at, width);
        return true;
    default: return false;
    }
}

static Status put_misfits(Encoder *e, const char *from, const char *to) {
    Status st = e->found ? ST_OK : find_handler(e->vm, e->errors, &e->handler);
    if (st != ST_OK) return st;
    e->found = true;
    for (const char *at = from; at < to;) {
        const char *start = at;
        uint32_t cp = str_next(&at, to);
        if (!put_instead(e, cp, start, (size_t)(at - start))) return cannot_encode(e, from, to);
    }
    return ST_OK;
}

// Copies a run of ASCII, which is the same in all encodings; returns its end.
static const char *put_plain(Encoder *e, const char *at, const char *end) {
    const char *start = at;
    while (at < end && !(*at & 0x80)) at++;
    buf_put(&e->out, start, (size_t)(at - start));
    return at;
}

static Status encode_all(Encoder *e) {
    const char *end = str_end(e->text);
    for (const char *at = e->text->data; at < end && !e->out.failed;) {
        if (!(*at & 0x80)) {
            at = put_plain(e, at, end);
            continue;
        }
        const char *start = at;
        uint32_t cp = str_next(&at, end);
        if (fits(e->encoding, cp) && e->encoding == UTF_8) {
            buf_put(&e->out, start, (size_t)(at - start));
        } else if (fits(e->encoding, cp)) {
            buf_putc(&e->out, (char)cp);
        } else {
            at = misfits_end(e, at);
            Status st = put_misfits(e, start, at);
            if (st != ST_OK) return st;
        }
    }
    return ST_OK;
}

static bool has_surrogates(const Str *text) {
    const char *end = str_end(text);
    for (const char *at = text->data; (at = memchr(at, 0xED, (size_t)(end - at))); at++)
        if ((unsigned char)at[1] >= 0xA0) return true;
    return false;
}

Status codec_encode(Vm *vm, const Str *text, const Str *encoding, const Str *errors, Value *out) {
    Encoder e = {.vm = vm, .text = text, .errors = errors};
    Status st = find_encoding(vm, encoding, &e.encoding);
    if (st != ST_OK) return st;
    if (str_is_ascii(text) || (e.encoding == UTF_8 && !has_surrogates(text)))
        return bytes_out(vm, bytes_new(vm, text->data, text->len), out);
    buf_init(&e.out, &vm->mem);
    st = encode_all(&e);
    if (st == ST_OK) return bytes_buf_out(vm, &e.out, out);
    buf_free(&e.out);
    return st;
}

// --- Decoding ----------------------------------------------------------------------------------

typedef struct Decoder {
    Vm *vm;
    const Bytes *bytes;
    const Str *errors;
    Encoding encoding;
    Handler handler;
    bool found;
    Buf out;
} Decoder;

// Returns whether the bytes at `at` begin with a surrogate in three bytes, which strict UTF-8 does not allow.
static bool is_surrogate(const char *at, size_t left) {
    return left >= 3 && (unsigned char)at[0] == 0xED && (unsigned char)at[1] >= 0xA0 &&
           (unsigned char)at[1] < 0xC0 && (at[2] & 0xC0) == 0x80;
}

// Writes the handler's replacement for `*count` invalid bytes, and sets *count to the number of bytes consumed; false:
// the handler has none.
static bool put_for_bytes(Decoder *d, const char *at, size_t left, size_t *count) {
    switch (d->handler) {
    case IGNORE: return true;
    case REPLACE: buf_utf8(&d->out, 0xFFFD); return true;
    case BACKSLASH:
        for (size_t i = 0; i < *count; i++) buf_printf(&d->out, "\\x%02x", (unsigned char)at[i]);
        return true;
    case ESCAPE:
        for (size_t i = 0; i < *count; i++) {
            if (!(at[i] & 0x80)) return false;
            buf_utf8(&d->out, 0xDC00 + (unsigned char)at[i]);
        }
        return true;
    case PASS:
        if (d->encoding != UTF_8 || !is_surrogate(at, left)) return false;
        buf_put(&d->out, at, 3);
        *count = 3;
        return true;
    default: return false;
    }
}

// Handles the invalid bytes `from` … `from + *count`; sets *count to the number of bytes consumed.
static Status put_mistake(Decoder *d, size_t from, size_t *count, const char *reason) {
    Status st = d->found ? ST_OK : find_handler(d->vm, d->errors, &d->handler);
    if (st != ST_OK) return st;
    d->found = true;
    if (d->handler == XML)
        return vm_raise(d->vm, EXC_TypeError,
                        "don't know how to handle UnicodeDecodeError in error callback");
    if (put_for_bytes(d, d->bytes->data + from, d->bytes->len - from, count)) return ST_OK;
    return vm_raise_unicode(d->vm, EXC_UnicodeDecodeError, encoding_names[d->encoding],
                            v_obj((Bytes *)(uintptr_t)d->bytes), from, from + *count, reason);
}

static Status decode_utf8(Decoder *d) {
    const char *data = d->bytes->data;
    size_t len = d->bytes->len, at = 0, bad;
    const char *reason;
    while (!d->out.failed && !utf8_validate(data + at, len - at, &bad, &reason)) {
        buf_put(&d->out, data + at, bad);
        at += bad;
        size_t count = utf8_bad_length(data + at, len - at);
        Status st = put_mistake(d, at, &count, reason);
        if (st != ST_OK) return st;
        at += count;
    }
    buf_put(&d->out, data + at, len - at);
    return ST_OK;
}

static Status decode_ascii(Decoder *d) {
    for (size_t i = 0; i < d->bytes->len && !d->out.failed; i++) {
        size_t one = 1;
        Status st = ST_OK;
        if (d->bytes->data[i] & 0x80)
            st = put_mistake(d, i, &one, "ordinal not in range(128)");
        else
            buf_putc(&d->out, d->bytes->data[i]);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

// Converts each byte to a character, which takes two bytes in UTF-8 unless it is ASCII.
static Status decode_latin1(Vm *vm, const Bytes *bytes, Value *out) {
    size_t more = 0;
    for (size_t i = 0; i < bytes->len; i++) more += (unsigned char)bytes->data[i] >> 7;
    Str *text = str_alloc(vm, bytes->len + more);
    if (!text) return vm_no_memory(vm);
    char *put = text->data;
    for (size_t i = 0; i < bytes->len; i++) {
        unsigned char c = (unsigned char)bytes->data[i];
        if (c < 128) {
            *put++ = (char)c;
        } else {
            *put++ = (char)(0xC0 | c >> 6);
            *put++ = (char)(0x80 | (c & 0x3F));
        }
    }
    str_finish(text);
    return str_out(vm, text, out);
}

Status codec_decode(Vm *vm, const Bytes *bytes, const Str *encoding, const Str *errors,
                    Value *out) {
    Decoder d = {.vm = vm, .bytes = bytes, .errors = errors};
    if (bytes->len == 0) return str_bytes_out(vm, "", 0, out); // whatever the encoding
    Status st = find_encoding(vm, encoding, &d.encoding);
    if (st != ST_OK) return st;
    size_t bad;
    const char *reason;
    bool plain = bytes_ascii(bytes->data, bytes->len) ||
                 (d.encoding == UTF_8 && utf8_validate(bytes->data, bytes->len, &bad, &reason));
    if (plain) return str_bytes_out(vm, bytes->data, bytes->len, out);
    if (d.encoding == LATIN_1) return decode_latin1(vm, bytes, out);
    buf_init(&d.out, &vm->mem);
    st = d.encoding == UTF_8 ? decode_utf8(&d) : decode_ascii(&d);
    if (st == ST_OK) return str_buf_out(vm, &d.out, out);
    buf_free(&d.out);
    return st;
}
