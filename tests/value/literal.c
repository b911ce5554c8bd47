// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The reader of literal.h: recursive descent, no care for errors but to stop at them.

#include "literal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vm/value/dict.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

typedef struct Reader {
    Vm *vm;
    const char *at;
} Reader;

static Value read_value(Reader *r);

static bool accept(Reader *r, const char *text) {
    while (*r->at == ' ') r->at++;
    if (strncmp(r->at, text, strlen(text)) != 0) return false;
    r->at += strlen(text);
    return true;
}

static uint32_t read_hex(Reader *r, int digits) {
    char text[9] = {0};
    memcpy(text, r->at, (size_t)digits);
    r->at += digits;
    return (uint32_t)strtoul(text, NULL, 16);
}

static void read_escape(Reader *r, Buf *buf) {
    char c = *r->at++;
    switch (c) {
    case 'n': buf_putc(buf, '\n'); break;
    case 't': buf_putc(buf, '\t'); break;
    case 'r': buf_putc(buf, '\r'); break;
    case 'x': buf_utf8(buf, read_hex(r, 2)); break;
    case 'u': buf_utf8(buf, read_hex(r, 4)); break;
    case 'U': buf_utf8(buf, read_hex(r, 8)); break;
    default: buf_putc(buf, c);
    }
}

static Value read_text(Reader *r, char quote) {
    Buf buf;
    buf_init(&buf, &r->vm->mem);
    while (*r->at && *r->at != quote) {
        char c = *r->at++;
        if (c == '\\')
            read_escape(r, &buf);
        else
            buf_putc(&buf, c);
    }
    r->at += *r->at == quote;
    return v_obj(str_from_buf(r->vm, &buf));
}

static Value read_number(Reader *r) {
    bool negative = *r->at == '-';
    size_t len = 0;
    r->at += negative;
    while (isalnum((unsigned char)r->at[len]) || r->at[len] == '.') len++;
    Value v = V_UNDEF;
    double d;
    if (memchr(r->at, '.', len) || memchr(r->at, 'n', len)) { // inf, nan
        if (float_parse(r->at, len, &d)) v = v_float(negative ? -d : d);
    } else if (int_from_digits(r->vm, r->at, len, 10, &v) == ST_OK && negative) {
        Value positive = v;
        num_unary(r->vm, UN_NEG, positive, &v);
        release(r->vm, positive);
    }
    r->at += len;
    return v;
}

static Value read_items(Reader *r, const char *close) {
    List *list = list_new(r->vm, 0);
    while (!accept(r, close)) {
        Value item = read_value(r);
        if (item.kind == K_UNDEF) break;
        if (list_append(r->vm, list, item) != ST_OK) break;
        accept(r, ",");
    }
    return v_obj(list);
}

static Value read_dict(Reader *r) {
    Dict *dict = dict_new(r->vm);
    while (!accept(r, "}")) {
        Value key = read_value(r);
        if (key.kind == K_UNDEF || !accept(r, ":")) break;
        Value value = read_value(r);
        dict_set(r->vm, dict, key, value);
        release(r->vm, key);
        release(r->vm, value);
        accept(r, ",");
    }
    return v_obj(dict);
}

typedef Status (*ThreeFn)(Vm *vm, Value a, Value b, Value c, Value *out);

static Value read_three(Reader *r, ThreeFn make) {
    Value items = read_items(r, ")"), out = V_UNDEF;
    const Value *at = items.list->items;
    if (items.list->len == 3) make(r->vm, at[0], at[1], at[2], &out);
    release(r->vm, items);
    return out;
}

static Value read_tuple(Reader *r) {
    Value items = read_items(r, ")"), out = V_UNDEF;
    list_to_tuple(r->vm, items.list, &out);
    release(r->vm, items);
    return out;
}

static Value read_value(Reader *r) {
    if (accept(r, "None")) return V_NONE;
    if (accept(r, "True")) return v_bool(true);
    if (accept(r, "False")) return v_bool(false);
    if (accept(r, "'")) return read_text(r, '\'');
    if (accept(r, "\"")) return read_text(r, '"');
    if (accept(r, "range(")) return read_three(r, range_new);
    if (accept(r, "slice(")) return read_three(r, slice_new);
    if (accept(r, "(")) return read_tuple(r);
    if (accept(r, "[")) return read_items(r, "]");
    if (accept(r, "{")) return read_dict(r);
    if (accept(r, "~")) {
        Value over = read_value(r), it = V_UNDEF;
        op_iter(r->vm, over, &it);
        release(r->vm, over);
        return it;
    }
    accept(r, "");
    if (*r->at == '-' || isdigit((unsigned char)*r->at) || *r->at == 'i' || *r->at == 'n')
        return read_number(r);
    return V_UNDEF;
}

Value literal(Vm *vm, const char *text) {
    Reader r = {vm, text};
    Value v = read_value(&r);
    accept(&r, "");
    if (*r.at == '\0') return v;
    release(vm, v);
    return V_UNDEF;
}
