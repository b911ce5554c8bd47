// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _json: reads and writes JSON texts of built-in values (RFC 8259, plus NaN and Infinity).
// stdlib/json.ncr handles what calls the program (hooks, `default` for other objects), and raises all errors
// of writing.

#include <math.h>
#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/value/dict.h"
#include "vm/value/float_text.h"
#include "vm/value/num.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// The limit of nesting: reading raises RecursionError beyond it, writing leaves the work to json.ncr.
enum { NESTING_MAX = 950, KEYS_KEPT = 128, POLL_MASK = 0x3fff };

// --- Reading -------------------------------------------------------------------------------------

typedef struct Reader {
    Vm *vm;
    const char *begin, *at, *end;
    bool strict; // no control characters in texts
    int depth;
    uint32_t count;
    const char *wrong; // the syntax error; NULL: none, or another exception is set
    const char *place; // where the syntax error is
    Str *keys[KEYS_KEPT]; // cache of recent keys, as those of records recur
} Reader;

static Status fail(Reader *r, const char *wrong, const char *place) {
    r->wrong = wrong;
    r->place = place;
    return ST_ERROR;
}

static void skip_space(Reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

static bool four_digits(const char *at, const char *end, uint32_t *out) {
    *out = 0;
    if (end - at < 4) return false;
    for (int i = 0; i < 4; i++) {
        char c = at[i], low = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            *out = *out << 4 | (uint32_t)(c - '0');
        else if (low >= 'a' && low <= 'f')
            *out = *out << 4 | (uint32_t)(low - 'a' + 10);
        else
            return false;
    }
    return true;
}

// Reads the digits after "\u", and a second escape if they are half of a surrogate pair.
static Status unicode_escape(Reader *r, Buf *out) {
    uint32_t code, low;
    if (!four_digits(r->at, r->end, &code)) return fail(r, "Invalid \\uXXXX escape", r->at - 1);
    r->at += 4;
    if (code >> 10 == 0xd800 >> 10 && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
        if (!four_digits(r->at + 2, r->end, &low))
            return fail(r, "Invalid \\uXXXX escape", r->at + 1);
        if (low >> 10 == 0xdc00 >> 10) {
            code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
            r->at += 6;
        }
    }
    buf_utf8(out, code);
    return ST_OK;
}

// Reads the rest of an escape after its backslash.
static Status escape(Reader *r, const char *opening, Buf *out) {
    static const char named[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    if (r->at == r->end) return fail(r, "Unterminated string starting at", opening);
    char kind = *r->at++;
    if (kind == 'u') return unicode_escape(r, out);
    for (const char *pair = named; *pair; pair += 2) {
        if (*pair != kind) continue;
        buf_putc(out, pair[1]);
        return ST_OK;
    }
    return fail(r, "Invalid \\escape", r->at - 2);
}

static bool is_plain(const Reader *r, char c) {
    return c != '"' && c != '\\' && ((unsigned char)c >= 0x20 || !r->strict);
}

// Reads the rest of a string with escapes; `out` has its characters before r->at.
static Status read_escaped(Reader *r, const char *opening, Buf *out) {
    while (r->at < r->end && *r->at != '"') {
        const char *from = r->at;
        while (r->at < r->end && is_plain(r, *r->at)) r->at++;
        buf_put(out, from, (size_t)(r->at - from));
        if (r->at == r->end || *r->at == '"') break;
        if (*r->at != '\\') return fail(r, "Invalid control character at", r->at);
        r->at++;
        if (escape(r, opening, out) != ST_OK) return ST_ERROR;
    }
    if (r->at == r->end) return fail(r, "Unterminated string starting at", opening);
    r->at++;
    return ST_OK;
}

static Status read_text(Reader *r, Value *out) {
    const char *opening = r->at++, *from = r->at;
    while (r->at < r->end && is_plain(r, *r->at)) r->at++;
    if (r->at < r->end && *r->at == '"')
        return str_out(r->vm, str_new(r->vm, from, (size_t)(r->at++ - from)), out);
    Buf text;
    buf_init(&text, &r->vm->mem);
    buf_put(&text, from, (size_t)(r->at - from));
    if (read_escaped(r, opening, &text) == ST_OK) return str_buf_out(r->vm, &text, out);
    buf_free(&text);
    return ST_ERROR;
}

// Reads a key. Reuses the string from the cache if a recent key was equal.
static Status read_key(Reader *r, Value *out) {
    const char *from = r->at + 1, *stop = from;
    uint32_t hash = 0;
    while (stop < r->end && is_plain(r, *stop)) hash = hash * 31 + (unsigned char)*stop++;
    if (stop == r->end || *stop != '"') return read_text(r, out);
    size_t len = (size_t)(stop - from);
    Str **kept = &r->keys[(hash ^ hash >> 7) % KEYS_KEPT];
    if (!*kept || (size_t)(*kept)->len != len || memcmp((*kept)->data, from, len) != 0) {
        Str *key = str_new(r->vm, from, len);
        if (!key) return vm_no_memory(r->vm);
        release_obj(r->vm, *kept);
        *kept = key;
    }
    r->at = stop + 1;
    *out = retain(v_obj(*kept));
    return ST_OK;
}

static const char *digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

// Reads a number. ST_STOP: there is none here.
static Status read_number(Reader *r, Value *out) {
    const char *from = r->at, *end = r->end, *first = from + (*from == '-'), *at;
    at = first < end && *first == '0' ? first + 1 : digits(first, end);
    if (at == first) return ST_STOP;
    const char *whole = at;
    if (at < end && *at == '.' && digits(at + 1, end) > at + 1) at = digits(at + 1, end);
    if (at < end && (*at | 0x20) == 'e') {
        const char *power = at + 1;
        if (power < end && (*power == '+' || *power == '-')) power++;
        if (digits(power, end) > power) at = digits(power, end);
    }
    r->at = at;
    size_t len = (size_t)(at - from);
    if (at > whole) {
        double value;
        if (!float_parse(from, len, &value)) return fail(r, "Expecting value", from);
        *out = v_float(value);
        return ST_OK;
    }
    if (len > 18) return int_from_text(r->vm, from, len, 10, out);
    int64_t value = 0;
    for (at = first; at < whole; at++) value = value * 10 + (*at - '0');
    *out = v_int(first > from ? -value : value);
    return ST_OK;
}

static Status read_word(Reader *r, Value *out) {
    static const struct {
        const char *text;
        size_t len;
        Value value;
    } words[] = {
        {"null", 4, {.kind = K_NONE}},
        {"true", 4, {.kind = K_BOOL, .i = 1}},
        {"false", 5, {.kind = K_BOOL, .i = 0}},
        {"NaN", 3, {.kind = K_FLOAT, .f = NAN}},
        {"Infinity", 8, {.kind = K_FLOAT, .f = INFINITY}},
        {"-Infinity", 9, {.kind = K_FLOAT, .f = -INFINITY}},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if ((size_t)(r->end - r->at) < words[i].len ||
            memcmp(r->at, words[i].text, words[i].len) != 0)
            continue;
        r->at += words[i].len;
        *out = words[i].value;
        return ST_OK;
    }
    return fail(r, "Expecting value", r->at);
}

static Status read_value(Reader *r, Value *out);

// Reads what follows an item. *over: it was the closing bracket; else r->at is at the next item.
static Status read_mark(Reader *r, char closing, bool *over) {
    skip_space(r);
    *over = r->at < r->end && *r->at == closing;
    if (!*over && (r->at == r->end || *r->at != ','))
        return fail(r, "Expecting ',' delimiter", r->at);
    r->at++;
    if (!*over) skip_space(r);
    return ST_OK;
}

static Status read_items(Reader *r, List *list) {
    Value item;
    bool over = false;
    r->at++;
    skip_space(r);
    if (r->at < r->end && *r->at == ']') {
        r->at++;
        return ST_OK;
    }
    while (!over) {
        if (read_value(r, &item) != ST_OK || list_append(r->vm, list, item) != ST_OK ||
            read_mark(r, ']', &over) != ST_OK)
            return ST_ERROR;
    }
    return ST_OK;
}

static Status read_entry(Reader *r, Dict *dict) {
    Value key, value;
    if (r->at == r->end || *r->at != '"')
        return fail(r, "Expecting property name enclosed in double quotes", r->at);
    if (read_key(r, &key) != ST_OK) return ST_ERROR;
    skip_space(r);
    Status st = r->at < r->end && *r->at == ':' ? ST_OK : fail(r, "Expecting ':' delimiter", r->at);
    if (st == ST_OK) {
        r->at++;
        skip_space(r);
        st = read_value(r, &value);
    }
    if (st == ST_OK) {
        st = dict_set(r->vm, dict, key, value);
        release(r->vm, value);
    }
    release(r->vm, key);
    return st;
}

static Status read_entries(Reader *r, Dict *dict) {
    bool over = false;
    r->at++;
    skip_space(r);
    if (r->at < r->end && *r->at == '}') {
        r->at++;
        return ST_OK;
    }
    while (!over)
        if (read_entry(r, dict) != ST_OK || read_mark(r, '}', &over) != ST_OK) return ST_ERROR;
    return ST_OK;
}

static Status read_container(Reader *r, bool is_list, Value *out) {
    void *made = is_list ? (void *)list_new(r->vm, 0) : (void *)dict_new(r->vm);
    if (!made) return vm_no_memory(r->vm);
    if (++r->depth > NESTING_MAX) {
        release_obj(r->vm, made);
        return vm_raise(r->vm, EXC_RecursionError,
                        "maximum recursion depth exceeded while decoding a "
                        "JSON %s from a unicode string",
                        is_list ? "array" : "object");
    }
    Status st = is_list ? read_items(r, made) : read_entries(r, made);
    r->depth--;
    if (st == ST_OK)
        *out = v_obj(made);
    else
        release_obj(r->vm, made);
    return st;
}

static Status read_value(Reader *r, Value *out) {
    if ((++r->count & POLL_MASK) == 0 && vm_poll(r->vm) != ST_OK) return ST_ERROR;
    if (r->at == r->end) return fail(r, "Expecting value", r->at);
    switch (*r->at) {
    case '"': return read_text(r, out);
    case '[': return read_container(r, true, out);
    case '{': return read_container(r, false, out);
    default: break;
    }
    Status st = *r->at == '-' || (*r->at >= '0' && *r->at <= '9') ? read_number(r, out) : ST_STOP;
    return st == ST_STOP ? read_word(r, out) : st;
}

static int64_t characters(const Str *text, const char *place) {
    size_t bytes = (size_t)(place - text->data);
    if (str_is_ascii(text)) return (int64_t)bytes;
    int64_t count = 0;
    for (size_t i = 0; i < bytes; i++) count += ((unsigned char)text->data[i] & 0xc0) != 0x80;
    return count;
}

// scan(text, at, strict): reads a value. Returns (value, position after it), or for a syntax error
// (message, -1 - position).
static Status fn_scan(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR || args[1].kind != K_INT)
        return vm_raise(vm, EXC_TypeError, "a text and a position are needed");
    Str *text = args[0].str;
    size_t at = args[1].i < 0 ? 0 : (size_t)args[1].i;
    Reader r = {.vm = vm,
                .begin = text->data,
                .end = text->data + text->len,
                .strict = args[2].kind != K_BOOL || args[2].i};
    r.at = at >= (size_t)text->chars ? r.end : r.begin + str_offset(text, at);
    Value pair[2] = {V_UNDEF, V_UNDEF};
    Status st = read_value(&r, &pair[0]);
    if (st == ST_OK) {
        pair[1] = v_int(characters(text, r.at));
    } else if (r.wrong) {
        st = str_out(vm, str_text(vm, r.wrong), &pair[0]);
        pair[1] = v_int(-1 - characters(text, r.place));
    }
    for (int i = 0; i < KEYS_KEPT; i++) release_obj(vm, r.keys[i]);
    return st == ST_OK ? tuple_steal(vm, pair, 2, out) : st;
}

// --- Writing -------------------------------------------------------------------------------------

typedef struct Writer {
    Vm *vm;
    Buf out;
    bool ascii, nan, sorted;
    const Str *indent; // NULL: all on one line
    const Str *comma, *colon;
    int depth;
    uint32_t count;
} Writer;

static void put_character(Buf *out, uint32_t code) {
    if (code >= 0x10000) {
        code -= 0x10000;
        buf_printf(out, "\\u%04x\\u%04x", 0xd800 | code >> 10, 0xdc00 | (code & 0x3ff));
    } else {
        buf_printf(out, "\\u%04x", code);
    }
}

static void put_escape(Buf *out, unsigned char c) {
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (const char *pair = named; *pair; pair += 2) {
        if ((unsigned char)*pair != c) continue;
        buf_putc(out, '\\');
        buf_putc(out, pair[1]);
        return;
    }
    put_character(out, c);
}

static bool needs_escape(const Writer *w, unsigned char c) {
    return c < 0x20 || c == '"' || c == '\\' || (w->ascii && c >= 0x7f);
}

static void put_text(Writer *w, const Str *text) {
    const char *at = text->data, *end = at + text->len;
    buf_putc(&w->out, '"');
    while (at < end) {
        const char *from = at;
        while (at < end && !needs_escape(w, (unsigned char)*at)) at++;
        buf_put(&w->out, from, (size_t)(at - from));
        if (at == end) break;
        if ((unsigned char)*at < 0x80) {
            put_escape(&w->out, (unsigned char)*at++);
        } else {
            int width;
            put_character(&w->out, str_decode(at, end, &width));
            at += width;
        }
    }
    buf_putc(&w->out, '"');
}

// Writes a float. ST_DEFER: it is not finite, and allow_nan is false.
static Status put_float(Writer *w, double value) {
    if (isfinite(value)) return op_repr(w->vm, v_float(value), &w->out);
    if (!w->nan) return ST_DEFER;
    buf_puts(&w->out, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
    return ST_OK;
}

static void put_int(Buf *out, int64_t value) {
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--at = '-';
    buf_put(out, at, (size_t)(digits + sizeof digits - at));
}

// Writes None, a bool or a number. ST_NOTIMPL: it is another value. ST_DEFER: as put_float.
static Status put_plain(Writer *w, Value v) {
    switch (v.kind) {
    case K_NONE: buf_puts(&w->out, "null"); return ST_OK;
    case K_BOOL: buf_puts(&w->out, v.i ? "true" : "false"); return ST_OK;
    case K_INT: put_int(&w->out, v.i); return ST_OK;
    case K_BIGINT: return op_repr(w->vm, v, &w->out);
    case K_FLOAT: return put_float(w, v.f);
    default: return ST_NOTIMPL;
    }
}

static void put_line(Writer *w) {
    if (!w->indent) return;
    buf_putc(&w->out, '\n');
    for (int i = 0; i < w->depth; i++) buf_put(&w->out, w->indent->data, (size_t)w->indent->len);
}

static void put_before(Writer *w, bool first) {
    if (!first) buf_put(&w->out, w->comma->data, (size_t)w->comma->len);
    put_line(w);
}

static Status put_value(Writer *w, Value v);

static Status put_items(Writer *w, const Value *items, size_t len) {
    Status st = ST_OK;
    buf_putc(&w->out, '[');
    w->depth++;
    for (size_t i = 0; i < len && st == ST_OK; i++) {
        put_before(w, i == 0);
        st = put_value(w, items[i]);
    }
    w->depth--;
    if (len) put_line(w);
    buf_putc(&w->out, ']');
    return st;
}

static Status put_entry(Writer *w, Value key, Value value, bool first) {
    put_before(w, first);
    Status st = ST_OK;
    if (key.kind == K_STR) {
        put_text(w, key.str);
    } else {
        buf_putc(&w->out, '"');
        st = put_plain(w, key);
        buf_putc(&w->out, '"');
    }
    buf_put(&w->out, w->colon->data, (size_t)w->colon->len);
    if (st == ST_NOTIMPL) return ST_DEFER;
    return st == ST_OK ? put_value(w, value) : st;
}

static Status put_sorted(Writer *w, Dict *dict) {
    List *keys = list_new(w->vm, dict->count);
    if (!keys) return vm_no_memory(w->vm);
    uint32_t pos = 0;
    Value key, value;
    Status st = ST_OK;
    while (st == ST_OK && dict_next(dict, &pos, &key, &value))
        st = key.kind == K_STR ? list_append(w->vm, keys, retain(key)) : ST_DEFER;
    if (st == ST_OK) st = seq_sort(w->vm, keys->items, NULL, keys->len, false);
    for (size_t i = 0; i < keys->len && st == ST_OK; i++) {
        st = dict_get(w->vm, dict, keys->items[i], &value);
        if (st == ST_OK) st = put_entry(w, keys->items[i], value, i == 0);
    }
    release_obj(w->vm, keys);
    return st;
}

static Status put_entries(Writer *w, Dict *dict) {
    uint32_t pos = 0;
    Value key, value;
    Status st = ST_OK;
    bool first = true;
    buf_putc(&w->out, '{');
    w->depth++;
    if (w->sorted) {
        st = put_sorted(w, dict);
    } else {
        for (; st == ST_OK && dict_next(dict, &pos, &key, &value); first = false)
            st = put_entry(w, key, value, first);
    }
    w->depth--;
    if (dict->count) put_line(w);
    buf_putc(&w->out, '}');
    return st;
}

static Status put_value(Writer *w, Value v) {
    if ((++w->count & POLL_MASK) == 0 && vm_poll(w->vm) != ST_OK) return ST_ERROR;
    if (w->depth > NESTING_MAX) return ST_DEFER;
    switch (v.kind) {
    case K_STR: put_text(w, v.str); return ST_OK;
    case K_LIST: return put_items(w, v.list->items, v.list->len);
    case K_TUPLE: return put_items(w, v.tuple->items, v.tuple->len);
    case K_DICT: return put_entries(w, v.dict);
    default: break;
    }
    Status st = put_plain(w, v);
    return st == ST_NOTIMPL ? ST_DEFER : st;
}

// encode(value, ensure_ascii, allow_nan, sort_keys, indent, item_separator, key_separator): returns the
// JSON text, or None if json.ncr has to write it.
static Status fn_encode(Vm *vm, const Value *args, Value *out) {
    bool indents = args[4].kind == K_STR;
    if (args[5].kind != K_STR || args[6].kind != K_STR || (!indents && args[4].kind != K_NONE)) {
        *out = V_NONE;
        return ST_OK;
    }
    Writer w = {.vm = vm,
                .ascii = args[1].kind == K_BOOL && args[1].i,
                .nan = args[2].kind == K_BOOL && args[2].i,
                .sorted = args[3].kind == K_BOOL && args[3].i,
                .indent = indents ? args[4].str : NULL,
                .comma = args[5].str,
                .colon = args[6].str};
    buf_init(&w.out, &vm->mem);
    Status st = put_value(&w, args[0]);
    if (st == ST_OK) return str_buf_out(vm, &w.out, out);
    buf_free(&w.out);
    if (st == ST_ERROR) return st;
    *out = V_NONE;
    return ST_OK;
}

const NativeDef json_functions[] = {
    {"scan", "text, at, strict, /", fn_scan, NULL, PURE},
    {"encode",
     "value, ensure_ascii, allow_nan, sort_keys, indent, item_separator, key_separator, /",
     fn_encode, NULL, PURE},
    {0},
};
