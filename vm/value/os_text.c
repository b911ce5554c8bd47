// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text of the operating system, where names are bytes and output is UTF-8: lone surrogates stand for bytes that are not
// UTF-8 (PEP 383), and are neither written nor shown.

#include "vm/value/os_text.h"

#include <errno.h>
#include <string.h>

#include "lang/support/utf8.h"
#include "vm/value/str_impl.h"

enum { FIRST_BYTE = 0xDC80, LAST_BYTE = 0xDCFF, BYTE_BASE = 0xDC00 };

// Returns the next lone surrogate at or after `at`, or `end`. Surrogates begin with 0xED and have a second byte of at
// least 0xA0, which other characters that begin with 0xED do not.
static const char *next_surrogate(const char *at, const char *end) {
    while (at < end && (at = memchr(at, 0xED, (size_t)(end - at)))) {
        if (end - at >= 3 && (unsigned char)at[1] >= 0xA0) return at;
        at++;
    }
    return end;
}

Str *os_text(Vm *vm, const char *bytes, size_t len) {
    size_t bad;
    const char *why;
    if (utf8_validate(bytes, len, &bad, &why)) return str_new(vm, bytes, len);
    Buf text;
    buf_init(&text, &vm->mem);
    for (size_t at = 0; at < len;) {
        uint32_t cp;
        size_t step = utf8_decode(bytes + at, len - at, &cp);
        if (step) buf_put(&text, bytes + at, step);
        else buf_utf8(&text, BYTE_BASE + (unsigned char)bytes[at]);
        at += step ? step : 1;
    }
    return str_from_buf(vm, &text);
}

static Status no_encoding(Vm *vm, const char *text, const char *at, const char *end) {
    size_t before = str_count_chars(text, (size_t)(at - text)), count = 1;
    while (next_surrogate(at + 3 * count, end) == at + 3 * count && at + 3 * count < end) count++;
    Str *object = str_new(vm, text, (size_t)(end - text));
    if (!object) return vm_no_memory(vm);
    vm_raise_unicode(vm, EXC_UnicodeEncodeError, "utf-8", v_obj(object), before, before + count,
                     "surrogates not allowed");
    release_obj(vm, object);
    return ST_ERROR;
}

Status os_output(Vm *vm, const char *text, size_t len) {
    const char *end = text + len, *at = next_surrogate(text, end);
    return at == end ? ST_OK : no_encoding(vm, text, at, end);
}

Status os_name_bytes(Vm *vm, Value name, Buf *out) {
    const Str *s = str_of(name);
    buf_init(out, &vm->mem);
    if (!s)
        return vm_raise(vm, EXC_TypeError, "expected str, bytes or os.PathLike object, not %s",
                        type_name(vm, name));
    if (memchr(s->data, 0, s->len)) return vm_raise(vm, EXC_ValueError, "embedded null byte");
    const char *end = str_end(s);
    for (const char *at = s->data; at < end;) {
        const char *next = next_surrogate(at, end);
        buf_put(out, at, (size_t)(next - at));
        at = next;
        if (at == end) break;
        uint32_t cp = str_next(&at, end);
        if (cp < FIRST_BYTE || cp > LAST_BYTE) {
            buf_free(out);
            return no_encoding(vm, s->data, next, end);
        }
        buf_putc(out, (char)(cp - BYTE_BASE));
    }
    buf_putc(out, '\0');
    if (out->failed) {
        buf_free(out);
        return vm_no_memory(vm);
    }
    out->len--;
    return ST_OK;
}

Status os_access(Vm *vm, FileAccess access, const char *path) {
    const HostCalls *host = &vm->host;
    return !host->allowed || host->allowed(host->ctx, access, path) ? ST_OK : vm_raise_os(vm, EPERM, path);
}

Status os_path_bytes(Vm *vm, Value name, FileAccess access, Buf *out) {
    Status st = os_name_bytes(vm, name, out);
    if (st != ST_OK) return st;
    st = os_access(vm, access, out->data);
    if (st != ST_OK) buf_free(out);
    return st;
}

void os_show(const char *text, size_t len, Buf *out) {
    const char *end = text + len;
    for (const char *at = text; at < end;) {
        const char *next = next_surrogate(at, end);
        buf_put(out, at, (size_t)(next - at));
        if (next < end) str_escape_ascii(next, 3, out);
        at = next < end ? next + 3 : end;
    }
}

bool os_shown(Buf *text) {
    if (!text->data) return !text->failed; // empty
    const char *end = text->data + text->len;
    if (next_surrogate(text->data, end) == end) return !text->failed;
    Buf shown;
    buf_init(&shown, text->mem);
    os_show(text->data, text->len, &shown);
    buf_free(text);
    *text = shown;
    return !shown.failed;
}
